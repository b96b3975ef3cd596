"""A person's decision about a section: a new text, the one on disk, or the log's. They see the difference first."""

import asyncio
import difflib
from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple

from textual.screen import Screen

from gatepost.domain.refusals import Refusal
from gatepost.replies.taskdocs import Adopted, MindChanged, RecallReply
from gatepost.surfaces.tui import editor
from gatepost.surfaces.tui.calls import calls_of, in_thread
from gatepost.surfaces.tui.dialogs.dialog import CONFLICT
from gatepost.surfaces.tui.dialogs.review import ReviewDialog
from gatepost.surfaces.tui.editor import EditorError, UnsentText
from gatepost.surfaces.tui.keys import Key
from gatepost.surfaces.tui.session import ago, host_of, session_of
from gatepost.surfaces.tui.source import words_of
from gatepost.surfaces.tui.widgets.text_view import TextLine, diff_lines, text_lines

_CHOICES: Final = (Key("enter", "", "send it"), Key("e", "", "edit again"), Key("X", "", "discard it"))
_ADOPT: Final = "The text on disk becomes the section's next revision, in your name."
_RESTORE: Final = "The log's text replaces the file. The history keeps the text from disk."


class OpenSection(NamedTuple):
    """A section as it was read."""

    taskdoc: str
    selector: str
    known: RecallReply
    revision: int | None = None
    """The taskdoc's revision, once it was read: adopting a text changes more than a section."""

    @property
    def key(self) -> tuple[str, str]:
        """The key of its unsent text."""
        return (self.taskdoc, self.selector)

    @property
    def named(self) -> dict[str, Any]:
        """How a call names it."""
        return {"taskdoc": self.taskdoc, "selector": self.selector}

    @property
    def outside(self) -> str | None:
        """How the text on disk differs, if it was edited there."""
        return None if self.known.edited is None else self.known.edited.diff


class SectionEditor:
    """One decision about one section. `say` shows the outcome, `renew` reads the section again."""

    def __init__(
        self,
        screen: Screen[None],
        section: OpenSection,
        say: Callable[[str], None],
        renew: Callable[[], None],
    ) -> None:
        self._screen = screen
        self._section = section
        self._say = say
        self._renew = renew
        self._drafts = session_of(screen).unsent

    async def edit(self) -> None:
        """Open the text in the editor, and send the result if it changed."""
        section = self._section
        if section.outside is not None and section.key not in self._drafts:
            self._say("This section was edited on disk. Decide first: A adopts that text, R restores the log's.")
            return
        try:
            written = self._written()
        except EditorError as no:
            self._say(str(no))
            return
        if written is None:
            self._say("Nothing was changed.")
            return
        self._keep(written)
        await asyncio.sleep(0)  # a signal that came while the editor was open takes effect first
        if host_of(self._screen).exiting:
            return
        about = _warnings(written)
        if about:
            await self._review(written, "Send this?", about)
        else:
            await self._send(written)

    def _written(self) -> UnsentText | None:
        """The edited text, or the edited unsent text; `None` if nothing changed."""
        known, kept = self._section.known, self._drafts.get(self._section.key)
        draft = kept or editor.begin(self._section.selector, known.content, known.revision or 0)
        try:
            written = editor.edit(self._screen.app, draft)
        except EditorError:
            self._left(draft, fresh=kept is None)
            raise
        if kept is None and written.text == known.content:
            draft.forget()
            return None
        return written

    def _left(self, draft: UnsentText, *, fresh: bool) -> None:
        """The editor failed. Keep what it wrote, even if that cannot be shown."""
        try:
            written = draft.reread()
        except EditorError:
            written, fresh = draft, False
        if fresh and written == draft:
            draft.forget()
        else:
            self._keep(written)
            self._renew()

    async def drop(self) -> None:
        """Discard an unsent text after the person has seen it."""
        draft = self._drafts.get(self._section.key)
        if draft is None:
            self._say("No unsent text here.")
            return
        lines = _changes(self._section.known.content, draft.text)
        look = ReviewDialog("Discard this text? It was not sent.", lines, [Key("enter", "", "discard it")])
        if await self._screen.app.push_screen_wait(look) is not None:
            self._let_go(draft)

    async def adopt(self) -> None:
        """Adopt the text on disk, if it is still the one that the person saw."""
        section = await self._looked("Adopt", _ADOPT, "adopt it")
        if section is not None:
            call = in_thread(
                calls_of(self._screen).taskdocs.adopt, **section.named, expected_revision=section.revision
            )
            await self._decide(call, "Adopted")

    async def restore(self) -> None:
        """Replace the text on disk with the log's, if it is still the one that the person saw."""
        section = await self._looked("Restore", _RESTORE, "restore it")
        if section is not None:
            call = in_thread(
                calls_of(self._screen).taskdocs.restore, **section.named, expected_revision=section.known.revision
            )
            await self._decide(call, "Restored")

    async def _looked(self, word: str, words: str, verb: str) -> OpenSection | None:
        """The section, once the person has seen the difference and agreed."""
        section: OpenSection | None = self._section
        again: list[TextLine] = []
        while section is not None and section.outside is not None:
            lines = [*again, *text_lines(words), *diff_lines(section.outside)]
            look = ReviewDialog(f"{word} {section.selector} of {section.taskdoc}?", lines, [Key("enter", "", verb)])
            if await self._screen.app.push_screen_wait(look) is None:
                return None
            now = await self._now()
            if now is None or (now.outside, now.known.revision) == (section.outside, section.known.revision):
                return now
            section, again = (
                now,
                text_lines("It changed again while you were looking. This is the current state.", "bad"),
            )
        self._say("This section was not edited on disk.")
        return None

    async def _now(self) -> OpenSection | None:
        try:
            whole = await in_thread(calls_of(self._screen).taskdocs.recall_mind, taskdoc=self._section.taskdoc)
            known = await in_thread(calls_of(self._screen).taskdocs.recall_mind, **self._section.named)
        except Refusal as no:
            self._say(words_of(no))
            return None
        return self._section._replace(known=known, revision=whole.revision)

    async def _decide(self, call: Awaitable[Adopted | MindChanged], word: str) -> None:
        try:
            reply = await call
        except Refusal as no:
            self._say(words_of(no))
        else:
            warnings = " ".join(reply.warnings or ())
            self._say(f"{word} {self._section.selector} of {self._section.taskdoc}. {warnings}")
        self._renew()

    async def _send(self, draft: UnsentText) -> None:
        content: dict[str, Any] = {"content": draft.text} if draft.text.strip() else {"clear": True}
        named = {**self._section.named, "expected_revision": draft.revision}
        try:
            reply = await in_thread(calls_of(self._screen).taskdocs.change_mind, **named, **content)
        except Refusal as no:
            self._keep(draft)
            if no.code == CONFLICT:
                await self._conflict(draft)
            else:
                self._say(f"{words_of(no)} Your text is kept.")
            return
        self._let_go(draft)
        warnings = " ".join(reply.warnings or ())
        self._say(f"Saved {self._section.selector} as revision {reply.revision}. {warnings}")

    async def _conflict(self, draft: UnsentText) -> None:
        """Show what sending would change in the text that someone else has written meanwhile."""
        now = await self._now()
        if now is None:
            return
        theirs = now.known
        about = [
            *text_lines(
                f"Not sent: {theirs.actor} changed it {ago(self._screen, theirs.updated_at or '')}.", "bad"
            ),
            TextLine(
                f"You started from revision {draft.revision}; it is now at {theirs.revision}. Your text is kept."
            ),
            TextLine("Sending your text would change this:", "title"),
        ]
        self._section = now
        await self._review(draft._replace(revision=theirs.revision or 0), "Someone else was faster", about)

    async def _review(self, draft: UnsentText, title: str, about: list[TextLine]) -> None:
        """Show the difference, and ask what to do with the text."""
        lines = [*about, *_changes(self._section.known.content, draft.text)]
        chosen = await self._screen.app.push_screen_wait(ReviewDialog(title, lines, _CHOICES))
        if chosen == "enter":
            await self._send(draft)
        elif chosen == "X":
            self._let_go(draft)
        elif chosen == "e":
            self._keep(draft)
            await self.edit()
        else:
            self._renew()

    def _keep(self, draft: UnsentText) -> None:
        self._drafts[self._section.key] = draft

    def _let_go(self, draft: UnsentText) -> None:
        self._drafts.pop(self._section.key, None)
        draft.forget()
        self._renew()


def _warnings(draft: UnsentText) -> list[TextLine]:
    """What to know before this text is sent."""
    if not draft.text.strip():
        return text_lines(
            "The text is empty. Sending it empties the section; the history keeps the old text.", "bad"
        )
    return []


def _changes(before: str, after: str) -> list[TextLine]:
    """The difference between two texts."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), "current", "yours", lineterm="")
    return diff_lines("\n".join(lines)) if before != after else [TextLine("No difference.", "dim")]
