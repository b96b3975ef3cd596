"""Something to read: an item with its history, an event, a reply, the keys. Above the screen that it belongs to."""

import json
from collections.abc import Iterable
from typing import Any, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from gatepost.client.protocol import Update
from gatepost.surfaces.tui.read_errors import ReadErrors
from gatepost.surfaces.tui.session import Reader, ask
from gatepost.surfaces.tui.source import Refused, Source
from gatepost.surfaces.tui.texts import safe
from gatepost.surfaces.tui.widgets.frame import KeyBar, TopBar
from gatepost.surfaces.tui.widgets.text_view import TextLine, TextView, text_lines
from gatepost.todo import TodoItem

_KEYS: Final = (("j k", "scroll"), ("g G", "ends"), ("r", "radar"), ("?", "help"), ("Esc", "back"))
_EVENTS: Final = 200
"""So many of the task's events are looked through for the step's own."""
_FRAME: Final = ("seq", "type", "at", "actor", "task", "plan", "step_id", "path", "title")


class TextScreen(Screen[None]):
    """Lines to read, until Escape."""

    DEFAULT_CSS = "TextScreen { background: $surface; } TextScreen TextView { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter", "back", show=False)]

    def __init__(self, title: str, lines: Iterable[TextLine] = ()) -> None:
        super().__init__()
        self._title = title
        self._lines = tuple(lines)

    def compose(self) -> ComposeResult:
        """The lines in their frame."""
        yield TopBar(self._title)
        yield TextView(id="pages")
        yield KeyBar(_KEYS)

    def on_mount(self) -> None:
        """Show what is known already."""
        self.show(self._lines)
        self.query_one(TextView).focus()

    def show(self, lines: Iterable[TextLine]) -> None:
        """Be these lines from now on; the place stays."""
        self.query_one(TextView).show(lines)

    def action_back(self) -> None:
        """Close it."""
        self.dismiss()


class ItemScreen(TextScreen):
    """A step in full, with its notes, evidence and history; it stays what it is in the store."""

    def __init__(self, source: Source, task: str, item: TodoItem) -> None:
        super().__init__(f"{task} {safe(item.title)}", (*_headed(item), TextLine("reading...", "dim")))
        self._source = source
        self._of = task
        self._item = item
        self._reading = Reader(self, self._read)
        self._trouble = ReadErrors(self, self._reading.soon)

    def on_mount(self) -> None:
        """Ask for the rest."""
        super().on_mount()
        self._reading.soon()

    def heard(self, batch: Update) -> None:
        """Read again what may have changed."""
        if batch.gap or any(event.get("task") == self._of for event in batch.events):
            self._reading.soon()

    async def _read(self) -> None:
        try:
            resumed = await ask(
                self._source, "tasks_resume", task=self._of, step_id=self._item.id, events_limit=_EVENTS, limit=1
            )
        except Refused as no:
            self._trouble.met(no)
            self.show((*_headed(self._item), *text_lines(f"{no.message} {no.recovery}")))
        else:
            self._trouble.over()
            self.show(step_lines(self._item, resumed))


def item_screen(scope: str, item: TodoItem) -> TextScreen:
    """An item of a list of which nothing more is known."""
    extra = [line for key, held in item.extra for line in text_lines(f"{key}: {held}")]
    return TextScreen(f"{safe(scope)} {safe(item.title)}", (*_headed(item), *extra))


def event_screen(event: dict[str, Any]) -> TextScreen:
    """An event of the log with all that it says."""
    return TextScreen(f"event {event.get('seq', '')} {safe(str(event.get('type', '')))}", _spelled(event))


def reply_screen(operation: str, reply: dict[str, Any]) -> TextScreen:
    """What an operation answered."""
    return TextScreen(safe(operation), _spelled(reply))


def step_lines(item: TodoItem, resumed: dict[str, Any]) -> list[TextLine]:
    """A step as `tasks_resume` tells it."""
    step = resumed.get("step") or {}
    lines = [*_headed(item), TextLine(f"{step.get('step_id', item.id)}  {step.get('path', '')}", "dim")]
    if step.get("blocked"):
        lines += text_lines(f"blocked: {step['blocked']}", "bad")
    for name in ("criteria", "tests", "blockers", "required"):
        lines += _listed(name, step.get(name))
    lines += _listed("unconfirmed", step.get("unconfirmed"))
    lines += _titled("confirmed", [_mark(mark) for mark in step.get("confirmed", ())])
    mine = [event for event in resumed.get("events", ()) if event.get("step_id") == item.id]
    lines += _titled("notes", [_note(event) for event in mine if event.get("type") == "step_noted"])
    lines += _titled("evidence", [_flat(piece) for piece in resumed.get("evidence", ())])
    return [*lines, *_titled("history", [_event(event) for event in mine])]


def _headed(item: TodoItem) -> list[TextLine]:
    return [*text_lines(item.title, "title"), TextLine(item.status.value.replace("_", " ")), TextLine("")]


def _listed(name: str, texts: Iterable[Any] | None) -> list[TextLine]:
    return _titled(name, [str(text) for text in texts or ()])


def _titled(name: str, texts: list[str]) -> list[TextLine]:
    """A heading and what stands below it; nothing where there is nothing."""
    if not texts:
        return []
    return [
        TextLine(name, "title"),
        *(line for text in texts for line in text_lines(text, indent="  ")),
        TextLine(""),
    ]


def _mark(mark: Any) -> str:
    if not isinstance(mark, dict):
        return str(mark)
    said = [str(mark[name]) for name in ("checkpoint", "note", "at", "actor") if mark.get(name)]
    return "  ".join(said)


def _note(event: dict[str, Any]) -> str:
    return f"{event.get('at', '')}  {event.get('actor', '')}\n{event.get('note', '')}"


def _event(event: dict[str, Any]) -> str:
    rest = {name: held for name, held in event.items() if name not in _FRAME}
    return (
        f"{event.get('at', '')}  {event.get('type', '')}  {event.get('actor', '')}  {_flat(rest) if rest else ''}"
    )


def _flat(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False) if isinstance(data, dict | list) else str(data)


def _spelled(data: dict[str, Any]) -> list[TextLine]:
    return text_lines(json.dumps(data, ensure_ascii=False, indent=2))
