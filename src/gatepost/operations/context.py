"""The list of plans and tasks, by what they are or by the words in them."""

from typing import Annotated, Final

from msgspec import Meta

from gatepost.domain import places, terms
from gatepost.domain.roots import Kind, Priority, Root, Status
from gatepost.engine.port import LAST_PLACE, Clause
from gatepost.engine.reader import Found, Reader
from gatepost.operations import cursors
from gatepost.operations.fields import KNOWN, Cursor, Limit, MaxChars, PlanId
from gatepost.operations.moments import Moment
from gatepost.operations.past_views import dated
from gatepost.operations.registry import Command, operation
from gatepost.replies.context import ContextReply, ContextRow
from gatepost.views.budget import Body, Cut, View, clipped, only, rows, without
from gatepost.views.rows import root_row_as
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
    at: Moment | None = None
    max_chars: MaxChars | None = None


@operation("tasks_context", "core", "tasks")
@dated
def context(reader: Reader, command: Context) -> View[ContextReply]:
    """List plans and tasks, or search them, their steps, notes and evidence for words (`text`)."""
    clauses = _clauses(command)
    if command.text is not None:
        from gatepost.operations import search

        fits = (lambda root: _has(root, clauses)) if clauses else None
        query = search.TextQuery(command.text, fits, command.limit, command.cursor)
        found_words = search.found(reader, query, command.max_chars)
        return found_words if found_words.reply.items else _nothing(reader, found_words)
    first = cursors.after(command.cursor)
    found = reader.postings(clauses or _EVERYTHING, first, LAST_PLACE, command.limit + 1)
    page = reader.roots(found[: command.limit])
    more = len(found) > command.limit
    reply = ContextReply(
        items=tuple(root_row_as(ContextRow, item.value, item.tally) for item in page),
        has_more=more,
        cursor=cursors.cursor(page[-1].place) if more else None,
    )
    view = View(reply, _CUTS, command.max_chars)
    return view if page else _nothing(reader, view)


def _nothing(reader: Reader, view: View[ContextReply]) -> View[ContextReply]:
    from gatepost.operations.elsewhere import elsewhere  # needs calls to suggest, which a list has none of

    return elsewhere(reader, "tasks_context", view)


def _clauses(command: Context) -> list[Clause]:
    """What a row must have."""
    clauses: list[Clause] = [
        (term(value),)
        for term, value in (
            (terms.plan, command.plan),
            (terms.tag, command.tag),
            (terms.domain, command.domain),
            (terms.priority, command.priority),
            (terms.status, command.status),
            (terms.kind, command.kind),
        )
        if value is not None
    ]
    if command.ready is not None:
        clauses.append((terms.READY,) if command.ready else (terms.NOT_READY,))
    return clauses


def _has(root: Found[Root], clauses: list[Clause]) -> bool:
    its = terms.of(root.value, root.tally)
    return all(any(term in its for term in clause) for clause in clauses)


def _stop_at_item(body: Body) -> None:
    body["has_more"] = True
    if body["items"]:
        body["cursor"] = cursors.cursor(places.at_id(body["items"][-1]["id"]))


_CUTS: Final = (
    Cut("fields", without("items", "tags", "domain", "priority", "waiting_for")),
    Cut("texts", clipped("items", 100)),
    Cut("items", rows("items", least=1, after=_stop_at_item)),
    Cut("fields", only("items", *_ROW_IDS)),
)
