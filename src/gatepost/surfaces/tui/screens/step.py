"""One step in full: what would prove it, who confirmed what, evidence, and what was said."""

from collections.abc import Sequence
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType

from gatepost.client.protocol import Update
from gatepost.domain.refusals import Refusal
from gatepost.replies.events import LoggedEvent
from gatepost.replies.evidence import KeptEvidence
from gatepost.replies.policies import PolicyFields
from gatepost.replies.resume import ResumeReply
from gatepost.replies.step_details import StepDetail
from gatepost.replies.steps import HeldStep
from gatepost.surfaces.proof_text import (
    check_words,
    confirmation_words,
    lamp,
    need_words,
    policy_words,
    proof_words,
)
from gatepost.surfaces.tui.calls import in_thread
from gatepost.surfaces.tui.dialogs.step_actions import UNREAD, StepActions
from gatepost.surfaces.tui.dialogs.text import option_lines
from gatepost.surfaces.tui.keys import STEP, bindings, hints
from gatepost.surfaces.tui.models.held_steps import claim_words, held_steps
from gatepost.surfaces.tui.models.step_history import StepHistory
from gatepost.surfaces.tui.models.step_state import checkpoints, look_of, state_sign, state_word
from gatepost.surfaces.tui.screens.reader import ReadScreen, touches
from gatepost.surfaces.tui.session import ago, glyphs_of, session_of
from gatepost.surfaces.tui.source import words_of
from gatepost.surfaces.tui.texts import pad, safe
from gatepost.surfaces.tui.widgets.frame import KeyBar, TopBar
from gatepost.surfaces.tui.widgets.message_line import MessageLine
from gatepost.surfaces.tui.widgets.text_view import TextLine, TextView, diff_lines, refusal_lines, text_lines

_FOLDED: Final = 40
_TICK: Final = 10.0
"""How often the "ago" times are redrawn, in seconds."""
_SAID: Final = {
    "step_noted": "added a note",
    "step_blocked": "blocked it",
    "step_unblocked": "unblocked it",
    "step_done": "closed it",
    "step_reopened": "reopened it",
    "step_defined": "rewrote it",
    "step_moved": "moved it",
    "evidence_captured": "captured evidence",
}


class StepScreen(ReadScreen[None]):
    """A step, kept current."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(STEP)

    def __init__(self, task: str, step_id: str) -> None:
        super().__init__()
        self._task_id = task
        self._step_id = step_id
        self._history: StepHistory
        self._reply: ResumeReply | None = None
        self._now = False
        self._held: HeldStep | None = None
        self._unfolded = False
        self._actions = StepActions(self, self.reader.soon)

    def compose(self) -> ComposeResult:
        yield TopBar(f"{self._task_id} step")
        yield TextView()
        yield MessageLine()
        yield KeyBar(hints(STEP))

    def on_mount(self) -> None:
        """Redraw now and then: it shows how long ago things happened."""
        self._history = StepHistory(session_of(self).source, self._task_id)
        self.set_interval(_TICK, self._tick)

    def is_about(self, update: Update) -> bool:
        """Whether its task changed."""
        return touches(update, self._task_id)

    async def read(self) -> None:
        self._reply, radar = await in_thread(lambda: self._history.latest(self._step_id))
        self._now = radar.now is not None and radar.now.step_id == self._step_id
        self._held = held_steps(radar.held, self._task_id).get(self._step_id)
        self._show()

    def refused(self, no: Refusal) -> None:
        if self._reply is None:
            self.query_one(TextView).show(refusal_lines(no))

    def _tick(self) -> None:
        if self.is_active:
            self._show()

    def on_screen_resume(self) -> None:
        """Back from another screen: some time has passed."""
        self._show()

    def _show(self) -> None:
        reply = self._reply
        if reply is not None and reply.step is not None:
            self.query_one(TopBar).rename(f"{self._task_id} {reply.step.path}")
            self.query_one(TextView).show(self._lines(reply.step, reply))

    def _lines(self, step: StepDetail, reply: ResumeReply) -> list[TextLine]:
        evidence = reply.evidence or ()
        return [
            *self._top(step, now=self._now),
            *(self._lamps(step, evidence) if step.status is None else []),
            *self._checks(step),
            *_policy(step, reply.holds),
            *self._list("Criteria", step.criteria),
            *self._list("Tests", step.tests),
            *self._list("Cautions", step.blockers or None),
            *self._evidence(evidence),
            *self._log(),
        ]

    def _top(self, step: StepDetail, *, now: bool) -> list[TextLine]:
        glyphs = glyphs_of(self)
        sign = state_sign(glyphs, step, now=now)
        facts = [state_word(step, now=now), step.path, step.step_id]
        if step.counts:
            facts.append(f"{step.counts.done}/{step.counts.total} below done")
        if step.done_at:
            facts.append(f"closed {ago(self, step.done_at)}")
        if step.status is not None:
            facts.append(f"nested task, {step.status}, {step.priority}")
        lines = [*text_lines(f"{sign} {step.title}", "title"), TextLine(f" {glyphs.dot} ".join(facts), "dim")]
        if self._held is not None and not step.done:
            lines += text_lines(f"{glyphs.now} {claim_words(self._held)}", "info")
        if step.question is not None:
            asked = (
                f"{glyphs.blocked} {safe(step.question.actor)} asks, {ago(self, step.question.at)}: b answers it"
            )
            lines += [TextLine(asked, "bad"), *text_lines(step.question.ask, "title", "  ")]
            lines += option_lines(step.question.options)
        elif step.blocked:
            why = "no reason given" if step.blocked is True else step.blocked
            lines += text_lines(f"{glyphs.blocked} Blocked: {why}", "bad")
        return [*lines, *(text_lines(step.description) if step.description else [])]

    def _lamps(self, step: StepDetail, evidence: Sequence[KeptEvidence]) -> list[TextLine]:
        glyphs = glyphs_of(self)
        lines = [TextLine(""), TextLine("Checkpoints", "title")]
        found = checkpoints(step)
        wide = 2 if any(mark is not None and mark.stale for mark in found.values()) else 1
        for name, mark in found.items():
            kind, stale = (None, False) if mark is None else (mark.provenance, mark.stale)
            said = "not confirmed" if mark is None else proof_words(mark, mark.actor, ago(self, mark.at), evidence)
            sign = pad(lamp(glyphs, kind, stale=stale), wide)
            lines.append(TextLine(f"  {sign} {name:<9} {safe(said)}", look_of(kind, stale=stale), 4 + wide))
        return lines

    def _checks(self, step: StepDetail) -> list[TextLine]:
        """The commands that prove the step, and how they came out."""
        if not step.checks:
            return []
        looks = {"passed": "good", "failed": "bad", "stale": "warn"}
        lines = [TextLine(""), TextLine("Checks", "title")]
        for check, result in zip(step.checks, step.results or (), strict=False):
            said = safe(check_words(check, result))
            lines.append(TextLine(f"  $ {said}", looks.get(result.state, "plain"), 4))
        return lines

    def _list(self, title: str, items: Sequence[str] | None) -> list[TextLine]:
        if items is None:
            return []
        dot = glyphs_of(self).dot
        lines = [part for item in items for part in text_lines(item, indent=f"  {dot} ")]
        return [TextLine(""), TextLine(title, "title"), *(lines or [TextLine("  none", "dim")])]

    def _evidence(self, pieces: Sequence[KeptEvidence]) -> list[TextLine]:
        if not pieces:
            return []
        lines = [TextLine(""), TextLine(f"Evidence ({len(pieces)})", "title")]
        for piece in pieces:
            lines += self._piece(piece)
        return lines

    def _piece(self, piece: KeptEvidence) -> list[TextLine]:
        kind = piece.kind or piece.form
        outcome = ""
        if piece.exit_code is not None:
            outcome = f", exit {piece.exit_code}"
        elif piece.passed is not None:
            outcome = ", passed" if piece.passed else ", failed"
        what = piece.title or piece.command or piece.path or piece.url or ""
        lines = text_lines(f"{glyphs_of(self).dot} {kind}{outcome}: {what}", "plain", "  ")
        for more in (piece.command, piece.url, piece.path):
            if more and more != what:
                lines += text_lines(more, "plain", "    ")
        text = piece.content or piece.detail or ""
        if not text:
            return lines
        body = diff_lines(text) if kind == "diff" else text_lines(text)
        shown = body if self._unfolded else body[:_FOLDED]
        lines += [
            TextLine("    " + text, "dim" if look == "plain" else look, 4 + hang) for text, look, hang in shown
        ]
        rest = len(body) - len(shown)
        return [*lines, TextLine(f"    {rest} more lines. Press f to show all.", "dim")] if rest else lines

    def _log(self) -> list[TextLine]:
        lines = [TextLine(""), TextLine("History", "title")]
        for event in self._history.of(self._step_id):
            said = _said(event)
            lines.append(TextLine(f"  {safe(event.actor)} {said}, {ago(self, event.at)}", "dim", 4))
            text = event.note or event.reason
            lines += text_lines(text, "plain", "    ") if text else []
        if len(lines) == 2:
            lines.append(TextLine("  nothing yet", "dim"))
        return lines if self._history.whole else [*lines, TextLine("  Press m to look further back.", "dim")]

    def action_older(self) -> None:
        self.run_worker(self._older())

    async def _older(self) -> None:
        try:
            await in_thread(self._history.back)
        except Refusal as no:
            self.query_one(MessageLine).say(words_of(no))
        self._show()

    def action_unfold(self) -> None:
        self._unfolded = not self._unfolded
        self._show()

    def action_do(self, action: str) -> None:
        if self._reply is not None and self._reply.target is not None:
            self._actions.do(action, self._reply.target, self._reply.step)
        else:
            self.query_one(MessageLine).say(UNREAD)


def _policy(step: StepDetail, holds: PolicyFields | None) -> list[TextLine]:
    """What the policy wants here, and what closing the step still takes."""
    lines = [TextLine(f"  {text}", "plain", 2) for text in (policy_words(holds) if holds else [])]
    lines += [TextLine(f"  ! {need_words(need)}", "warn", 4) for need in step.needs or ()]
    return [TextLine(""), TextLine("Policy", "title"), *lines] if lines else []


def _said(event: LoggedEvent) -> str:
    if event.type == "step_verified":
        marks = event.checkpoints if isinstance(event.checkpoints, dict) else {}
        confirmed = {name: mark.confirmed for name, mark in marks.items()}
        return confirmation_words(confirmed, event.provenance or {}, event.signed or ()) or "confirmed"
    if event.type == "step_done" and event.forced:
        return "closed it by force"
    return _SAID.get(event.type, safe(event.type).replace("_", " "))
