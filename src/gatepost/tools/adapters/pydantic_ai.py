"""Pydantic AI's agents."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from gatepost.tools.adapters.answers import answer_async, by_name, installed
from gatepost.tools.tool import Tool

if TYPE_CHECKING:
    import pydantic_ai


def pydantic_ai_tools(tools: Iterable[Tool]) -> "list[pydantic_ai.Tool[object]]":
    """For `tools=` of an `Agent`, or of a `FunctionToolset`."""
    with installed("pydantic_ai_tools", "pydantic_ai", "pydantic-ai-slim"):
        from pydantic_ai import Tool as Made

    return [
        Made.from_schema(_call(tool), tool.name, tool.description, tool.schema) for tool in by_name(tools).values()
    ]


def _call(tool: Tool) -> "Callable[..., Any]":
    from pydantic_ai import ToolFailed

    async def run(**arguments: Any) -> str:
        return (await answer_async(tool, arguments, passing=("pydantic_ai",))).or_raise(ToolFailed)

    return run
