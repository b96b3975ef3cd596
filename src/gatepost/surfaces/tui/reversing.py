"""Undo and redo of a task: what would be taken back or brought back is shown first."""

from typing import Any, ClassVar, Final

from textual.binding import Binding, BindingType

from gatepost.surfaces.tui.asking import Asking, Keyed, Target
from gatepost.surfaces.tui.prose import Verse
from gatepost.surfaces.tui.seats import ago, ask, glyphs_of
from gatepost.surfaces.tui.source import Refused, Source
from gatepost.surfaces.tui.texts import safe

_LOOKED: Final = 50
_SHOWN: Final = 8


class Reverse(Asking):
    """Undo, or redo (`back`)."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "send", "Send")]

    def __init__(self, source: Source, target: Target, *, back: bool = False) -> None:
        super().__init__(source, target)
        self._back = back
        self._operations: list[dict[str, Any]] | None = None

    def title_words(self) -> str:
        """What is asked."""
        return f"{'Redo' if self._back else 'Undo'} in {self.target.task}"

    def on_mount(self) -> None:
        """Read what was done."""
        super().on_mount()
        self.run_worker(self._read())

    async def _read(self) -> None:
        try:
            reply = await ask(self.source, "tasks_history", task=self.target.task, limit=_LOOKED)
        except Refused as no:
            await self.refused(no)
        else:
            self._operations = reply["operations"]
            self.tell()

    @property
    def _found(self) -> dict[str, Any] | None:
        """What it would be about."""
        for row in self._operations or ():
            if row.get("undone_by") is None and row["kind"] == ("undo" if self._back else "change"):
                return row
            if self._back and row["kind"] == "change" and row.get("undone_by") is None:
                return None
        return None

    def words(self) -> list[Verse]:
        """What was done, newest first, with a mark where it would happen."""
        if self._operations is None:
            return [Verse("Reading what was done.", "dim")]
        found = self._found
        if found is None:
            nothing = (
                "Nothing was undone, or something new was written since."
                if self._back
                else "There is nothing to undo."
            )
            return [Verse(nothing, "title")]
        at = self._operations.index(found)
        first = max(0, at - _SHOWN + 2)
        return [self._row(row, here=row is found) for row in self._operations[first : first + _SHOWN]]

    def _row(self, row: dict[str, Any], *, here: bool) -> Verse:
        glyphs = glyphs_of(self)
        said = {"record": "  (a record: stays)", "undo": f"  (took back {row.get('of')})"}.get(row["kind"], "")
        undone = "  (undone)" if row.get("undone_by") is not None else ""
        what = ", ".join(event.replace("_", " ") for event in row["events"])
        text = f"{row['operation']} {what} by {safe(row['actor'])}, {ago(self, row['at'])}{said}{undone}"
        return Verse(f"{glyphs.cursor if here else ' '} {text}", "title" if here else "dim", 4)

    def keys(self) -> Keyed:
        """Yes or no."""
        if self._found is None:
            return (("esc", "back"),)
        return (("enter", "bring it back" if self._back else "take it back"), ("esc", "leave it"))

    def action_send(self) -> None:
        """Yes."""
        if self._found is not None:
            operation = "tasks_redo" if self._back else "tasks_undo"
            self.send(operation, task=self.target.task, expected_revision=self.target.revision)

    async def after(self, current: int) -> str:
        """What would be taken back may be another by now."""
        await self._read()
        return f"Look again at what is marked. Enter goes on, at revision {current}; esc leaves it."
