"""Steps with their proofs and evidence: `tasks_resume` with `proofs`."""

from typing import Any

from tests.givens import CONFIRMED, World


def steps(world: World, task: str, **arguments: Any) -> list[dict[str, Any]]:
    """Every step of every page."""
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = world.ok("tasks_resume", task=task, proofs=True, **arguments, **cursor)
        found += page["steps"]
        if not page["has_more"]:
            return found
        cursor = {"cursor": page["cursor"]}


def capture(world: World, task: str, content: str, **more: Any) -> int:
    """Capture a text for a step; the event's `seq`."""
    items = [{"kind": "cmd_output", "content": content}]
    reply = world.ok("tasks_evidence_capture", task=task, items=items, **more)
    seq: int = reply["events"][0]["seq"]
    return seq


def test_each_step_comes_with_its_proofs_and_its_evidence_newest_first(world: World) -> None:
    task = world.task("a", "b")
    first = capture(world, task, "one", path="s:0", checkpoints=["tests"])
    world.ok("tasks_close_step", task=task, path="s:0", checkpoints=CONFIRMED)
    second = capture(world, task, "two", path="s:0")

    done, todo = steps(world, task)

    assert {proof["checkpoint"]: proof["provenance"] for proof in done["confirmed"]} == {
        "criteria": "asserted",
        "tests": "evidenced",
    }
    assert [(piece["seq"], piece["content"]) for piece in done["evidence"]] == [(second, "two"), (first, "one")]
    assert next(proof["evidence"] for proof in done["confirmed"] if proof["checkpoint"] == "tests") == first
    assert "evidence" not in todo


def test_without_proofs_a_row_stays_a_row(world: World) -> None:
    task = world.task("a")
    capture(world, task, "one", path="s:0")

    (row,) = world.ok("tasks_resume", task=task)["steps"]

    assert set(row) == {"step_id", "path", "title", "revision", "done", "unconfirmed"}


def test_evidence_is_bounded_and_what_a_proof_rests_on_is_never_left_out(world: World) -> None:
    task = world.task("a")
    rests_on = capture(world, task, "x" * 200_000 + "the end", path="s:0", checkpoints=["tests"])
    world.ok("tasks_close_step", task=task, path="s:0", checkpoints=CONFIRMED)
    for number in range(30):
        capture(world, task, f"run {number}", path="s:0")

    (step,) = steps(world, task, max_chars=100_000)

    assert len(step["evidence"]) == 21
    assert step["older_evidence"] == 10
    assert (step["evidence"][0]["content"], step["evidence"][-1]["seq"]) == ("run 29", rests_on)
    kept = step["evidence"][-1]["content"]
    assert len(kept) < 8_100
    assert kept.endswith("the end")
    assert "[192,007 characters are left out here]" in kept


def test_pages_hold_every_step_once_however_small_they_are(world: World) -> None:
    task = world.task(*(f"step {number}" for number in range(40)))
    for number in range(0, 40, 3):
        capture(world, task, f"{number} " * 2_000, path=f"s:{number}")

    for arguments in ({"limit": 7}, {"max_chars": 20_000}, {}, {"limit": 200, "max_chars": 1_000_000}):
        found = steps(world, task, **arguments)

        assert [step["path"] for step in found] == [f"s:{number}" for number in range(40)]
        assert sum("evidence" in step for step in found) == 14


def test_the_evidence_of_the_task_itself_is_on_the_first_page_alone(world: World) -> None:
    task = world.task("a", "b")
    capture(world, task, "of the task")

    first = world.ok("tasks_resume", task=task, proofs=True, limit=1)
    second = world.ok("tasks_resume", task=task, proofs=True, limit=1, cursor=first["cursor"])

    assert [piece["content"] for piece in first["evidence"]] == ["of the task"]
    assert "evidence" not in second
