"""The source tree that proofs are about: its mark, and whether files that a proof covers have changed since.

A proof ages by content alone: a commit, a checkout and back, or a touch changes no digest.
"""

import hashlib
import os
from collections.abc import Callable, Iterator
from typing import TypeVar

from gatepost.checks.blob_ids import BlobIds
from gatepost.checks.covered_files import Covers
from gatepost.checks.git_files import Listing, Unknown, listed, staged
from gatepost.checks.known_digests import KnownDigests, Moment, Signature
from gatepost.checks.working_files import MOST_FILES, WorkingFiles
from gatepost.domain.checkpoints import TreeMark
from gatepost.domain.protected_names import closed
from gatepost.domain.refusals import Refusal
from gatepost.files.git_head import commit_of
from gatepost.files.host import HostFilesystem
from gatepost.files.paths import named

T = TypeVar("T")


class SourceTree:
    """A project's folder. Gatepost's own files in it never count, nor does `store`, the file of its store."""

    def __init__(self, root: str, store: str | None = None) -> None:
        self._root = os.path.abspath(root)
        self._store = None if store is None else os.path.relpath(store, self._root)
        self._blob_ids = BlobIds(self._root)
        self.digests = KnownDigests(self._root)

    def now(self) -> "TreeState":
        """The tree for one view. It is not looked at before the first proof is judged."""
        return TreeState(self)

    def mark(self, covers: tuple[str, ...]) -> TreeMark:
        """The tree as it is now, for a proof about the files that the patterns name; without any, about all."""
        state = self.now()
        return TreeMark(digest=state.digest(covers), commit=state.commit, dirty=state.dirty)

    def files(self) -> WorkingFiles:
        """The files that count. Asks git once, or walks through a folder that is not in git."""
        listing = listed(self._root)
        if listing is None or not listing.files:
            # A folder that a repository above ignores is not in git either.
            listing = Listing(dict.fromkeys(_walked(self._root)))
        own = {path: tracked for path, tracked in listing.files.items() if self._counts(path)}
        return WorkingFiles(self._root, listing._replace(files=own), self._blob_ids)

    def commit(self) -> str | None:
        """The commit that is checked out."""
        return commit_of(self._root)

    def has_staged(self) -> bool:
        """Whether git's index differs from the commit."""
        return any(map(self._counts, staged(self._root)))

    def _counts(self, path: str) -> bool:
        stored = self._store is not None and (path == self._store or path.startswith(f"{self._store}-"))
        return not (stored or closed(path))


class TreeState:
    """The tree as it is now. Asks git at most once, and not for what is known; makes each digest once.

    What cannot be known is none. Then `problem` says why.
    """

    def __init__(self, tree: SourceTree) -> None:
        self.problem: str | None = None
        self._tree = tree
        self._files: WorkingFiles | Unknown | None = None
        self._began: Moment | None = None
        self._seen: dict[str, Signature] = {}
        self._digests: dict[tuple[str, ...], str | None] = {}

    def is_stale(self, covers: tuple[str, ...], mark: TreeMark) -> bool:
        """Whether a covered file has changed since the mark. What is unknown is not stale."""
        return mark.digest is not None and self.digest(covers) not in (None, mark.digest)

    def digest(self, covers: tuple[str, ...]) -> str | None:
        """The SHA-256 over the path, mode and id of each covered file."""
        if covers not in self._digests:
            self._digests[covers] = self._tree.digests.of(covers, self._seen) or self._known(
                lambda files: self._worked_out(files, Covers(covers))
            )
        return self._digests[covers]

    def _worked_out(self, files: WorkingFiles, covers: Covers) -> str:
        covered = list(covers.among(files.listing.files))
        lines = [f"{path}\0{mode} {blob}\n" for path, (mode, blob) in sorted(files.contents(covered).items())]
        digest = hashlib.sha256(os.fsencode("".join(lines))).hexdigest()
        if self._began is not None:
            self._tree.digests.remember(covers, covered, digest, files.listing, self._began)
        return digest

    @property
    def commit(self) -> str | None:
        """The commit that is checked out, if the tree is in git."""
        return self._known(lambda files: self._tree.commit() if files.listing.folder else None)

    @property
    def dirty(self) -> bool | None:
        """Whether the tree differs from its commit. Untracked files count. None without git."""
        return self._known(self._is_dirty)

    def _is_dirty(self, files: WorkingFiles) -> bool | None:
        if files.listing.folder is None:
            return None
        if self._tree.commit() is None:
            return bool(files.listing.files)
        differ = files.differ_from_index()
        if differ or self._tree.has_staged():
            return True
        return differ  # False, or None if only git could tell

    def _known(self, asked: Callable[[WorkingFiles], T | None]) -> T | None:
        """The answer, or none with a problem. A git that does not answer is not asked again."""
        try:
            if self._files is None:
                self._began = self._tree.digests.begin()
                self._files = self._tree.files()
            return None if isinstance(self._files, Unknown) else asked(self._files)
        except Unknown as why:
            self._files = self._files or why
            self.problem = str(why)
            return None


def _walked(root: str) -> Iterator[str]:
    """The files and folders below a folder that is not in git, without what `.gitignore` files name."""
    try:
        with HostFilesystem(root, read_only=True) as files:
            found = files.glob("**", limit=MOST_FILES + 1)
    except Refusal as refusal:
        raise Unknown(f"The folder cannot be read: {refusal}") from refusal
    if len(found) > MOST_FILES:
        raise Unknown(f"The folder is not in git and has more than {MOST_FILES:,} files.")
    return map(named, found)
