"""What a transaction has read so far, and what it is about to read: both save round trips.

Within a transaction the same question has the same answer, until the transaction itself writes. Documents often
come with the answers to other questions.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from gatepost.domain.tallies import NONE, Tally
from gatepost.engine.rows import Changes, Stored

Question = tuple[str, tuple[Any, ...]]
"""A statement and its parameters, without the workspace."""

_BEFORE_DOCUMENT: Final = {"load": 1, "find": 2, "walk": 2}
"""How many columns a row has before its document, in statements whose rows all have one. The place is the last."""


class KnownRows:
    """The answers that a transaction knows, and the questions that wait for one."""

    def __init__(self) -> None:
        self._answers: dict[Question, list[Any]] = {}
        self.stored: dict[str, Stored | None] = {}
        """The documents and tallies by place. None: there is nothing."""
        self.found: dict[str, str | None] = {}
        """The places by name. None: there is no such name."""
        self.wanted: WantedRows | None = None
        """While questions are collected: what was asked."""

    def answer(self, question: Question) -> list[Any] | None:
        """The rows that answer a question, if they are known. While questions are collected, all other answers are
        empty."""
        known = self._answers.get(question)
        if known is None and self.wanted is not None:
            self.wanted.questions[question] = None
            return []
        return known

    def keep(self, question: Question, rows: list[Any]) -> None:
        """Remember an answer, and the documents that came with it."""
        statement, parameters = question
        if statement == "load":
            self.stored.update(dict.fromkeys(parameters[0]))
        elif statement == "find":
            self.found.update(dict.fromkeys(parameters[0]))
            self.found.update((name, place) for name, place, *_ in rows)
        else:
            self._answers[question] = rows
        before = _BEFORE_DOCUMENT.get(statement) or int(brings_documents(statement, parameters))
        for row in rows if before else ():
            self.stored[row[before - 1]] = _stored(row[before:])

    def forget(self, changes: Changes) -> None:
        """Forget what a change may make wrong."""
        self._answers.clear()
        for place, _ in (*changes.documents, *changes.tallies):
            self.stored.pop(place, None)
        for name, _ in changes.names:
            self.found.pop(name, None)


class WantedRows:
    """Questions that are collected, to be sent in one round trip."""

    def __init__(self) -> None:
        self.questions: dict[Question, None] = {}
        self.places: dict[str, None] = {}
        self.names: dict[str, None] = {}

    def all(self) -> list[Question]:
        """The questions, as few as possible."""
        merged = (("load", self.places), ("find", self.names))
        return [*((name, (tuple(asked),)) for name, asked in merged if asked), *self.questions]


def brings_documents(statement: str, parameters: Sequence[Any]) -> bool:
    """Whether the documents of the places that a statement finds come along: its last parameter says so."""
    return statement in ("posting_ranges", "meetings") and bool(parameters[-1])


def frozen(parameters: Iterable[Any]) -> tuple[Any, ...]:
    """Parameters that can be a key."""
    return tuple(tuple(each) if isinstance(each, list) else each for each in parameters)


def _stored(row: Sequence[Any]) -> Stored | None:
    """A document and its tally; either may be missing."""
    text, *counts = row
    if counts[0] is None:
        return None if text is None else Stored(text, NONE)
    return Stored(text, Tally(*counts))
