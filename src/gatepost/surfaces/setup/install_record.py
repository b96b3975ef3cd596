"""What init wrote into a project, kept in the user's own configuration: a project cannot bring a record that makes
`--remove` change its files, and git does not see it.
"""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any, Final, NamedTuple

from gatepost.files import atomic_writes
from gatepost.surfaces.setup.splices import Splice

_LARGEST: Final = 8_388_608


class WrittenFile(NamedTuple):
    """One file as init left it: its edits, who reads it, and whether init created it, with which folders."""

    path: str
    clients: tuple[str, ...]
    splices: tuple[Splice, ...]
    members: tuple[tuple[tuple[str, ...], Any], ...] = ()
    items: tuple[tuple[tuple[str, ...], Any], ...] = ()
    created: bool = False
    folders: tuple[str, ...] = ()


def location(root: str) -> str:
    """The file with what init wrote into a project."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".config")
    name = sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:32]
    return os.path.join(base, "gatepost", "init", f"{name}.json")


def load(root: str) -> dict[str, WrittenFile]:
    """The files that init wrote, by path. Empty if it wrote none, or the record is damaged."""
    try:
        with open(location(root), "rb") as file:
            held = json.loads(file.read(_LARGEST))
        if held["root"] != os.path.realpath(root):
            return {}
        return {item["path"]: _read(item) for item in held["files"]}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


@contextmanager
def changing(root: str) -> Iterator[None]:
    """Keep every other init in this project out until this one is done."""
    path = location(root)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with open(f"{path}.lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def save(root: str, files: dict[str, WrittenFile]) -> None:
    """Replace the record; without files there is none."""
    path = location(root)
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if files:
            body = {"root": os.path.realpath(root), "files": [it._asdict() for it in files.values()]}
            data = [json.dumps(body, indent=1).encode(), b"\n"]
            atomic_writes.replace(folder, os.path.basename(path), data, None, mode=0o600)
        elif os.path.lexists(path):
            os.unlink(path)
    finally:
        os.close(folder)


def _read(item: dict[str, Any]) -> WrittenFile:
    def pairs(name: str) -> tuple[tuple[tuple[str, ...], Any], ...]:
        return tuple((tuple(path), value) for path, value in item[name])

    return WrittenFile(
        item["path"],
        tuple(item["clients"]),
        tuple(Splice(*splice) for splice in item["splices"]),
        pairs("members"),
        pairs("items"),
        item["created"],
        tuple(item["folders"]),
    )
