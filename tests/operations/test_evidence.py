"""Evidence: kept with what it is for, bounded, freed of credentials; it proves nothing by itself."""

import json
from typing import Any

import pytest

from gatepost.engine import doctor
from tests.givens import CONFIRMED, World
from tests.wire.credentials import EVERY

TOKEN = EVERY["ghp"]
NOTE = {"kind": "note", "content": "it works"}
MOST_BYTES = 256_000


def healthy(world: World) -> bool:
    return doctor.examine(world.store, world.workspace).findings == []


def artifacts(world: World) -> list[Any]:
    with world.store.reading(world.workspace) as snapshot:
        return list(snapshot.rows("artifacts"))


def refused(world: World, code: str, **arguments: Any) -> dict[str, Any]:
    """A refused capture leaves no evidence either."""
    before = artifacts(world)
    error = world.no(code, "tasks_evidence_capture", **arguments)
    assert artifacts(world) == before
    return error


def evidence(world: World, task: str, **selector: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = world.ok("tasks_resume", task=task, **selector).get("evidence", [])
    return [{name: value for name, value in piece.items() if name != "seq"} for piece in found]


@pytest.mark.requirement("tasks.evidence.attaches")
@pytest.mark.parametrize("by", ["path", "step_id"])
def test_evidence_for_a_step_stays_with_that_step(world: World, by: str) -> None:
    task = world.task("a", "b")
    name = {"path": "s:1", "step_id": world.step(task, "s:1")["step_id"]}
    items = [
        {"kind": "cmd_output", "title": "unit tests", "content": "12 passed", "command": "pytest", "exit_code": 0}
    ]
    checks = [{"title": "reviewed", "passed": True, "detail": "by hand"}]
    links = [{"title": "the log", "path": "out/log.txt"}]

    reply = world.ok(
        "tasks_evidence_capture", task=task, items=items, checks=checks, attachments=links, **{by: name[by]}
    )

    assert set(reply) == {"task", "revision", "captured", "step", "events", "now", "left"}
    assert (reply["task"], reply["captured"], reply["step"]) == (task, 3, {**name, "title": "b"})
    (event,) = world.logged(reply)
    assert (event["type"], event["path"]) == ("evidence_captured", "s:1")
    assert (event["items"], event["checks"]) == (["cmd_output: unit tests"], ["reviewed"])
    assert event["attachments"] == ["the log"]
    assert evidence(world, task, path="s:1") == [
        {"form": "item", **items[0]},
        {"form": "check", **checks[0]},
        {"form": "attachment", **links[0]},
    ]
    assert evidence(world, task, path="s:0") == evidence(world, task) == []
    assert healthy(world)


@pytest.mark.requirement("tasks.evidence.attaches")
@pytest.mark.parametrize("kind", ["plan", "task"])
def test_evidence_without_a_selector_stays_with_the_task_or_plan_itself(world: World, kind: str) -> None:
    target = world.ok("tasks_create", kind=kind, title="x")["id"]

    reply = world.ok("tasks_evidence_capture", task=target, items=[NOTE])

    assert "step" not in reply
    assert world.logged(reply)[0][kind] == target
    assert evidence(world, target) == [{"form": "item", **NOTE}]


@pytest.mark.requirement("tasks.evidence.attaches")
def test_the_newest_evidence_is_shown_first_and_each_call_in_its_own_order(world: World) -> None:
    task = world.task()
    world.ok("tasks_evidence_capture", task=task, items=[{"kind": "note", "content": name} for name in "ab"])

    world.ok("tasks_evidence_capture", task=task, items=[{"kind": "note", "content": name} for name in "cd"])

    assert [item["content"] for item in evidence(world, task)] == ["c", "d", "a", "b"]


@pytest.mark.requirement("tasks.evidence.attaches")
def test_a_capture_of_nothing_or_for_nothing_is_refused(world: World) -> None:
    task = world.task("a")
    theirs = world.step(world.task("b"), "s:0")["step_id"]

    refused(world, "INVALID_INPUT", task=task)
    refused(world, "INVALID_INPUT", task=task, items=[], checks=[], attachments=[], checkpoints=["docs"])
    refused(world, "UNKNOWN_ID", task="TASK-099", items=[NOTE])
    refused(world, "UNKNOWN_ID", task=task, path="s:9", items=[NOTE])
    refused(world, "UNKNOWN_ID", task=task, step_id=theirs, items=[NOTE])
    refused(world, "REVISION_MISMATCH", task=task, path="s:9", items=[NOTE], expected_revision=9)
    refused(world, "INVALID_INPUT", task=task, items=[{**NOTE, "colour": "red"}])
    refused(world, "INVALID_INPUT", task=task, checks=[{"title": "x", "passed": "yes"}])
    refused(world, "INVALID_INPUT", task=task, checks=[{"passed": True}])
    refused(world, "INVALID_INPUT", task=task, attachments=[{"url": "https://example.org"}])


@pytest.mark.requirement("tasks.evidence.raises-revision")
def test_each_capture_raises_the_revision_by_one_also_when_it_says_the_same(world: World) -> None:
    task = world.task("a")

    revisions = [
        world.ok("tasks_evidence_capture", task=task, path="s:0", items=[NOTE] * 3)["revision"] for _ in range(2)
    ]

    assert revisions == [2, 3]
    assert world.revision(task) == 3
    assert len(evidence(world, task, path="s:0")) == 6


@pytest.mark.requirement("tasks.status.first-evidence")
@pytest.mark.parametrize("selector", [{}, {"path": "s:0"}])
def test_the_first_evidence_makes_a_task_active_in_the_same_call(world: World, selector: dict[str, str]) -> None:
    task = world.task("a")

    first = world.ok("tasks_evidence_capture", task=task, items=[NOTE], **selector)
    second = world.ok("tasks_evidence_capture", task=task, items=[NOTE], **selector)

    assert first["events"][0]["task_status"] == "ACTIVE"
    assert "task_status" not in second["events"][0]
    assert world.ok("tasks_resume", task=task)["target"]["status"] == "ACTIVE"
    assert healthy(world)


@pytest.mark.requirement("tasks.evidence.completes-nothing", "tasks.evidence.names-checkpoints")
def test_evidence_for_every_checkpoint_confirms_none_and_completes_nothing(world: World) -> None:
    task = world.task("a")
    names = ["criteria", "tests", "security", "perf", "docs"]
    passed = [{"title": "all of it", "passed": True}]

    reply = world.ok("tasks_evidence_capture", task=task, path="s:0", checks=passed, checkpoints=names)

    assert world.logged(reply)[0]["checkpoints"] == names
    assert evidence(world, task, path="s:0")[0]["checkpoints"] == names
    step = world.step(task, "s:0")
    assert (step["done"], step["confirmed"], step["unconfirmed"]) == (False, [], names)
    world.no("CHECKPOINTS_NOT_CONFIRMED", "tasks_done", task=task, path="s:0")
    world.no("CHILDREN_OPEN", "tasks_complete", task=task)


@pytest.mark.requirement("tasks.evidence.names-checkpoints")
@pytest.mark.parametrize("names", [["speed"], ["Docs"], "docs", [None], ["docs"] * 6])
def test_a_checkpoint_that_does_not_exist_is_refused(world: World, names: Any) -> None:
    task = world.task("a")

    error = refused(world, "INVALID_INPUT", task=task, path="s:0", items=[NOTE], checkpoints=names)

    assert "checkpoints" in error["message"]


@pytest.mark.requirement("tasks.gate.by-evidence")
@pytest.mark.parametrize("name", ["security", "perf", "docs"])
def test_evidence_for_a_checkpoint_makes_it_count_at_the_gate(world: World, name: str) -> None:
    task = world.task("a", "b")
    world.ok("tasks_evidence_capture", task=task, path="s:0", items=[NOTE], checkpoints=[name])

    call = {"task": task, "path": "s:0", "checkpoints": CONFIRMED}
    error = world.no("CHECKPOINTS_NOT_CONFIRMED", "tasks_close_step", **call)
    world.close(task, "s:1")
    world.ok("tasks_close_step", **{**call, "checkpoints": {**CONFIRMED, name: {"confirmed": True}}})
    world.ok("tasks_complete", task=task)

    assert error["missing"] == [name]
    assert healthy(world)


@pytest.mark.requirement("tasks.gate.by-evidence")
def test_what_evidence_made_count_is_neither_dropped_by_define_nor_asked_twice(world: World) -> None:
    task = world.ok("tasks_create", kind="task", title="t", steps=[{"title": "a", "required": ["docs"]}])["id"]
    world.ok("tasks_evidence_capture", task=task, path="s:0", items=[NOTE], checkpoints=["docs", "perf", "perf"])

    world.ok("tasks_define", task=task, path="s:0", required=[])

    assert world.step(task, "s:0")["unconfirmed"] == ["criteria", "tests", "perf"]
    assert healthy(world)


@pytest.mark.requirement("tasks.gate.by-evidence", "tasks.evidence.completes-nothing")
def test_evidence_for_a_done_step_asks_nothing_more_of_it(world: World) -> None:
    task = world.task("a")
    world.close(task, "s:0")

    world.ok("tasks_evidence_capture", task=task, path="s:0", items=[NOTE], checkpoints=["security"])

    assert "unconfirmed" not in world.step(task, "s:0")
    world.ok("tasks_complete", task=task)
    assert healthy(world)


@pytest.mark.requirement("tasks.evidence.counts")
@pytest.mark.parametrize(
    ("name", "piece"),
    [("items", NOTE), ("checks", {"title": "c"}), ("attachments", {"title": "a", "url": "https://example.org"})],
)
def test_twenty_of_each_are_taken_and_the_twenty_first_refused(
    world: World, name: str, piece: dict[str, Any]
) -> None:
    task = world.task("a")

    reply = world.ok("tasks_evidence_capture", task=task, path="s:0", **{name: [piece] * 20})
    error = refused(world, "INVALID_INPUT", task=task, path="s:0", **{name: [piece] * 21})

    assert reply["captured"] == 20
    assert "20" in error["message"]
    assert "21" in error["message"]


@pytest.mark.requirement("tasks.evidence.counts")
def test_twenty_of_all_three_are_taken_in_one_call(world: World) -> None:
    task = world.task()
    most = {"items": [NOTE] * 20, "checks": [{"title": "c"}] * 20, "attachments": [{"title": "a"}] * 20}

    assert world.ok("tasks_evidence_capture", task=task, **most)["captured"] == 60
    assert len(artifacts(world)) == 60


@pytest.mark.requirement("tasks.evidence.bytes")
@pytest.mark.parametrize("letter", ["x", "é", "€", "🐢", "\n", '"'], ids=ascii)
def test_an_artifact_of_the_most_bytes_is_taken_whole_whatever_it_is_written_in(world: World, letter: str) -> None:
    task = world.task()
    room = MOST_BYTES - 1
    content = "." + letter * (room // len(letter.encode())) + "." * (room % len(letter.encode()))
    assert len(content.encode()) == MOST_BYTES

    world.ok("tasks_evidence_capture", task=task, items=[{"kind": "cmd_output", "content": content}])
    refused(world, "TOO_LARGE", task=task, items=[{"kind": "cmd_output", "content": content + "."}])

    whole = evidence_in_full(world, task)
    assert whole == [{"form": "item", "kind": "cmd_output", "content": content}]


def evidence_in_full(world: World, task: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = world.ok("tasks_resume", task=task, max_chars=1_000_000).get("evidence", [])
    return [{name: value for name, value in piece.items() if name != "seq"} for piece in found]


@pytest.mark.requirement("tasks.evidence.bytes")
def test_a_detail_that_is_too_large_is_refused_by_its_place(world: World) -> None:
    task = world.task()
    checks = [{"title": "small"}, {"title": "large", "detail": "€" * (MOST_BYTES // 3 + 1)}]

    error = refused(world, "TOO_LARGE", task=task, items=[NOTE], checks=checks)

    assert error["field"].startswith("checks[1]")
    assert "256,000" in error["message"]


@pytest.mark.requirement("tasks.evidence.kinds")
@pytest.mark.parametrize("kind", ["cmd_output", "diff", "url", "file", "note"])
def test_each_of_the_five_kinds_is_taken(world: World, kind: str) -> None:
    task = world.task("a")
    item = {"kind": kind, "url": "https://example.org", "path": "src/a.py", "content": "x"}

    reply = world.ok("tasks_evidence_capture", task=task, path="s:0", items=[item])

    assert world.logged(reply)[0]["items"] == [f"{kind}: https://example.org"]
    assert evidence(world, task, path="s:0") == [{"form": "item", **item}]


@pytest.mark.requirement("tasks.evidence.kinds")
@pytest.mark.parametrize("kind", ["screenshot", "NOTE", "", None, 1])
def test_any_other_kind_is_refused(world: World, kind: Any) -> None:
    task = world.task("a")

    error = refused(world, "INVALID_INPUT", task=task, items=[{"kind": kind, "content": "x"}])
    refused(world, "INVALID_INPUT", task=task, items=[{"content": "x"}])

    assert error["problems"][0]["field"] == "items[0].kind"


@pytest.mark.requirement("secrets.captured.redacted")
@pytest.mark.parametrize("before", [0, 1, 120, 180, 190, 195])
def test_a_secret_in_captured_output_is_redacted_before_it_is_stored_and_counted(world: World, before: int) -> None:
    task = world.task("a")
    line = "x" * before + " " + TOKEN
    items = [
        {"kind": "cmd_output", "command": line, "content": f"export TOKEN={TOKEN}\n{line}\n"},
        {"kind": "note", "content": "ok"},
    ]
    checks = [{"title": "curl", "detail": f"Bearer {TOKEN}"}]

    reply = world.ok("tasks_evidence_capture", task=task, path="s:0", items=items, checks=checks)
    kept = [json.loads(row[3]) for row in world.everything()["artifacts"]]

    assert TOKEN[:9] not in str(world.everything())
    assert reply["redacted"] == 4
    assert [piece.get("redacted") for piece in kept] == [3, None, 1]
    assert kept[0]["content"] == f"export TOKEN=[redacted: GitHub token]\n{'x' * before} [redacted: GitHub token]\n"


@pytest.mark.requirement("secrets.refused.field-and-kind")
@pytest.mark.parametrize(
    ("part", "field"),
    [
        ({"items": [{"kind": "url", "title": TOKEN}]}, "items[0].title"),
        ({"items": [{"kind": "url", "url": f"https://a.dev/{TOKEN}"}]}, "items[0].url"),
        ({"checks": [{"title": "x"}, {"title": TOKEN}]}, "checks[1].title"),
        ({"attachments": [{"title": "x", "path": f"a/{TOKEN}"}]}, "attachments[0].path"),
    ],
)
def test_what_the_caller_wrote_about_the_evidence_is_refused_as_other_texts_are(
    world: World, part: dict[str, Any], field: str
) -> None:
    task = world.task("a")

    error = world.no("SECRET_FOUND", "tasks_evidence_capture", task=task, **part)

    assert error["found"] == [{"field": field, "kind": "GitHub token"}]
