"""Questions to a legacy client: sent on the stream of their request, answered by other requests."""

import asyncio
from collections.abc import Iterator, Mapping

from gatepost.surfaces.mcp.exchange import NO_ANSWER, Answer, Question, question_message, withdrawal


class ClientQuestions:
    """The open questions of one session."""

    def __init__(self) -> None:
        self._count = 0
        self._waiting: dict[str, asyncio.Future[Answer]] = {}

    def ask(self, questions: Mapping[str, Question]) -> "QuestionRound":
        """Ask these questions, each under a unique id."""
        first, self._count = self._count, self._count + len(questions)
        ids = {f"gatepost-{first + number}": key for number, key in enumerate(questions)}
        for request_id in ids:
            self._waiting[request_id] = asyncio.get_running_loop().create_future()
        return QuestionRound(self._waiting, ids, questions)

    def answer(self, message: Mapping[str, object]) -> None:
        """Accept an answer. Ignores one that nobody waits for."""
        waiting = self._waiting.get(str(message.get("id")))
        if waiting is None or waiting.done():
            return
        result = message.get("result")
        waiting.set_result(result if isinstance(result, dict) else NO_ANSWER)


class QuestionRound:
    """The questions that one request asked at once."""

    def __init__(
        self,
        waiting: dict[str, "asyncio.Future[Answer]"],
        ids: Mapping[str, str],
        questions: Mapping[str, Question],
    ) -> None:
        self._waiting = waiting
        self._ids = ids
        self._questions = questions

    def questions(self) -> Iterator[bytes]:
        """The requests to send."""
        for request_id, key in self._ids.items():
            yield question_message(request_id, self._questions[key])

    async def answered(self, seconds: float) -> bool:
        """Wait for all answers up to a limit. Returns whether they came."""
        _, missing = await asyncio.wait([self._waiting[key] for key in self._ids], timeout=seconds)
        return not missing

    def answers(self) -> dict[str, Answer]:
        """The answers that came, by their questions' keys."""
        found = ((key, self._waiting[request_id]) for request_id, key in self._ids.items())
        return {key: waiting.result() for key, waiting in found if waiting.done()}

    def withdrawals(self) -> Iterator[bytes]:
        """The messages that tell the client that some questions no longer need an answer."""
        for request_id in self._ids:
            if not self._waiting[request_id].done():
                yield withdrawal(request_id)

    def forget(self) -> None:
        """Stop waiting."""
        for request_id in self._ids:
            self._waiting.pop(request_id).cancel()
