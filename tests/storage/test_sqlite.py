"""What is particular to SQLite: schema, durability, versions, contention, and the files it leaves."""

import ast
import threading
from pathlib import Path
from typing import Any

import apsw
import apsw.ext
import pytest

import gatepost
from gatepost.settings import BadSettings
from gatepost.storage.faults import StoreNewer
from gatepost.storage.sqlite import connection_pool, schema
from gatepost.storage.sqlite.store import SqliteStore
from tests.givens import CONFIRMED, World

SOURCE = Path(gatepost.__file__).parent
FULL, NORMAL = 2, 1


def raw(path: Path) -> apsw.Connection:
    """Somebody else's connection to the file."""
    return apsw.Connection(str(path))


def shape(connection: apsw.Connection) -> list[Any]:
    return list(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"))


def test_the_schema_is_the_sum_of_the_migrations(tmp_path: Path) -> None:
    summed = apsw.Connection(":memory:")
    for script in schema.migrations():
        summed.execute(script)

    World(SqliteStore(str(tmp_path / "a.db"))).task()

    with raw(tmp_path / "a.db") as made:
        assert shape(made) == shape(summed)
        assert made.pragma("user_version") == len(schema.migrations())


def test_opening_again_changes_neither_schema_nor_state(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "a.db"))
    world = World(store)
    world.task("a step")
    before = world.everything()
    store.close()

    assert World(SqliteStore(str(tmp_path / "a.db"))).everything() == before


def test_a_file_of_a_later_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    World(SqliteStore(str(tmp_path / "a.db"))).task()
    later = len(schema.migrations()) + 1
    raw(tmp_path / "a.db").pragma("user_version", later)

    with pytest.raises(StoreNewer, match=f"it has schema {later}; this version knows {later - 1}"):
        SqliteStore(str(tmp_path / "a.db")).workspaces()

    assert raw(tmp_path / "a.db").pragma("user_version") == later


@pytest.mark.parametrize("version", ["3.40.0", "3.51.2", "3.7.0"])
def test_a_version_that_loses_writes_is_refused_and_the_reason_given(version: str) -> None:
    with pytest.raises(
        connection_pool.UnsafeSqlite, match=r"can lose acknowledged writes .*WAL-reset bug.*3\.51\.3"
    ):
        connection_pool.check_version(version)


@pytest.mark.parametrize("version", ["3.51.3", "3.54.1", "4.0.0"])
def test_a_version_with_the_mend_is_taken(version: str) -> None:
    connection_pool.check_version(version)


def test_no_file_is_made_on_a_version_that_loses_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: "3.51.2")

    with gatepost.connect(str(tmp_path / "a.db")) as gp, pytest.raises(connection_pool.UnsafeSqlite):
        gp.call("tasks_create", workspace="w", kind="task", title="A task")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.requirement("storage.sqlite.synchronous-full")
def test_every_connection_logs_ahead_and_syncs_fully_unless_told_otherwise(tmp_path: Path) -> None:
    with gatepost.connect(str(tmp_path / "a.db")) as gp:
        gp.call("tasks_create", workspace="w", kind="task", title="A task")
        kept = gp.engine.store._connections  # type: ignore[attr-defined]
        found: list[tuple[Any, Any]] = []

        def look() -> None:
            with kept.thread_connection() as connection:
                found.append((connection.pragma("journal_mode"), connection.pragma("synchronous")))

        look()
        other = threading.Thread(target=look)
        other.start()
        other.join(10)

    assert found == [("wal", FULL), ("wal", FULL)]


@pytest.mark.requirement("storage.sqlite.synchronous-normal")
def test_normal_can_be_set_by_argument_and_by_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with gatepost.connect(str(tmp_path / "a.db"), synchronous="NORMAL") as gp:
        with gp.engine.store._connections.thread_connection() as connection:  # type: ignore[attr-defined]
            assert connection.pragma("synchronous") == NORMAL
        assert gp.call("tasks_storage", workspace="w")["store"]["synchronous"] == "NORMAL"

    monkeypatch.setenv("GATEPOST_SYNCHRONOUS", "normal")
    with (
        gatepost.connect(str(tmp_path / "a.db")) as gp,
        gp.engine.store._connections.thread_connection() as connection,  # type: ignore[attr-defined]
    ):
        assert connection.pragma("synchronous") == NORMAL
    with pytest.raises(BadSettings, match="OFF"):
        gatepost.connect(str(tmp_path / "a.db"), synchronous="OFF")


@pytest.mark.requirement("storage.sqlite.synchronous-normal")
def test_the_documentation_says_what_normal_risks() -> None:
    top = SOURCE.parent.parent
    pages = [top / "README.md", *sorted((top / "docs").rglob("*.md"))]

    telling = [page for page in pages if "NORMAL" in (text := page.read_text()) and "power cut" in text.lower()]

    assert telling, "no page says that NORMAL can lose the last moments in a power cut"


@pytest.mark.requirement("call.busy.typed", "call.busy.never-locked")
def test_a_lock_that_outlasts_the_patience_is_a_typed_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_pool, "PATIENCE", 0.1)
    world = World(SqliteStore(str(tmp_path / "a.db")))
    world.task()
    holder = raw(tmp_path / "a.db")
    holder.execute("BEGIN IMMEDIATE")

    refused = world.no("BUSY", "tasks_note", task="TASK-001", note="Anyone there?")

    assert refused["retry_after_ms"] > 0
    assert "database is locked" not in str(refused)
    assert world.ok("tasks_context")["items"], "reading needs no lock"
    holder.execute("ROLLBACK")
    world.ok("tasks_note", task="TASK-001", note="Now it goes through.")


@pytest.mark.requirement("call.busy.typed", "call.busy.never-locked")
def test_a_new_file_that_somebody_else_holds_is_a_typed_refusal_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_pool, "PATIENCE", 0.1)
    holder = raw(tmp_path / "a.db")
    holder.execute("BEGIN EXCLUSIVE")

    answered = World(SqliteStore(str(tmp_path / "a.db"))).ask("tasks_create", kind="task", title="A task")

    assert answered.refusal is not None
    assert answered.refusal.code == "BUSY"


@pytest.mark.requirement("call.busy.retried")
def test_a_lock_that_is_let_go_in_time_is_waited_for(tmp_path: Path) -> None:
    world = World(SqliteStore(str(tmp_path / "a.db")))
    world.task()
    holder = raw(tmp_path / "a.db")
    holder.execute("BEGIN IMMEDIATE")
    writer = threading.Thread(target=world.ok, args=("tasks_note",), kwargs={"task": "TASK-001", "note": "Late."})

    writer.start()
    writer.join(0.2)
    waited = writer.is_alive()
    holder.execute("ROLLBACK")
    writer.join(10)

    assert waited
    assert world.everything()["head"].seq == 2


@pytest.mark.requirement("storage.files.no-daemon-no-locks")
def test_only_the_file_is_left_once_everyone_has_gone(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "a.db"))
    World(store).task("a step")
    in_use = {item.name for item in tmp_path.iterdir()}

    store.close()

    assert in_use <= {"a.db", "a.db-wal", "a.db-shm"}
    assert [item.name for item in tmp_path.iterdir()] == ["a.db"]


def test_every_statement_has_a_name_a_purpose_and_parses() -> None:
    text = (SOURCE / "storage/sqlite/queries.sql").read_text()
    heads = [line for line in text.splitlines() if line.startswith("-- ")]
    connection = apsw.Connection(":memory:")
    schema.migrate(connection)

    found = schema.statements()

    assert len(heads) == len(found)
    assert all(": " in head for head in heads)
    for name, statement in found.items():
        parsed = apsw.ext.query_info(connection, statement)
        assert not parsed.query_remaining, f"{name} is more than one statement"


@pytest.mark.requirement("call.events.past-tense")
def test_no_statement_is_planned_again_for_other_values(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "a.db"))
    world = World(store)
    for number in range(3):
        world.ok("tasks_create", kind="task", title=f"Task {number}", steps=[{"title": "x"}, {"title": "y"}])
    planned: list[Any] = []

    def note(*asked: Any) -> int:
        planned.append(asked)
        return apsw.SQLITE_OK

    def call(task: str) -> None:
        world.ok("tasks_close_step", task=task, path="s:0", checkpoints=CONFIRMED)
        world.ok("tasks_radar", task=task)

    with store._connections.thread_connection() as connection:
        connection.authorizer = note  # asked whenever a statement is planned
        call("TASK-001")
        first, planned[:] = len(planned), []
        call("TASK-002")
        connection.authorizer = None

    assert first
    assert planned == []


def test_no_statement_changes_what_was_logged() -> None:
    for name, statement in schema.statements().items():
        words = statement.upper().split()
        # Whether an operation is undone is not part of what it was; a migration adds hashes where there are none.
        if name in ("put_undone", "seal_operation"):
            continue
        for table in ("EVENTS", "OPERATIONS", "IMAGES", "TOUCHES"):
            assert not (table in words and words[0] in ("UPDATE", "DELETE")), name
            assert not (table in words and "CONFLICT" in words), name


def test_nothing_in_the_sources_loads_a_second_sqlite() -> None:
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            assert not [name for name in names if name.split(".")[0] in ("sqlite3", "_sqlite3")], file


def test_a_waiter_hears_of_commits_through_another_connection(tmp_path: Path) -> None:
    here, there = SqliteStore(str(tmp_path / "a.db")), World(SqliteStore(str(tmp_path / "a.db")))
    there.task()
    woken: list[bool] = []
    waiter = threading.Thread(target=lambda: woken.append(here.wait("acme/repo", 1, 60.0)))
    waiter.start()

    there.ok("tasks_note", task="TASK-001", note="Look.")

    waiter.join(10)
    assert woken == [True]


@pytest.mark.requirement("call.busy.never-locked", "call.busy.retried")
def test_a_new_file_can_be_opened_by_many_at_once(tmp_path: Path) -> None:
    broken: list[str] = []

    def open_it(path: Path, start: threading.Barrier) -> None:
        store = SqliteStore(str(path), "NORMAL")
        start.wait(10)
        try:
            store.workspaces()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the finding
            broken.append(f"{type(error).__name__}: {error}")
        store.close()

    for number in range(120):
        path, start = tmp_path / f"{number}.db", threading.Barrier(8)
        threads = [threading.Thread(target=open_it, args=(path, start)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)

    assert broken == []
