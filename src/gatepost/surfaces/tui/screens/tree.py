"""The task tree: steps with their lamps, and what a person can do to them."""

from typing import Any, ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.worker import Worker

from gatepost.client.protocol import Update
from gatepost.surfaces.tui.dialogs.step_actions import NO_STEP, STEP_ACTIONS, UNREAD, StepActions
from gatepost.surfaces.tui.read_errors import ReadErrors
from gatepost.surfaces.tui.screens.step import StepScreen
from gatepost.surfaces.tui.screens.tasks import TasksScreen
from gatepost.surfaces.tui.session import HEIGHTS, MessageLine, glyphs_of, state_word, touches
from gatepost.surfaces.tui.source import Source
from gatepost.surfaces.tui.texts import clip, safe, width
from gatepost.surfaces.tui.widgets.frame import KeyBar, Line, TopBar
from gatepost.surfaces.tui.widgets.step_tree import StepTree
from gatepost.surfaces.tui.widgets.text_view import TextLine, TextView, text_lines

_BAR: Final = 12
_KEYS: Final = (
    ("enter", "more"),
    ("c", "close"),
    ("b", "block"),
    ("n", "note"),
    ("u", "undo"),
    (".", "now"),
    ("p", "tasks"),
    ("esc", "back"),
)


class TreeScreen(Screen[None]):
    """One task's tree: the task that is named, else the one in focus."""

    DEFAULT_CSS = """
    TreeScreen #head { background: $surface; padding: 0 1; }
    TreeScreen #steps { height: 1fr; }
    TreeScreen #about { height: auto; max-height: 5; background: $panel; }
    TreeScreen.-low #about { display: none; }
    TreeScreen #empty { height: auto; display: none; }
    TreeScreen.empty #empty { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "app.pop_screen", "Back"),
        Binding("enter", "detail", "Detail"),
        Binding("p", "pick", "Another task"),
        *(Binding(key, f"do('{deed}')", deed.capitalize()) for key, deed in STEP_ACTIONS.items()),
    ]
    VERTICAL_BREAKPOINTS = HEIGHTS

    def __init__(self, source: Source, task: str | None = None, path: str | None = None) -> None:
        super().__init__()
        self._source = source
        self._task_id = task
        self._path = path
        self._going: list[Worker[Any]] = []
        self._trouble = ReadErrors(self)
        self._doer = StepActions(self, source, self._renew)

    def compose(self) -> ComposeResult:
        """The head, the tree, what the cursor stands on, what was done last."""
        yield TopBar("task tree")
        yield Line(id="head")
        yield TextView(id="empty")
        yield StepTree(self._source, self._task_id, self._path)
        yield TextView(id="about")
        yield MessageLine(id="said")
        yield KeyBar(_KEYS)

    def on_mount(self) -> None:
        """The tree has the keys."""
        self.query_one("#about").can_focus = False
        self.query_one("#empty").can_focus = False
        self._tree.focus()
        self._going = [worker for worker in self.workers if worker.node is self._tree]

    @property
    def ready(self) -> bool:
        """Whether the cursor stands where it was sent to, or that was refused: what is done is done to its step."""
        return self.is_mounted and all(worker.is_finished for worker in self._going)

    @property
    def _tree(self) -> StepTree:
        return self.query_one(StepTree)

    def heard(self, batch: Update) -> None:
        """Read again what is in sight, if this task changed."""
        if self.is_mounted and touches(batch, self._tree.task_id):
            self._tree.stale()

    def on_resize(self) -> None:
        """The head is cut to the width."""
        self._head()

    def on_step_tree_answered(self, message: StepTree.Answered) -> None:
        """Something was read."""
        if message.no is not None:
            choose = "" if self._tree.model.known else " p chooses a task."
            self._trouble.met(message.no, choose)
            return
        self._trouble.over()
        self._head()
        lines = self._nothing()
        self.set_class(bool(lines), "empty")
        self.query_one("#empty", TextView).show(lines)

    def _nothing(self) -> list[TextLine]:
        """What is said where there are no steps."""
        model = self._tree.model
        if model.target is None:
            return text_lines(
                "There is no open task here. Agents make one with tasks_create, you with :new TITLE (esc, then :)."
            )
        if model.size:
            return []
        return text_lines(
            f"{model.target['id']} has no steps yet; tasks_decompose adds some. n keeps a note on the task."
        )

    def _head(self) -> None:
        target = self._tree.model.target
        if target is not None:
            self.query_one("#head", Line).show(self._head_line(target))

    def _head_line(self, target: dict[str, Any]) -> Text:
        glyphs = glyphs_of(self)
        counts = target["counts"]
        blocked = f" {glyphs.blocked} {counts['blocked']} blocked" if counts["blocked"] else ""
        far = f"{glyphs.bar(counts['done'], counts['total'], _BAR)} {counts['done']}/{counts['total']}"
        right = f"  {target['status']}  {far}{blocked}  r{target['revision']}"
        room = self.size.width - 2 - width(right)
        title = clip(f"{target['id']} {safe(target['title'])}", max(room, width(target["id"])), glyphs.ellipsis)
        return Text.assemble((title, "bold"), right)

    def on_step_tree_moved(self) -> None:
        """Say more of what the cursor stands on."""
        row = self._tree.row
        about = self.query_one("#about", TextView)
        about.show([] if row is None else self._about(row), anew=True)

    def _about(self, row: dict[str, Any]) -> list[TextLine]:
        dot = glyphs_of(self).dot
        now = self._tree.model.now
        word = state_word(row, now=now is not None and now["step_id"] == row["step_id"])
        marks = [f"{name} {'confirmed' if lit else 'not confirmed'}" for name, lit in row["checkpoints"].items()]
        facts = f" {dot} ".join([word, row["path"], row["step_id"], *marks])
        why = text_lines(f"Blocked: {row['blocked']}", "bad") if isinstance(row["blocked"], str) else []
        return [*text_lines(row["title"], "title"), TextLine(facts, "dim"), *why]

    def action_detail(self) -> None:
        """Show the step in full."""
        tree = self._tree
        if tree.task_id is None or tree.row is None:
            self.query_one(MessageLine).say(NO_STEP if tree.model.known and not tree.model.size else UNREAD)
        else:
            self.app.push_screen(StepScreen(self._source, tree.task_id, tree.row["step_id"]))

    def action_pick(self) -> None:
        """Show another task's tree instead."""

        def chosen(task: str | None) -> None:
            if task is not None:
                self.app.switch_screen(TreeScreen(self._source, task))

        self.app.push_screen(TasksScreen(self._source), chosen)

    def action_do(self, deed: str) -> None:
        """Do something to what the cursor stands on."""
        model = self._tree.model
        if model.target is not None:
            self._doer.do(deed, model.target, self._tree.row)
        else:
            self.query_one(MessageLine).say("There is no open task here." if model.known else UNREAD)

    def _renew(self) -> None:
        self._tree.stale()

    def show(self, task: str, path: str | None) -> None:
        """Go to a step, of this task or of another."""
        if task != self._tree.task_id:
            self.app.switch_screen(TreeScreen(self._source, task, path))
        elif path is not None:
            self._going = [self.run_worker(self._tree.reveal(path))]
