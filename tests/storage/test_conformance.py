"""One suite for every store behind the port: what the engine asks for is what it gets, on all of them."""

import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import astuple, replace

from gatepost.domain.tallies import NONE, Tally
from gatepost.engine.port import Store
from gatepost.engine.rows import (
    LAST_PLACE,
    ArtifactRow,
    Changes,
    EventRow,
    Head,
    ImageRow,
    OperationRow,
    Posting,
    Range,
    SearchHits,
    Stored,
    Table,
)
from tests.givens import STORES, new_store

TABLES: tuple[Table, ...] = get_args(Table)
FRESH = count()
PLENTY = 1_000
EVERYWHERE = (("", LAST_PLACE),)
QUICKLY = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])

places = st.text("ab.", min_size=1, max_size=3)
terms = st.text("xyz", min_size=1, max_size=2)
postings = st.sets(st.tuples(terms, places), max_size=30)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made = new_store(request.param, tmp_path)
    yield made
    made.close()


def write(store: Store, workspace: str, **changes: Any) -> None:
    """Apply and commit."""
    with store.writing(workspace) as transaction:
        transaction.apply(Changes(**{"head": transaction.head(), **changes}))
        transaction.commit()


def fail_while_writing(store: Store) -> None:
    with store.writing("w") as transaction:
        transaction.apply(Changes(head=Head(9), documents=[("ta1", '{"b":1}')]))
        raise ZeroDivisionError


def event(seq: int, root: str | None = None, operation: int = 1) -> EventRow:
    return EventRow(seq, operation, "2026-01-01T00:00:00.000Z", "tester", root, None, None, f'{{"type":"{seq}"}}')


def dump(store: Store, workspace: str) -> dict[str, Any]:
    with store.reading(workspace) as snapshot:
        return {"head": snapshot.head(), **{table: list(snapshot.rows(table)) for table in TABLES}}


@QUICKLY
@given(written=st.dictionaries(places, st.sampled_from(["document", "tally", "both"])), wanted=st.lists(places))
def test_many_places_load_as_each_of_them_does(store: Store, written: dict[str, str], wanted: list[str]) -> None:
    workspace = f"w{next(FRESH)}"
    write(
        store,
        workspace,
        documents=[(place, '{"a":1}') for place, kind in written.items() if kind != "tally"],
        tallies=[(place, Tally(revision=3)) for place, kind in written.items() if kind != "document"],
    )

    with store.reading(workspace) as snapshot:
        many = snapshot.load(wanted)
        each = {place: snapshot.load((place,)).get(place) for place in wanted}

    assert many == {place: stored for place, stored in each.items() if stored is not None}


def test_a_workspace_nobody_wrote_to_is_empty_and_stays_unknown(store: Store) -> None:
    with store.reading("nobody/here") as snapshot:
        assert snapshot.head() == Head()
        assert snapshot.load(["ta1"]) == {}
        assert snapshot.load(["ta1", "ta2"]) == {}
        assert snapshot.span("", LAST_PLACE, PLENTY) == []
        assert snapshot.find("STEP-00000001") is None
        assert snapshot.postings((("now",),), EVERYWHERE, PLENTY) == []
        assert snapshot.search(["x"], PLENTY) == SearchHits([])
        assert snapshot.events(0, PLENTY, None) == snapshot.events(0, PLENTY, None, newest=True) == []
        assert [list(snapshot.rows(table)) for table in TABLES] == [[] for _ in TABLES]

    assert store.workspaces() == []


@pytest.mark.requirement("call.transaction.all-or-nothing")
def test_what_was_committed_is_there_whole(store: Store) -> None:
    tally = Tally(3, 1, 0, 5, 2, 1, 0, 4)
    operation = OperationRow(1, 2, "tasks_create", "2026-01-01T00:00:00.000Z", "tester")

    write(
        store,
        "w",
        head=Head(2, 0, 1, 1),
        documents=[("ta1", '{"a":"é"}'), ("ta1.sa0", "{}")],
        tallies=[("ta1", tally)],
        terms_new=[("now", "ta1.sa0"), ("kind:task", "ta1")],
        names=[("STEP-00000001", "ta1.sa0")],
        events=[event(1, "ta1"), event(2)],
        operation=operation,
        images=[ImageRow("ta1.sa0", 1, None, "{}"), ImageRow("ta1", 1, None, '{"a":"é"}')],
        touches=[("ta1", 1, 1)],
        artifacts=[ArtifactRow("ta1", 2, 0, "{}")],
    )

    assert dump(store, "w") == {
        "head": Head(2, 0, 1, 1),
        "documents": [("ta1", '{"a":"é"}'), ("ta1.sa0", "{}")],
        "images": [("ta1", 1, None, '{"a":"é"}'), ("ta1.sa0", 1, None, "{}")],
        "tallies": [("ta1", *astuple(tally))],
        "terms": [("kind:task", "ta1"), ("now", "ta1.sa0")],
        "names": [("STEP-00000001", "ta1.sa0")],
        "events": [astuple(event(1, "ta1")), astuple(event(2))],
        "operations": [astuple(operation)],
        "touches": [("ta1", 1, 1)],
        "artifacts": [("ta1", 2, 0, "{}")],
        "searched": [],
        "masked_texts": [],
    }


@pytest.mark.requirement("call.transaction.all-or-nothing", "call.refused.leaves-nothing")
def test_what_was_not_committed_never_happened(store: Store) -> None:
    write(store, "w", head=Head(1), documents=[("ta1", "{}")], terms_new=[("now", "ta1")], events=[event(1)])
    before = dump(store, "w")

    with store.writing("w") as transaction:
        transaction.apply(
            Changes(head=Head(9), documents=[("ta1", None)], terms_gone=[("now", "ta1")], events=[event(2)])
        )
    with pytest.raises(ZeroDivisionError):
        fail_while_writing(store)
    with store.writing("new/one") as transaction:
        transaction.apply(Changes(head=Head(1), documents=[("ta1", "{}")]))

    assert dump(store, "w") == before
    assert store.workspaces() == ["w"]


def test_a_transaction_sees_what_was_applied_to_it(store: Store) -> None:
    with store.writing("w") as transaction:
        transaction.apply(Changes(head=Head(1), documents=[("ta1", "{}")], terms_new=[("now", "ta1")]))
        transaction.apply(
            Changes(head=Head(2), documents=[("ta1", "[]")], terms_gone=[("now", "ta1")], events=[event(1)])
        )

        assert transaction.head() == Head(2)
        assert transaction.load(["ta1"]) == {"ta1": Stored("[]", NONE)}
        assert transaction.postings((("now",),), EVERYWHERE, PLENTY) == []
        assert transaction.events(0, PLENTY, None) == [event(1)]


def test_a_deleted_document_keeps_its_tally_and_its_name(store: Store) -> None:
    tally = Tally(revision=4)
    write(store, "w", documents=[("ta1", "{}")], tallies=[("ta1", tally)], names=[("STEP-00000001", "ta1")])

    write(store, "w", documents=[("ta1", None)])

    with store.reading("w") as snapshot:
        assert snapshot.load(["ta1"]) == {"ta1": Stored(None, tally)}
        assert snapshot.find("STEP-00000001") == "ta1"
        assert snapshot.span("", LAST_PLACE, PLENTY) == []


@pytest.mark.requirement("call.workspace.isolated")
def test_workspaces_do_not_see_one_another(store: Store) -> None:
    write(store, "b", head=Head(1), documents=[("ta1", "{}")], terms_new=[("now", "ta1")], events=[event(1)])
    write(
        store, "a/x", head=Head(1), documents=[("ta1", "[]")], names=[("STEP-00000001", "ta1")], events=[event(1)]
    )

    with store.reading("a/x") as snapshot:
        assert snapshot.load(["ta1"]) == {"ta1": Stored("[]", NONE)}
        assert snapshot.postings((("now",),), EVERYWHERE, PLENTY) == []
    with store.reading("b") as snapshot:
        assert snapshot.find("STEP-00000001") is None
    assert store.workspaces() == ["a/x", "b"]


@QUICKLY
@given(
    found=st.dictionaries(places, st.booleans(), max_size=20),
    first=places | st.just(""),
    end=places | st.just(LAST_PLACE),
    limit=st.integers(1, 5),
)
def test_a_span_is_a_range_of_documents_in_order(
    store: Store, found: dict[str, bool], first: str, end: str, limit: int
) -> None:
    workspace = f"w{next(FRESH)}"
    tally = Tally(revision=2)
    counted = [(place, tally) for place, has_tally in found.items() if has_tally]
    write(store, workspace, documents=[(place, "{}") for place in found], tallies=counted)

    expected = [
        (place, Stored("{}", tally if found[place] else NONE)) for place in sorted(found) if first <= place < end
    ]
    with store.reading(workspace) as snapshot:
        assert snapshot.span(first, end, limit) == expected[:limit]
        assert snapshot.span(first, end, PLENTY) == expected


@QUICKLY
@given(
    kept=postings,
    clauses=st.lists(st.lists(terms, min_size=1, max_size=3), min_size=1, max_size=4),
    ranges=st.lists(st.tuples(places | st.just(""), places | st.just(LAST_PLACE)), max_size=3),
    limit=st.integers(1, 5),
)
def test_postings_are_the_places_that_have_a_term_of_every_clause(
    store: Store, kept: set[tuple[str, str]], clauses: list[list[str]], ranges: list[Range], limit: int
) -> None:
    workspace = f"w{next(FRESH)}"
    write(store, workspace, terms_new=list(kept))

    having = [{place for term, place in kept if term in clause} for clause in clauses]
    meeting = sorted(set.intersection(*having))
    expected = [place for first, end in ranges for place in meeting if first <= place < end]
    with store.reading(workspace) as snapshot:
        assert snapshot.postings(clauses, ranges, limit) == expected[:limit]
        assert snapshot.postings(clauses, ranges, PLENTY) == expected


@QUICKLY
@given(
    kept=postings, after=st.tuples(terms | st.just(""), places | st.just("")), end=terms, limit=st.integers(1, 5)
)
def test_a_walk_goes_by_term_and_then_by_place(
    store: Store, kept: set[tuple[str, str]], after: Posting, end: str, limit: int
) -> None:
    workspace = f"w{next(FRESH)}"
    write(store, workspace, terms_new=list(kept))

    expected = [posting for posting in sorted(kept) if after < posting and posting[0] < end]
    with store.reading(workspace) as snapshot:
        assert snapshot.walk(after, end, limit) == expected[:limit]
        assert snapshot.walk(after, end, PLENTY) == expected


@QUICKLY
@given(
    roots=st.lists(st.sampled_from([None, "ta1", "pa1"]), max_size=20),
    after=st.integers(0, 20),
    root=st.sampled_from([None, "ta1", "pa1", "ta2"]),
    limit=st.integers(1, 6),
)
def test_the_log_is_read_upwards_from_a_seq_and_downwards_from_its_end(
    store: Store, roots: list[str | None], after: int, root: str | None, limit: int
) -> None:
    workspace = f"w{next(FRESH)}"
    log = [event(seq, its_root) for seq, its_root in enumerate(roots, 1)]
    write(store, workspace, head=Head(len(log)), events=log)

    wanted = [row for row in log if root in (None, row.root)]
    with store.reading(workspace) as snapshot:
        assert snapshot.events(after, limit, root) == [row for row in wanted if row.seq > after][:limit]
        newest = [row for row in wanted[::-1] if row.seq > after]
        assert snapshot.events(after, limit, root, newest=True) == newest[:limit]


@QUICKLY
@given(
    log=st.lists(
        st.tuples(st.sampled_from(["ta1", "ta2"]), st.sampled_from([None, "S1", "S2"]), st.booleans()), max_size=20
    ),
    steps=st.sampled_from([None, (None,), ("S1",), ("S1", None), ("S3",)]),
    limit=st.integers(1, 6),
)
def test_the_newest_notes_are_found_among_whatever_else_was_written(
    store: Store, log: list[tuple[str, str | None, bool]], steps: tuple[str | None, ...] | None, limit: int
) -> None:
    workspace = f"w{next(FRESH)}"
    bodies = {True: '{"type":"step_noted","note":"n"}', False: '{"type":"step_done","note":"step_noted"}'}
    rows = [
        replace(event(seq, root), step_id=step_id, body=bodies[noted])
        for seq, (root, step_id, noted) in enumerate(log, 1)
    ]
    write(store, workspace, head=Head(len(rows)), events=rows)

    notes = [row for row in rows if row.root == "ta1" and row.body == bodies[True]]
    wanted = [row for row in notes if steps is None or row.step_id in steps]
    with store.reading(workspace) as snapshot:
        assert snapshot.notes(limit, "ta1", steps) == wanted[::-1][:limit]


def test_texts_come_back_as_they_went_in(store: Store) -> None:
    odd = ["", "é漢🌱", "\u202ertl", "a\nb\tc", "'; DROP TABLE documents; --", "x" * 1_000_000]

    write(store, "w", documents=[(f"t{index}", text) for index, text in enumerate(odd)])

    with store.reading("w") as snapshot:
        assert [snapshot.load([f"t{index}"])[f"t{index}"].text for index in range(len(odd))] == odd


@pytest.mark.requirement("call.seq.commit-order")
def test_writers_of_a_workspace_take_turns(store: Store) -> None:
    start = threading.Barrier(4)

    def work() -> None:
        start.wait(10)
        for _ in range(25):
            with store.writing("w") as transaction:
                head = transaction.head()
                transaction.apply(Changes(head=replace(head, seq=head.seq + 1), events=[event(head.seq + 1)]))
                transaction.commit()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    kept = dump(store, "w")
    assert kept["head"].seq == 100
    assert [row[0] for row in kept["events"]] == list(range(1, 101))


def test_a_snapshot_shows_one_moment_whoever_writes_meanwhile(store: Store) -> None:
    write(store, "w", head=Head(1), documents=[("ta1", "before")])
    writer = threading.Thread(
        target=write, args=(store, "w"), kwargs={"head": Head(2), "documents": [("ta1", "x")]}
    )

    with store.reading("w") as snapshot:
        seen = snapshot.load(["ta1"])
        writer.start()
        writer.join(0.2)

        assert (snapshot.load(["ta1"]), snapshot.head()) == (seen, Head(1))
    writer.join(10)
    assert dump(store, "w")["documents"] == [("ta1", "x")]


def test_waiting_ends_at_once_when_the_log_is_already_past(store: Store) -> None:
    write(store, "w", head=Head(3), events=[event(1), event(2), event(3)])

    assert store.wait("w", 2, 60.0)


def test_waiting_ends_without_news_when_the_time_is_up(store: Store) -> None:
    assert not store.wait("w", 0, 0.05)


def test_a_commit_wakes_who_waits(store: Store) -> None:
    woken: list[bool] = []
    waiter = threading.Thread(target=lambda: woken.append(store.wait("w", 0, 60.0)))
    waiter.start()

    write(store, "w", head=Head(1), events=[event(1)])

    waiter.join(10)
    assert woken == [True]


def test_a_store_says_what_it_is_and_can_be_closed_twice(store: Store) -> None:
    assert store.describe()["kind"] in STORES

    store.close()
    store.close()


def test_what_was_written_to_a_folder_is_kept_for_each_folder_and_workspace_apart(store: Store) -> None:
    write(store, "w", head=Head(1))
    write(store, "v", head=Head(1))

    write(store, "w", written=[("/one", "auth", '{"seq":1}'), ("/two", "auth", '{"seq":2}')])
    write(store, "w", written=[("/one", "auth", '{"seq":3}')])

    with store.reading("w") as snapshot:
        store_then = snapshot.written("/one", "auth"), snapshot.written("/two", "auth"), snapshot.head()
    with store.reading("v") as snapshot:
        elsewhere = snapshot.written("/one", "auth")
    assert (store_then, elsewhere) == (('{"seq":3}', '{"seq":2}', Head(1)), None)
    assert store.workspaces() == ["v", "w"]
    write(store, "w", written=[("/one", "auth", None)])
    with store.reading("w") as snapshot:
        assert (snapshot.written("/one", "auth"), snapshot.written("/two", "auth")) == (None, '{"seq":2}')
