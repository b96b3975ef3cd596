"""Each source, read from files that the tool wrote (see README.md): what arrives is counted, and what does not."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gatepost.interchange.recognition import recognize
from gatepost.interchange.source_files import SourceUnreadable
from gatepost.interchange.source_names import SOURCES as SOURCE_NAMES
from tests.givens import World
from tests.imports.givens import RECORDED, WRITTEN, claims, imported, kinds, rows, steps


class Expected(NamedTuple):
    source: str
    plans: int
    tasks: int
    steps: int
    closed: int
    completed: int
    left_open: int = 0
    lost: dict[str, int] = {}  # noqa: RUF012 - never written


COUNTED = ("source", "plans", "tasks", "steps", "closed", "completed", "left_open")
STARTED = "steps in progress (they are open here)"
SOURCES = {
    RECORDED / "task-master": Expected("task-master", 2, 6, 9, 3, 1, lost={"cancelled items": 1, STARTED: 1}),
    RECORDED / "backlog": Expected("backlog", 1, 7, 7, 1, 1, 1, {"field assignee": 1}),
    RECORDED / "shrimp": Expected("shrimp", 0, 3, 3, 1, 1),
    RECORDED / "claude/tasks/cf8b70fa-2a0f-433c-84ca-8a93f50b1dbb": Expected("claude", 1, 3, 3, 1, 1),
    RECORDED / "claude/session.jsonl": Expected("claude", 0, 1, 3, 1, 0, lost={STARTED: 1}),
    RECORDED / "codex": Expected("codex", 0, 1, 3, 1, 0, lost={STARTED: 1}),
    RECORDED / "codex/exec.jsonl": Expected("codex", 0, 1, 3, 1, 0),
    WRITTEN / "claude/todos": Expected("claude", 0, 1, 3, 1, 0, lost={STARTED: 1}),
    WRITTEN / "claude/.claude/plans": Expected("claude", 1, 1, 4, 0, 0),
    WRITTEN / "beads": Expected(
        *("beads", 1, 6, 6, 0, 0, 1),
        {
            "deleted issues": 1,
            "links (discovered-from)": 1,
            "field assignee": 1,
            "dependencies that would make a circle": 1,
        },
    ),
    WRITTEN / "spec-kit": Expected("spec-kit", 1, 2, 6, 3, 1),
    WRITTEN / "github": Expected("github", 1, 2, 3, 2, 1, lost={"assignees": 1, "issues closed as not planned": 1}),
    WRITTEN / "markdown": Expected("markdown", 1, 2, 7, 2, 0, lost={"text without a checklist": 1}),
}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.parts[-1])
def test_a_source_is_recognized_and_arrives_once_counted_and_unproven(path: Path, world: World) -> None:
    expected = SOURCES[path]

    rehearsed = imported(world, path, dry_run=True)
    assert not world.everything()["documents"]
    report = imported(world, path)
    before = world.everything()
    again = imported(world, path)

    assert [getattr(report, name) for name in COUNTED] == [getattr(expected, name) for name in COUNTED]
    assert kinds(report) == expected.lost
    assert rehearsed.refused == report.refused == []
    assert [getattr(rehearsed, name) for name in COUNTED] == [getattr(report, name) for name in COUNTED]
    held = rows(world)
    assert [row["kind"] for row in held].count("task") == expected.tasks
    assert sum(len(steps(world, row["id"])) for row in held if row["kind"] == "task") == expected.steps
    assert claims(world) == set()
    assert (again.tasks, again.plans, again.added_steps) == (0, 0, 0)
    assert again.known == expected.tasks + expected.plans
    assert world.everything() == before, "a second import changed something"


def test_what_task_master_wrote_is_mapped_field_by_field(world: World) -> None:
    imported(world, RECORDED / "task-master")

    by_tag = {tag: row for row in rows(world) for tag in row["tags"]}
    refunds = world.ok("tasks_resume", task=by_tag["task-master:master/3"]["id"])["target"]
    checkout, done = by_tag["task-master:master/2"], by_tag["task-master:master/1"]
    below = steps(world, checkout["id"])
    assert (refunds["title"], refunds["description"], refunds["priority"]) == (
        *("Refunds", "Refund a paid order.", "HIGH"),
    )
    assert refunds["depends_on"] == [done["id"], checkout["id"]]
    assert (done["status"], checkout["status"], by_tag["task-master:master/4"]["status"]) == (
        *("DONE", "ACTIVE", "TODO"),
    )
    assert [(step["title"], step["done"]) for step in below] == [
        *(("2.1 Card form", True), ("2.2 3-D Secure", False), ("2.3 Receipt by mail", False)),
    ]
    assert below[1]["blockers"] == ["2.1 is done"]
    assert {proof["provenance"] for proof in below[0]["confirmed"]} == {"asserted"}
    assert {proof["actor"] for proof in below[0]["confirmed"]} == {"import:task-master"}
    (gift,) = steps(world, by_tag["task-master:master/4"]["id"])
    assert gift["blocked"] == "Deferred in Task Master."
    found = world.ok("tasks_lint", task=checkout["id"])["findings"]
    assert "WORD_ALONE" in {each["code"] for each in found}


def test_what_backlog_wrote_keeps_criteria_notes_and_parents(world: World) -> None:
    imported(world, RECORDED / "backlog")

    by_tag = {tag: row for row in rows(world) for tag in row["tags"]}
    (login,) = steps(world, by_tag["backlog:TASK-1"]["id"])
    parent = world.ok("tasks_resume", task=by_tag["backlog:TASK-1"]["id"])["target"]
    contradicted = world.ok("tasks_resume", task=by_tag["backlog:TASK-4"]["id"])
    assert login["criteria"] == ["A wrong password is refused", "The session lasts 30 days"]
    assert login["tests"] == ["Tests pass"]
    assert parent["description"] == "People sign in with their address.\nSecond line."
    assert parent["depends_on"] == [by_tag["backlog:TASK-1.1"]["id"]]
    assert {"web", "auth"} <= set(parent["tags"])
    assert by_tag["backlog:TASK-7"]["title"].endswith("and with a colon, 'quotes' and a # sign")
    assert by_tag["backlog:TASK-2"]["status"] == "TODO", "a note alone is not the first work"
    notes = [note["note"] for note in contradicted["notes"]]
    assert contradicted["target"]["status"] == "ACTIVE"
    assert any("2 of its criteria are not checked there" in note for note in notes), notes
    assert "Final Summary:\nReplaced by the API." in notes


BEADS = '{"id":"a","title":"A","issue_type":"bug"}'
TASK_MASTER = '{"tasks":[{"id":1,"title":"A","subtasks":[]}]}'
NOT_READ: list[tuple[str, dict[str, str], str, str]] = [
    (
        *("of several tools", {".beads/issues.jsonl": BEADS, "tasks.json": TASK_MASTER}, "auto"),
        "several tools: task-master (tasks.json), beads",
    ),
    ("of none", {"x.py": "pass", "x.json": "\xff"}, "auto", "no files of any tool"),
    ("of another one", {"TODO.md": "- [ ] a"}, "beads", "no files of Beads"),
]


@pytest.mark.parametrize("case", NOT_READ, ids=lambda case: case[0])
def test_a_folder_that_is_not_clear_is_refused(case: tuple[str, dict[str, str], str, str], tmp_path: Path) -> None:
    _, files, form, words = case
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="latin-1")

    with pytest.raises(SourceUnreadable) as raised:
        recognize(str(tmp_path), form)

    assert words in raised.value.message


def test_a_folder_is_read_without_what_links_lead_to_outside_of_it(tmp_path: Path) -> None:
    (tmp_path / "elsewhere.md").write_text("- [ ] theirs\n", encoding="utf-8")
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "TODO.md").symlink_to(tmp_path / "elsewhere.md")

    with pytest.raises(SourceUnreadable):
        recognize(str(tmp_path / "repo"), "auto")


def test_of_items_with_one_id_the_one_that_goes_is_named(tmp_path: Path) -> None:
    (tmp_path / "issues.jsonl").write_text(f"{BEADS}\n{BEADS}\n", encoding="utf-8")

    found = recognize(str(tmp_path / "issues.jsonl"), "beads")

    assert found is not None
    assert [loss.what for loss in found.reading.losses] == ["ids that occur twice (the last one counts)"]


OTHER_TEXTS = ("", "[]", "{}", "null", '[{"title": 3}]', '{"tasks": [3]}', "---\nid:", "{" * 9999, "- [ ]")


@pytest.mark.parametrize("form", SOURCE_NAMES)
def test_a_file_of_something_else_is_refused_in_words(form: str, tmp_path: Path, world: World) -> None:
    file = tmp_path / "tasks.md"
    for text in OTHER_TEXTS:
        file.write_text(text, encoding="utf-8")
        try:
            report = imported(world, file, form)
        except SourceUnreadable:
            continue
        assert report.tasks in (0, 1)


def test_tasks_nested_without_end_are_refused_in_words(tmp_path: Path) -> None:
    for depth in (70, 400):
        text = '{"id":1,"title":"T","subtasks":[' * depth + "]}" * depth
        (tmp_path / "tasks.json").write_text(f'{{"tasks":[{text}]}}', encoding="utf-8")
        with pytest.raises(SourceUnreadable, match="nested"):
            recognize(str(tmp_path), "task-master")


def odd(**fields: Any) -> str:
    return json.dumps({"tasks": [{"id": 1, "title": "T", "subtasks": [], **fields}]})


@pytest.mark.parametrize(
    "fields",
    [
        {"title": "x" * 5000, "description": "y" * 40_000},
        {"title": "a\nb\x00\u2028", "details": "\x00"},
        {"subtasks": "none", "dependencies": {"1": 2}, "priority": 7, "status": None},
        {"subtasks": [{"id": True, "title": ["x"]}, 3, None], "dependencies": [1, "1", None, 1.5]},
    ],
    ids=["long", "control", "types", "nested"],
)
def test_odd_values_arrive_or_are_said(fields: dict[str, Any], tmp_path: Path, world: World) -> None:
    file = tmp_path / "tasks.json"
    file.write_text(odd(**fields), encoding="utf-8")

    report = imported(world, file, "task-master")

    assert (report.tasks, report.refused) == (1, [])


JSON_FILES = (
    RECORDED / "task-master/tasks.json",
    RECORDED / "shrimp/tasks.json",
    RECORDED / "claude/tasks/cf8b70fa-2a0f-433c-84ca-8a93f50b1dbb/2.json",
    RECORDED / "claude/session.jsonl",
    *sorted((RECORDED / "codex").iterdir()),
    WRITTEN / "beads/issues.jsonl",
    WRITTEN / "github/issues.json",
)
ANYTHING: tuple[Any, ...] = (None, True, 0, -1, 1.5, "", " ", "x\ny", [], {}, [None], [[]], {"id": {}}, ["1", 1])


@pytest.mark.parametrize("path", JSON_FILES, ids=lambda path: f"{path.parts[-2]}/{path.name[:12]}")
def test_a_file_with_any_value_in_any_place_is_read_or_refused(path: Path, tmp_path: Path) -> None:
    form = next(name for name in SOURCE_NAMES if name in path.parts)
    text = path.read_text(encoding="utf-8")
    values = [json.loads(line) for line in (text.splitlines() if path.suffix == ".jsonl" else [text])]
    file = tmp_path / path.name
    for place in places_in(values):
        for value in ANYTHING:
            changed = json.loads(json.dumps(values))
            put(changed, place, value)
            file.write_text("\n".join(map(json.dumps, changed)), encoding="utf-8")
            with suppress(SourceUnreadable):
                recognize(str(file), form)


def places_in(value: Any) -> list[tuple[Any, ...]]:
    """The way to every value in a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(key, *way) for key, each in inner for way in ((), *places_in(each))]


def put(value: Any, place: tuple[Any, ...], new: Any) -> None:
    for key in place[:-1]:
        value = value[key]
    value[place[-1]] = new


def test_ids_and_labels_that_look_like_another_items_lose_nothing(world: World, tmp_path: Path) -> None:
    labels = [["github:2", "import:unfinished", "\x01import:unfinished", "\x01"], [], []]
    issues = [
        {"number": number, "title": f"Issue {at}", "state": "OPEN", "labels": [{"name": name} for name in given]}
        for at, (number, given) in enumerate(zip((1, 2, 2), labels, strict=True))
    ]
    (tmp_path / "issues.json").write_text(json.dumps(issues), encoding="utf-8")

    report = imported(world, tmp_path / "issues.json")
    again = imported(world, tmp_path / "issues.json")

    assert (report.tasks, again.tasks, again.known) == (3, 0, 3)
    assert {"label github:2", "label import:unfinished"} <= set(rows(world)[0]["tags"])
    assert kinds(report) == {"ids that occur twice (the later one got a number)": 1}
