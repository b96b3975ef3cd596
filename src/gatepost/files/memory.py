"""A filesystem in memory, for tests, evaluations, and agents whose files should end with their session."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

from gatepost.domain.file_refusals import ReadOnlyFiles
from gatepost.domain.refusals import InvalidInput, ToolValidationError
from gatepost.files.filesystem import BaseFilesystem
from gatepost.files.memory_tree import Clock, Directory, MemoryTree


class Ending(Protocol):
    """Something that ends and notifies, such as a session."""

    def on_end(self, callback: Callable[[], None], /) -> object:
        """Call this at the end."""


class InMemoryFilesystem(BaseFilesystem):
    """A private `Filesystem`. If a session is given, its end deletes all files for good.

    It starts with `files`; with `read_only` they never change. Snapshots, `restore`, `clone` and `copy` share
    directories until one of them is written to. Safe to use from several threads.
    """

    def __init__(
        self,
        files: Mapping[str, str] | None = None,
        *,
        session: Ending | None = None,
        clock: Clock | None = None,
        read_only: bool = False,
    ) -> None:
        self._nodes = MemoryTree(clock or _now)
        super().__init__(self._nodes, read_only=False)
        self._reading = self._lock
        self._owner = object()
        self._ended = False
        for path, text in (files or {}).items():
            self.write(path, text)
        self.read_only = read_only
        if session is not None:
            session.on_end(self._end)

    def snapshot(self) -> "MemorySnapshot":
        """The present state, for `restore`. The cost does not depend on the number of files."""
        with self._lock:
            return MemorySnapshot(owner=self._owner, root=self._nodes.shared())

    def restore(self, snapshot: Any) -> None:
        """Return to a snapshot that this filesystem took, as often as needed."""
        if self.read_only:
            raise ReadOnlyFiles
        with self._lock:
            if not isinstance(snapshot, MemorySnapshot) or snapshot.owner is not self._owner:
                raise InvalidInput([("snapshot", "must be a snapshot that this filesystem took in this session")])
            self._nodes.share(snapshot.root)

    def clone(self, *, session: Ending | None = None, read_only: bool | None = None) -> "InMemoryFilesystem":
        """An independent filesystem with the same files, bound to `session` if one is given.

        Read-only if this one is, unless `read_only` says otherwise.
        """
        only = self.read_only if read_only is None else read_only
        twin = InMemoryFilesystem(session=session, clock=self._nodes.clock, read_only=only)
        with self._lock:
            twin._nodes.share(self._nodes.shared())
        return twin

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Lock the files for a change. Refuses changes after the end of the session."""
        with super()._changing():
            if self._ended:
                raise ToolValidationError(
                    "The session of these files has ended, so the files are gone.",
                    "Use the filesystem of a running session: a new one, or a clone taken before the end.",
                )
            yield

    def _end(self) -> None:
        with self._lock:
            self._ended = True
            self._owner = object()  # earlier snapshots restore nothing
            self._nodes.share(MemoryTree(self._nodes.clock).shared())


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySnapshot:
    """A state of one filesystem. Only that filesystem can restore it."""

    owner: object = field(repr=False)
    root: Directory = field(repr=False)


def _now() -> datetime:
    return datetime.now(UTC)
