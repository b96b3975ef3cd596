"""The way down from one open directory: name by name, through no link and into nothing closed."""

import os
import weakref
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from operator import itemgetter
from threading import Lock
from unicodedata import normalize

from gatepost.domain.refusals import NotADirectory, NotFound, Refusal, ToolValidationError
from gatepost.files import errors, guard, protected, temporary_names
from gatepost.files.hard_links import HardLinks
from gatepost.files.no_follow import closing, look, open_directory
from gatepost.files.paths import ROOT, Segments, plain, shown
from gatepost.files.protocol import Kind


class RootDirectory:
    """Holds a root open, and lends the directories below it as descriptors.

    What is done by a descriptor is done in that very directory: a link that is swapped in on the way afterwards
    changes nothing. Every directory is entered by `enter`, which is where the guard stands: it judges the name, and
    then the open directory itself, which may be closed under an innocent name.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.place = os.fspath(root)
        # Whoever names the root may name it by a link; it is below the root that none is followed.
        self._root = _opened_root(self.place)
        self._close = weakref.finalize(self, os.close, self._root)
        self.hard_links = HardLinks(self._top)
        if protected.lies_in_closed(self._root, self.place):
            self._close()
            raise guard.forbidden(self.place, field="root")
        self.in_repository = protected.lies_in_repository(self._root, self.place)
        """Whether all below the root is git's own: then nothing there is changed."""
        self._closing = Lock()

    def close(self) -> None:
        """Let the root go; a second time does nothing."""
        with self._closing:
            self._close()

    def meant(self, asked: Segments, field: str = "path", *, change: bool = False) -> Segments:
        """The same path by the names on the disk, if nothing on the way is closed, by its name or by what it is.

        Whatever else may be wrong with a path, that is said first. With `change`, it may not be git's own either.
        A name that is not there must be one that could be new. Those who then act are judged again as they enter
        and open, since all may have changed by then.
        """
        path = shown(asked)
        for name in asked:
            self.judge(name, path)
        with errors.speaking(path):
            at, of_repository = self._found(asked, path)
        if change:
            guard.admit_change(asked, field=field)
            if of_repository or self.in_repository:
                raise guard.of_git(path, field=field)
        return at if len(at) == len(asked) else plain((*at, *asked[len(at) :]), field=field, known=len(at))

    @contextmanager
    def directory(self, at: Segments) -> Iterator[int]:
        """The directory at these segments, open for as long as the context lasts."""
        with errors.speaking(shown(at)), closing(self._down(at, at)) as directory:
            yield directory

    def held(self, at: Segments) -> int:
        """The same, open until the caller closes it."""
        with errors.speaking(shown(at)):
            return self._down(at, at)

    @contextmanager
    def parent(self, at: Segments) -> Iterator[tuple[int, str]]:
        """The directory that holds what is meant, and its name there; the root has none and is not asked for."""
        with errors.speaking(shown(at)), closing(self._down(at[:-1], at)) as directory:
            self.judge(at[-1], shown(at))
            yield directory, at[-1]

    @contextmanager
    def making(self, at: Segments) -> Iterator[int]:
        """Like `directory`, and those that are missing are made; they are gone again if the context fails."""
        with errors.speaking(shown(at)), ExitStack() as held, ExitStack() as undo:
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
        """Open a directory by its name in another. The one place where that happens: the guard is asked here."""
        self.judge(name, path)
        below = open_directory(directory, name)
        try:
            self.judge_opened(below, path)
        except BaseException:
            os.close(below)
            raise
        return below

    def judge_opened(self, directory: int, path: str) -> None:
        """Refuse a directory that is closed by what it is, whatever name it was opened by."""
        if protected.is_package(directory):
            raise guard.forbidden(path)

    def judge(self, name: str, path: str) -> None:
        """Refuse a name that nobody may open, make or look into."""
        if guard.closed(name) or temporary_names.is_scratch(name):
            raise guard.forbidden(path)

    def _found(self, asked: Segments, path: str) -> tuple[Segments, bool]:
        """As much of a path as exists, and whether git has a repository of its own on it, or would have by it."""
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
            # A link in the way is reported like a file in the way; only a second look tells them apart.
            found = look(directory, at[-1])
            errors.unless_directory(path, 0 if found is None else found.st_mode)
            raise errors.link(path) from error
        except FileNotFoundError as error:
            raise NotFound(shown(wanted), shown(at[:-1])) from error

    def _top(self) -> int:
        # Under the lock, since a number that was closed may be some other directory's a moment later.
        with self._closing:
            if not self._close.alive:
                raise ToolValidationError("This filesystem is closed.", "Open a new one on the same directory.")
            # Not `dup`: copies of a descriptor share one reading position; two listings would disturb each other.
            return open_directory(self._root, ".")


def found_in(directory: int) -> Sequence[tuple[str, os.stat_result]]:
    """What a directory holds, by name; what is under way or left behind is not shown, nor what is gone by now."""
    found: list[tuple[str, os.stat_result]] = []
    with os.scandir(directory) as entries:
        for entry in entries:
            if not temporary_names.is_scratch(entry.name):
                with suppress(FileNotFoundError):
                    found.append((entry.name, entry.stat(follow_symlinks=False)))
    return sorted(found, key=itemgetter(0))


def kinds_in(directory: int) -> Sequence[tuple[str, Kind]]:
    """The same without sizes and times, which would cost a look at each."""
    # What may be read and not entered shows its names, but none of what it holds can be looked at.
    os.stat(".", dir_fd=directory)
    with os.scandir(directory) as entries:
        kinds = [(entry.name, _kind(entry)) for entry in entries if not temporary_names.is_scratch(entry.name)]
    return [(name, kind) for name, kind in kinds if kind]


def _name_in(directory: int, name: str) -> str | None:
    """The name by which something is in a directory: this one, or one that is the same text in another form.

    `é` can be one character or two, and whoever types a name does not see which of them the disk has.
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
            f"`root`: there is no directory {place}.", "Make it first, or name one that exists."
        ) from error
    except NotADirectoryError as error:
        raise NotADirectory(f"`root`: {place} is not a directory.", "Name a directory.") from error
    except OSError as error:
        raise errors.disk(place, error) from error


def _make(directory: int, name: str, undo: ExitStack) -> None:
    # Another process may be making the same one: then it is theirs, and stays.
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=directory)
        undo.callback(_unmake, directory, name)
        os.fsync(directory)


def _unmake(directory: int, name: str) -> None:
    # Somebody else may have put something there meanwhile: then it stays.
    with suppress(OSError):
        os.rmdir(name, dir_fd=directory)
