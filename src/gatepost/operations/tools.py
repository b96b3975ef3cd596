"""The operations as tools: what `tools/list` shows, made from the registry."""

import re
from typing import Any, Final

from gatepost.domain.offers import LOOKS
from gatepost.operations.catalog import BY_NAME, OPERATIONS
from gatepost.operations.registry import TOOLSETS, Operation
from gatepost.operations.titles import title_of
from gatepost.views.guidance import LOOP, PACKAGE_RULE, WORKSPACE_RULE
from gatepost.wire.reply_schemas import output_schema
from gatepost.wire.schemas import input_schema

_names = re.compile(rf"\b(?:{'|'.join(BY_NAME)})\b")


def tool(operation: Operation, *, outputs: bool = False) -> dict[str, Any]:
    """One operation as an MCP tool."""
    shown: dict[str, Any] = {
        "name": operation.name,
        "title": title_of(operation.name),
        "description": operation.about,
        "inputSchema": _listed(input_schema(operation.command, terse=True)),
    }
    if outputs:
        shown["outputSchema"] = output_schema(operation.reply)
    if annotations := _annotations(operation):
        shown["annotations"] = annotations
    if operation.name == START:
        shown["_meta"] = {"anthropic/alwaysLoad": True}
    return shown


START: Final = "tasks_radar"
"""What an agent needs before it thinks of searching for a tool."""

UNLISTED: Final = {
    "tasks_create": ("context", "domain", "contract_data"),
    "tasks_decompose": ("expected_step_revision",),
    "tasks_define": ("expected_revision",),
    "tasks_note": ("expected_revision", "expected_step_revision"),
    "tasks_close_step": ("expected_revision",),
    "tasks_claim": ("expected_revision", "ttl_s"),
    "tasks_block": ("expected_revision",),
    "tasks_resume": ("events_limit", "proofs"),
    "tasks_context": ("domain", "priority"),
    "tasks_undo": ("expected_revision",),
    "recall_mind": ("max_chars",),
}
"""Arguments that `core` does not list, since each costs an agent characters on every turn. They are taken all the
same; views hand out a step's own revision."""


NEVER_LISTED: Final = "request_id"
"""What no model has a use for: programs that may lose an answer send it. It is taken all the same."""


def _listed(schema: dict[str, Any]) -> dict[str, Any]:
    properties = {name: shape for name, shape in schema["properties"].items() if name != NEVER_LISTED}
    return schema | {"properties": properties}


def _annotations(operation: Operation) -> dict[str, bool]:
    """What a client would not assume: it takes every tool for one that writes and destroys."""
    if not operation.writes:
        return {"readOnlyHint": True}
    return {} if operation.destructive else {"destructiveHint": False}


def listing(*, outputs: bool = False) -> dict[str, Any]:
    """All tools with the sets they are in, and the instructions: what the MCP server starts from."""
    return {
        "instructions": [{"names": named_in(text), "text": text} for text in LOOP],
        "workspace_rule": WORKSPACE_RULE,
        "package_rule": {"names": named_in(PACKAGE_RULE), "text": PACKAGE_RULE},
        "unlisted": UNLISTED,
        "looks": list(LOOKS),
        "sets": list(TOOLSETS),
        "tools": [
            {"toolsets": list(operation.toolsets), "tool": tool(operation, outputs=outputs)}
            for operation in OPERATIONS
        ],
    }


def named_in(text: str) -> list[str]:
    """The operations that a text names."""
    return sorted(set(_names.findall(text)))
