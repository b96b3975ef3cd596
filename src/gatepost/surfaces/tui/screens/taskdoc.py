"""Taskdocs: goals, constraints and progress, each with its last change, and actions on them."""

from collections.abc import Callable, Coroutine, Sequence
from typing import ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType

from gatepost.client.protocol import Update
from gatepost.domain.refusals import Refusal
from gatepost.domain.taskdocs import SELECTORS
from gatepost.replies.taskdocs import RecallReply, TaskdocRow
from gatepost.surfaces.tui.calls import calls_of, in_thread
from gatepost.surfaces.tui.dialogs.section_edit import OpenSection, SectionEditor
from gatepost.surfaces.tui.dialogs.step_actions import UNREAD
from gatepost.surfaces.tui.keys import TASKDOC, bindings, hints
from gatepost.surfaces.tui.screens.reader import ReadScreen
from gatepost.surfaces.tui.screens.section_history import SectionHistoryScreen
from gatepost.surfaces.tui.session import ago, glyphs_of, session_of
from gatepost.surfaces.tui.texts import clip, safe
from gatepost.surfaces.tui.widgets.frame import LOW_SCREEN, KeyBar, Line, TopBar
from gatepost.surfaces.tui.widgets.message_line import MessageLine
from gatepost.surfaces.tui.widgets.text_view import TextLine, TextView, markdown_lines, refusal_lines, text_lines

_COMBINED: Final = "combined"
_TABS: Final = (*SELECTORS, _COMBINED)
_LOOK: Final = 5.0


class TaskdocScreen(ReadScreen[None]):
    """One taskdoc at a time, one section of it, or all as agents see it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(TASKDOC)
    VERTICAL_BREAKPOINTS = LOW_SCREEN

    def __init__(self) -> None:
        super().__init__()
        self._doc: str | None = None
        self._tab: str = SELECTORS[0]
        self._items: Sequence[TaskdocRow] | None = None
        self._texts: dict[tuple[str, str], RecallReply] = {}
        self._shown: tuple[str, str] | None = None

    def compose(self) -> ComposeResult:
        """Tabs, the last change, what must be decided, the text."""
        yield TopBar("taskdoc")
        yield Line(id="tabs")
        yield Line(id="stamp")
        yield TextView(id="banner")
        yield TextView(id="text")
        yield MessageLine()
        yield KeyBar(hints(TASKDOC))

    def on_mount(self) -> None:
        """Read it every few seconds: edits on disk send no update."""
        self.query_one("#banner").can_focus = False
        self.query_one("#text").focus()
        self.set_interval(_LOOK, self._look_again)

    @property
    def ready(self) -> bool:
        """Whether the section that is open was read, or refused."""
        return self.reader.answered or (self._doc, self._tab) in self._texts

    def receive(self, update: Update) -> None:
        """Follow a taskdoc that was renamed."""
        for event in update.events:
            if event["type"] == "taskdoc_renamed" and event["before"] == self._doc:
                self._doc = event["taskdoc"]
        super().receive(update)

    def is_about(self, update: Update) -> bool:
        """Whether a taskdoc changed."""
        return update.gap or any("taskdoc" in event for event in update.events)

    def on_screen_resume(self) -> None:
        self.reader.soon()

    def on_resize(self) -> None:
        self._show()

    def _look_again(self) -> None:
        if self.is_active and not self.reader.paused:
            self.reader.soon()

    def say(self, words: str) -> None:
        """What was done, or why not."""
        self.query_one(MessageLine).say(words)

    def renew(self) -> None:
        """Look again at what is there."""
        self._show()
        self.reader.soon()

    async def read(self) -> None:
        self._items = (await in_thread(calls_of(self).taskdocs.list, limit=200)).items
        names = [item.name for item in self._items]
        if self._doc not in names:
            self._doc = names[0] if names else None
        if self._doc is not None:
            key, selector = (self._doc, self._tab), next((name for name in SELECTORS if name == self._tab), None)
            recall = calls_of(self).taskdocs.recall_mind
            self._texts[key] = await in_thread(recall, taskdoc=self._doc, selector=selector)
        self._show()

    def refused(self, no: Refusal) -> None:
        if self._items is None:
            self.query_one("#text", TextView).show(refusal_lines(no))

    def _show(self) -> None:
        """Draw what is known."""
        if self._items is None:
            return
        text = self.query_one("#text", TextView)
        if self._doc is None:
            text.show(_nothing())
            return
        self.query_one(TopBar).rename(f"taskdoc {self._doc}{self._which()}")
        self.query_one("#tabs", Line).show(self._tabs())
        key = (self._doc, self._tab)
        known = self._texts.get(key)
        self.query_one("#stamp", Line).show(Text(self._stamp()))
        lines = self._banner()
        self.set_class(bool(lines), "notices")
        self.query_one("#banner", TextView).show(lines)
        if known is not None:
            text.show(
                markdown_lines(known.content) if known.content else _empty(self._tab),
                reset=key != self._shown,
            )
            self._shown = key

    @property
    def _item(self) -> TaskdocRow | None:
        return next((item for item in self._items or () if item.name == self._doc), None)

    def _which(self) -> str:
        names = [item.name for item in self._items or ()]
        return f" ({names.index(self._doc) + 1} of {len(names)})" if self._doc in names and len(names) > 1 else ""

    def _tabs(self) -> Text:
        """The tabs: the open one in brackets, one that was edited from outside or has unsent text with a sign."""
        glyphs, item = glyphs_of(self), self._item
        text = Text()
        for at, name in enumerate(_TABS):
            edited = item is not None and name in item.edited
            waiting = (self._doc or "", name) in session_of(self).unsent
            label = f"{at + 1} {name.capitalize()}{glyphs.blocked if edited else ''}{'*' if waiting else ''}"
            here = name == self._tab
            text.append(f"[{label}]" if here else f" {label} ", "bold reverse" if here else "")
        return text

    def _stamp(self) -> str:
        """Which revision this is, and who made it when."""
        item = self._item
        if item is None:
            return ""
        dot = glyphs_of(self).dot
        bound = [f"for {item.plan}"] if item.plan else []
        stamps = [stamp for name, stamp in item.sections.items() if self._tab in (name, _COMBINED)]
        newest = max(stamps, key=lambda stamp: stamp.updated_at)
        if not any(stamp.revision for stamp in stamps):
            return f" {dot} ".join(["never written", *bound])
        by = f"updated {ago(self, newest.updated_at)} by {safe(newest.actor)}"
        own = [] if self._tab == _COMBINED else [f"revision {newest.revision}", f"{newest.bytes} bytes"]
        return clip(f" {dot} ".join([by, *own, *bound]), self.size.width - 2, glyphs_of(self).ellipsis)

    def _banner(self) -> list[TextLine]:
        """What a person must decide."""
        item, glyphs = self._item, glyphs_of(self)
        lines: list[TextLine] = []
        if item is not None and item.adopted is False:
            lines += text_lines("This taskdoc is only on disk. The first change imports it.", "bad")
        if item is not None and self._tab in item.edited:
            lines += text_lines(
                f"{glyphs.blocked} {_said(item, self._tab)}; agents still see the log's text."
                " A adopts the text on disk, R restores the log's.",
                "bad",
            )
        elif item is not None and item.findings:
            lines += text_lines(" ".join(finding.says for finding in item.findings), "bad")
        draft = session_of(self).unsent.get((self._doc or "", self._tab))
        if draft is not None:
            lines += text_lines(
                f"* You have an unsent text, started at revision {draft.revision}. e continues it, X discards it.\n"
                f"  File: {draft.file}",
                "bad",
            )
        return lines

    def action_open(self, at: int) -> None:
        self._tab = _TABS[at]
        self.say("")
        self._turn()

    def action_turn(self, by: int) -> None:
        self.action_open((_TABS.index(self._tab) + by) % len(_TABS))

    def action_other(self, by: int) -> None:
        names = [item.name for item in self._items or ()]
        if self._doc in names:
            self._doc = names[(names.index(self._doc) + by) % len(names)]
            self._turn()

    def _turn(self) -> None:
        """Show another section, which may not have been read yet."""
        self._show()
        self.reader.restart()

    def _section(self) -> OpenSection | None:
        """The open section, if it was read; otherwise show why there is none."""
        known = None if self._doc is None else self._texts.get((self._doc, self._tab))
        if self._doc is None:
            self.say(UNREAD if self._items is None else "No taskdoc yet.")
        elif self._tab == _COMBINED:
            self.say("These are all three sections. Choose one with 1, 2 or 3.")
        elif known is not None:
            return OpenSection(self._doc, self._tab, known)
        else:
            self.say(UNREAD)
        return None

    def action_history(self) -> None:
        section = self._section()
        if section is not None:
            self.app.push_screen(SectionHistoryScreen(section.taskdoc, section.selector))

    def action_edit(self) -> None:
        self._decide(SectionEditor.edit)

    def action_adopt(self) -> None:
        self._decide(SectionEditor.adopt)

    def action_restore(self) -> None:
        self._decide(SectionEditor.restore)

    def action_drop(self) -> None:
        self._decide(SectionEditor.drop)

    def _decide(self, decision: Callable[[SectionEditor], Coroutine[None, None, None]]) -> None:
        section = self._section()
        if section is not None:
            self.run_worker(
                decision(SectionEditor(self, section, self.say, self.renew)), group="section", exclusive=True
            )


def _nothing() -> list[TextLine]:
    return text_lines(
        "No taskdoc yet. It tells every agent what to achieve (goals), what to respect (constraints) and"
        " how far the work is (progress). An agent can create one, and so can you:\n"
        "  gatepost taskdoc create main"
    )


def _empty(tab: str) -> list[TextLine]:
    return text_lines(
        "All three sections are empty." if tab == _COMBINED else f"No {tab} yet. Press e to write.", "dim"
    )


def _said(item: TaskdocRow, selector: str) -> str:
    """What happened to a section's file, or to the whole package."""
    found = [finding.says for finding in item.findings or () if finding.selector in (None, selector)]
    return safe(" ".join(found).replace(f"tasks/{item.name}.tsk/", "").removesuffix("."))
