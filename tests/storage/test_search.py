"""The port's word search: the same answers on every store, and a cost that is bounded by the hits."""

from collections.abc import Iterator, Sequence
from itertools import count, product
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gatepost.domain.search import beginnings, fingerprint, words
from gatepost.engine.port import Store
from gatepost.engine.rows import Changes, SearchHit, SearchRow
from gatepost.storage.postgres import search_index
from gatepost.storage.sqlite.search_index import SearchIndex
from gatepost.storage.sqlite.store import SqliteStore
from tests.givens import STORES, new_store

PLENTY = 10_000
FRESH = count()

texts = st.lists(st.sampled_from(["a", "ab", "abc", "b", "ba", "_x", "é", "漢字", "1", "12"]), max_size=3)
rows = st.builds(
    lambda place, seq, title, text: row(place, seq, " ".join(title), " ".join(text)),
    st.sampled_from(["pa1", "ta1", "ta1.sa0", "ta1.sa1"]),
    st.just(0),
    texts,
    texts,
)
# A draft has one entry for each place, so no flush indexes a place twice.
moves = st.lists(
    st.lists(rows, max_size=3, unique_by=lambda each: each.place)
    | st.sampled_from(["pa1", "ta1", "ta1.sa0"])
    | st.just("note"),
    max_size=25,
)
queries = st.lists(st.sampled_from(["a", "ab", "b", "_", "é", "漢", "1", "zz"]), min_size=1, max_size=3)


def row(place: str, seq: int = 0, title: str = "", text: str = "") -> SearchRow:
    titled = words(title)
    return SearchRow(place, seq, titled, tuple(word for word in words(text) if word not in titled))


class PlainSearch:
    """What search must find: rows in a list, the newest last, and the places whose rows are found."""

    def __init__(self) -> None:
        self._kept: list[SearchRow] = []
        self._found: set[str] = set()

    def change(self, new: Sequence[SearchRow], gone: Sequence[str]) -> None:
        for each in new:
            if each not in self._kept:  # the same words again only make it visible
                others = (kept for kept in self._kept if (kept.place, kept.seq) != (each.place, each.seq))
                self._kept = [*others, each]
            if not each.seq:
                self._found.add(each.place)
        self._found.difference_update(gone)

    def find(self, query: Sequence[str]) -> list[tuple[str, int, bool]]:
        return [
            (each.place, each.seq, have(each.title, query))
            for each in reversed(self._kept)
            if each.place in self._found and have((*each.title, *each.text), query)
        ]

    def rows(self) -> list[tuple[str, int, bool, str, int]]:
        found = (
            (each.place, each.seq, each.place in self._found, " ".join(each.title), mark_of(each))
            for each in self._kept
        )
        return sorted(each for each in found if each[1] or each[2])  # hidden rows are kept for an undo


def have(found: Sequence[str], query: Sequence[str]) -> bool:
    return all(any(each.startswith(word) for each in found) for word in query)


def mark_of(found: SearchRow) -> int:
    return fingerprint(beginnings((*found.title, *found.text)))


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made = new_store(request.param, tmp_path)
    yield made
    made.close()


def index(store: Store, *new: SearchRow, gone: Sequence[str] = (), workspace: str = "w") -> None:
    with store.writing(workspace) as transaction:
        transaction.apply(Changes(head=transaction.head(), search_new=new, search_gone=gone))
        transaction.commit()


def find(
    store: Store, text: str, limit: int = PLENTY, upto: int | None = None, workspace: str = "w"
) -> list[SearchHit]:
    with store.reading(workspace) as snapshot:
        return list(snapshot.search(words(text), limit, upto).found)


def find_all(store: Store, text: str, limit: int = PLENTY, workspace: str = "w") -> list[SearchHit]:
    """Look as often as it takes to come to the end."""
    hits: list[SearchHit] = []
    with store.reading(workspace) as snapshot:
        look = snapshot.search(words(text), limit)
        hits += look.found
        while (rest := look.rest) is not None:
            look = snapshot.search(words(text), limit, rest)
            assert look.rest is None or look.rest < rest, "each look goes on"
            assert all(hit.number <= rest for hit in look.found)
            hits += look.found
    return hits


def found(store: Store, text: str, **more: Any) -> list[tuple[str, int]]:
    return [(hit.place, hit.seq) for hit in find(store, text, **more)]


def test_a_row_is_found_by_the_beginnings_of_all_its_words_the_newest_first(store: Store) -> None:
    index(store, row("ta1", title="Fix the login form"), row("ta2", title="Login", text="a form of words"))

    assert found(store, "login form") == found(store, "LOG fo") == [("ta2", 0), ("ta1", 0)]
    assert found(store, "fix words") == found(store, "ogin") == []
    assert [hit.titled for hit in find(store, "login form")] == [False, True]


@pytest.mark.parametrize("hundreds", [0, 1])
def test_what_is_written_again_is_found_by_its_new_words_and_is_the_newest(store: Store, hundreds: int) -> None:
    index(store, row("ta1", title="old words"), row("ta2", title="words"))
    index(store, *(row(f"tb{number}", title="filler") for number in range(hundreds * 100)))

    index(store, row("ta1", title="new words"))

    assert found(store, "words") == [("ta1", 0), ("ta2", 0)]
    assert found(store, "old") == []
    index(store, *(row(f"tc{number}", title="filler") for number in range(hundreds * 100)))
    assert found(store, "words") == [("ta1", 0), ("ta2", 0)]
    assert found(store, "old") == []


@pytest.mark.parametrize("hundreds", [0, 1])
def test_events_are_found_as_long_as_their_place_is(store: Store, hundreds: int) -> None:
    index(store, row("ta1", title="task"), row("ta1", 7, text="a note"), row("ta9", 8, text="a note of nothing"))
    index(store, *(row(f"tb{number}", title="filler") for number in range(hundreds * 100)))
    assert found(store, "note") == [("ta1", 7)]

    index(store, gone=["ta1"])
    assert found(store, "note") == found(store, "task") == []

    index(store, row("ta1", title="task"), row("ta1", 9, text="later note"))
    assert found(store, "note") == [("ta1", 9), ("ta1", 7)]
    assert found(store, "task") == [("ta1", 0)]


def test_workspaces_find_only_their_own(store: Store) -> None:
    for number in range(15):
        index(store, row("ta1", title="shared"), workspace=f"w{number}")

    assert [found(store, "shared", workspace=f"w{number}") for number in (1, 11)] == [[("ta1", 0)]] * 2
    index(store, gone=["ta1"], workspace="w1")
    assert [len(found(store, "shared", workspace=f"w{number}")) for number in (1, 11)] == [0, 1]


def test_a_limit_and_a_newest_number_bound_what_is_found(store: Store) -> None:
    index(store, *(row(f"ta{number}", title="x") for number in range(10)))
    index(store, *(row(f"tb{number}", title="x") for number in range(100)))
    everything = find(store, "x")

    assert find(store, "x", limit=5) == everything[:5]
    assert find(store, "x", limit=5, upto=everything[3].number) == everything[3:8]
    assert find(store, "x", limit=PLENTY, upto=everything[104].number) == everything[104:]


@pytest.mark.parametrize(
    "text",
    ['a" OR "b', "a*", "^a", "-a", "a NEAR b", "title:a", "a AND NOT b", "(a", "{a b}:c", "'a'", "a+b", "\\a"],
)
def test_what_means_something_to_a_full_text_index_is_only_words_here(store: Store, text: str) -> None:
    index(store, *(row(f"tb{number}", title="a or b") for number in range(100)))

    expected = {place for place in ("all",) if set(words(text)) <= {"a", "or", "b"}}

    assert len(found(store, text)) == 100 * len(expected)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    moves=moves,
    queries=st.lists(queries, min_size=1, max_size=4),
    filler=st.booleans(),
    reach=st.sampled_from([1, 2, 5, SearchIndex.reach]),
)
def test_every_store_answers_as_plain_lists_do(
    store: Store, moves: list[Any], queries: list[list[str]], filler: bool, reach: int
) -> None:
    plain = PlainSearch()
    workspace = f"w{next(FRESH)}"
    for seq, move in enumerate(moves, 1):
        rows = move if isinstance(move, list) else [row("ta1.sa0", seq, text="ab 12")] if move == "note" else []
        changes = [(rows, [move] if isinstance(move, str) and move != "note" else [])]
        if filler and seq == len(moves) // 2:
            changes.append(([row(f"tb{n}", title="filler") for n in range(70)], []))
        for new, gone in changes:
            plain.change(new, gone)
            index(store, *new, gone=gone, workspace=workspace)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SearchIndex, "reach", reach)
        patch.setattr(search_index, "REACH", reach)
        patch.setattr(search_index, "RARE", reach)
        for query, limit in product(queries, (PLENTY, 3)):
            hits = find_all(store, " ".join(query), limit, workspace)
            assert [(hit.place, hit.seq, hit.titled) for hit in hits] == plain.find(query)
    with store.reading(workspace) as snapshot:
        kept = list(snapshot.rows("searched"))
    assert kept == plain.rows()


def test_the_index_can_be_emptied_for_one_workspace_and_filled_again(store: Store) -> None:
    for workspace in ("w", "v"):
        index(store, *(row(f"ta{number}", title="x") for number in range(100)), workspace=workspace)
        index(store, row("ta1", title="y"), workspace=workspace)

    with store.writing("w") as transaction:
        transaction.apply(Changes(head=transaction.head(), search_reset=True, search_new=[row("ta5", title="x")]))
        transaction.commit()

    assert found(store, "x") == [("ta5", 0)]
    assert len(found(store, "x", workspace="v")) == 99


@pytest.mark.requirement("tasks.search.bounded")
def test_words_that_are_frequent_and_never_meet_are_looked_for_among_their_newest_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SearchIndex, "reach", 20)
    store = SqliteStore(str(tmp_path / "w.db"), "NORMAL")
    index(store, row("ta0", title="left right"))
    index(store, *(row(f"tb{number}", title=("left", "right")[number % 2]) for number in range(200)))

    with store.reading("w") as snapshot:
        looks = [snapshot.search(["left", "right"], PLENTY)]
        while (rest := looks[-1].rest) is not None:
            looks.append(snapshot.search(["left", "right"], PLENTY, rest))
    store.close()

    assert [len(look.found) for look in looks] == [*([0] * 5), 1]
    assert [look.rest for look in looks] == [162, 123, 84, 45, 6, None]


@pytest.mark.requirement("tasks.search.bounded")
def test_rows_that_are_deleted_are_walked_over_a_page_at_a_time(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "w.db"), "NORMAL")
    index(store, *(row(f"ta{number}", title="x") for number in range(100)))
    index(store, gone=[f"ta{number}" for number in range(1, 100)])

    with store.reading("w") as snapshot:
        first = snapshot.search(["x"], 10)

    assert (first.found, first.rest) == ([], 89)
    assert [hit.place for hit in find_all(store, "x", 10)] == ["ta0"]
    store.close()


@pytest.mark.requirement("tasks.views.cost")
@pytest.mark.parametrize("text", ["number", "number left", "number 1", "nowhere", "left right"])
def test_a_search_does_no_more_work_for_ten_times_as_many_rows(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SearchIndex, "reach", 500)
    worked = []
    for size in (1_200, 12_000):
        store = SqliteStore(str(tmp_path / f"{size}.db"), "NORMAL")
        index(store, *(row(f"ta{n}", title=f"number {'left' if n % 2 else 'right'} 1{n}") for n in range(size)))
        with store._connections.thread_connection() as connection:
            seen: list[int] = []

            def note(event: dict[str, Any], seen: list[int] = seen) -> None:
                seen.append(event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"])

            connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, note)
            find(store, text, limit=1_001)
            connection.trace_v2(0, None)
        worked.append((len(seen), sum(seen)))
        store.close()

    (statements, steps), (many_statements, many_steps) = worked
    assert many_statements <= statements + 40  # a few for each segment of the index
    assert many_steps <= steps * 1.5 + 2_000
