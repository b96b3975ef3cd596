"""The names that are most like an unknown one, each with a line about it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_FEW = 3
_LONGEST_NAME = 80
_LONGEST_LINE = 52


def nearest_lines(name: str, known: Iterable[str], about: Callable[[str], str]) -> str:
    """The three nearest names, each with the beginning of its description."""
    from difflib import get_close_matches

    found = get_close_matches(name[:_LONGEST_NAME], list(known), n=_FEW, cutoff=0.0)
    return "; ".join(f"{near}: {_line(about(near))}" for near in found) + "."


def _line(text: str) -> str:
    """The first sentence, or as much of it as fits, without its full stop."""
    sentence = text.partition(". ")[0].rstrip(".")
    if len(sentence) <= _LONGEST_LINE:
        return sentence
    return sentence[:_LONGEST_LINE].rpartition(" ")[0].rstrip(",;:(") + "…"
