"""Packages on disk: `tasks/NAME.tsk/` with a file for each section and `meta.json`; no crash tears one.

Everything goes by descriptors from the project's folder and follows no link. A file is replaced by rename after
fsync, `meta.json` last: whatever the crash, a file is one that the log has known.
"""

import errno
import fcntl
import json
import os
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

from gatepost.domain.refusals import DiskRefused
from gatepost.engine.packages import LINK, MOST_ON_DISK, Face, Package, Seen

FOLDER: Final = "tasks"
SUFFIX: Final = ".tsk"
META: Final = "meta.json"
FORMAT: Final = 1
PATIENCE: Final = 2.0
_GLANCE: Final = 0.005
_HALF: Final = ".tmp"
_MODE: Final = 0o600

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class DiskPackages:
    """The packages of one project folder."""

    def __init__(self, root: str, selectors: Sequence[str]) -> None:
        self._root: Final = root
        self._selectors: Final = tuple(selectors)

    def path(self, name: str) -> str:
        """Where a package stands, relative to the project's folder."""
        return f"{FOLDER}/{name}{SUFFIX}"

    def names(self) -> Sequence[str]:
        """The packages that are there, sorted."""
        try:
            with _opened(self._root) as root, _opened(FOLDER, root) as folder:
                found = [entry for entry in os.listdir(folder) if entry.endswith(SUFFIX) and entry != SUFFIX]
                return sorted(entry.removesuffix(SUFFIX) for entry in found if _is_directory(entry, folder))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise _refused(FOLDER, error) from None

    def look(self, name: str) -> Package | None:
        """A package, if there is one."""
        try:
            with self._entered(name) as package:
                read = _read(META, package)
                meta = _meta(read)
                named, known = meta.get("workspace"), meta.get("id")
                return Package(
                    read is not None,
                    named if isinstance(named, str) else None,
                    known if isinstance(known, str) else None,
                    {selector: _seen(package, selector, meta) for selector in self._selectors},
                )
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _refused(self.path(name), error) from None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Let no other process write packages meanwhile. Waits a little, then refuses."""
        try:
            with _opened(self._root) as root:
                with suppress(FileExistsError):
                    os.mkdir(FOLDER, 0o755, dir_fd=root)
                folder = os.open(FOLDER, _DIRECTORY, dir_fd=root)
        except OSError as error:
            raise _refused(FOLDER, error) from None
        try:
            _lock(folder)  # closing the descriptor, or dying, lets go
            yield
        finally:
            os.close(folder)

    def remove(self, name: str) -> None:
        """Let there be no such package, unless it holds files of others."""
        try:
            with self._entered(name) as package:
                for file in (*(f"{selector}.md" for selector in self._selectors), META):
                    with suppress(FileNotFoundError):
                        os.unlink(file, dir_fd=package)
            with _opened(self._root) as root, _opened(FOLDER, root) as folder, suppress(OSError):
                os.rmdir(name + SUFFIX, dir_fd=folder)
        except FileNotFoundError:
            return
        except OSError as error:
            raise _refused(self.path(name), error) from None

    def write(
        self, name: str, workspace: str, taskdoc: str, faces: Mapping[str, Face], keep: frozenset[str]
    ) -> None:
        """Let the files be these, but for those to keep as they are; `meta.json` last. Makes the package."""
        try:
            with _opened(self._root) as root, _opened(FOLDER, root) as folder, suppress(FileExistsError):
                os.mkdir(name + SUFFIX, 0o700, dir_fd=folder)
            with self._entered(name) as package:
                _sweep(package)
                wanted = {f"{it}.md": face.content.encode() for it, face in faces.items() if it not in keep}
                held = _meta(_read(META, package)).get("sections")
                kept = {selector: _part(held, selector) for selector in keep}
                # The order of the dictionary is that of writing: meta.json last.
                wanted[META] = _meta_text(name, workspace, taskdoc, faces, kept)
                stale = [file for file, text in wanted.items() if not _is(file, text, package)]
                for file in stale:
                    _replace(file, wanted[file], package)
                if stale:
                    os.fsync(package)
        except OSError as error:
            raise _refused(self.path(name), error) from None

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
    descriptor = os.open(name, _DIRECTORY if above is not None else _DIRECTORY & ~os.O_NOFOLLOW, dir_fd=above)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _is_directory(name: str, above: int) -> bool:
    try:
        with _opened(name, above):
            return True
    except OSError:
        return False


def _read(name: str, above: int) -> bytes | None:
    """The bytes of an ordinary file; none of anything else, and if there is nothing."""
    return _look(name, above)[0]


def _look(name: str, above: int) -> tuple[bytes | None, str | None]:
    """A file's bytes, or what stands there instead, or neither."""
    try:
        descriptor = os.open(name, _FILE, dir_fd=above)
    except FileNotFoundError:
        return None, None
    except OSError as error:
        return None, LINK if error.errno == errno.ELOOP else (error.strerror or "unreadable")
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None, "no ordinary file"
        read = b""
        while len(read) <= MOST_ON_DISK and (more := os.read(descriptor, MOST_ON_DISK + 1 - len(read))):
            read += more
    except OSError as error:
        return None, error.strerror or "unreadable"
    finally:
        os.close(descriptor)
    return (read, None) if len(read) <= MOST_ON_DISK else (None, f"more than {MOST_ON_DISK:,} bytes")


def _seen(package: int, selector: str, meta: Mapping[str, Any]) -> Seen:
    read, odd = _look(f"{selector}.md", package)
    revision = _part(meta.get("sections"), selector).get("revision")
    return Seen(
        None if read is None else read.decode("utf-8", "surrogateescape"),
        revision if isinstance(revision, int) else None,
        odd,
    )


def _meta(read: bytes | None) -> dict[str, Any]:
    """What `meta.json` says; nothing if it says nothing that can be read."""
    try:
        found = json.loads(read or b"{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _part(sections: object, selector: str) -> dict[str, Any]:
    found = sections.get(selector) if isinstance(sections, dict) else None
    return found if isinstance(found, dict) else {}


def _meta_text(
    name: str, workspace: str, taskdoc: str, faces: Mapping[str, Face], kept: Mapping[str, dict[str, Any]]
) -> bytes:
    """What the files are; of those that were kept, what was said of them before."""
    from gatepost.domain.taskdocs import fingerprint

    sections = {
        selector: kept[selector]
        if selector in kept
        else {
            "revision": face.revision,
            "actor": face.actor,
            "at": face.at,
            "sha256": fingerprint(face.content),
        }
        for selector, face in faces.items()
    }
    meta = {"format": FORMAT, "workspace": workspace, "taskdoc": name, "id": taskdoc, "sections": sections}
    return json.dumps(meta, ensure_ascii=False, indent=2).encode() + b"\n"


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
    """Close the package to others, and remove what a writer that was killed left half done: we hold the lock."""
    if stat.S_IMODE(os.fstat(package).st_mode) != 0o700:
        os.fchmod(package, 0o700)
    for name in os.listdir(package):
        if name.startswith(".") and name.endswith(_HALF):
            with suppress(OSError):
                os.unlink(name, dir_fd=package)


def _is(name: str, content: bytes, above: int) -> bool:
    """Whether a file has this content, and is its owner's alone."""
    if _read(name, above) != content:
        return False
    found = os.stat(name, dir_fd=above, follow_symlinks=False)
    return stat.S_IMODE(found.st_mode) == _MODE


def _replace(name: str, content: bytes, above: int) -> None:
    temporary = f".{name}.{os.urandom(6).hex()}{_HALF}"
    descriptor = os.open(temporary, _NEW, _MODE, dir_fd=above)
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
        "The store holds the taskdoc; make room or give permission, and the package is written at the next start.",
    )
