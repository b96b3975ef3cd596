"""A store of an earlier schema, whole or damaged: it is upgraded when it is opened, and nothing in it is lost."""

from pathlib import Path

import apsw
import pytest

from gatepost.engine import doctor
from gatepost.storage.sqlite.store import SqliteStore
from tests.engine.histories import FILE, by_hand, tell
from tests.givens import World
from tests.storage.older import make_older

PAGE = 4_096


def filled_store(folder: Path) -> World:
    world = World(SqliteStore(str(folder / FILE), "NORMAL"))
    tell(world)
    world.store.close()
    return world


def opened(folder: Path) -> World:
    return World(SqliteStore(str(folder / FILE), "NORMAL"))


def test_a_store_of_the_first_schema_becomes_what_it_would_be_today(tmp_path: Path) -> None:
    right = filled_store(tmp_path).everything()
    make_older(tmp_path / FILE)

    later = opened(tmp_path)

    assert later.everything() == right
    assert doctor.check_store(later.store).findings == []
    later.store.close()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE documents SET text = '{' WHERE place = 'ta1'",
        "UPDATE documents SET text = CAST(x'7bff' AS TEXT) WHERE place = 'ta1'",
        "UPDATE names SET place = 'nowhere' WHERE place = 'ta1.sa1'",
    ],
)
def test_a_damaged_row_in_an_older_store_is_named_by_the_doctor_and_repaired(tmp_path: Path, damage: str) -> None:
    right = filled_store(tmp_path).everything()
    make_older(tmp_path / FILE)
    by_hand(tmp_path, damage)
    later = opened(tmp_path)

    assert doctor.check_store(later.store).findings
    repaired = doctor.repair(later.store)

    assert repaired.after.findings == []
    assert repaired.lost == []  # the log has it all
    assert later.everything() == right
    later.store.close()


def spoil(folder: Path, table: str) -> None:
    """Let the number of cells on a table's first page be more than fit."""
    with apsw.Connection(str(folder / FILE)) as connection:
        found = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).get
        connection.pragma("journal_mode", "delete")
    connection.close()
    with (folder / FILE).open("r+b") as file:
        file.seek((found - 1) * PAGE + 3)
        file.write(b"\xff\xff")


def test_an_older_store_that_cannot_be_upgraded_is_repaired_with_all_that_can_be_read(tmp_path: Path) -> None:
    right = filled_store(tmp_path).everything()
    make_older(tmp_path / FILE)
    spoil(tmp_path, "terms")
    later = opened(tmp_path)

    repaired = doctor.repair(later.store)

    assert repaired.kept is not None
    assert repaired.lost == []
    assert repaired.after.findings == []
    assert later.everything() == right
    later.store.close()


def test_a_store_of_which_nothing_can_be_read_is_not_replaced_by_an_empty_one(tmp_path: Path) -> None:
    filled_store(tmp_path)
    make_older(tmp_path / FILE)
    for table in ("operations", "events", "images", "touches", "documents", "artifacts", "names"):
        spoil(tmp_path, table)
    before = (tmp_path / FILE).read_bytes()
    later = opened(tmp_path)

    repaired = doctor.repair(later.store)

    assert repaired.kept is None
    assert repaired.after.findings
    later.store.close()
    assert (tmp_path / FILE).read_bytes()[PAGE:] == before[PAGE:]
