"""Finds the words of a command that are text by its options: messages, search patterns, names to exclude."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_GREP: Final = ("e", "ABCmf")
# Per program, the short options that take a text, and those that take another value. To assume wrongly that an
# option takes a value would turn a path into a pattern.
_SEEKING: Final = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep", "git-grep"), _GREP),
    "rg": ("e", "ABCmdjMgtTErf"),
    "ag": ("", "ABCmGp"),
    "ack": ("", "ABCmf"),
    **dict.fromkeys(("sed", "gsed"), ("e", "f")),
    **dict.fromkeys(("awk", "gawk", "mawk"), ("", "Fvf")),
    **dict.fromkeys(("jq", "yq"), ("", "f")),
}
SEEKERS: Final = frozenset(_SEEKING)
"""Programs whose first operand is a pattern or a program."""
_SPEAKING: Final = {
    **dict.fromkeys(("git-commit", "git-tag", "git-stash", "git-notes", "git-merge", "hg", "svn", "jj"), "m"),
    **dict.fromkeys(("git-log", "git-show", "git-diff", "git-shortlog", "git-rev-list", "git-reflog"), "SG"),
    **dict.fromkeys(("pytest", "py.test"), "km"),
    **dict.fromkeys(("fd", "fdfind"), "E"),
    "gh": "tb",
    "glab": "tm",
    "tree": "I",
}
_NUMBERS: Final = frozenset({"-A", "-B", "-C", "-m", "-d", "-j", "-M"})
_LONG_TEXTS: Final = frozenset(
    {
        *("--message", "--title", "--body", "--notes", "--subject", "--description", "--grep", "--author"),
        *("--exclude", "--exclude-dir", "--ignore", "--ignore-dir", "--ignore-pattern", "--hide"),
        *("--regexp", "--expression"),
    }
)
_LONG_VALUES: Final = {
    **dict.fromkeys(
        ("--include", "--glob", "--iglob", "--type", "--type-not", "--color", "--sort", "--replace"), 1
    ),
    **dict.fromkeys(("--after-context", "--before-context", "--context", "--max-count", "--max-depth"), 1),
    **dict.fromkeys(("--arg", "--argjson", "--slurpfile", "--rawfile"), 2),
}
_HAVE_PATTERN: Final = frozenset({"-e", "-f", "--regexp", "--regex", "--expression", "--file", "--files"})


def texts_among(program: str, words: list[str]) -> list[int]:
    """The positions of the words after a program's name that are text."""
    spoken, valued = _SEEKING.get(program, (_SPEAKING.get(program, ""), ""))
    texts: list[int] = []
    operands: list[int] = []
    index, has_pattern = 0, program not in SEEKERS
    while index < len(words):
        if words[index] == "--":
            operands += range(index + 1, len(words))
            break
        option, attached = _option(words[index], spoken + valued)
        is_text = option in _LONG_TEXTS or (option[1:] in spoken and len(option) == 2)
        if is_text:
            texts.append(index if attached else index + 1)
        elif not option and words[index]:  # `sed -i ''` of the BSDs
            operands.append(index)
        has_pattern = has_pattern or option in _HAVE_PATTERN
        following = words[index + 1] if index + 1 < len(words) else ""
        index += 1 if attached else 1 + int(is_text) + _values_of(option, valued, following)
    return texts if has_pattern else texts + operands[:1]


def _option(word: str, letters: str) -> tuple[str, bool]:
    """The option in a word that may take a value, and whether the value is in the same word."""
    if word.startswith("--"):
        name, is_whole, _ = word.partition("=")
        return name, bool(is_whole)
    if len(word) < 2 or word[0] != "-":
        return "", False
    return next(
        ((f"-{sign}", len(word) > end) for end, sign in enumerate(word[1:], 2) if sign in letters), ("-", True)
    )


def _values_of(option: str, valued: str, following: str) -> int:
    """The number of words that an option takes, other than text."""
    if option in _NUMBERS and not following.isdigit():
        return 0
    return 1 if len(option) == 2 and option[1] in valued else _LONG_VALUES.get(option, 0)
