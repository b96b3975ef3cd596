"""Tools in the formats of others: one call to show them to a model, one to answer what the model asked for.

    message = client.messages.create(tools=anthropic_tools(tools), messages=messages, …)
    messages += [{"role": "assistant", "content": message.content}, anthropic_results(message, tools)]

Whatever a model sends, it is answered: a refusal becomes an error result that says how to go on. A fault in a
handler is not the model's, and is raised. None of the packages is imported before it is needed, nor required.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from gatepost.domain.refusals import InvalidInput, Refusal, UnknownTool
from gatepost.tools.tool import Tool
from gatepost.wire import rendering
from gatepost.wire.explain import nearest

if TYPE_CHECKING:
    from langchain_core.tools import StructuredTool

Shape = dict[str, Any]

_KEPT_BY_LANGCHAIN: Final = frozenset({"config", "run_manager", "self"})


def anthropic_tools(tools: Iterable[Tool]) -> list[Shape]:
    """For `tools=` of Anthropic's Messages API."""
    return [
        {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
        for tool in _by_name(tools).values()
    ]


def anthropic_results(message: Any, tools: Iterable[Tool]) -> Shape | None:
    """Run every tool that an assistant's message asks for; the user's message that answers, or nothing to answer.

    Takes a `Message`, one as a dict, or its content blocks.
    """
    known = _by_name(tools)
    blocks = message if isinstance(message, Sequence) else _part(message, "content")
    results = [
        _anthropic_result(block, known)
        for block in ([] if isinstance(blocks, str) else blocks)
        if _part(block, "type") == "tool_use"
    ]
    return {"role": "user", "content": results} if results else None


def openai_tools(tools: Iterable[Tool]) -> list[Shape]:
    """For `tools=` of OpenAI's chat completions, and of all who speak like them."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema},
        }
        for tool in _by_name(tools).values()
    ]


def openai_results(message: Any, tools: Iterable[Tool]) -> list[Shape]:
    """Run every tool that an assistant's message asks for; the tool messages that answer.

    Takes a `ChatCompletionMessage`, or one as a dict.
    """
    known = _by_name(tools)
    return [_openai_result(call, known) for call in _part(message, "tool_calls") or ()]


def langchain_tools(tools: Iterable[Tool]) -> "list[StructuredTool]":
    """For `bind_tools` of LangChain's models and for its agents. A refusal is a tool message of status `error`."""
    try:
        from langchain_core.tools import StructuredTool
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != "langchain_core":
            raise
        raise ModuleNotFoundError(
            "langchain_tools needs LangChain: pip install langchain-core", name=missing.name
        ) from None

    return [
        StructuredTool(
            name=tool.name,
            description=tool.description,
            args_schema=tool.schema,
            func=_langchain_call(tool),
            handle_tool_error=True,
        )
        for tool in _by_name(tools).values()
    ]


class _Answer(NamedTuple):
    text: str
    success: bool


def _anthropic_result(block: Any, known: Mapping[str, Tool]) -> Shape:
    answer = _answer(known, _part(block, "name"), _part(block, "input"))
    return {
        "type": "tool_result",
        "tool_use_id": _part(block, "id"),
        "content": answer.text,
        "is_error": not answer.success,
    }


def _openai_result(call: Any, known: Mapping[str, Tool]) -> Shape:
    # A call of a custom tool has no function, and so names none that is known.
    function = _part(call, "function")
    answer = _answer(known, _part(function, "name"), _part(function, "arguments"))
    return {"role": "tool", "tool_call_id": _part(call, "id"), "content": answer.text}


def _langchain_call(tool: Tool) -> Any:
    from langchain_core.tools import ToolException

    kept = _KEPT_BY_LANGCHAIN.intersection(tool.schema["properties"])
    if kept:
        raise ValueError(
            f"{tool.name} has a parameter {', '.join(sorted(kept))}, which LangChain keeps for itself: rename it."
        )

    def run(**arguments: Any) -> str:
        answer = _answer({tool.name: tool}, tool.name, arguments)
        if not answer.success:
            raise ToolException(answer.text)
        return answer.text

    return run


def _answer(known: Mapping[str, Tool], name: Any, arguments: Any) -> _Answer:
    """What a model is told, whatever it asked for."""
    try:
        result = _find(known, name).call(_parsed(arguments))
    except Refusal as refusal:
        return _Answer(rendering.refusal(refusal), success=False)
    return _Answer(result.render(), result.success)


def _find(known: Mapping[str, Tool], name: Any) -> Tool:
    found = known.get(name) if isinstance(name, str) else None
    if found is None:
        asked = str(name)[:80].encode("utf-8", "backslashreplace").decode()
        raise UnknownTool(
            f"There is no tool {asked}{nearest(asked, list(known))}",
            f"Call one of: {', '.join(known)}." if known else "Go on without tools: there are none.",
        )
    return found


def _parsed(arguments: Any) -> Any:
    """Arguments as they came, or as the JSON in a text says. An empty text is how some models say nothing."""
    if not isinstance(arguments, str):
        return arguments
    if not arguments.strip():
        return {}
    try:
        return msgspec.json.decode(arguments)
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise InvalidInput([("arguments", f"must be a JSON object: {error}")]) from None
    except RecursionError:
        raise InvalidInput([("arguments", "are nested too deeply")]) from None


def _by_name(tools: Iterable[Tool]) -> dict[str, Tool]:
    named: dict[str, Tool] = {}
    for tool in tools:
        if tool.name in named:
            raise ValueError(f"Two tools are named {tool.name}: a model could not tell them apart.")
        named[tool.name] = tool
    return named


def _part(whole: Any, name: str) -> Any:
    """A part of a message, be it an object of a client package or a dict."""
    return whole.get(name) if isinstance(whole, Mapping) else getattr(whole, name, None)
