"""Linked worktrees of git: which folder they belong to, read without running git."""

from __future__ import annotations

import os

from gatepost.files.git_head import first_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_POINTER: Final = "gitdir: "


class LinkedWorktree:
    """A worktree by git's name for it, and the folder of the repository that it was made from."""

    __slots__ = ("main", "name")

    def __init__(self, name: str, main: str) -> None:
        self.name = name
        self.main = main


def linked_worktree(root: str) -> LinkedWorktree | None:
    """The linked worktree at a folder. None for a repository's main folder, a submodule, and outside git.

    The folder's own word is not enough, because anyone may have sent it: the repository must list it as a worktree.
    A repository whose folder is not called `.git` has no main folder.
    """
    pointer = os.path.join(root, ".git")
    said = first_line(pointer)
    if said is None or not said.startswith(_POINTER) or "\0" in said:
        return None
    own = os.path.realpath(os.path.join(root, said.removeprefix(_POINTER)))
    shared, back = first_line(os.path.join(own, "commondir")), first_line(os.path.join(own, "gitdir"))
    if shared is None or back is None or "\0" in shared + back:
        return None
    repository = os.path.realpath(os.path.join(own, shared))
    known = os.path.dirname(own) == os.path.join(repository, "worktrees")
    # The pointer itself is not followed if it is a link: it could point to another worktree's.
    leads_back = _at(os.path.join(own, back)) == _at(pointer)
    if not (known and leads_back and os.path.basename(repository) == ".git"):
        return None
    return LinkedWorktree(os.path.basename(own), os.path.dirname(repository))


def _at(path: str) -> str:
    """A path whose folders are resolved, and whose last name is not."""
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder), name)
