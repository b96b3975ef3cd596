"""What `.gitignore` files exclude, by git's rules. pathspec parses them; RE2 matches them in linear time."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

FILE: Final = ".gitignore"
GIT: Final = ".git"
EXCLUDE: Final = (GIT, "info", "exclude")
"""A repository's own rules. Those of any `.gitignore` take precedence."""

MAX_BYTES: Final = 65_536
MAX_RULES: Final = 1_000

_rare_class = re.compile(r"(?<!\\)\[(?:[!^]\]|[^]]*[\\[/])")
"""Characters in brackets that pathspec reads differently from git. Such a line is ignored."""
_negated_class = re.compile(r"(?<!\\)\[[!^]([^]]+)\]")
_directory_mark = re.compile(r"(?:(?<!\\)( ))?/ *$")
_many_stars = re.compile(r"\*{3,}")
"""The same as two for git."""
_last_tab = re.compile(r"\t(?=/? *$)")
"""Part of the name. Pathspec would strip it like a space."""
_inside_only = re.compile(r"/\*\*(?= *$)")
"""At the end of a line this means the contents of a directory. Pathspec would include the directory."""

_stars_after_text = re.compile(r"(!?+)/?([^*?[\\]*[^*?[\\/])\*\*/(.+)")
"""Git compares the text before the first wildcard apart, so that `a**/b` also means `ab`."""


class IgnoreFileTooLarge(Exception):
    """A `.gitignore` that is too large to apply, so nothing below it can be judged."""


class Rules:
    """The rules for a directory: its own, then those of its parents."""

    __slots__ = ("_above", "_depth", "_matching", "_rules")

    def __init__(self, data: bytes, depth: int, above: "Rules | None" = None) -> None:
        """`data` is the file's content, `depth` the number of segments to its directory."""
        self._rules, self._matching = _parsed(data)
        self._depth = depth
        self._above = above

    def ignores(self, path: Sequence[str], *, directory: bool) -> bool:
        """Whether an entry is ignored, if none of its parents is. The last and nearest rule wins."""
        matching = self._matching("/".join(map(_as_bytes, path[self._depth :]))) or ()
        found = [at for at in matching if directory or not self._rules[at].directories_only]
        if found:
            return self._rules[max(found)].ignores
        return self._above is not None and self._above.ignores(path, directory=directory)


Read = Callable[[tuple[str, ...]], bytes | None]
"""Reads a file; None if it does not exist."""


class Ignored:
    """What a search skips in a directory: `.git`, and what the `.gitignore` files there and above exclude."""

    __slots__ = ("_read", "_rules")

    def __init__(self, read: Read, rules: Rules | None) -> None:
        self._read = read
        self._rules = rules

    @classmethod
    def where(cls, start: tuple[str, ...], read: Read) -> "Ignored":
        """The rules where a search starts. A search that starts in an ignored directory includes its contents."""
        found = cls(read, _rules(read(EXCLUDE), 0, None))
        for depth in range(len(start)):
            found = found.inside(start[:depth])
            if found.holds(start[: depth + 1], directory=True):
                found = cls(read, None)
        return found

    def inside(self, at: tuple[str, ...]) -> "Ignored":
        """The same with the rules of a directory's own `.gitignore`, if it has a valid one."""
        return Ignored(self._read, _rules(self._read((*at, FILE)), len(at), self._rules))

    def holds(self, at: tuple[str, ...], *, directory: bool) -> bool:
        """Whether to skip an entry."""
        return at[-1] == GIT or (self._rules is not None and self._rules.ignores(at, directory=directory))


def _rules(data: bytes | None, depth: int, above: Rules | None) -> Rules | None:
    try:
        return Rules(data, depth, above) if data else above
    except IgnoreFileTooLarge:
        return above


class _Rule(NamedTuple):
    regex: str
    ignores: bool
    directories_only: bool


@lru_cache(maxsize=64)
def _parsed(data: bytes) -> tuple[Sequence[_Rule], Callable[[str], Sequence[int] | None]]:
    """A file's rules, and a function that returns the matching ones."""
    rules = list(islice(_rules_in(data), MAX_RULES + 1))
    if len(data) > MAX_BYTES or len(rules) > MAX_RULES:
        raise IgnoreFileTooLarge
    if not rules:
        return (), lambda _: None
    # Many processes never walk a directory.
    import re2  # type: ignore[import-untyped]  # it has no types; what is used of it has the one above

    options = re2.Options()
    options.log_errors, options.never_capture, options.dot_nl = False, True, True
    found = re2.Set.FullMatchSet(options)
    try:
        for rule in rules:
            found.Add(rule.regex)
        found.Compile()
    except re2.error:
        raise IgnoreFileTooLarge from None
    return rules, found.Match


def _rules_in(data: bytes) -> Iterator[_Rule]:
    """The effective lines, without those that pathspec reads differently from git."""
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    for line in data.removeprefix(b"\xef\xbb\xbf").decode("latin-1").split("\n"):
        if _rare_class.search(line):
            continue
        plain = _last_tab.sub("[\t]", _many_stars.sub("**", line.removesuffix("\r")))
        # A space before the slash is part of the name; one after it is not.
        body = _directory_mark.sub(lambda mark: r"\ " if mark[1] else "", plain)
        apart = _stars_after_text.fullmatch(body)
        for each in (body,) if apart is None else (apart.expand(r"\1/\2\3"), apart.expand(r"\1/\2*/**/\3")):
            with suppress(ValueError, re.error):
                pattern = GitIgnoreSpecPattern(_negated_class.sub(_members, _inside_only.sub("/**/*", each)))
                if pattern.regex is not None and pattern.include is not None:
                    # Only the expression for `*` does not match the whole path.
                    regex = ".+" if pattern.regex.pattern == "." else str(pattern.regex.pattern)
                    yield _Rule(regex, pattern.include, body != plain)


def _members(negated: re.Match[str]) -> str:
    """A negated class as a list of its characters: in pathspec it would include `/`."""
    members = negated[1].replace("^", r"\^")
    left_out = re.compile(f"[/{members}]")
    held = "".join(sign for sign in map(chr, range(1, 256)) if not left_out.match(sign))
    # In an order without special meaning: `]` first, `-` last.
    return f"[{']' * (']' in held)}{held.replace(']', '').replace('-', '')}{'-' * ('-' in held)}]"


def _as_bytes(name: str) -> str:
    """A file's name with one character for each byte, as git sees it: `?` is one byte."""
    return name if name.isascii() else os.fsencode(name).decode("latin-1")
