"""Anthropic's tool runner, which loops for you."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from gatepost.tools.adapters.tool_calls import aanswer, answer, by_name, installed
from gatepost.tools.tool import Tool

if TYPE_CHECKING:
    from anthropic.lib.tools import BetaAsyncBuiltinFunctionTool, BetaBuiltinFunctionTool
    from anthropic.types.beta import BetaToolParam


def anthropic_runnables(tools: Iterable[Tool]) -> "list[BetaBuiltinFunctionTool]":
    """For `tools=` of `client.beta.messages.tool_runner`."""
    with installed("anthropic_runnables", "anthropic", "anthropic"):
        from anthropic.lib.tools import BetaBuiltinFunctionTool, ToolError

    class Runnable(BetaBuiltinFunctionTool):
        def __init__(self, tool: Tool) -> None:
            self._tool = tool

        def to_dict(self) -> "BetaToolParam":
            return _shown(self._tool)

        def call(self, input: object) -> str:  # noqa: A002 - their name for it
            return answer(self._tool, input, passing=("anthropic",)).or_raise(ToolError)

    return [Runnable(tool) for tool in by_name(tools).values()]


def anthropic_arunnables(tools: Iterable[Tool]) -> "list[BetaAsyncBuiltinFunctionTool]":
    """For `tools=` of `tool_runner` of an `AsyncAnthropic`."""
    with installed("anthropic_arunnables", "anthropic", "anthropic"):
        from anthropic.lib.tools import BetaAsyncBuiltinFunctionTool, ToolError

    class Runnable(BetaAsyncBuiltinFunctionTool):
        def __init__(self, tool: Tool) -> None:
            self._tool = tool

        def to_dict(self) -> "BetaToolParam":
            return _shown(self._tool)

        async def call(self, input: object) -> str:  # noqa: A002 - their name for it
            return (await aanswer(self._tool, input, passing=("anthropic",))).or_raise(ToolError)

    return [Runnable(tool) for tool in by_name(tools).values()]


def _shown(tool: Tool) -> "BetaToolParam":
    return {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
