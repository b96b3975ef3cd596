"""The first screen: the preview above the composer, and what is done with a line that was typed."""

from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, assert_never, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Input

from gatepost.surfaces.tui import composing
from gatepost.surfaces.tui.chrome import Bar, Keys, Line
from gatepost.surfaces.tui.composer import Composer
from gatepost.surfaces.tui.composing import Call, Misread, Note, Order
from gatepost.surfaces.tui.lists import is_task
from gatepost.surfaces.tui.preview import Preview
from gatepost.surfaces.tui.seats import Saying, ask
from gatepost.surfaces.tui.source import Heard, Refused
from gatepost.surfaces.tui.texts import clip, safe

if TYPE_CHECKING:
    from gatepost.surfaces.tui.app import GatepostApp

_KEYS: Final = (
    *(("i", "note"), (":", "command"), ("t", "tree"), ("o", "lists"), ("d", "docs"), ("r", "radar")),
    *(("a", "log"), ("?", "help"), ("q", "quit")),
)
_TYPING: Final = (("Enter", "send"), ("Tab", "complete"), ("Up", "earlier"), ("Esc", "leave"))
_NO_TASK: Final = "There is no task to do that with. Make one with :new TITLE, or choose one with :use TASK-001."


class Aim(NamedTuple):
    """What a note goes to: a step, or a task where no step of it is in progress."""

    task: str
    step: str | None
    title: str

    @property
    def arguments(self) -> dict[str, str]:
        """How a call names it."""
        return {"task": self.task} if self.step is None else {"task": self.task, "step_id": self.step}


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
        self._aim: Aim | None = None

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
        if self.is_current:
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
        """What a note goes to is settled with its first letter, and shown as long as it is typed."""
        if not event.value:
            self._aim = None
        elif self._aim is None:
            self._aim = self._current()
        noting = self._aim is not None and composing.is_note(event.value)
        self._aim_line.set_class(noting, "some")
        if self._aim is not None and noting:
            said = f"note to {self._aim.task} {self.gatepost.glyphs.dot} {safe(self._aim.title)}"
            self._aim_line.show(Text(clip(said, self.size.width - 2, self.gatepost.glyphs.ellipsis)))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Do what was typed. It stays until it is done: what is refused can be mended."""
        line = event.value
        if not line.strip():
            return
        self.say("")
        match composing.meaning(line):
            case Misread(problem, recovery):
                self.say(f"{problem} {recovery}".strip())
            case Note(text):
                aim = self._aim or self._current()
                if aim is None:
                    self.say(_NO_TASK)
                else:
                    self._send(
                        line, "tasks_note", {**aim.arguments, "note": text}, f"Noted with {safe(aim.title)}."
                    )
            case Call(operation, arguments):
                self._send(line, operation, arguments)
            case Order(name, rest):
                self._obey(line, name, rest)
            case never:
                assert_never(never)

    def _obey(self, line: str, name: str, rest: str) -> None:
        app = self.gatepost
        if name == "new" and rest:
            self._send(line, "tasks_create", {"kind": "task", "title": rest}, "Made.")
        elif name == "new":
            self.say("A task needs a title: :new Login page")
        elif name in ("block", "unblock", "undo", "redo"):
            self._change(line, name, rest, self._current())
        elif name == "use":
            app.ledger.chosen = rest or None
            self.renew()
            self._sent(line)
        else:
            self._sent(line)
            if name == "open":
                app.show_tree(rest or None)
            else:
                app.go(name)

    def _change(self, line: str, name: str, rest: str, aim: Aim | None) -> None:
        """The commands that change the current step or its task."""
        if aim is None:
            self.say(_NO_TASK)
        elif name in ("undo", "redo"):
            self._send(
                line, f"tasks_{name}", {"task": aim.task}, "Taken back." if name == "undo" else "Back again."
            )
        elif aim.step is None:
            self.say(f"No step of {aim.task} is in progress. Open its tree with t, and choose one.")
        elif name == "unblock":
            self._send(line, "tasks_block", {**aim.arguments, "blocked": False}, "It can go on.")
        elif rest:
            self._send(line, "tasks_block", {**aim.arguments, "reason": rest}, "Blocked.")
        else:
            self.say("Say why it cannot go on: :block waits for the new key")

    def _send(self, line: str, operation: str, arguments: dict[str, Any], done: str = "") -> None:
        """Ask, with the revision that is shown, so that nothing unseen is changed."""
        given = dict(arguments)
        shown = self.gatepost.source.todos.scopes.get(str(given.get("task")))
        if composing.takes_revision(operation) and shown is not None and shown.revision is not None:
            given.setdefault("expected_revision", shown.revision)
        self.run_worker(self._sending(line, operation, given, done), group="sending", exit_on_error=True)

    async def _sending(self, line: str, operation: str, arguments: dict[str, Any], done: str) -> None:
        try:
            reply = await ask(self.gatepost.source, operation, **arguments)
        except Refused as no:
            self.say(_explained(no))
            return
        self._sent(line)
        if done:
            self.say(done)
        else:
            self.gatepost.show_reply(operation, reply)

    def _sent(self, line: str) -> None:
        composer = self.query_one(Composer)
        if composer.value == line:  # else somebody is typing the next one already
            composer.keep(line)

    def _current(self) -> Aim | None:
        """The step in progress of the list that leads; its task, if no step is."""
        scope = next((scope for scope in self.gatepost.ledger.ordered() if is_task(scope.key)), None)
        if scope is None:
            return None
        pieces = self.gatepost.ledger.parts(scope.key)
        item = next(iter((*pieces.now, *pieces.blocked[: not pieces.open])), None)
        return Aim(scope.key, None, scope.label) if item is None else Aim(scope.key, item.id, item.title)

    def _completions(self, line: str, past: list[str]) -> list[str]:
        ids = [scope.key for scope in self.gatepost.ledger.ordered()]
        aim = self._aim or self._current()
        return composing.completions(line, ids, past, {} if aim is None else aim.arguments)

    def _hint(self) -> None:
        aim = self._current()
        what = "a note" if aim is None else f"a note to {clip(safe(aim.title), 30, self.gatepost.glyphs.ellipsis)}"
        prompt = self.gatepost.glyphs.prompt
        placeholder = f"{prompt} {what}, a :command, or an operation {{...}}"
        composer = self.query_one(Composer)
        if composer.placeholder != placeholder:
            composer.placeholder = placeholder


def _explained(no: Refused) -> str:
    """A refusal for people. Somebody else's change is no mistake of theirs."""
    if no.code == "REVISION_MISMATCH":
        return f"Somebody was faster: {no.message} Look at what is new; Enter sends it again, to that."
    return f"{no.message} {no.recovery}"
