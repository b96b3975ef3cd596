"""A filesystem in memory: for tests, evaluations, and agents whose files should die with their session."""

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
    """Something that ends, and says so: a session."""

    def on_end(self, callback: Callable[[], None], /) -> object:
        """Call this when it is over."""


class InMemoryFilesystem(BaseFilesystem):
    """A `Filesystem` that nothing else sees; where a session is given, its end empties it for good.

    `files` are there from the start; with `read_only` they stay as they are.
    Snapshots, `restore`, `clone` and `copy` share what they can: directories are copied when they are next written
    to, and only those on the way to what is written. Safe to use from several threads.
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
        """The present state, to come back to with `restore`; costs the same however much there is."""
        with self._lock:
            return MemorySnapshot(owner=self._owner, root=self._nodes.shared())

    def restore(self, snapshot: Any) -> None:
        """Be again as at a snapshot of this very filesystem; it can be restored any number of times."""
        if self.read_only:
            raise ReadOnlyFiles
        with self._lock:
            if not isinstance(snapshot, MemorySnapshot) or snapshot.owner is not self._owner:
                raise InvalidInput([("snapshot", "must have been taken of this very filesystem, in this session")])
            self._nodes.share(snapshot.root)

    def clone(self, *, session: Ending | None = None, read_only: bool | None = None) -> "InMemoryFilesystem":
        """A filesystem with the same files that lives on its own, bound to `session` if one is given.

        It is read-only if this one is, unless `read_only` says otherwise.
        """
        only = self.read_only if read_only is None else read_only
        twin = InMemoryFilesystem(session=session, clock=self._nodes.clock, read_only=only)
        with self._lock:
            twin._nodes.share(self._nodes.shared())
        return twin

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Alone with the files, to change them; refuses where nobody would ever see the change."""
        with super()._changing():
            if self._ended:
                raise ToolValidationError(
                    "The session of these files has ended, and the files with it.",
                    "Go on with a filesystem of a session that runs: a new one, or a clone made before the end.",
                )
            yield

    def _end(self) -> None:
        with self._lock:
            self._ended = True
            self._owner = object()  # snapshots of before bring nothing back
            self._nodes.share(MemoryTree(self._nodes.clock).shared())


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySnapshot:
    """A state of one filesystem; only that one can do something with it."""

    owner: object = field(repr=False)
    root: Directory = field(repr=False)


def _now() -> datetime:
    return datetime.now(UTC)
