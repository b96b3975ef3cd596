r"""Python's regular expressions in RE2's syntax, for searches that look at one line at a time.

RE2 differs in a few places: its `\w`, `\d` and `\s` know ASCII only, `\Z` and `\u00e9` do not exist, `{,3}` is
plain text, and `^` and `$` mean the whole text. Those are rewritten. What RE2 cannot do is refused by name.
"""

import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

MAX_REPEAT: Final = 1_000

_UNICODE: Final = {"d": r"\p{Nd}", "s": r"\t-\r\x1c-\x20\x{85}\p{Z}", "w": r"\p{L}\p{N}_"}
_UNICODE_IN_ASCII: Final = {"d": "0-9", "s": r"\t-\r\x1c-\x20", "w": "0-9A-Za-z_"}
_ASCII: Final = {"d": "0-9", "s": r"\t-\r\x20", "w": "0-9A-Za-z_"}
_LINE_BORDERS: Final = {"A": "(?m:^)", "Z": "(?m:$)", "z": "(?m:$)"}
_SAME_IN_BOTH: Final = frozenset("abBfnrtvxpP01234567")
_KNOWN_FLAGS: Final = frozenset("aimsu")
_MATCHES_NOTHING: Final = r"[^\x00-\x{10FFFF}]"

_PICK: Final = "Search for the part that must be there, then pick among the lines found."
_SPELL_OUT: Final = "Spell the repeated text out, or search for the group alone and pick among the lines found."
_PLAIN: Final = (
    "Use an ordinary group or repeat. This search never backtracks, so the result is the same or better."
)
_SIMPLER: Final = "Correct `pattern`, or search for a plain word."
_UNSUPPORTED: Final = (
    ("(?=", "look-ahead", _PICK),
    ("(?!", "look-ahead", _PICK),
    ("(?<=", "look-behind", _PICK),
    ("(?<!", "look-behind", _PICK),
    ("(?P=", "a back-reference", _SPELL_OUT),
    ("(?(", "a condition", "Write both cases as alternatives: `a|b`."),
    ("(?>", "an atomic group", _PLAIN),
)

_flags = re.compile(r"\(\?([A-Za-z]*)(?:-([A-Za-z]*))?([:)])")
_comment = re.compile(r"\(\?#[^)]*\)")
_repeat = re.compile(r"\{(\d*)(,?)(\d*)\}")
_braced = re.compile(r"\\[pPx]\{\^?\w+\}")
_code_point = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))")
_back_reference = re.compile(r"\\(?:[1-9](?!(?<=[1-3])[0-7]{2})|[gk]<)")
_posix = re.compile(r"\[:\^?[a-z]+:\]")


class Unsupported(Exception):
    """Why a pattern cannot be searched for, and what to do about it."""

    def __init__(self, problem: str, recovery: str = _SIMPLER) -> None:
        super().__init__(problem)
        self.problem = problem
        self.recovery = recovery


def translated(pattern: str, *, ascii_text: bool) -> str:
    """A pattern as RE2 reads it, up to the end of the line. What is no pattern in either syntax may pass.

    For a text that is ASCII it is many times smaller: a class such as `\\w` need not know every script.
    """
    reader = _Reader(pattern, ascii_text=ascii_text)
    # A match goes on to the end of its line, so that each line is found once.
    return f"(?m:(?:{''.join(reader.pieces())}){reader.any_sign}*)"


class _Item(NamedTuple):
    """A member of a character class: as RE2 reads it, and as Python does."""

    text: str
    python: str
    negated: bool = False
    """Whether it is `\\W`, `\\D` or `\\S`, which a class of RE2 cannot hold."""


class _Reader:
    """One pattern, read from left to right."""

    def __init__(self, pattern: str, *, ascii_text: bool) -> None:
        self._pattern = pattern
        self._at = 0
        self._ascii_text = ascii_text
        self._ascii = [False]
        """Whether `(?a)` holds, for each group that is open."""
        self.any_sign = r"[\x00-\x7f]" if ascii_text else "."

    def pieces(self) -> Iterator[str]:
        while self._at < len(self._pattern):
            match self._pattern[self._at]:
                case "\\":
                    yield self._escape()
                case "[":
                    yield self._class()
                case "(":
                    yield self._group()
                case "{":
                    yield self._repeat()
                case ")":
                    yield self._end()
                case ".":
                    self._at += 1
                    yield self.any_sign
                case _:
                    yield self._taken(1)
        if len(self._ascii) > 1:
            raise Unsupported("has a `(` that is never closed")

    def _end(self) -> str:
        self._ascii.pop()
        if not self._ascii:
            raise Unsupported(f"has a `)` at character {self._at + 1} that closes nothing")
        return self._taken(1)

    def _taken(self, length: int) -> str:
        self._at += length
        return self._pattern[self._at - length : self._at]

    def _escape(self) -> str:
        letter = self._pattern[self._at + 1 : self._at + 2]
        if letter in _LINE_BORDERS:
            self._at += 2
            return _LINE_BORDERS[letter]
        if letter in ("b", "B"):
            self._check_word_border()
            return self._taken(2)
        text, _, negated = self._escaped()
        if letter and letter in "dswDSW":
            return f"[{'^' if negated else ''}{text}]"
        return text

    def _escaped(self) -> _Item:
        """An escape that may stand in a class too. `\\w` is given without the brackets around it."""
        if _back_reference.match(self._pattern, self._at):
            raise _unsupported("a back-reference", self._pattern[self._at : self._at + 2], _SPELL_OUT)
        point = _code_point.match(self._pattern, self._at)
        if point:
            self._at = point.end()
            return _Item(rf"\x{{{point[1] or point[2]}}}", point[0])
        braced = _braced.match(self._pattern, self._at)
        whole = self._taken(len(braced[0]) if braced else 2)
        letter = whole[1:2]
        if not letter:
            raise Unsupported("ends with a single backslash")
        if letter in "dswDSW":
            known = _ASCII if self._ascii[-1] else _UNICODE_IN_ASCII if self._ascii_text else _UNICODE
            return _Item(known[letter.lower()], whole, negated=letter.isupper())
        if letter.isascii() and letter.isalnum() and letter not in _SAME_IN_BOTH:
            raise Unsupported(f"has the escape `{whole}`, which has no meaning")
        return _Item(whole if letter.isascii() else letter, whole)

    def _check_word_border(self) -> None:
        """RE2's border of a word knows ASCII letters only: beside another one it would never be found."""
        beside = self._pattern[max(self._at - 1, 0) : self._at] + self._pattern[self._at + 2 : self._at + 3]
        for letter in beside:
            if letter.isalnum() and not letter.isascii():
                raise Unsupported(
                    rf"has `\b` beside `{letter}`, and `\b` knows ASCII letters only",
                    rf"Leave `\b` out there, or write `(?:^|\W){letter}` or `{letter}(?:\W|$)`.",
                )

    def _group(self) -> str:
        comment = _comment.match(self._pattern, self._at)
        if comment:
            self._at = comment.end()
            return ""
        for begin, name, recovery in _UNSUPPORTED:
            if self._pattern.startswith(begin, self._at):
                raise _unsupported(name, begin, recovery)
        flags = _flags.match(self._pattern, self._at)
        if flags is None:
            self._ascii.append(self._ascii[-1])
            return self._taken(1)
        self._at = flags.end()
        return self._flagged(flags[1], flags[2] or "", flags[3])

    def _flagged(self, on: str, off: str, end: str) -> str:
        """Flags, of which only `i` is left: `m` and `s` mean nothing within one line, and `a` is settled here."""
        for flag in on + off:
            if flag not in _KNOWN_FLAGS:
                raise Unsupported(
                    f"has the flag `{flag}`, which grep does not support", "Use only the flags i, m, s, a and u."
                )
        ascii_only = "a" in on or (self._ascii[-1] and "u" not in on)
        if end == ":":
            self._ascii.append(ascii_only)
        else:
            self._ascii[-1] = ascii_only
        kept = "i" if "i" in on else "-i" if "i" in off else ""
        return f"(?{kept}{end}" if kept or end == ":" else ""

    def _repeat(self) -> str:
        found = _repeat.match(self._pattern, self._at)
        if found is None or found[0] == "{}":
            self._at += 1
            return r"\{"
        self._at = found.end()
        least, comma, most = found.groups()
        for number in (least, most):
            if number and int(number) > MAX_REPEAT:
                raise Unsupported(
                    f"repeats something up to {int(number):,} times, more than {MAX_REPEAT:,}",
                    "Use a smaller number, or `*` or `+`.",
                )
        return f"{{{least or 0}{comma}{most}}}"

    def _class(self) -> str:
        """A class in brackets. Where RE2 has no words for it, Python itself says which characters are meant."""
        begin = self._at
        negated = self._pattern.startswith("[^", begin)
        self._at += 1 + negated
        items = list(self._items())
        if self._at >= len(self._pattern):
            raise Unsupported(f"has a `[` at character {begin + 1} that is never closed")
        self._at += 1
        if any(item.negated for item in items):
            inner = "".join(item.python for item in items)
            return _enumerated(f"[{'^' if negated else ''}{inner}]", self._ascii[-1], self._ascii_text)
        return f"[{'^' if negated else ''}{''.join(item.text for item in items)}]"

    def _items(self) -> Iterator[_Item]:
        first = self._at
        while self._at < len(self._pattern) and (self._pattern[self._at] != "]" or self._at == first):
            sign = self._pattern[self._at]
            posix = _posix.match(self._pattern, self._at)
            if posix:
                self._at = posix.end()
                yield _Item(posix[0], posix[0])
            elif self._pattern.startswith(r"\b", self._at):
                self._at += 2
                yield _Item(r"\x08", r"\x08")
            elif sign == "\\":
                yield self._escaped()
            else:
                self._at += 1
                # Escaped, since Python warns of signs that may come to mean something in a class.
                plain = f"\\{sign}" if sign in "[]&~|" else sign
                yield _Item(plain, plain)


@lru_cache(maxsize=32)
def _enumerated(python_class: str, ascii_only: bool, ascii_text: bool) -> str:  # noqa: FBT001 - a key of the cache
    """A class of Python's as one of RE2's that lists its characters."""
    try:
        sought = re.compile(f"{python_class}+", re.ASCII if ascii_only else 0)
    except re.error as wrong:
        raise Unsupported(f"is no regular expression: {wrong.msg} in {python_class}") from None
    # A line feed in the place of what UTF-8 cannot carry: it ends a run, and no line holds one.
    every = "".join(map(chr, range(128 if ascii_text else 0xD800)))
    if not ascii_text:
        every += "\n" + "".join(map(chr, range(0xE000, sys.maxunicode + 1)))
    ranges = [rf"\x{{{ord(run[0][0]):x}}}-\x{{{ord(run[0][-1]):x}}}" for run in sought.finditer(every)]
    return f"[{''.join(ranges)}]" if ranges else _MATCHES_NOTHING


def _unsupported(name: str, text: str, recovery: str) -> Unsupported:
    return Unsupported(f"has {name} (`{text}`), which grep does not support", recovery)
