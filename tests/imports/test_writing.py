"""Writing what was read: it comes once, whole or not at all, and proves nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from gatepost.client.local import LocalClient
from gatepost.interchange.item_calls import UNFINISHED
from gatepost.interchange.items import Criterion, Item, PlanItem, Reading
from tests.givens import World, memory_store
from tests.imports.givens import RECORDED, claims, client_of, imported, in_short, kinds, rows, steps, written

SHOP = Reading(
    plans=(PlanItem(key="p", title="Prices", done=True),),
    items=(
        Item(key="1", title="Read", state="done", plan="p", notes=("Seen.",), criteria=(Criterion("Fast", True),)),
        Item(key="2", title="Store", state="started", plan="p", depends_on=("1",), items=(
            Item(key="2.1", title="Table", state="done", description="One."),
            Item(key="2.2", title="Index", state="blocked", reason="No disk."),
        )),
        Item(key="3", title="Show", depends_on=("2", "1")),
    ),
)  # fmt: skip


class Interrupted(Exception):
    """The power is cut."""


class CutClient(LocalClient):
    """A client whose process dies before its n-th batch."""

    left = 0

    def text(self, tool: str, arguments: dict[str, Any]) -> str:
        if tool == "tasks_batch":
            if self.left == 0:
                raise Interrupted
            self.left -= 1
        return super().text(tool, arguments)


def cut_client(world: World, batches: int) -> CutClient:
    held = client_of(world)
    client = CutClient(held.engine, held.caller)
    client.left = batches
    return client


def test_an_import_goes_on_wherever_it_was_interrupted() -> None:
    whole = World(memory_store())
    written(whole, SHOP)
    batches = 0
    while True:
        world = World(memory_store())
        try:
            written(world, SHOP, client=cut_client(world, batches))
        except Interrupted:
            held = world.ok("tasks_context", tag=UNFINISHED, kind="task")["items"]
            assert all(row["status"] == "TODO" for row in held)
            written(world, SHOP)
        else:
            break
        assert in_short(world) == in_short(whole), batches
        batches += 1
    assert batches > 2
    assert world.ok("tasks_context", tag=UNFINISHED)["items"] == []


def test_a_rerun_adds_what_is_new_and_leaves_what_was_done_here(world: World) -> None:
    written(world, SHOP)
    store = next(row["id"] for row in rows(world) if row["title"] == "Store")
    world.ok("tasks_define", task=store, path="s:1", title="2.2 Index of prices")
    world.ok("tasks_edit", task=store, title="Store prices", priority="CRITICAL")
    before = [(step["path"], step["title"], step["done"]) for step in steps(world, store)]
    read, held, shown = SHOP.items
    grown = replace(
        SHOP,
        items=(
            replace(read, items=(Item(key="1.1", title="Late"),)),
            replace(held, state="done", items=(held.items[0], Item(key="2.3", title="Backup"))),
            shown,
            Item(key="4", title="Sell", plan="p"),
        ),
    )

    report = written(world, grown)
    again = written(world, grown)

    after = [(step["path"], step["title"], step["done"]) for step in steps(world, store)]
    assert (report.tasks, report.plans, report.added_steps, report.known) == (1, 0, 1, 4)
    assert after == [*before, ("s:2", "2.3 Backup", False)]
    assert kinds(report) == {"new steps that were not added (TASK-001 is done here)": 1}
    assert (again.tasks, again.added_steps, again.known) == (0, 0, 5)
    assert [row["status"] for row in rows(world) if row["title"] == "Read"] == ["DONE"]
    later = replace(grown, items=(*grown.items[:2], replace(shown, state="done"), grown.items[3]))
    assert written(world, later).differs == ["3 (TASK-003)"]


POLICIES: list[dict[str, Any]] = [{"proof": "note"}, {"signoff": {"tests": "human"}}, {"approval": "human"}]


@pytest.mark.parametrize("policy", POLICIES, ids=["proof", "signoff", "approval"])
def test_where_a_word_is_not_enough_what_was_done_stays_open_with_a_note(
    policy: dict[str, Any], world: World
) -> None:
    world.ok("tasks_policy", **policy)

    report = written(world, SHOP)

    assert (report.closed, report.completed, report.left_open, report.refused) == (0, 0, 2, [])
    assert all(row["status"] != "DONE" for row in rows(world))
    notes = [note["note"] for note in world.ok("tasks_resume", task="TASK-001")["notes"]]
    assert any("the policy here asks for more than a word" in note for note in notes), notes


def test_what_was_done_can_be_left_open_on_request(world: World) -> None:
    report = written(world, SHOP, leave_open=True)

    assert (report.closed, report.completed, report.left_open) == (0, 0, 2)
    assert world.ok("tasks_context", status="DONE")["items"] == []


@pytest.mark.requirement("proof.provenance.no-forgery")
def test_a_source_that_claims_proofs_gets_a_word_and_no_more(world: World, tmp_path: Path) -> None:
    proof = {"checkpoint": "tests", "basis": "machine", "provenance": "human", "actor": "human:ada", "at": "2026"}
    task = {
        "id": "human:ada",
        "title": "Paid",
        "status": "done",
        "subtasks": [],
        "owner": "human:ada",
        "confirmed": [proof],
        "proof": "machine",
        "signed": {"actor": "human:ada"},
        "checks": [{"run": "true"}],
        "testStrategy": "machine: all tests passed",
        "metadata": {"signoff": proof},
    }
    file = tmp_path / "tasks.json"
    file.write_text(json.dumps({"human": {"tasks": [task]}}), encoding="utf-8")

    report = imported(world, file)

    (step,) = steps(world, "TASK-001")
    assert (report.closed, report.completed) == (1, 1)
    assert claims(world) == set()
    assert [(each["provenance"], each["actor"]) for each in step["confirmed"]] == [
        *[("asserted", "import:task-master")] * 2,
    ]
    assert step["checks"] == []
    codes = {each["code"] for each in world.ok("tasks_lint", task="TASK-001")["findings"]}
    assert "WORD_ALONE" in codes


def test_an_item_that_is_refused_is_named_and_the_others_arrive(world: World) -> None:
    token = "ghp_" + "a8Zk3LmQ9xTr5VbN2wYc7HdJ4fGs6PeU1oIq"
    leaking = replace(SHOP, items=(*SHOP.items, Item(key="9", title="Key", description=f"token {token}")))

    rehearsed = written(world, leaking, dry_run=True)
    report = written(world, leaking)

    assert [(each.key, each.code) for each in report.refused] == [("9", "SECRET_FOUND")]
    assert rehearsed.refused == report.refused
    assert token not in report.refused[0].message
    assert report.tasks == 3


def test_hundreds_of_items_come_in_batches_that_can_be_undone(world: World) -> None:
    many = Reading(items=tuple(Item(key=str(n), title=f"Task {n}", state="done") for n in range(450)))

    report = written(world, many)

    calls = world.ok("tasks_history", limit=200)["operations"]
    assert (report.tasks, report.closed, report.completed) == (450, 450, 450)
    assert len(calls) < 15, "every task would be a commit of its own"
    assert len({row["id"] for page in pages(world) for row in page}) == 450


def test_task_masters_file_arrives_the_same_on_every_store(world: World) -> None:
    memory = World(memory_store())
    imported(memory, RECORDED / "task-master")

    imported(world, RECORDED / "task-master")

    assert in_short(world) == in_short(memory)


def pages(world: World) -> list[list[dict[str, Any]]]:
    found: list[list[dict[str, Any]]] = []
    cursor: dict[str, Any] = {}
    while True:
        page = world.ok("tasks_context", limit=200, max_chars=1_000_000, **cursor)
        found.append(page["items"])
        if not page["has_more"]:
            return found
        cursor = {"cursor": page["cursor"]}
