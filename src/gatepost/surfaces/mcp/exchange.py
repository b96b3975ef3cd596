"""Progress, logging and questions to the client during a request, in both eras.

A handler that asks runs again with the answers: a modern client sends them with its next request; from a legacy
client the transport fetches them. So nothing waits, and no thread is held. A handler asks before it writes, or says
with its question what it must know when it runs again.
"""

from __future__ import annotations

from gatepost.surfaces.mcp.messages import (
    CAPABILITIES_KEY,
    INVALID_PARAMS,
    MISSING_CAPABILITY,
    McpRequest,
    Peer,
    RpcError,
    RpcReply,
    encode,
    notice,
    short,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from gatepost.engine.checks import Cancellation

    Kept = dict[str, object] | None

Question = dict[str, object]
"""The `method` and the `params` of a question."""
Answer = dict[str, object]

NO_ANSWER: Final[Answer] = {"action": "cancel"}
"""The answer to use for a client that gives none."""
LEVELS: Final = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
LEVEL_KEY: Final = "io.modelcontextprotocol/logLevel"

# The capability a client needs to be asked, and a member that every such answer has.
_ASKABLE: Final = {
    "elicitation/create": ("elicitation", "action"),
    "sampling/createMessage": ("sampling", "content"),
    "roots/list": ("roots", "roots"),
}


def asks_user(tool: str, arguments: dict[str, object]) -> bool:
    """Whether a call asks a question that the client could ask its user."""
    return tool == "tasks_block" and arguments.get("ask") is not None


def askable(declared: object) -> frozenset[str]:
    """The capabilities that let a client be asked something. Others need not be remembered."""
    given = declared if isinstance(declared, dict) else {}
    forms = given.get("elicitation")
    by_link_alone = isinstance(forms, dict) and "url" in forms and "form" not in forms
    found = frozenset(need for need, _ in _ASKABLE.values() if need in given)
    return found - {"elicitation"} if by_link_alone else found


class InputRequired(Exception):
    """A handler needs answers before it can go on. `known` are the answers so far.

    `kept` is what the handler needs from this run. `settled` can be called now and then; it says that no answer is
    needed any more.
    """

    def __init__(
        self,
        questions: dict[str, Question],
        known: dict[str, Answer],
        kept: Kept = None,
        settled: Callable[[], bool] | None = None,
    ) -> None:
        super().__init__(", ".join(questions))
        self.questions = questions
        self.known = known
        self.kept = kept
        self.settled = settled


class ClientAnswers:
    """A client's answers so far, by the keys of the questions, and what the handler kept when it asked."""

    __slots__ = ("given", "kept")

    def __init__(self, given: dict[str, Answer], kept: Kept = None) -> None:
        self.given = given
        self.kept = kept


class Exchange:
    """One request and the client behind it, for its handler."""

    __slots__ = ("_answers", "_capabilities", "_level", "_send", "_token", "_used", "cancelled", "client", "kept")

    def __init__(
        self,
        request: McpRequest,
        peer: Peer,
        answers: ClientAnswers | None,
        send: Callable[[bytes], None] | None,
        cancelled: Cancellation | None = None,
    ) -> None:
        declared = request.meta.get(CAPABILITIES_KEY)
        modern = isinstance(declared, dict)
        self.client = peer.name
        # A legacy client is asked on the stream of its request, which needs a stream.
        remembered = peer.capabilities if peer.asks and send is not None else frozenset()
        self._capabilities = askable(declared) if modern else remembered
        self._level = request.meta.get(LEVEL_KEY) if modern else peer.level
        self._token = request.meta.get("progressToken")
        self._answers = {} if answers is None else answers.given
        self.kept = None if answers is None else answers.kept
        """What the handler kept when it asked; none if it has not asked yet."""
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

    def response(self, key: str) -> Answer | None:
        """The client's answer to a question of an earlier run."""
        return self._answers.get(key)

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


def question_message(request_id: str, question: Question) -> bytes:
    """A question to a legacy client, as a line of UTF-8."""
    return RpcReply(encode({"jsonrpc": "2.0", "id": request_id, **question})).body


def withdrawal(request_id: str) -> bytes:
    """Tells a legacy client that a question needs no answer any more."""
    return notice("notifications/cancelled", {"requestId": request_id, "reason": "No answer is needed any more."})


def _judged(key: str, question: Question, answer: Answer) -> Answer:
    _, member = _ASKABLE[str(question["method"])]
    if member not in answer:
        words = f"the answer to {short(key)} has no {member}: answer {question['method']} again"
        raise RpcError(INVALID_PARAMS, words)
    return answer
