"""The list of plans and tasks, by what they are or by the words in them."""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Annotated, Final

from msgspec import Meta

from gatepost.domain import terms
from gatepost.domain.roots import Kind, Priority, Root, Status
from gatepost.engine.reader import Found, Reader
from gatepost.engine.rows import LAST_PLACE, Clause
from gatepost.operations import cursors
from gatepost.operations.claim_rows import with_claims
from gatepost.operations.fields import KNOWN, Cursor, Limit, MaxChars, PlanId
from gatepost.operations.past_views import At, dated
from gatepost.operations.registry import Command, operation
from gatepost.replies.context import ContextReply, ContextRow
from gatepost.views.budget import Body, Cut, View, clipped, only, rows, without
from gatepost.views.root_rows import root_row_as
from gatepost.wire.lines import Line
from gatepost.wire.tags import Tag

_ROW_IDS: Final = ("id", "kind", "status", "revision")
_EVERYTHING: Final = ((terms.kind("plan"), terms.kind("task")),)


class Context(Command[ContextReply], frozen=True, kw_only=True):
    """Ask what plans and tasks there are."""

    kind: Kind | None = None
    status: Status | None = None
    plan: PlanId | None = None
    tag: Tag | None = None
    domain: Tag | None = None
    priority: Priority | None = None
    text: Annotated[Line, Meta(description="Words or word beginnings to find in one text.", extra=KNOWN)] | None = (
        None
    )
    ready: (
        Annotated[bool, Meta(description="Only what is open, not blocked, and waits for nothing.", extra=KNOWN)]
        | None
    ) = None
    limit: Limit = 50
    cursor: Cursor | None = None
    at: At | None = None
    max_chars: MaxChars | None = None


@operation("tasks_context", "core", "tasks")
@dated
def context(reader: Reader, command: Context) -> View[ContextReply]:
    """List plans and tasks, or search them, their steps, notes and evidence for words (`text`)."""
    if command.text is not None:
        return _with_words(reader, command)
    return _queue(reader, command) if command.ready else _listed(reader, command)


def _with_words(reader: Reader, command: Context) -> View[ContextReply]:
    from gatepost.operations import search
    from gatepost.operations.ready_queue import is_free

    clauses = _clauses(command)

    def fits(root: Found[Root]) -> bool:
        return _has(root, clauses) and (not command.ready or is_free(reader, root))

    query = search.TextQuery(command.text or "", fits if clauses else None, command.limit, command.cursor)
    found = search.found(reader, query, command.max_chars)
    return found if found.reply.items else _nothing(reader, found)


def _listed(reader: Reader, command: Context) -> View[ContextReply]:
    """Plans and then tasks, the oldest first."""
    first = cursors.after(command.cursor)
    found = reader.postings(_clauses(command) or _EVERYTHING, first, LAST_PLACE, command.limit + 1)
    page = reader.roots(found[: command.limit])
    more = len(found) > command.limit
    return _page(reader, command, page, lambda root: cursors.cursor(root.place), more=more)


def _queue(reader: Reader, command: Context) -> View[ContextReply]:
    """What can be started, in the order in which to start."""
    from gatepost.operations.ready_queue import QueueQuery, position, ready_roots

    query = QueueQuery(
        kind=command.kind,
        plan=command.plan,
        priority=command.priority,
        others=_others(command),
        after=cursors.queue_position(command.cursor),
    )
    found = list(islice(ready_roots(reader, query), command.limit + 1))
    page, more = found[: command.limit], len(found) > command.limit
    return _page(reader, command, page, lambda root: cursors.queue_cursor(position(root)), more=more)


def _page(
    reader: Reader,
    command: Context,
    page: Sequence[Found[Root]],
    after: Callable[[Found[Root]], str],
    *,
    more: bool,
) -> View[ContextReply]:
    reply = ContextReply(
        items=tuple(with_claims(reader, item, root_row_as(ContextRow, item.value, item.tally)) for item in page),
        has_more=more,
        cursor=after(page[-1]) if more else None,
    )
    ends = {item.value.id: after(item) for item in page}
    view = View(reply, _cuts(ends), command.max_chars)
    return view if page else _nothing(reader, view)


def _nothing(reader: Reader, view: View[ContextReply]) -> View[ContextReply]:
    from gatepost.operations.elsewhere import elsewhere  # needs calls to suggest, which a list has none of

    return elsewhere(reader, "tasks_context", view)


def _clauses(command: Context) -> list[Clause]:
    """What a row must have."""
    wanted = ((terms.plan, command.plan), (terms.priority, command.priority), (terms.kind, command.kind))
    clauses: list[Clause] = [(term(value),) for term, value in wanted if value is not None]
    if command.ready is not None:
        clauses.append((terms.READY,) if command.ready else (terms.NOT_READY,))
    return clauses + _others(command)


def _others(command: Context) -> list[Clause]:
    """What a row must have beyond what the queue is sorted by."""
    wanted = ((terms.tag, command.tag), (terms.domain, command.domain), (terms.status, command.status))
    return [(term(value),) for term, value in wanted if value is not None]


def _has(root: Found[Root], clauses: Sequence[Clause]) -> bool:
    its = terms.of(root.value, root.tally)
    return all(any(term in its for term in clause) for clause in clauses)


def _cuts(ends: dict[str, str]) -> tuple[Cut, ...]:
    """What goes first. `ends` has the cursor that continues after each row."""

    def stop_at_item(body: Body) -> None:
        body["has_more"] = True
        if body["items"]:
            body["cursor"] = ends[body["items"][-1]["id"]]

    return (
        Cut("fields", without("items", "tags", "domain", "priority", "waiting_for", "claim")),
        Cut("texts", clipped("items", 100)),
        Cut("items", rows("items", least=1, after=stop_at_item)),
        Cut("fields", only("items", *_ROW_IDS)),
    )
