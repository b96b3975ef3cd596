"""Publishing: what a session holds is shown elsewhere as it comes, and taken away at the session's end."""

from collections.abc import Callable, Iterable
from logging import getLogger
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

from gatepost.domain.refusals import Refusal

_log: Final = getLogger("gatepost.runtime")


class PublishedAs(NamedTuple):
    """The operation that shows a value, its arguments beside the workspace, and the one that takes it away."""

    show: str
    arguments: dict[str, Any]
    clear: str


@runtime_checkable
class Publishable(Protocol):
    """A value that can be shown elsewhere: any that has `published_as`."""

    def published_as(self) -> PublishedAs:
        """How it is shown."""


class ToolCaller(Protocol):
    """What answers calls by name."""

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Ask by name."""


class Publisher(Protocol):
    """A store to publish on, as `gatepost.connect` gives it."""

    def for_session(self, session: str) -> ToolCaller:
        """The same, asked by a session."""


class Publication:
    """A session's publishable values on one workspace, each kind by its latest."""

    def __init__(
        self,
        publisher: Publisher,
        session: str,
        workspace: str,
        latest: Callable[[], Iterable[tuple[type, object]]],
    ) -> None:
        self.of: Final = (publisher, workspace)
        self._asked: Final = publisher.for_session(session)
        self._workspace: Final = workspace
        self._latest: Final = latest
        self._shown: Final[dict[type, PublishedAs]] = {}
        self._seen: Final[dict[type, object]] = {}
        self.until: tuple[Callable[[], None], ...] = ()
        """What unsays that this catches up and ends."""

    def told(self, _event: object) -> None:
        """Something happened in the session. If it cannot be shown it has happened all the same: whoever wrote it
        must not be told to write it again. The next event tries anew."""
        try:
            self.catch_up()
        except (Refusal, OSError) as failed:
            _log.warning("a published session is behind in %s: %s", self._workspace, failed)

    def catch_up(self) -> None:
        """Show every latest value that is not the one that is shown."""
        for kind, value in self._latest():
            if issubclass(kind, Publishable) and value is not self._seen.get(kind):
                self._show(kind, value)
                self._seen[kind] = value

    def end(self) -> None:
        """Take away all that is shown, and show no more."""
        for unsay in self.until:
            unsay()
        self.until = ()
        for kind in list(self._shown):
            self._take_away(kind)

    def _show(self, kind: type, value: Any) -> None:
        if value is None:
            self._take_away(kind)
        else:
            showing: PublishedAs = value.published_as()
            self._asked.call(showing.show, workspace=self._workspace, **showing.arguments)
            self._shown[kind] = showing

    def _take_away(self, kind: type) -> None:
        showing = self._shown.get(kind)
        if showing is not None:
            self._asked.call(showing.clear, workspace=self._workspace)
            del self._shown[kind]
