"""Packages on disk: `tasks/NAME.tsk/` with a file for each section and `meta.json`. A crash never breaks one.

Everything goes by descriptors from the project's folder, without following links. Files are replaced by rename
after fsync, `meta.json` last, so after a crash every file has a content that the log has known. Reading changes
nothing.
"""

import errno
import fcntl
import functools
import os
import re
import stat
import time
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

from gatepost.domain.refusals import DiskRefused
from gatepost.engine.packages import LINK, META, MOST_ON_DISK, Package, SectionFiles, SectionOnDisk, hashed
from gatepost.files import no_follow
from gatepost.files.git_head import head_of
from gatepost.files.no_follow import closing, look, open_directory
from gatepost.tsk import meta

FOLDER: Final = "tasks"
ASIDE: Final = ".gatepost/outside"
"""Where anything goes that is in a package's place and cannot be kept in the log."""
SUFFIX: Final = ".tsk"
IGNORED: Final = {".gitignore": b"*\n"}
"""Keeps a package out of git, including this file."""
TRACKED: Final = {".gitattributes": b"* -text\nmeta.json merge=union\n"}
"""Lets git store a package byte for byte, and merge its stamps without conflicts."""
_FOR_GIT: Final = {**IGNORED, **TRACKED}
PATIENCE: Final = 2.0
_GLANCE: Final = 0.005
_HALF: Final = r"\..+\.[0-9a-f]{12}\.tmp\Z"
_MODE: Final = 0o600
_MOST_STRANGE: Final = 20


class DiskPackages:
    """The packages of one project folder. `tracked`: git stores them."""

    def __init__(
        self, root: str, selectors: Sequence[str], *, tracked: bool = False, machine: str | None = None
    ) -> None:
        self._root: Final = root
        self._selectors: Final = tuple(selectors)
        self._tracked: Final = tracked
        self._machine: Final = machine
        self._beside: Final = TRACKED if tracked else IGNORED
        self._ours: Final = frozenset((META, *_FOR_GIT, *(f"{selector}.md" for selector in self._selectors)))

    @functools.cached_property
    def folder(self) -> str:
        """The project's folder, by its real path."""
        return os.path.realpath(self._root)

    @property
    def record(self) -> str:
        """The folder, and the machine too if a store that many machines use records it."""
        return self.folder if self._machine is None else f"{self._machine}:{self.folder}"

    def path(self, name: str) -> str:
        """The path of a package, relative to the project's folder."""
        return f"{FOLDER}/{name}{SUFFIX}"

    def head(self) -> str | None:
        """The commit at git's HEAD and the merge in progress; None outside git."""
        return head_of(self._root)

    def names(self) -> Sequence[str]:
        """The names of the existing packages, sorted."""
        try:
            with _opened(self._root) as root, _opened(FOLDER, root) as folder:
                found = [entry for entry in os.listdir(folder) if entry.endswith(SUFFIX) and entry != SUFFIX]
                return sorted(entry.removesuffix(SUFFIX) for entry in found if _is_directory(entry, folder))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise _refused(FOLDER, error) from None

    def look(self, name: str) -> Package | None:
        """A package, if it exists."""
        try:
            with self._entered(name) as package:
                return self._seen(package)
        except FileNotFoundError:
            return None
        except OSError as error:
            odd = self._odd(name)
            if odd is None:
                raise _refused(self.path(name), error) from None
            return Package(has_meta=False, sections=dict.fromkeys(self._selectors, SectionOnDisk(None)), odd=odd)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the packages against other writers. Waits a little, then refuses."""
        try:
            with _opened(self._root) as root:
                with suppress(FileExistsError):
                    os.mkdir(FOLDER, 0o755, dir_fd=root)
                folder = open_directory(root, FOLDER)
        except OSError as error:
            raise _refused(FOLDER, error) from None
        with closing(folder):
            _lock(folder)  # closing the descriptor, or dying, lets go
            yield

    def move(self, name: str, to: str) -> None:
        """Rename a package. Refuses a name that is taken."""
        try:
            with _opened(self._root) as root, _opened(FOLDER, root) as folder:
                if look(folder, to + SUFFIX):
                    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
                os.rename(name + SUFFIX, to + SUFFIX, src_dir_fd=folder, dst_dir_fd=folder)
                os.fsync(folder)
        except OSError as error:
            raise _refused(self.path(to), error) from None

    def remove(self, name: str) -> None:
        """Remove a package, unless it contains other files."""
        try:
            with self._entered(name) as package:
                # The sections first: after a crash, the rest must still say whose package it is.
                for file in (f"{selector}.md" for selector in self._selectors):
                    with suppress(FileNotFoundError):
                        os.unlink(file, dir_fd=package)
                _dropped(_FOR_GIT, {}, (), package)
                with suppress(FileNotFoundError):
                    os.unlink(META, dir_fd=package)
            with _opened(self._root) as root, _opened(FOLDER, root) as folder, suppress(OSError):
                os.rmdir(name + SUFFIX, dir_fd=folder)
        except FileNotFoundError:
            return
        except OSError as error:
            raise _refused(self.path(name), error) from None

    def move_aside(self, name: str, file: str) -> str:
        """Move whatever is in the place of a package's file out of the way; without a name, in the package's place.

        Returns its new path, relative to the project's folder.
        """
        path = os.path.join(self.path(name), file).rstrip("/")
        unique = f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.urandom(3).hex()}"
        place = f"{ASIDE}/{unique}-{path.replace('/', '-')}"
        try:
            os.makedirs(os.path.join(self._root, ASIDE), mode=0o700, exist_ok=True)
            with _opened(self._root) as root, _opened(os.path.dirname(path), root) as above:
                os.rename(os.path.basename(path), place, src_dir_fd=above, dst_dir_fd=root)
        except OSError as error:
            raise DiskRefused(f"{path}: {error.strerror}.", "Move it away manually.") from None
        return place

    def meta(self, name: str, workspace: str, taskdoc: str, faces: SectionFiles) -> bytes:
        """The content of `meta.json` for these sections."""
        return meta.rendered(name, workspace, taskdoc, faces, tracked=self._tracked)

    def write(
        self, name: str, workspace: str, taskdoc: str, faces: SectionFiles, keep: Mapping[str, SectionOnDisk | None]
    ) -> dict[str, str]:
        """Write the files of a package, `meta.json` last, except for those to keep. Creates the package if needed.

        A section that is kept also keeps its stamps. Returns the hashes of the written files other than sections.
        """
        # Files are written in this order: the one that keeps git away first, meta.json last.
        wanted = {**self._beside, **{f"{selector}.md": face.content.encode() for selector, face in faces.items()}}
        held = {file.removesuffix(".md"): seen.stamps for file, seen in keep.items() if seen is not None}
        wanted[META] = meta.rendered(name, workspace, taskdoc, faces, tracked=self._tracked, held=held)
        try:
            with _opened(self._root) as root, _opened(FOLDER, root) as folder, suppress(FileExistsError):
                os.mkdir(name + SUFFIX, 0o700, dir_fd=folder)
            with self._entered(name) as package:
                _sweep(package)
                stale = [file for file, text in wanted.items() if file not in keep and not _is(file, text, package)]
                for file in stale:
                    _replace(file, wanted[file], package)
                if _dropped(_FOR_GIT, self._beside, keep, package) or stale:
                    os.fsync(package)
        except OSError as error:
            raise _refused(self.path(name), error) from None
        return {file: hashed(wanted[file]) for file in (*self._beside, META) if file not in keep}

    def _seen(self, package: int) -> Package:
        files = {name: read for name in (META, *_FOR_GIT) if (read := _read(name, package)) is not None}
        said = meta.read(files.get(META))
        named, known = said.get("workspace"), said.get("id")
        return Package(
            has_meta=META in files,
            sections={selector: _seen(package, selector, said) for selector in self._selectors},
            workspace=named if isinstance(named, str) else None,
            id=known if isinstance(known, str) else None,
            files=files,
            strange=self._strange(package, files),
        )

    def _strange(self, package: int, files: Mapping[str, bytes]) -> list[str]:
        """Foreign entries in a package, including any that replace our files."""
        found = []
        with os.scandir(package) as entries:
            for entry in entries:
                name = entry.name
                ours = name in self._ours or re.match(_HALF, name)
                replaced = (name == META and name not in files) or (
                    name in _FOR_GIT and files.get(name) != _FOR_GIT[name]
                )
                if not ours or replaced:
                    found.append(entry.name + ("/" if entry.is_dir(follow_symlinks=False) else ""))
                if len(found) == _MOST_STRANGE:
                    break
        return sorted(found)

    def _odd(self, name: str) -> str | None:
        """What is in the place of the package or its folder, if it is not a folder."""
        for path in (os.path.join(self._root, FOLDER), os.path.join(self._root, self.path(name))):
            try:
                mode = os.lstat(path).st_mode
            except OSError:
                return None
            if not stat.S_ISDIR(mode):
                return LINK if stat.S_ISLNK(mode) else "no folder"
        return None

    @contextmanager
    def _entered(self, name: str) -> Iterator[int]:
        with (
            _opened(self._root) as root,
            _opened(FOLDER, root) as folder,
            _opened(name + SUFFIX, folder) as package,
        ):
            yield package


@contextmanager
def _opened(name: str, above: int | None = None) -> Iterator[int]:
    """A folder, through no link unless it is the project's own."""
    flags = no_follow.DIRECTORY if above is not None else no_follow.DIRECTORY & ~os.O_NOFOLLOW
    with closing(os.open(name, flags, dir_fd=above)) as descriptor:
        yield descriptor


def _is_directory(name: str, above: int) -> bool:
    try:
        with _opened(name, above):
            return True
    except OSError:
        return False


def _read(name: str, above: int) -> bytes | None:
    """The bytes of a regular file; None for anything else."""
    return _look(name, above)[0]


def _look(name: str, above: int) -> tuple[bytes | None, str | None]:
    """A file's bytes, or what is there instead, or neither."""
    try:
        read = no_follow.read(above, name, MOST_ON_DISK + 1)
    except FileNotFoundError:
        return None, None
    except no_follow.NotRegular as error:
        return None, LINK if error.errno == errno.ELOOP else "no ordinary file"
    except OSError as error:
        return None, error.strerror or "unreadable"
    return (read, None) if len(read) <= MOST_ON_DISK else (None, f"more than {MOST_ON_DISK:,} bytes")


def _seen(package: int, selector: str, said: Mapping[str, Any]) -> SectionOnDisk:
    read, odd = _look(f"{selector}.md", package)
    text = None if read is None else read.decode("utf-8", "surrogateescape")
    return SectionOnDisk(text, meta.revision(said, selector), odd, meta.stamps(said, selector))


def _lock(folder: int) -> None:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise _refused(FOLDER, OSError(errno.EBUSY, "another process holds it")) from None
            time.sleep(_GLANCE)


def _sweep(package: int) -> None:
    """Make the package private, and remove unfinished files of a killed writer. Needs the lock."""
    if stat.S_IMODE(os.fstat(package).st_mode) != 0o700:
        os.fchmod(package, 0o700)
    for name in os.listdir(package):
        if re.match(_HALF, name):
            with suppress(OSError):
                os.unlink(name, dir_fd=package)


def _dropped(known: Mapping[str, bytes], wanted: Mapping[str, bytes], keep: Container[str], above: int) -> bool:
    """Remove the files of the other setting, if they are exactly as we wrote them."""
    gone = [
        file
        for file, text in known.items()
        if file not in wanted and file not in keep and _read(file, above) == text
    ]
    for file in gone:
        os.unlink(file, dir_fd=above)
    return bool(gone)


def _is(name: str, content: bytes, above: int) -> bool:
    """Whether a file has this content and is private to its owner."""
    if _read(name, above) != content:
        return False
    found = os.stat(name, dir_fd=above, follow_symlinks=False)
    return stat.S_IMODE(found.st_mode) == _MODE


def _replace(name: str, content: bytes, above: int) -> None:
    temporary = f".{name}.{os.urandom(6).hex()}.tmp"
    descriptor = os.open(temporary, no_follow.NEW_FILE, _MODE, dir_fd=above)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.rename(temporary, name, src_dir_fd=above, dst_dir_fd=above)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=above)
        raise


def _refused(path: str, error: OSError) -> DiskRefused:
    return DiskRefused(
        f"{path}: {error.strerror or error}.",
        "The taskdoc is safe in the store. Free space or fix the permissions; the next change writes the package.",
    )
