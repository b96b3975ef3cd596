"""Checkpoints asked for one by one: a page for each, then a summary of what will be sent."""

from typing import cast

from gatepost.client.workspaces import Checkmarks
from gatepost.domain.checkpoints import Checkpoint
from gatepost.domain.refusals import Refusal
from gatepost.replies.step_details import StepDetail
from gatepost.surfaces.tui.calls import in_thread
from gatepost.surfaces.tui.dialogs.dialog import Dialog, DialogTarget, TextField
from gatepost.surfaces.tui.session import glyphs_of
from gatepost.surfaces.tui.widgets.text_view import TextLine, text_lines


class CheckpointDialog(Dialog):
    """Asks the person whether they verified each checkpoint. Only what they say they did is sent."""

    kind: str
    """The first word of the heading, which names the drafts too."""
    question: str

    def __init__(self, target: DialogTarget) -> None:
        super().__init__(target)
        self.step: StepDetail | None = None
        self.names: list[Checkpoint] = []
        self.checked: set[Checkpoint] = set()
        self._at = 0

    def asks(self, step: StepDetail) -> list[Checkpoint]:
        """The checkpoints that the person is asked about."""
        raise NotImplementedError

    def about(self, step: StepDetail, name: Checkpoint) -> list[TextLine]:
        """What to know about a checkpoint before answering."""
        raise NotImplementedError

    def summary(self, step: StepDetail) -> list[TextLine]:
        """The last page."""
        raise NotImplementedError

    def heading(self) -> str:
        return f"{self.kind} {self.target.name or self.target.task}"

    def field(self) -> TextField:
        return TextField(hint="How? (optional)")

    def on_mount(self) -> None:
        super().on_mount()
        self._turn(0)
        self.run_worker(self._begin())

    async def _begin(self) -> None:
        await self._read()
        self._turn(0)

    async def _read(self) -> None:
        """Read the step. A checkpoint that means something else now is no longer ticked."""
        try:
            step = (await in_thread(self.tasks.resume, **self.target.arguments, limit=1)).step
        except Refusal as no:
            await self.refused(no)
            return
        before, self.step = self.step, step
        if step is None:
            return
        self.names = self.asks(step)
        changed = {
            name for name in self.names if before is not None and self.about(before, name) != self.about(step, name)
        }
        self.checked = {name for name in self.checked if name in self.names} - changed

    @property
    def page(self) -> Checkpoint | None:
        """The checkpoint of this page; none on the last one."""
        return self.names[self._at] if self._at < len(self.names) else None

    def _turn(self, page: int) -> None:
        """Go to a page."""
        self._at = max(0, min(page, len(self.names)))
        field = self.query_one(TextField)
        field.display = self.page is not None
        if self.page is not None:
            field.text = self.session.drafts.get(self._draft(self.page), "")
            field.move_cursor(field.document.end)
            field.focus()
        else:
            self.set_focus(None)
        self.renew()

    def words(self) -> list[TextLine]:
        if self.step is None:
            return [TextLine("Loading the step.", "dim")]
        if self.page is None:
            return self.summary(self.step)
        page = f"{self._at + 1} of {len(self.names)}: {self.page}"
        return [
            TextLine(f"{page} {glyphs_of(self).dash} {self.question}", "title"),
            *self.about(self.step, self.page),
        ]

    def on_text_area_changed(self) -> None:
        if self.page is not None:
            self.session.drafts[self._draft(self.page)] = self.query_one(TextField).text

    def on_text_field_sent(self) -> None:
        if self.page is not None and not self.busy:
            self.checked.add(self.page)
            self._turn(self._at + 1)

    def action_skip(self) -> None:
        if self.page is not None and not self.busy:
            self.checked.discard(self.page)
            self._turn(self._at + 1)

    def action_previous(self) -> None:
        if not self.busy:
            self._turn(self._at - 1)

    def discard_drafts(self) -> None:
        """Forget the drafts: they are being sent."""
        for name in self.names:
            self.session.drafts.pop(self._draft(name), None)

    async def after_conflict(self, current: int) -> str:
        """Read the step again. Ticks stay only where nothing changed."""
        ticked = set(self.checked)
        await self._read()
        void = ticked - self.checked
        self._turn(min((self.names.index(name) for name in void if name in self.names), default=len(self.names)))
        if not void:
            return f"What you checked has not changed. Enter sends it at revision {current}; Esc goes back."
        return f"Changed, or confirmed by someone else: {', '.join(sorted(void))}. Check again."

    def marks(self) -> Checkmarks:
        """What the person confirms, with their notes."""
        kept = self.session.drafts
        notes = {name: kept.get(self._draft(name), "").strip() for name in self.names if name in self.checked}
        marks = {name: {"confirmed": True, **({"note": note} if note else {})} for name, note in notes.items()}
        return cast("Checkmarks", marks)

    def _draft(self, name: str) -> tuple[str, ...]:
        return (self.kind, self.target.task, self.target.step_id or "", name)


def listed(step: StepDetail, name: Checkpoint) -> tuple[str, ...]:
    """What a step lists for a checkpoint; only two have a list."""
    return {"criteria": step.criteria, "tests": step.tests}.get(name) or ()


def item_lines(items: tuple[str, ...], dot: str) -> list[TextLine]:
    """A checkpoint's list, as lines."""
    return [part for line in items for part in text_lines(line, indent=f"  {dot} ")]
