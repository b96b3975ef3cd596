"""Signing off: a person confirms what somebody else confirmed, checkpoint by checkpoint."""

from functools import partial
from typing import ClassVar

from textual.binding import BindingType

from gatepost.domain.checkpoints import Checkpoint
from gatepost.domain.people import is_person
from gatepost.replies.step_details import StepDetail, StepProof
from gatepost.surfaces.proof_text import proof_words
from gatepost.surfaces.tui.dialogs.checkpoints import CheckpointDialog, item_lines, listed
from gatepost.surfaces.tui.keys import SIGN_OFF, Hint, bindings, hints
from gatepost.surfaces.tui.session import ago, glyphs_of
from gatepost.surfaces.tui.texts import safe
from gatepost.surfaces.tui.widgets.text_view import TextLine, text_lines


class SignOffDialog(CheckpointDialog):
    """A page for each checkpoint that only an agent or a program has confirmed, then a summary."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(SIGN_OFF)
    kind = "Sign off"
    question = "have you verified it too?"

    def asks(self, step: StepDetail) -> list[Checkpoint]:
        return list(_signable(step))

    def about(self, step: StepDetail, name: Checkpoint) -> list[TextLine]:
        """What the checkpoint lists, and who confirmed it on what. Without the time, which changes."""
        mark = _signable(step).get(name)
        said = "" if mark is None else f"Confirmed: {proof_words(mark, mark.actor)}"
        return [*item_lines(listed(step, name), glyphs_of(self).dot), *text_lines(said, "dim", "  ")]

    def summary(self, step: StepDetail) -> list[TextLine]:
        if not self.names:
            nothing = "Nothing to sign off: no checkpoint is confirmed yet, or people confirmed them all."
            return [TextLine(nothing, "title")]
        glyphs, lines = glyphs_of(self), []
        for name, mark in _signable(step).items():
            mine = name in self.checked
            said = (
                "signed off by you" if mine else f"not signed off, confirmed by {mark.actor} {ago(self, mark.at)}"
            )
            sign = glyphs.on if mine else glyphs.off
            lines.append(TextLine(f"{sign} {name}: {safe(said)}", "good" if mine else "plain", 2))
        return lines

    def keys(self) -> tuple[Hint, ...]:
        if self.page is not None:
            return hints(SIGN_OFF, finish="I have verified it")
        sign, back = "sign off" if self.checked else "", "previous" if self.names else ""
        return hints(SIGN_OFF, finish=sign, skip="", previous=back)

    def action_finish(self) -> None:
        if self.page is None and self.checked:
            self.send(partial(self.tasks.verify, **self.target.as_seen, checkpoints=self.marks()))


def _signable(step: StepDetail) -> dict[Checkpoint, StepProof]:
    """The confirmations that no person has made or signed yet."""
    return {
        mark.checkpoint: mark
        for mark in step.confirmed or ()
        if not is_person(mark.actor) and not (mark.signed and is_person(mark.signed.actor))
    }
