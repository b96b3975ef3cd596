"""From the log to the stream: whatever was done, by snapshots and changes a client has the lists that there are."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from gatepost.domain.refusals import InvalidInput
from gatepost.engine import processes
from gatepost.engine.reader import Reader
from gatepost.operations import sessions, todo_stream
from gatepost.operations.todo_snapshots import LONG
from gatepost.operations.todo_stream import ListUpdate
from gatepost.todo import TodoStore
from gatepost.views.todo_payload import Envelope
from gatepost.wire import json_output
from tests.givens import CONFIRMED, World, new_store
from tests.views.test_todo_payload import applied

Row = dict[str, Any]
PROSE = "- [ ] Bake\n- [x] Eat\nTODO: wash up"


class Client:
    """A client as strict as one may be: it takes no delta to a list that it was not sent, nor over a gap."""

    def __init__(self) -> None:
        self.lists: dict[str, list[Row]] = {}
        self.revisions: dict[str, int] = {}
        self.seq = 0
        self.store = TodoStore()

    def take(self, envelope: Envelope) -> None:
        sent = json.loads(json_output.text(envelope))
        self.store.apply({"todo": sent})
        key, revision = sent["scopeKey"], sent["revision"]
        known = self.revisions.get(key)
        if known is not None and revision <= known:
            return
        if sent["op"] not in ("replace", "clear"):
            assert known is not None, f"a delta to {key}, which was never sent"
            assert revision == known + 1, f"a gap in {key} from {known} to {revision}"
        self.lists[key] = applied(self.lists.get(key, []), sent)
        self.revisions[key] = revision

    def connect(self, world: World, since: int | None) -> None:
        sent, self.seq = world.engine.read(world.workspace, world.caller, lambda reader: _connected(reader, since))
        for envelope in sent:
            self.take(envelope)

    def follow(self, updates: list[ListUpdate]) -> None:
        for update in updates:
            self.take(update.envelope)
            self.seq = update.seq


class Looked(NamedTuple):
    """What a follower gets at one look at the log."""

    seq: int
    updates: list[ListUpdate]


def _connected(reader: Reader, since: int | None) -> tuple[list[Envelope], int]:
    return list(todo_stream.snapshots(reader, since)), reader.head().seq


def look(world: World, after: int) -> Looked:
    def read(reader: Reader) -> Looked:
        return Looked(reader.head().seq, todo_stream.changes(reader, after))

    return world.engine.read(world.workspace, world.caller, read)


def snapshot(world: World, scope: str) -> Row:
    envelope = world.engine.read(world.workspace, world.caller, lambda reader: todo_stream.snapshot(reader, scope))
    sent: Row = json.loads(json_output.text(envelope))
    return sent


def changed(world: World, tool: str, /, **given: Any) -> list[Row]:
    """What a call is told as."""
    return [json.loads(json_output.text(update.envelope)) for update in look_after(world, tool, **given)]


def look_after(world: World, tool: str, /, **given: Any) -> list[ListUpdate]:
    before = world.everything()["head"].seq
    world.ok(tool, **given)
    return look(world, before).updates


def shown(world: World, scope: str) -> list[tuple[str, str]]:
    return [(item["title"], item["status"]) for item in snapshot(world, scope).get("items", [])]


@pytest.mark.requirement("stream.scope.task-steps")
def test_a_task_s_steps_are_a_scope_under_its_id_in_tree_order(world: World) -> None:
    task = world.task("Sow", "Reap", "Bake", title="Bread")
    world.ok("tasks_decompose", task=task, path="s:0", steps=[{"title": "Plough"}])
    world.ok("tasks_task_add", task=task, parent_step="s:0", title="Buy seed")
    world.ok("tasks_block", task=task, path="s:1", reason="Rain")
    ids = [world.step(task, path)["step_id"] for path in ("s:0", "s:0.s:0", "s:0.t:0", "s:1", "s:2")]

    found = snapshot(world, task)

    assert (found["op"], found["scopeKey"], found["scopeLabel"]) == ("replace", "TASK-001", "Bread")
    assert found["revision"] == world.revision(task)
    assert [item["id"] for item in found["items"]] == ids
    assert [(item["title"], item["status"]) for item in found["items"]] == [
        ("Sow", "todo"),
        ("Plough", "in_progress"),
        ("Buy seed", "todo"),
        ("Reap", "blocked"),
        ("Bake", "todo"),
    ]


@pytest.mark.requirement("stream.scope.session-lists")
def test_a_session_s_list_is_a_scope_under_its_name(world: World) -> None:
    world.ok("todo_write", items=["Sow", "Reap"], session="a.b:c")

    found = snapshot(world, "a.b:c")

    assert (found["scopeKey"], found["scopeLabel"], found["revision"]) == ("a.b:c", "a.b:c", 1)
    assert [(item["title"], item["status"]) for item in found["items"]] == [("Sow", "todo"), ("Reap", "todo")]


def test_a_close_is_told_as_what_is_done_and_what_comes_next(world: World) -> None:
    task = world.task("Sow", "Reap", "Bake")
    world.close(task, "s:0")
    names = [world.step(task, path)["step_id"] for path in ("s:1", "s:2")]

    told = changed(world, "tasks_close_step", task=task, path="s:1", checkpoints=CONFIRMED)

    assert [(row["op"], row["revision"]) for row in told] == [("patch", 3)]
    assert told[0]["patches"] == [{"id": names[0], "status": "done"}, {"id": names[1], "status": "in_progress"}]


def test_a_step_at_the_end_is_an_upsert_and_one_in_between_a_replace(world: World) -> None:
    task = world.task("Sow", "Reap")

    at_the_end = changed(world, "tasks_decompose", task=task, steps=[{"title": "Bake"}])
    between = changed(world, "tasks_decompose", task=task, path="s:0", steps=[{"title": "Plough"}])

    assert [(row["op"], row["item"]["title"]) for row in at_the_end] == [("upsert", "Bake")]
    assert [row["op"] for row in between] == ["replace"]
    assert [item["title"] for item in between[0]["items"]] == ["Sow", "Plough", "Reap", "Bake"]


@pytest.mark.requirement("stream.emit.middle-is-small")
def test_a_step_put_into_the_middle_of_a_long_list_is_told_by_its_position(world: World) -> None:
    task = world.task(*(f"Step {number}" for number in range(LONG + 1)))

    (told,) = changed(world, "tasks_decompose", task=task, path="s:3", steps=[{"title": "Plough"}])

    assert (told["op"], told["item"]["title"], told["position"]) == ("upsert", "Plough", 4)
    assert [title for title, _ in shown(world, task)][3:6] == ["Step 3", "Plough", "Step 4"]


@pytest.mark.requirement("stream.emit.middle-is-small")
def test_what_comes_into_the_middle_of_a_long_list_at_once_or_moves_what_is_worked_on_is_told_together(
    world: World,
) -> None:
    task = world.task(*(f"Step {number}" for number in range(LONG + 1)))
    world.ok("tasks_note", task=task, note="Begun.")
    client = Client()
    client.connect(world, None)

    updates = look_after(world, "tasks_decompose", task=task, path="s:0", steps=[{"title": "A"}, {"title": "B"}])

    told = json.loads(json_output.text(updates[0].envelope))
    assert [(item["title"], item["status"], item.get("position")) for item in told["items"]] == [
        ("Step 0", "todo", None),
        ("A", "in_progress", 1),
        ("B", "todo", 2),
    ]
    client.follow(updates)
    assert [(item.title, item.status.value) for item in client.store.items(task)] == shown(world, task)
    assert client.lists[task] == snapshot(world, task)["items"]


def test_very_many_steps_at_once_are_the_whole_list(world: World) -> None:
    task = world.task(*(f"Step {number}" for number in range(LONG + 1)))
    several = [{"title": f"More {number}"} for number in range(100)]

    (told,) = changed(world, "tasks_decompose", task=task, path="s:0", steps=several)

    assert told["op"] == "replace"


def test_positions_are_those_of_each_call_where_several_are_told_at_once(world: World) -> None:
    task = world.task(*(f"Step {number}" for number in range(LONG + 1)))
    client = Client()
    client.connect(world, None)
    for number in (5, 2, 2):
        world.ok("tasks_decompose", task=task, path=f"s:{number}", steps=[{"title": f"Under {number}"}])
    world.ok("tasks_delete", task=task, path="s:1")

    _, updates = look(world, client.seq)
    client.follow(updates)

    assert [update.envelope.position for update in updates] == [6, 3, 4, UNSET]
    assert client.lists[task] == snapshot(world, task)["items"]


def test_a_deleted_step_is_a_delete_with_what_stood_below_and_a_deleted_task_a_clear(world: World) -> None:
    task = world.task("Sow", "Reap")
    world.ok("tasks_decompose", task=task, path="s:1", steps=[{"title": "Cut"}])
    names = [world.step(task, path)["step_id"] for path in ("s:1", "s:1.s:0")]

    step = changed(world, "tasks_delete", task=task, path="s:1")
    whole = changed(world, "tasks_delete", task=task)

    assert [(row["op"], row["ids"]) for row in step] == [("delete", names)]
    assert [(row["op"], row["scopeKey"], row["revision"]) for row in whole] == [("clear", task, 4)]
    assert snapshot(world, task) == whole[0]


def test_a_note_takes_a_revision_and_changes_nothing_so_no_client_sees_a_gap(world: World) -> None:
    task = world.task("Sow")
    world.ok("tasks_note", task=task, note="Begun.")
    before = snapshot(world, task)

    told = changed(world, "tasks_note", task=task, note=PROSE)

    assert [(row["op"], row["revision"]) for row in told] == [("patch", before["revision"] + 1)]
    assert applied(before["items"], told[0]) == before["items"]


@pytest.mark.requirement("stream.projection.no-prose")
def test_lists_in_prose_are_nobody_s_items(world: World) -> None:
    task = world.task("Sow", description=PROSE, context=PROSE)
    plan = world.plan(description=PROSE, contract=PROSE)
    world.ok("tasks_note", task=task, path="s:0", note=PROSE)
    world.ok("tasks_define", task=task, path="s:0", criteria=["- [x] Bake"])

    assert shown(world, task) == [("Sow", "in_progress")]
    known = world.engine.read(world.workspace, world.caller, todo_stream.scopes)
    assert plan not in known
    assert known == [task]


def test_a_batch_is_one_envelope_for_each_list_that_it_touched(world: World) -> None:
    one, two = world.task("Sow"), world.task("Reap")
    world.ok("todo_write", items=["Eat"])
    calls = [
        {"tool": "tasks_block", "arguments": {"task": one, "path": "s:0", "reason": "Rain"}},
        {"tool": "todo_write", "arguments": {"items": ["Eat", "Sleep"]}},
        {"tool": "tasks_edit", "arguments": {"task": two, "title": "Harvest"}},
        {"tool": "tasks_note", "arguments": {"task": one, "note": "Still."}},
    ]

    told = changed(world, "tasks_batch", operations=calls)

    assert {row["scopeKey"]: (row["op"], row["revision"], row["scopeLabel"]) for row in told} == {
        one: ("patch", 2, "A task"),
        "main": ("upsert", 2, "main"),
        two: ("patch", 2, "Harvest"),
    }


def test_a_done_task_is_known_as_long_as_it_was_touched_of_late_or_after_what_was_seen(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, other = world.task("Sow"), world.task("Reap")
    before = world.everything()["head"].seq
    world.close(task, "s:0")
    world.ok("tasks_complete", task=task)
    world.ok("todo_write", items=[], session="empty")

    def known(since: int | None = None) -> list[str]:
        return world.engine.read(world.workspace, world.caller, lambda reader: todo_stream.scopes(reader, since))

    assert known() == [other, "empty", task]
    monkeypatch.setattr(todo_stream, "RECENT", 0)
    assert known() == [other, "empty"]
    assert known(before) == [other, "empty", task]


def test_every_page_of_many_scopes_is_known_once(one_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(todo_stream, "_PAGE", 2)
    tasks = [one_world.task("a", "b", "c", "d", "e") for _ in range(5)]
    names = ["m1", "m2", "m3"]
    for name in names:
        one_world.ok("todo_write", items=["x"], session=name)

    assert one_world.engine.read(one_world.workspace, one_world.caller, todo_stream.scopes) == [*tasks, *names]
    assert [title for title, _ in shown(one_world, tasks[4])] == ["a", "b", "c", "d", "e"]


@pytest.mark.requirement("stream.revision.survives-restart", "stream.revision.from-log")
def test_revisions_go_on_where_they_were_after_a_restart_a_deletion_and_an_end(tmp_path: Path) -> None:
    world = World(new_store("sqlite", tmp_path))
    task = world.task("Sow")
    world.ok("todo_write", items=["Eat"])
    world.ok("todo_clear")
    world.ok("tasks_delete", task=task)
    before = {scope: snapshot(world, scope) for scope in (task, "main")}
    world.store.close()

    again = World(new_store("sqlite", tmp_path))
    after = {scope: snapshot(again, scope) for scope in (task, "main")}
    told = [*changed(again, "tasks_undo", task=task), *changed(again, "todo_write", items=["Sleep"])]
    again.store.close()

    assert after == before
    assert [(row["scopeKey"], row["op"], row["revision"]) for row in told] == [
        (task, "replace", before[task]["revision"] + 1),
        ("main", "replace", before["main"]["revision"] + 1),
    ]


def test_a_swept_session_is_cleared_on_the_stream(world: World) -> None:
    world.caller = replace(world.caller, process="/".join([*processes.this().split("/")[:-1], "1"]))
    world.ok("todo_write", items=["Eat"], session="theirs")
    before = world.everything()["head"].seq

    sessions.sweep(world.engine, world.workspace)

    told = [update.envelope for update in look(world, before).updates]
    assert [(row.scope_key, row.op, row.revision) for row in told] == [("theirs", "clear", 2)]


def test_the_end_of_a_wait_is_no_news_in_the_list_of_who_waited(world: World) -> None:
    needed = world.task()
    task = world.task("Sow", depends_on=[needed])
    world.ok("tasks_note", task=task, note="Looked at it.")
    before = snapshot(world, task)

    told = changed(world, "tasks_complete", task=needed)

    assert [row["scopeKey"] for row in told] == [needed]
    assert snapshot(world, task) == before


@pytest.mark.parametrize("scope", ["PLAN-001", "TASK-1", "", "a b", "__proto__", "toString", "x" * 65])
def test_what_can_be_no_scope_is_refused(one_world: World, scope: str) -> None:
    with pytest.raises(InvalidInput):
        snapshot(one_world, scope)


@pytest.mark.parametrize("scope", ["TASK-001", "nobody"])
def test_a_list_that_nobody_wrote_is_clear_at_no_revision(one_world: World, scope: str) -> None:
    found = snapshot(one_world, scope)

    assert found == {"op": "clear", "revision": 0, "scopeKey": scope, "scopeLabel": scope}


def test_the_first_that_is_told_of_a_list_nobody_was_sent_is_the_whole_list(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(todo_stream, "RECENT", 0)
    task = world.task("Sow")
    world.close(task, "s:0")
    world.ok("tasks_complete", task=task)
    client = Client()
    client.connect(world, None)
    assert client.lists == {}

    client.follow(look_after(world, "tasks_note", task=task, note="It grew."))
    client.follow(look_after(world, "todo_write", items=["Eat"]))

    assert {key: [row["title"] for row in rows] for key, rows in client.lists.items()} == {
        task: ["Sow"],
        "main": ["Eat"],
    }


def test_a_claim_sends_no_list_and_takes_no_revision(world: World) -> None:
    world.ok("tasks_create", kind="task", title="Sow", steps=[{"title": f"row {at}"} for at in range(20)])
    before = world.ok("tasks_decompose", task="TASK-001", steps=[{"title": "one more"}])["events"][-1]["seq"]
    world.ok("tasks_claim", task="TASK-001")
    world.ok("tasks_decompose", task="TASK-001", steps=[{"title": "the last"}])
    found = world.engine.read(world.workspace, world.caller, lambda reader: todo_stream.changes(reader, before))
    assert [update.envelope.revision for update in found] == [3]
