"""The overview: what a page or a terminal shows of a workspace before anything is chosen, all of one moment.

It has no budget of its own: each part has a limit, and what may hold long texts is cut to fit as a view of its own.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gatepost.domain import places, terms
from gatepost.domain.nodes import Node
from gatepost.domain.roots import ACTIVE, DONE, TODO, Plan, Task
from gatepost.domain.steps import Step
from gatepost.engine.log import as_events, shown
from gatepost.engine.reader import Found, Reader
from gatepost.engine.rows import EventRow
from gatepost.operations import radar
from gatepost.operations.claim_rows import with_claims
from gatepost.operations.fields import Limit
from gatepost.operations.registry import Command, operation
from gatepost.operations.taskdoc_list import ListTaskdocs, list_taskdocs
from gatepost.operations.todos import ReadTodos, read_todos
from gatepost.replies.events import LoggedEvent
from gatepost.replies.overview import MoreRows, OpenWork, OverviewReply, OverviewRow, TodoListRow
from gatepost.replies.radar import RadarReply
from gatepost.views.budget import DEFAULT, Body, Cut, View, clipped, embedded, reduced, rows, size
from gatepost.views.root_rows import root_row_as

_WORKSPACES: Final = 200
_LOOKED_BACK: Final = 300
_ACTORS: Final = 20
_ACTIVITY: Final = 50
_TASKDOCS: Final = 20
_SESSIONS: Final = 50
_COUNTED: Final = 1_000
_STRETCH: Final = 64
_SOUGHT: Final = 1_024
"""Done plans and tasks are sought from the newest back: a stretch of numbers at a time, and so far."""
_LAST: Final = 10**18
_ACTIVITY_CUTS: Final = (Cut("texts", clipped("events", 200)), Cut("events", rows("events", least=1)))


class Overview(Command[OverviewReply], frozen=True, kw_only=True):
    """Ask for everything that is shown first."""

    limit: Limit = 50


@operation("workspace_overview")
def overview(reader: Reader, command: Overview) -> OverviewReply:
    """A workspace at a glance, at one point in time: radar, plans, tasks, who is active, the latest events,
    taskdocs and todo lists."""
    head = reader.head()
    plans = _roots(reader, places.PLAN, head.plans, command.limit + 1)
    tasks = _roots(reader, places.TASK, head.tasks, command.limit + 1)
    recent = reader.recent(_LOOKED_BACK, None)
    titles = _Titles(reader)
    return OverviewReply(
        seq=head.seq,
        workspaces=tuple(reader.workspaces()[:_WORKSPACES]),
        radar=_radar(reader, command.workspace),
        plans=tuple(_root(reader, plan, tasks=plan.tally.tasks) for plan in plans[: command.limit]),
        tasks=tuple(_root(reader, task) for task in tasks[: command.limit]),
        more=MoreRows(plans=len(plans) > command.limit, tasks=len(tasks) > command.limit),
        actors=_actors(recent, titles),
        activity=_activity(recent[:_ACTIVITY], titles),
        taskdocs=list_taskdocs.handler(reader, ListTaskdocs(workspace=command.workspace, limit=_TASKDOCS)).items,
        sessions=_sessions(reader),
        open=_open(reader),
    )


def _radar(reader: Reader, workspace: str) -> RadarReply | None:
    shown: View[RadarReply] = radar.look.handler(reader, radar.Radar(workspace=workspace))
    return None if shown.reply.target is None else embedded(shown)


def _roots(reader: Reader, kind: str, made: int, limit: int) -> list[Found[Any]]:
    """Plans or tasks: what is worked on, what comes next, and then what is done, the newest first."""
    found: list[str] = []
    for status in (ACTIVE, TODO):
        if len(found) < limit:
            first, end = places.all_named(kind)
            found += reader.postings(((terms.status(status),),), first, end, limit - len(found))
    found += _newest_done(reader, kind, made, limit - len(found))
    return reader.roots(found)


def _newest_done(reader: Reader, kind: str, made: int, limit: int) -> list[str]:
    """Postings are walked upwards only: so stretch by stretch from the newest back; beyond that, the oldest."""
    done = ((terms.status(DONE),),)
    found: list[str] = []
    end = made + 1
    while len(found) < limit and end > max(1, made - _SOUGHT):
        first = max(end - _STRETCH, 1)
        found += reversed(reader.postings(done, places.root(kind, first), places.root(kind, end), _STRETCH))
        end = first
    if len(found) < limit:
        found += reader.postings(done, places.root(kind, 1), places.root(kind, end), limit - len(found))
    return found[:limit]


def _root(reader: Reader, root: Found[Any], tasks: int | None = None) -> OverviewRow:
    """A row, with its last change."""
    last = next(iter(reader.operations(_LAST, 1, root.place)), None)
    row = root_row_as(
        OverviewRow,
        root.value,
        root.tally,
        updated_at=None if last is None else last.at,
        actor=None if last is None else last.actor,
        tasks=tasks,
    )
    return with_claims(reader, root, row)


def _actors(recent: Sequence[EventRow], titles: "_Titles") -> tuple[LoggedEvent, ...]:
    """Who was active of late, each with the last that they did."""
    last: dict[str, EventRow] = {}
    for row in recent:
        last.setdefault(row.actor, row)
    return as_events([_brief(row) | titles.of(row) for row in list(last.values())[:_ACTORS]])


def _brief(row: EventRow) -> Body:
    """Who did what where, without what else an event says."""
    names = {"actor", "at", "type", "seq", "step_id", "path"} | set(places.owner(row.root) if row.root else ())
    return {name: value for name, value in shown(row).items() if name in names}


def _activity(recent: Sequence[EventRow], titles: "_Titles") -> tuple[LoggedEvent, ...]:
    body: Body = {"events": [titles.of(row) | shown(row) for row in recent]}
    if size(body) > DEFAULT:
        reduced(body, _ACTIVITY_CUTS, DEFAULT)
    return as_events(body["events"])


class _Titles:
    """Titles of what events are about, as it is called now."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._known: dict[str, str | None] = {}

    def of(self, row: EventRow) -> Body:
        """The title of an event's step, or of its plan or task; nothing if it has none or is no more."""
        if row.root is None or not places.in_tree(row.root):
            return {}
        place = row.root if row.step_id is None else self._reader.find(row.step_id)
        if place is None:
            return {}
        if place not in self._known:
            self._known[place] = self._look(place)
        title = self._known[place]
        return {} if title is None else {"title": title}

    def _look(self, place: str) -> str | None:
        found = self._reader.at(place)
        if found is None or not isinstance(found.value, Plan | Task | Step | Node):
            return None
        return found.value.title


def _sessions(reader: Reader) -> tuple[TodoListRow, ...]:
    return tuple(TodoListRow(session=session, items=items) for session, items in _lists(reader))


def _lists(reader: Reader) -> Iterator[tuple[str, int]]:
    for found in reader.span(*places.all_named(places.SESSION), _SESSIONS):
        asked = ReadTodos(workspace=reader.workspace, session=places.name_of(found.place))
        listed = read_todos.handler(reader, asked)
        yield listed.session, len(listed.items)


def _open(reader: Reader) -> OpenWork:
    first, end = places.all_named(places.TASK)
    active, todo, blocked = (
        len(reader.postings(((term,),), first, end, _COUNTED))
        for term in (terms.status(ACTIVE), terms.status(TODO), terms.BLOCKED)
    )
    return OpenWork(tasks=active + todo, blocked=blocked, at_least=_COUNTED in (active, todo, blocked))
