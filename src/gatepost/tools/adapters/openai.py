"""OpenAI's APIs, with a loop of your own: Responses, and chat completions with all who speak like them."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from gatepost.tools.adapters.answers import Shape, answer_by_name, by_name, part
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
    known = {name: strict(tool) or tool for name, tool in by_name(tools).items()}
    items = response if isinstance(response, list) else part(response, "output")
    return [_output(item, known) for item in items or () if part(item, "type") == "function_call"]


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
    known = by_name(tools)
    return [_message(call, known) for call in part(message, "tool_calls") or ()]


def _output(item: Any, known: Mapping[str, Tool]) -> Shape:
    answered = answer_by_name(known, part(item, "name"), part(item, "arguments"))
    return {"type": "function_call_output", "call_id": part(item, "call_id"), "output": answered.text}


def _message(call: Any, known: Mapping[str, Tool]) -> Shape:
    # A call of a custom tool has no function, and so names none that is known.
    function = part(call, "function")
    answered = answer_by_name(known, part(function, "name"), part(function, "arguments"))
    return {"role": "tool", "tool_call_id": part(call, "id"), "content": answered.text}
