"""The radar: now, why, verify, next and blockers, over whatever screen one is on."""

from collections.abc import Sequence
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen

from gatepost.domain.checkpoints import ALWAYS
from gatepost.domain.refusals import Refusal
from gatepost.replies.radar import Blocker, RadarReply, Verification
from gatepost.replies.reply import SuggestedCall
from gatepost.replies.roots import Counts, RootHeading
from gatepost.replies.steps import CurrentStep, HeldStep
from gatepost.surfaces.proof_text import basis_word, lamp
from gatepost.surfaces.tui.calls import calls_of, in_thread
from gatepost.surfaces.tui.keys import RADAR_SCREEN, bindings, hints
from gatepost.surfaces.tui.models.held_steps import claim_tail
from gatepost.surfaces.tui.models.step_state import look_of
from gatepost.surfaces.tui.screens.reader import ReadScreen
from gatepost.surfaces.tui.session import glyphs_of, host_of
from gatepost.surfaces.tui.widgets.frame import KeyBar, TopBar
from gatepost.surfaces.tui.widgets.text_view import TextLine, TextView, refusal_lines, text_lines

_BAR: Final = 20


class RadarScreen(ReadScreen[None], ModalScreen[None]):
    """The state of the work, kept current."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(RADAR_SCREEN)

    def __init__(self) -> None:
        super().__init__()
        self._reply: RadarReply | None = None

    def compose(self) -> ComposeResult:
        yield TopBar("radar")
        yield TextView()
        yield KeyBar(hints(RADAR_SCREEN))

    async def read(self) -> None:
        self._reply = await in_thread(calls_of(self).tasks.radar)
        self.query_one(TextView).show(self._lines(self._reply))

    def refused(self, no: Refusal) -> None:
        self.query_one(TextView).show(refusal_lines(no))

    def _lines(self, reply: RadarReply) -> list[TextLine]:
        if reply.target is None:
            return text_lines(
                "Nothing is open. Create a task with :new TITLE on the home screen, or let an agent create one."
            )
        return [
            *self._top(reply.target, reply.counts),
            *self._now(reply.now),
            *_part("In progress", self._held(reply.held or ())),
            *_part("Why", [] if reply.why is None else text_lines(reply.why.text, indent="  ")),
            *self._verify(reply.verify),
            *([] if reply.next is None else _next(reply.next)),
            *self._blockers(reply.blockers),
        ]

    def _top(self, target: RootHeading, counts: Counts) -> list[TextLine]:
        glyphs = glyphs_of(self)
        far = f"{glyphs.bar(counts.done, counts.total, _BAR)} {counts.done}/{counts.total}"
        blocked = f" {glyphs.dot} {glyphs.blocked} {counts.blocked} blocked" if counts.blocked else ""
        about = f" {glyphs.dot} ".join((far, target.status, f"revision {target.revision}{blocked}"))
        return [*text_lines(f"{target.id} {target.title}", "title"), TextLine(about, "dim")]

    def _now(self, now: CurrentStep | None) -> list[TextLine]:
        if now is None:
            return _part("Now", [TextLine("  nothing is ready to work on", "dim")])
        lines = text_lines(f"{glyphs_of(self).now} {now.title}", "plain", "  ")
        where = TextLine(f"    {now.task} {now.path} {now.step_id}", "dim")
        cautions = [line for text in now.blockers or () for line in text_lines(f"caution: {text}", "plain", "    ")]
        return _part("Now", [*lines, where, *cautions, *_said_about(now)])

    def _held(self, held: Sequence[HeldStep]) -> list[TextLine]:
        return [
            line
            for one in held
            for line in text_lines(f"{one.task} {one.path or ''} {one.title}: {claim_tail(one)}", "info", "  ")
        ]

    def _verify(self, verify: Verification | None) -> list[TextLine]:
        if verify is None:
            return []
        glyphs = glyphs_of(self)
        names = dict.fromkeys((*ALWAYS, *verify.required, *verify.unconfirmed))
        texts = {"criteria": verify.criteria, "tests": verify.tests}
        lines: list[TextLine] = []
        for name in names:
            kind, stale = (verify.confirmed or {}).get(name), name in (verify.stale or ())
            said = "not confirmed" if kind is None else basis_word(kind) + (", stale" if stale else "")
            sign = lamp(glyphs, kind, stale=stale)
            lines.append(TextLine(f"  {sign} {name} {said}", look_of(kind, stale=stale)))
            for check in verify.checks or ():
                lines += text_lines(f"$ {check.line}", "plain", "    ") if check.checkpoint == name else []
            for text in texts.get(name, ()):
                lines += text_lines(text, "plain", f"    {glyphs.dot} ")
        return _part("Verify", lines)

    def _blockers(self, blockers: Sequence[Blocker]) -> list[TextLine]:
        lines: list[TextLine] = []
        for one in blockers:
            if one.approval is not None:
                said = f"{one.task} {one.title} waits for a person's approval"
            elif one.depends_on is not None:
                said = f"{one.task} waits for {one.depends_on} ({one.status}): {one.title}"
            else:
                asked = None if one.question is None else one.question.ask
                said = f"{one.task} {one.path} {one.title}: {asked or one.reason or 'no reason given'}"
            lines += text_lines(f"{glyphs_of(self).blocked} {said}", "bad", "  ")
        return _part("Blockers", lines)

    def action_open(self) -> None:
        reply = self._reply
        if reply is None or reply.target is None:
            return
        if reply.now is not None:
            self._open(reply.now.task, reply.now.path)
        elif reply.target.kind == "task":
            self._open(reply.target.id, None)

    def _open(self, task: str, path: str | None) -> None:
        host = host_of(self)
        self.dismiss(None)
        host.show_tree(task, path)


def _part(title: str, lines: list[TextLine]) -> list[TextLine]:
    return [TextLine(title, "title"), *lines] if lines else []


def _said_about(now: CurrentStep) -> list[TextLine]:
    """The answer to the last question about a step, and its newest notes."""
    said = [f"note, {note.actor}: {note.note}" for note in now.notes or ()]
    if now.answer is not None:
        asked = "" if now.answer.question is None else f' to "{now.answer.question}"'
        said.insert(0, f"answer{asked}, {now.answer.actor}: {now.answer.answer}")
    return [line for text in said for line in text_lines(text, "plain", "    ")]


def _next(call: SuggestedCall) -> list[TextLine]:
    """What to do next, in words."""
    what = call.tool.removeprefix("tasks_").replace("_", " ").capitalize()
    return _part("Next", text_lines(f"{what}: {call.because}", "plain", "  "))
