"""Access to the directories below one root: through no link, and into nothing that is closed."""

import os
import weakref
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from operator import itemgetter
from threading import Lock
from unicodedata import normalize

from gatepost.domain.protected_names import closed
from gatepost.domain.refusals import NotADirectory, NotFound, Refusal, ToolValidationError
from gatepost.files import errors, guard, protected, temporary_names
from gatepost.files.hard_links import HardLinks
from gatepost.files.no_follow import closing, look, open_directory
from gatepost.files.paths import ROOT, Segments, plain, shown
from gatepost.files.protocol import Kind


class RootDirectory:
    """Holds a root open, and opens the directories below it as descriptors.

    A descriptor refers to that very directory: a link swapped in afterwards changes nothing. `enter` opens every
    directory. It asks the guard about the name, and then about the open directory, which may be a package under
    another name.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.place = os.fspath(root)
        # The root itself may be a link; links below the root are not followed.
        self._root = _opened_root(self.place)
        self._close = weakref.finalize(self, os.close, self._root)
        self.hard_links = HardLinks(self._top)
        if protected.lies_in_closed(self._root, self.place):
            self._close()
            raise guard.forbidden(self.place, field="root")
        self.in_repository = protected.lies_in_repository(self._root, self.place)
        """Whether the root lies in git's own folder. Then nothing there may change."""
        self._closing = Lock()

    def close(self) -> None:
        """Close the root. A second call does nothing."""
        with self._closing:
            self._close()

    def meant(self, asked: Segments, field: str = "path", *, change: bool = False) -> Segments:
        """The same path by the names on disk. Refuses it if anything on the way is closed, by name or by content.

        This refusal comes before any other. With `change`, git's own files are refused too. A name that does not
        exist must be valid for a new file. Later calls check again as they open: the disk may have changed.
        """
        path = shown(asked)
        for name in asked:
            self.judge(name, path)
        with errors.refusals_for(path):
            at, of_repository = self._found(asked, path)
        if change:
            guard.admit_change(asked, field=field)
            if of_repository or self.in_repository:
                raise guard.of_git(path, field=field)
        return at if len(at) == len(asked) else plain((*at, *asked[len(at) :]), field=field, known=len(at))

    @contextmanager
    def directory(self, at: Segments) -> Iterator[int]:
        """The directory at a path, open inside the block."""
        with errors.refusals_for(shown(at)), closing(self._down(at, at)) as directory:
            yield directory

    def held(self, at: Segments) -> int:
        """The directory at a path, open until the caller closes it."""
        with errors.refusals_for(shown(at)):
            return self._down(at, at)

    @contextmanager
    def parent(self, at: Segments) -> Iterator[tuple[int, str]]:
        """The open directory that contains a path, and its name there. Not for the root."""
        with errors.refusals_for(shown(at)), closing(self._down(at[:-1], at)) as directory:
            self.judge(at[-1], shown(at))
            yield directory, at[-1]

    @contextmanager
    def making(self, at: Segments) -> Iterator[int]:
        """Like `directory`, and creates missing ones. They are removed again if the block fails."""
        with errors.refusals_for(shown(at)), ExitStack() as held, ExitStack() as undo:
            directory = held.enter_context(closing(self._top()))
            for depth in range(1, len(at) + 1):
                try:
                    below = self._step(directory, at[:depth], at)
                except NotFound:
                    _make(directory, at[depth - 1], undo)
                    below = self._step(directory, at[:depth], at)
                directory = held.enter_context(closing(below))
            yield directory
            undo.pop_all()

    def enter(self, directory: int, name: str, path: str) -> int:
        """Open a directory by its name in another one. All directories are opened here, past the guard."""
        self.judge(name, path)
        below = open_directory(directory, name)
        try:
            self.judge_opened(below, path)
        except BaseException:
            os.close(below)
            raise
        return below

    def judge_opened(self, directory: int, path: str) -> None:
        """Refuse an open directory that is a package under any name."""
        if protected.is_package(directory):
            raise guard.forbidden(path)

    def judge(self, name: str, path: str) -> None:
        """Refuse a closed or temporary name."""
        if closed(name) or temporary_names.is_scratch(name):
            raise guard.forbidden(path)

    def _found(self, asked: Segments, path: str) -> tuple[Segments, bool]:
        """The existing part of a path, and whether it leads into git's own files or would create a repository."""
        at, of_repository, directory = ROOT, False, self._top()
        try:
            if protected.is_named_closed(directory, self.place) or protected.is_package(directory):
                raise guard.forbidden(path)
            for name in asked:
                of_repository = of_repository or protected.is_repository(directory, name)
                found = _name_in(directory, name)
                if found is None:
                    break
                at = (*at, found)
                try:
                    below = self.enter(directory, found, path)
                except Refusal:
                    raise
                except OSError:
                    self.hard_links.judge_name(directory, found, path)
                    break
                os.close(directory)
                directory = below
        finally:
            os.close(directory)
        return at, of_repository

    def _down(self, at: Segments, wanted: Segments) -> int:
        directory = self._top()
        for depth in range(1, len(at) + 1):
            with closing(directory):
                directory = self._step(directory, at[:depth], wanted)
        return directory

    def _step(self, directory: int, at: Segments, wanted: Segments) -> int:
        path = shown(at)
        try:
            return self.enter(directory, at[-1], path)
        except NotADirectoryError as error:
            # The system reports a link like a file; a second look tells them apart.
            found = look(directory, at[-1])
            errors.unless_directory(path, 0 if found is None else found.st_mode)
            raise errors.link(path) from error
        except FileNotFoundError as error:
            raise NotFound(shown(wanted), shown(at[:-1])) from error

    def _top(self) -> int:
        # Under the lock: once closed, the same number may refer to another directory.
        with self._closing:
            if not self._close.alive:
                raise ToolValidationError("This filesystem is closed.", "Open a new one on the same directory.")
            # Not `dup`: copies share one reading position, and two listings would disturb each other.
            return open_directory(self._root, ".")


def found_in(directory: int) -> Sequence[tuple[str, os.stat_result]]:
    """The entries of a directory by name, without temporary ones and those deleted meanwhile."""
    found: list[tuple[str, os.stat_result]] = []
    with os.scandir(directory) as entries:
        for entry in entries:
            if not temporary_names.is_scratch(entry.name):
                with suppress(FileNotFoundError):
                    found.append((entry.name, entry.stat(follow_symlinks=False)))
    return sorted(found, key=itemgetter(0))


def kinds_in(directory: int) -> Sequence[tuple[str, Kind]]:
    """The same without sizes and times, which saves a call for each entry."""
    # Fails for a directory that can be listed but not entered.
    os.stat(".", dir_fd=directory)
    with os.scandir(directory) as entries:
        kinds = [(entry.name, _kind(entry)) for entry in entries if not temporary_names.is_scratch(entry.name)]
    return [(name, kind) for name, kind in kinds if kind]


def _name_in(directory: int, name: str) -> str | None:
    """The name of an entry on disk: this one, or the same text in another Unicode form.

    `é` can be one character or two, and a user cannot see which one the disk has.
    """
    try:
        os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        if name.isascii():
            return None
        same = [each for each in os.listdir(directory) if normalize("NFC", each) == normalize("NFC", name)]
        return same[0] if len(same) == 1 else None
    except OSError:
        return None
    return name


def _kind(entry: os.DirEntry[str]) -> Kind | None:
    if entry.is_file(follow_symlinks=False):
        return "file"
    if entry.is_dir(follow_symlinks=False):
        return "directory"
    with suppress(FileNotFoundError):
        return errors.kind_of(entry.stat(follow_symlinks=False).st_mode)
    return None


def _opened_root(place: str) -> int:
    try:
        return os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError as error:
        raise NotADirectory(
            f"`root`: the directory {place} does not exist.", "Create it first, or choose an existing one."
        ) from error
    except NotADirectoryError as error:
        raise NotADirectory(f"`root`: {place} is not a directory.", "Choose a directory.") from error
    except OSError as error:
        raise errors.disk(place, error) from error


def _make(directory: int, name: str, undo: ExitStack) -> None:
    # Another process may create the same one: then it stays.
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=directory)
        undo.callback(_unmake, directory, name)
        os.fsync(directory)


def _unmake(directory: int, name: str) -> None:
    # It stays if another process has put something there.
    with suppress(OSError):
        os.rmdir(name, dir_fd=directory)
