"""A store from before plans counted the steps of their tasks: it is recounted when it is opened."""

from pathlib import Path

import apsw
import pytest

from gatepost.engine import doctor
from gatepost.storage.sqlite import schema
from gatepost.storage.sqlite.store import SqliteStore
from tests.givens import CONFIRMED, World

FOLDER = Path(schema.__file__).parent / "migrations"
FILES = [file.name for file in sorted(FOLDER.glob("*.sql"))]
BEFORE = FILES.index("005_counts.sql")


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
        for column in ("unproven", "tasks", "tasks_done", "tasks_begun", "claimed"):
            older.execute(f"ALTER TABLE tallies DROP COLUMN {column}")
        older.pragma("user_version", BEFORE)

    later = World(SqliteStore(str(tmp_path / "a.db")))

    assert later.everything() == right
    assert doctor.examine(later.store, later.workspace).findings == []
    later.store.close()


@pytest.mark.requirement("crew.queue.order")
def test_an_older_store_is_queued_when_it_is_opened(tmp_path: Path) -> None:
    world = World(SqliteStore(str(tmp_path / "a.db")))
    tasks = [world.task(priority=priority) for priority in ("LOW", "HIGH")]
    right = world.everything()
    world.store.close()
    with apsw.Connection(str(tmp_path / "a.db")) as older:
        older.execute("DELETE FROM terms WHERE term LIKE 'queue:%'")
        older.pragma("user_version", FILES.index("012_queue.sql"))

    later = World(SqliteStore(str(tmp_path / "a.db")))

    assert later.everything() == right
    assert [row["id"] for row in later.ok("tasks_context", ready=True)["items"]] == tasks[::-1]
    later.store.close()


@pytest.mark.requirement("tasks.lint.findings")
def test_steps_closed_on_a_word_are_found_in_an_older_store(tmp_path: Path) -> None:
    world = World(SqliteStore(str(tmp_path / "a.db")))
    task = world.task("a", "b")
    world.ok("tasks_close_step", task=task, path="s:0", checkpoints=CONFIRMED)
    right = world.everything()
    world.store.close()
    with apsw.Connection(str(tmp_path / "a.db")) as older:
        older.execute("DELETE FROM terms WHERE term = 'asserted'")
        older.execute("ALTER TABLE tallies DROP COLUMN claimed")  # what a later migration brings
        older.pragma("user_version", FILES.index("008_asserted.sql"))

    later = World(SqliteStore(str(tmp_path / "a.db")))

    assert later.everything() == right
    assert later.ok("tasks_lint", task=task)["counts"]["WORD_ALONE"] == 1
    later.store.close()
