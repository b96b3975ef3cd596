"""Dialogs that write. One is gone only when its call was accepted, or when it is let go; what was typed stays.

What was sent cannot be called back. Whoever leaves meanwhile is told of the answer wherever they are by then, and
nothing more is sent to the same task before it came: so nothing is sent twice.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Final, NamedTuple
from weakref import WeakKeyDictionary

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Static, TextArea

from gatepost.surfaces.tui.session import HEIGHTS, ago, ask, glyphs_of
from gatepost.surfaces.tui.source import Refused, Source
from gatepost.surfaces.tui.source import refused as source_refused
from gatepost.surfaces.tui.texts import safe
from gatepost.surfaces.tui.widgets.frame import KeyBar
from gatepost.surfaces.tui.widgets.text_view import TextLine, TextView, text_lines

_MOST_SHOWN: Final = 5
_SOON: Final = 0.3
"""A sending that takes longer, in seconds, is spoken of."""
_TOLD: Final = 10.0
"""So long a late answer is shown."""
CONFLICT: Final = "REVISION_MISMATCH"
BEING_SENT: Final = "being sent"
_REFUSED: Final = "refused"

Done = dict[str, Any]
Keyed = tuple[tuple[str, str], ...]

_drafts: WeakKeyDictionary[App[Any], dict[tuple[str, ...], str]] = WeakKeyDictionary()


def drafts(app: App[Any]) -> dict[tuple[str, ...], str]:
    """What was typed and not sent, by what it is for. It lives as long as the application does."""
    return _drafts.setdefault(app, {})


_sendings: WeakKeyDictionary[App[Any], set[str]] = WeakKeyDictionary()


def sendings(app: App[Any]) -> set[str]:
    """The tasks to which something is being sent that was not answered yet."""
    return _sendings.setdefault(app, set())


def under_way(task: str) -> str:
    """Why nothing more is sent to a task just now."""
    return f"Something is still being sent to {task}. You are told when it is answered."


class DialogTarget(NamedTuple):
    """What a dialog writes to, as it was when the person looked."""

    task: str
    revision: int
    step_id: str | None = None
    name: str = ""

    @property
    def arguments(self) -> dict[str, str]:
        """What names it in a call."""
        return {"task": self.task} if self.step_id is None else {"task": self.task, "step_id": self.step_id}


class TextField(TextArea):
    """A few lines to type: Enter sends, Ctrl+J begins a new line. What is pasted can do nothing but be shown."""

    DEFAULT_CSS = """
    TextField, TextField:focus { height: auto; min-height: 3; max-height: 6; border: solid $border; }
    .-low TextField, .-low TextField:focus {
        min-height: 1; max-height: 2; border: none; padding: 0 1; background: $boost;
    }
    """

    class Sent(Message):
        """Enter was pressed."""

    def __init__(self, text: str = "", hint: str = "") -> None:
        super().__init__(text, tab_behavior="focus", show_line_numbers=False, placeholder=hint)

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.post_message(self.Sent())
        elif event.key in ("ctrl+j", "shift+enter", "alt+enter"):
            event.stop()
            event.prevent_default()
            self.insert("\n")
        else:
            await super()._on_key(event)

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.insert(safe(event.text, lines=True))


class Dialog(ModalScreen[Done | None]):
    """A dialog's frame: a title, what it says, perhaps a field, refusals, keys. `None` means that it was let go."""

    DEFAULT_CSS = """
    Dialog { align: center middle; background: $background 60%; }
    Dialog #frame { width: 100%; height: auto; max-height: 100%; background: $surface; }
    Dialog #title { height: auto; max-height: 2; padding: 0 1; background: $panel; text-style: bold; }
    Dialog #words { height: auto; max-height: 12; }
    Dialog #no { height: auto; max-height: 8; display: none; background: $panel; }
    Dialog.refused #no { display: block; }
    Dialog #frame KeyBar { dock: none; }
    Dialog.-low #words { max-height: 5; }
    Dialog.-low.refused #words { max-height: 2; }
    Dialog.-low #no { max-height: 5; }
    Dialog.-low #title { max-height: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back"),
        Binding("ctrl+r", "radar", "Radar"),
    ]
    VERTICAL_BREAKPOINTS = HEIGHTS

    def __init__(self, source: Source, target: DialogTarget) -> None:
        super().__init__()
        self.source = source
        self.target = target
        self.busy = False
        self.outcome: Callable[[Done], str] = lambda _reply: f"{self.title_words()}: done."
        """How a late answer is told."""
        self._reply: Done | None = None

    def compose(self) -> ComposeResult:
        """The frame, with the field in its middle if there is one."""
        with Vertical(id="frame"):
            yield Static(f"{glyphs_of(self).rule * 2} {safe(self.title_words())}", id="title", markup=False)
            yield TextView(id="words")
            field = self.field()
            if field is not None:
                yield field
            yield TextView(id="no")
            yield KeyBar(self.keys())

    def on_mount(self) -> None:
        """Show it."""
        self.tell()
        field = self.query(TextField)
        if field:
            field.first().move_cursor(field.first().document.end)
            field.first().focus()

    def title_words(self) -> str:
        """What is asked."""
        raise NotImplementedError

    def words(self) -> list[TextLine]:
        """What there is to know before one answers."""
        return []

    def field(self) -> TextField | None:
        """Something to type into."""
        return None

    def keys(self) -> Keyed:
        """What can be pressed."""
        return (("enter", "send"), ("esc", "back"))

    def tell(self) -> None:
        """Show the words and keys as they are now."""
        lines = self.words()
        words = self.query_one("#words", TextView)
        words.display = bool(lines)
        words.show(lines)
        self.query_one(KeyBar).press(self._pressed())

    def _pressed(self) -> Keyed:
        if self.busy:
            return (("being sent", glyphs_of(self).ellipsis), ("esc", "leave; you are told when it is answered"))
        *ways, out = self.keys()
        return (*ways, ("ctrl+r", "radar"), out)

    def action_leave(self) -> None:
        """Let it go. What is being sent goes on."""
        self.dismiss(None)

    def action_radar(self) -> None:
        """Look at the radar, and come back to what was typed."""
        from gatepost.surfaces.tui.screens.radar import RadarScreen  # it leads to the tree, and the tree to here

        self.app.push_screen(RadarScreen(self.source))

    def on_screen_resume(self) -> None:
        """What stood above is gone: now it may go, too."""
        if self._reply is not None:
            self.dismiss(self._reply)

    def send(self, operation: str, /, **arguments: Any) -> None:
        """Make a call on the target, if none is under way."""
        task = self.target.task
        if self.busy:
            return
        if task in sendings(self.app):
            self._say_no([TextLine(under_way(task), "bad"), TextLine("Enter sends this one then.")])
            return
        sendings(self.app).add(task)
        self._hold(busy=True)
        self.set_timer(_SOON, self.tell)
        # The application's, for it outlives the dialog.
        self.app.run_worker(self._send(operation, arguments, self._put_away()))

    def _put_away(self) -> dict[tuple[str, ...], str]:
        """Its drafts, which go by another name while they are sent: whoever types the next one begins with none."""
        kept = drafts(self.app)
        before = dict(kept)
        self.accepted()
        mine = {key: text for key, text in before.items() if key not in kept}
        kept.update({(*key, BEING_SENT): text for key, text in mine.items()})
        return mine

    def _hold(self, *, busy: bool) -> None:
        """What is being sent is not typed on."""
        self.busy = busy
        for field in self.query(TextField):
            field.read_only = busy

    async def _send(self, operation: str, arguments: dict[str, Any], sent: dict[tuple[str, ...], str]) -> None:
        app = self.app
        try:
            reply = await ask(self.source, operation, **arguments)
        except Refused as no:
            _take_back(drafts(app), sent)
            if self in app.screen_stack:
                self._hold(busy=False)
                self.run_worker(self.refused(no))
            else:
                said = f"{self.title_words()}: {no.message} {no.recovery}"
                app.notify(safe(said), severity="error", timeout=_TOLD, markup=False)
        else:
            for key in sent:
                drafts(app).pop((*key, BEING_SENT), None)
            self._pass_on(reply)
            if self in app.screen_stack:
                self._finish(reply)
            else:
                app.notify(safe(self.outcome(reply)), timeout=_TOLD, markup=False)
        finally:
            sendings(app).discard(self.target.task)

    def _pass_on(self, reply: Done) -> None:
        """Whoever began the next dialog meanwhile knows what this one did, if it is all that was done."""
        known, now = self.target.revision, reply.get("revision")
        for other in self.app.screen_stack:
            if isinstance(other, Dialog) and other.target[:2] == self.target[:2] and now == known + 1:
                other.target = other.target._replace(revision=now)

    def _finish(self, reply: Done) -> None:
        """Go, unless something stands above: it is not for a dialog to close that."""
        self._reply = reply
        if self.is_active:
            self.dismiss(reply)

    def accepted(self) -> None:
        """It is sent: it is no draft any more, unless it is refused."""

    async def refused(self, no: Refused) -> None:
        """Show what is wrong and how to go on; of a conflict also what happened since, and go by that then."""
        no = inner(no)
        lines = refusal(no)
        current = no.details.get("current_revision")
        if no.code == CONFLICT and isinstance(current, int):
            lines = await self.conflict(current)
            self.target = self.target._replace(revision=current)
        self._say_no(lines)
        self.tell()

    def _say_no(self, lines: list[TextLine]) -> None:
        self.add_class("refused")
        self.query_one("#no", TextView).show(lines, anew=True)

    async def conflict(self, current: int) -> list[TextLine]:
        """What a conflict means here."""
        since = await self._since(current)
        glyphs = glyphs_of(self)
        return [
            TextLine(
                f"{glyphs.blocked} Not sent: somebody changed {self.target.task} while you were here.", "bad", 2
            ),
            TextLine(f"  You looked at revision {self.target.revision}; it is at {current} by now:", "plain", 2),
            *since,
            TextLine(f"  {await self.after(current)}", "title", 2),
        ]

    async def after(self, current: int) -> str:
        """How one goes on after a conflict."""
        return f"Nothing is lost: Enter sends it again, at revision {current}; esc goes back."

    async def _since(self, current: int) -> list[TextLine]:
        """What was done since the person looked, newest first: each operation is one revision."""
        count = max(1, current - self.target.revision)
        try:
            reply = await ask(self.source, "tasks_history", task=self.target.task, limit=min(count, _MOST_SHOWN))
        except Refused:
            return []
        dot = glyphs_of(self).dot
        lines = [
            TextLine(f"  {dot} {safe(row['actor'])} {row['tool']}, {ago(self, row['at'])}", "plain", 4)
            for row in reply["operations"]
        ]
        return lines if count <= _MOST_SHOWN else [*lines, TextLine(f"  and {count - _MOST_SHOWN} more", "dim", 4)]


def _take_back(kept: dict[tuple[str, ...], str], sent: dict[tuple[str, ...], str]) -> None:
    """What was refused is a draft again. Where the next one was begun, it stays beside that, for the end."""
    for key, text in sent.items():
        kept.pop((*key, BEING_SENT), None)
        beside = (*key, _REFUSED)
        if not kept.get(key):
            kept[key] = text
        else:
            kept[beside] = f"{kept[beside]}\n\n{text}" if beside in kept else text


def inner(no: Refused) -> Refused:
    """What was refused in a batch, as if it had been sent by itself."""
    error = no.details.get("error") if no.code == "BATCH_FAILED" else None
    return source_refused(error) if isinstance(error, dict) else no


def refusal(no: Refused) -> list[TextLine]:
    """What is wrong, and the next step."""
    moved = [
        verse
        for one in no.details.get("moved", ())
        for verse in text_lines(f"{one.get('where', '')} {one.get('says', '')}", indent="    ")
    ]
    return [
        *text_lines(no.message, "bad"),
        *moved,
        *text_lines(no.recovery, "plain", "  "),
        TextLine("  Nothing was changed.", "dim"),
    ]


class ConfirmDialog(Dialog):
    """One call, once more looked at: Enter sends it."""

    def __init__(
        self, source: Source, target: DialogTarget, title: str, about: list[TextLine], call: "DialogCall"
    ) -> None:
        super().__init__(source, target)
        self._title = title
        self._about = about
        self._call = call

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "send", "Send")]

    def title_words(self) -> str:
        """What is asked."""
        return self._title

    def words(self) -> list[TextLine]:
        """What it means."""
        return self._about

    def keys(self) -> Keyed:
        """Yes or no."""
        return (("enter", self._call.verb), ("esc", "back"))

    def action_send(self) -> None:
        """Yes."""
        call = self._call
        self.send(call.operation, **call.arguments, expected_revision=self.target.revision)


class DialogCall(NamedTuple):
    """A call without its revision, and the word for it."""

    operation: str
    arguments: dict[str, Any]
    verb: str
