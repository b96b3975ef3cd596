"""A directory with taskdoc packages in it, full of a secret, and what must hold after every call near them."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from gatepost.domain.protected_names import closed
from gatepost.domain.refusals import ForbiddenPath, Refusal
from gatepost.files.host import HostFilesystem
from gatepost.files.memory import InMemoryFilesystem

MARK = "the-secret-of-the-package"
PACKAGE = "tasks/a.tsk"

Call = tuple[Any, ...]
"""A verb and its arguments."""


def furnish(root: Path) -> Path:
    """Packages at several depths, one named `.tsk`, a plain file of such a name, and a few ordinary files."""
    for place in (PACKAGE, "deep/er/b.tsk", ".tsk", "tasks/a.tsk/inner.tsk"):
        package(root / place)
    (root / "file.tsk").write_text(MARK)
    (root / ".gatepost").mkdir()
    (root / ".gatepost" / "gatepost.db").write_text(MARK)
    (root / "free" / "sub").mkdir(parents=True)
    (root / "free" / "f.txt").write_text("free\n")
    (root / "free" / "sub" / "goals.md").write_text("no package\n")
    (root / "tasks" / "plain.md").write_text("plain\n")
    return root


def package(place: Path) -> Path:
    """A package as Gatepost writes it, and further files of an application."""
    (place / "notes").mkdir(parents=True)
    for section in ("goals", "constraints", "progress"):
        (place / f"{section}.md").write_text(f"{MARK} {section}\n")
    meta = {"format": 1, "workspace": "acme/repo", "taskdoc": "a", "sections": {"goals": {"actor": MARK}}}
    (place / "meta.json").write_text(json.dumps(meta))
    (place / "notes" / "extra.md").write_text(f"{MARK} extra\n")
    return place


def in_memory() -> InMemoryFilesystem:
    """The ordinary files alone: in memory no package can ever come to be."""
    fs = InMemoryFilesystem()
    fs.write("free/f.txt", "free\n")
    fs.write("free/sub/goals.md", "no package\n")
    fs.write("tasks/plain.md", "plain\n")
    return fs


def asked(fs: HostFilesystem | InMemoryFilesystem, call: Call) -> tuple[str, Any]:
    """The code of the answer and the answer: `ok` and a reply, or a refusal. None of it holds the secret."""
    verb, *arguments = call
    try:
        reply = getattr(fs, verb)(*arguments)
    except Refusal as refusal:
        said = f"{refusal.message} {refusal.recovery} {refusal.suggestion} {refusal.details}"
        assert MARK not in said
        return refusal.code, refusal
    assert MARK not in repr(reply)
    return "ok", reply


def is_about_packages(refusal: Refusal) -> bool:
    """Whether a refusal is the guard's own, and says where to go instead."""
    told = f"{refusal.message} {refusal.recovery}"
    return (
        isinstance(refusal, ForbiddenPath)
        and refusal.suggestion is None
        and "recall_mind" in told
        and "change_mind" in told
    )


def closed_things(root: Path) -> dict[str, object]:
    """All that is closed by its name below a directory, bit for bit, and which file on disk it is."""
    return closed_among(everything(root))


def closed_among(found: dict[str, object]) -> dict[str, object]:
    """The part of what was found that is closed by its name."""
    return {path: what for path, what in found.items() if any(map(closed, path.split("/")))}


def everything(root: Path) -> dict[str, object]:
    """What stands below a directory: which file it is, its mode and content, or where a link leads."""
    return dict(_found(root, root))


def _found(root: Path, place: Path) -> Iterator[tuple[str, object]]:
    for entry in sorted(os.scandir(place), key=lambda entry: entry.name):
        name = os.path.relpath(entry.path, root)
        info = entry.stat(follow_symlinks=False)
        content: object = None
        if entry.is_symlink():
            content = Path(entry.path).readlink()
        elif entry.is_file(follow_symlinks=False):
            content = Path(entry.path).read_bytes()
        yield name, (info.st_ino, info.st_mode, content)
        if entry.is_dir(follow_symlinks=False):
            yield from _found(root, Path(entry.path))


Setup = Callable[[Path], object]
