"""The checks of a project: what a person trusts, run below the project's root, on its source tree."""

from __future__ import annotations

import functools
import os

TYPE_CHECKING = False
if TYPE_CHECKING:  # every start comes through here, and few run a check
    from collections.abc import Callable

    from gatepost.checks.source_tree import SourceTree
    from gatepost.domain.checkpoints import TreeMark
    from gatepost.domain.checks import Check
    from gatepost.domain.refusals import Refusal
    from gatepost.engine.checks import Cancellation, CheckRun, Said, Trees


class ProjectChecks:
    """The checks of the project at `root`. `store` is the file of its store, which is no part of its tree.

    A server that many can reach `runs` commands only if it was started so.
    """

    def __init__(self, root: str, store: str | None = None, *, runs: bool = True) -> None:
        self._root = root
        self._store = store
        self._runs = runs

    def refused(self, check: Check) -> Refusal | None:
        """Why a check may not run, or None if it may."""
        from gatepost.checks.trust import Trust
        from gatepost.domain.proof_refusals import NotTrusted

        if not self._runs:
            return NotTrusted(
                f"`{check.line}` was not run: this server runs no commands.",
                "Ask the user to run `gatepost check` in the project, or to start the server with --run-checks.",
            )
        return Trust(self._root).refused(check.run)

    def mark(self, covers: tuple[str, ...]) -> TreeMark:
        """The source tree as it is now, and which folder it is in."""
        from msgspec.structs import replace

        from gatepost.files.worktrees import linked_worktree

        linked = linked_worktree(self._root)
        name = None if linked is None else linked.name
        return replace(self._tree.mark(covers), worktree=self._worktree, linked=name)

    def run(self, check: Check, said: Said | None = None, cancelled: Cancellation | None = None) -> CheckRun:
        """Run a check under its limits."""
        from gatepost.checks import runner

        return runner.run(check, self._root, said, cancelled=cancelled)

    def trees(self) -> Trees:
        """The source tree, for one view."""
        return OwnTrees(self._worktree, self._tree)

    @functools.cached_property
    def _worktree(self) -> str:
        """The folder's name, and a hash of its path: two folders of one name differ, and no path is stored."""
        from hashlib import sha256

        path = os.path.realpath(self._root)
        return f"{os.path.basename(path)}:{sha256(os.fsencode(path)).hexdigest()[:8]}"

    @functools.cached_property
    def _tree(self) -> SourceTree:
        from gatepost.checks.source_tree import SourceTree

        return SourceTree(self._root, self._store)


class OwnTrees:
    """Judges the proofs that were made in one folder. Those of other folders cannot be judged: they stay fresh."""

    def __init__(self, worktree: str, tree: SourceTree) -> None:
        self._worktree = worktree
        self._now: Callable[[], Trees] = functools.cache(tree.now)

    def is_stale(self, covers: tuple[str, ...], mark: TreeMark) -> bool:
        """Whether a file that a proof covers has changed since."""
        return mark.worktree in (None, self._worktree) and self._now().is_stale(covers, mark)
