"""Anthropic's Messages API, in a loop of your own."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from gatepost.tools.adapters.tool_calls import Shape, ToolAnswer, ToolCall, aanswers, answers, by_name, part
from gatepost.tools.tool import Tool

if TYPE_CHECKING:
    from anthropic.types import ToolParam


def anthropic_tools(tools: Iterable[Tool]) -> "list[ToolParam]":
    """For `tools=` of the Messages API."""
    return [
        {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
        for tool in by_name(tools).values()
    ]


def anthropic_results(message: Any, tools: Iterable[Tool]) -> Shape | None:
    """Run the tools that an assistant's message calls. Returns the user message with the results, or `None`.

    Accepts a `Message`, the same as a dict, or its content blocks.
    """
    calls = _calls(message)
    return _message(calls, answers(calls, by_name(tools)))


async def anthropic_aresults(message: Any, tools: Iterable[Tool]) -> Shape | None:
    """The same on an event loop. Async tools are awaited."""
    calls = _calls(message)
    return _message(calls, await aanswers(calls, by_name(tools)))


def _calls(message: Any) -> list[ToolCall]:
    blocks = message if isinstance(message, Sequence) else part(message, "content")
    return [
        ToolCall(part(block, "id"), part(block, "name"), part(block, "input"))
        for block in ([] if isinstance(blocks, str) else blocks)
        if part(block, "type") == "tool_use"
    ]


def _message(calls: Sequence[ToolCall], answered: Sequence[ToolAnswer]) -> Shape | None:
    results = [
        {"type": "tool_result", "tool_use_id": call.id, "content": found.text, "is_error": not found.success}
        for call, found in zip(calls, answered, strict=True)
    ]
    return {"role": "user", "content": results} if results else None
