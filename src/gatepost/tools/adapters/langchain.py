"""LangChain's models and agents, and LangGraph's `ToolNode`."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from gatepost.tools.adapters.tool_calls import aanswer, answer, by_name, installed
from gatepost.tools.tool import Tool

if TYPE_CHECKING:
    from langchain_core.tools import StructuredTool

_KEPT: Final = frozenset({"config", "run_manager", "self"})
_THEIRS: Final = ("langchain_core", "langgraph")


def langchain_tools(tools: Iterable[Tool]) -> "list[StructuredTool]":
    """For `bind_tools` and `ToolNode`. A refusal is a tool message of status `error`."""
    with installed("langchain_tools", "langchain_core", "langchain-core"):
        from langchain_core.tools import StructuredTool

    return [
        StructuredTool(
            name=tool.name,
            description=tool.description,
            args_schema=tool.schema,
            **_calls(tool),
            handle_tool_error=True,
        )
        for tool in by_name(tools).values()
    ]


def _calls(tool: Tool) -> dict[str, Any]:
    from langchain_core.tools import ToolException

    kept = _KEPT.intersection(tool.schema["properties"])
    if kept:
        raise ValueError(
            f"{tool.name} has a parameter {', '.join(sorted(kept))}, which LangChain reserves: rename it."
        )

    def run(**arguments: Any) -> str:
        return answer(tool, arguments, passing=_THEIRS).or_raise(ToolException)

    async def run_async(**arguments: Any) -> str:
        return (await aanswer(tool, arguments, passing=_THEIRS)).or_raise(ToolException)

    return {"func": run, "coroutine": run_async}
