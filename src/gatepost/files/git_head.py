"""Git's HEAD, read without running git, to notice a checkout, pull or merge between two checks."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_LONGEST: Final = 4_096
_DEEPEST: Final = 5
"""How many symbolic refs may follow one another."""
_ID_LENGTHS: Final = (40, 64)
"""Of a commit in SHA-1 and in SHA-256 repositories."""
_UNDER_WAY: Final = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD")


def head_of(root: str) -> str | None:
    """The checked-out commit of a project, the merge in progress, and the length of HEAD's reflog.

    The reflog shows that HEAD moved away and back.

    None outside git. A branch without a commit gives the branch's name. Refs in the reftable format, which is not
    read here, give the name of their newest table.
    """
    folder = git_folder(root)
    return None if folder is None else f"{_commits(folder)}@{_moves(folder)}"


def commits_of(root: str) -> str:
    """The same without the reflog, since a stash moves HEAD to where it is. Empty outside git."""
    folder = git_folder(root)
    return "" if folder is None else _commits(folder)


def commit_of(root: str) -> str | None:
    """The checked-out commit alone. None outside git, without a commit, and for refs that are not read here."""
    found = commits_of(root).partition("+")[0]
    return found if len(found) in _ID_LENGTHS and not found.strip("0123456789abcdef") else None


def git_folder(root: str) -> str | None:
    """The repository's folder for this working tree: `.git`, or the target of a file of that name."""
    folder = os.path.abspath(root)
    while True:
        found = os.path.join(folder, ".git")
        if os.path.isdir(found):
            return found
        pointer = first_line(found)
        if pointer is not None and pointer.startswith("gitdir: "):
            return os.path.join(folder, pointer.removeprefix("gitdir: "))
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def shared_folder(folder: str) -> str:
    """The main repository's folder: a linked worktree has its own HEAD and index, but shares branches and rules."""
    common = first_line(os.path.join(folder, "commondir"))
    return folder if common is None else os.path.join(folder, common)


def _commits(folder: str) -> str:
    head = _resolved(folder, first_line(os.path.join(folder, "HEAD")) or "")
    under_way = (first_line(os.path.join(folder, name)) for name in _UNDER_WAY)
    return "+".join((head, *(commit for commit in under_way if commit)))


def _moves(folder: str) -> int:
    try:
        return os.stat(os.path.join(folder, "logs", "HEAD")).st_size
    except OSError:
        return 0


def _resolved(folder: str, head: str) -> str:
    shared = shared_folder(folder)
    for _ in range(_DEEPEST):
        if not head.startswith("ref: "):
            return head
        name = head.removeprefix("ref: ")
        found = (
            first_line(os.path.join(folder, name))
            or first_line(os.path.join(shared, name))
            or _packed(shared, name)
        )
        if found is None:
            return first_line(os.path.join(shared, "reftable", "tables.list"), last=True) or name
        head = found
    return head


def _packed(folder: str, name: str) -> str | None:
    try:
        with open(os.path.join(folder, "packed-refs"), encoding="utf-8", errors="replace") as file:
            for line in file:
                commit, _, ref = line.rstrip("\n").partition(" ")
                if ref == name:
                    return commit
    except OSError:
        return None
    return None


def first_line(path: str, *, last: bool = False) -> str | None:
    """The first line of a small file, or the last one; None if it is missing or is no file."""
    try:
        # A pipe in its place must not block.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            read = file.read(_LONGEST) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except (OSError, ValueError):
        return None
    if read is None:
        return None
    lines = read.decode("utf-8", "replace").split("\n")
    return (lines[-2] if last and len(lines) > 1 else lines[0]).strip()
