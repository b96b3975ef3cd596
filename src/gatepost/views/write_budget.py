"""Outcomes: what a write answers, within the cap that every reply has.

A small reply is sent as it is. In a large one, long lists lose their last rows; the budget counts them, and `next`
is the call that shows them. Names, revisions and `changed` never go.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Any, Final

from gatepost.domain.offers import Offer
from gatepost.domain.refusals import Suggestion
from gatepost.views.budget import DEFAULT, Body, Cut, clipped, nothing, only, reduced, shortened, size

_EVENTS: Final = "events"
_RESULTS: Final = "results"
_LONGEST_TEXT: Final = 200
_LONGEST_ECHO: Final = 1_000
_FEW: Final = 10
"""Rows that a list keeps as long as another one can be cut."""
_NAMES: Final = (
    "id",
    "kind",
    "task",
    "plan",
    "taskdoc",
    "selector",
    "session",
    "section_key",
    "revision",
    "changed",
)

Row = Any
"""What a list or a dictionary of a reply holds, as plain data."""
Tell = Callable[[Body, str, Row], None]
"""Says in a reply which call shows what was cut: takes the key, and the first row that is missing."""


def bounded(body: Body, workspace: str, offer: Offer, readings: Collection[int] = ()) -> Body:
    """A write's reply that fits. The results of a batch's reads have budgets of their own, and stay as they are."""
    results = body.get(_RESULTS, [])
    cap = DEFAULT + sum(size(results[index]) + 1 for index in readings)
    if size(body) <= cap:
        return body
    written = [result for index, result in enumerate(results) if index not in readings]
    parts = [part for whole in (body, *written) for part in (whole, *_within(whole))]
    keys = _long(parts)
    tell = partial(_tell, workspace, offer)
    cuts = [Cut("texts", lambda _, __: sum(map(_clip, parts)))]
    cuts += [Cut(key, _echo(key, tell)) for key, held in body.items() if _is_echo(held)]
    for least in (_FEW, 0):
        cuts += [Cut(key, _tails(parts, key, least, tell)) for key in keys]
    cuts.append(Cut("fields", lambda _, over: only("of", *_NAMES, "error")({"of": written}, over)))
    return reduced(body, cuts, cap)


def _is_echo(held: object) -> bool:
    """Whether this is a text or an object that the caller wrote, such as a contract, and no name or count."""
    return isinstance(held, str | dict) and not _is_long(held) and size(held) > _LONGEST_ECHO


def _echo(key: str, tell: Tell) -> Callable[[Body, int], int]:
    """Cut a text from its end; leave out an object, since half of one would look whole."""

    def remove(body: Body, over: int) -> int:
        gone = (shortened if isinstance(body[key], str) else nothing)(key)(body, over)
        if gone:
            tell(body, key, None)
        return gone

    return remove


def _within(whole: Body) -> Iterator[Body]:
    """The objects in a reply that hold lists themselves, such as what is unmet."""
    for held in whole.values():
        if isinstance(held, dict) and any(isinstance(inner, list) for inner in held.values()):
            yield held


def _is_long(held: object) -> bool:
    """Whether something can lose rows. A small object is a name or a count, and stays whole."""
    return (isinstance(held, list) and bool(held)) or (isinstance(held, dict) and len(held) > _FEW)


def _long(parts: Sequence[Body]) -> list[str]:
    """The lists of a reply, the events first since they can be read elsewhere, then the longest first."""
    sizes: dict[str, int] = {}
    for part in parts:
        for key, held in part.items():
            if key != _RESULTS and _is_long(held):
                sizes[key] = sizes.get(key, 0) + size(held)
    return sorted(sizes, key=lambda key: (key != _EVENTS, -sizes[key]))


def _clip(part: Body) -> int:
    """Shorten the long texts in the rows of lists: events and differences hold what the caller wrote."""
    lists = [key for key, held in part.items() if key != _RESULTS and isinstance(held, list)]
    return sum(clipped(key, _LONGEST_TEXT)(part, 0) for key in lists)


def _tails(parts: Sequence[Body], key: str, least: int, tell: Tell) -> Callable[[Body, int], int]:
    """Drop the last rows of a list or dictionary, wherever a reply has one of that name, the last one first."""

    def remove(body: Body, over: int) -> int:
        gone = freed = 0
        row: Row = None
        for part in reversed(parts):
            held: Row = part.get(key)
            while _is_long(held) and len(held) > least and freed < over:
                row = held.pop() if isinstance(held, list) else held.popitem()
                freed += size(row) + 1
                gone += 1
        if gone:
            tell(body, key, row)
        return gone

    return remove


def _tell(workspace: str, offer: Offer, body: Body, key: str, row: Row) -> None:
    """Name the call that shows what was left out; for events it goes on where the first one is missing."""
    root = next((body[name] for name in ("task", "plan", "id") if isinstance(body.get(name), str)), None)
    target = {} if root is None else {"task": root}
    if key == _EVENTS and offer.holds("tasks_delta"):
        known: Body = body.get("next", {}).get("arguments", {})
        call = Suggestion("tasks_delta", {"since": min(row["seq"] - 1, known.get("since", row["seq"]))})
    elif "next" in body:
        return
    elif "session" in body:
        call = Suggestion("todo_read", {"session": body["session"]})
    elif root is not None or key == _EVENTS:
        call = Suggestion("tasks_resume", target)
    else:
        return
    found = offer.nearest(call.tool, {"workspace": workspace, **call.arguments})
    if found is not None:
        body["next"] = found._asdict()
