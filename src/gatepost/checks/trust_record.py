"""What a person decided about one folder, kept in the user's own configuration and never in the project.

Each folder has a file of its own, so a look costs the same however many there are, and damage stays in one place.
"""

import fcntl
import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Final, NamedTuple

from gatepost.checks.allowed_commands import MOST, Words

_LARGEST: Final = 1_048_576
_OTHERS_WRITE: Final = 0o022


class TrustRecord(NamedTuple):
    """The hash of the `gatepost.toml` that was trusted, the store outside the root that it led to, and the
    commands that the person allowed besides."""

    sha256: str | None = None
    store: str | None = None
    allow: tuple[Words, ...] = ()


class DamagedRecord(Exception):
    """The record cannot be used, so nothing is trusted. The message says why."""


class NoConfiguration(Exception):
    """The user has no folder to keep a decision in, or it cannot be written. The message says why."""


def location(root: str) -> str | None:
    """The file with the decision about a folder, or None if the user has no home."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(base):  # the specification says to ignore any other
        base = os.path.join(os.path.expanduser("~"), ".config")
    if not os.path.isabs(base):
        return None
    name = sha256(os.fsencode(root)).hexdigest()[:32]
    return os.path.join(base, "gatepost", "trust", f"{name}.json")


def load(root: str) -> TrustRecord:
    """The decision about a resolved folder; an empty one if there is none."""
    path = location(root)
    if path is None:
        return TrustRecord()
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & _OTHERS_WRITE:
                raise DamagedRecord(f"{path} must be a file that only you can write (chmod 600)")
            data = file.read(_LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return TrustRecord()
    except OSError as error:
        raise DamagedRecord(f"{path} cannot be read: {error.strerror}") from None
    return _parsed(path, root, data)


def change(root: str, changed: Callable[[TrustRecord], TrustRecord]) -> TrustRecord:
    """Replace the decision about a folder by what a function makes of it. A damaged one counts as none."""
    from gatepost.files import atomic_writes  # only a change needs it

    with _locked(root) as (folder, name):
        try:
            held = load(root)
        except DamagedRecord:
            held = TrustRecord()
        new = changed(held)
        body = {"root": root, "sha256": new.sha256, "store": new.store, "allow": new.allow}
        atomic_writes.replace(folder, name, [json.dumps(body, indent=1).encode(), b"\n"], None, mode=0o600)
    return new


def remove(root: str) -> bool:
    """Forget the decision about a folder. Says whether there was one."""
    path = location(root)
    if path is None or not os.path.lexists(path):
        return False
    with _locked(root) as (folder, name):
        os.unlink(name, dir_fd=folder)
    return True


def _parsed(path: str, root: str, data: bytes) -> TrustRecord:
    try:
        held = json.loads(data[:_LARGEST])
        record = TrustRecord(held["sha256"], held["store"], tuple(tuple(words) for words in held["allow"]))
        sound = held["root"] == root and len(record.allow) <= MOST and len(data) <= _LARGEST
    except (ValueError, KeyError, TypeError, RecursionError):
        raise DamagedRecord(f"{path} is damaged") from None
    texts = (word for words in record.allow for word in words)
    if not (sound and all(isinstance(text, str) for text in texts)):
        raise DamagedRecord(f"{path} is damaged")
    return record


@contextmanager
def _locked(root: str) -> Iterator[tuple[int, str]]:
    """The open folder of records and the name of this one, while no other process changes a record."""
    path = location(root)
    if path is None:
        raise NoConfiguration("You have no home folder. Set HOME or XDG_CONFIG_HOME.")
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield folder, os.path.basename(path)
        finally:
            os.close(folder)
    except OSError as error:
        raise NoConfiguration(f"{error.filename or path} cannot be written: {error.strerror}") from None
