"""Progress, logging and questions to the client during a request, in both eras.

A handler asks before it writes, and runs again with the answers: a modern client sends them with its next request;
from a legacy client the transport fetches them. So nothing waits, and no thread is held.
"""

from __future__ import annotations

from gatepost.surfaces.mcp.messages import (
    CAPABILITIES_KEY,
    INVALID_PARAMS,
    MISSING_CAPABILITY,
    Peer,
    Request,
    RpcError,
    notice,
    short,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from gatepost.engine.checks import Cancellation

Question = dict[str, object]
"""The `method` and the `params` of a question."""
Answer = dict[str, object]

LEVELS: Final = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
LEVEL_KEY: Final = "io.modelcontextprotocol/logLevel"

# The capability a client needs to be asked, and a member that every such answer has.
_ASKABLE: Final = {
    "elicitation/create": ("elicitation", "action"),
    "sampling/createMessage": ("sampling", "content"),
    "roots/list": ("roots", "roots"),
}


def askable(declared: object) -> frozenset[str]:
    """The capabilities that let a client be asked something. Others need not be remembered."""
    given = declared if isinstance(declared, dict) else {}
    return frozenset(need for need, _ in _ASKABLE.values() if need in given)


class InputRequired(Exception):
    """A handler needs answers before it can go on. `known` are the answers so far."""

    def __init__(self, questions: dict[str, Question], known: dict[str, Answer]) -> None:
        super().__init__(", ".join(questions))
        self.questions = questions
        self.known = known


class Exchange:
    """One request and the client behind it, for its handler."""

    __slots__ = ("_answers", "_capabilities", "_level", "_send", "_token", "_used", "cancelled", "client")

    def __init__(
        self,
        request: Request,
        peer: Peer,
        answers: dict[str, Answer],
        send: Callable[[bytes], None] | None,
        cancelled: Cancellation | None = None,
    ) -> None:
        declared = request.meta.get(CAPABILITIES_KEY)
        modern = isinstance(declared, dict)
        self.client = peer.name
        remembered = peer.capabilities if peer.asks else frozenset()
        self._capabilities = askable(declared) if modern else remembered
        self._level = request.meta.get(LEVEL_KEY) if modern else peer.level
        self._token = request.meta.get("progressToken")
        self._answers = answers
        self._used: dict[str, Answer] = {}
        self._send = send
        self.cancelled = cancelled
        """Set when the client no longer waits, where the transport can tell while a call runs."""

    def can(self, capability: str) -> bool:
        """Whether the client supports questions of this kind."""
        return capability in self._capabilities

    def ask(self, questions: dict[str, Question]) -> dict[str, Answer]:
        """The client's answers, by the same keys. Call it before any write: the handler may run again."""
        for question in questions.values():
            need, _ = _ASKABLE[str(question["method"])]
            if not self.can(need):
                words = f"this needs a client that declares the capability {need}"
                raise RpcError(MISSING_CAPABILITY, words, {"requiredCapabilities": {need: {}}})
        for key in questions.keys() & self._answers.keys():
            self._used[key] = _judged(key, questions[key], self._answers[key])
        missing = {key: question for key, question in questions.items() if key not in self._used}
        if missing:
            raise InputRequired(missing, self._used)
        return {key: self._used[key] for key in questions}

    def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Report progress, if the client asked for it."""
        if self._token is not None:
            given = {"progressToken": self._token, "progress": progress, "total": total, "message": message}
            self._say("notifications/progress", {name: value for name, value in given.items() if value is not None})

    def log(self, level: str, data: object) -> None:
        """Send a log message, if the client asked for this level."""
        if self._level in LEVELS and LEVELS.index(level) >= LEVELS.index(str(self._level)):
            self._say("notifications/message", {"level": level, "data": data})

    def _say(self, method: str, params: dict[str, object]) -> None:
        if self._send is not None:
            self._send(notice(method, params))


def _judged(key: str, question: Question, answer: Answer) -> Answer:
    _, member = _ASKABLE[str(question["method"])]
    if member not in answer:
        words = f"the answer to {short(key)} has no {member}: answer {question['method']} again"
        raise RpcError(INVALID_PARAMS, words)
    return answer
