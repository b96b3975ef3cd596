"""Judges paths and patterns as written, without access to the disk."""

from __future__ import annotations

from gatepost.domain.protected_names import HOME, PACKAGE, closed, folded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

WILD: Final = frozenset("*?[")
MOST_SPELLINGS: Final = 64
LONGEST: Final = 4096

_HOME_EVIDENCE: Final = HOME[:3]
_TEMPLATES: Final = "templates"


class WrittenPaths:
    """The same questions as `Ground` answers, without the disk.

    It never objects where `Ground` would not.
    """

    def __init__(self, cwd: str) -> None:
        self.cwd = cwd

    def moved(self, _path: str) -> WrittenPaths:
        """The working directory makes no difference here."""
        return self

    def knows_as_remote(self, text: str) -> bool:
        """Whether a text looks like a web address."""
        return is_remote(text)

    def is_elsewhere(self, path: str) -> bool:
        """Whether only the disk can tell that a path stays in the project."""
        return starts_elsewhere(path)

    def leads_inside(self, path: str) -> bool:
        """Whether a path names something closed."""
        return names_closed(path) and not starts_elsewhere(path)

    def expands_inside(self, pattern: str, *, last: bool) -> bool:
        """Whether a pattern matches something closed; without `last`, something inside it."""
        return pattern_names_closed(pattern, last=last) and not starts_elsewhere(pattern)


def names_closed(path: str) -> bool:
    """Whether a segment of a path is closed, as written."""
    return any(closed(segment) for segment in without_templates(path.split("/")))


def without_templates(segments: list[str]) -> list[str]:
    """The segments of a path, without a `.gatepost` that leads to `templates`: those are the user's files."""
    if HOME not in segments or ".." in segments:
        return segments
    following = [*segments[1:], ""]
    return [name for name, after in zip(segments, following, strict=True) if (name, after) != (HOME, _TEMPLATES)]


def starts_elsewhere(path: str) -> bool:
    """Whether a path may leave the working directory."""
    return path.startswith(("/", "~", "..")) or "/.." in path or path[:5].casefold() == "file:"


def is_remote(text: str) -> bool:
    """Whether a text is the address of something that is not on disk."""
    scheme, is_address, _ = text.partition("://")
    return bool(is_address) and scheme[:1].isalpha() and scheme.isalnum() and scheme.casefold() != "file"


def is_wild(text: str) -> bool:
    """Whether a text contains wildcards."""
    return not WILD.isdisjoint(text)


def pattern_names_closed(pattern: str, *, last: bool = True) -> bool:
    """Whether a glob pattern matches something closed; without `last`, something inside it.

    `*.tsk` does, and so does `a.ts?/goals.md`, since no folder is called `a.tsx`; but `src/*.ts?` matches sources.
    """
    for spelling in spellings(pattern):
        plain = folded(spelling).replace("[^", "[!")
        for reading in _readings(plain):
            *folders, end = without_templates(reading.split("/"))
            if any(_wild_closed(folder, loosely=True) for folder in folders):
                return True
            if last and _wild_closed(end, loosely=False):
                return True
    return False


def _readings(pattern: str) -> tuple[str, ...]:
    """A backslash may separate folders or escape the next character: try both."""
    return (pattern,) if "\\" not in pattern else (pattern.replace("\\", "/"), pattern.replace("\\", ""))


def spellings(pattern: str) -> Iterator[str]:
    """The pattern with its braces expanded; beyond the limit, a brace becomes `*`."""
    if len(pattern) > LONGEST:
        yield from pattern.replace("{", ",").replace("}", ",").split(",")
        return
    waiting, given = [_without_classes(pattern)], 0
    while waiting:
        text = waiting.pop()
        group = _innermost(text)
        if group is None:
            given += 1
            yield text
            continue
        start, end, choices = group
        if given + len(waiting) + len(choices) > MOST_SPELLINGS:
            choices = ["*"]
        waiting += [text[:start] + choice + text[end:] for choice in choices]


def _without_classes(pattern: str) -> str:
    """`[[:alpha:]]` as `?`, since Python's patterns have no named classes."""
    if "[[:" not in pattern:
        return pattern
    import re

    return re.sub(r"\[\[:\w+:\]\]", "?", pattern)


def _innermost(text: str) -> tuple[int, int, list[str]] | None:
    """The first innermost brace group: its position and its choices."""
    start = -1
    for index, sign in enumerate(text):
        if sign == "{":
            start = index
        elif sign == "}" and start >= 0:
            inner = text[start + 1 : index]
            if "," in inner:
                return start, index + 1, inner.split(",")
            if ".." in inner:
                return start, index + 1, ["?"]
            start = -1
    return None


def _wild_closed(segment: str, *, loosely: bool) -> bool:
    """Whether a pattern for one name matches a closed one. A lone `*` does not count."""
    if not is_wild(segment):
        return closed(segment)
    from fnmatch import fnmatchcase

    if segment.startswith(_HOME_EVIDENCE) and fnmatchcase(HOME, segment):
        return True
    return any(
        _shows(tail, loosely=loosely) and fnmatchcase(PACKAGE, tail)
        for tail in (segment[start:].rstrip(". ") for start in range(max(0, len(segment) - 40), len(segment)))
    )


def _shows(tail: str, *, loosely: bool) -> bool:
    """Whether a pattern for `.tsk` contains enough of its letters."""
    if not loosely:
        return "*" not in tail and "?" not in tail
    return "." in tail and any(letter in tail for letter in "tsk")
