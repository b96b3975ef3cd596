"""What waits for a person: questions to answer, steps to sign off, plans to approve."""

from typing import ClassVar, Final, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType

from gatepost.replies.inbox import InboxItem
from gatepost.replies.reply import WriteReply
from gatepost.surfaces.proof_text import proof_words
from gatepost.surfaces.tui.calls import calls_of, in_thread
from gatepost.surfaces.tui.dialogs.dialog import Dialog, DialogTarget, waiting_message
from gatepost.surfaces.tui.dialogs.sign_off import SignOffDialog
from gatepost.surfaces.tui.dialogs.text import APPROVE, TextDialog, answer_prompt, option_lines
from gatepost.surfaces.tui.keys import INBOX, bindings, hints
from gatepost.surfaces.tui.screens.reader import ReadScreen
from gatepost.surfaces.tui.session import ago, glyphs_of, host_of, session_of
from gatepost.surfaces.tui.texts import clip, pad, safe
from gatepost.surfaces.tui.widgets.frame import LOW_SCREEN, KeyBar, TopBar
from gatepost.surfaces.tui.widgets.message_line import MessageLine
from gatepost.surfaces.tui.widgets.row_list import RowList
from gatepost.surfaces.tui.widgets.text_view import TextLine, TextView, text_lines

_MOST: Final = 200
_WORDS: Final = {
    "question": "question",
    "signoff": "sign off",
    "approval": "approve",
    "package": "edited",
    "trust": "trust",
}
_DONE: Final = {"question": "Answered", "signoff": "Signed off", "approval": "Approved"}


class InboxScreen(ReadScreen[None]):
    """The items, and the one at the cursor in full."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(INBOX)
    VERTICAL_BREAKPOINTS = LOW_SCREEN

    def compose(self) -> ComposeResult:
        yield TopBar("inbox")
        yield RowList[InboxItem](self._draw, _identity, mark=glyphs_of(self).cursor)
        yield TextView(id="about")
        yield MessageLine()
        yield KeyBar(hints(INBOX))

    def on_mount(self) -> None:
        self.query_one("#about").can_focus = False
        self._rows.focus()

    @property
    def _rows(self) -> RowList[InboxItem]:
        rows: RowList[InboxItem] = self.query_one(RowList)
        return rows

    async def read(self) -> None:
        reply = await in_thread(calls_of(self).tasks.inbox, limit=_MOST)
        self._rows.renew(reply.items)
        self._about()
        if not reply.items:
            self.query_one("#about", TextView).show([TextLine("Nothing waits for you.", "dim")])

    def on_row_list_cursor_moved(self) -> None:
        self._about()

    def _draw(self, item: InboxItem, room: int) -> Text:
        where = safe(f"{item.task or item.plan or item.taskdoc or ''} {item.path or ''}".strip())
        what = item.ask or item.run or item.title or item.do
        line = f" {pad(_WORDS[item.kind], 9)} {pad(where, 15)} {safe(' '.join(what.split()))}"
        return Text(clip(line, room, glyphs_of(self).ellipsis))

    def _about(self) -> None:
        item = self._rows.row
        lines = [] if item is None else [*self._body(item), TextLine(item.do, "dim")]
        self.query_one("#about", TextView).show(lines, reset=True)

    def _body(self, item: InboxItem) -> list[TextLine]:
        if item.kind == "question":
            asked = "" if not item.at else f", {ago(self, item.at)}"
            return [
                *text_lines(item.ask or "", "title"),
                *option_lines(item.options or ()),
                TextLine(f"{safe(item.actor or '')}{asked} {glyphs_of(self).dot} {safe(item.title)}", "dim"),
                *(text_lines(f"Blocked: {item.reason}", "dim") if item.reason else []),
            ]
        proofs = [
            f"{mark.checkpoint} {proof_words(mark, mark.actor, ago(self, mark.at))}"
            for mark in item.confirmed or ()
        ]
        more = [
            line for text in (*proofs, item.differs, item.run) if text for line in text_lines(text, indent="  ")
        ]
        command = text_lines(item.command, "plain", "  $ ") if item.kind == "trust" and item.command else []
        return [*text_lines(item.title, "title"), *more, *command]

    def on_row_list_chosen(self, message: RowList.Chosen) -> None:
        """Open the dialog that handles the item."""
        item = cast("InboxItem", message.row)
        line = self.query_one(MessageLine)
        dialog = _dialog(item)
        if dialog is None:
            line.say(item.do)
            return
        if dialog.target.task in session_of(self).sending and not isinstance(dialog, TextDialog):
            line.say(waiting_message(dialog.target.task))
            return
        words = f"{_DONE[item.kind]} {dialog.target.name}."
        dialog.outcome = lambda _reply: words

        def done(reply: WriteReply | None) -> None:
            if reply is not None:
                line.say(words)
                self.reader.soon()

        line.say("")
        self.app.push_screen(dialog, done)

    def action_open(self) -> None:
        """The step or task that the item is about."""
        item = self._rows.row
        if item is not None and item.task is not None:
            host_of(self).show_tree(item.task, item.path)
        elif item is not None and item.taskdoc is not None:
            host_of(self).action_go("docs")


def _identity(item: InboxItem) -> tuple[str | None, ...]:
    return (item.kind, item.task, item.plan, item.step_id, item.taskdoc, item.selector, item.run)


def _dialog(item: InboxItem) -> Dialog | None:
    """The dialog that handles an item. None for items that are handled elsewhere."""
    revision = item.revision or 0
    if item.plan is not None:
        return TextDialog(DialogTarget(item.plan, revision, name=f"{item.plan} {item.title}"), APPROVE)
    if item.task is None or item.step_id is None:
        return None
    name = f"{item.path} {item.title}"
    target = DialogTarget(item.task, revision, item.step_id, name, guard="expected_step_revision")
    if item.kind == "question":
        return TextDialog(target, answer_prompt(item.ask or "", item.options or ()))
    return SignOffDialog(target) if item.kind == "signoff" else None
