"""Undo and redo in a task. What changes is shown first, field by field."""

from functools import partial
from typing import ClassVar, Final

from textual.binding import BindingType

from gatepost.domain.refusals import Refusal
from gatepost.replies.history import PastOperation
from gatepost.surfaces.tui.calls import in_thread
from gatepost.surfaces.tui.dialogs.dialog import Dialog, DialogTarget, event_names
from gatepost.surfaces.tui.keys import CONFIRM, Hint, bindings, hints
from gatepost.surfaces.tui.session import ago, glyphs_of
from gatepost.surfaces.tui.texts import safe
from gatepost.surfaces.tui.widgets.field_changes import change_lines
from gatepost.surfaces.tui.widgets.text_view import TextLine, TextView, refusal_lines, text_lines

_PAGE: Final = 200
_MOST: Final = 1_000_000
_SHOWN: Final = 6


class UndoDialog(Dialog):
    """Undo of the operation that is given, or of the newest; or redo (`redo`)."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(CONFIRM)

    def __init__(self, target: DialogTarget, *, redo: bool = False, operation: PastOperation | None = None) -> None:
        super().__init__(target)
        self._redo = redo
        self._given = operation
        self._read_it = False
        self._found: PastOperation | None = None
        """The operation to undo or redo."""
        self._later: list[PastOperation] = []
        """The later operations that are shown, newest first."""
        self._newer = 0
        self._preview: list[TextLine] = []
        self._possible = True

    def heading(self) -> str:
        return f"{'Redo' if self._redo else 'Undo'} in {self.target.task}"

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one("#words", TextView).focus()
        self.run_worker(self._read())

    async def _read(self) -> None:
        """Find the operation, and read what undoing it would change."""
        if self._given is None:
            await self._find()
        else:
            self._read_it, self._found = True, self._given
        self.renew()
        if self._found is not None and not self._redo:
            await self._rehearse(self._found.operation)
            self.renew()

    async def _rehearse(self, operation: int) -> None:
        try:
            reply = await in_thread(self.tasks.undo, task=self.target.task, operation=operation, apply=False)
        except Refusal as no:
            self._possible, self._preview = False, refusal_lines(no)
            return
        warnings = [line for text in reply.warnings or () for line in text_lines(text, "warn", "  ")]
        changes = change_lines(reply.diff or (), glyphs_of(self).arrow)
        self._possible, self._preview = True, [TextLine("What changes:"), *changes, *warnings]

    async def _find(self) -> None:
        """Find the operation. Notes and evidence are skipped, and there may be very many."""
        since: list[PastOperation] = []
        newer, found, cursor = 0, None, None
        try:
            while found is None:
                reply = await in_thread(
                    self.tasks.history, task=self.target.task, limit=_PAGE, cursor=cursor, max_chars=_MOST
                )
                page = reply.operations
                at = next((at for at, row in enumerate(page) if self._ends(row)), len(page))
                found = page[at] if at < len(page) else None
                newer += at
                since += page[: min(at, _SHOWN - len(since))]
                if not reply.has_more:
                    break
                cursor = reply.cursor
        except Refusal as no:
            await self.refused(no)
            return
        self._read_it, self._found = True, found if found is not None and self._is_it(found) else None
        self._later, self._newer = since, newer

    def _ends(self, row: PastOperation) -> bool:
        """Whether the search ends here: this is the operation, or a new change that makes a redo impossible."""
        return self._is_it(row) or (row.kind == "change" and row.undone_by is None)

    def _is_it(self, row: PastOperation) -> bool:
        return row.undone_by is None and row.kind == ("undo" if self._redo else "change")

    def words(self) -> list[TextLine]:
        """The operation, and what was done since."""
        if not self._read_it:
            return [TextLine("Loading the history.", "dim")]
        if self._found is None:
            nothing = (
                "Nothing to redo: nothing was undone, or the task changed since."
                if self._redo
                else "Nothing to undo."
            )
            return [TextLine(nothing, "title")]
        lines = [self._row(self._found, here=True), *self._preview]
        if self._later:
            lines += [TextLine("Since then:"), *(self._row(row, here=False) for row in self._later)]
        more = self._newer - len(self._later)
        return [*lines, TextLine(f"  and {more} more", "dim")] if more else lines

    def _row(self, row: PastOperation, *, here: bool) -> TextLine:
        glyphs = glyphs_of(self)
        said = {"record": "  (stays)", "undo": f"  (undid {row.of})"}.get(row.kind, "")
        undone = "  (undone)" if row.undone_by is not None else ""
        text = f"{row.operation} {event_names(row)} by {safe(row.actor)}, {ago(self, row.at)}{said}{undone}"
        return TextLine(f"{glyphs.cursor if here else ' '} {text}", "title" if here else "dim", 4)

    def keys(self) -> tuple[Hint, ...]:
        verb = "" if self._found is None or not self._possible else "redo it" if self._redo else "undo it"
        return hints(CONFIRM, send=verb)

    def action_send(self) -> None:
        if self._found is None or not self._possible:
            return
        if self._redo:
            self.send(partial(self.tasks.redo, **self.target.as_seen))
        else:
            self.send(partial(self.tasks.undo, **self.target.as_seen, operation=self._found.operation))

    async def after_conflict(self, current: int) -> str:
        """Read again: the operation may be another one now."""
        await self._read()
        return f"Check the marked change again. Enter continues at revision {current}; Esc goes back."
