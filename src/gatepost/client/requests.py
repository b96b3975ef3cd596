"""Typed calls over a client that takes and returns JSON: commands, and the generated methods of a workspace."""

from __future__ import annotations

from typing import Protocol, TypeVar

import msgspec

from gatepost.domain.value import prepared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from typing import Any

    from gatepost.client.protocol import Client
    from gatepost.operations.registry import Command

R = TypeVar("R")

_NOTHING: Mapping[str, object] = {}


class CallSender(Protocol):
    """Sends one call in one workspace."""

    def __call__(
        self, tool: str, reply: type[R], given: Mapping[str, object], nullable: Mapping[str, object] = _NOTHING, /
    ) -> R:
        """Leaves out what is None or () in `given`; in `nullable`, None clears a field and UNSET leaves it out."""


class AsyncCallSender(Protocol):
    """The same, awaited."""

    def __call__(
        self, tool: str, reply: type[R], given: Mapping[str, object], nullable: Mapping[str, object] = _NOTHING, /
    ) -> Awaitable[R]:
        """Leaves out what is None or () in `given`; in `nullable`, None clears a field and UNSET leaves it out."""


def request(client: Client, workspace: str) -> CallSender:
    """Calls of a client in one workspace."""

    def send(
        tool: str, reply: type[R], given: Mapping[str, object], nullable: Mapping[str, object] = _NOTHING, /
    ) -> R:
        return decoded(client, client.text(tool, _arguments(workspace, given, nullable)), reply)

    return send


def decoded(client: Client, text: str, reply: type[R]) -> R:
    """A reply of the type that its operation declares. Refuses one of another shape: no server of ours sent it."""
    try:
        return msgspec.json.decode(text, type=prepared(reply))
    except msgspec.ValidationError as error:
        from gatepost.domain.refusals import StoreFault

        raise StoreFault(
            f"{client.place} does not answer as this version of Gatepost does: {error}.",
            "Check the address, and use the same version of Gatepost on both sides.",
        ) from error


def async_request(
    client: Client, workspace: str, run: Callable[[Callable[[], R]], Awaitable[R]]
) -> AsyncCallSender:
    """Calls of a client in one workspace, run where `run` puts them."""
    send = request(client, workspace)

    def send_later(
        tool: str, reply: type[Any], given: Mapping[str, object], nullable: Mapping[str, object] = _NOTHING, /
    ) -> Awaitable[Any]:
        return run(lambda: send(tool, reply, given, nullable))

    return send_later


def _arguments(workspace: str, given: Mapping[str, object], nullable: Mapping[str, object]) -> dict[str, Any]:
    arguments: dict[str, Any] = {"workspace": workspace}
    arguments |= {name: value for name, value in given.items() if value is not None and value != ()}
    arguments |= {name: value for name, value in nullable.items() if value is not msgspec.UNSET}
    return arguments


def do(client: Client, command: Command[R]) -> R:
    """Send a command, and decode the reply as the type its operation declares."""
    from gatepost.operations.catalog import BY_COMMAND

    operation = BY_COMMAND[type(command)]
    reply: R = decoded(client, client.text(operation.name, arguments(command)), operation.reply)
    return reply


def arguments(command: Command[Any]) -> dict[str, Any]:
    """A command as the arguments of a call. Fields that were left out stay out."""
    given: dict[str, Any] = msgspec.to_builtins(command)
    defaults = {field.encode_name: field.default for field in msgspec.structs.fields(command)}
    return {name: value for name, value in given.items() if value is not None or defaults[name] is msgspec.UNSET}


def tools(toolset: str) -> list[dict[str, Any]]:
    """The operations of a tool set, as MCP lists them; those on files are left out."""
    from gatepost.domain.refusals import InvalidInput
    from gatepost.operations.catalog import in_toolset
    from gatepost.operations.registry import TOOLSETS
    from gatepost.operations.tools import tool

    if toolset not in TOOLSETS:
        raise InvalidInput([("toolset", f"must be one of {', '.join(TOOLSETS)}; got {toolset}")])
    return [tool(operation) for operation in in_toolset(toolset) if not operation.files]
