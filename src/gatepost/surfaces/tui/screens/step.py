"""One step in full: what would prove it, who confirmed what, evidence, and what was said."""

from typing import Any, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen

from gatepost.client.protocol import Update
from gatepost.surfaces.tui.calls import in_thread
from gatepost.surfaces.tui.dialogs.step_actions import UNREAD, StepActions
from gatepost.surfaces.tui.keys import STEP, bindings, hints
from gatepost.surfaces.tui.models.step_history import StepHistory
from gatepost.surfaces.tui.models.step_state import checkpoints, state_sign, state_word
from gatepost.surfaces.tui.screens.reader import Reader, touches
from gatepost.surfaces.tui.session import ago, glyphs_of, session_of
from gatepost.surfaces.tui.source import Refused
from gatepost.surfaces.tui.texts import safe
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
    "evidence_captured": "captured evidence",
}


class StepScreen(Screen[None]):
    """A step, kept as it is now."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(STEP)

    def __init__(self, task: str, step_id: str) -> None:
        super().__init__()
        self._task_id = task
        self._step_id = step_id
        self._history: StepHistory
        self._reply: dict[str, Any] | None = None
        self._unfolded = False
        self._reader = Reader(self, self._read, self._refused)
        self._actions = StepActions(self, self._reader.soon)

    def compose(self) -> ComposeResult:
        """Everything in one text that scrolls."""
        yield TopBar(f"{self._task_id} step")
        yield TextView()
        yield MessageLine()
        yield KeyBar(hints(STEP))

    def on_mount(self) -> None:
        """Read it."""
        self._history = StepHistory(session_of(self).source, self._task_id)
        self.query_one(TextView).focus()
        self._reader.soon()
        self.set_interval(_TICK, self._tick)

    @property
    def ready(self) -> bool:
        """Whether there is a reply, or a refusal, to act on."""
        return self._reader.answered

    def receive(self, update: Update) -> None:
        """Read it again if its task changed."""
        if self.is_mounted and touches(update, self._task_id):
            self._reader.soon()

    async def _read(self) -> None:
        self._reply = await in_thread(lambda: self._history.latest(self._step_id))
        self._show()

    def _refused(self, no: Refused) -> None:
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
        if reply is not None:
            self.query_one(TopBar).rename(f"{self._task_id} {reply['step']['path']}")
            self.query_one(TextView).show(self._lines(reply))

    def _lines(self, reply: dict[str, Any]) -> list[TextLine]:
        step = reply["step"]
        return [
            *self._top(step, now=(reply["now"] or {}).get("step_id") == step["step_id"]),
            *([] if "status" in step else self._lamps(step)),
            *self._list("Criteria", step.get("criteria")),
            *self._list("Tests", step.get("tests")),
            *self._list("Cautions", step.get("blockers") or None),
            *self._evidence(reply.get("evidence") or []),
            *self._log(),
        ]

    def _top(self, step: dict[str, Any], *, now: bool) -> list[TextLine]:
        glyphs = glyphs_of(self)
        sign = state_sign(glyphs, step, now=now)
        facts = [state_word(step, now=now), step["path"], step["step_id"]]
        if step.get("counts"):
            facts.append(f"{step['counts']['done']}/{step['counts']['total']} below done")
        if step.get("done_at"):
            facts.append(f"closed {ago(self, step['done_at'])}")
        if "status" in step:
            facts.append(f"nested task, {step['status']}, {step['priority']}")
        lines = [*text_lines(f"{sign} {step['title']}", "title"), TextLine(f" {glyphs.dot} ".join(facts), "dim")]
        if step.get("blocked"):
            why = "no reason given" if step["blocked"] is True else step["blocked"]
            lines += text_lines(f"{glyphs.blocked} Blocked: {why}", "bad")
        return [*lines, *(text_lines(step["description"]) if step.get("description") else [])]

    def _lamps(self, step: dict[str, Any]) -> list[TextLine]:
        glyphs = glyphs_of(self)
        lines = [TextLine(""), TextLine("Checkpoints", "title")]
        for name, mark in checkpoints(step).items():
            if mark is None:
                lines.append(TextLine(f"  {glyphs.off} {name:<9} not confirmed", "plain", 4))
                continue
            note = f": {safe(mark['note'])}" if mark.get("note") else ""
            said = f"confirmed by {safe(mark.get('actor', ''))}, {ago(self, mark.get('at', ''))}{note}"
            lines.append(TextLine(f"  {glyphs.on} {name:<9} {said}", "good", 4))
        return lines

    def _list(self, title: str, items: list[str] | None) -> list[TextLine]:
        if items is None:
            return []
        dot = glyphs_of(self).dot
        lines = [verse for item in items for verse in text_lines(item, indent=f"  {dot} ")]
        return [TextLine(""), TextLine(title, "title"), *(lines or [TextLine("  none", "dim")])]

    def _evidence(self, pieces: list[dict[str, Any]]) -> list[TextLine]:
        if not pieces:
            return []
        lines = [TextLine(""), TextLine(f"Evidence ({len(pieces)})", "title")]
        for piece in pieces:
            lines += self._piece(piece)
        return lines

    def _piece(self, piece: dict[str, Any]) -> list[TextLine]:
        kind = piece.get("kind") or piece.get("form") or "piece"
        outcome = ""
        if "exit_code" in piece:
            outcome = f", exit {piece['exit_code']}"
        elif "passed" in piece:
            outcome = ", passed" if piece["passed"] else ", failed"
        what = piece.get("title") or piece.get("command") or piece.get("path") or piece.get("url") or ""
        lines = text_lines(f"{glyphs_of(self).dot} {kind}{outcome}: {what}", "plain", "  ")
        lines += [
            verse
            for name in ("command", "url", "path")
            if piece.get(name) and piece[name] != what
            for verse in text_lines(piece[name], "plain", "    ")
        ]
        text = piece.get("content") or piece.get("detail") or ""
        if not text:
            return lines
        body = diff_lines(text) if kind == "diff" else text_lines(text)
        shown = body if self._unfolded else body[:_FOLDED]
        lines += [
            TextLine("    " + text, "dim" if look == "plain" else look, 4 + hang) for text, look, hang in shown
        ]
        more = len(body) - len(shown)
        return [*lines, TextLine(f"    {more} more lines. Press f to show all.", "dim")] if more else lines

    def _log(self) -> list[TextLine]:
        lines = [TextLine(""), TextLine("History", "title")]
        for event in self._history.of(self._step_id):
            said = _said(event)
            lines.append(TextLine(f"  {safe(event['actor'])} {said}, {ago(self, event['at'])}", "dim", 4))
            text = event.get("note") or event.get("reason")
            lines += text_lines(text, "plain", "    ") if text else []
        if len(lines) == 2:
            lines.append(TextLine("  nothing yet", "dim"))
        return lines if self._history.whole else [*lines, TextLine("  Press m to look further back.", "dim")]

    def action_older(self) -> None:
        """Look further back."""
        self.run_worker(self._older())

    async def _older(self) -> None:
        try:
            await in_thread(self._history.back)
        except Refused as no:
            self.query_one(MessageLine).say(no.words)
        self._show()

    def action_back(self) -> None:
        """Close it."""
        self.dismiss()

    def action_unfold(self) -> None:
        """Show long evidence whole, or folded again."""
        self._unfolded = not self._unfolded
        self._show()

    def action_do(self, action: str) -> None:
        """Do something to the step."""
        if self._reply is not None:
            self._actions.do(action, self._reply["target"], self._reply["step"])
        else:
            self.query_one(MessageLine).say(UNREAD)


def _said(event: dict[str, Any]) -> str:
    if event["type"] == "step_verified":
        marks: dict[str, dict[str, Any]] = event.get("checkpoints") or {}
        words = (("confirmed", True), ("withdrew", False))
        told_of = [
            f"{word} {', '.join(names)}"
            for word, wanted in words
            if (names := [safe(name) for name, mark in marks.items() if mark.get("confirmed") is wanted])
        ]
        return " and ".join(told_of) or "confirmed"
    if event["type"] == "step_done" and event.get("forced"):
        return "closed it by force"
    return _SAID.get(event["type"], safe(event["type"]).replace("_", " "))
