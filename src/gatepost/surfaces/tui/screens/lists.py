"""Every todo list, one at a time or all together, searched and followed."""

from collections.abc import Sequence
from typing import ClassVar, Final, NamedTuple, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.widgets import Input

from gatepost.client.protocol import Update
from gatepost.surfaces.terminal import Glyphs
from gatepost.surfaces.tui.keys import LISTS, SEARCH, bindings, hints
from gatepost.surfaces.tui.models.todo_lists import ListProgress, TodoLists, is_task, progress
from gatepost.surfaces.tui.screens.step import StepScreen
from gatepost.surfaces.tui.screens.text import item_screen
from gatepost.surfaces.tui.session import TuiSession, session_of
from gatepost.surfaces.tui.texts import clip, elapsed, safe, width
from gatepost.surfaces.tui.widgets.frame import KeyBar, Line, TopBar
from gatepost.surfaces.tui.widgets.row_list import RowList
from gatepost.todo import ListCounts, Scope, Status, TodoItem

_LONGEST_TAB: Final = 24
_LOOKS: Final = {
    Status.TODO: ("open", ""),
    Status.IN_PROGRESS: ("now", "bold cyan"),
    Status.DONE: ("done", "green"),
    Status.BLOCKED: ("blocked", "red"),
    Status.CANCELED: ("canceled", "dim strike"),
}
"""The sign and the style of each status."""


class ListRow(NamedTuple):
    """One row: a list's head, or an item of it."""

    scope: str
    item: TodoItem | None
    label: str = ""
    counts: ListCounts = ListCounts()


class ListsScreen(Screen[None]):
    """All lists. Updates do not move the cursor: the list, the row and its place on the screen stay."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(LISTS)

    def __init__(self) -> None:
        super().__init__()
        self._scope: str | None = None
        """The list that is shown; none for all."""
        self._follows = False
        self._bar = TopBar("lists")
        self._tabs = Line(id="tabs")
        self._none = Line(id="none")
        self._rows: RowList[ListRow]

    @property
    def _session(self) -> TuiSession:
        return session_of(self)

    def compose(self) -> ComposeResult:
        self._rows = RowList(self._draw, _name, mark=self._session.glyphs.cursor)
        yield self._bar
        yield self._tabs
        yield self._none
        yield self._rows
        yield _SearchLine(id="search", placeholder="Search: Enter keeps it, Esc ends it", compact=True)
        yield KeyBar(hints(LISTS))

    def on_mount(self) -> None:
        """Begin with the list that leads."""
        leading = self._session.lists.ordered() or self._scopes()
        self._scope = leading[0].key if leading else None
        self._rows.focus()
        self._show()
        self._to_active()

    def on_resize(self) -> None:
        self._show()

    def receive(self, update: Update) -> None:
        """Show the lists as they are now."""
        self._show()
        if self._follows and update.todo:
            self._go_to_active()

    def action_switch(self, by: int) -> None:
        """The next list, or the one before; after the last, all together."""
        keys: list[str | None] = [None, *(scope.key for scope in self._scopes())]
        here = keys.index(self._scope) if self._scope in keys else 0
        self._turn(keys[(here + by) % len(keys)])

    def action_show(self, number: int) -> None:
        """A list by its number; 0 for all."""
        scopes = self._scopes()
        if number <= len(scopes):
            self._turn(None if number == 0 else scopes[number - 1].key)

    def action_follow(self) -> None:
        """Start or stop following the work."""
        self._follows = not self._follows
        self._show()
        if self._follows:
            self._go_to_active()

    def action_search(self) -> None:
        search = self.query_one("#search", Input)
        search.set_class(True, "some")  # noqa: FBT003 - Textual's way
        search.focus()

    def action_back(self) -> None:
        """End the search, or else leave."""
        search = self.query_one("#search", Input)
        if search.value or search.has_class("some"):
            search.value = ""
            self._end_search()
        else:
            self.dismiss()

    def on_input_changed(self) -> None:
        self._show()

    def on_input_submitted(self) -> None:
        self._rows.focus()
        if not self.query_one("#search", Input).value:
            self._end_search()

    def on_row_list_cursor_moved(self) -> None:
        """Moving the cursor ends following."""
        if self._follows:
            self._follows = False
            self._show()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """An item in full; a list's head leads to the list."""
        row = cast("ListRow", event.row)
        if row.item is None:
            self._turn(row.scope)
        else:
            task = is_task(row.scope)
            self.app.push_screen(StepScreen(row.scope, row.item.id) if task else item_screen(row.scope, row.item))

    def _end_search(self) -> None:
        self.query_one("#search", Input).set_class(False, "some")  # noqa: FBT003 - Textual's way
        self._rows.focus()
        self._show()

    def _turn(self, scope: str | None) -> None:
        self._scope = scope
        self._show()
        self._to_active()

    def _scopes(self) -> list[Scope]:
        """Every list, in the order in which it was first seen: so its number stays."""
        return list(self._session.lists.scopes.values())

    def _show(self) -> None:
        scopes = self._scopes()
        if self._scope is not None and all(scope.key != self._scope for scope in scopes):
            self._scope = None
        words = self.query_one("#search", Input).value.casefold()
        self._tabs.show(tabs(scopes, self._scope, self.size.width, self._session.glyphs))
        label = next((safe(scope.label) for scope in scopes if scope.key == self._scope), "all lists")
        self._bar.rename(f"{label}, following the work" if self._follows else label)
        listed = self._listed(scopes, words)
        self._none.set_class(not listed, "some")
        self._none.show(Text(self._nothing(words)))
        self._rows.renew(listed)
        self._rows.redraw()

    def _nothing(self, words: str) -> str:
        """The words shown when there are no rows."""
        if words.strip():
            return "No results."
        if self._scope is None:
            return "No lists yet."
        open_task = is_task(self._scope) and any(each.key == self._scope for each in self._session.lists.ordered())
        return f"This list is empty.{' Add a step with :step TITLE on the home screen.' if open_task else ''}"

    def _listed(self, scopes: Sequence[Scope], words: str) -> list[ListRow]:
        rows: list[ListRow] = []
        wanted = words.split()
        for scope in scopes:
            if self._scope not in (None, scope.key):
                continue
            items = self._session.source.todos.items(scope.key)
            found = [ListRow(scope.key, item) for item in items if not wanted or _matches(item, wanted)]
            if self._scope is None and (found or not wanted):
                rows.append(ListRow(scope.key, None, scope.label, scope.counts))
            rows += found
        return rows

    def _go_to_active(self) -> None:
        """Go to what is in progress in the list that changed last."""
        scope = self._session.lists.active()
        if scope is not None and self._scope not in (None, scope):
            self._scope = scope
            self._show()
        self._to_active(scope)

    def _to_active(self, scope: str | None = None) -> None:
        for index, row in enumerate(self._rows.rows):
            if row.item is not None and row.item.status is Status.IN_PROGRESS and scope in (None, row.scope):
                self._rows.go(index)
                break

    def _draw(self, row: ListRow, room: int) -> Text:
        glyphs = self._session.glyphs
        if row.item is None:
            label = "" if row.label == row.scope else f" {safe(row.label)}"
            far = f" {progress(row.counts)} "
            return Text(clip(f" {safe(row.scope)}{label}", room - len(far), glyphs.ellipsis) + far, "bold")
        return item_text(row.scope, row.item, self._session.lists, room, glyphs, self._session.now())


class _SearchLine(Input):
    """The search field. Ctrl+C clears it, as in the composer."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(SEARCH)

    def action_abandon(self) -> None:
        """Throw away what was typed; with nothing typed, end the search."""
        if self.value:
            self.value = ""
        else:
            cast("ListsScreen", self.screen).action_back()


def _matches(item: TodoItem, words: Sequence[str]) -> bool:
    text = f"{item.title} {item.id} {item.status}".casefold()
    return all(word in text for word in words)


def _name(row: ListRow) -> tuple[str, str | None]:
    return (row.scope, None if row.item is None else row.item.id)


def item_text(scope: str, item: TodoItem, lists: TodoLists, room: int, glyphs: Glyphs, now: float) -> Text:
    """An item in one row: its sign, its title, and since when or why."""
    aside = ""
    if item.status is Status.IN_PROGRESS:
        since = lists.since(scope, item.id)
        aside = "" if since is None else elapsed(now - since)
    elif item.status is Status.BLOCKED:
        reason = lists.reason(item.id)
        aside = clip(safe(reason), room // 2, glyphs.ellipsis) if reason else "blocked"
    elif item.status is Status.CANCELED:
        aside = "canceled"
    left = clip(safe(item.title) or safe(item.id), room - width(aside) - 6, glyphs.ellipsis)
    gap = " " * max(1, room - width(left) - width(aside) - 5)
    sign, style = _LOOKS[item.status]
    return Text.assemble("  ", (f"{getattr(glyphs, sign)} {left}", style), gap, aside)


def tabs(scopes: Sequence[Scope], chosen: str | None, room: int, glyphs: Glyphs) -> Text:
    """The lists with their counts, as many as fit around the one that is chosen."""
    here = next((index for index, scope in enumerate(scopes, 1) if scope.key == chosen), 0)
    first = last = here
    used = width(_tab(scopes, here, glyphs)) + 4
    while True:
        before = used + width(_tab(scopes, first - 1, glyphs)) if first > 0 else None
        after = used + width(_tab(scopes, last + 1, glyphs)) if last < len(scopes) else None
        if after is not None and after <= room:
            last, used = last + 1, after
        elif before is not None and before <= room:
            first, used = first - 1, before
        else:
            break
    text = Text(f"{glyphs.ellipsis[:1]} " if first > 0 else "")
    for number in range(first, last + 1):
        words = _tab(scopes, number, glyphs)
        text.append(f"[{words[1:-1]}]" if number == here else words, "bold reverse" if number == here else "")
    return text.append(f" {glyphs.ellipsis[:1]}" if last < len(scopes) else "")


def _tab(scopes: Sequence[Scope], number: int, glyphs: Glyphs) -> str:
    """A tab by its number, made only for the few lists that fit."""
    if number == 0:
        done = total = 0
        for scope in scopes:
            done += scope.counts.done
            total += scope.counts.total - scope.counts.canceled
        return f" 0 all {ListProgress(done, total)} "
    scope = scopes[number - 1]
    mark = f"{number} " if number < 10 else ""
    now = f"{glyphs.now} " if scope.counts.in_progress else ""
    return f" {mark}{now}{clip(safe(scope.key), _LONGEST_TAB, glyphs.ellipsis)} {progress(scope.counts)} "
