"""OpenAI's chat completions (and compatible APIs) and its Responses API, in a loop of your own."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from gatepost.tools.adapters.strict import strict
from gatepost.tools.adapters.tool_calls import Answered, ModelCall, Shape, aanswers, answers, by_name, part
from gatepost.tools.tool import Tool

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionToolParam
    from openai.types.responses import FunctionToolParam


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
    return _messages(answers(_tool_calls(message), by_name(tools)))


async def openai_aresults(message: Any, tools: Iterable[Tool]) -> list[Shape]:
    """The same on an event loop. Async tools are awaited."""
    return _messages(await aanswers(_tool_calls(message), by_name(tools)))


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
    return _outputs(answers(_function_calls(response), _in_strict_mode(tools)))


async def responses_aresults(response: Any, tools: Iterable[Tool]) -> list[Shape]:
    """The same on an event loop. Async tools are awaited."""
    return _outputs(await aanswers(_function_calls(response), _in_strict_mode(tools)))


def _tool_calls(message: Any) -> list[ModelCall]:
    # A call of a custom tool has no function, and so names none that is known.
    functions = ((part(call, "id"), part(call, "function")) for call in part(message, "tool_calls") or ())
    return [ModelCall(name, part(function, "name"), part(function, "arguments")) for name, function in functions]


def _messages(answered: Answered) -> list[Shape]:
    return [{"role": "tool", "tool_call_id": call.id, "content": found.text} for call, found in answered]


def _in_strict_mode(tools: Iterable[Tool]) -> dict[str, Tool]:
    return {name: strict(tool) or tool for name, tool in by_name(tools).items()}


def _function_calls(response: Any) -> list[ModelCall]:
    items = response if isinstance(response, list) else part(response, "output")
    return [
        ModelCall(part(item, "call_id"), part(item, "name"), part(item, "arguments"))
        for item in items or ()
        if part(item, "type") == "function_call"
    ]


def _outputs(answered: Answered) -> list[Shape]:
    return [{"type": "function_call_output", "call_id": call.id, "output": found.text} for call, found in answered]
