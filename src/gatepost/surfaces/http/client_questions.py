"""Questions to a legacy client: sent on the stream of their request, answered by other requests."""

import asyncio
from collections.abc import Iterator, Mapping

from gatepost.surfaces.mcp.exchange import Answer, Question
from gatepost.surfaces.mcp.messages import INVALID_REQUEST, RpcError, RpcReply, encode, short


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
        result, error = message.get("result"), message.get("error")
        if isinstance(result, dict):
            waiting.set_result(result)
            return
        problem = error.get("message") if isinstance(error, dict) else None
        waiting.set_exception(RpcError(INVALID_REQUEST, f"the client could not answer: {short(problem)}"))


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
            yield RpcReply(encode({"jsonrpc": "2.0", "id": request_id, **self._questions[key]})).body

    async def answered(self, seconds: float) -> bool:
        """Wait for all answers up to a limit. Returns whether they came."""
        _, missing = await asyncio.wait([self._waiting[key] for key in self._ids], timeout=seconds)
        return not missing

    def answers(self) -> dict[str, Answer]:
        """The answers by their questions' keys. Raises an `RpcError` for one that the client could not give."""
        return {key: self._waiting[request_id].result() for request_id, key in self._ids.items()}

    def forget(self) -> None:
        """Stop waiting."""
        for request_id in self._ids:
            waiting = self._waiting.pop(request_id)
            if waiting.done() and not waiting.cancelled():
                waiting.exception()  # retrieved, so that asyncio does not report it as lost
            waiting.cancel()
