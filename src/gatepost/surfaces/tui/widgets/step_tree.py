"""The step tree as a widget: only the lines in sight are drawn, only windows around them are read."""

from typing import Any, ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from gatepost.domain.refusals import Refusal
from gatepost.replies.steps import HeldStep
from gatepost.replies.tree import TreeRow
from gatepost.surfaces.proof_text import lamps
from gatepost.surfaces.tui.calls import calls_of, in_thread
from gatepost.surfaces.tui.keys import STEP_TREE, bindings
from gatepost.surfaces.tui.models.held_steps import claim_tail
from gatepost.surfaces.tui.models.step_state import lamp_look, state_sign
from gatepost.surfaces.tui.models.step_tree_model import (
    WINDOW,
    Branch,
    StepTreeModel,
    WindowRequest,
    above,
    ways,
)
from gatepost.surfaces.tui.session import glyphs_of
from gatepost.surfaces.tui.texts import clip, pad, safe, width

_MARGIN: Final = 20
_PAUSE: Final = 1.5
_DEEPEST: Final = 12
_SHORTEST_TITLE: Final = 12
_WIDEST_REASON: Final = 40


class StepTree(ScrollView, can_focus=True):
    """One task's steps. The cursor stays on its step, whatever is added or removed around it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"step-tree--{look}"
        for look in ("cursor", "done", "now", "blocked", "dim", "plain", "warn", "info", "good", "person")
    }
    BINDINGS: ClassVar[list[BindingType]] = bindings(STEP_TREE)

    class CurrentStepChanged(Message):
        """The cursor moved, or the step at the cursor changed."""

    class Answered(Message):
        """Something was read: `no` if it was refused."""

        def __init__(self, no: Refusal | None = None) -> None:
            super().__init__()
            self.no = no

    def __init__(self, task: str | None = None, path: str | None = None) -> None:
        super().__init__()
        self.model = StepTreeModel()
        self.task_id = task
        self._held: dict[str, HeldStep] = {}
        self._line = 0
        self._path: str | None = path
        self._top: str | None = None
        self._resting = False
        self._wish = path

    def on_mount(self) -> None:
        self.run_worker(self._begin())

    @property
    def row(self) -> TreeRow | None:
        """The step at the cursor, if it was read."""
        return self.model.at(self._line).row if self.model.known and self._line < self.model.size else None

    def stale(self) -> None:
        """Something changed: read again what is in sight."""
        self.model.stale()
        self._look()

    def hold(self, held: dict[str, HeldStep]) -> None:
        """Show who else holds which steps."""
        if held != self._held:
            self._held = held
            self.refresh()
            self.post_message(self.CurrentStepChanged())

    def holder(self, row: TreeRow) -> HeldStep | None:
        """Who else holds a step."""
        return None if row.done else self._held.get(row.step_id)

    def on_resize(self) -> None:
        self._drawn()

    async def _begin(self) -> None:
        """Read the first window, and go to the requested step or to the one in progress."""
        first = WindowRequest("", 0)
        if not await self._read(first):
            self.set_timer(_PAUSE, lambda: self.run_worker(self._begin()))
            return
        now = self.model.now
        wish = self._wish or (None if now is None else now.path)
        if wish is not None:
            await self.reveal(wish)

    async def reveal(self, path: str) -> None:
        """Open the branches above a step, and go to it."""
        for way in ways(path):
            branch = self.model.branch(above(way))
            number = None if branch is None else await self._number(branch, way)
            if (
                branch is None
                or number is None
                or not await self._read(WindowRequest(branch.path, number // WINDOW))
            ):
                return
            if way != path:
                self.model.toggle(way, opened=True)
        line = self.model.index(path)
        if line is not None:
            self._go(line, centred=True)

    async def _number(self, branch: Branch, path: str) -> int | None:
        """The number of a child. Task nodes come after all steps, so theirs are searched from the end."""
        found = branch.number(path)
        if found is None and branch.children is None and not await self._read(WindowRequest(branch.path, 0)):
            return None
        for window in range(((branch.children or 0) - 1) // WINDOW, -1, -1):
            found = branch.number(path)
            if found is not None or not await self._read(WindowRequest(branch.path, window)):
                break
        return branch.number(path)

    async def _read(self, asked: WindowRequest) -> bool:
        where: dict[str, Any] = {} if self.task_id is None else {"task": self.task_id}
        try:
            reply = await in_thread(calls_of(self).tasks.tree, **where, **asked.arguments)
        except Refusal as no:
            self.model.failed(asked, gone=no.code == "UNKNOWN_ID")
            self.post_message(self.Answered(no))
            return False
        if reply.target is not None:
            self.task_id = reply.target.id
        if self.model.keep(asked, reply):
            self._drawn()
        self.post_message(self.Answered())
        return True

    async def _fetch(self, asked: WindowRequest) -> None:
        if not await self._read(asked):
            self._rest()
        self._look()

    def _rest(self) -> None:
        """After a failure, ask again after a pause."""
        if not self._resting:
            self._resting = True
            self.set_timer(_PAUSE, self._rested)

    def _rested(self) -> None:
        self._resting = False
        self._look()

    def _look(self) -> None:
        """Ask for rows in view that are unknown or stale."""
        if self._resting or not self.model.known:
            return
        top = self.scroll_offset.y
        for asked in self.model.wanted(top - _MARGIN, top + self.size.height + _MARGIN):
            self.run_worker(self._fetch(asked))

    def _drawn(self) -> None:
        """Lines may have moved: keep the cursor and the top line on the same steps."""
        size = self.model.size
        self.virtual_size = Size(self.scrollable_content_region.width, size)
        line = None if self._path is None else self.model.index(self._path)
        self._line = max(0, min(self._line if line is None else line, size - 1))
        top = None if self._top is None else self.model.index(self._top)
        if top is not None and top != self.scroll_offset.y:
            self.scroll_to(y=top, animate=False)
        self._remember()
        self.refresh()
        self.post_message(self.CurrentStepChanged())

    def _remember(self) -> None:
        if self.row is not None:
            self._path = self.row.path
        top = self.scroll_offset.y
        row = self.model.at(top).row if self.model.known and 0 < top < self.model.size else None
        self._top = None if row is None else row.path

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._remember()
        self._look()

    def _go(self, line: int, *, centred: bool = False) -> None:
        """Move the cursor and scroll it into view."""
        self._line = max(0, min(line, self.model.size - 1))
        self._path = None if self.row is None else self.row.path
        height, top = self.size.height, self.scroll_offset.y
        if not top <= self._line < top + height:
            above_it = height // 2 if centred else 0 if self._line < top else height - 1
            self._top = None
            self.scroll_to(y=max(0, self._line - above_it), animate=False)
        self._remember()
        self._look()
        self.refresh()
        self.post_message(self.CurrentStepChanged())

    def action_move(self, by: int) -> None:
        self._go(self._line + by)

    def action_page(self, by: int) -> None:
        self._go(self._line + by * max(1, self.size.height - 1))

    def action_jump(self, line: int) -> None:
        """To the first line, or to the last."""
        self._go(line % max(1, self.model.size))

    def action_fold(self) -> None:
        if self.row is not None and self.row.children:
            self.model.toggle(self.row.path)
            self._drawn()
            self._look()

    def action_into(self) -> None:
        """Open the branch; if it is open, enter it."""
        if self.row is None or not self.row.children:
            return
        if self.model.branch(self.row.path) is None:
            self.action_fold()
        else:
            self._go(self._line + 1)

    def action_out(self) -> None:
        """Close the branch; if it is closed, go to its parent."""
        if self.row is None:
            return
        if self.model.branch(self.row.path) is not None:
            self.action_fold()
        else:
            line = self.model.index(above(self.row.path)) if above(self.row.path) else None
            self._go(self._line if line is None else line)

    def action_now(self) -> None:
        if self.model.now is not None:
            self.run_worker(self.reveal(self.model.now.path))

    def on_click(self, event: events.Click) -> None:
        """A click moves the cursor; a second one on the same line opens or closes the branch."""
        line = self.scroll_offset.y + event.y
        if line < self.model.size:
            again = line == self._line
            self._go(line)
            if again:
                self.action_fold()

    def render_line(self, y: int) -> Strip:
        index = self.scroll_offset.y + y
        room = self.scrollable_content_region.width
        if not self.model.known or index >= self.model.size:
            return Strip.blank(room, self.rich_style)
        here = index == self._line
        spot = self.model.at(index)
        base = self._style("cursor") if here else self.rich_style
        lead = self._lead(spot.branch.level, spot.row, here=here)
        if spot.row is None:
            segments = [Segment(lead, base), Segment(f"loading{glyphs_of(self).ellipsis}", base)]
        else:
            segments = self._segments(spot.row, lead, room, base)
        return Strip(segments).adjust_cell_length(room, base)

    def _lead(self, level: int, row: TreeRow | None, *, here: bool) -> str:
        glyphs = glyphs_of(self)
        twisty = " "
        if row is not None and row.children:
            twisty = glyphs.folded if self.model.branch(row.path) is None else glyphs.unfolded
        return f"{glyphs.cursor if here else ' '}{'  ' * min(level, _DEEPEST)}{twisty} "

    def _segments(self, row: TreeRow, lead: str, room: int, base: Style) -> list[Segment]:
        glyphs = glyphs_of(self)
        now = self.model.is_now(row)
        below, shown = _below(row), lamps(glyphs, row.checkpoints, row.provenance or {}, row.stale or ())
        left = f"{state_sign(glyphs, row, now=now)} "
        tail = "  now" if now else ""
        held = self.holder(row)
        if held is not None:
            tail += "  " + clip(safe(claim_tail(held)), min(_WIDEST_REASON, room // 3), glyphs.ellipsis)
        if row.blocked:
            why = "blocked" if row.blocked is True else f"blocked: {safe(row.blocked)}"
            tail += "  " + clip(why, min(_WIDEST_REASON, room // 3), glyphs.ellipsis)
        taken = width(below) + sum(width(one.text) + 1 for one in shown)
        free = room - width(lead) - width(left) - width(tail) - taken - 1
        if free < _SHORTEST_TITLE:
            free, below, shown = free + taken, "", []
        kind = "" if row.kind == "step" else " (task)"
        title = clip(safe(row.title) + kind, max(free, 1), glyphs.ellipsis)
        look = "done" if row.done else "blocked" if row.blocked else "now" if now else "info" if held else ""
        style = base + self._look_of(look)
        middle = pad("", max(0, free - width(title)))
        return [
            Segment(lead, base),
            Segment(left + title + tail, style),
            Segment(middle, base),
            Segment(below, base + self._look_of("dim" if row.done else "")),
            *(Segment(f" {one.text}", base + self._look_of(lamp_look(one))) for one in shown),
        ]

    def _style(self, look: str) -> Style:
        return self.rich_style + self._look_of(look)

    def _look_of(self, look: str) -> Style:
        return self.get_component_rich_style(f"step-tree--{look}", partial=True) if look else Style()


def _below(row: TreeRow) -> str:
    """Progress of the steps below."""
    below = f"  {row.counts.done}/{row.counts.total} " if row.counts else " "
    return f"{below} forced " if row.forced else below
