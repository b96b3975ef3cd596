"""The step tree of a task: steps with their checkpoints, and actions on them."""

from typing import Any, ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.worker import Worker

from gatepost.client.protocol import Update
from gatepost.domain.refusals import Refusal
from gatepost.replies.roots import RootRow
from gatepost.replies.tree import TreeRow
from gatepost.surfaces.proof_text import basis_word
from gatepost.surfaces.tui.calls import calls_of, in_thread
from gatepost.surfaces.tui.dialogs.step_actions import NO_STEP, UNREAD, StepActions
from gatepost.surfaces.tui.keys import NOW, TREE, bindings, hints
from gatepost.surfaces.tui.models.held_steps import WHOLE, claim_words, held_steps
from gatepost.surfaces.tui.models.step_state import state_word
from gatepost.surfaces.tui.screens.reader import ReadErrors, ScreenReader, touches
from gatepost.surfaces.tui.screens.step import StepScreen
from gatepost.surfaces.tui.screens.task_history import TaskHistoryScreen
from gatepost.surfaces.tui.screens.tasks import TasksScreen
from gatepost.surfaces.tui.session import glyphs_of
from gatepost.surfaces.tui.texts import clip, safe, width
from gatepost.surfaces.tui.widgets.frame import LOW_SCREEN, KeyBar, Line, TopBar
from gatepost.surfaces.tui.widgets.message_line import MessageLine
from gatepost.surfaces.tui.widgets.step_tree import StepTree
from gatepost.surfaces.tui.widgets.text_view import TextLine, TextView, text_lines

_BAR: Final = 12


class TreeScreen(Screen[None]):
    """One task's tree: the task that is named, else the one in focus."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(TREE)
    VERTICAL_BREAKPOINTS = LOW_SCREEN

    def __init__(self, task: str | None = None, path: str | None = None) -> None:
        super().__init__()
        self._task_id = task
        self._path = path
        self._going: list[Worker[Any]] = []
        self._errors = ReadErrors(self)
        self._actions = StepActions(self, self._renew)
        self._claims = ScreenReader(self, self._read_claims)

    def compose(self) -> ComposeResult:
        yield TopBar("task tree")
        yield Line(id="head")
        yield TextView(id="empty")
        yield StepTree(self._task_id, self._path)
        yield TextView(id="about")
        yield MessageLine()
        yield KeyBar(hints((*TREE[:-2], NOW, *TREE[-2:])))

    def on_mount(self) -> None:
        self.query_one("#about").can_focus = False
        self.query_one("#empty").can_focus = False
        self._tree.focus()
        self._going = [worker for worker in self.workers if worker.node is self._tree]

    @property
    def ready(self) -> bool:
        """Whether the cursor has reached its step, or that was refused: actions apply to the step at the cursor."""
        return self.is_mounted and all(worker.is_finished for worker in self._going)

    @property
    def _tree(self) -> StepTree:
        return self.query_one(StepTree)

    def receive(self, update: Update) -> None:
        """Read again what is in sight, if this task changed."""
        if self.is_mounted and touches(update, self._tree.task_id):
            self._tree.stale()
            self._claims.soon()

    def on_resize(self) -> None:
        self._head()

    def on_step_tree_answered(self, message: StepTree.Answered) -> None:
        if message.no is not None:
            choose = "" if self._tree.model.known else " Press p to choose a task."
            self._errors.show(message.no, choose)
            return
        self._errors.clear()
        if not self._claims.answered:
            self._claims.soon()
        self._head()
        lines = self._nothing()
        self.set_class(bool(lines), "empty")
        self.query_one("#empty", TextView).show(lines)

    async def _read_claims(self) -> None:
        """Read who else holds what. If that fails, the tree says so."""
        task = self._tree.task_id
        if task is None:
            return
        try:
            radar = await in_thread(calls_of(self).tasks.radar, task=task)
        except Refusal:
            return
        held = held_steps(radar.held, task)
        self._tree.hold(held)
        if WHOLE in held:
            self.query_one(MessageLine).say(safe(f"The whole task: {claim_words(held[WHOLE])}."))

    def _nothing(self) -> list[TextLine]:
        """The words shown when there are no steps."""
        model = self._tree.model
        if model.target is None:
            return text_lines("No open task. Create one with :new TITLE (Esc, then :), or let an agent create one.")
        if model.size:
            return []
        return text_lines(
            f"{model.target.id} has no steps yet. Add one with :step TITLE on the home screen. n adds a note."
        )

    def _head(self) -> None:
        target = self._tree.model.target
        if target is not None:
            self.query_one("#head", Line).show(self._head_line(target))

    def _head_line(self, target: RootRow) -> Text:
        glyphs, counts = glyphs_of(self), target.counts
        blocked = f" {glyphs.blocked} {counts.blocked} blocked" if counts.blocked else ""
        far = f"{glyphs.bar(counts.done, counts.total, _BAR)} {counts.done}/{counts.total}"
        right = f"  {target.status}  {far}{blocked}  r{target.revision}"
        room = self.size.width - 2 - width(right)
        title = clip(f"{target.id} {safe(target.title)}", max(room, width(target.id)), glyphs.ellipsis)
        return Text.assemble((title, "bold"), right)

    def on_step_tree_current_step_changed(self) -> None:
        row = self._tree.row
        about = self.query_one("#about", TextView)
        about.show([] if row is None else self._about(row), reset=True)

    def _about(self, row: TreeRow) -> list[TextLine]:
        word = state_word(row, now=self._tree.model.is_now(row))
        found, stale = row.provenance or {}, row.stale or ()
        marks = [
            f"{name} {basis_word(found[name])}{', stale' if name in stale else ''}"
            if name in found
            else f"{name} not confirmed"
            for name in dict.fromkeys((*row.checkpoints, *found))
        ]
        facts = f" {glyphs_of(self).dot} ".join([word, row.path, row.step_id, *marks])
        held = self._tree.holder(row)
        works = text_lines(claim_words(held), "info") if held is not None else []
        why = text_lines(f"Blocked: {row.blocked}", "bad") if isinstance(row.blocked, str) else []
        return [*text_lines(row.title, "title"), TextLine(facts, "dim"), *works, *why]

    def action_detail(self) -> None:
        tree = self._tree
        if tree.task_id is None or tree.row is None:
            self.query_one(MessageLine).say(NO_STEP if tree.model.known and not tree.model.size else UNREAD)
        else:
            self.app.push_screen(StepScreen(tree.task_id, tree.row.step_id))

    def action_pick(self) -> None:
        """Show another task's tree instead."""

        def chosen(task: str | None) -> None:
            if task is not None:
                self.app.switch_screen(TreeScreen(task))

        self.app.push_screen(TasksScreen(), chosen)

    def action_history(self) -> None:
        """The task's history."""
        if self._tree.model.target is not None:
            self.app.push_screen(TaskHistoryScreen(self._tree.model.target.id))

    def action_do(self, action: str) -> None:
        model = self._tree.model
        if model.target is not None:
            self._actions.do(action, model.target, self._tree.row)
        else:
            self.query_one(MessageLine).say("No open task." if model.known else UNREAD)

    def _renew(self) -> None:
        self._tree.stale()

    def show(self, task: str, path: str | None) -> None:
        """Go to a step, of this task or of another."""
        if task != self._tree.task_id:
            self.app.switch_screen(TreeScreen(task, path))
        elif path is not None:
            self._going = [self.run_worker(self._tree.reveal(path))]
