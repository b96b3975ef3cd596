"""The preview: the live lists in a few rows, what is in progress first."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from rich.text import Text
from textual.app import RenderResult
from textual.geometry import Region
from textual.widget import Widget

from gatepost.surfaces.terminal import Glyphs
from gatepost.surfaces.tui.models.todo_lists import ListParts, TodoLists, progress
from gatepost.surfaces.tui.session import TuiSession, session_of
from gatepost.surfaces.tui.texts import clip, elapsed, safe, width
from gatepost.todo import Scope, TodoItem

_NOW_SHOWN: Final = 3
_BLOCKED_SHOWN: Final = 3
_BAR: Final = 10
_NARROW: Final = 50


class PreviewArea(NamedTuple):
    """The space to draw in, the signs, and the time."""

    width: int
    height: int
    glyphs: Glyphs
    now: float


class Preview(Widget):
    """The panel. Rows that look the same are not drawn again."""

    def __init__(self) -> None:
        super().__init__(id="preview")
        self._rows: list[Text] = []
        self._shown = Text()
        self.scopes: Sequence[Scope] = ()
        """The lists that are shown, the leading one first."""

    def on_resize(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Show the lists as they are now."""
        session, size = session_of(self), self.content_size
        canvas = PreviewArea(size.width, size.height, session.glyphs, session.now())
        ordered = session.lists.ordered()
        lines, shown = drawn(session.lists, ordered, canvas)
        self.scopes = ordered[: max(shown, 1)]
        before, self._rows = self._rows, lines or _nothing(session)
        changed = [at for at, (old, new) in enumerate(zip(before, self._rows, strict=False)) if _differ(old, new)]
        if len(before) == len(self._rows) and not changed:
            return
        self._shown = Text("\n", no_wrap=True, overflow="crop").join(self._rows)
        if len(before) == len(self._rows):  # a clock goes on: the rest need not be sent to the terminal again
            self.refresh(*(Region(0, at, size.width, 1) for at in changed))
        else:
            self.refresh()

    def render(self) -> RenderResult:
        return self._shown


def drawn(lists: TodoLists, scopes: Sequence[Scope], canvas: PreviewArea) -> tuple[list[Text], int]:
    """The rows of the panel, and how many lists they show.

    Each list has its head, what is in progress and what is blocked; room that is left goes to what comes next, of
    the first list first.
    """
    sections: list[tuple[Scope, ListParts, list[Text]]] = []
    room = canvas.height
    for scope in scopes:
        pieces = lists.parts(scope.key)
        section = _section(lists, scope, pieces, canvas)
        last = len(sections) + 1 == len(scopes)
        if sections and len(section) > room - (0 if last else 1):
            break
        sections.append((scope, pieces, section))
        room -= len(section)
    more = len(scopes) - len(sections)
    room -= 1 if more else 0
    lines: list[Text] = []
    for scope, pieces, section in sections:
        rest = _rest(scope, pieces, max(room, 0), canvas)
        room -= len(rest)
        lines += [*section, *rest]
    if more:
        lines.append(_line(f"{canvas.glyphs.more} {_lists(more)} more", "dim", canvas))
    return lines[: canvas.height], len(sections)


def _section(lists: TodoLists, scope: Scope, pieces: ListParts, canvas: PreviewArea) -> list[Text]:
    """The rows of a list that are always shown."""
    glyphs = canvas.glyphs
    lines = [head(scope, canvas)]
    if not scope.counts.total:
        lines.append(_line("  no steps yet; add one with :step TITLE", "dim", canvas))
    for item in pieces.now[:_NOW_SHOWN]:
        since = lists.since(scope.key, item.id)
        lines.append(
            _item(glyphs.now, item, "" if since is None else elapsed(canvas.now - since), "bold cyan", canvas)
        )
    if len(pieces.now) > _NOW_SHOWN:
        lines.append(_line(f"  {glyphs.now} {len(pieces.now) - _NOW_SHOWN} more in progress", "cyan", canvas))
    lines += [_blocked(item, lists.reason(item.id), canvas) for item in pieces.blocked[:_BLOCKED_SHOWN]]
    if len(pieces.blocked) > _BLOCKED_SHOWN:
        lines.append(
            _line(f"  {glyphs.blocked} {len(pieces.blocked) - _BLOCKED_SHOWN} more blocked", "red", canvas)
        )
    return lines


def _rest(scope: Scope, pieces: ListParts, room: int, canvas: PreviewArea) -> list[Text]:
    """The next items, and one row that counts the rest."""
    if not room:
        return []
    coming = pieces.open[: max(0, room - 1)]
    lines = [_item(canvas.glyphs.open, item, "", "", canvas) for item in coming]
    folded = _folded(scope, len(pieces.open) - len(coming), canvas)
    return lines if folded is None else [*lines, folded]


def _folded(scope: Scope, coming: int, canvas: PreviewArea) -> Text | None:
    glyphs, counts = canvas.glyphs, scope.counts
    said = (
        (counts.done, glyphs.done, "done"),
        (coming, glyphs.open, "more open"),
        (counts.canceled, glyphs.canceled, "canceled"),
    )
    shown = [f"{sign} {count} {word}" for count, sign, word in said if count]
    return _line("  " + f" {glyphs.dot} ".join(shown), "dim", canvas) if shown else None


def head(scope: Scope, canvas: PreviewArea) -> Text:
    """A list's name and progress."""
    glyphs, far = canvas.glyphs, progress(scope.counts)
    behind = f" {glyphs.waiting} catching up" if scope.needs_snapshot else ""
    bar = f"{glyphs.bar(far.done, far.total, _BAR)} " if canvas.width >= _NARROW else ""
    right = f"{bar}{far}{behind}"
    label = "" if scope.label == scope.key else f" {safe(scope.label)}"
    left = clip(safe(scope.key) + label, canvas.width - width(right) - 1, glyphs.ellipsis)
    text = Text.assemble((left, "bold"), " " * max(1, canvas.width - width(left) - width(right)), right)
    return _cut(text, canvas)


def _item(sign: str, item: TodoItem, right: str, style: str, canvas: PreviewArea) -> Text:
    room = canvas.width - width(sign) - 3 - (width(right) + 1 if right else 0)
    title = clip(safe(item.title) or safe(item.id), room, canvas.glyphs.ellipsis)
    gap = " " * max(1, room - width(title) + 1) if right else ""
    return _cut(Text.assemble("  ", (f"{sign} {title}", style), gap, (right, "bold")), canvas)


def _blocked(item: TodoItem, reason: str | None, canvas: PreviewArea) -> Text:
    """A blocked item with its reason. The title gets at least half of the row."""
    glyphs = canvas.glyphs
    room = canvas.width - width(glyphs.blocked) - 3
    said = f" {glyphs.dash} {safe(reason)}" if reason else " (blocked)"
    title = clip(safe(item.title) or safe(item.id), max(room - width(said), room // 2), glyphs.ellipsis)
    said = clip(said, room - width(title), glyphs.ellipsis)
    return _cut(Text.assemble("  ", (f"{glyphs.blocked} {title}", "red"), (said, "yellow")), canvas)


def _line(text: str, style: str, canvas: PreviewArea) -> Text:
    return Text(clip(text, canvas.width, canvas.glyphs.ellipsis), style)


def _cut(text: Text, canvas: PreviewArea) -> Text:
    text.truncate(canvas.width)
    return text


def _lists(count: int) -> str:
    return "1 list" if count == 1 else f"{count} lists"


def _differ(old: Text, new: Text) -> bool:
    return (old.plain, old.style, old.spans) != (new.plain, new.style, new.spans)


def _nothing(session: TuiSession) -> list[Text]:
    """What to do when there is nothing to show."""
    if session.state != "live":
        return [Text("Waiting for the first update.", "dim")]
    done = sum(progress(scope.counts).complete for scope in session.lists.scopes.values())
    first = f"{session.glyphs.done} Nothing is open. {_lists(done)} complete." if done else "No open tasks."
    return [Text(first), Text("Press : and type  new TITLE  to create a task, or let an agent create one.", "dim")]
