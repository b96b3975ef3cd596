"""Pydantic AI's agents."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from gatepost.tools.adapters.tool_calls import aanswer, by_name, installed
from gatepost.tools.tool import Tool

if TYPE_CHECKING:
    from pydantic_ai import RunContext
    from pydantic_ai.toolsets import AbstractToolset, ToolsetTool


def pydantic_ai_toolset(tools: Iterable[Tool]) -> "AbstractToolset[Any]":
    """For `toolsets=` of an `Agent`."""
    with installed("pydantic_ai_toolset", "pydantic_ai", "pydantic-ai-slim"):
        from pydantic_ai import ToolDefinition, ToolFailed
        from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
        from pydantic_core import SchemaValidator, core_schema

    known = by_name(tools)
    # Whatever a model sends reaches the tool, which reads it strictly and says what is wrong; null is no arguments.
    anything = SchemaValidator(
        core_schema.no_info_plain_validator_function(lambda sent: {} if sent is None else sent)
    )

    # `Tool.from_schema` would do, but for arguments that are no object: they end the run.
    class Toolset(AbstractToolset[Any]):  # type: ignore[misc]  # mypy does not follow this package
        @property
        def id(self) -> str | None:
            return None

        async def get_tools(self, ctx: "RunContext[Any]") -> "dict[str, ToolsetTool[Any]]":
            return {tool.name: self._shown(tool, ctx.max_retries) for tool in known.values()}

        async def call_tool(
            self,
            name: str,
            tool_args: dict[str, Any],
            ctx: "RunContext[Any]",  # noqa: ARG002 - theirs
            tool: "ToolsetTool[Any]",  # noqa: ARG002 - theirs
        ) -> str:
            return (await aanswer(known[name], tool_args, passing=("pydantic_ai",))).or_raise(ToolFailed)

        def _shown(self, tool: Tool, retries: int) -> "ToolsetTool[Any]":
            shown = ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=tool.schema)
            return ToolsetTool(toolset=self, tool_def=shown, max_retries=retries, args_validator=anything)

    return Toolset()
