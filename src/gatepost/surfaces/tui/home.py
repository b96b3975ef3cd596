"""The first screen: the preview above the composer, and what is done with a line that was typed."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, assert_never, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Input

from gatepost.surfaces.tui import composing
from gatepost.surfaces.tui.aiming import Aim, Begun, aim_of
from gatepost.surfaces.tui.asking import CONFLICT, Target
from gatepost.surfaces.tui.chrome import Bar, Keys, Line
from gatepost.surfaces.tui.composer import Composer
from gatepost.surfaces.tui.composing import Call, Misread, Note, Order
from gatepost.surfaces.tui.deeds import told
from gatepost.surfaces.tui.preview import Preview
from gatepost.surfaces.tui.reversing import Reverse
from gatepost.surfaces.tui.seats import Saying, ask
from gatepost.surfaces.tui.source import Heard, Refused, sentence
from gatepost.surfaces.tui.texts import clip, safe

if TYPE_CHECKING:
    from gatepost.surfaces.tui.app import GatepostApp

_KEYS: Final = (
    *(("i", "note"), (":", "command"), ("t", "tree"), ("o", "lists"), ("d", "docs"), ("r", "radar")),
    *(("a", "log"), ("?", "help"), ("q", "quit")),
)
_TYPING: Final = (("Enter", "send"), ("Tab", "complete"), ("Up", "earlier"), ("Esc", "leave"))
_NAMED: Final = 5
_NO_TASK: Final = "There is no task to do that with. Make one with :new TITLE, or choose one with :use TASK-001."

Done = Callable[[dict[str, Any]], str]
"""What is said of a reply."""


class Home(Screen[None]):
    """The preview and the composer."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("i,enter", "compose", show=False),
        Binding("colon", "compose(':')", show=False),
    ]
    DEFAULT_CSS = (
        "Home #aim { color: $text-muted; display: none; padding: 0 1; } Home #aim.some { display: block; }"
    )
    AUTO_FOCUS = ""

    def __init__(self) -> None:
        super().__init__()
        self._preview = Preview()
        self._saying = Saying()
        self._aim_line = Line(id="aim")
        self._keys = Keys(_KEYS)
        self._begun: Begun | None = None
        self._under_way: set[str] = set()
        """Lines that were sent and are not answered yet."""

    @property
    def gatepost(self) -> "GatepostApp":
        """The application that this is the first screen of."""
        return cast("GatepostApp", self.app)

    def compose(self) -> ComposeResult:
        """The rows, from top to bottom."""
        yield Bar("now")
        yield self._preview
        yield self._saying
        yield self._aim_line
        yield Composer(self._completions)
        yield self._keys

    def on_mount(self) -> None:
        """Say what can be typed."""
        self._hint()

    def heard(self, _batch: Heard) -> None:
        """Show the lists as they are now."""
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

    def action_compose(self, text: str = "") -> None:
        """Begin to type."""
        self.query_one(Composer).begin(text)

    def on_descendant_focus(self) -> None:
        """Somebody types: say which keys there are then."""
        self._keys.press(_TYPING)

    def on_composer_left(self) -> None:
        """Nobody types any more."""
        self.set_focus(None)
        self._keys.press(_KEYS)

    def on_input_changed(self, event: Input.Changed) -> None:
        """What a line goes to is settled with its first letter, and shown as long as it is typed."""
        if not event.value:
            self._begun = None
        elif self._begun is None or self._begun.aim is None:
            self._begun = self._beginning()
        self._show_aim(event.value)

    def _beginning(self) -> Begun:
        return Begun(aim_of(self.gatepost.ledger), self.gatepost.ledger.scopes)

    def _show_aim(self, line: str) -> None:
        app, aim = self.gatepost, None if self._begun is None else self._begun.aim
        said = "" if aim is None else aim.described(composing.meaning(line), app.glyphs.dot) if line else ""
        self._aim_line.set_class(bool(said), "some")
        self._aim_line.show(Text(clip(safe(said), self.size.width - 2, app.glyphs.ellipsis)))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Do what was typed. It stays until it is done: what is refused can be mended."""
        line = event.value
        if not line.strip():
            return
        if line in self._under_way:
            self.say("It is being sent. You are told when it is answered.")
            return
        self.say("")
        match composing.meaning(line):
            case Misread(problem, recovery):
                self.say(f"{sentence(problem)} {recovery}".strip())
            case Note(text):
                aim = self._aimed(line)
                if aim is not None:
                    # A note goes to its step, whatever became of that: only what is shown now must be known.
                    self._begun = Begun(aim, self.gatepost.ledger.scopes)
                    given = {**aim.arguments, "note": text}
                    self._send(line, "tasks_note", given, lambda _reply: f"Noted with {aim.name}.")
            case Call(operation, arguments):
                self._send(line, operation, arguments)
            case Order(name, rest):
                self._obey(line, name, rest)
            case never:
                assert_never(never)

    def _aimed(self, line: str) -> Aim | None:
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
            self._send(line, "tasks_create", given, lambda reply: f"Made {reply['id']}.")
        elif name == "new":
            self.say("A task needs a title: :new Login page")
        elif name in ("block", "unblock", "undo", "redo"):
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

    def _use(self, line: str, name: str) -> None:
        """Let a list lead, if it is one that can."""
        ledger = self.gatepost.ledger
        known = next((key for key in ledger.scopes if key.casefold() == name.casefold()), None)
        able = [scope.key for scope in ledger.ordered()]
        if name and known not in able:
            said = f"There is no list {name}" if known is None else f"Nothing is open in {known}, so it cannot lead"
            some = ", ".join(able[:_NAMED]) or "none"
            self.say(f"{said}. Open are {some}{' and more' if len(able) > _NAMED else ''}; o shows all.")
            return
        ledger.chosen = known if name else None
        self.renew()
        self._sent(line)

    def _change(self, line: str, name: str, rest: str, aim: Aim) -> None:
        """The commands that change the step, or the task, that was aimed at."""
        if name in ("undo", "redo"):
            self._reverse(line, name, aim)
        elif aim.step is None:
            self.say(f"No step of {aim.task} is in progress. Open its tree with t, and choose one.")
        elif name == "unblock":
            given = {**aim.arguments, "blocked": False}
            self._send(line, "tasks_block", given, lambda reply: _changed(reply, aim, "{} can go on."))
        elif rest:
            given = {**aim.arguments, "reason": rest}
            self._send(line, "tasks_block", given, lambda reply: _changed(reply, aim, "Blocked {}."))
        else:
            self.say("Say why it cannot go on: :block waits for the new key")

    def _reverse(self, line: str, name: str, aim: Aim) -> None:
        """Show what would be taken back, or brought back, and let that be decided on."""
        revision = None if self._begun is None else self._begun.revision(aim.task)
        if revision is None:
            self.say(f"It is not known at which revision {aim.task} is. Open its tree with t, and press u there.")
            return

        def outcome(reply: dict[str, Any]) -> str:
            return f"{aim.task}: {told(name, None, reply)}"

        def done(reply: dict[str, Any] | None) -> None:
            if reply is not None:
                self._sent(line)
                self.say(outcome(reply))

        target = Target(aim.task, revision, name=aim.task)
        asked = Reverse(self.gatepost.source, target, back=name == "redo")
        asked.outcome = outcome
        self.app.push_screen(asked, done)

    def _send(self, line: str, operation: str, arguments: Mapping[str, Any], done: Done | None = None) -> None:
        """Ask, with the revision that was shown when the line was begun, so that nothing unseen is changed."""
        given = dict(arguments)
        seen = None if self._begun is None else self._begun.revision(str(given.get("task")))
        guarded = composing.takes_revision(operation) and seen is not None and "expected_revision" not in given
        if guarded:
            given["expected_revision"] = seen
        self._under_way.add(line)
        sending = self._sending(line, operation, given, done, guarded=guarded)
        self.run_worker(sending, group="sending", exit_on_error=True)

    async def _sending(
        self, line: str, operation: str, given: dict[str, Any], done: Done | None, *, guarded: bool
    ) -> None:
        try:
            reply = await ask(self.gatepost.source, operation, **given)
        except Refused as no:
            self.say(self._overtaken(line, no, str(given["task"])) if guarded and no.code == CONFLICT else no.words)
            return
        finally:
            self._under_way.discard(line)
        self._sent(line)
        if done is not None:
            self.say(done(reply))
        else:
            self.gatepost.show_reply(operation, reply)

    def _overtaken(self, line: str, no: Refused, task: str) -> str:
        """Somebody else's change is no mistake of the writer's. Once it was told, they know it."""
        current = no.details.get("current_revision")
        if isinstance(current, int) and self._begun is not None and self.query_one(Composer).value == line:
            self._begun = self._begun.knowing(task, current)
        return f"Somebody was faster: {no.message} Look at what is new; Enter sends it again, to that."

    def _sent(self, line: str) -> None:
        composer = self.query_one(Composer)
        if composer.value == line:  # else somebody is typing the next one already
            composer.keep(line)

    def _completions(self, line: str, past: list[str]) -> list[str]:
        ids = [scope.key for scope in self.gatepost.ledger.ordered()]
        aim = (self._begun or self._beginning()).aim
        return composing.completions(line, ids, past, {} if aim is None else aim.arguments)

    def _hint(self) -> None:
        aim = aim_of(self.gatepost.ledger)
        what = "a note" if aim is None else f"a note to {clip(safe(aim.title), 30, self.gatepost.glyphs.ellipsis)}"
        prompt = self.gatepost.glyphs.prompt
        placeholder = f"{prompt} {what}, a :command, or an operation {{...}}"
        composer = self.query_one(Composer)
        if composer.placeholder != placeholder:
            composer.placeholder = placeholder


def _changed(reply: Mapping[str, Any], aim: Aim, words: str) -> str:
    """What was done, and to what."""
    return words.format(aim.name) if reply.get("changed", True) else f"{aim.name} was so already."
