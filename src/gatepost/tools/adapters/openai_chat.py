"""OpenAI's chat completions and compatible APIs, in a loop of your own."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from gatepost.tools.adapters.tool_calls import Shape, ToolAnswer, ToolCall, aanswers, answers, by_name, part
from gatepost.tools.tool import Tool

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionToolParam


def openai_tools(tools: Iterable[Tool]) -> "list[ChatCompletionToolParam]":
    """For `tools=` of chat completions."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema},
        }
        for tool in by_name(tools).values()
    ]


def openai_results(message: Any, tools: Iterable[Tool]) -> list[Shape]:
    """Run the tools that an assistant's message calls. Returns the tool messages with the results.

    Accepts a `ChatCompletionMessage`, or the same as a dict.
    """
    calls = _tool_calls(message)
    return _messages(calls, answers(calls, by_name(tools)))


async def openai_aresults(message: Any, tools: Iterable[Tool]) -> list[Shape]:
    """The same on an event loop. Async tools are awaited."""
    calls = _tool_calls(message)
    return _messages(calls, await aanswers(calls, by_name(tools)))


def _tool_calls(message: Any) -> list[ToolCall]:
    # A call of a custom tool has no function, and so names none that is known.
    functions = ((part(call, "id"), part(call, "function")) for call in part(message, "tool_calls") or ())
    return [ToolCall(name, part(function, "name"), part(function, "arguments")) for name, function in functions]


def _messages(calls: Sequence[ToolCall], answered: Sequence[ToolAnswer]) -> list[Shape]:
    return [
        {"role": "tool", "tool_call_id": call.id, "content": found.text}
        for call, found in zip(calls, answered, strict=True)
    ]
