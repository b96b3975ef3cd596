"""Questions to a legacy client on stdio: sent as requests, answered by its responses. Loaded with the first one."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from gatepost.surfaces.mcp.answers import PendingQuestions
from gatepost.surfaces.mcp.exchange import NO_ANSWER, Answer, ClientAnswers, question_message, withdrawal

PATIENCE: Final = 300.0
"""Seconds for a person to answer."""


class StdioQuestions:
    """The requests that wait for answers."""

    def __init__(self, say: Callable[[bytes], None]) -> None:
        self._say = say
        self._count = 0
        self._rounds: list[_Round] = []

    def __bool__(self) -> bool:
        return bool(self._rounds)

    @property
    def ids(self) -> frozenset[str | int | None]:
        """The ids of the requests that wait."""
        return frozenset(one.request_id for one in self._rounds)

    def ask(self, message: object, request_id: str | int | None, pending: PendingQuestions) -> None:
        """Ask the questions of a request."""
        first, self._count = self._count, self._count + len(pending.questions)
        ids = {f"gatepost-{first + number}": key for number, key in enumerate(pending.questions)}
        self._rounds.append(_Round(message, request_id, pending, ids))
        for asked, key in ids.items():
            self._say(question_message(asked, pending.questions[key]))

    def take(self, message: object) -> bool:
        """Whether a message answers one of the questions."""
        if not isinstance(message, dict) or "method" in message:
            return False
        found = [one for one in self._rounds if message.get("id") in one.ids]
        for one in found:
            result = message.get("result")
            one.answers[one.ids[message["id"]]] = result if isinstance(result, dict) else NO_ANSWER
        return bool(found)

    def cancel(self, request_id: str | int) -> None:
        """Stop waiting: the client no longer waits either."""
        for one in [one for one in self._rounds if one.request_id == request_id]:
            self._end(one)

    def over(self) -> list[tuple[object, ClientAnswers]]:
        """The requests to serve again: those that are answered, and those that need no answer any more."""
        found = [one for one in self._rounds if one.is_over()]
        for one in found:
            self._end(one)
        return [(one.message, one.pending.with_answers(one.answers)) for one in found]

    def _end(self, one: _Round) -> None:
        self._rounds.remove(one)
        for asked, key in one.ids.items():
            if key not in one.answers:
                self._say(withdrawal(asked))


class _Round:
    """A request, what it asked, and what was answered so far, by the keys of the questions."""

    def __init__(
        self, message: object, request_id: str | int | None, pending: PendingQuestions, ids: dict[str, str]
    ) -> None:
        self.message, self.request_id, self.pending, self.ids = message, request_id, pending, ids
        self.answers: dict[str, Answer] = {}
        self._until = time.monotonic() + PATIENCE

    def is_over(self) -> bool:
        """Whether there is nothing left to wait for."""
        return len(self.answers) == len(self.ids) or time.monotonic() > self._until or self.pending.settled()
