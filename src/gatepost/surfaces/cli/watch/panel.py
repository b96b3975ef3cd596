"""Lists as a few lines: what is worked on first, what is blocked next, what is done as a count."""

from collections.abc import Callable, Sequence
from os import terminal_size
from typing import Final, NamedTuple

from gatepost.surfaces.cli.tables import Cell, bar
from gatepost.surfaces.terminal import Terminal, columns, pad
from gatepost.todo import ListCounts, Scope, Status, TodoItem, TodoStore

Line = tuple[str, int]
"""A painted line, and how many columns it takes."""

Why = Callable[[str, str], str]
"""Why an item of a list is blocked, in brackets behind its title; nothing where no reason is known."""

_ORDER: Final = (Status.IN_PROGRESS, Status.BLOCKED, Status.TODO)
_STYLES: Final = {Status.IN_PROGRESS: "now", Status.BLOCKED: "red", Status.DONE: "green", Status.CANCELED: "dim"}
_LEAST: Final = 2
_LONGEST_KEY: Final = 20
_GAP: Final = 2


def panel(
    terminal: Terminal, todos: TodoStore, order: Sequence[str], room: terminal_size, state: str, why: Why
) -> list[Line]:
    """The open lists that fit: those with something in progress first, else in this order.

    The last line has the state and counts the lists that are not shown.
    """
    known = todos.scopes
    unfinished = [known[key] for key in order if key in known and _is_open(known[key].counts)]
    unfinished.sort(key=lambda scope: not scope.counts.in_progress)
    shown = unfinished[: max(1, (room.lines - 1) // _LEAST)]
    parts = [_Part(scope, _open(todos.items(scope.key))) for scope in shown]
    lines: list[Line] = []
    for part, head, share in zip(
        parts, _heads(terminal, shown, room.columns), _shares(parts, room.lines - 1), strict=True
    ):
        lines += [head, *_body(terminal, part, share - 1, room.columns, why)]
    more = len(unfinished) - len(shown)
    finished = sum(scope.counts.total > 0 and not _is_open(scope.counts) for scope in known.values())
    notes = [
        state,
        f"{more} more" if more else "",
        f"{finished} done" if finished else "",
        "" if shown else "nothing to do",
    ]
    footer = f" {terminal.glyphs.dot} ".join(filter(None, notes))
    return [*lines, _line(terminal, [Cell(footer, "dim")], room.columns)]


def sign(terminal: Terminal, status: Status) -> str:
    """A status's sign."""
    glyphs = terminal.glyphs
    signs = {
        Status.TODO: glyphs.open,
        Status.IN_PROGRESS: glyphs.now,
        Status.DONE: glyphs.done,
        Status.BLOCKED: glyphs.blocked,
        Status.CANCELED: "-",
    }
    return signs[status]


def progress(counts: ListCounts) -> tuple[int, int]:
    """How far a list is: done of total, without what was canceled."""
    return counts.done, counts.total - counts.canceled


class _Part(NamedTuple):
    """A list that is shown, and its open items in the order they are shown."""

    scope: Scope
    open: list[TodoItem]

    @property
    def height(self) -> int:
        return 1 + len(self.open) + bool(self.scope.counts.done or self.scope.counts.canceled)


def _is_open(counts: ListCounts) -> bool:
    return bool(counts.in_progress or counts.blocked or counts.todo)


def _open(items: Sequence[TodoItem]) -> list[TodoItem]:
    found: dict[Status, list[TodoItem]] = {status: [] for status in Status}
    for item in items:
        found[item.status].append(item)
    return [item for status in _ORDER for item in found[status]]


def _shares(parts: Sequence[_Part], lines: int) -> list[int]:
    """How many lines each list gets: a few for each, then as many as it needs, in order."""
    shares = [min(_LEAST, part.height, lines) for part in parts]
    left = lines - sum(shares)
    for index, part in enumerate(parts):
        more = max(0, min(left, part.height - shares[index]))
        shares[index] += more
        left -= more
    return shares


def _heads(terminal: Terminal, scopes: Sequence[Scope], room: int) -> list[Line]:
    keys = [terminal.clip(terminal.clean(scope.key), _LONGEST_KEY) for scope in scopes]
    labels = ["" if scope.label == scope.key else terminal.clean(scope.label) for scope in scopes]
    bars = [bar(terminal, *progress(scope.counts)) for scope in scopes]
    troubles = [f"{scope.counts.blocked} blocked" if scope.counts.blocked else "" for scope in scopes]
    first, last, end = (max(map(columns, texts), default=0) for texts in (keys, bars, troubles))
    least = room - first - last - end - 3 * _GAP
    label = max(0, min(max(map(columns, labels), default=0), least))
    return [
        _line(
            terminal,
            [
                Cell(pad(key, first), "bold"),
                Cell(pad(terminal.clip(text, label), label), "bold"),
                Cell(pad(drawn, last)),
                Cell(trouble, "red"),
            ],
            room,
        )
        for key, text, drawn, trouble in zip(keys, labels, bars, troubles, strict=True)
    ]


def _body(terminal: Terminal, part: _Part, lines: int, room: int, why: Why) -> list[Line]:
    """A list's items within the given lines. The last line counts those that do not fit."""
    counts, glyphs = part.scope.counts, terminal.glyphs
    over = [(f"{glyphs.done} {counts.done} done", counts.done), (f"- {counts.canceled} canceled", counts.canceled)]
    fits = part.height - 1 <= lines
    kept = part.open if fits else part.open[: max(lines - 1, 1)]
    left = len(part.open) - len(kept)
    tail = [text for text, count in ((f"{glyphs.more} {left} more", left), *over) if count]
    made = [
        _line(terminal, [Cell(_words(terminal, part.scope.key, item, why), _STYLES.get(item.status, ""))], room)
        for item in kept
    ]
    return [*made, _line(terminal, [Cell("  " + "  ".join(tail), "dim")], room)][:lines] if tail else made[:lines]


def _words(terminal: Terminal, scope: str, item: TodoItem, why: Why) -> str:
    reason = why(scope, item.id) if item.status is Status.BLOCKED else ""
    return f"  {sign(terminal, item.status)} {terminal.clean(item.title + reason)}"


def _line(terminal: Terminal, cells: Sequence[Cell], room: int) -> Line:
    """Cells side by side, painted, and never wider than there is room."""
    painted, taken = "", 0
    for cell in cells:
        gap = _GAP if taken and cell.text else 0
        text = terminal.clip(cell.text, max(0, room - taken - gap))
        if text.strip():
            painted += " " * gap + terminal.paint(text, cell.style)
            taken += gap + columns(text)
    return painted, taken
