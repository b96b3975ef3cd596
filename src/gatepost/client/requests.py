"""What the generated methods of a workspace stand on: arguments in, a typed reply out."""

from __future__ import annotations

from typing import Protocol, TypeVar

import msgspec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from typing import Any

    from gatepost.client.protocol import Client

R = TypeVar("R")

_NOTHING: Mapping[str, object] = {}


class Request(Protocol):
    """Sends one call in one workspace."""

    def __call__(
        self, tool: str, reply: type[R], given: Mapping[str, object], nullable: Mapping[str, object] = _NOTHING, /
    ) -> R:
        """Leaves out what is None or () in `given`; in `nullable`, None clears a field and UNSET leaves it out."""


class AsyncRequest(Protocol):
    """The same, awaited."""

    def __call__(
        self, tool: str, reply: type[R], given: Mapping[str, object], nullable: Mapping[str, object] = _NOTHING, /
    ) -> Awaitable[R]:
        """Leaves out what is None or () in `given`; in `nullable`, None clears a field and UNSET leaves it out."""


def request(client: Client, workspace: str) -> Request:
    """Calls of a client in one workspace."""

    def send(
        tool: str, reply: type[R], given: Mapping[str, object], nullable: Mapping[str, object] = _NOTHING, /
    ) -> R:
        return decoded(client, client.text(tool, _arguments(workspace, given, nullable)), reply)

    return send


def decoded(client: Client, text: str, reply: type[R]) -> R:
    """A reply of the type that its operation declares. Refuses one of another shape: no server of ours sent it."""
    try:
        return msgspec.json.decode(text, type=reply)
    except msgspec.ValidationError as error:
        from gatepost.domain.refusals import StoreFault

        raise StoreFault(
            f"{client.place} does not answer as this version of Gatepost does: {error}.",
            "Check the address, and use the same version of Gatepost on both sides.",
        ) from error


def async_request(client: Client, workspace: str, run: Callable[[Callable[[], R]], Awaitable[R]]) -> AsyncRequest:
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
