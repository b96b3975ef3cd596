"""Closing a step: the person confirms its checkpoints one by one, and nothing else is confirmed."""

from functools import partial
from typing import ClassVar, Final

from textual.binding import BindingType

from gatepost.client.workspaces import BatchedCall
from gatepost.domain.checkpoints import Checkpoint
from gatepost.replies.step_details import StepDetail
from gatepost.surfaces.proof_text import lamp, proof_words
from gatepost.surfaces.tui.dialogs.checkpoints import CheckpointDialog, item_lines, listed
from gatepost.surfaces.tui.keys import CLOSE_STEP, Hint, bindings, hints
from gatepost.surfaces.tui.models.step_state import checkpoints, has_checks, look_of
from gatepost.surfaces.tui.session import ago, glyphs_of
from gatepost.surfaces.tui.texts import safe
from gatepost.surfaces.tui.widgets.text_view import TextLine

_UNWRITTEN: Final = "Nothing is listed, but the step needs this checkpoint."


class CloseStepDialog(CheckpointDialog):
    """A page for each unconfirmed checkpoint, then a summary."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(CLOSE_STEP)
    kind = "Close"
    question = "have you checked this yourself?"

    def asks(self, step: StepDetail) -> list[Checkpoint]:
        return [name for name, mark in checkpoints(step).items() if mark is None and not has_checks(step, name)]

    def about(self, step: StepDetail, name: Checkpoint) -> list[TextLine]:
        lines = item_lines(listed(step, name), glyphs_of(self).dot)
        return lines or [TextLine(f"  {_UNWRITTEN}", "dim", 2)]

    def summary(self, step: StepDetail) -> list[TextLine]:
        glyphs = glyphs_of(self)
        lines = []
        for name, mark in checkpoints(step).items():
            if mark is not None:
                sign = lamp(glyphs, mark.provenance, stale=mark.stale)
                said = safe(proof_words(mark, mark.actor, ago(self, mark.at)))
                lines.append(TextLine(f"{sign} {name}: {said}", look_of(mark.provenance, stale=mark.stale), 2))
            elif has_checks(step, name):
                lines.append(TextLine(f"{glyphs.off} {name}: its checks run when you close the step", "plain", 2))
            elif name in self.checked:
                lines.append(TextLine(f"{glyphs.on} {name}: checked by you", "good", 2))
            else:
                lines.append(TextLine(f"{glyphs.off} {name}: not checked", "bad", 2))
        if step.done:
            return [*lines, TextLine("The step is already done.", "title")]
        missing = [name for name in self.names if name not in self.checked]
        if missing:
            return [
                *lines,
                TextLine(f"The step stays open: confirm {' and '.join(missing)} first.", "title", 0),
            ]
        return [*lines, TextLine("Nothing else is confirmed in your name.", "dim")]

    def keys(self) -> tuple[Hint, ...]:
        if self.step is None or self.step.done:
            return hints(CLOSE_STEP, finish="", keep="", skip="", previous="")
        if self.page is not None:
            return hints(CLOSE_STEP, finish="I have checked it", keep="")
        if all(name in self.checked for name in self.names):
            return hints(CLOSE_STEP, keep="confirm only" if self.checked else "", skip="")
        return hints(CLOSE_STEP, finish="", keep="confirm what is checked" if self.checked else "", skip="")

    def action_finish(self) -> None:
        """Confirm what was checked, and close: together or not at all."""
        if self.step is None or self.step.done or any(name not in self.checked for name in self.names):
            return
        target, marks = self.target, self.marks()
        if any(has_checks(self.step, name) for name in self.step.unconfirmed or ()):
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
        if self.page is None and self.checked:
            self.send(partial(self.tasks.verify, **self.target.as_seen, checkpoints=self.marks()))
