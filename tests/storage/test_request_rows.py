"""What every store does with the requests that were answered: part of the suite for stores behind the port."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gatepost.engine.port import Store
from gatepost.engine.rows import REQUESTS_SWEPT, Changes, Head, RequestRow
from tests.givens import STORES, new_store
from tests.storage.test_conformance import dump, write


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made = new_store(request.param, tmp_path)
    yield made
    made.close()


def asked(name: str, hour: int = 0, reply: str = "{}") -> RequestRow:
    return RequestRow(name, f"2026-01-01T{hour:02d}:00:00.000Z", "d1" * 32, reply)


def known(store: Store, workspace: str, *names: str) -> list[RequestRow | None]:
    with store.reading(workspace) as snapshot:
        return [snapshot.request(name) for name in names]


def test_an_answered_request_is_found_by_its_id_in_its_own_workspace(store: Store) -> None:
    row = asked("one", reply='{"a":"é 日本 \\u0001"}')
    write(store, "w", head=Head(1), requests=[row])
    before = dump(store, "w")

    write(store, "v", head=Head(1), requests=[asked("two")])
    write(store, "w", requests=[asked("two", 5, "[]")])

    assert known(store, "w", "one", "two", "On", "ONE", "one/0") == [row, asked("two", 5, "[]"), None, None, None]
    assert known(store, "v", "one", "two") == [None, asked("two")]
    assert known(store, "nobody/here", "one") == [None]
    assert dump(store, "w") == before, "no part of the log, nor of the state"


def test_a_request_that_is_answered_again_is_replaced_and_one_that_was_not_committed_is_unknown(
    store: Store,
) -> None:
    write(store, "w", head=Head(1), requests=[asked("one"), asked("two")])
    write(store, "w", requests=[asked("one", 7, "new")])

    with store.writing("w") as transaction:
        transaction.apply(Changes(transaction.head(), requests=[asked("three")]))
        seen = transaction.request("three")

    assert seen == asked("three")
    assert known(store, "w", "one", "two", "three") == [asked("one", 7, "new"), asked("two"), None]


def test_old_requests_are_forgotten_the_oldest_first_and_a_few_at_a_time(store: Store) -> None:
    old = [asked(f"old-{number}", hour=number % 3) for number in range(REQUESTS_SWEPT + 3)]
    border, new = asked("border", 10), asked("new", 11)
    write(store, "w", head=Head(1), requests=[*old, border, new])
    write(store, "v", head=Head(1), requests=old)
    names = [row.id for row in old]

    write(store, "w", requests_before=border.at)
    left = [row for row in known(store, "w", *names) if row is not None]
    write(store, "w", requests_before=border.at)

    assert len(left) == 3
    assert {row.at for row in left} == {old[2].at}
    assert known(store, "w", *names) == [None] * len(old)
    assert known(store, "w", "border", "new") == [border, new]
    assert known(store, "v", *names) == old
