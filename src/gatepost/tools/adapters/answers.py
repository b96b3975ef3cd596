"""What a model gets to read for a call, whatever it asked for and however that went."""

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import msgspec

from gatepost.domain.refusals import InvalidInput, Refusal, UnknownTool
from gatepost.runtime import awaitables
from gatepost.tools.tool import Tool, ToolResult
from gatepost.wire import rendering
from gatepost.wire.explain import nearest

Shape = dict[str, Any]

_log = logging.getLogger("gatepost.tools")


class Answer(NamedTuple):
    """A text for the model, and whether it tells of a success."""

    text: str
    success: bool

    def or_raise(self, error: Callable[[str], Exception]) -> str:
        """The text, for a framework that is told of errors by an exception of its own."""
        if self.success:
            return self.text
        raise error(self.text)


class Call(NamedTuple):
    """What a model asked for, as it sent it."""

    id: Any
    name: Any
    arguments: Any


def answer(tool: Tool, arguments: Any, *, passing: tuple[str, ...] = ()) -> Answer:
    """Run a tool. Exceptions of the packages in `passing` go through: they steer the framework that calls."""
    if tool.is_async and awaitables.running_loop() is not None:
        raise RuntimeError(f"{tool.name} is async, and an event loop runs here: use the async form of the adapter.")
    try:
        return _told(tool.call(parsed(arguments)))
    except Exception as error:  # noqa: BLE001 - the edge to somebody else's loop: it is logged, and the loop goes on
        return _failure(tool.name, error, passing)


async def aanswer(tool: Tool, arguments: Any, *, passing: tuple[str, ...] = ()) -> Answer:
    """The same on an event loop, which goes on meanwhile: what is not async runs in a worker thread."""
    if not tool.is_async:
        from anyio import to_thread

        return await to_thread.run_sync(partial(answer, tool, arguments, passing=passing))
    try:
        return _told(await tool.acall(parsed(arguments)))
    except Exception as error:  # noqa: BLE001 - as above
        return _failure(tool.name, error, passing)


def answers(calls: Iterable[Call], known: Mapping[str, Tool]) -> list[Answer]:
    """Run what a message asks for, one after the other."""
    return [
        _unknown(call.name, known) if tool is None else answer(tool, call.arguments)
        for tool, call in _found(calls, known)
    ]


async def aanswers(calls: Iterable[Call], known: Mapping[str, Tool]) -> list[Answer]:
    """The same on an event loop."""
    return [
        _unknown(call.name, known) if tool is None else await aanswer(tool, call.arguments)
        for tool, call in _found(calls, known)
    ]


def by_name(tools: Iterable[Tool]) -> dict[str, Tool]:
    """Tools by their names, of which each has its own."""
    named: dict[str, Tool] = {}
    for tool in tools:
        if tool.name in named:
            raise ValueError(f"Two tools are named {tool.name}: a model could not tell them apart.")
        named[tool.name] = tool
    return named


def part(whole: Any, name: str) -> Any:
    """A part of a message, be it an object of a client package or a dict."""
    return whole.get(name) if isinstance(whole, Mapping) else getattr(whole, name, None)


def parsed(arguments: Any) -> Any:
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


@contextmanager
def installed(adapter: str, package: str, to_install: str) -> Iterator[None]:
    """Guards an adapter's imports: without the package, the error says what to install."""
    try:
        yield
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != package:
            raise
        raise ModuleNotFoundError(f"{adapter} needs: pip install {to_install}", name=missing.name) from None


def _found(calls: Iterable[Call], known: Mapping[str, Tool]) -> Iterator[tuple[Tool | None, Call]]:
    return ((known.get(call.name) if isinstance(call.name, str) else None, call) for call in calls)


def _told(result: ToolResult[Any]) -> Answer:
    return Answer(result.render(), result.success)


def _unknown(name: Any, known: Mapping[str, Tool]) -> Answer:
    asked = str(name)[:80].encode("utf-8", "backslashreplace").decode()
    unknown = UnknownTool(
        f"There is no tool {asked}{nearest(asked, list(known))}",
        f"Call one of: {', '.join(known)}." if known else "Go on without tools: there are none.",
    )
    return Answer(rendering.refusal(unknown), success=False)


def _failure(name: str, error: Exception, passing: tuple[str, ...]) -> Answer:
    if any(kind.__module__.partition(".")[0] in passing for kind in type(error).__mro__):
        raise error
    if isinstance(error, Refusal):
        return Answer(rendering.refusal(error), success=False)
    fault = os.urandom(4).hex()
    _log.error("Fault %s in the tool %s", fault, name, exc_info=error)
    told = {
        "code": "INTERNAL_ERROR",
        "message": f"{name} failed: internal error {fault}.",
        "recovery": "Go on without it, or tell the user: the log has the details.",
    }
    return Answer(rendering.text({"error": told}), success=False)
