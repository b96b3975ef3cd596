"""Write what is made from the registry: the tool list, the schemas and the reference. A test compares them.

Run `python -m docs.generate` after changing an operation.
"""

import json
from pathlib import Path
from typing import Any

from gatepost.domain.refusals import Refusal
from gatepost.operations.catalog import OPERATIONS
from gatepost.operations.registry import Operation
from gatepost.operations.tools import listing, reply_schema
from gatepost.storage import faults as _store_faults  # noqa: F401 - so that its refusals are listed
from gatepost.surfaces.http.openapi import document
from gatepost.surfaces.http.problems import status_of
from gatepost.views.todo_contracts import contracts
from gatepost.wire.schemas import input_schema

ROOT = Path(__file__).parent.parent
TOOLS = ROOT / "src/gatepost/surfaces/mcp/tools.json"
SCHEMAS = ROOT / "docs/schemas"
CONTRACTS = ROOT / "docs/contracts"
REFERENCE = ROOT / "docs/reference.md"

INTRODUCTION = """\
# Reference

Every operation, as every surface offers it: MCP tool, `gatepost call NAME JSON`, `gatepost.connect().call(NAME,
…)`. This page is made from the registry by `python -m docs.generate`; the JSON Schemas of every input and reply
are in [schemas/](schemas/). A `?` marks what may be left out. Every operation takes `workspace`; every write takes
`expected_revision?` and answers with `revision`, `events` and `changed`.

Names that later parts of Gatepost add will appear here when they work, not before.
"""

ELSEWHERE = (
    "| `ADDRESS_TAKEN` | | `gatepost up` cannot have the address it should listen on. |",
    "| `FORBIDDEN_HOST` | 403 | The request names a host that this server does not go by. |",
    "| `FORBIDDEN_ORIGIN` | 403 | The request comes from a page of another site. |",
    "| `INTERNAL_ERROR` | 500 | A fault of Gatepost's own; the id leads to the server's log. |",
    "| `RATE_LIMITED` | 429 | Too many calls. No server of ours says so yet: it says `BUSY`. |",
    "| `UNAUTHORIZED` | 401 | The server wants a token. |",
    "| `resume_window_exceeded` | 409 | A stream cannot go on from there: begin without a position. |",
)
"""What is said before an operation is asked."""


def generated() -> dict[Path, str]:
    """Every generated file and what it must hold."""
    files = {TOOLS: json.dumps(listing(), ensure_ascii=False, separators=(",", ":")) + "\n"}
    for operation in OPERATIONS:
        schemas = {
            "input": input_schema(operation.command, terse=False),
            "output": reply_schema(operation),
        }
        files[SCHEMAS / f"{operation.name}.json"] = json.dumps(schemas, ensure_ascii=False, indent=1) + "\n"
    for name, contract in contracts().items():
        files[CONTRACTS / name] = json.dumps(contract, ensure_ascii=False, indent=1) + "\n"
    files[CONTRACTS / "openapi.json"] = json.dumps(document(), ensure_ascii=False, separators=(",", ":")) + "\n"
    files[REFERENCE] = "\n".join([INTRODUCTION, *map(_section, OPERATIONS), _refusals()])
    return files


def _section(operation: Operation) -> str:
    kind = "write" if operation.writes else "read"
    sets = ", ".join(operation.toolsets) or "none (for programs)"
    inputs = input_schema(operation.command, terse=False)
    lines = [f"## `{operation.name}`", "", operation.about, "", f"*{kind}; tool sets: {sets}*", ""]
    lines += ["| argument | kind | |", "|---|---|---|"]
    for name, schema in inputs["properties"].items():
        mark = "" if name in inputs["required"] else "?"
        lines.append(f"| `{name}{mark}` | {_kind(schema)} | {schema.get('description', '')} |")
    reply = ", ".join(f"`{name}`" for name in reply_schema(operation)["properties"])
    return "\n".join([*lines, "", f"Answers: {reply}.", ""])


def _refusals() -> str:
    """Every code there is: those of operations, and those that only a server or the command line says."""
    lines = ["## Refusals", "", "| code | HTTP | when |", "|---|---|---|"]
    for code, kind in sorted(_kinds(Refusal).items()):
        lines.append(f"| `{code}` | {status_of(kind)} | {(kind.__doc__ or '').partition(chr(10))[0]} |")
    return "\n".join([*lines, *ELSEWHERE, ""])


def _kinds(kind: type[Refusal]) -> dict[str, type[Refusal]]:
    """The refusals of each code, by the most special one of it that names the code itself."""
    below = {code: one for child in kind.__subclasses__() for code, one in _kinds(child).items()}
    if "code" in vars(kind):
        below = {code: one for code, one in below.items() if code != kind.code or "code" in vars(one)}
    return below if kind is Refusal else {kind.code: kind, **below}


def _kind(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " · ".join(f"`{value}`" for value in schema["enum"])
    if schema["type"] == "array":
        return f"list of {_kind(schema['items'])}"
    words = {"string": "text", "integer": "number", "boolean": "true/false"}
    kind: str = schema["type"]
    return words.get(kind, kind)


def main() -> None:
    """Write all of them, and remove schemas of operations that are gone."""
    files = generated()
    for stale in set(SCHEMAS.glob("*.json")) - files.keys():
        stale.unlink()
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
