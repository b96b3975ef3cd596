"""Calls that do not block the screen: each waits for its reply in a thread."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from textual.app import App
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import NoActiveWorker, get_current_worker

from gatepost.client.workspaces import Workspace
from gatepost.surfaces.tui import call_threads
from gatepost.surfaces.tui.session import session_of

_P = ParamSpec("_P")
_T = TypeVar("_T")


def calls_of(widget: Widget) -> Workspace:
    """The calls of the widget's workspace, which block."""
    return session_of(widget).source.calls


async def in_thread(work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Run blocking work, such as a call, in a thread and return its result.

    If the caller's screen is closed meanwhile, the caller is canceled: there is nowhere left to show the result.
    """
    try:
        return await asyncio.wrap_future(call_threads.submit(lambda: work(*args, **kwargs)))
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
