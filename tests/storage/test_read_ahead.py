"""Reading ahead, for every store behind the port: it may save round trips, and never changes an answer."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gatepost.domain.tallies import Tally
from gatepost.engine.port import Store, StoreTransaction, WorkspaceSnapshot
from gatepost.engine.rows import LAST_PLACE, ArtifactRow, Changes, EventRow, Head, ImageRow, OperationRow
from tests.givens import STORES, new_store

AT = "2026-01-01T00:00:00.000Z"
FEW = 3
FRESH = count()
QUICKLY = settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])

Read = Callable[[WorkspaceSnapshot], Any]

places = st.sampled_from(["ta1", "ta1.sa0", "ta1.sa1", "ta2", "nowhere"])
reads: st.SearchStrategy[Read] = st.one_of(
    st.builds(lambda some: lambda it: it.load(some), st.lists(places, max_size=3)),
    st.builds(lambda some: lambda it: it.texts(some), st.lists(places, max_size=3)),
    st.builds(lambda place: lambda it: it.span(place, LAST_PLACE, FEW), places),
    st.builds(lambda place: lambda it: it.count(place, LAST_PLACE), places),
    st.builds(lambda name: lambda it: it.find(name), st.sampled_from(["STEP-1", "STEP-2", "STEP-9"])),
    st.builds(lambda term: lambda it: it.postings(((term,),), (("", LAST_PLACE),), FEW), st.sampled_from("xyz")),
    st.builds(lambda place: lambda it: it.postings((("x",), ("y", "z")), ((place, LAST_PLACE),), FEW), places),
    st.builds(lambda place: lambda it: it.walk(("x", place), "~", FEW), places),
    st.builds(lambda place: lambda it: it.events(0, FEW, place), places | st.none()),
    st.builds(lambda place: lambda it: it.notes(FEW, place), places),
    st.builds(lambda place: lambda it: it.operations(99, FEW, place), places | st.none()),
    st.builds(lambda place: lambda it: it.images(1, place), places),
    st.builds(lambda place: lambda it: it.images_of_place(place, 99, FEW), places),
    st.builds(lambda place: lambda it: it.images_after([place], 0), places),
    st.builds(lambda place: lambda it: it.artifacts(place, FEW), places),
    st.builds(lambda some: lambda it: it.evidence_counts(some, FEW), st.lists(places, max_size=3)),
    st.builds(lambda holder: lambda it: it.lease(holder), st.sampled_from(["ann", "bob"])),
)
changed: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.builds(lambda place, text: {"documents": [(place, text)]}, places, st.sampled_from(['{"a":2}', None])),
    st.builds(lambda place: {"tallies": [(place, Tally(revision=7))]}, places),
    st.builds(lambda term, place: {"terms_new": [(term, place)]}, st.sampled_from("xy"), st.just("ta2")),
    st.just({"terms_gone": [("x", "ta1.sa0")]}),
    st.just({"names": [("STEP-9", "ta2.sa0")]}),
    st.just({"leases": [("bob", AT)]}),
)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made = new_store(request.param, tmp_path)
    yield made
    made.close()


def grown(store: Store) -> str:
    """A workspace in which every read finds something."""
    workspace = f"w{next(FRESH)}"
    note = '{"type":"step_noted","note":"x"}'
    with store.writing(workspace) as transaction:
        transaction.apply(
            Changes(
                head=Head(2, 0, 2),
                documents=[("ta1", "{}"), ("ta1.sa0", '{"a":1}'), ("ta1.sa1", "{}"), ("ta2", "{}")],
                tallies=[("ta1", Tally(revision=3)), ("ta1.sa0", Tally(revision=1))],
                terms_new=[("x", "ta1.sa0"), ("x", "ta1.sa1"), ("y", "ta1.sa1"), ("z", "ta2")],
                names=[("STEP-1", "ta1.sa0"), ("STEP-2", "ta1.sa1")],
                events=[EventRow(seq, 1, AT, "ann", "ta1", None, None, note) for seq in (1, 2)],
                operation=OperationRow(1, 2, "tasks_create", AT, "ann"),
                images=[ImageRow("ta1", 1, None, "{}"), ImageRow("ta1.sa0", 1, None, '{"a":1}')],
                touches=[("ta1", 1, 1)],
                artifacts=[ArtifactRow("ta1", 2, 0, "{}")],
                leases=[("ann", AT)],
            )
        )
        transaction.commit()
    return workspace


def all_of(asked: Sequence[Read]) -> Read:
    return lambda snapshot: [read(snapshot) for read in asked]


@QUICKLY
@given(asked=st.lists(reads, max_size=6), later=st.lists(reads, max_size=3))
def test_what_was_read_ahead_is_what_a_read_finds(store: Store, asked: list[Read], later: list[Read]) -> None:
    workspace = grown(store)
    with store.reading(workspace) as snapshot:
        plain = all_of([*asked, *later])(snapshot)

    with store.reading(workspace, all_of(asked)) as snapshot:
        while snapshot.ahead(all_of(asked)):
            pass
        found = all_of([*asked, *later])(snapshot)

    assert found == plain


# A term that is there already is never added, so no change comes twice.
@QUICKLY
@given(
    asked=st.lists(reads, min_size=1, max_size=6), changes=st.lists(changed, min_size=1, max_size=3, unique_by=repr)
)
def test_a_transaction_that_read_ahead_sees_what_it_writes(
    store: Store, asked: list[Read], changes: list[dict[str, Any]]
) -> None:
    def written(transaction: StoreTransaction) -> Any:
        for change in changes:
            transaction.apply(Changes(transaction.head(), **change))
        return all_of(asked)(transaction)

    workspace = grown(store)
    with store.writing(workspace) as transaction:
        plain = written(transaction)

    with store.writing(workspace, all_of(asked)) as transaction:
        transaction.ahead(all_of(asked))
        assert written(transaction) == plain
        assert not (transaction.ahead(all_of(asked)) and transaction.ahead(all_of(asked)))
        assert all_of(asked)(transaction) == plain


def test_a_chain_of_reads_is_followed_link_by_link(store: Store) -> None:
    """Each answer leads to the next question; what is not known yet is empty."""
    workspace, seen = grown(store), []

    def follow(snapshot: WorkspaceSnapshot) -> None:
        place = snapshot.find("STEP-1")
        found = snapshot.load([place]) if place is not None else {}
        seen.append([place, *(stored.text for stored in found.values())])

    with store.reading(workspace) as snapshot:
        rounds = 0
        while snapshot.ahead(follow):
            rounds += 1
        follow(snapshot)

    assert rounds <= 2
    assert seen[-1] == ["ta1.sa0", '{"a":1}']
    assert all(known == seen[-1][: len(known)] or known == [None] for known in seen)


def test_a_question_that_fails_ahead_leaves_the_view_as_it_was(store: Store) -> None:
    workspace = grown(store)

    def fail(snapshot: WorkspaceSnapshot) -> None:
        snapshot.load(["ta1"])
        raise ZeroDivisionError

    with store.reading(workspace) as snapshot:
        with contextlib.suppress(ZeroDivisionError):
            snapshot.ahead(fail)
        found = snapshot.load(["ta1", "ta2"])

    assert [stored.text for stored in found.values()] == ["{}", "{}"]


def test_reading_ahead_in_a_workspace_that_nobody_wrote_to_finds_nothing(store: Store) -> None:
    ask = all_of([lambda it: it.load(["ta1"]), lambda it: it.find("STEP-1")])

    with store.reading("nobody/here", ask) as snapshot:
        snapshot.ahead(ask)
        assert ask(snapshot) == [{}, None]
    with store.writing("nobody/here", ask) as transaction:
        transaction.ahead(ask)
        assert ask(transaction) == [{}, None]

    assert "nobody/here" not in store.workspaces()
