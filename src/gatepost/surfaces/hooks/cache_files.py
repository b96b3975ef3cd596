"""Small files of the hooks in the user's cache: a project may be read-only, and git must not see them."""

from __future__ import annotations

import os

try:
    from _blake2 import blake2b  # `hashlib` loads OpenSSL as well, which takes longer than all the rest here
except ImportError:
    from hashlib import blake2b


def read(folder: str, path: str) -> bytes:
    """What was saved about a path. Raises OSError."""
    with open(_file(folder, path), "rb") as file:
        return file.read()


def save(folder: str, path: str, data: bytes) -> None:
    """Save what is known about a path. If that fails, the next hook does more; no harm is done."""
    target = _file(folder, path)
    half = f"{target}.{os.getpid()}"
    try:
        if not os.path.isabs(target):
            return
        os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
        with open(half, "wb") as file:
            file.write(data)
        os.replace(half, target)
    except OSError:
        return


def hashed(content: bytes) -> str:
    """A short hash, for names and to compare."""
    return blake2b(content, digest_size=20).hexdigest()


def _file(folder: str, path: str) -> str:
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    real = os.path.realpath(path).encode("utf-8", "surrogateescape")
    return os.path.join(cache, "gatepost", folder, hashed(real))
