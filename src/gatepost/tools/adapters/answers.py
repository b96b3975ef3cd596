"""What a model gets to read for a call, whatever it asked for and however that went."""

import asyncio
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import msgspec

from gatepost.domain.refusals import InvalidInput, Refusal, UnknownTool
from gatepost.tools.tool import Tool
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


def answer(tool: Tool, arguments: Any, *, passing: tuple[str, ...] = ()) -> Answer:
    """Run a tool. Exceptions of the packages in `passing` go through: they steer the framework that calls."""
    try:
        result = tool.call(parsed(arguments))
    except Exception as error:  # noqa: BLE001 - the edge to somebody else's loop: it is logged, and the loop goes on
        return _failure(tool.name, error, passing)
    return Answer(result.render(), result.success)


async def answer_async(tool: Tool, arguments: Any, *, passing: tuple[str, ...] = ()) -> Answer:
    """The same where an event loop runs, which goes on meanwhile."""
    return await asyncio.to_thread(answer, tool, arguments, passing=passing)


def answer_by_name(known: Mapping[str, Tool], name: Any, arguments: Any) -> Answer:
    """Run the tool of a name that a model sent."""
    found = known.get(name) if isinstance(name, str) else None
    if found is not None:
        return answer(found, arguments)
    asked = str(name)[:80].encode("utf-8", "backslashreplace").decode()
    unknown = UnknownTool(
        f"There is no tool {asked}{nearest(asked, list(known))}",
        f"Call one of: {', '.join(known)}." if known else "Go on without tools: there are none.",
    )
    return Answer(rendering.refusal(unknown), success=False)


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
