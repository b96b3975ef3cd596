"""Calls that do not block the screen: each waits for its reply in a thread."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from textual.app import App
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import NoActiveWorker, get_current_worker

from gatepost.operations.registry import Command
from gatepost.surfaces.tui import call_threads
from gatepost.surfaces.tui.session import session_of

_R = TypeVar("_R")
_T = TypeVar("_T")


async def ask(widget: Widget, command: type[Command[_R]], /, **fields: Any) -> _R:
    """The reply to a command with these fields, in the widget's workspace. Raises `Refusal`."""
    source = session_of(widget).source
    return await in_thread(lambda: source.do(command, **fields))


async def in_thread(work: Callable[[], _T]) -> _T:
    """Run blocking work in a thread and return its result.

    If the caller's screen is closed meanwhile, the caller is canceled: there is nowhere left to show the result.
    """
    try:
        return await asyncio.wrap_future(call_threads.submit(work))
    finally:
        if _screen_closed():
            raise asyncio.CancelledError


def _screen_closed() -> bool:
    """Whether the current worker belongs to a closed screen. Textual removes a screen's widgets before it cancels
    its workers."""
    try:
        node = get_current_worker().node
    except NoActiveWorker:
        return False
    if isinstance(node, App):
        return False
    screen = next((each for each in node.ancestors_with_self if isinstance(each, Screen)), None)
    return screen is None or screen not in node.app.screen_stack
