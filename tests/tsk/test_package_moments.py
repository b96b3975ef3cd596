"""Packages when something else goes on: many of them, open ones, a bad disk, a meddler, a rehearsal, the doctor."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from gatepost.domain.refusals import DiskRefused
from gatepost.domain.taskdocs import SELECTORS
from gatepost.engine.packages import Package
from gatepost.tsk.packages import DiskPackages
from tests.tsk.projects import Project, project


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Project]:
    """A project with nothing in it yet."""
    with project(tmp_path) as made:
        yield made


@pytest.mark.requirement("taskdoc.package.repaired")
def test_however_many_taskdocs_there_are_all_are_repaired(here: Project) -> None:
    names = [f"doc-{number:02}" for number in range(25)]
    for name in names:
        here.new(name)
        here.unfaced("change_mind", taskdoc=name, selector="goals", content=name)

    here.file("progress", names[-1]).write_text("outside")

    here.start()

    assert [name for name in names if here.file("goals", name).read_text() != name] == []
    assert [finding["taskdoc"] for finding in here.lint()] == [names[-1]]


def test_a_package_that_was_opened_up_is_closed_again_at_the_next_start(here: Project) -> None:
    here.new(goals="g")
    here.package().chmod(0o777)
    here.file("goals").chmod(0o666)

    here.start()

    here.check_face()


def test_permissions_do_not_depend_on_the_umask(here: Project) -> None:
    before = os.umask(0)
    try:
        here.new(goals="g")
    finally:
        os.umask(before)

    here.check_face()


def test_a_hard_link_does_not_carry_a_change_out_of_the_package(here: Project) -> None:
    here.new(goals="log")
    outside = here.root / "outside.md"
    outside.hardlink_to(here.file("goals"))

    here.change("goals", "changed")

    assert outside.read_text() == "log"
    here.check_face()


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("change_mind", {"selector": "goals", "content": "new"}),
        ("change_mind", {"selector": "goals", "clear": True}),
        ("taskdoc_restore", {"selector": "goals", "revision": 1}),
        ("taskdoc_bind", {"taskdoc": "auth", "plan": "PLAN-001"}),
        ("tasks_undo", {}),
        (
            "tasks_batch",
            {"operations": [{"tool": "change_mind", "arguments": {"selector": "goals", "content": "new"}}]},
        ),
    ],
)
def test_whatever_changes_a_taskdoc_says_if_its_package_could_not_be_written(
    here: Project, tool: str, given: dict[str, Any]
) -> None:
    here.plan()
    here.new(goals="first")
    here.change("goals", "second")
    before = here.tree()
    here.engine.packages = Full(str(here.root), SELECTORS)

    reply = here.ok(tool, **given)

    assert "changed" not in reply
    assert "tasks" in " ".join(reply["warnings"])
    assert here.tree() == before
    here.start()
    here.check_face()


class Full(DiskPackages):
    """A folder that takes nothing."""

    def write(self, *given: Any) -> dict[str, str]:
        raise DiskRefused(f"{self.path(given[0])}: No space left on device.", "Make room.")


class Meddler(DiskPackages):
    """A folder where somebody edits goals at the last moment before they are written."""

    @contextmanager
    def locked(self) -> Iterator[None]:
        Path(self._root, self.path("auth"), "goals.md").write_text("at the last moment")
        with super().locked():
            yield


@pytest.mark.requirement("taskdoc.tamper.never-overwritten")
@pytest.mark.parametrize("tool", ["change_mind", "taskdoc_restore", "taskdoc_adopt", "tasks_undo"])
def test_an_edit_at_the_last_moment_is_not_lost(here: Project, tool: str) -> None:
    here.new(goals="first")
    here.change("goals", "second")
    given = {
        "change_mind": {"selector": "goals", "content": "third"},
        "taskdoc_restore": {"selector": "goals"},
        "taskdoc_adopt": {"selector": "goals"},
    }
    if tool in ("taskdoc_restore", "taskdoc_adopt"):
        here.file("goals").write_text("an edit that they know of")
    here.engine.packages = Meddler(str(here.root), SELECTORS)

    here.ok(tool, **given.get(tool, {}))

    files = [body for _, body in here.tree().values() if body is not None]
    kept = "at the last moment" in json.dumps(here.store_rows())
    assert kept or b"at the last moment" in files


class Overtaken(DiskPackages):
    """A folder where another process is quicker: it changes goals before this one looks, or gets the lock."""

    def __init__(self, root: str, moment: str, other: Callable[[], object]) -> None:
        super().__init__(root, SELECTORS)
        self._moment = moment
        self._others = [other]

    def look(self, name: str) -> Package | None:
        self._overtake("look")
        return super().look(name)

    @contextmanager
    def locked(self) -> Iterator[None]:
        self._overtake("lock")
        with super().locked():
            yield

    def _overtake(self, moment: str) -> None:
        if moment == self._moment and self._others:
            self._others.pop()()


@pytest.mark.requirement("taskdoc.package.crash-is-no-edit")
def test_a_reader_that_is_overtaken_by_a_writer_reports_no_edit(tmp_path: Path) -> None:
    with project(tmp_path, "sqlite") as here, project(tmp_path, "sqlite") as other:
        here.new(goals="one")
        here.engine.packages = Overtaken(str(here.root), "look", lambda: other.change("goals", "two"))

        said = here.ok("recall_mind", selector="goals")

        assert "edited" not in said
        assert here.text("goals") == "two"


@pytest.mark.requirement("taskdoc.package.crash-is-no-edit")
@pytest.mark.parametrize("selector", ["goals", "progress"])
def test_a_writer_that_is_overtaken_by_another_warns_of_no_edit_and_writes_nothing_old(
    tmp_path: Path, selector: str
) -> None:
    with project(tmp_path, "sqlite") as here, project(tmp_path, "sqlite") as other:
        here.new(goals="one")
        here.engine.packages = Overtaken(str(here.root), "lock", lambda: other.change("goals", "newest"))

        changed = here.change(selector, "overtaken")

        assert "warnings" not in changed
        assert here.text("goals") == "newest"
        here.check_face()


@pytest.mark.parametrize("tool", ["taskdoc_restore", "taskdoc_adopt"])
def test_a_settlement_that_is_overtaken_writes_nothing_old(tmp_path: Path, tool: str) -> None:
    with project(tmp_path, "sqlite") as here, project(tmp_path, "sqlite") as other:
        here.new(goals="log")
        here.file("goals").write_text("outside")
        other.ok("recall_mind")
        other_settles = "taskdoc_adopt" if tool == "taskdoc_restore" else "taskdoc_restore"
        here.engine.packages = Overtaken(
            str(here.root), "lock", lambda: other.ok(other_settles, taskdoc="auth", selector="goals")
        )

        here.ok(tool, taskdoc="auth", selector="goals")

        here.start()
        here.check_face()


def test_a_rehearsal_writes_nothing_to_disk_not_even_what_a_crash_left_undone(here: Project) -> None:
    here.new(goals="one")
    here.unfaced("change_mind", selector="goals", content="two")
    here.file("progress").write_text("outside")
    here.package("found").mkdir()
    here.file("goals", "found").write_text("unknown")
    before = here.everything()
    here.restart()
    here.engine = here.engine.rehearsing()

    here.ok("recall_mind", taskdoc="auth")
    here.ok("change_mind", taskdoc="auth", selector="goals", content="three")
    here.ok("taskdoc_restore", taskdoc="auth", selector="progress")
    here.ok("taskdoc_adopt", taskdoc="auth")
    here.ok("tasks_undo")

    assert here.everything() == before


@pytest.mark.requirement("taskdoc.tamper.reported-doctor", "guard.integrity.notices")
def test_the_doctors_command_reports_an_edit_and_a_broken_chain(tmp_path: Path) -> None:
    with project(tmp_path, "sqlite") as here:
        (here.root / ".gatepost").mkdir()
        here.new(goals="log")
        store = ("--store", str(tmp_path / "gatepost.db"))
        command = [sys.executable, "-m", "gatepost", "doctor", "--json", *store]
        sound = subprocess.run(command, cwd=here.root, capture_output=True, timeout=240)
        here.file("goals").write_text("outside")
        connection = apsw.Connection(str(tmp_path / "gatepost.db"))
        connection.execute("UPDATE events SET actor = 'somebody else'")
        connection.close()

        found = subprocess.run(command, cwd=here.root, capture_output=True, timeout=240)
        repaired = subprocess.run([*command, "--repair"], cwd=here.root, capture_output=True, timeout=240)

        assert (sound.returncode, found.returncode, repaired.returncode) == (0, 1, 1), sound.stdout
        [report] = json.loads(found.stdout)["workspaces"]
        assert {"PACKAGE_EDITED", "BROKEN_CHAIN"} <= {finding["code"] for finding in report["findings"]}
        assert here.file("goals").read_text() == "outside", "repairing is not settling"
        assert here.text("goals") == "log"
