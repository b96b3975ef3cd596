"""The home screen: the preview above the composer, and what happens to a typed line."""

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar, Final, assert_never

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.widgets import Input

from gatepost.client.protocol import Update
from gatepost.domain.refusals import Refusal
from gatepost.replies.reply import WriteReply
from gatepost.replies.root_writes import Created
from gatepost.replies.step_writes import StepChanged, StepsCreated
from gatepost.surfaces.tui.calls import in_thread
from gatepost.surfaces.tui.dialogs.dialog import CONFLICT, DialogTarget
from gatepost.surfaces.tui.dialogs.step_actions import outcome_message
from gatepost.surfaces.tui.dialogs.undo import UndoDialog
from gatepost.surfaces.tui.keys import COMPOSER, GLOBAL, HOME, bindings, hints
from gatepost.surfaces.tui.models import composer_syntax
from gatepost.surfaces.tui.models.composer_syntax import ComposerCall, ComposerCommand, ComposerError, ComposerNote
from gatepost.surfaces.tui.models.composer_target import ComposerContext, ComposerTarget, composer_target
from gatepost.surfaces.tui.models.outbox import Done, PendingLine
from gatepost.surfaces.tui.screens.list_details import ListDetails
from gatepost.surfaces.tui.session import TuiSession, host_of, session_of
from gatepost.surfaces.tui.source import sentence, words_of
from gatepost.surfaces.tui.texts import clip, safe
from gatepost.surfaces.tui.widgets.composer import Composer
from gatepost.surfaces.tui.widgets.frame import KeyBar, Line, TopBar
from gatepost.surfaces.tui.widgets.message_line import MessageLine
from gatepost.surfaces.tui.widgets.preview import Preview

_KEYS: Final = hints((*HOME, *GLOBAL))
_NAMED: Final = 5
_NO_TASK: Final = "No task is open. Create one with :new TITLE, or choose one with :use TASK-001."
_LINE: Final = 60
"""Messages quote a line up to this length."""
_ANOTHER: Final = "The log was replaced since you started typing."


class HomeScreen(Screen[None]):
    """The preview and the composer."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(HOME)
    AUTO_FOCUS = ""

    def __init__(self) -> None:
        super().__init__()
        self._preview = Preview()
        self._message = MessageLine()
        self._target_line = Line(id="target")
        self._composer = Composer(self._completions)
        self._keys = KeyBar(_KEYS)
        self._line_context: ComposerContext | None = None
        self._refusals: list[str] = []
        """The refusals of the lines that were sent last."""
        self._details = ListDetails(self, self.renew)

    @property
    def _session(self) -> TuiSession:
        return session_of(self)

    def compose(self) -> ComposeResult:
        yield TopBar("now")
        yield self._preview
        yield self._message
        yield self._target_line
        yield self._composer
        yield self._keys

    def on_mount(self) -> None:
        self._hint()

    def receive(self, update: Update) -> None:
        """Show the lists as they are now. In another log, no line has a target yet."""
        if update.new_log:
            self._start_over()
        self.renew()
        self._details.refresh(update, self._preview.scopes)

    def on_screen_resume(self) -> None:
        """Show what came while another screen was in front."""
        self.renew()

    def renew(self) -> None:
        """Redraw, if this screen is in front."""
        if self.is_active:
            self._preview.renew()
            self._hint()

    def say(self, words: str) -> None:
        """Show a message."""
        self._message.say(words)

    def action_resume(self) -> None:
        self._composer.begin()

    def action_compose(self, mark: str = "") -> None:
        """Start or resume typing the kind of line that `mark` begins. A draft of another kind is set aside."""
        composer = self._composer
        draft, draft_mark = composer.value, composer_syntax.mark_of(composer.value)
        if not draft or draft_mark != mark:
            if draft.strip(": "):
                self._session.set_aside[draft_mark] = draft, self._line_context
            self._take_back(composer, mark)
        composer.begin(mark)

    def _take_back(self, composer: Composer, mark: str) -> None:
        line, self._line_context = self._session.set_aside.pop(mark, ("", None))
        composer.swap(line)

    def on_descendant_focus(self) -> None:
        self._keys.name_keys(hints(COMPOSER))

    def on_composer_left(self) -> None:
        """Show the home keys again, unless typing has resumed."""
        if self.focused is None:
            self._keys.name_keys(_KEYS)
            composer = self._composer
            if self._session.set_aside and not composer.value.strip(": "):
                self._take_back(composer, next(iter(self._session.set_aside)))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Settle a line's target with its first letter, and show it while the line is typed."""
        self._session.line = event.value
        line = event.input.value  # it may have changed since this event was posted
        if not line:
            self._line_context = None
        elif self._line_context is None or self._line_context.aim is None:
            self._line_context = self._beginning()
        self._show_target(line)

    def _start_over(self) -> None:
        """The log was replaced: forget targets, and do not send the lines that wait."""
        self._line_context = None
        self._session.set_aside = {mark: (line, None) for mark, (line, _) in self._session.set_aside.items()}
        self._show_target("")
        waiting = self._session.outbox.start_over()
        if waiting:
            some = ", ".join(self._short(line) for line in waiting)
            self.say(f"The log was replaced. Not sent, but kept among the earlier lines (press Up): {some}")

    def _short(self, line: str) -> str:
        return clip(line, _LINE, self._session.glyphs.ellipsis)

    def _beginning(self) -> ComposerContext:
        return ComposerContext(composer_target(self._session.lists), self._session.lists.scopes)

    def _show_target(self, line: str) -> None:
        glyphs, aim = self._session.glyphs, None if self._line_context is None else self._line_context.aim
        said = "" if aim is None else aim.described(composer_syntax.parse(line), glyphs.dot) if line else ""
        self._target_line.set_class(bool(said), "some")
        self._target_line.show(Text(clip(safe(said), self.size.width - 2, glyphs.ellipsis)))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Do what was typed. A line that cannot be sent stays, to be corrected."""
        line = event.value
        if not line.strip():
            return
        if self._line_context is None:
            self._line_context = self._beginning()
            self._show_target(line)
            aim = self._line_context.aim
            self.say(f"{_ANOTHER} {'' if aim is None else f'It would go to {aim.name}. '}Press Enter to send it.")
            return
        self.say("")
        aimed = self._line_context.aim
        match composer_syntax.parse(line) if aimed is None else composer_syntax.parse(line, aimed.arguments):
            case ComposerError(problem, recovery):
                self.say(f"{sentence(problem)} {recovery}".strip())
            case ComposerNote(text):
                aim = self._aimed(line)
                if aim is not None:
                    # A note is sent to its step even if that has changed, so the revision shown now is expected.
                    self._line_context = ComposerContext(aim, self._session.lists.scopes)
                    given = {**aim.arguments, "note": text}
                    self._send(line, "tasks_note", given, lambda _reply: f"Added a note to {aim.name}.")
            case ComposerCall(operation, arguments):
                self._send(line, operation, arguments)
            case ComposerCommand(name, rest):
                self._obey(line, name, rest)
            case never:
                assert_never(never)

    def _aimed(self, line: str) -> ComposerTarget | None:
        """The line's target. One that appeared after the last letter is shown first: the writer has not seen it."""
        if self._line_context is not None and self._line_context.aim is not None:
            return self._line_context.aim
        self._line_context = self._beginning()
        aim = self._line_context.aim
        self.say(
            _NO_TASK
            if aim is None
            else f"This goes to {aim.name}, which has just appeared. Press Enter to send it."
        )
        self._show_target(line)
        return None

    def _obey(self, line: str, name: str, rest: str) -> None:
        if name == "new" and rest:
            given = {"kind": "task", "title": rest}
            self._send(line, "tasks_create", given, self._created)
        elif name == "new":
            self.say("A task needs a title: :new Login page")
        elif name == "step" and not rest:
            self.say("A step needs a title: :step Write the form")
        elif name in ("step", "block", "unblock", "undo", "redo"):
            aim = self._aimed(line)
            if aim is not None:
                self._change(line, name, rest, aim)
        elif name == "use":
            self._use(line, rest)
        else:
            self._composer.keep(line)
            if name == "open":
                host_of(self).show_tree(rest or None)
            else:
                host_of(self).action_go(name)

    def _created(self, reply: Created) -> str:
        """What was created, and how it gets steps: another task may lead."""
        others = any(scope.key != reply.id for scope in self._session.lists.ordered())
        first = f":use {reply.id} selects it, then " if others else ""
        return f"Created {reply.id}. {first}:step TITLE adds a step."

    def _use(self, line: str, name: str) -> None:
        """Make a list the leading one, if it is open."""
        lists = self._session.lists
        known = next((key for key in lists.scopes if key.casefold() == name.casefold()), None)
        able = [scope.key for scope in lists.ordered()]
        if name and known not in able:
            said = f"No list is called {name}" if known is None else f"{known} has nothing open"
            some = ", ".join(able[:_NAMED]) or "none"
            self.say(f"{said}. Open lists: {some}{' and more' if len(able) > _NAMED else ''}. Press o to see all.")
            return
        lists.chosen = known if name else None
        self.renew()
        self._composer.keep(line)

    def _change(self, line: str, name: str, rest: str, aim: ComposerTarget) -> None:
        """The commands that change the target step or task."""
        if name in ("undo", "redo"):
            self._reverse(line, name, aim)
        elif name == "step":
            given = {"task": aim.task, "steps": [{"title": rest}]}
            self._send(line, "tasks_decompose", given, _added)
        elif aim.step is None:
            self.say(f"No step of {aim.task} is in progress. Press t to open its tree and choose one.")
        elif name == "unblock":
            unblocked = {**aim.arguments, "blocked": False}
            self._send(
                line,
                "tasks_block",
                unblocked,
                lambda reply: _changed(reply, aim, "Unblocked {}.", "{} is not blocked."),
            )
        elif rest:
            given = {**aim.arguments, "reason": rest}
            already = "{} is already blocked for that reason."
            self._send(line, "tasks_block", given, lambda reply: _changed(reply, aim, "Blocked {}.", already))
        else:
            self.say("Give a reason: :block waits for the new key")

    def _reverse(self, line: str, name: str, aim: ComposerTarget) -> None:
        """Ask before undoing or redoing, and show the change."""
        revision = self._session.outbox.revision(self._line_context or self._beginning(), aim.task)
        if revision is None:
            self.say(f"The revision of {aim.task} is not known yet. Press t to open its tree, then u.")
            return

        def outcome(reply: WriteReply) -> str:
            return f"{aim.task}: {outcome_message(name, None, reply)}"

        def done(reply: WriteReply | None) -> None:
            if reply is not None:
                self._composer.keep(line)
                self.say(outcome(reply))

        target = DialogTarget(aim.task, revision, name=aim.task)
        asked = UndoDialog(target, redo=name == "redo")
        asked.outcome = outcome
        self.app.push_screen(asked, done)

    def _send(self, line: str, operation: str, arguments: Mapping[str, Any], done: Done | None = None) -> None:
        """Queue a call behind the earlier ones, and free the composer for the next line."""
        if not self._session.outbox.lines:
            self._refusals = []
        begun = self._line_context or self._beginning()
        self._session.outbox.put(
            PendingLine(line=line, operation=operation, arguments=arguments, context=begun, done=done)
        )
        self._composer.keep(line)
        self._tell("")
        if len(self._session.outbox.lines) == 1:
            self.run_worker(self._sending(), group="sending", exit_on_error=True)

    async def _sending(self) -> None:
        """Send the lines one after another. Those without a reply stay in the outbox."""
        while (pending := self._session.outbox.first) is not None:
            given, guarded = self._session.outbox.call(pending)
            try:
                reply, text = await in_thread(partial(self._session.source.call, pending.operation, given))
            except Refusal as no:
                self._session.outbox.answered()
                self._refused(pending, no, overtaken=guarded and no.code == CONFLICT)
                continue
            revision = getattr(reply, "revision", None)
            self._session.outbox.answered(revision, seen=given.get("expected_revision"))
            self._tell("" if pending.done is None else pending.done(reply))
            if pending.done is None:
                host_of(self).show_reply(pending.operation, text)

    def _refused(self, pending: PendingLine, no: Refusal, *, overtaken: bool) -> None:
        """Return the line to the composer if that is empty. Explain a conflict: it is not the writer's mistake."""
        begun, current = pending.context, no.details.get("current_revision")
        if overtaken and isinstance(current, int):
            begun = begun.knowing(pending.task, current)  # the message below shows it
        said = f"Someone else was faster: {sentence(no.message)}" if overtaken else words_of(no)
        if self._composer.give_back(pending.line):
            self._line_context = begun
            again = f" Check what changed in {pending.task}. Press Enter to send your line anyway."
            said = f"{said}{again if overtaken else ''}"
        else:
            self._session.outbox.give_back(pending.line)
            line = f"{self._short(pending.line)} {self._session.glyphs.dash}"
            said = f"Not sent, but kept among the earlier lines (press Up): {line} {said}"
        self._refusals.append(said)
        self._tell("")

    def _tell(self, outcome: str) -> None:
        """Show what is being sent, the last outcome, and the refusals."""
        lines = self._session.outbox.lines
        more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
        sending = f"Sending: {self._short(lines[0])}{more}" if lines else ""
        self.say("  ".join(filter(None, (sending, outcome, *self._refusals))))

    def _completions(self, line: str, past: list[str]) -> list[str]:
        ids = [scope.key for scope in self._session.lists.ordered()]
        aim = (self._line_context or self._beginning()).aim
        return composer_syntax.completions(line, ids, past, {} if aim is None else aim.arguments)

    def _hint(self) -> None:
        aim = composer_target(self._session.lists)
        what = "a note" if aim is None else f"a note on {clip(safe(aim.title), 30, self._session.glyphs.ellipsis)}"
        prompt = self._session.glyphs.prompt
        placeholder = f"{prompt} {what}, or a :command"
        composer = self._composer
        if composer.placeholder != placeholder:
            composer.placeholder = placeholder


def _added(reply: StepsCreated) -> str:
    """The step that was added, and where."""
    return f"Added {', '.join(step.path for step in reply.steps)} to {reply.task}."


def _changed(reply: StepChanged, aim: ComposerTarget, words: str, already: str) -> str:
    """What was done, or that nothing had to be done."""
    return (words if reply.changed else already).format(aim.name)
