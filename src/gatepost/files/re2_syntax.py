r"""Python's regular expressions in RE2's syntax, for searches that look at one line at a time.

RE2 differs in a few places: its `\w`, `\d` and `\s` know ASCII only, `\Z` and `\u00e9` do not exist, `{,3}` is
plain text, and `^` and `$` mean the whole text. Those are rewritten. What RE2 cannot do it refuses itself, in words
that are ours here.
"""

import re
import sys
from functools import lru_cache, partial
from typing import Final

_UNICODE: Final = {"d": r"\p{Nd}", "s": r"\t-\r\x1c-\x20\x{85}\p{Z}", "w": r"\p{L}_\p{N}"}
_ASCII: Final = {"d": "0-9", "s": r"\t-\r\x1c-\x20", "w": "0-9_A-Za-z"}
_LINE_BORDERS: Final = {"^": "(?m:^)", r"\A": "(?m:^)", "$": "(?m:$)", r"\Z": "(?m:$)", r"\z": "(?m:$)"}
_ONLY_IN_RE2: Final = frozenset({r"\C", r"\E", r"\Q"})

_ESCAPE: Final = r"\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[pPx]\{\^?\w+\}|.)"
_CLASS: Final = rf"\[\^?\]?(?:{_ESCAPE}|\[:\^?[a-z]+:\]|[^]\\])*+\]"
_COMMENT: Final = r"\(\?#[^)]*\)"
_COUNTS: Final = r"\{(?:\d+,?\d*|,\d*)\}"
_token = re.compile(f"{_ESCAPE}|{_CLASS}|{_COMMENT}|{_COUNTS}|[.^$]", re.DOTALL)
_escape = re.compile(_ESCAPE, re.DOTALL)
_border_beside_a_letter = re.compile(r"(?<=[^\W\x00-\x7f])\\[bB]|\\[bB](?=[^\W\x00-\x7f])")

_PICK: Final = "Search for the part that must be there, then pick among the lines found."
_SPELL_OUT: Final = "Spell the repeated text out, or search for the group alone and pick among the lines found."
_PLAIN: Final = (
    "Use an ordinary group or repeat. This search never backtracks, so the result is the same or better."
)
_SMALLER: Final = r"Use smaller counts, or `*` and `+`, or smaller classes: `[a-z]` is smaller than `\w`."
_OTHER_BORDER: Final = r"Leave it out there, or write `(?:^|\W)` before the word or `(?:\W|$)` behind it."
_SIMPLER: Final = "Correct `pattern`, or search for a plain word."
_EXPLAINED: Final = (
    (r"invalid perl operator: \(\?[=!]", "has look-ahead ({}), which grep does not support", _PICK),
    (r"invalid perl operator: \(\?<", "has look-behind ({}), which grep does not support", _PICK),
    (r"invalid perl operator: \(\?P", "has a back-reference ({}), which grep does not support", _SPELL_OUT),
    (r"invalid escape sequence: \\[1-9]", "has a back-reference ({}), which grep does not support", _SPELL_OUT),
    (r"invalid perl operator: \(\?\(", "has a condition ({}), which grep does not support", "Write `a|b` instead."),
    (r"invalid perl operator: \(\?>", "has an atomic group ({}), which grep does not support", _PLAIN),
    ("invalid perl operator", "has {}, which grep does not support", "Use only the flags i, m and s."),
    ("invalid escape sequence", "has the escape {}, which grep does not know", _SIMPLER),
    ("bad repetition operator", "repeats a repeat ({})", "Write one repeat, or group the first one: `(?:a+)*`."),
    ("invalid repetition size", "repeats something more than 1,000 times", _SMALLER),
    ("pattern too large", "is too large: it repeats something too often", _SMALLER),
    (r"missing \)", "has a `(` that is never closed", _SIMPLER),
    (r"unexpected \)", "has a `)` that closes nothing", _SIMPLER),
    ("missing ]", "has a `[` that is never closed", _SIMPLER),
    (r"trailing \\", "ends with a single backslash", _SIMPLER),
    ("border of a word", r"has `\b` or `\B` at {}, but they know ASCII letters only", _OTHER_BORDER),
)
"""What RE2 says (or `Unsupported`), what is wrong with the pattern, and what to do."""


class Unsupported(Exception):
    """A construct that RE2 reads differently, described like RE2's own errors."""


def translated(pattern: str, *, ascii_text: bool) -> str:
    """A pattern in RE2's syntax. An invalid pattern may pass unchanged.

    For a text that is ASCII it is many times smaller: a class such as `\\w` need not know every script.
    """
    return _token.sub(partial(_rewritten, ascii_text=ascii_text), pattern)


def explained(words: str) -> tuple[str, str]:
    """What is wrong with a pattern that RE2 refuses with this message, and what to do about it."""
    argument = f"`{words.partition(': ')[2]}`"
    for said, problem, recovery in _EXPLAINED:
        if re.match(said, words):
            return problem.format(argument), recovery
    return f"is not a valid regular expression: {words}", _SIMPLER


def _rewritten(token: re.Match[str], *, ascii_text: bool) -> str:
    text = token[0]
    if text in _LINE_BORDERS:
        return _LINE_BORDERS[text]
    if _border_beside_a_letter.match(token.string, token.start()):
        raise Unsupported(f"border of a word: {token.string[max(token.start() - 1, 0) : token.end() + 1]}")
    match text[0]:
        case ".":
            return r"[\x00-\x7f]" if ascii_text else "."
        case "(":
            return ""
        case "[":
            return _class(text, ascii_text=ascii_text)
        case "{":
            # RE2 reads a number with very many digits as plain text.
            return re.sub(r"\d{5,}", "9999", text.replace("{,", "{0,"))
    if text[1:] in ("D", "S", "W", "d", "s", "w"):
        return _class(f"[{text}]" if text.islower() else f"[^{text.lower()}]", ascii_text=ascii_text)
    return _escaped(text)


def _escaped(text: str) -> str:
    """An escape other than a class, within brackets or not."""
    if text in _ONLY_IN_RE2:
        raise Unsupported(f"invalid escape sequence: {text}")
    return rf"\x{{{text[2:]}}}" if text[1] in "uU" and text[2:] else text


def _class(text: str, *, ascii_text: bool) -> str:
    """A class in brackets. Where RE2 has no equivalent, Python lists its characters."""
    if {r"\D", r"\S", r"\W"} & set(_escape.findall(text)):
        return _listed(text, 127 if ascii_text else sys.maxunicode)
    members = _ASCII if ascii_text else _UNICODE
    inside = {r"\b": r"\x08"} | {f"\\{letter}": signs for letter, signs in members.items()}
    return _escape.sub(lambda escape: inside.get(escape[0]) or _escaped(escape[0]), text)


@lru_cache(maxsize=32)
def _listed(python_class: str, last: int) -> str:
    """A Python class as an RE2 class that lists its characters."""
    if "[:" in python_class[1:]:
        raise Unsupported(f"a class such as `[:alpha:]` beside one such as `\\W` in {python_class}")
    # Escaped, since Python warns about characters that may get a meaning in a class.
    quiet = re.sub(rf"({_ESCAPE})|(?!^)[\[&~|]", lambda sign: sign[1] or f"\\{sign[0]}", python_class)
    runs = re.findall(f"{quiet}+", "".join(map(chr, range(last + 1))))
    ranges = [rf"\x{{{ord(run[0]):x}}}-\x{{{ord(run[-1]):x}}}" for run in runs]
    return f"[{''.join(ranges)}]" if ranges else r"[^\x00-\x{10FFFF}]"
