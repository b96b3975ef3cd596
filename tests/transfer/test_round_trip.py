"""A workspace that is carried to another store is the same there: every row, every view, every undo."""

import io
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from gatepost.engine import doctor
from gatepost.engine.rows import Changes
from gatepost.transfer import export_workspaces
from tests.engine.histories import tell
from tests.engine.test_past_machine import Recorded
from tests.givens import STORES, WORKSPACE, World, new_store, reopened_store, worlds
from tests.transfer.exports import check_equal, empty_world, exported, ignore, imported, lines_of


@pytest.fixture(params=STORES)
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """A world with every kind of row, on each kind of store."""
    for world in worlds(request.param, tmp_path):
        tell(world)
        yield world


@pytest.fixture(params=STORES)
def target(request: pytest.FixtureRequest) -> Iterator[World]:
    """An empty world on each kind of store."""
    with empty_world(request.param) as world:
        yield world


def test_every_table_arrives_and_a_second_export_has_the_same_bytes(source: World, target: World) -> None:
    data = exported(source.store)

    (done,) = imported(target.store, data)

    head = source.everything()["head"]
    assert (done.operations, done.events, done.after) == (len(source.everything()["operations"]), head.seq, 0)
    assert (done.seq, done.hash) == (head.seq, head.hash)
    check_equal(target, source, data)


def test_what_a_batch_moved_and_deleted_leaves_the_same_counts_in_both_stores(source: World, target: World) -> None:
    task = source.task("walls", "roof")
    given = [("tasks_move", {"path": "s:0", "parent": "s:1"}), ("tasks_delete", {"path": "s:1.s:0"})]
    source.ok("tasks_define", task=task, path="s:0", title="thick walls")
    source.ok("tasks_batch", operations=[{"tool": tool, "arguments": {"task": task, **at}} for tool, at in given])
    data = exported(source.store)

    imported(target.store, data)

    check_equal(target, source, data)


def test_undo_and_redo_go_on_where_they_were(source: World, target: World) -> None:
    imported(target.store, exported(source.store))

    for tool in ("tasks_undo", "tasks_undo", "tasks_redo", "tasks_undo", "tasks_redo", "tasks_redo"):
        assert target.ask(tool).text == source.ask(tool).text

    assert doctor.examine(target.store, WORKSPACE).findings == []


def test_new_work_continues_the_numbers_and_the_chain(source: World, target: World) -> None:
    imported(target.store, exported(source.store))

    created = [
        world.ok("tasks_create", kind="task", title="Next", steps=[{"title": "a"}]) for world in (source, target)
    ]

    assert created[0] == created[1]
    assert target.everything()["names"] == source.everything()["names"]
    assert doctor.examine(target.store, WORKSPACE).findings == []


def test_an_import_of_what_is_there_already_changes_nothing(source: World, target: World) -> None:
    data = exported(source.store)
    imported(target.store, data)
    before = target.everything()

    (done,) = imported(target.store, data)

    assert (done.operations, done.after, done.resumed) == (0, done.seq, False)
    assert target.everything() == before


def test_a_later_export_adds_what_is_new(source: World, target: World) -> None:
    first = exported(source.store)
    imported(target.store, first)
    source.ok("tasks_undo")
    task = source.task("more", "and more")
    source.close(task, "s:0")
    source.ok("tasks_move", task=task, path="s:1", parent="s:0")
    source.ok("tasks_delete", task="TASK-001")
    last = exported(source.store)

    (done,) = imported(target.store, last)

    assert (done.operations, done.after) == (5, lines_of(first)[-2]["head"]["seq"])
    check_equal(target, source, last)


def test_a_dry_run_says_what_would_come_and_stores_nothing(source: World, target: World) -> None:
    data = exported(source.store)

    (would,) = imported(target.store, data, dry_run=True)

    assert target.store.workspaces() == []
    (done,) = imported(target.store, data)
    assert would == done


def test_several_workspaces_arrive_together_or_one_alone(source: World, target: World) -> None:
    other = World(source.store, "acme/other")
    other.close(other.task("a step", "another"), "s:0")
    data = exported(source.store, "acme/other", WORKSPACE)

    alone = imported(target.store, data, only="acme/other")
    both = imported(target.store, data)

    assert [(done.workspace, done.operations > 0) for done in alone] == [("acme/other", True)]
    assert [(done.workspace, done.operations > 0) for done in both] == [("acme/other", False), (WORKSPACE, True)]
    for name in ("acme/other", WORKSPACE):
        assert target.everything(name) == source.everything(name)
    assert doctor.check_store(target.store).findings == []


def test_texts_come_back_byte_for_byte_credentials_too(tmp_path: Path, target: World) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    with closing(new_store("sqlite", tmp_path)) as store:
        source = World(store, secrets="allow")
        text = f"{token} \u2028 \x7f \x1b[2J \\ud800 \u202e 漢 \U0001f600\r\n"
        source.ok("tasks_note", task=source.task(), note=text)
        data = exported(store)

        imported(target.store, data)

        assert token.encode() in data
        check_equal(target, source, data)
        assert any(json.loads(row[-1]).get("note") == text for row in target.everything()["events"])


def test_leases_and_records_of_packages_stay_behind(source: World, target: World) -> None:
    with source.store.writing(WORKSPACE) as transaction:
        rows = [("/a/folder", "auth", "{}")]
        transaction.apply(Changes(transaction.head(), leases=[("main tester", "2026-01-01")], written=rows))
        transaction.commit()

    imported(target.store, exported(source.store))

    with target.store.reading(WORKSPACE) as snapshot:
        assert snapshot.lease("main tester") is None
        assert snapshot.written("/a/folder", "auth") is None
    assert target.everything() == source.everything()


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_an_export_is_one_moment_while_others_write(kind: str, tmp_path: Path, target: World) -> None:
    with closing(new_store(kind, tmp_path)) as store, closing(reopened_store(store, tmp_path)) as beside:
        source, writer = World(store), World(beside)
        tell(source)
        before = source.everything()
        file = io.BytesIO()

        def write(data: bytes) -> None:
            file.write(data)
            if len(file.getvalue()) % 3 == 0:
                writer.task("written meanwhile")

        export_workspaces(store, [WORKSPACE], write, ignore, version="0.1.0", at="now")

        imported(target.store, file.getvalue())
        assert source.everything()["head"].seq > before["head"].seq
        assert target.everything() == before


class Carried(Recorded):
    """Any history is carried to each kind of store, and there every view of its past is asked for."""

    def teardown(self) -> None:
        here, data = self.one.world, exported(self.one.world.store) if self.one.kept["head"].seq else b""
        try:
            for kind in STORES if data else ():
                with empty_world(kind) as moved:
                    moved.caller = here.caller
                    imported(moved.store, data)
                    check_equal(moved, here, data)
                    self.check_past(moved)
        finally:
            here.store.close()

    def check_past(self, moved: World) -> None:
        for seq in list(self.seen)[:: max(1, len(self.seen) // 4)]:
            for (tool, given), _ in self.seen[seq]:
                asked: dict[str, Any] = {**given, "max_chars": 1_000_000, "at": seq}
                assert moved.ask(tool, **asked).text == self.one.world.ask(tool, **asked).text


def test_any_history_is_the_same_in_any_store_and_so_is_its_past() -> None:
    run_state_machine_as_test(
        Carried,
        settings=settings(
            max_examples=6,
            stateful_step_count=8,
            deadline=None,
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        ),
    )
