"""OpenAI's Agents SDK."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from gatepost.tools.adapters.strict import strict
from gatepost.tools.adapters.tool_calls import aanswer, by_name, installed
from gatepost.tools.tool import Tool

if TYPE_CHECKING:
    from agents import Tool as AgentsTool
    from agents.tool_context import ToolContext


def agents_tools(tools: Iterable[Tool]) -> "list[AgentsTool]":
    """For `tools=` of an `Agent`, in strict mode where a tool's schema allows it."""
    with installed("agents_tools", "agents", "openai-agents"):
        from agents import FunctionTool

    def made(tool: Tool, in_strict: Tool | None) -> "AgentsTool":
        shown = in_strict or tool

        async def invoke(_context: "ToolContext[Any]", arguments: str) -> str:
            return (await aanswer(shown, arguments, passing=("agents",))).text

        return FunctionTool(
            name=tool.name,
            description=tool.description,
            params_json_schema=shown.schema,
            on_invoke_tool=invoke,
            strict_json_schema=in_strict is not None,
        )

    return [made(tool, strict(tool)) for tool in by_name(tools).values()]
