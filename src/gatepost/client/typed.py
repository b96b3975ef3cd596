"""Typed commands over a client that takes and returns JSON."""

from __future__ import annotations

import msgspec

from gatepost.client.requests import decoded
from gatepost.operations.catalog import BY_COMMAND, in_toolset

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gatepost.client.protocol import Client
    from gatepost.operations.registry import Command, R


def do(client: Client, command: Command[R]) -> R:
    """Send a command, and decode the reply as the type its operation declares."""
    operation = BY_COMMAND[type(command)]
    reply: R = decoded(client, client.text(operation.name, arguments(command)), operation.reply)
    return reply


def arguments(command: Command[Any]) -> dict[str, Any]:
    """A command as the arguments of a call. Fields that were left out stay out."""
    given: dict[str, Any] = msgspec.to_builtins(command)
    defaults = {field.name: field.default for field in msgspec.structs.fields(command)}
    return {name: value for name, value in given.items() if value is not None or defaults[name] is msgspec.UNSET}


def tools(toolset: str) -> list[dict[str, Any]]:
    """The operations of a tool set, as MCP lists them; those on files are left out."""
    from gatepost.domain.refusals import InvalidInput
    from gatepost.operations.registry import TOOLSETS
    from gatepost.operations.tools import tool

    if toolset not in TOOLSETS:
        raise InvalidInput([("toolset", f"must be one of {', '.join(TOOLSETS)}; got {toolset}")])
    return [tool(operation) for operation in in_toolset(toolset) if not operation.files]
