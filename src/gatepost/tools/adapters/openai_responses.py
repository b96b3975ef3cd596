"""OpenAI's Responses API, in a loop of your own."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from gatepost.tools.adapters.strict import strict
from gatepost.tools.adapters.tool_calls import Shape, ToolAnswer, ToolCall, aanswers, answers, by_name, part
from gatepost.tools.tool import Tool

if TYPE_CHECKING:
    from openai.types.responses import FunctionToolParam


def responses_tools(tools: Iterable[Tool]) -> "list[FunctionToolParam]":
    """For `tools=` of the Responses API, in strict mode where a tool's schema allows it."""
    return [
        {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": (in_strict or tool).schema,
            "strict": in_strict is not None,
        }
        for tool, in_strict in ((tool, strict(tool)) for tool in by_name(tools).values())
    ]


def responses_results(response: Any, tools: Iterable[Tool]) -> list[Shape]:
    """Run the tools that a response calls. Returns the input items with the results.

    Accepts a `Response`, the same as a dict, or its output items.
    """
    calls = _function_calls(response)
    return _outputs(calls, answers(calls, _in_strict_mode(tools)))


async def responses_aresults(response: Any, tools: Iterable[Tool]) -> list[Shape]:
    """The same on an event loop. Async tools are awaited."""
    calls = _function_calls(response)
    return _outputs(calls, await aanswers(calls, _in_strict_mode(tools)))


def _in_strict_mode(tools: Iterable[Tool]) -> dict[str, Tool]:
    return {name: strict(tool) or tool for name, tool in by_name(tools).items()}


def _function_calls(response: Any) -> list[ToolCall]:
    items = response if isinstance(response, list) else part(response, "output")
    return [
        ToolCall(part(item, "call_id"), part(item, "name"), part(item, "arguments"))
        for item in items or ()
        if part(item, "type") == "function_call"
    ]


def _outputs(calls: Sequence[ToolCall], answered: Sequence[ToolAnswer]) -> list[Shape]:
    return [
        {"type": "function_call_output", "call_id": call.id, "output": found.text}
        for call, found in zip(calls, answered, strict=True)
    ]
