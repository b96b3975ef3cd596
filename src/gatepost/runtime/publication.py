"""Publication: a session's values appear in a workspace as they change, and disappear at the session's end."""

from collections.abc import Callable, Iterable
from logging import getLogger
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

from gatepost.domain.refusals import Refusal

_log: Final = getLogger("gatepost.runtime")


class PublishedAs(NamedTuple):
    """The operation that publishes a value, its arguments, and the operation that removes it."""

    show: str
    arguments: dict[str, Any]
    clear: str


@runtime_checkable
class Publishable(Protocol):
    """A value that can be published: any with a `published_as` method."""

    def published_as(self) -> PublishedAs:
        """The calls that publish and remove it."""


class ToolCaller(Protocol):
    """Anything that takes calls by tool name."""

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool."""


class Publisher(Protocol):
    """A store to publish to, as returned by `gatepost.connect`."""

    def for_session(self, session: str) -> ToolCaller:
        """The same store, with calls made in a session's name."""


class Publication:
    """The latest value of each publishable type of a session, in one workspace."""

    def __init__(
        self,
        publisher: Publisher,
        session: str,
        workspace: str,
        latest: Callable[[], Iterable[tuple[type, object]]],
    ) -> None:
        self.target: Final = (publisher, workspace)
        self._caller: Final = publisher.for_session(session)
        self._workspace: Final = workspace
        self._latest: Final = latest
        self._shown: Final[dict[type, PublishedAs]] = {}
        self._seen: Final[dict[type, object]] = {}
        self.cancellations: tuple[Callable[[], None], ...] = ()
        """Functions that cancel this publication's subscriptions."""

    def on_event(self, _event: object) -> None:
        """Publish after an event. A failure is only logged: the event has happened, and its writer must not repeat
        it. The next event tries again."""
        try:
            self.catch_up()
        except (Refusal, OSError) as failed:
            _log.warning("The published session in %s is out of date: %s", self._workspace, failed)

    def catch_up(self) -> None:
        """Publish every latest value that is not yet published."""
        for kind, value in self._latest():
            if issubclass(kind, Publishable) and value is not self._seen.get(kind):
                self._show(kind, value)
                self._seen[kind] = value

    def end(self) -> None:
        """Remove everything that is published, and stop publishing."""
        for cancel in self.cancellations:
            cancel()
        self.cancellations = ()
        for kind in list(self._shown):
            self._remove(kind)

    def _show(self, kind: type, value: Any) -> None:
        if value is None:
            self._remove(kind)
        else:
            showing: PublishedAs = value.published_as()
            self._caller.call(showing.show, workspace=self._workspace, **showing.arguments)
            self._shown[kind] = showing

    def _remove(self, kind: type) -> None:
        showing = self._shown.get(kind)
        if showing is not None:
            self._caller.call(showing.clear, workspace=self._workspace)
            del self._shown[kind]
