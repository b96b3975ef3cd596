"""Judges paths and patterns as they are written."""

from __future__ import annotations

from gatepost.domain.protected_names import HOME, PACKAGE, closed, folded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Match
    from typing import Final

WILD: Final = frozenset("*?[")
MOST_SPELLINGS: Final = 64
LONGEST: Final = 4096

_HOME_EVIDENCE: Final = HOME[:3]
_TEMPLATES: Final = "templates"


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


def unescaped(text: str) -> str:
    """A text of `$'…'` or of git's quoted names without its numeric escapes."""
    import re

    return re.sub(r"\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3}))", _character, text)


def _character(escape: Match[str]) -> str:
    return chr(int(escape[1], 16) if escape[1] else int(escape[2], 8))


def _readings(pattern: str) -> tuple[str, ...]:
    """A backslash may separate folders or escape the next character: try both."""
    return (pattern,) if "\\" not in pattern else (pattern.replace("\\", "/"), pattern.replace("\\", ""))


def spellings(pattern: str) -> Iterator[str]:
    """The pattern with its braces expanded; beyond the limit, a brace becomes `*`."""
    import re

    if len(pattern) > LONGEST:
        yield from pattern.replace("{", ",").replace("}", ",").split(",")
        return
    # Python's patterns have no named classes.
    waiting, given = [re.sub(r"\[\[:\w+:\]\]", "?", pattern)], 0
    while waiting:
        text = waiting.pop()
        group = re.search(r"\{([^{}]*(?:,|\.\.)[^{}]*)\}", text)
        if group is None:
            given += 1
            yield text
            continue
        choices = group[1].split(",") if "," in group[1] else ["?"]
        if given + len(waiting) + len(choices) > MOST_SPELLINGS:
            choices = ["*"]
        waiting += [text[: group.start()] + choice + text[group.end() :] for choice in choices]


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
