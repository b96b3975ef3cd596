"""Runs a model's tool calls and returns a text for each, also for failed ones."""

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from types import TracebackType
from typing import Any, Final, NamedTuple

import msgspec

from gatepost.domain.refusals import InvalidInput, Refusal, UnknownTool
from gatepost.runtime import awaitables
from gatepost.tools.tool import Tool, ToolResult
from gatepost.wire import json_output
from gatepost.wire.near_names import nearest_lines

Shape = dict[str, Any]

_log = logging.getLogger("gatepost.tools")


class ToolAnswer(NamedTuple):
    """A text for the model, and whether the call succeeded."""

    text: str
    success: bool

    def or_raise(self, error: Callable[[str], Exception]) -> str:
        """The text. On failure it raises the framework's own exception instead."""
        if self.success:
            return self.text
        raise error(self.text)


class ModelCall(NamedTuple):
    """A tool call as the model sent it."""

    id: Any
    name: Any
    arguments: Any


Answered = list[tuple[ModelCall, ToolAnswer]]


def answer(tool: Tool, arguments: Any, *, passing: tuple[str, ...] = ()) -> ToolAnswer:
    """Run a tool. Exceptions of the packages in `passing` go through: they steer the framework that calls."""
    _check_loop(tool)
    with _AnswerGuard(tool.name, passing) as answering:
        answering.give(tool.call(parsed(arguments)))
    return answering.answer


async def aanswer(tool: Tool, arguments: Any, *, passing: tuple[str, ...] = ()) -> ToolAnswer:
    """The same without blocking the event loop: a tool that is not async runs in a worker thread."""
    if not tool.is_async:
        from anyio import to_thread

        return await to_thread.run_sync(partial(answer, tool, arguments, passing=passing))
    with _AnswerGuard(tool.name, passing) as answering:
        answering.give(await tool.acall(parsed(arguments)))
    return answering.answer


def answers(calls: Iterable[ModelCall], known: Mapping[str, Tool]) -> Answered:
    """Run the calls of a message in order."""
    found = list(_found(calls, known))
    for tool, _ in found:
        if tool is not None:
            _check_loop(tool)
    return [
        (call, _unknown(call.name, known) if tool is None else answer(tool, call.arguments)) for tool, call in found
    ]


async def aanswers(calls: Iterable[ModelCall], known: Mapping[str, Tool]) -> Answered:
    """The same on an event loop."""
    return [
        (call, _unknown(call.name, known) if tool is None else await aanswer(tool, call.arguments))
        for tool, call in _found(calls, known)
    ]


def by_name(tools: Iterable[Tool]) -> dict[str, Tool]:
    """Tools by name. Two of the same name are refused."""
    named: dict[str, Tool] = {}
    for tool in tools:
        if tool.name in named:
            raise ValueError(f"Two tools are named {tool.name}: a model could not tell them apart.")
        named[tool.name] = tool
    return named


def part(whole: Any, name: str) -> Any:
    """A part of a message, which is a client package's object or a dict."""
    return whole.get(name) if isinstance(whole, Mapping) else getattr(whole, name, None)


def parsed(arguments: Any) -> Any:
    """The arguments, decoded if they are JSON text. Some models send an empty text for no arguments."""
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


@contextmanager
def installed(adapter: str, package: str, to_install: str) -> Iterator[None]:
    """Guards an adapter's imports: if the package is missing, the error says what to install."""
    try:
        yield
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != package:
            raise
        raise ModuleNotFoundError(f"{adapter} needs: pip install {to_install}", name=missing.name) from None


def _check_loop(tool: Tool) -> None:
    if tool.is_async and awaitables.running_loop() is not None:
        raise RuntimeError(f"{tool.name} is async, and an event loop runs here: use the async form of the adapter.")


def _found(calls: Iterable[ModelCall], known: Mapping[str, Tool]) -> Iterator[tuple[Tool | None, ModelCall]]:
    return ((known.get(call.name) if isinstance(call.name, str) else None, call) for call in calls)


def _unknown(name: Any, known: Mapping[str, Tool]) -> ToolAnswer:
    asked = str(name)[:80].encode("utf-8", "backslashreplace").decode()
    lines = nearest_lines(asked, known, lambda tool: known[tool].description)
    unknown = UnknownTool(
        f"There is no tool {asked}.",
        f"The nearest are: {lines}" if known else "There are no tools. Continue without them.",
    )
    return ToolAnswer(json_output.refusal(unknown), success=False)


class _AnswerGuard:
    """Guards a call: its result or its exception becomes the answer. Interrupts pass through."""

    __slots__ = ("_name", "_passing", "answer")

    answer: ToolAnswer

    def __init__(self, name: str, passing: tuple[str, ...]) -> None:
        self._name: Final = name
        self._passing: Final = passing

    def __enter__(self) -> "_AnswerGuard":
        return self

    def give(self, result: ToolResult[Any]) -> None:
        """Use a result as the answer. Text that UTF-8 cannot encode would make the next request fail."""
        text = result.render().encode("utf-8", "backslashreplace").decode()
        self.answer = ToolAnswer(text, result.success)

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception) or _of_package(error, self._passing):
            return False
        self.answer = ToolAnswer(
            json_output.refusal(error) if isinstance(error, Refusal) else _fault(self._name, error), success=False
        )
        return True


def _of_package(error: Exception, packages: tuple[str, ...]) -> bool:
    return any(kind.__module__.partition(".")[0] in packages for kind in type(error).__mro__)


def _fault(name: str, error: Exception) -> str:
    fault = os.urandom(4).hex()
    _log.error("Fault %s in the tool %s", fault, name, exc_info=error)
    error_body = {
        "code": "INTERNAL_ERROR",
        "message": f"{name} failed: internal error {fault}.",
        "recovery": "Continue without it, or tell the user: the log has the details.",
    }
    return json_output.text({"error": error_body})
