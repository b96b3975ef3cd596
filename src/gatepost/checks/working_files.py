"""The contents of a working tree, as ids: from git's index where it vouches for a file, else from its bytes."""

import os
import stat
from collections.abc import Iterable
from typing import Final, NamedTuple

from gatepost.checks.blob_ids import BlobIds
from gatepost.checks.git_attributes import converted
from gatepost.checks.git_files import Listing, Tracked, Unknown
from gatepost.files.git_head import commit_of
from gatepost.files.paths import shown

MOST_FILES: Final = 20_000
MOST_BYTES: Final = 256 * 2**20
"""How much is read for one answer. Files that git vouches for are not read."""

_LINK, _PROGRAM, _PLAIN = "120000", "100755", "100644"


class _Look(NamedTuple):
    """A file as it is. Without a `blob`, it must be read. `vouched`: git says that it is as in the index."""

    mode: str
    blob: str | None
    seen: os.stat_result | None
    vouched: bool


class WorkingFiles:
    """Looks at each file of a listing at most once."""

    def __init__(self, root: str, listing: Listing, blob_ids: BlobIds) -> None:
        self.listing = listing
        self._root = root
        self._converted = converted(root, listing)
        self._blob_ids = blob_ids
        self._algorithm = listing.settings.get("extensions.objectformat", "sha1")
        self._folders = {"": True}
        self._looks: dict[str, _Look | None] = {}

    def contents(self, paths: Iterable[str]) -> dict[str, tuple[str, str]]:
        """The mode and git blob id of each file that exists. Raises `Unknown` if they cannot all be read."""
        looks = {path: look for path in paths if (look := self._look(path)) is not None}
        unread = [look.seen.st_size for look in looks.values() if look.blob is None and look.seen is not None]
        # Files that are remembered count too, so that the answer does not depend on what was asked before.
        if len(unread) > MOST_FILES or sum(unread) > MOST_BYTES:
            raise Unknown(
                f"More than {MOST_FILES:,} files or {MOST_BYTES // 2**20} MiB would have to be read. "
                "Commit them, ignore them in .gitignore, or let the check cover fewer files."
            )
        found = {path: (look.mode, self._id(path, look)) for path, look in looks.items()}
        return {path: (mode, blob) for path, (mode, blob) in found.items() if blob is not None}

    def differ_from_index(self) -> bool | None:
        """Whether a file is untracked, or not as git's index has it. None if only git could tell, by converting."""
        files, found = self.listing.files, self.contents(self.listing.files)
        modes_count = self.listing.settings.get("core.filemode") != "false"
        unsure = False
        for path, tracked in files.items():
            look, content = self._look(path), found.get(path)
            if tracked is None or look is None or content is None:
                return True
            if modes_count and content[0] != tracked.mode:
                return True
            if not look.vouched and content[1] != tracked.blob:
                if not self._converted(path):
                    return True
                unsure = True
        return None if unsure else False

    def _id(self, path: str, look: _Look) -> str | None:
        if look.blob is not None or look.seen is None:
            return look.blob
        return self._blob_ids.of(path, look.seen, self._algorithm)

    def _look(self, path: str) -> _Look | None:
        if path not in self._looks:
            self._looks[path] = self._fresh_look(path, self.listing.files[path])
        return self._looks[path]

    def _fresh_look(self, path: str, tracked: Tracked | None) -> _Look | None:
        """None if there is no such file."""
        if tracked is not None and tracked.is_submodule:
            return _Look(tracked.mode, self._checked_out(path) or tracked.blob, None, vouched=False)
        seen = self._seen(path)
        if seen is None:
            # A sparse checkout leaves files out without changing them.
            return _Look(tracked.mode, tracked.blob, None, vouched=True) if tracked and tracked.sparse else None
        vouched = tracked is not None and self.listing.vouches_for(tracked, seen)
        blob = tracked.blob if tracked and vouched and not self._converted(path) else None
        return _Look(_mode(seen), blob, seen, vouched)

    def _checked_out(self, submodule: str) -> str | None:
        folder = os.path.join(self._root, submodule)
        # Without a repository of its own, the commit found there would be ours.
        return commit_of(folder) if os.path.lexists(os.path.join(folder, ".git")) else None

    def _seen(self, path: str) -> os.stat_result | None:
        """A file or link that is reached through no link."""
        folder = path.rpartition("/")[0]
        if folder not in self._folders:
            above = ""
            for name in folder.split("/"):
                inside, above = above, f"{above}/{name}" if above else name
                if above not in self._folders:
                    found = self._stat(above) if self._folders[inside] else None
                    self._folders[above] = found is not None and stat.S_ISDIR(found.st_mode)
        seen = self._stat(path) if self._folders[folder] else None
        return seen if seen is not None and (stat.S_ISREG(seen.st_mode) or stat.S_ISLNK(seen.st_mode)) else None

    def _stat(self, path: str) -> os.stat_result | None:
        try:
            return os.lstat(f"{self._root}/{path}")
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise Unknown(f"{shown((path,))} cannot be read: {error.strerror}.") from error


def _mode(seen: os.stat_result) -> str:
    """What kind of file git would take it for."""
    if stat.S_ISLNK(seen.st_mode):
        return _LINK
    return _PROGRAM if seen.st_mode & stat.S_IXUSR else _PLAIN
