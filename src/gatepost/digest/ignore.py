"""What `.gitignore` files leave out, by git's own rules and without git.

Works on bytes, as git does: names and patterns are read as Latin-1, so that `?` is one byte here too.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

MOST_BYTES: Final = 65_536
MOST_WILD: Final = 1_000
"""A file with more patterns than this to try one by one is refused: each is tried on every entry below."""

_LONGEST_NAME: Final = 255
_STAR: Final = "*"

_CLASSES: Final = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\s",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}

Part = str | re.Pattern[str] | None
"""One segment of a pattern: a literal, something with wildcards, or `**`."""


class TooMuch(Exception):
    """A `.gitignore` that is too large to be obeyed, so that what lies below it cannot be judged."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a `.gitignore`: what it matches, and what that means."""

    parts: tuple[Part, ...]
    negated: bool
    directories_only: bool
    by_name: bool

    def matches(self, path: Sequence[str]) -> bool:
        """Whether a path, from the directory of the `.gitignore`, is meant. Its kind is not looked at."""
        if self.by_name:
            return fits(self.parts, path[-1:])
        return fits(self.parts, path)


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one `.gitignore`, with those that are plain names set apart: most are, and need no trying."""

    rules: tuple[Rule, ...] = ()
    names: dict[str, list[int]] = field(default_factory=dict)
    wild: tuple[int, ...] = ()

    def verdict(self, path: Sequence[str], *, directory: bool) -> bool | None:
        """True: ignored. False: brought back. None: nothing is said. The last rule that matches wins."""
        best = -1
        for number in reversed(self.names.get(path[-1], ())):
            if directory or not self.rules[number].directories_only:
                best = number
                break
        for number in reversed(self.wild):
            if number < best:
                break
            rule = self.rules[number]
            if (directory or not rule.directories_only) and rule.matches(path):
                best = number
                break
        return None if best < 0 else not self.rules[best].negated


@dataclass(frozen=True, slots=True)
class Level:
    """The rules that hold in a directory: its own, then those above it, which start `depth` segments down."""

    rules: Rules
    depth: int
    above: "Level | None" = None

    def ignores(self, path: Sequence[str], *, directory: bool) -> bool:
        """Whether an entry is ignored, given that no directory above it is. The nearest word counts."""
        level: Level | None = self
        while level is not None:
            verdict = level.rules.verdict(path[level.depth :], directory=directory)
            if verdict is not None:
                return verdict
            level = level.above
        return False

    @property
    def cost(self) -> int:
        """How many patterns one question may try."""
        return len(self.rules.wild) + (self.above.cost if self.above else 0)


def as_bytes(name: str) -> str:
    """A file's name, one character a byte."""
    return os.fsencode(name).decode("latin-1")


def parse(data: bytes) -> Rules:
    """The rules of a `.gitignore`. Raises `TooMuch`."""
    if len(data) > MOST_BYTES:
        raise TooMuch
    rules: list[Rule] = []
    names: dict[str, list[int]] = {}
    wild: list[int] = []
    for line in data.removeprefix(b"\xef\xbb\xbf").decode("latin-1").split("\n"):
        rule = _rule(line.removesuffix("\r"))
        if rule is None:
            continue
        match rule.parts:
            case (str() as name,) if rule.by_name:
                names.setdefault(name, []).append(len(rules))
            case _:
                wild.append(len(rules))
        rules.append(rule)
    if len(wild) > MOST_WILD:
        raise TooMuch
    return Rules(tuple(rules), names, tuple(wild))


def glob(pattern: str) -> tuple[Part, ...] | None:
    """A path pattern, ready for `fits`; None if it can match nothing."""
    segments = _segments(pattern)
    return None if segments is None else _parts(segments)


def fits(parts: Sequence[Part], path: Sequence[str]) -> bool:
    """Whether the whole path fits. Where `**` stands, the first place that fits will do: no way back is needed."""
    runs: list[list[Part]] = [[]]
    for part in parts:
        if part is None:
            runs.append([])
        else:
            runs[-1].append(part)
    first, *later = runs
    if not later:
        return len(first) == len(path) and _run_fits(first, path, 0)
    last = later.pop()
    # A `**` at the end stands for at least one segment, elsewhere for any number.
    least = max(len(last), 1)
    if len(path) < len(first) + least or not _run_fits(first, path, 0):
        return False
    at = len(first)
    for run in later:
        while at + len(run) <= len(path) and not _run_fits(run, path, at):
            at += 1
        at += len(run)
    return at + least <= len(path) and _run_fits(last, path, len(path) - len(last))


def _run_fits(run: Sequence[Part], path: Sequence[str], at: int) -> bool:
    for offset, part in enumerate(run):
        name = path[at + offset]
        if name != part if isinstance(part, str) else part is None or part.fullmatch(name) is None:
            return False
    return True


def _rule(line: str) -> Rule | None:
    if line.startswith("#"):
        return None
    line = _without_trailing_spaces(line)
    negated = line.startswith("!")
    body = line[1:] if negated else line
    directories_only = body.endswith("/")
    body = body.removesuffix("/")
    by_name = "/" not in body
    parts = glob(body if by_name else body.removeprefix("/"))
    if parts is None:
        return None
    if by_name:  # `**` has no meaning of its own in a name
        parts = tuple(re.compile(r"[\s\S]*") if part is None else part for part in parts)
    return Rule(parts, negated, directories_only, by_name)


def _without_trailing_spaces(line: str) -> str:
    end = len(line.rstrip(" "))
    escapes = end - len(line[:end].rstrip("\\"))
    return line[: end + 1] if escapes % 2 and end < len(line) else line[:end]


def _parts(segments: Sequence[Sequence[str]]) -> tuple[Part, ...] | None:
    parts: list[Part] = []
    for tokens in segments:
        stars = tokens.count(_STAR)
        if stars > 1 and stars == len(tokens):
            if not parts or parts[-1] is not None:  # `**/**` is `**`
                parts.append(None)
            continue
        if not tokens or len(tokens) - stars > _LONGEST_NAME:
            return None
        parts.append(_segment(tokens))
    return tuple(parts)


def _segment(tokens: Sequence[str]) -> Part:
    """A literal, or an expression that never goes back: after a star the first place that fits is the best."""
    if all(token.startswith("=") for token in tokens):
        return "".join(token[1:] for token in tokens)
    chunks: list[str] = [""]
    for token in tokens:
        if token == _STAR:
            chunks.append("")
        else:
            chunks[-1] += re.escape(token[1:]) if token.startswith("=") else token
    first, *later = chunks
    if not later:
        return re.compile(first)
    middle = "".join(rf"(?>[\s\S]*?{chunk})" for chunk in later[:-1] if chunk)
    return re.compile(rf"{first}{middle}[\s\S]*{later[-1]}")


def _segments(pattern: str) -> list[list[str]] | None:
    """Tokens by segment: `=x` is a letter, `*` a star, anything else an expression for one letter."""
    found: list[list[str]] = [[]]
    at = 0
    while at < len(pattern):
        letter = pattern[at]
        at += 1
        if letter == "[":
            end, token = _class(pattern, at)
            if end < 0:
                return None
            at = end
            found[-1].append(token)
            continue
        if letter == "\\":
            if at == len(pattern):
                return None
            letter = "=" + pattern[at]
            at += 1
        if letter in ("/", "=/"):
            found.append([])
        else:
            found[-1].append(_token(letter))
    return found


def _token(letter: str) -> str:
    if letter == _STAR or len(letter) > 1:
        return letter
    return r"[\s\S]" if letter == "?" else "=" + letter


def _class(pattern: str, start: int) -> tuple[int, str]:
    """Where a bracket expression ends, and what it is; -1 if it never ends or means nothing."""
    at = start
    negated = pattern[at : at + 1] in ("!", "^")
    at += negated
    inner: list[str] = []
    first = True
    while at < len(pattern) and (first or pattern[at] != "]"):
        first = False
        named = re.compile(r"\[:([a-z]*):\]").match(pattern, at)
        if named:
            if named[1] not in _CLASSES:
                return -1, ""
            inner.append(_CLASSES[named[1]])
            at = named.end()
            continue
        at, low = _member(pattern, at)
        inner.append(re.escape(low))
        if pattern[at : at + 1] == "-" and at + 1 < len(pattern) and pattern[at + 1] != "]":
            at, high = _member(pattern, at + 1)
            if low <= high:  # of a range the wrong way round, git takes the first letter
                inner.append(f"{re.escape(low)}-{re.escape(high)}")
    if at >= len(pattern):
        return -1, ""
    return at + 1, f"[{'^' if negated else ''}{''.join(inner)}]"


def _member(pattern: str, at: int) -> tuple[int, str]:
    if pattern[at] == "\\" and at + 1 < len(pattern):
        at += 1
    return at + 1, pattern[at]
