"""Imports that were interrupted, and workspaces that are there only in part."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gatepost.domain.refusals import ImportUnfinished
from gatepost.engine import doctor
from gatepost.engine.caller import Caller
from gatepost.operations.taskdoc_packages import settle_all
from gatepost.storage.sqlite.store import SqliteStore
from gatepost.transfer import log_reader, workspace_writer
from gatepost.transfer.refusals import ExportDamaged, ImportConflict
from tests.engine.histories import tell
from tests.givens import STORES, World, memory_store, new_store
from tests.storage.waiters import until
from tests.transfer.exports import check_equal, empty_world, exported, file_of, imported, lines_of

PROGRAM = Path(__file__).with_name("import_program.py")


@pytest.fixture
def source() -> Iterator[World]:
    """A world with every kind of row."""
    world = World(memory_store())
    tell(world)
    yield world
    world.store.close()


@pytest.fixture(params=STORES)
def target(request: pytest.FixtureRequest) -> Iterator[World]:
    """An empty world on each kind of store."""
    with empty_world(request.param) as world:
        yield world


def half(data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join(lines[: len(lines) // 2])


def begin(target: World, data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Import the first half of a file."""
    monkeypatch.setattr(workspace_writer, "_OPERATIONS", 2)
    with pytest.raises(ExportDamaged):
        imported(target.store, half(data))


def test_an_import_that_is_killed_goes_on_where_it_stopped(source: World, tmp_path: Path) -> None:
    data = exported(source.store)
    path = tmp_path / "gatepost.db"
    with subprocess.Popen([sys.executable, str(PROGRAM), str(path)], stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(half(data))
        process.stdin.flush()
        with closing(SqliteStore(str(path))) as looking:
            until(lambda: World(looking).everything()["head"].seq > 3)
        process.kill()
        process.stdin.close()
    assert process.returncode == -9

    with closing(SqliteStore(str(path))) as store:
        target = World(store)
        before = target.everything()["head"]
        assert before.is_unfinished
        (done,) = imported(store, data)

        assert (done.after, done.resumed) == (before.seq, True)
        check_equal(target, source, data)


def test_a_workspace_that_is_there_in_part_can_be_neither_read_nor_written(
    source: World, target: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = exported(source.store)
    begin(target, data, monkeypatch)
    before = target.everything()

    read, written = target.ask("tasks_radar"), target.ask("tasks_create", kind="task", title="Intruder")

    for answered in (read, written):
        assert isinstance(answered.refusal, ImportUnfinished)
        assert "is not imported completely" in answered.text
    assert target.everything() == before
    imported(target.store, data)
    check_equal(target, source, data)
    assert target.ask("tasks_radar").refusal is None


def test_other_workspaces_do_not_suffer_from_one_that_is_there_in_part(
    source: World, target: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = World(target.store, "acme/other")
    task = other.task("a step")
    begin(target, exported(source.store), monkeypatch)

    found = target.engine.read_each(target.store.workspaces(), Caller("tester"), lambda reader: reader.workspace)
    settle_all(target.engine, None)

    assert found == ["acme/other"]
    assert other.close(task, "s:0")["events"]
    assert doctor.examine(target.store, "acme/other").findings == []


def test_a_repair_keeps_what_has_arrived_as_a_workspace_of_its_own(
    source: World, target: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(target, exported(source.store), monkeypatch)
    arrived = target.everything()["head"].seq

    done = doctor.repair(target.store)

    assert [finding.code for finding in done.before.findings] == ["UNFINISHED_IMPORT"]
    assert done.after.findings == []
    seen, whole = (world.ok("tasks_mirror", task="TASK-001", at=arrived) for world in (target, source))
    assert seen == whole
    assert target.ok("tasks_radar")["now"] is not None


def test_a_part_cannot_be_exported(source: World, target: World, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(target, exported(source.store), monkeypatch)

    with pytest.raises(ImportUnfinished):
        exported(target.store)


@pytest.mark.parametrize("edited", [False, True])
def test_an_operation_longer_than_a_batch_is_stored_whole_or_not_at_all(
    source: World, target: World, edited: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = source.task(steps=[{"title": f"step {number}"} for number in range(50)])
    source.ok("tasks_delete", task=task)
    data = exported(source.store)
    monkeypatch.setattr(log_reader, "_PART", 500)
    monkeypatch.setattr(workspace_writer, "_BYTES", 1_500)
    lines = lines_of(data)
    last = [at for at, line in enumerate(lines) if line["line"] == "image"][-1]
    if edited:
        lines[last]["before"] = None

    if edited:
        with pytest.raises(ExportDamaged):
            imported(target.store, file_of(lines))
        deleted = lines[last]["operation"]
        assert 0 < target.everything()["head"].seq < deleted
        assert all(row[1] < deleted for row in target.everything()["images"])
    imported(target.store, data)

    check_equal(target, source, data)


def test_another_log_of_the_same_name_is_refused_and_stays_as_it_is(source: World, target: World) -> None:
    target.plan(title="The plan", contract="What must hold.")
    target.task("something else")
    before = target.everything()

    with pytest.raises(ImportConflict, match=r"differ from operation 2 on.*tasks_create by tester") as raised:
        imported(target.store, exported(source.store))

    assert "import the file into another store" in raised.value.recovery
    assert target.everything() == before


def test_a_store_that_went_on_after_the_file_is_refused_and_stays_as_it_is(source: World, target: World) -> None:
    data = exported(source.store)
    imported(target.store, data)
    target.task("newer")
    before = target.everything()

    with pytest.raises(ImportConflict, match="continues past the end of the file"):
        imported(target.store, data)

    assert target.everything() == before


def test_a_file_that_is_older_than_what_arrived_is_refused(
    source: World, target: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = World(memory_store())
    older.plan(title="The plan", contract="What must hold.")
    begin(target, exported(source.store), monkeypatch)

    with pytest.raises(ImportConflict, match="continues past the end of the file"):
        imported(target.store, exported(older.store))


def test_two_imports_at_once_do_not_mix(source: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = exported(source.store)
    monkeypatch.setattr(workspace_writer, "_OPERATIONS", 2)
    with closing(new_store("sqlite", tmp_path)) as store, closing(new_store("sqlite", tmp_path)) as beside:

        def overtake(_workspace: str, seq: int, _last: int) -> None:
            if seq == 9:
                imported(beside, data)

        with pytest.raises(ImportConflict, match="changed by another program"):
            imported(store, data, overtake)

        check_equal(World(store), source, data)
