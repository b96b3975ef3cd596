"""Anthropic's Messages API in a loop of your own, and its tool runner, which loops for you."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from gatepost.tools.adapters.tool_calls import (
    Answered,
    ModelCall,
    Shape,
    aanswer,
    aanswers,
    answer,
    answers,
    by_name,
    installed,
    part,
)
from gatepost.tools.tool import Tool

if TYPE_CHECKING:
    from anthropic.lib.tools import BetaAsyncBuiltinFunctionTool, BetaBuiltinFunctionTool
    from anthropic.types import ToolParam
    from anthropic.types.beta import BetaToolParam


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
    return _message(answers(_calls(message), by_name(tools)))


async def anthropic_aresults(message: Any, tools: Iterable[Tool]) -> Shape | None:
    """The same on an event loop. Async tools are awaited."""
    return _message(await aanswers(_calls(message), by_name(tools)))


def anthropic_runnables(tools: Iterable[Tool]) -> "list[BetaBuiltinFunctionTool]":
    """For `tools=` of `client.beta.messages.tool_runner`."""
    with installed("anthropic_runnables", "anthropic", "anthropic"):
        from anthropic.lib.tools import BetaBuiltinFunctionTool, ToolError

    class Runnable(_Described, BetaBuiltinFunctionTool):
        def call(self, input: object) -> str:  # noqa: A002 - their name for it
            return answer(self._tool, input, passing=("anthropic",)).or_raise(ToolError)

    return [Runnable(tool) for tool in by_name(tools).values()]


def anthropic_arunnables(tools: Iterable[Tool]) -> "list[BetaAsyncBuiltinFunctionTool]":
    """For `tools=` of `tool_runner` of an `AsyncAnthropic`."""
    with installed("anthropic_arunnables", "anthropic", "anthropic"):
        from anthropic.lib.tools import BetaAsyncBuiltinFunctionTool, ToolError

    class Runnable(_Described, BetaAsyncBuiltinFunctionTool):
        async def call(self, input: object) -> str:  # noqa: A002 - their name for it
            return (await aanswer(self._tool, input, passing=("anthropic",))).or_raise(ToolError)

    return [Runnable(tool) for tool in by_name(tools).values()]


def _calls(message: Any) -> list[ModelCall]:
    blocks = message if isinstance(message, Sequence) else part(message, "content")
    return [
        ModelCall(part(block, "id"), part(block, "name"), part(block, "input"))
        for block in ([] if isinstance(blocks, str) else blocks)
        if part(block, "type") == "tool_use"
    ]


def _message(answered: Answered) -> Shape | None:
    results = [
        {"type": "tool_result", "tool_use_id": call.id, "content": found.text, "is_error": not found.success}
        for call, found in answered
    ]
    return {"role": "user", "content": results} if results else None


class _Described:
    """A tool as the runner describes it to the model."""

    def __init__(self, tool: Tool) -> None:
        self._tool = tool

    def to_dict(self) -> "BetaToolParam":
        return {"name": self._tool.name, "description": self._tool.description, "input_schema": self._tool.schema}
