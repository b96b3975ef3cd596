"""Results of a request, other than errors."""

from __future__ import annotations

from gatepost.surfaces import faults
from gatepost.surfaces.mcp.exchange import NO_ANSWER, ClientAnswers
from gatepost.surfaces.mcp.messages import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatepost.surfaces.mcp.exchange import Answer, InputRequired, Question


class CallToolResult:
    """A tool's reply as compact JSON text, and whether it is a refusal.

    `structured` sends it as an object as well, for a client that was given output schemas. Clients show a model
    both, so it would pay twice.
    """

    __slots__ = ("refused", "structured", "text")

    def __init__(self, text: str, *, refused: bool = False, structured: bool = False) -> None:
        self.text = text
        self.refused = refused
        self.structured = structured

    def members(self) -> str:
        """The members of the result."""
        text, refused = encode(self.text), "true" if self.refused else "false"
        blocks = f'"content":[{{"type":"text","text":{text}}}],'
        if not self.structured:
            return f'{blocks}"isError":{refused}'
        # The reply is inserted unchanged. Line breaks in JSON are either escaped or white space.
        content = self.text.replace("\n", " ").replace("\r", " ")
        return f'{blocks}"structuredContent":{content},"isError":{refused}'


class Blocks:
    """A tool's answer that is not an object: blocks of text, images and so on."""

    __slots__ = ("blocks", "refused")

    def __init__(self, blocks: list[dict[str, object]], *, refused: bool = False) -> None:
        self.blocks = blocks
        self.refused = refused

    def members(self) -> str:
        """The members of the result."""
        return f'"content":{encode(self.blocks)},"isError":{"true" if self.refused else "false"}'


class PendingQuestions:
    """A legacy request that waits for answers. The transport fetches them and sends the request again.

    It need not wait any longer once the question is `settled`.
    """

    __slots__ = ("_required",)

    def __init__(self, required: InputRequired) -> None:
        self._required = required

    @property
    def questions(self) -> dict[str, Question]:
        """What to ask, by keys."""
        return self._required.questions

    def settled(self) -> bool:
        """Whether no answer is needed any more. Call it now and then."""
        try:
            return self._required.settled is not None and self._required.settled()
        except Exception as error:  # noqa: BLE001 - an edge: a transport cannot report it, so the call continues
            faults.report("while a question waits", error)
            return True

    def with_answers(self, answers: dict[str, Answer]) -> ClientAnswers:
        """What to send the request again with."""
        given = {key: answers.get(key, NO_ANSWER) for key in self.questions}
        return ClientAnswers(self._required.known | given, self._required.kept)
