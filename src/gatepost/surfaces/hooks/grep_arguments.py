"""Finds the pattern among the arguments of `grep` and similar programs. A pattern is not judged as a path."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

_FAMILIES: Final = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep", "git-grep"), "grep"),
    **dict.fromkeys(("sed", "gsed"), "sed"),
    **dict.fromkeys(("awk", "gawk", "mawk"), "awk"),
    **{name: name for name in ("rg", "ag", "ack", "jq", "yq")},
}
SEEKERS: Final = frozenset(_FAMILIES)

# Wrongly assuming that an option takes a value would turn a path into a pattern. So each program has its own list,
# and an option that takes a number takes nothing else.
_NUMBERS: Final = {"grep": "ABCm", "rg": "ABCmdjM", "ag": "ABCmW", "ack": "ABCm", "sed": "l"}
_WORDS: Final = {"grep": "dD", "rg": "gtTEr", "ag": "Gp", "awk": "Fvil", "jq": "L"}
_ATTACHED: Final = {"sed": "i", "awk": "o"}
_LONG_NUMBERS: Final = frozenset(
    {
        *("--after-context", "--before-context", "--context", "--max-count", "--max-depth", "--maxdepth"),
        *("--threads", "--max-columns", "--depth", "--indent", "--line-length"),
    }
)
_LONG_WORDS: Final = {
    "grep": frozenset({"--include", "--exclude", "--exclude-dir", "--exclude-from", "--label"}),
    "rg": frozenset(
        {
            *("--glob", "--iglob", "--type", "--type-not", "--encoding", "--replace", "--sort", "--sortr"),
            *("--color", "--colors", "--engine", "--ignore-file", "--max-filesize", "--pre", "--pre-glob"),
        }
    ),
    "ag": frozenset({"--ignore", "--ignore-dir"}),
    "awk": frozenset({"--field-separator", "--assign"}),
}
_LONG_PAIRS: Final = {"jq": frozenset({"--arg", "--argjson", "--slurpfile", "--rawfile", "--argfile"})}
_GIVES_PATTERN: Final = ("--regexp", "--expression")
_PATTERN_LETTER: Final = {"grep": "e", "rg": "e", "sed": "e", "awk": "e"}
_FILE_LETTERS: Final = {"grep": "f", "rg": "f", "sed": "f", "awk": "fE", "jq": "f", "yq": "f", "ack": "f"}
# Long options can be abbreviated (`--reg`), so any prefix of a pattern option counts.
_GIVES: Final = ("--reg", "--ex", "--e=", "--from", "--source", "--type-list")
_GIVES_WHOLE: Final = frozenset({"--file", "--files", "--fil", "--fi", "--e"})


def patterns_among(program: str, words: list[str]) -> Iterator[int]:
    """The words after a program's name that are its patterns (or its program, for `sed`, `awk` and `jq`)."""
    look = _Look(_FAMILIES[program], words)
    look.run()
    yield from look.given
    if not look.elsewhere and not look.given:
        yield from (index for index in look.operands[:1])


class _Look:
    """One reading of a command's options: the patterns in them, and all other words."""

    def __init__(self, family: str, words: list[str]) -> None:
        self._family = family
        self._words = words
        self.given: list[int] = []
        self.operands: list[int] = []
        self.elsewhere = False
        """Whether the pattern is in a file, in an unknown option, or not needed."""

    def run(self) -> None:
        index = 0
        while index < len(self._words):
            word = self._words[index]
            if word == "--":
                self.operands += range(index + 1, len(self._words))
                return
            if word.startswith("--"):
                index += self._long(index)
            elif word.startswith("-") and len(word) > 1:
                index += self._short(index)
            elif word or self._family != "sed":  # `sed -i ''` of the BSDs
                self.operands.append(index)
            index += 1

    def _long(self, index: int) -> int:
        """The number of following words that belong to a long option."""
        name, is_whole, _ = self._words[index].partition("=")
        if name in _GIVES_PATTERN and self._family in _PATTERN_LETTER:
            self.given.append(index if is_whole else index + 1)
            return 0 if is_whole else 1
        if name in _GIVES_WHOLE or self._words[index].startswith(_GIVES):
            self.elsewhere = True
        if is_whole:
            return 0
        if name in _LONG_PAIRS.get(self._family, ()):
            return 2
        if name in _LONG_WORDS.get(self._family, ()):
            return 1
        return int(name in _LONG_NUMBERS and self._number_follows(index))

    def _short(self, index: int) -> int:
        """The number of following words that belong to a word of short options, such as `-rne`.

        The first option that takes a value takes the rest of the word, or else the next word.
        """
        word, family = self._words[index], self._family
        for rest_at, letter in enumerate(word[1:], 2):
            is_last = rest_at == len(word)
            if letter in _PATTERN_LETTER.get(family, ""):
                self.given.append(index + 1 if is_last else index)
                return int(is_last)
            if letter in _FILE_LETTERS.get(family, ""):
                self.elsewhere = True
                return int(is_last)
            if letter in _WORDS.get(family, ""):
                return int(is_last)
            if letter in _ATTACHED.get(family, ""):
                return 0
            if letter in _NUMBERS.get(family, "") and is_last:
                return int(self._number_follows(index))
        return 0

    def _number_follows(self, index: int) -> bool:
        return index + 1 < len(self._words) and self._words[index + 1].isdigit()
