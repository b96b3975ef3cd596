"""The step tree as far as it was looked at: windows of children by their numbers, and which branches are open.

However many steps there are, this holds only what was scrolled past. It makes no calls: `wanted` says what to
ask for, `keep` takes the answer.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from gatepost.replies.roots import RootRow
from gatepost.replies.steps import StepName
from gatepost.replies.tree import TreeReply, TreeRow

WINDOW: Final = 100
_AT_ONCE: Final = 4
_MOST_KEPT: Final = 150


class WindowRequest(NamedTuple):
    """A window of the children of a path; the path of the task itself is empty."""

    path: str
    window: int

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments for tasks_tree, besides the task."""
        where = {"path": self.path} if self.path else {}
        return {**where, "first": self.window * WINDOW, "limit": WINDOW}


@dataclass(slots=True)
class _Window:
    rows: list[TreeRow]
    fresh: bool


class Branch:
    """The children of one step, or of the task."""

    def __init__(self, path: str, over: "Branch | None", at: int) -> None:
        self.path = path
        self.over = over
        self.at = at
        self.level: int = 0 if over is None else over.level + 1
        self.children: int | None = None
        """How many numbers were given to children; `None` before the first reply."""
        self.open: dict[str, Branch] = {}
        self.windows: dict[int, _Window] = {}
        self._holes: dict[int, int] = {}

    @property
    def length(self) -> int:
        """How many rows it has of its own. Windows that were not read count as full."""
        return 1 if self.children is None else self.children - sum(self._holes.values())

    def position(self, at: int) -> int:
        """The row of a child's number."""
        mine = at // WINDOW
        gone = sum(count for window, count in self._holes.items() if window < mine)
        if mine not in self._holes:
            return at - gone
        known = self.windows.get(mine)
        before = 0 if known is None else sum(_number(row) < at for row in known.rows)
        return mine * WINDOW - gone + before

    def find(self, position: int) -> tuple[int, int]:
        """The window of a row, and the row's place in it."""
        gone = 0
        for window in sorted(self._holes):
            here = position + gone
            if here < window * WINDOW + WINDOW - self._holes[window]:
                break
            gone += self._holes[window]
        here = position + gone
        window = here // WINDOW
        return window, here - window * WINDOW

    def row(self, position: int) -> TreeRow | None:
        """One of its rows, if it was read."""
        window, at = self.find(position)
        known = self.windows.get(window)
        return known.rows[at] if known is not None and at < len(known.rows) else None

    def keep(self, window: int, children: int, rows: Sequence[TreeRow], *, fresh: bool) -> None:
        """Store the rows of a window."""
        self.children = children
        first = window * WINDOW
        mine = [row for row in rows if _number(row) < first + WINDOW]
        gone = max(0, min(WINDOW, children - first)) - len(mine)
        self._holes.pop(window, None)
        if gone > 0:
            self._holes[window] = gone
        self.windows[window] = _Window(mine, fresh)
        for known in [known for known in self.windows if known and known * WINDOW >= children]:
            self.forget(known)
        self._mend(first, {row.path: row for row in mine})

    def forget(self, window: int) -> None:
        """Let a window be read again when it is needed."""
        self.windows.pop(window, None)
        self._holes.pop(window, None)

    def number(self, path: str) -> int | None:
        """The number of a child. A step's is in its name; a task node's only in its row."""
        kind, _, ordinal = path.rpartition(".")[2].partition(":")
        if kind == "s":
            return int(ordinal)
        rows = (row for known in self.windows.values() for row in known.rows)
        found = next((_number(row) for row in rows if row.path == path), None)
        branch = self.open.get(path)
        return branch.at if found is None and branch is not None else found

    def _mend(self, first: int, rows: dict[str, TreeRow]) -> None:
        """Open branches stay where their steps are; those whose steps are gone, or empty, go."""
        for path, branch in list(self.open.items()):
            row = rows.get(path)
            if row is not None:
                branch.at = _number(row)
            if (not row.children) if row is not None else first <= branch.at < first + WINDOW:
                del self.open[path]


class Spot(NamedTuple):
    """One line of the tree: its branch, its position there, and what is known of it (nothing until it was read)."""

    branch: Branch
    position: int
    row: TreeRow | None


class _Stretch(NamedTuple):
    branch: Branch
    start: int
    first: int
    last: int


class StepTreeModel:
    """The open branches of one task's tree, as lines from 0 to `size`."""

    def __init__(self) -> None:
        self.root: Final = Branch("", None, 0)
        self.target: RootRow | None = None
        self.now: StepName | None = None
        self._segments: list[_Stretch] | None = None
        self._asked: dict[WindowRequest, int] = {}
        self._age = 0

    @property
    def known(self) -> bool:
        """Whether anything was read yet."""
        return self.root.children is not None

    @property
    def size(self) -> int:
        """How many lines there are."""
        segments = self._layout()
        return segments[-1].start + segments[-1].last - segments[-1].first + 1 if segments else 0

    def at(self, index: int) -> Spot:
        """The line of an index."""
        segments = self._layout()
        found = segments[bisect_right(segments, index, key=lambda part: part.start) - 1]
        position = found.first + index - found.start
        return Spot(found.branch, position, found.branch.row(position))

    def index(self, path: str) -> int | None:
        """The line of a step; `None` if it is in a closed branch, or not known."""
        branch = self.branch(above(path))
        number = None if branch is None else branch.number(path)
        if branch is None or number is None:
            return None
        position = branch.position(number)
        return next(
            (
                part.start + position - part.first
                for part in self._layout()
                if part.branch is branch and part.first <= position <= part.last
            ),
            None,
        )

    def branch(self, path: str) -> Branch | None:
        """The open branch of a path."""
        branch: Branch | None = self.root
        for step in ways(path):
            branch = None if branch is None else branch.open.get(step)
        return branch

    def toggle(self, path: str, *, opened: bool | None = None) -> None:
        """Open a branch, or close it."""
        over = self.branch(above(path))
        number = None if over is None else over.number(path)
        if over is None or number is None:
            return
        is_open = path in over.open
        if is_open and opened is not True:
            del over.open[path]
        elif not is_open and opened is not False:
            over.open[path] = Branch(path, over, number)
        self._segments = None

    def wanted(self, first: int, last: int) -> list[WindowRequest]:
        """The requests that make these lines known and fresh. They count as sent from now on."""
        needed: dict[WindowRequest, Branch] = {} if self.size else {WindowRequest("", 0): self.root}
        for index in range(max(first, 0), min(last, self.size - 1) + 1):
            branch, position, _ = self.at(index)
            needed[WindowRequest(branch.path, branch.find(position)[0])] = branch
        asks = []
        for ask, branch in needed.items():
            known = branch.windows.get(ask.window)
            if ask not in self._asked and (known is None or not known.fresh) and len(self._asked) < _AT_ONCE:
                self._asked[ask] = self._age
                asks.append(ask)
        self._spare(set(needed))
        return asks

    def is_now(self, row: TreeRow) -> bool:
        """Whether a step is the one in progress."""
        return self.now is not None and self.now.step_id == row.step_id

    def keep(self, ask: WindowRequest, reply: TreeReply) -> bool:
        """Store a reply; returns whether it changed anything. If `stale` was called meanwhile, it stays stale."""
        fresh = self._asked.pop(ask, self._age) == self._age
        before = (self.target, self.now, self._known(ask))
        self.target, self.now = reply.target, reply.now
        branch = self.branch(ask.path)
        if branch is not None:
            branch.keep(ask.window, reply.children, reply.rows, fresh=fresh)
            if not reply.children and branch.over is not None:
                branch.over.open.pop(branch.path, None)
        self._segments = None
        return before != (self.target, self.now, self._known(ask))

    def _known(self, ask: WindowRequest) -> tuple[int | None, list[TreeRow]] | None:
        branch = self.branch(ask.path)
        window = None if branch is None else branch.windows.get(ask.window)
        return None if branch is None or window is None else (branch.children, window.rows)

    def failed(self, ask: WindowRequest, *, gone: bool) -> None:
        """A request failed; `gone` if its step no longer exists."""
        self._asked.pop(ask, None)
        branch = self.branch(ask.path)
        if gone and branch is not None and branch.over is not None:
            branch.over.open.pop(branch.path, None)
        self._segments = None

    def stale(self) -> None:
        """Something in the task changed. What is shown stays until the new state is there."""
        self._age += 1
        for branch in self._all():
            for window in branch.windows.values():
                window.fresh = False

    def _all(self) -> Iterator[Branch]:
        ahead = [self.root]
        while ahead:
            branch = ahead.pop()
            yield branch
            ahead.extend(branch.open.values())

    def _layout(self) -> list[_Stretch]:
        if self._segments is None:
            self._segments = []
            _lay(self.root, 0, self._segments)
        return self._segments

    def _spare(self, needed: set[WindowRequest]) -> None:
        """Forget windows far from view. Those with holes stay: they determine how long a branch is."""
        branches = list(self._all())
        kept = sum(len(branch.windows) for branch in branches)
        if kept <= _MOST_KEPT:
            return
        for branch in branches:
            for window, known in list(branch.windows.items()):
                full = len(known.rows) == WINDOW
                if kept > _MOST_KEPT // 2 and full and WindowRequest(branch.path, window) not in needed:
                    branch.forget(window)
                    kept -= 1


def _lay(branch: Branch, start: int, into: list[_Stretch]) -> int:
    """Lay out the lines of a branch and of its open children; gives the line after them."""
    length, first = branch.length, 0
    for child in sorted(branch.open.values(), key=lambda child: child.at):
        position = branch.position(child.at)
        if first <= position < length:
            into.append(_Stretch(branch, start, first, position))
            start = _lay(child, start + position - first + 1, into)
            first = position + 1
    if first < length:
        into.append(_Stretch(branch, start, first, length - 1))
    return start + length - first


def _number(row: TreeRow) -> int:
    """A child's number among its siblings. Only the step that was named has none."""
    return row.at or 0


def above(path: str) -> str:
    """The path of a step's parent; empty for the task."""
    return path.rpartition(".")[0]


def ways(path: str) -> list[str]:
    """A path and those of the steps above it: s:0 and s:0.s:1 for s:0.s:1."""
    names = path.split(".") if path else []
    return [".".join(names[: count + 1]) for count in range(len(names))]
