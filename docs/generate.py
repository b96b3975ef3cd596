"""Write the files generated from the registry: tool list, schemas, reference. A test compares them.

Run `python -m docs.generate` after changing an operation.
"""

import json
from pathlib import Path
from typing import Any

from docs import errors, python_client, python_commands
from docs.todo_contracts import contracts
from docs.typescript import declarations, reads
from gatepost.operations.catalog import OPERATIONS
from gatepost.operations.registry import Operation
from gatepost.operations.tools import listing
from gatepost.surfaces.http.openapi import document
from gatepost.surfaces.http.problems import status_of
from gatepost.wire.reply_schemas import IN_SCHEMA, Definitions, reference
from gatepost.wire.schemas import input_schema

ROOT = Path(__file__).parent.parent
TOOLS = ROOT / "src/gatepost/surfaces/mcp/tools.json"
SCHEMAS = ROOT / "docs/schemas"
REPLIES = SCHEMAS / "replies.json"
CONTRACTS = ROOT / "docs/contracts"
REFERENCE = ROOT / "docs/reference.md"
ERRORS = ROOT / "docs/errors.md"
READS = ROOT / "src/gatepost/surfaces/page/js/reads.js"
DECLARATIONS = ROOT / "src/gatepost/surfaces/page/types/operations.d.ts"

INTRODUCTION = """\
# Reference

Every operation, as every surface offers it: MCP tool, `gatepost call NAME JSON`, `gatepost.connect().call(NAME,
…)`. This page is generated from the registry by `python -m docs.generate`; the JSON Schemas of every input and
reply are in [schemas/](schemas/). A `?` marks what may be left out. Every operation takes `workspace`; every
write takes `expected_revision?` and `request_id?` ([sending a call again](streams.md#sending-a-call-again)), and
answers with `revision` and `events`, and with `changed: false` if it changed nothing. File tools and `tasks_batch`
take no `expected_revision`; file tools take no `request_id`.

Names that later parts of Gatepost add will appear here when they work, not before.
"""

OBJECTS = """\
## Objects in replies

The objects that replies contain, by name.
"""

_ANCHORS = {operation.reply.__name__: operation.name for operation in reversed(list(OPERATIONS))}
"""Replies are described with their operation. Of several with one reply, the first one counts."""

WORDS = {"string": "text", "integer": "number", "boolean": "true/false"}


def generated() -> dict[Path, str]:
    """Every generated file and what it must hold."""
    files = {TOOLS: json.dumps(listing(), ensure_ascii=False, separators=(",", ":")) + "\n"}
    replies: Definitions = {}
    for operation in OPERATIONS:
        schemas = {
            "input": input_schema(operation.command, terse=False),
            "output": {"$ref": f"{REPLIES.name}#/$defs/{operation.reply.__name__}"},
        }
        reference(operation.reply, IN_SCHEMA, replies)
        files[SCHEMAS / f"{operation.name}.json"] = json.dumps(schemas, ensure_ascii=False, indent=1) + "\n"
    files[REPLIES] = json.dumps({"$defs": dict(sorted(replies.items()))}, ensure_ascii=False, indent=1) + "\n"
    files[READS] = reads(OPERATIONS)
    files[DECLARATIONS] = declarations(OPERATIONS)
    for name, contract in contracts().items():
        files[CONTRACTS / name] = json.dumps(contract, ensure_ascii=False, indent=1) + "\n"
    files[CONTRACTS / "openapi.json"] = json.dumps(document(), ensure_ascii=False, separators=(",", ":")) + "\n"
    files[REFERENCE] = _reference()
    files[ERRORS] = errors.page()
    files |= python_client.files() | python_commands.files()
    return files


def _reference() -> str:
    """Every operation with its arguments and its reply, then the objects that replies share, then the refusals."""
    shared: Definitions = {}
    for operation in OPERATIONS:
        reference(operation.reply, "", shared)
    replies = {operation.reply.__name__ for operation in OPERATIONS}
    objects = [_object(name, schema) for name, schema in sorted(shared.items()) if name not in replies]
    return "\n".join(
        [INTRODUCTION, *(_section(operation, shared) for operation in OPERATIONS), OBJECTS, *objects, _refusals()]
    )


def _section(operation: Operation, shared: Definitions) -> str:
    kind = "write" if operation.writes else "read"
    sets = ", ".join(operation.toolsets) or "none (for programs)"
    inputs = input_schema(operation.command, terse=False)
    lines = [f"## `{operation.name}`", "", operation.about, "", f"*{kind}; tool sets: {sets}*", ""]
    lines += ["| argument | kind | |", "|---|---|---|"]
    for name, schema in inputs["properties"].items():
        mark = "" if name in inputs["required"] else "?"
        lines.append(f"| `{name}{mark}` | {_kind(schema)} | {schema.get('description', '')} |")
    reply = shared[operation.reply.__name__]
    answer = f"Replies with `{operation.reply.__name__}`: {reply['description']}"
    return "\n".join([*lines, "", answer, "", *_fields(reply)])


def _object(name: str, schema: dict[str, Any]) -> str:
    return "\n".join([f"### {name}", "", schema["description"], "", *_fields(schema)])


def _fields(schema: dict[str, Any]) -> list[str]:
    required = schema.get("required", ())
    rows = [
        f"| `{name}{'' if name in required else '?'}` | {_kind(field)} |"
        for name, field in schema["properties"].items()
    ]
    return ["| field | kind |", "|---|---|", *rows, ""]


def _refusals() -> str:
    """Every code there is: those of operations, and those that only a server or the command line says."""
    lines = ["## Refusals", "", "| code | HTTP | when |", "|---|---|---|"]
    for code, kind in sorted(errors.kinds().items()):
        lines.append(f"| `{code}` | {status_of(kind)} | {(kind.__doc__ or '').partition(chr(10))[0]} |")
    lines += [f"| `{code}` | {status} | {when} |" for code, status, when in errors.ELSEWHERE]
    return "\n".join([*lines, ""])


def _kind(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return f"[{schema['$ref']}](#{_ANCHORS.get(schema['$ref'], schema['$ref'].lower())})"
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    if "enum" in schema:
        return " · ".join(f"`{value}`" for value in schema["enum"])
    kind = schema.get("type", "anything")
    if kind == "array":
        return f"list of {_kind(schema['items'])}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_kind(schema['additionalProperties'])}"
    return " or ".join(WORDS.get(word, word) for word in ([kind] if isinstance(kind, str) else kind))


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
