"""What a project's packages look like on disk, and what they looked like after the last tool call.

Agents pay for this after every call, so it reads a few small files and knows nothing of the store. Equal looks mean
that nobody touched a package since the engine last judged them.
"""

from __future__ import annotations

import os
import stat

try:
    from _blake2 import blake2b  # `hashlib` loads OpenSSL as well, which takes longer than all the rest here
except ImportError:
    from hashlib import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

TASKS: Final = "tasks"
SUFFIX: Final = ".tsk"
MOST_FILES: Final = 2_000
MOST_BYTES: Final = 1_000_000
"""Bytes of a file that are hashed: a section has far fewer, and of a giant its size and times say enough."""


def fingerprint(root: str) -> str:
    """One hash over everything in the packages of a project: names, kinds, sizes, times and texts."""
    return _hashed("\n".join(_lines(os.path.join(root, TASKS))).encode("utf-8", "surrogateescape"))


def remembered(root: str) -> tuple[str, str] | None:
    """The fingerprint, and git's HEAD, as they were after the last call."""
    try:
        with open(_memory(root), encoding="ascii") as file:
            known, head = file.read(4_096).split("\n", 1)
    except (OSError, ValueError):
        return None
    return known, head


def remember(root: str, known: str, head: str) -> None:
    """Keep a fingerprint, and git's HEAD. Where that fails, the next call looks closer, and no harm is done."""
    path = _memory(root)
    half = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(half, "w", encoding="ascii", errors="replace") as file:
            file.write(f"{known}\n{head}")
        os.replace(half, path)
    except OSError:
        return


def _memory(root: str) -> str:
    """In the user's cache: a project may be read-only, and git must not see it."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    name = _hashed(os.path.realpath(root).encode("utf-8", "surrogateescape"))
    return os.path.join(cache, "gatepost", "hooks", name)


def _lines(folder: str) -> Iterator[str]:
    yield _state(folder)
    left = MOST_FILES
    for name in _names(folder):
        if not name.casefold().endswith(SUFFIX):
            continue
        package = f"{folder}/{name}"
        yield f"{name!r} {_state(package)}"
        files = [] if os.path.islink(package) else _names(package)
        left -= len(files)
        if left < 0:
            return
        for file in files:
            yield f"{file!r} {_state(f'{package}/{file}', whole=True)}"


def _hashed(content: bytes) -> str:
    return blake2b(content, digest_size=20).hexdigest()


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _state(path: str, *, whole: bool = False) -> str:
    """What is at a path. Of a folder only that it is the same one, for its times change with what is in it."""
    try:
        found = os.lstat(path)
        kind = f"{found.st_mode:o} {found.st_ino}"
        if not whole:
            return kind
        times = f"{kind} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"
        if not stat.S_ISREG(found.st_mode) or found.st_size > MOST_BYTES:
            return times
        with open(path, "rb", opener=_opened) as file:
            return f"{times} {_hashed(file.read(MOST_BYTES))}"
    except OSError as error:
        return f"({error.errno})"


def _opened(path: str, flags: int) -> int:
    """Without following a link, or waiting for somebody to write into a pipe."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
