"""Which files the patterns of a check cover."""

from collections.abc import Iterable, Iterator

from gatepost.checks.git_files import Unknown
from gatepost.domain.refusals import Refusal
from gatepost.files.patterns import Glob, compiled


class Covers:
    """The files that match one of the patterns, or lie in a folder that one names. Without patterns, all files."""

    def __init__(self, patterns: tuple[str, ...]) -> None:
        try:
            self._patterns = [(compiled(pattern), _names_one(pattern)) for pattern in patterns or ("**",)]
        except Refusal as refusal:
            raise Unknown(f"The patterns of covered files are not valid: {refusal}") from refusal
        self.patterns = patterns

    def among(self, paths: Iterable[str]) -> Iterator[str]:
        """The paths that are covered."""
        if not self.patterns:
            yield from paths
            return
        folders: dict[str, tuple[Glob, ...]] = {}
        for path in paths:
            folder, _, name = path.rpartition("/")
            left = folders.get(folder)
            if left is None:
                left = folders[folder] = self._below(folder)
            if any(glob.step(name).matches for glob in left):
                yield path

    def may_be_in(self, folder: str) -> bool:
        """Whether a file in a folder, or deeper, could be covered."""
        return any(glob.goes_on for glob in self._below(folder))

    def _below(self, folder: str) -> tuple[Glob, ...]:
        return tuple(_below(folder, *pattern) for pattern in self._patterns)


def _names_one(pattern: str) -> bool:
    """Whether the last segment of a pattern is a name: then it can be a folder's."""
    return not any(sign in pattern.rstrip("/").rpartition("/")[2] for sign in "*?[")


def _below(folder: str, pattern: Glob, names_one: bool) -> Glob:  # noqa: FBT001 - goes with the pattern
    """What is left of a pattern in a folder."""
    for name in folder.split("/") if folder else ():
        pattern = pattern.step(name)
        if names_one and pattern.matches:
            return compiled("**")
    return pattern
