"""A crash at any moment of writing a package: the next start repairs it, and it is never taken for an edit."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.tsk.projects import FILES, SECTIONS, Project, project
from tests.tsk.victims import crashed

MOMENTS = [
    f"{when}{place}:{number}"
    for when in ("", "after-")
    for place, most in (("open", 4), ("fsync", 5), ("rename", 4))
    for number in range(1, most + 1)
]
ALL_THREE = {
    "operations": [
        {
            "tool": "change_mind",
            "arguments": {"taskdoc": "auth", "selector": selector, "content": f"new {selector}\n"},
        }
        for selector in SECTIONS
    ]
}


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Project]:
    """A project on a file, so that other processes can work in it."""
    with project(tmp_path, "sqlite") as made:
        (made.root / ".gatepost").mkdir()
        yield made


def victim(here: Project, how: str, tool: str, arguments: dict[str, Any]) -> int | None:
    return crashed(here.root, how, tool, arguments)


@pytest.mark.requirement("taskdoc.package.repaired", "taskdoc.package.crash-is-no-edit")
@pytest.mark.requirement("taskdoc.package.after-commit", "taskdoc.package.atomic")
@pytest.mark.parametrize("how", MOMENTS)
def test_a_change_that_was_committed_stands_and_the_next_start_writes_its_package(here: Project, how: str) -> None:
    here.new(goals="old goals", constraints="old constraints", progress="old progress")
    files = {here.file(selector): here.file(selector).read_text() for selector in SECTIONS}

    died = victim(here, how, "tasks_batch", ALL_THREE)

    assert died == -signal.SIGKILL
    for path, old in files.items():
        assert path.read_text() in (old, f"new {path.stem}\n"), "a part of a file"
    assert {row for row in here.doctor() if row.code == "PACKAGE_EDITED"} == set()
    assert here.lint() == []
    here.start()
    assert here.ok("recall_mind")["sections"].keys() == set(SECTIONS)
    assert here.texts() == {selector: f"new {selector}\n" for selector in SECTIONS}
    here.check_face()
    assert here.doctor() == []


@pytest.mark.requirement("taskdoc.package.repaired", "taskdoc.package.crash-is-no-edit")
@pytest.mark.parametrize("how", ["open:1", *(f"rename:{number}" for number in range(1, 5)), "after-rename:4"])
@pytest.mark.parametrize("first", ["change_mind", "start", "tasks_batch"])
def test_a_new_package_that_a_crash_tore_is_whole_after_the_next_start(here: Project, how: str, first: str) -> None:
    died = victim(here, how, "taskdoc_create", {"name": "auth"})
    assert died == -signal.SIGKILL

    here.restart()
    given: dict[str, dict[str, Any]] = {
        "change_mind": {"selector": "goals", "content": "first"},
        "tasks_batch": ALL_THREE,
    }
    if first == "start":
        here.start()
    else:
        here.ok(first, **given[first])

    here.check_face()


@pytest.mark.requirement("taskdoc.package.crash-is-no-edit")
@pytest.mark.parametrize("how", ["rename:1", "rename:2", "after-rename:2"])
def test_a_crash_is_no_edit_for_a_process_that_was_there_before(here: Project, how: str) -> None:
    here.new(goals="one")

    victim(here, how, "change_mind", {"selector": "goals", "content": "two"})
    changed = here.change("goals", "three")

    assert "warnings" not in changed
    assert here.text("goals") == "three"
    here.start()
    here.check_face()


@pytest.mark.requirement("taskdoc.package.crash-is-no-edit")
def test_several_crashes_in_a_row_and_going_back_to_an_older_text_are_no_edit(here: Project) -> None:
    here.new(goals="a")
    here.change("goals", "b")
    for text in ("c", "a", "d"):
        here.unfaced("change_mind", selector="goals", content=text)
    assert here.edited() == set()
    victim(here, "rename:2", "start", {})
    here.unfaced("change_mind", selector="goals", content="e")

    assert here.file("goals").read_text() == "d"
    assert here.edited() == set()
    here.start()
    assert here.text("goals") == "e"
    here.check_face()


@pytest.mark.requirement("taskdoc.package.crash-is-no-edit")
@pytest.mark.parametrize("how", ["rename:1", "rename:2"])
@pytest.mark.parametrize("tool", ["tasks_undo", "taskdoc_adopt", "taskdoc_restore"])
def test_a_crash_of_any_other_change_is_repaired_too(here: Project, tool: str, how: str) -> None:
    here.new(goals="first")
    here.change("goals", "second")
    if tool != "tasks_undo":
        here.file("goals").write_text("outside")
    given = {"selector": "goals"} if tool == "taskdoc_restore" else {}

    victim(here, how, tool, given)

    assert here.edited() == set(), "it was settled before the crash came"
    here.start()
    wanted = {"tasks_undo": "first", "taskdoc_adopt": "outside", "taskdoc_restore": "second"}
    assert here.text("goals") == wanted[tool]
    here.check_face()


@pytest.mark.requirement("taskdoc.tamper.detected", "taskdoc.package.crash-is-no-edit")
def test_an_edit_beside_a_crash_is_told_from_it(here: Project) -> None:
    here.new(goals="g", progress="p")
    victim(here, "rename:1", "change_mind", {"selector": "goals", "content": "new g"})
    here.file("progress").write_text("outside")

    here.start()

    assert here.edited() == {"progress"}
    assert here.file("goals").read_text() == "new g"
    assert here.file("progress").read_text() == "outside"


@pytest.mark.parametrize("how", ["unlink:1", "unlink:2", "unlink:4", "rmdir:1"])
def test_a_creation_that_was_undone_before_a_crash_leaves_no_package_after_the_next_start(
    here: Project, how: str
) -> None:
    here.new()
    died = victim(here, how, "tasks_undo", {})
    assert died == -signal.SIGKILL

    here.start()

    assert not here.package().exists()
    here.ok("taskdoc_create", name="auth")


@pytest.mark.requirement("taskdoc.package.repaired")
@pytest.mark.parametrize("how", ["after-open:1", "rename:1", "rename:2"])
def test_nothing_half_written_is_left_lying_about_after_the_next_start(here: Project, how: str) -> None:
    here.new(goals="one")
    victim(here, how, "change_mind", {"selector": "goals", "content": "two"})
    assert len(list(here.package().iterdir())) == 6, "the crash left something"

    here.start()

    assert sorted(path.name for path in here.package().iterdir()) == FILES
