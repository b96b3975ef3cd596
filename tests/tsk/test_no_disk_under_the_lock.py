"""While a write holds the store's lock, nothing but the store is read from disk: everybody else waits for it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from gatepost.domain.taskdocs import SELECTORS
from gatepost.engine.engine import Engine
from gatepost.engine.packages import Package, SectionFiles, SectionOnDisk
from gatepost.tsk.packages import DiskPackages
from tests.givens import TickingClock, new_store
from tests.tsk.projects import Project


class UnlockedPackages(DiskPackages):
    """Packages on disk that can only be reached while nobody holds the store's lock, and that count the looks."""

    def __init__(self, root: Path) -> None:
        super().__init__(str(root), SELECTORS)
        self.looks: list[str] = []
        self.after_look: list[tuple[Path, str]] = []
        """Edits that come from outside just after the next look."""
        self._rival = apsw.Connection(str(root / "gatepost.db"))

    def names(self) -> list[str]:
        self._check()
        return list(super().names())

    def look(self, name: str) -> Package | None:
        self._check()
        self.looks.append(name)
        seen = super().look(name)
        for path, text in self.after_look:
            path.write_text(text)
        self.after_look = []
        return seen

    @contextmanager
    def locked(self) -> Iterator[None]:
        self._check()
        with super().locked():
            yield

    def remove(self, name: str) -> None:
        self._check()
        super().remove(name)

    def write(
        self, name: str, workspace: str, taskdoc: str, faces: SectionFiles, keep: Mapping[str, SectionOnDisk | None]
    ) -> dict[str, str]:
        self._check()
        return super().write(name, workspace, taskdoc, faces, keep)

    def _check(self) -> None:
        self._rival.execute("BEGIN IMMEDIATE")  # without patience: busy if a write has the lock
        self._rival.execute("ROLLBACK")

    def close(self) -> None:
        self._rival.close()


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    store = new_store("sqlite", tmp_path)
    found = Project(store, tmp_path)
    found.task()
    packages = UnlockedPackages(tmp_path)
    found.engine = Engine(store, TickingClock(), str(tmp_path / ".gatepost"), packages=lambda: packages)
    try:
        yield found
    finally:
        packages.close()
        store.close()


def looks(project: Project) -> list[str]:
    """The looks since the last time."""
    assert isinstance(project.engine.packages, UnlockedPackages)
    found = project.engine.packages.looks
    project.engine.packages.looks = []
    return found


def test_every_call_that_changes_a_taskdoc_looks_at_its_package_without_the_lock(project: Project) -> None:
    project.new(goals="Be quick.")
    project.file("goals").write_text("Edited.\n")
    project.no("PACKAGE_TAMPERED", "change_mind", selector="goals", content="Mine.")
    project.ok("taskdoc_adopt", taskdoc="auth", selector="goals")
    project.file("goals").write_text("Edited again.\n")
    project.ok("taskdoc_restore", taskdoc="auth", selector="goals")
    project.ok("taskdoc_bind", taskdoc="auth", plan=project.plan())
    project.ok("tasks_undo")
    project.ok("tasks_redo")
    project.ok(
        "tasks_batch", operations=[{"tool": "change_mind", "arguments": {"selector": "goals", "content": "B."}}]
    )
    project.ok("tasks_undo")
    project.no("UNKNOWN_ID", "change_mind", taskdoc="nope", selector="goals", content="x")

    assert project.text("goals") == "Edited.\n"
    assert project.file("goals").read_text() == "Edited.\n"


def test_changing_a_section_looks_twice_before_the_lock_and_when_the_package_is_written(project: Project) -> None:
    project.new(goals="Be quick.")
    looks(project)

    project.ok("change_mind", selector="goals", content="Be quicker.")

    assert looks(project) == ["auth", "auth"]


def test_an_undo_of_several_taskdocs_looks_at_all_of_them_at_once(project: Project) -> None:
    for name in ("one", "two", "three"):
        project.ok("taskdoc_create", name=name)
    changes = [
        {"tool": "change_mind", "arguments": {"taskdoc": name, "selector": "goals", "content": name}}
        for name in ("one", "two", "three")
    ]
    project.ok("tasks_batch", operations=changes)
    looks(project)

    project.ok("tasks_undo")

    assert sorted(looks(project)) == sorted(["one", "two", "three"] * 2)


@pytest.mark.parametrize("tool", ["change_mind", "taskdoc_restore"])
def test_an_edit_that_comes_after_the_look_is_told_and_never_overwritten(project: Project, tool: str) -> None:
    project.new(goals="Be quick.")
    arguments: dict[str, Any] = {"selector": "goals", "content": "Be quicker."}
    if tool == "taskdoc_restore":
        project.ok("change_mind", **arguments)
        arguments = {"taskdoc": "auth", "selector": "goals", "revision": 1}
    assert isinstance(project.engine.packages, UnlockedPackages)
    project.engine.packages.after_look = [(project.file("goals"), "From outside.\n")]

    reply = project.ok(tool, **arguments)

    assert "goals.md was edited outside Gatepost. Gatepost did not change it" in reply["warnings"][0]
    assert project.file("goals").read_text() == "From outside.\n"
    project.no("PACKAGE_TAMPERED", "change_mind", selector="goals", content="Once more.")


def test_a_package_that_appears_after_the_look_is_not_overwritten_by_a_new_taskdoc(project: Project) -> None:
    assert isinstance(project.engine.packages, UnlockedPackages)
    project.package().mkdir(parents=True)
    project.engine.packages.after_look = [(project.file("goals"), "Somebody's goals.\n")]
    project.engine.settled.add(project.workspace)

    reply = project.ok("taskdoc_create", name="auth")

    assert "goals.md was edited outside Gatepost" in reply["warnings"][0]
    assert project.file("goals").read_text() == "Somebody's goals.\n"
