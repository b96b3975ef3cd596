"""Git's HEAD, read from its files without running git: whether a checkout, pull or merge came between two looks."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_LONGEST: Final = 4_096
_DEEPEST: Final = 5
"""How often a symbolic ref may name another one."""
_UNDER_WAY: Final = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD")


def head_of(root: str) -> str | None:
    """The commit that is checked out in the folder of a project, what is being merged into it, and how long the log
    of HEAD's moves is: who goes to another commit and comes back has moved too.

    None outside of git. A branch without a commit gives the branch's name; refs in git's newer format, which is not
    read here, give the name of their newest table.
    """
    folder = _git_folder(root)
    return None if folder is None else f"{_commits(folder)}@{_moves(folder)}"


def commits_of(root: str) -> str:
    """The same without the moves: a stash moves HEAD to where it is. Empty outside of git."""
    folder = _git_folder(root)
    return "" if folder is None else _commits(folder)


def _commits(folder: str) -> str:
    head = _resolved(folder, _line(os.path.join(folder, "HEAD")) or "")
    under_way = (_line(os.path.join(folder, name)) for name in _UNDER_WAY)
    return "+".join((head, *(commit for commit in under_way if commit)))


def _moves(folder: str) -> int:
    try:
        return os.stat(os.path.join(folder, "logs", "HEAD")).st_size
    except OSError:
        return 0


def _git_folder(root: str) -> str | None:
    """The repository's folder for this working tree: `.git`, or where a file of that name leads."""
    folder = os.path.abspath(root)
    while True:
        found = os.path.join(folder, ".git")
        if os.path.isdir(found):
            return found
        told = _line(found)
        if told is not None and told.startswith("gitdir: "):
            return os.path.join(folder, told.removeprefix("gitdir: "))
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def _resolved(folder: str, head: str) -> str:
    # A linked worktree has its own HEAD; its branches are those of the main repository.
    common = _line(os.path.join(folder, "commondir"))
    shared = folder if common is None else os.path.join(folder, common)
    for _ in range(_DEEPEST):
        if not head.startswith("ref: "):
            return head
        name = head.removeprefix("ref: ")
        found = _line(os.path.join(folder, name)) or _line(os.path.join(shared, name)) or _packed(shared, name)
        if found is None:
            return _line(os.path.join(shared, "reftable", "tables.list"), last=True) or name
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


def _line(path: str, *, last: bool = False) -> str | None:
    """The first line of a small file, or the last one; none if there is no such file."""
    try:
        with open(path, "rb") as file:
            read = file.read(_LONGEST)
    except OSError:
        return None
    lines = read.decode("utf-8", "replace").split("\n")
    return (lines[-2] if last and len(lines) > 1 else lines[0]).strip()
