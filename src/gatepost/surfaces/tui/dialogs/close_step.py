"""Closing a step: the person confirms its checkpoints one by one, and nothing else is confirmed."""

from functools import partial
from typing import ClassVar, cast

from textual.binding import BindingType

from gatepost.client.workspaces import BatchedCall, Checkmarks
from gatepost.domain.checkpoints import Checkpoint
from gatepost.domain.refusals import Refusal
from gatepost.replies.steps import StepDetail
from gatepost.surfaces.proof_text import lamp, proof_words
from gatepost.surfaces.tui.calls import in_thread
from gatepost.surfaces.tui.dialogs.dialog import Dialog, DialogTarget, TextField
from gatepost.surfaces.tui.keys import CLOSE_STEP, Hint, bindings, hints
from gatepost.surfaces.tui.models.step_state import checkpoints, has_checks, look_of
from gatepost.surfaces.tui.session import ago, glyphs_of
from gatepost.surfaces.tui.texts import safe
from gatepost.surfaces.tui.widgets.text_view import TextLine, text_lines

_UNWRITTEN = "Nothing is listed, but the step needs this checkpoint."


class CloseStepDialog(Dialog):
    """A page for each unconfirmed checkpoint, then a summary of what will be sent."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(CLOSE_STEP)

    def __init__(self, target: DialogTarget) -> None:
        super().__init__(target)
        self._step: StepDetail | None = None
        self._names: list[Checkpoint] = []
        self._at = 0
        self._checked: set[Checkpoint] = set()

    def heading(self) -> str:
        return f"Close {self.target.name or self.target.task}"

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
        """Read the step. A checkpoint whose text has changed is no longer ticked."""
        try:
            step = (await in_thread(self.tasks.resume, **self.target.arguments, limit=1)).step
        except Refusal as no:
            await self.refused(no)
            return
        before, self._step = self._step, step
        if step is None:
            return
        self._names = [
            name for name, mark in checkpoints(step).items() if mark is None and not has_checks(step, name)
        ]
        changed = {
            name for name in self._names if before is not None and _listed(before, name) != _listed(step, name)
        }
        self._checked = {name for name in self._checked if name in self._names} - changed

    @property
    def _page(self) -> Checkpoint | None:
        """The checkpoint of this page; none on the last one."""
        return self._names[self._at] if self._at < len(self._names) else None

    def _turn(self, page: int) -> None:
        """Go to a page."""
        self._at = max(0, min(page, len(self._names)))
        field = self.query_one(TextField)
        field.display = self._page is not None
        if self._page is not None:
            field.text = self.session.drafts.get(self._draft(self._page), "")
            field.move_cursor(field.document.end)
            field.focus()
        else:
            self.set_focus(None)
        self.renew()

    def words(self) -> list[TextLine]:
        if self._step is None:
            return [TextLine("Loading the step.", "dim")]
        return self._summary(self._step) if self._page is None else self._question(self._step, self._page)

    def _question(self, step: StepDetail, name: Checkpoint) -> list[TextLine]:
        dot = glyphs_of(self).dot
        lines = [part for line in _listed(step, name) for part in text_lines(line, indent=f"  {dot} ")]
        about = lines or [TextLine(f"  {_UNWRITTEN}", "dim", 2)]
        page = f"{self._at + 1} of {len(self._names)}: {name}"
        return [TextLine(f"{page} {glyphs_of(self).dash} have you checked this yourself?", "title"), *about]

    def _summary(self, step: StepDetail) -> list[TextLine]:
        glyphs = glyphs_of(self)
        lines = []
        for name, mark in checkpoints(step).items():
            if mark is not None:
                sign = lamp(glyphs, mark.provenance, stale=mark.stale)
                said = safe(proof_words(mark, mark.actor, ago(self, mark.at)))
                lines.append(TextLine(f"{sign} {name}: {said}", look_of(mark.provenance, stale=mark.stale), 2))
            elif has_checks(step, name):
                lines.append(TextLine(f"{glyphs.off} {name}: its checks run when you close the step", "plain", 2))
            elif name in self._checked:
                lines.append(TextLine(f"{glyphs.on} {name}: checked by you", "good", 2))
            else:
                lines.append(TextLine(f"{glyphs.off} {name}: not checked", "bad", 2))
        if step.done:
            return [*lines, TextLine("The step is already done.", "title")]
        missing = [name for name in self._names if name not in self._checked]
        if missing:
            return [
                *lines,
                TextLine(f"The step stays open: confirm {' and '.join(missing)} first.", "title", 0),
            ]
        return [*lines, TextLine("Nothing else is confirmed in your name.", "dim")]

    def keys(self) -> tuple[Hint, ...]:
        if self._step is None or self._step.done:
            return hints(CLOSE_STEP, finish="", keep="", skip="", previous="")
        if self._page is not None:
            return hints(CLOSE_STEP, finish="I have checked it", keep="")
        if all(name in self._checked for name in self._names):
            return hints(CLOSE_STEP, keep="confirm only" if self._checked else "", skip="")
        return hints(CLOSE_STEP, finish="", keep="confirm what is checked" if self._checked else "", skip="")

    def on_text_area_changed(self) -> None:
        if self._page is not None:
            self.session.drafts[self._draft(self._page)] = self.query_one(TextField).text

    def on_text_field_sent(self) -> None:
        if self._page is not None and not self.busy:
            self._checked.add(self._page)
            self._turn(self._at + 1)

    def action_skip(self) -> None:
        if self._page is not None and not self.busy:
            self._checked.discard(self._page)
            self._turn(self._at + 1)

    def action_previous(self) -> None:
        if not self.busy:
            self._turn(self._at - 1)

    def action_finish(self) -> None:
        """Confirm what was checked, and close: together or not at all."""
        if self._step is None or self._step.done or any(name not in self._checked for name in self._names):
            return
        target, marks = self.target, self._marks()
        if any(has_checks(self._step, name) for name in self._step.unconfirmed or ()):
            self.send(partial(self.tasks.close_step, **target.as_seen, checkpoints=marks or None, run_checks=True))
        elif not marks:
            self.send(partial(self.tasks.done, **target.as_seen))
        elif "criteria" in marks or "tests" in marks:
            self.send(partial(self.tasks.close_step, **target.as_seen, checkpoints=marks))
        else:  # tasks_close_step wants one of those two; nothing that others confirmed is confirmed again
            verify: BatchedCall = {"tool": "tasks_verify", "arguments": {**target.as_seen, "checkpoints": marks}}
            self.send(partial(self.tasks.batch, [verify, {"tool": "tasks_done", "arguments": target.arguments}]))

    def action_keep(self) -> None:
        """Confirm what was checked, and leave the step open."""
        if self._page is None and self._checked:
            self.send(partial(self.tasks.verify, **self.target.as_seen, checkpoints=self._marks()))

    def discard_drafts(self) -> None:
        """Forget the drafts: they are being sent."""
        for name in self._names:
            self.session.drafts.pop(self._draft(name), None)

    async def after_conflict(self, current: int) -> str:
        """Read the step again. Ticks stay only where the text is the same."""
        ticked = set(self._checked)
        await self._read()
        void = ticked - self._checked
        self._turn(min((self._names.index(name) for name in void if name in self._names), default=len(self._names)))
        if not void:
            return f"What you checked has not changed. Enter closes the step at revision {current}; Esc goes back."
        return f"Changed, or confirmed by someone else: {', '.join(sorted(void))}. Check again."

    def _marks(self) -> Checkmarks:
        kept = self.session.drafts
        notes = {name: kept.get(self._draft(name), "").strip() for name in self._names if name in self._checked}
        marks = {name: {"confirmed": True, **({"note": note} if note else {})} for name, note in notes.items()}
        return cast("Checkmarks", marks)

    def _draft(self, name: str) -> tuple[str, ...]:
        return ("Close", self.target.task, self.target.step_id or "", name)


def _listed(step: StepDetail, name: Checkpoint) -> tuple[str, ...]:
    """What a step lists for a checkpoint; only two have a list."""
    return {"criteria": step.criteria, "tests": step.tests}.get(name) or ()
