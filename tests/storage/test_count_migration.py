"""A store from before plans counted the steps of their tasks: it is recounted when it is opened."""

from pathlib import Path

import apsw
import pytest

from gatepost.engine import doctor
from gatepost.storage.sqlite import schema
from gatepost.storage.sqlite.store import SqliteStore
from tests.givens import World

FOLDER = Path(schema.__file__).parent / "migrations"
BEFORE = [file.name for file in sorted(FOLDER.glob("*.sql"))].index("005_counts.sql")


@pytest.mark.requirement("tasks.plan.counts")
def test_an_older_store_is_counted_and_indexed_again(tmp_path: Path) -> None:
    world = World(SqliteStore(str(tmp_path / "a.db")))
    plan = world.plan()
    task = world.task("a", "b", plan=plan)
    world.ok("tasks_progress", task=task, path="s:0", completed=True, force=True, reason="Later.")
    right = world.everything()
    world.store.close()
    with apsw.Connection(str(tmp_path / "a.db")) as older:
        older.execute("UPDATE tallies SET total = 1, done = 0 WHERE place LIKE 'p%'")
        older.execute("UPDATE terms SET term = 'status:TODO' WHERE place LIKE 'p%' AND term = 'status:ACTIVE'")
        for column in ("unproven", "tasks", "tasks_done", "tasks_begun"):
            older.execute(f"ALTER TABLE tallies DROP COLUMN {column}")
        older.pragma("user_version", BEFORE)

    later = World(SqliteStore(str(tmp_path / "a.db")))

    assert later.everything() == right
    assert doctor.examine(later.store, later.workspace).findings == []
    later.store.close()
