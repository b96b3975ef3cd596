"""Word search: plans and tasks by what they say, ranked, with what was found in each."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from msgspec.structs import replace

from gatepost.domain import places, search
from gatepost.domain.nodes import Node
from gatepost.domain.refusals import InvalidInput
from gatepost.domain.roots import Plan, Root, Task
from gatepost.domain.search import TITLE, Passage
from gatepost.domain.steps import Step
from gatepost.domain.taskdocs import Taskdoc
from gatepost.engine.reader import Found, Reader
from gatepost.engine.rows import SearchHit, SearchHits
from gatepost.operations import cursors
from gatepost.operations.claim_rows import with_claims
from gatepost.operations.cursors import HitPosition, Rank
from gatepost.replies.context import ContextReply, ContextRow, TaskdocHits
from gatepost.replies.context import Hit as ShownHit
from gatepost.views.budget import Body, Cut, View, clipped, only, rows, without
from gatepost.views.root_rows import root_row_as

MOST: Final = 1_000
"""Hits that are ranked together; older ones come on later pages."""
_SHOWN: Final = 3
_TASKDOCS: Final = 10
_NOWHERE: Final = ShownHit()

Fits = Callable[[Found[Root]], bool]


class TextQuery:
    """What is searched for, which rows may be shown, and which page of them."""

    def __init__(self, text: str, fits: Fits | None, limit: int, cursor: str | None) -> None:
        self.words = search.words(text)
        if not self.words:
            raise InvalidInput([("text", "contains no word to search for")])
        self.fits = fits
        self.limit = limit
        self.start = cursors.hit_position(cursor)


def found(reader: Reader, query: TextQuery, max_chars: int | None) -> View[ContextReply]:
    """The plans and tasks that have all the words in one place, and the taskdocs."""
    hits = _hits(reader, query)
    ranked = _grouped(_ranked(hits.found))
    page = _page(reader, query, ranked)
    shown = page[: query.limit]
    at = _cursors(query, hits, shown)
    cursor = None
    if len(page) > query.limit:
        cursor = at[shown[-1][0].value.id]
    elif hits.rest is not None:
        cursor = cursors.hit_cursor(HitPosition(hits.rest))
    first = query.fits is None and query.start.after is None
    reply = ContextReply(
        items=tuple(_row(reader, query.words, root, hits) for root, hits in shown),
        has_more=cursor is not None,
        cursor=cursor,
        taskdocs=(tuple(_taskdocs(reader, query.words, ranked)) or None) if first else None,
        more_hits=hits.rest is not None,
    )
    return View(reply, _cuts(at), max_chars)


def _hits(reader: Reader, query: TextQuery) -> SearchHits:
    """The hits that are ranked together: on each page the same, whatever others delete meanwhile."""
    hits = reader.search(query.words, MOST, query.start.upto)
    if query.start.after is None:
        return hits
    rest = max(query.start.rest, hits.rest or 0)
    return SearchHits([hit for hit in hits.found if hit.number > rest], rest or None)


def _cursors(
    query: TextQuery, hits: SearchHits, shown: Sequence[tuple[Found[Root], list[SearchHit]]]
) -> dict[str, str]:
    """For each row, the cursor that continues after it."""
    upto = query.start.upto or max((hit.number for hit in hits.found), default=0)
    return {
        root.value.id: cursors.hit_cursor(HitPosition(upto, hits.rest or 0, _rank(own[0]))) for root, own in shown
    }


def _ranked(hits: Sequence[SearchHit]) -> list[SearchHit]:
    """Hits in titles first; they come newest first."""
    return [*(hit for hit in hits if hit.titled), *(hit for hit in hits if not hit.titled)]


def _rank(hit: SearchHit) -> Rank:
    return Rank(not hit.titled, -hit.number)


def _grouped(ranked: Sequence[SearchHit]) -> dict[str, list[SearchHit]]:
    """The hits of each plan, task or taskdoc, in the order of the best ones."""
    groups: defaultdict[str, list[SearchHit]] = defaultdict(list)
    for hit in ranked:
        groups[_owner(hit.place)].append(hit)
    return groups


def _owner(place: str) -> str:
    if place[0] == places.TASKDOC:
        return places.named(places.TASKDOC, places.name_of(place))
    return places.root_of(place)


def _page(
    reader: Reader, query: TextQuery, groups: dict[str, list[SearchHit]]
) -> list[tuple[Found[Root], list[SearchHit]]]:
    """The rows of a page, and one more if there is one."""
    page: list[tuple[Found[Root], list[SearchHit]]] = []
    for owner, hits in groups.items():
        if not places.in_tree(owner) or (query.start.after is not None and _rank(hits[0]) <= query.start.after):
            continue
        found = reader.at(owner)
        if found is None or not isinstance(found.value, Plan | Task):
            continue  # the index is wrong: the doctor says so, and a search goes on
        root = Found[Root](owner, found.value, found.tally)
        if query.fits is None or query.fits(root):
            page.append((root, hits))
        if len(page) > query.limit:
            break
    return page


def _row(reader: Reader, words: Sequence[str], root: Found[Root], hits: Sequence[SearchHit]) -> ContextRow:
    shown = tuple(_hit(reader, words, hit) for hit in hits[:_SHOWN])
    return with_claims(reader, root, root_row_as(ContextRow, root.value, root.tally, hits=shown))


def _hit(reader: Reader, words: Sequence[str], hit: SearchHit) -> ShownHit:
    """Where the words are, and an excerpt; none of a plan's or task's own title, which its row has."""
    passages, where = _event(reader, hit) if hit.seq else _document(reader, hit.place)
    best = search.best(passages, words)
    if best is None:
        return where
    passage, at = best
    own = passage.field == TITLE and where == _NOWHERE
    snippet = None if own else search.snippet(passage.text, at)
    return replace(where, found_in=passage.field, snippet=snippet)


def _document(reader: Reader, place: str) -> tuple[Sequence[Passage], ShownHit]:
    found = reader.at(place)
    if found is None:
        return (), _NOWHERE
    where = _NOWHERE
    if isinstance(found.value, Step | Node):
        where = ShownHit(path=places.path_of(place), step_id=found.value.id)
    return search.of_document(place, found.value), where


def _event(reader: Reader, hit: SearchHit) -> tuple[Sequence[Passage], ShownHit]:
    """The texts of an event that matched, and where it is: at its step's current path."""
    (event,) = reader.events(hit.seq - 1, 1, None)
    path = places.path_of(hit.place) or event.path
    return search.of_event(event.body), ShownHit(path=path, step_id=event.step_id, seq=event.seq)


def _taskdocs(reader: Reader, words: Sequence[str], groups: dict[str, list[SearchHit]]) -> Iterator[TaskdocHits]:
    owners = [owner for owner in groups if not places.in_tree(owner)]
    for owner in owners[:_TASKDOCS]:
        found = reader.at(owner)
        taskdoc = found.value if found is not None and isinstance(found.value, Taskdoc) else None
        yield TaskdocHits(
            taskdoc=reader.called(places.name_of(owner)),
            plan=None if taskdoc is None else taskdoc.plan,
            archived=taskdoc is not None and taskdoc.archived,
            hits=tuple(_hit(reader, words, hit) for hit in groups[owner][:_SHOWN]),
        )


def _cuts(at: dict[str, Any]) -> Sequence[Cut]:
    def stop(body: Body) -> None:
        body["has_more"] = True
        body["cursor"] = at[body["items"][-1]["id"]]

    return (
        Cut("fields", without("items", "tags", "domain", "priority", "waiting_for")),
        Cut("texts", clipped("items", 100)),
        Cut("hits", _fewer_hits),
        Cut("taskdocs", rows("taskdocs")),
        Cut("items", rows("items", least=1, after=stop)),
        Cut("fields", only("items", "id", "kind", "status", "revision")),
    )


def _fewer_hits(body: Body, over: int) -> int:
    """Drop the last hits of rows, from the end of the list, as few as will do; each row keeps its best."""
    gone = freed = 0
    for item in reversed(body["items"]):
        while freed < over and len(item["hits"]) > 1:
            freed += len(str(item["hits"].pop()))
            gone += 1
    return gone
