"""Results of a request, other than errors."""

from __future__ import annotations

from gatepost.surfaces.mcp.messages import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatepost.surfaces.mcp.exchange import Answer, Question


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
    """A legacy request that waits for answers. The transport fetches them and sends the request again."""

    __slots__ = ("known", "questions")

    def __init__(self, questions: dict[str, Question], known: dict[str, Answer]) -> None:
        self.questions = questions
        self.known = known
