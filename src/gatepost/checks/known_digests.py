"""The digests of covered files that this process worked out, for as long as nothing that matters has changed.

A digest follows from the covered files, the folders in which one could appear, and the rules that git has read. If
none of them has another time, size or inode than before, git need not be asked.
"""

import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain, islice
from typing import Final, NamedTuple

from gatepost.checks import git_attributes
from gatepost.checks.blob_ids import SETTLED_NS
from gatepost.checks.covered_files import Covers
from gatepost.checks.git_files import EXCLUDES_FILE, Listing
from gatepost.domain.protected_names import closed
from gatepost.files import ignore, no_follow
from gatepost.files.git_head import git_folder, shared_folder
from gatepost.files.ignore import IgnoreFileTooLarge, Rules

MOST_WATCHED: Final = 20_000
"""Files and folders for all digests: about 8 MB."""

Signature = tuple[int, ...] | None
"""Of a file or folder. None if there is none. Nobody can set a ctime, so no edit leaves a signature as it was."""
_unsure_rule = re.compile(rb"^!.*\[", re.MULTILINE)
"""A line that takes files back in, and that git may read in another way than we do."""


class Moment(NamedTuple):
    """When a look at the tree began, and the rules outside of it then."""

    at_ns: int
    rules: Mapping[str, Signature]


class _Known(NamedTuple):
    digest: str
    excludes: str | None
    rules: Mapping[str, Signature]
    watched: Mapping[str, Signature]


class _Unsure(Exception):
    """A change could go unnoticed, or there is too much to watch."""


class KnownDigests:
    """Remembers a few digests of the files below a folder."""

    def __init__(self, root: str) -> None:
        self._root = root
        # Never changed, only replaced: other threads may read it.
        self._known: Mapping[tuple[str, ...], _Known] = {}

    def of(self, covers: tuple[str, ...], seen: dict[str, Signature]) -> str | None:
        """The digest, if it is known and nothing has changed. `seen` is what this view has looked at so far."""
        known = self._known.get(covers)
        if known is None or known.rules != _rules(self._root, known.excludes):
            return None
        for path, signature in known.watched.items():
            if path not in seen:
                seen[path] = _signature(path)
            if seen[path] != signature:
                return None
        return known.digest

    def begin(self) -> Moment:
        """Call it before the look at the tree that gives a digest."""
        return Moment(time.time_ns(), _rules(self._root, None))

    def remember(self, covers: Covers, covered: list[str], digest: str, listing: Listing, began: Moment) -> None:
        """Keep the digest of the covered files, unless a change since `began` could go unnoticed."""
        with suppress(_Unsure, IgnoreFileTooLarge, OSError):
            excludes = _excludes(self._root, listing)
            rules = dict(began.rules) | ({excludes: _signature(excludes, follow=True)} if excludes else {})
            watched: dict[str, Signature] = {}
            for signature in rules.values():
                _settle(signature, began)
            for path in chain(_files(self._root, covered, listing), _folders(self._root, listing, covers)):
                watched[path] = signature = _signature(path)
                _settle(signature, began)
                if len(watched) > MOST_WATCHED:
                    raise _Unsure
            self._keep(covers.patterns, _Known(digest, excludes, rules, watched))

    def _keep(self, covers: tuple[str, ...], known: _Known) -> None:
        """The newest ones, as many as may be watched."""
        left = MOST_WATCHED - len(known.watched)
        self._known = {covers: known} | {
            patterns: other
            for patterns, other in self._known.items()
            if patterns != covers and (left := left - len(other.watched) - len(other.rules)) >= 0
        }


def _settle(signature: Signature, began: Moment) -> None:
    if signature is not None and began.at_ns - max(signature[:2]) <= SETTLED_NS:
        raise _Unsure


def _signature(path: str, *, follow: bool = False) -> Signature:
    try:
        it = os.stat(path, follow_symlinks=follow)
    except OSError:
        return None
    return it.st_ctime_ns, it.st_mtime_ns, it.st_size, it.st_ino, it.st_dev, it.st_mode


def _rules(root: str, excludes: str | None) -> dict[str, Signature]:
    """What git reads besides the tree: its index, its settings, and what the folders above ignore."""
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    paths = ["/etc/gitconfig", os.path.expanduser("~/.gitconfig"), f"{config}/git/config", f"{config}/git/ignore"]
    folder = git_folder(root)
    if folder is not None:
        shared = shared_folder(folder)
        paths += [f"{folder}/index", f"{folder}/config.worktree"]
        paths += [f"{shared}/config", f"{shared}/info/exclude", f"{shared}/info/attributes"]
        above = root
        while above != (above := os.path.dirname(above)):
            paths.append(os.path.join(above, ignore.FILE))
    if excludes is not None:
        paths.append(excludes)
    return {path: _signature(path, follow=True) for path in paths}


def _excludes(root: str, listing: Listing) -> str | None:
    """The file that the setting names, if there is one."""
    named = listing.settings.get(EXCLUDES_FILE)
    file = None if named is None else os.path.expanduser(named)
    included = any(name.startswith("include") for name in listing.settings)
    if included or (file and not (os.path.isabs(file) and os.path.exists(file))):
        raise _Unsure
    if listing.folder is None and git_folder(root) is not None:
        # Git said nothing of its settings.
        raise _Unsure
    return file or None


def _files(root: str, covered: list[str], listing: Listing) -> Iterator[str]:
    """The covered files. A submodule counts by its commit, which is in no single file."""
    if len(covered) > MOST_WATCHED or any((it := listing.files[path]) and it.is_submodule for path in covered):
        raise _Unsure
    return (f"{root}/{path}" for path in covered)


def _folders(root: str, listing: Listing, covers: Covers) -> Iterator[str]:
    """The folders where a covered file could appear, and the rules in them."""
    listed = {folder for path in listing.files for folder in _above(path)}
    waiting: list[tuple[str, Rules | None]] = [("", None)]
    while waiting:
        folder, rules = waiting.pop()
        place = f"{root}/{folder}"
        yield place
        with os.scandir(place) as entries:
            found = {entry.name: entry for entry in islice(entries, MOST_WATCHED + 1)}
        if len(found) > MOST_WATCHED:
            raise _Unsure
        yield from (f"{place}{name}" for name in (ignore.FILE, git_attributes.FILE) if name in found)
        if folder and ignore.GIT in found:
            # A repository of its own. Its files count as soon as it is none any more.
            head = f"{git_folder(place)}/HEAD"
            yield head
            if folder not in listed and os.path.exists(head):
                continue
        rules = _inside(place, folder.count("/"), rules) if ignore.FILE in found else rules
        for entry in found.values():
            path = f"{folder}{entry.name}/"
            if entry.name != ignore.GIT and entry.is_dir(follow_symlinks=False) and covers.may_be_in(path[:-1]):
                ignored = rules is not None and rules.ignores(path[:-1].split("/"), directory=True)
                if path in listed or not (ignored or closed(path[:-1])):
                    waiting.append((path, rules))


def _above(path: str) -> Iterator[str]:
    at = path.find("/")
    while at >= 0:
        yield path[: at + 1]
        at = path.find("/", at + 1)


def _inside(place: str, depth: int, above: Rules | None) -> Rules:
    """The rules with those of a folder. Raises if git might ignore less than they do."""
    data = no_follow.read(None, f"{place}{ignore.FILE}", ignore.MAX_BYTES + 1)
    if _unsure_rule.search(data):
        raise _Unsure
    return Rules(data, depth, above)
