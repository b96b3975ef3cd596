"""Text to read: an item, an event, a reply, the help."""

import json
from collections.abc import Iterable
from typing import Any, ClassVar

import msgspec
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen

from gatepost.surfaces.tui.keys import HELP, RADAR, TEXT, TEXT_SCREEN, bindings, hints
from gatepost.surfaces.tui.texts import safe
from gatepost.surfaces.tui.widgets.frame import KeyBar, TopBar
from gatepost.surfaces.tui.widgets.text_view import TextLine, TextView, text_lines
from gatepost.todo import TodoItem


class TextScreen(Screen[None]):
    """Lines to read, until Escape."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(TEXT_SCREEN)

    def __init__(self, title: str, lines: Iterable[TextLine] = ()) -> None:
        super().__init__()
        self._title = title
        self._lines = tuple(lines)

    def compose(self) -> ComposeResult:
        yield TopBar(self._title)
        yield TextView()
        yield KeyBar(hints((*TEXT, RADAR, HELP, *TEXT_SCREEN)))

    def on_mount(self) -> None:
        self.show(self._lines)
        self.query_one(TextView).focus()

    def show(self, lines: Iterable[TextLine]) -> None:
        """Show these lines; the scroll position stays."""
        self.query_one(TextView).show(lines)


def item_screen(scope: str, item: TodoItem) -> TextScreen:
    """An item of a list that is not a task's."""
    extra = [line for key, held in item.extra for line in text_lines(f"{key}: {held}")]
    head = (*text_lines(item.title, "title"), TextLine(item.status.value.replace("_", " ")), TextLine(""))
    return TextScreen(f"{safe(scope)} {safe(item.title)}", (*head, *extra))


def event_screen(event: dict[str, Any]) -> TextScreen:
    """An event of the log with all that it says."""
    title = f"event {event.get('seq', '')} {safe(str(event.get('type', '')))}"
    return TextScreen(title, text_lines(json.dumps(event, ensure_ascii=False, indent=2)))


def reply_screen(operation: str, text: str) -> TextScreen:
    """What an operation answered, in JSON."""
    return TextScreen(safe(operation), text_lines(msgspec.json.format(text)))
