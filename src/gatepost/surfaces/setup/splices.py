"""Edits of a text as splices: what was at a place before, and what is there after."""

from collections.abc import Iterable
from typing import NamedTuple


class Splice(NamedTuple):
    """One replacement at an offset of the text as it was at that time."""

    at: int
    before: str
    after: str


class EditedText:
    """A text that remembers how it was edited."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.splices: list[Splice] = []

    @property
    def newline(self) -> str:
        """The text's way to end lines."""
        return "\r\n" if "\r\n" in self.text else "\n"

    def replace(self, start: int, end: int, new: str) -> None:
        """Replace a range."""
        self.splices.append(Splice(start, self.text[start:end], new))
        self.text = self.text[:start] + new + self.text[end:]

    def insert(self, at: int, new: str) -> None:
        """Insert a text."""
        self.replace(at, at, new)


def undone(text: str, splices: Iterable[Splice]) -> str | None:
    """The text before these edits, if it has not changed since; else None."""
    for splice in reversed(list(splices)):
        end = splice.at + len(splice.after)
        if text[splice.at : end] != splice.after:
            return None
        text = text[: splice.at] + splice.before + text[end:]
    return text


def searched_out(text: str, splices: Iterable[Splice]) -> tuple[str, bool]:
    """The text without those edits that can still be found in it, each once; and whether that was all of them."""
    whole = True
    for splice in reversed(list(splices)):
        if splice.after and text.count(splice.after) == 1:
            text = text.replace(splice.after, splice.before)
        else:
            whole = False
    return text, whole
