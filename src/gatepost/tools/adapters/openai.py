"""OpenAI's APIs, with a loop of your own: Responses, and chat completions with all who speak like them."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from gatepost.tools.adapters.answers import Answer, Call, Shape, aanswers, answers, by_name, part
from gatepost.tools.adapters.strict import strict
from gatepost.tools.tool import Tool

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionToolParam
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
    """Run every tool that a response calls; the input items that answer.

    Takes a `Response`, one as a dict, or its output items.
    """
    calls = _function_calls(response)
    return _outputs(calls, answers(calls, _in_strict_mode(tools)))


async def responses_aresults(response: Any, tools: Iterable[Tool]) -> list[Shape]:
    """The same on an event loop, where async tools are awaited."""
    calls = _function_calls(response)
    return _outputs(calls, await aanswers(calls, _in_strict_mode(tools)))


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
    """Run every tool that an assistant's message asks for; the tool messages that answer.

    Takes a `ChatCompletionMessage`, or one as a dict.
    """
    calls = _tool_calls(message)
    return _messages(calls, answers(calls, by_name(tools)))


async def openai_aresults(message: Any, tools: Iterable[Tool]) -> list[Shape]:
    """The same on an event loop, where async tools are awaited."""
    calls = _tool_calls(message)
    return _messages(calls, await aanswers(calls, by_name(tools)))


def _in_strict_mode(tools: Iterable[Tool]) -> dict[str, Tool]:
    return {name: strict(tool) or tool for name, tool in by_name(tools).items()}


def _function_calls(response: Any) -> list[Call]:
    items = response if isinstance(response, list) else part(response, "output")
    return [
        Call(part(item, "call_id"), part(item, "name"), part(item, "arguments"))
        for item in items or ()
        if part(item, "type") == "function_call"
    ]


def _outputs(calls: Sequence[Call], answered: Sequence[Answer]) -> list[Shape]:
    return [
        {"type": "function_call_output", "call_id": call.id, "output": found.text}
        for call, found in zip(calls, answered, strict=True)
    ]


def _tool_calls(message: Any) -> list[Call]:
    # A call of a custom tool has no function, and so names none that is known.
    functions = ((part(call, "id"), part(call, "function")) for call in part(message, "tool_calls") or ())
    return [Call(name, part(function, "name"), part(function, "arguments")) for name, function in functions]


def _messages(calls: Sequence[Call], answered: Sequence[Answer]) -> list[Shape]:
    return [
        {"role": "tool", "tool_call_id": call.id, "content": found.text}
        for call, found in zip(calls, answered, strict=True)
    ]
