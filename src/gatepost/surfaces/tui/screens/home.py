"""The first screen: the preview above the composer, and what is done with a line that was typed."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, assert_never, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Input

from gatepost.client.protocol import Update
from gatepost.surfaces.tui.dialogs.dialog import CONFLICT, DialogTarget
from gatepost.surfaces.tui.dialogs.step_actions import outcome_message
from gatepost.surfaces.tui.dialogs.undo import UndoDialog
from gatepost.surfaces.tui.models import composer_syntax
from gatepost.surfaces.tui.models.composer_syntax import ComposerCall, ComposerCommand, ComposerError, ComposerNote
from gatepost.surfaces.tui.models.composer_target import ComposerContext, ComposerTarget, composer_target
from gatepost.surfaces.tui.models.outbox import Done, Outbox, PendingLine
from gatepost.surfaces.tui.session import MessageLine, ask
from gatepost.surfaces.tui.source import Refused, sentence
from gatepost.surfaces.tui.texts import clip, safe
from gatepost.surfaces.tui.widgets.composer import Composer
from gatepost.surfaces.tui.widgets.frame import KeyBar, Line, TopBar
from gatepost.surfaces.tui.widgets.preview import Preview

if TYPE_CHECKING:
    from gatepost.surfaces.tui.app import GatepostApp

_KEYS: Final = (
    *(("i", "note"), (":", "command"), ("t", "tree"), ("o", "lists"), ("d", "docs"), ("r", "radar")),
    *(("a", "log"), ("?", "help"), ("q", "quit")),
)
_TYPING: Final = (("Enter", "send"), ("Tab", "complete"), ("Up", "earlier"), ("Esc", "leave"))
_NAMED: Final = 5
_NO_TASK: Final = "There is no task to do that with. Make one with :new TITLE, or choose one with :use TASK-001."
_LINE: Final = 60
"""So much of a line is said of it."""
_ANOTHER: Final = "Another log is there now than when this was begun."


class HomeScreen(Screen[None]):
    """The preview and the composer."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "go_on", show=False),
        Binding("i", "compose", show=False),
        Binding("colon", "compose(':')", show=False),
    ]
    DEFAULT_CSS = """
    HomeScreen #aim { color: $text-muted; display: none; padding: 0 1; }
    HomeScreen #aim.some { display: block; }
    """
    AUTO_FOCUS = ""

    def __init__(self) -> None:
        super().__init__()
        self._preview = Preview()
        self._saying = MessageLine()
        self._aim_line = Line(id="aim")
        self._keys = KeyBar(_KEYS)
        self._begun: ComposerContext | None = None
        self._aside: dict[str, tuple[str, ComposerContext | None]] = {}
        """What was typed of the other kind, a note or a command, with what it goes to."""
        self.outbox = Outbox()
        self._refusals: list[str] = []
        """What was refused of what was sent last."""

    @property
    def gatepost(self) -> "GatepostApp":
        """The application that this is the first screen of."""
        return cast("GatepostApp", self.app)

    def compose(self) -> ComposeResult:
        """The rows, from top to bottom."""
        yield TopBar("now")
        yield self._preview
        yield self._saying
        yield self._aim_line
        yield Composer(self._completions)
        yield self._keys

    def on_mount(self) -> None:
        """Say what can be typed."""
        self._hint()

    def heard(self, batch: Update) -> None:
        """Show the lists as they are now. Of another log, nothing is aimed at yet."""
        if batch.new_log:
            self._restart_below()
        self.renew()
        self.gatepost.wonder(self._preview.scopes)

    def on_screen_resume(self) -> None:
        """Show what came while another screen was in front."""
        self.renew()

    def renew(self) -> None:
        """Show what is known by now, if this is the screen that is seen."""
        if self.is_active:
            self._preview.renew()
            self._hint()

    def say(self, words: str) -> None:
        """Tell what came of something."""
        self._saying.say(words)

    @property
    def set_aside(self) -> list[str]:
        """What was typed and is not shown just now."""
        return [line for line, _ in self._aside.values()]

    def action_go_on(self) -> None:
        """Go on with what stands there, whatever it is."""
        self.query_one(Composer).begin()

    def action_compose(self, mark: str = "") -> None:
        """Begin to type, or go on with, a note or a command. What was typed of the other kind is set aside."""
        composer = self.query_one(Composer)
        standing, other = composer.value, composer_syntax.mark_of(composer.value)
        if not standing or other != mark:
            if standing.strip(": "):
                self._aside[other] = standing, self._begun
            self._take_back(composer, mark)
        composer.begin(mark)

    def _take_back(self, composer: Composer, mark: str) -> None:
        line, self._begun = self._aside.pop(mark, ("", None))
        composer.swap(line)

    def on_descendant_focus(self) -> None:
        """Somebody types: say which keys there are then."""
        self._keys.press(_TYPING)

    def on_composer_left(self) -> None:
        """Nobody types any more, unless they have begun again."""
        if self.focused is None:
            self._keys.press(_KEYS)
            composer = self.query_one(Composer)
            if self._aside and not composer.value.strip(": "):
                self._take_back(composer, next(iter(self._aside)))

    def on_input_changed(self, event: Input.Changed) -> None:
        """What a line goes to is settled with its first letter, and shown as long as it is typed."""
        line = event.input.value  # by now it may be another one than when this was outcome_message
        if not line:
            self._begun = None
        elif self._begun is None or self._begun.aim is None:
            self._begun = self._beginning()
        self._show_aim(line)

    def _restart_below(self) -> None:
        """What was seen is no more, so nothing goes to it: neither what is typed, nor what waits to be sent."""
        self._begun = None
        self._aside = {mark: (line, None) for mark, (line, _) in self._aside.items()}
        self._show_aim("")
        waiting = self.outbox.restart_below()
        if waiting:
            some = ", ".join(self._short(line) for line in waiting)
            self.say(f"Another log is there now. Not sent, and among the earlier lines (Up): {some}")

    def _short(self, line: str) -> str:
        return clip(line, _LINE, self.gatepost.glyphs.ellipsis)

    def _beginning(self) -> ComposerContext:
        return ComposerContext(composer_target(self.gatepost.lists), self.gatepost.lists.scopes)

    def _show_aim(self, line: str) -> None:
        app, aim = self.gatepost, None if self._begun is None else self._begun.aim
        said = "" if aim is None else aim.described(composer_syntax.parse(line), app.glyphs.dot) if line else ""
        self._aim_line.set_class(bool(said), "some")
        self._aim_line.show(Text(clip(safe(said), self.size.width - 2, app.glyphs.ellipsis)))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Do what was typed. What cannot be sent stays, to be mended."""
        line = event.value
        if not line.strip():
            return
        if self._begun is None:
            self._begun = self._beginning()
            self._show_aim(line)
            aim = self._begun.aim
            self.say(f"{_ANOTHER} {'' if aim is None else f'In it, {aim.name} leads. '}Enter sends this to it.")
            return
        self.say("")
        aimed = self._begun.aim
        match composer_syntax.parse(line) if aimed is None else composer_syntax.parse(line, aimed.arguments):
            case ComposerError(problem, recovery):
                self.say(f"{sentence(problem)} {recovery}".strip())
            case ComposerNote(text):
                aim = self._aimed(line)
                if aim is not None:
                    # A note goes to its step, whatever became of that: only what is shown now must be known.
                    self._begun = ComposerContext(aim, self.gatepost.lists.scopes)
                    given = {**aim.arguments, "note": text}
                    self._send(line, "tasks_note", given, lambda _reply: f"Noted with {aim.name}.")
            case ComposerCall(operation, arguments):
                self._send(line, operation, arguments)
            case ComposerCommand(name, rest):
                self._obey(line, name, rest)
            case never:
                assert_never(never)

    def _aimed(self, line: str) -> ComposerTarget | None:
        """What was aimed at. What came only after the last letter is named first: nobody has seen it so."""
        if self._begun is not None and self._begun.aim is not None:
            return self._begun.aim
        self._begun = self._beginning()
        aim = self._begun.aim
        self.say(_NO_TASK if aim is None else f"This goes to {aim.name}, which came just now. Enter sends it.")
        self._show_aim(line)
        return None

    def _obey(self, line: str, name: str, rest: str) -> None:
        app = self.gatepost
        if name == "new" and rest:
            given = {"kind": "task", "title": rest}
            self._send(line, "tasks_create", given, lambda reply: self._made(reply["id"]))
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
            self._sent(line)
            if name == "open":
                app.show_tree(rest or None)
            else:
                app.go(name)

    def _made(self, task: str) -> str:
        """What was made, and how it gets steps: another task may lead."""
        others = any(scope.key != task for scope in self.gatepost.lists.ordered())
        first = f":use {task} lets it lead, then " if others else ""
        return f"Made {task}. {first}:step TITLE adds a step."

    def _use(self, line: str, name: str) -> None:
        """Let a list lead, if it is one that can."""
        lists = self.gatepost.lists
        known = next((key for key in lists.scopes if key.casefold() == name.casefold()), None)
        able = [scope.key for scope in lists.ordered()]
        if name and known not in able:
            said = f"There is no list {name}" if known is None else f"Nothing is open in {known}, so it cannot lead"
            some = ", ".join(able[:_NAMED]) or "none"
            self.say(f"{said}. Open are {some}{' and more' if len(able) > _NAMED else ''}; o shows all.")
            return
        lists.chosen = known if name else None
        self.renew()
        self._sent(line)

    def _change(self, line: str, name: str, rest: str, aim: ComposerTarget) -> None:
        """The commands that change the step, or the task, that was aimed at."""
        if name in ("undo", "redo"):
            self._reverse(line, name, aim)
        elif name == "step":
            given = {"task": aim.task, "steps": [{"title": rest}]}
            self._send(line, "tasks_decompose", given, _added)
        elif aim.step is None:
            self.say(f"No step of {aim.task} is in progress. Open its tree with t, and choose one.")
        elif name == "unblock":
            unblocked = {**aim.arguments, "blocked": False}
            self._send(
                line,
                "tasks_block",
                unblocked,
                lambda reply: _changed(reply, aim, "{} can go on.", "{} is not blocked."),
            )
        elif rest:
            given = {**aim.arguments, "reason": rest}
            already = "{} was blocked for that reason already."
            self._send(line, "tasks_block", given, lambda reply: _changed(reply, aim, "Blocked {}.", already))
        else:
            self.say("Say why it cannot go on: :block waits for the new key")

    def _reverse(self, line: str, name: str, aim: ComposerTarget) -> None:
        """Show what would be taken back, or brought back, and let that be decided on."""
        revision = self.outbox.revision(self._begun or self._beginning(), aim.task)
        if revision is None:
            self.say(f"It is not known at which revision {aim.task} is. Open its tree with t, and press u there.")
            return

        def outcome(reply: dict[str, Any]) -> str:
            return f"{aim.task}: {outcome_message(name, None, reply)}"

        def done(reply: dict[str, Any] | None) -> None:
            if reply is not None:
                self._sent(line)
                self.say(outcome(reply))

        target = DialogTarget(aim.task, revision, name=aim.task)
        asked = UndoDialog(self.gatepost.source, target, back=name == "redo")
        asked.outcome = outcome
        self.app.push_screen(asked, done)

    def _send(self, line: str, operation: str, arguments: Mapping[str, Any], done: Done | None = None) -> None:
        """Have it asked when what was sent before is answered. The line is free for the next one."""
        if not self.outbox.lines:
            self._refusals = []
        begun = self._begun or self._beginning()
        self.outbox.put(PendingLine(line=line, operation=operation, arguments=arguments, begun=begun, done=done))
        self._sent(line)
        self._tell("")
        if len(self.outbox.lines) == 1:
            self.run_worker(self._sending(), group="sending", exit_on_error=True)

    async def _sending(self) -> None:
        """Ask, one after another. Whoever leaves meanwhile finds what has no answer in the outbox."""
        while (letter := self.outbox.first) is not None:
            given, guarded = self.outbox.call(letter)
            try:
                reply = await ask(self.gatepost.source, letter.operation, **given)
            except Refused as no:
                self.outbox.answered()
                self._refused(letter, no, overtaken=guarded and no.code == CONFLICT)
                continue
            self.outbox.answered(reply, seen=given.get("expected_revision"))
            self._tell("" if letter.done is None else letter.done(reply))
            if letter.done is None:
                self.gatepost.show_reply(letter.operation, reply)

    def _refused(self, letter: PendingLine, no: Refused, *, overtaken: bool) -> None:
        """Give the line back, if there is room for it. Somebody else's change is no mistake of the writer's."""
        begun, current = letter.begun, no.details.get("current_revision")
        if overtaken and isinstance(current, int):
            begun = begun.knowing(letter.task, current)  # it is told, so they know it
        said = f"Somebody was faster: {no.message}" if overtaken else no.words
        if self.query_one(Composer).give_back(letter.line):
            self._begun = begun
            again = f" Look at what is new in {letter.task}; Enter sends your line all the same."
            said = f"{said}{again if overtaken else ''}"
        else:
            self.outbox.give_back(letter.line)
            said = f"Not sent, and among the earlier lines (Up): {self._short(letter.line)} {self._dash} {said}"
        self._refusals.append(said)
        self._tell("")

    @property
    def _dash(self) -> str:
        return self.gatepost.glyphs.dash

    def _tell(self, outcome: str) -> None:
        """Say what is being sent, what became of what was sent last, and what of it was refused."""
        lines = self.outbox.lines
        more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
        sending = f"Being sent: {self._short(lines[0])}{more}" if lines else ""
        self.say("  ".join(filter(None, (sending, outcome, *self._refusals))))

    def _sent(self, line: str) -> None:
        self.query_one(Composer).keep(line)

    def _completions(self, line: str, past: list[str]) -> list[str]:
        ids = [scope.key for scope in self.gatepost.lists.ordered()]
        aim = (self._begun or self._beginning()).aim
        return composer_syntax.completions(line, ids, past, {} if aim is None else aim.arguments)

    def _hint(self) -> None:
        aim = composer_target(self.gatepost.lists)
        what = "a note" if aim is None else f"a note to {clip(safe(aim.title), 30, self.gatepost.glyphs.ellipsis)}"
        prompt = self.gatepost.glyphs.prompt
        placeholder = f"{prompt} {what}, a :command, or an operation {{...}}"
        composer = self.query_one(Composer)
        if composer.placeholder != placeholder:
            composer.placeholder = placeholder


def _added(reply: Mapping[str, Any]) -> str:
    """The step that was added, and where."""
    return f"Added {', '.join(step['path'] for step in reply['steps'])} to {reply['task']}."


def _changed(reply: Mapping[str, Any], aim: ComposerTarget, words: str, already: str) -> str:
    """What was done, and to what; or that it needed no doing."""
    return (words if reply.get("changed", True) else already).format(aim.name)
