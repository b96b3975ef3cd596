"""A taskdoc's package: the log's face on disk. Edits from outside are seen, never taken, never lost."""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.tsk.projects import FILES, SECTIONS, Project, project

OUTSIDE = "an outsider's text\r\nwithout a final newline"


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Project]:
    """A project with nothing in it yet."""
    with project(tmp_path) as made:
        yield made


def kept_anywhere(here: Project, text: str) -> bool:
    """Whether a text is still to be had: in the store, or in a file."""
    stored = json.dumps(here.store_rows(), ensure_ascii=False)
    spelled = json.dumps(text, ensure_ascii=False)[1:-1]
    twice = json.dumps(spelled, ensure_ascii=False)[1:-1]
    on_disk = [body for _, body in here.tree().values() if body is not None]
    return spelled in stored or twice in stored or any(text.encode() in body for body in on_disk)


@pytest.mark.requirement("taskdoc.package.suffix", "taskdoc.package.place", "taskdoc.package.from-the-start")
@pytest.mark.requirement("taskdoc.effective.empty-section", "taskdoc.format.only-packages")
def test_a_new_taskdoc_has_a_package_with_all_three_files(here: Project) -> None:
    made = here.ok("taskdoc_create", name="auth")

    assert made["path"] == "tasks/auth.tsk"
    assert [path for path, (_, body) in here.tree().items() if body is not None] == [
        f"tasks/auth.tsk/{name}" for name in FILES
    ]
    assert [here.file(selector).read_bytes() for selector in SECTIONS] == [b"", b"", b""]
    here.check_face()


@pytest.mark.requirement("taskdoc.package.meta", "taskdoc.change-mind.byte-for-byte")
def test_after_every_kind_of_change_the_package_is_what_the_log_has(here: Project) -> None:
    here.new()
    for text in ("one\r\n", "\ufefftwo", "three  \n\n", "\U0001d4a2\u2028", ""):
        here.change("goals", text)
        here.check_face()
        assert here.file("goals").read_bytes() == text.encode()
    for tool in ("tasks_undo", "tasks_undo", "tasks_redo", "tasks_undo"):
        here.ok(tool)
        here.check_face()
    here.ok("taskdoc_restore", selector="goals", revision=1)
    here.check_face()
    calls = [
        {"tool": "change_mind", "arguments": {"selector": "goals", "content": "batch"}},
        {"tool": "change_mind", "arguments": {"selector": "progress", "content": "batch"}},
    ]
    here.ok("tasks_batch", operations=calls)
    here.check_face()
    here.file("progress").write_text("outside")
    here.ok("taskdoc_adopt")
    here.check_face()
    here.ok("taskdoc_bind", taskdoc="auth", plan=here.plan())
    here.check_face()

    said = here.meta()["sections"]["progress"]
    assert said["sha256"] == sha256(b"outside").hexdigest()
    assert (said["revision"], said["actor"]) == (2, "tester")


def test_a_batch_may_change_a_section_twice(here: Project) -> None:
    here.new(goals="before")
    calls = [
        {"tool": "change_mind", "arguments": {"selector": "goals", "content": content}}
        for content in ("batch", "batch again")
    ]

    here.ok("tasks_batch", operations=calls)

    assert here.text("goals") == "batch again"
    here.check_face()


@pytest.mark.requirement("call.refused.leaves-no-file", "taskdoc.package.after-commit")
def test_a_refused_or_failed_call_leaves_no_file(here: Project) -> None:
    failing = {"tool": "change_mind", "arguments": {"selector": "goals", "content": " "}}
    making = {"tool": "taskdoc_create", "arguments": {"name": "auth"}}
    changing = {"tool": "change_mind", "arguments": {"selector": "goals", "content": "never"}}

    here.no("INVALID_INPUT", "taskdoc_create", name="../auth")
    here.no("UNKNOWN_ID", "change_mind", selector="goals", content="x")
    here.no("BATCH_FAILED", "tasks_batch", operations=[making, changing, failing])
    assert not (here.root / "tasks").exists()
    here.new(goals="kept")
    here.no("BATCH_FAILED", "tasks_batch", operations=[changing, failing])
    here.no("TOO_LARGE", "change_mind", selector="goals", content="x" * 65_537)
    here.no("REVISION_MISMATCH", "change_mind", selector="goals", content="x", expected_revision=0)

    assert here.text("goals") == "kept"
    here.check_face()


def test_a_rehearsed_call_leaves_no_file(here: Project) -> None:
    here.engine = here.engine.rehearsing()

    here.ok("taskdoc_create", name="auth")

    assert here.tree() == {}


def test_undoing_the_making_of_a_taskdoc_removes_its_package_and_redo_brings_it_back(here: Project) -> None:
    here.new()

    here.ok("tasks_undo")
    gone = here.tree()
    here.ok("tasks_redo")

    assert [path for path in gone if path.startswith("tasks/auth")] == []
    here.check_face()


def test_a_package_that_holds_an_outside_text_outlives_the_undoing(here: Project) -> None:
    here.new()
    here.file("goals").write_text(OUTSIDE)

    undone = here.ok("tasks_undo")

    assert here.file("goals").read_bytes() == OUTSIDE.encode()
    assert "auth.tsk" in " ".join(undone["warnings"])


def test_a_package_that_holds_a_file_of_others_keeps_it_when_the_making_is_undone(here: Project) -> None:
    here.new()
    (here.package() / "attachments-index.md").write_text("an app's own")

    here.ok("tasks_undo")

    assert (here.package() / "attachments-index.md").read_text() == "an app's own"


@pytest.mark.requirement("taskdoc.tamper.detected", "taskdoc.tamper.reported-lint", "guard.integrity.notices")
@pytest.mark.requirement("taskdoc.tamper.reported-doctor", "taskdoc.tamper.readers-get-log")
@pytest.mark.requirement("taskdoc.tamper.never-taken", "taskdoc.tamper.never-overwritten")
@pytest.mark.requirement("taskdoc.tamper.change-refused")
@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("outside", [b"an edit", b"", b" ", b"older", b"\xff\xfe not UTF-8", b"x" * 70_000])
def test_an_edit_is_reported_and_neither_taken_nor_overwritten(
    here: Project, outside: bytes, restarted: bool
) -> None:
    here.new(goals="older", constraints="MUST")
    here.change("goals", "log's text\n")
    here.file("goals").write_bytes(outside)
    if restarted:
        here.start()

    refused = here.no("PACKAGE_TAMPERED", "change_mind", selector="goals", content="mine")
    here.no("PACKAGE_TAMPERED", "change_mind", selector="goals", clear=True)
    here.change("constraints", "others may change")
    here.change("progress", "so may this")
    here.ok("taskdoc_bind", taskdoc="auth", plan=here.plan())

    assert "adopt the text on disk, or restore the log's text" in refused["recovery"]
    assert refused["suggestion"]["tool"] == "recall_mind"
    shown = here.ok("recall_mind", **refused["suggestion"]["arguments"])
    assert (shown["selector"], shown["content"], "edited" in shown) == ("goals", "log's text\n", True)
    assert here.texts() == {"goals": "log's text\n", "constraints": "others may change", "progress": "so may this"}
    assert here.file("goals").read_bytes() == outside
    assert here.file("constraints").read_bytes() == b"others may change"
    assert here.edited() == {"goals"}


@pytest.mark.requirement("taskdoc.tamper.reported-lint")
def test_an_edit_is_shown_as_a_difference_and_the_finding_names_a_call_that_works(here: Project) -> None:
    here.new(goals="first\nsecond\n")
    here.file("goals").write_text("first\nthird\n")

    [finding] = here.lint()
    shown = here.ok(finding["fix"]["tool"], **finding["fix"]["arguments"])

    assert "-second\n+third\n" in shown["edited"]["diff"]
    assert (finding["taskdoc"], finding["selector"]) == ("auth", "goals")


@pytest.mark.requirement("taskdoc.tamper.adopt")
def test_adopting_takes_the_outside_text_as_an_event(here: Project) -> None:
    here.new(goals="log", progress="log")
    here.file("goals").write_bytes(OUTSIDE.encode())
    here.file("progress").write_bytes(b"also")

    one = here.ok("taskdoc_adopt", selector="goals")
    still = here.edited()
    rest = here.ok("taskdoc_adopt")
    none = here.ok("taskdoc_adopt")

    assert (one["adopted"], one["revisions"], still) == (["goals"], {"goals": 2}, {"progress"})
    [event] = here.logged(one)
    assert {key: event[key] for key in ("type", "selector", "taskdoc", "revision", "actor", "because")} == {
        "type": "section_replaced",
        "selector": "goals",
        "taskdoc": "auth",
        "revision": 2,
        "actor": "tester",
        "because": "adopted",
    }
    assert (rest["adopted"], none["adopted"], none.get("changed", True)) == (["progress"], [], False)
    assert here.texts() == {"goals": OUTSIDE, "constraints": "", "progress": "also"}
    here.check_face()


def test_an_adoption_can_be_undone_and_redone(here: Project) -> None:
    here.new(goals="log")
    here.file("goals").write_bytes(OUTSIDE.encode())
    here.ok("taskdoc_adopt")

    here.ok("tasks_undo")
    assert here.text("goals") == "log"
    here.check_face()
    here.ok("tasks_redo")

    assert here.text("goals") == OUTSIDE
    here.check_face()


@pytest.mark.parametrize(("outside", "code"), [(b"x" * 65_537, "TOO_LARGE"), (b"\xff\xfe", "INVALID_INPUT")])
def test_what_no_section_can_hold_is_not_adopted(here: Project, outside: bytes, code: str) -> None:
    here.new(goals="log")
    here.file("goals").write_bytes(outside)

    here.no(code, "taskdoc_adopt")

    assert here.text("goals") == "log"


@pytest.mark.requirement("taskdoc.tamper.restore", "taskdoc.tamper.never-overwritten")
@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("outside", [OUTSIDE, "", "older", "x" * 70_000])
def test_restoring_writes_the_logs_text_as_an_event_and_keeps_the_outside_text(
    here: Project, outside: str, restarted: bool
) -> None:
    here.new(goals="older")
    here.change("goals", "log")
    here.file("goals").write_bytes(outside.encode())
    if restarted:
        here.start()

    restored = here.ok("taskdoc_restore", selector="goals")

    assert [event["because"] for event in restored["events"]] == ["restored"]
    [event] = here.logged(restored)
    assert (event["type"], event["because"], event["selector"]) == ("section_replaced", "restored", "goals")
    assert here.text("goals") == "log"
    assert here.file("goals").read_bytes() == b"log"
    assert kept_anywhere(here, outside)
    here.check_face()
    here.change("goals", "and it may be changed again")
    here.check_face()


@pytest.mark.requirement("taskdoc.tamper.restore")
def test_restoring_a_file_that_is_not_text_keeps_what_it_held(here: Project) -> None:
    here.new(goals="log")
    here.file("goals").write_bytes(b"\xff\xfe bytes")

    here.ok("taskdoc_restore", selector="goals")

    assert here.file("goals").read_bytes() == b"log"
    here.check_face()


def test_restoring_an_earlier_revision_settles_an_edit_too(here: Project) -> None:
    here.new(goals="first")
    here.change("goals", "second")
    here.file("goals").write_bytes(OUTSIDE.encode())

    here.ok("taskdoc_restore", selector="goals", revision=1)

    assert here.text("goals") == "first"
    assert kept_anywhere(here, OUTSIDE)
    here.check_face()


def test_restoring_what_nobody_edited_is_no_change(here: Project) -> None:
    here.new(goals="log")
    before = here.everything()

    restored = here.ok("taskdoc_restore", selector="goals")

    assert (restored["changed"], restored["events"]) == (False, [])
    assert here.everything() == before


@pytest.mark.requirement("taskdoc.tamper.never-overwritten")
@pytest.mark.parametrize("how", ["undo", "batch", "revision"])
def test_no_other_road_writes_over_an_edit_unnoticed(here: Project, how: str) -> None:
    here.new(goals="first")
    here.change("goals", "second")
    here.file("goals").write_bytes(OUTSIDE.encode())

    if how == "undo":
        refused = here.no("UNDO_CONFLICT", "tasks_undo")
        assert "taskdoc auth goals must be restored or adopted first" in refused["message"]
        assert "outside Gatepost.." not in refused["message"]
    elif how == "batch":
        call = {"tool": "change_mind", "arguments": {"selector": "goals", "content": "third"}}
        inner = here.no("BATCH_FAILED", "tasks_batch", operations=[call])
        assert "PACKAGE_TAMPERED" in json.dumps(inner)
    else:
        here.ask("change_mind", selector="goals", content="third", expected_revision=2)

    assert kept_anywhere(here, OUTSIDE)
    assert here.file("goals").read_bytes() == OUTSIDE.encode()
    assert here.edited() == {"goals"}


@pytest.mark.requirement("tasks.undo.conflict", "call.refusal.suggestion-accepted")
def test_an_undo_that_an_edited_file_prevents_takes_nothing_else_and_says_how_to_go_on(here: Project) -> None:
    task = here.task("untouched")
    here.new(goals="first")
    here.change("goals", "second")
    here.file("goals").write_bytes(OUTSIDE.encode())

    refused = here.no("UNDO_CONFLICT", "tasks_undo")

    assert refused["recovery"].startswith("Read the section to see the difference. Then adopt the text on disk")
    assert refused["suggestion"]["tool"] == "recall_mind"
    here.ok("taskdoc_restore", selector="goals")
    assert "tester" in here.ok("tasks_undo")["actor"]
    assert here.step(task, "s:0")["title"] == "untouched"


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("bad", [b"\xff\xfe not UTF-8", b"a\0b"])
def test_a_file_that_cannot_be_adopted_says_how_it_could_be(here: Project, known: bool, bad: bytes) -> None:
    here.task()
    if known:
        here.new(goals="first")
    here.package().mkdir(parents=True, exist_ok=True)
    here.file("goals").write_bytes(bad)

    refused = here.no("INVALID_INPUT", "taskdoc_adopt", taskdoc="auth", selector="goals")

    assert "goals.md" in refused["recovery"]
    assert ("restore the log's text" in refused["recovery"]) is known
    here.file("goals").write_bytes(b"corrected\n")
    assert here.ok("taskdoc_adopt", taskdoc="auth", selector="goals")["adopted"] == ["goals"]


def forged(here: Project, **changes: Any) -> None:
    """Edit goals from outside, and let `meta.json` say that all is well."""
    here.file("goals").write_bytes(OUTSIDE.encode())
    meta = here.meta()
    meta["sections"]["goals"] |= {"sha256": sha256(OUTSIDE.encode()).hexdigest(), **changes}
    (here.package() / "meta.json").write_text(json.dumps(meta))


@pytest.mark.requirement("taskdoc.tamper.detected", "taskdoc.package.crash-is-no-edit")
@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("revision", [0, 1, 2, 3, 10**9, -1, None, "2", True])
def test_an_edit_with_a_forged_meta_is_still_an_edit(here: Project, revision: Any, restarted: bool) -> None:
    here.new(goals="first")
    here.change("goals", "second")
    forged(here, revision=revision, actor="nobody")
    if restarted:
        here.start()

    here.no("PACKAGE_TAMPERED", "change_mind", selector="goals", content="x")

    assert here.edited() == {"goals"}
    assert here.text("goals") == "second"
    assert here.file("goals").read_bytes() == OUTSIDE.encode()


@pytest.mark.requirement("taskdoc.tamper.detected")
def test_an_edit_that_gives_the_package_to_another_workspace_is_noticed(here: Project) -> None:
    here.new(goals="log")
    forged(here)
    meta = here.meta() | {"workspace": "somebody/else"}
    (here.package() / "meta.json").write_text(json.dumps(meta))
    here.restart()

    told = here.ok("recall_mind", selector="goals")

    assert told["content"] == "log"
    assert "edited" in told
    assert [finding.code for finding in here.doctor()] != []
