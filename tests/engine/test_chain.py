"""The chain of hashes over the log: unbroken whatever is done, broken by whatever is altered."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from gatepost.engine import doctor
from tests.engine.histories import FILE, by_hand, tell
from tests.givens import STORES, World, new_store, worlds


@pytest.fixture(params=STORES)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """A world on each kind of store."""
    yield from worlds(request.param, tmp_path)


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[World]:
    """A world on a file, with a log of every kind of row."""
    for made in worlds("sqlite", tmp_path):
        tell(made)
        yield made


def codes(world: World) -> set[str]:
    return {finding.code for finding in doctor.examine(world.store, world.workspace).findings}


def test_the_chain_holds_over_every_kind_of_change(world: World) -> None:
    tell(world)

    assert doctor.examine(world.store, world.workspace).findings == []


def test_every_operation_has_a_hash_of_its_own_and_the_last_is_the_workspaces(world: World) -> None:
    tell(world)

    kept = world.everything()
    hashes = [row[-1] for row in kept["operations"]]
    assert all(len(found) == 64 for found in hashes)
    assert len(set(hashes)) == len(hashes)
    assert kept["head"].hash == hashes[-1]


def test_every_store_computes_the_same_chain(tmp_path: Path) -> None:
    ends = []
    for kind in STORES:
        for world in worlds(kind, tmp_path):
            tell(world)
            ends.append(world.everything()["head"].hash)

    assert ends[0] == ends[1]


def test_a_shift_report_shows_the_end_of_the_log(world: World) -> None:
    tell(world)

    shown = world.ok("tasks_handoff", task="TASK-001")["log"]

    head = world.everything()["head"]
    assert shown == {"seq": head.seq, "hash": head.hash}


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE operations SET actor = 'nobody' WHERE operation = 4",
        "UPDATE operations SET at = '2020-01-01T00:00:00.000Z' WHERE operation = 4",
        "UPDATE operations SET tool = 'tasks_edit' WHERE tool = 'tasks_note'",
        "UPDATE operations SET kind = 'change' WHERE kind = 'record'",
        "UPDATE operations SET of = 1 WHERE kind = 'redo'",
        "UPDATE operations SET hash = replace(hash, 'a', 'b') WHERE operation = 4",
        "UPDATE events SET actor = 'nobody' WHERE seq = 3",
        "UPDATE events SET at = '2020-01-01T00:00:00.000Z' WHERE seq = 3",
        "UPDATE events SET body = replace(body, 'seen by the author', 'seen by nobody')",
        "UPDATE events SET step_id = 'STEP-00000000' WHERE step_id IS NOT NULL",
        "UPDATE events SET path = 's:7' WHERE path = 's:0'",
        "UPDATE events SET root = 'ta2' WHERE root = 'ta1'",
        "UPDATE artifacts SET body = replace(body, '12 passed', '13 passed') WHERE body LIKE '%12 passed%'",
        "UPDATE artifacts SET number = 9",
        "DELETE FROM artifacts",
        "INSERT INTO artifacts SELECT workspace, place, seq, 7, body FROM artifacts",
        "UPDATE touches SET revision = 9 WHERE operation = 4",
        "DELETE FROM images WHERE operation = 2",
        "UPDATE workspaces SET hash = replace(hash, 'a', 'b')",
        "UPDATE workspaces SET hash = ''",
        "DELETE FROM operations",
    ],
)
def test_a_log_that_was_edited_by_sql_is_found(filled: World, tmp_path: Path, statement: str) -> None:
    assert codes(filled) == set()

    by_hand(tmp_path, statement)

    assert "BROKEN_CHAIN" in codes(filled)


def test_a_document_altered_together_with_its_history_is_found(filled: World, tmp_path: Path) -> None:
    by_hand(
        tmp_path,
        "UPDATE documents SET text = replace(text, 'Other goals', 'Forged') WHERE text LIKE '%Other goals%'",
        "UPDATE images SET after = replace(after, 'Other goals', 'Forged') WHERE after LIKE '%Other goals%'",
    )

    assert codes(filled) == {"BROKEN_CHAIN", "SEARCH_DIFFERS"}


def test_a_removed_end_of_the_log_is_found_even_if_the_counters_agree(filled: World, tmp_path: Path) -> None:
    last = "(SELECT max(operation) FROM operations)"

    by_hand(
        tmp_path,
        f"UPDATE workspaces SET seq = {last} - 1",  # noqa: S608 - ours
        f"DELETE FROM events WHERE operation = {last}",  # noqa: S608 - ours
        f"DELETE FROM images WHERE operation = {last}",  # noqa: S608 - ours
        f"DELETE FROM touches WHERE operation = {last}",  # noqa: S608 - ours
        f"DELETE FROM operations WHERE operation = {last}",  # noqa: S608 - ours
    )

    assert "BROKEN_CHAIN" in codes(filled)


def test_operations_that_changed_places_are_found(filled: World, tmp_path: Path) -> None:
    by_hand(
        tmp_path,
        "UPDATE events SET seq = CASE seq WHEN 3 THEN -4 ELSE -3 END WHERE seq IN (3, 4)",
        "UPDATE events SET seq = -seq, operation = -seq WHERE seq < 0",
        "UPDATE operations SET operation = CASE operation WHEN 3 THEN -4 ELSE -3 END WHERE operation IN (3, 4)",
        "UPDATE operations SET operation = -operation, last_seq = -operation WHERE operation < 0",
    )

    assert "BROKEN_CHAIN" in codes(filled)


def test_one_workspaces_log_cannot_pass_for_anothers(filled: World, tmp_path: Path) -> None:
    by_hand(tmp_path, "UPDATE workspaces SET name = 'acme/other'")

    assert "BROKEN_CHAIN" in {finding.code for finding in doctor.examine(filled.store, "acme/other").findings}


def test_one_altered_row_is_one_break_and_the_rest_still_holds(filled: World, tmp_path: Path) -> None:
    by_hand(tmp_path, "UPDATE events SET actor = 'nobody' WHERE seq = 3")

    found = doctor.examine(filled.store, filled.workspace).findings

    assert [(finding.code, finding.where) for finding in found] == [("BROKEN_CHAIN", "operation 2")]


def test_a_store_from_before_the_chain_gets_it_once_when_several_open_it_at_once(
    filled: World, tmp_path: Path
) -> None:
    World(filled.store, "acme/other").task("a step")
    before = [filled.everything(name) for name in ("acme/repo", "acme/other")]
    filled.store.close()
    connection = apsw.Connection(str(tmp_path / FILE))
    connection.execute("ALTER TABLE operations DROP COLUMN hash; ALTER TABLE workspaces DROP COLUMN hash")
    connection.execute("DROP TABLE searched; DROP TABLE search_tokens; DROP TABLE search_index")
    for column in ("unproven", "tasks", "tasks_done", "tasks_begun", "claimed"):  # what a later migration brings
        connection.execute(f"ALTER TABLE tallies DROP COLUMN {column}")
    connection.pragma("user_version", 1)
    connection.close()

    later = [World(new_store("sqlite", tmp_path)) for _ in range(4)]
    with ThreadPoolExecutor(len(later)) as pool:
        found = list(pool.map(codes, later))

    assert found == [set()] * len(later)
    assert [later[0].everything(name) for name in ("acme/repo", "acme/other")] == before
    for world in later:
        world.store.close()
