"""The operations as tools: what `tools/list` shows, made from the registry."""

from typing import Any, Final

from gatepost.operations.catalog import OPERATIONS
from gatepost.operations.registry import TOOLSETS, Operation
from gatepost.views.guidance import FIRST_STEPS
from gatepost.views.taskdoc import RESTRICTION
from gatepost.wire.reply_schemas import output_schema
from gatepost.wire.schemas import input_schema

_ARGUMENTS: Final = """\
Always pass `workspace` (one stable name for the project, such as acme/repo). Pass `expected_revision` on writes, \
so that you never overwrite others' changes; after REVISION_MISMATCH read again. Name a step by `step_id` (safest) \
or `path` (s:0.s:2). A todo list is your session's own unless you name another `session`. Lists take `limit` and \
`cursor`; views take `max_chars` (512 or more). A title is one line of at most 300 characters. Criteria, tests and \
other list items may have several lines, 2,000 characters each; notes 16,000; descriptions and contracts 32,000.
A refusal says what to do next: `recovery`, and `suggestion`, a call that works unchanged. Never confirm a \
checkpoint you have not verified.
"""
INSTRUCTIONS: Final = f"{FIRST_STEPS}\n\n{_ARGUMENTS}{RESTRICTION}\n"


def tool(operation: Operation, *, outputs: bool = False) -> dict[str, Any]:
    """One operation as an MCP tool."""
    shown: dict[str, Any] = {
        "name": operation.name,
        "description": operation.about,
        "inputSchema": input_schema(operation.command, terse=True),
        "annotations": {
            "readOnlyHint": not operation.writes,
            "destructiveHint": operation.destructive,
            "idempotentHint": not operation.writes,
            "openWorldHint": False,
        },
    }
    if outputs:
        shown["outputSchema"] = output_schema(operation.reply)
    if "core" in operation.toolsets:
        shown["_meta"] = {"anthropic/alwaysLoad": True}
    return shown


def listing(*, outputs: bool = False) -> dict[str, Any]:
    """All tools with the sets they are in, and the instructions: what the MCP server starts from."""
    return {
        "instructions": INSTRUCTIONS,
        "sets": list(TOOLSETS),
        "tools": [
            {"toolsets": list(operation.toolsets), "tool": tool(operation, outputs=outputs)}
            for operation in OPERATIONS
        ],
    }
