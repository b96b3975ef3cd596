"""Renamed and archived taskdocs on disk: the package moves, goes and comes back, whatever dies in between."""

import signal
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from gatepost.engine.rows import Changes
from tests.tsk.projects import Project, project
from tests.tsk.test_taskdoc_crashes import victim

pytestmark = pytest.mark.requirement("taskdoc.name.changed", "taskdoc.archive.kept")


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Project]:
    """A project on a file, so that other processes can work in it."""
    with project(tmp_path, "sqlite") as made:
        (made.root / ".gatepost").mkdir()
        made.new(goals="Ship.", constraints="MUST work.", progress="Begun.")
        yield made


def on_disk(here: Project) -> list[str]:
    return sorted(path.name for path in (here.root / "tasks").iterdir())


def test_the_package_moves_with_the_name_and_back_with_undo(here: Project) -> None:
    before = here.texts()

    renamed = here.ok("taskdoc_rename", taskdoc="auth", name="login")

    assert (renamed["path"], on_disk(here)) == ("tasks/login.tsk", ["login.tsk"])
    assert here.meta("login")["taskdoc"] == "login"
    assert here.texts("login") == here.texts("auth") == before
    here.check_face("login")
    here.ok("tasks_undo")
    assert on_disk(here) == ["auth.tsk"]
    here.check_face()
    here.ok("tasks_redo")
    here.check_face("login")
    assert here.doctor() == []


@pytest.mark.parametrize("how", ["rename:1", "after-rename:1", "after-rename:2"])
def test_a_renaming_that_a_crash_cut_short_is_finished_by_the_next_start(here: Project, how: str) -> None:
    died = victim(here, how, "taskdoc_rename", {"taskdoc": "auth", "name": "login"})

    assert died == -signal.SIGKILL
    found = on_disk(here)
    assert found in (["auth.tsk"], ["login.tsk"])
    assert here.edited("login") == set()
    assert {finding.code for finding in here.doctor()} <= {"PACKAGE_LAGS"}
    assert on_disk(here) == found, "a read has written"
    here.start()
    assert on_disk(here) == ["login.tsk"]
    here.check_face("login")
    assert here.doctor() == []


@pytest.mark.parametrize("how", ["unlink:1", "after-unlink:2"])
def test_an_archiving_that_a_crash_cut_short_is_finished_by_the_next_start(here: Project, how: str) -> None:
    died = victim(here, how, "taskdoc_archive", {"taskdoc": "auth"})

    assert died == -signal.SIGKILL
    here.start()
    assert on_disk(here) == []
    assert here.doctor() == []
    assert here.text("goals") == "Ship."
    here.ok("taskdoc_archive", taskdoc="auth", archived=False)
    here.check_face()


def test_an_edit_moves_with_the_package_and_keeps_it_from_being_archived(here: Project) -> None:
    here.file("goals").write_text("From outside.")
    here.ok("taskdoc_rename", taskdoc="auth", name="login")

    assert here.file("goals", "login").read_text() == "From outside."
    assert here.edited("login") == {"goals"}
    refused = here.no("PACKAGE_TAMPERED", "taskdoc_archive", taskdoc="login")
    assert "tasks/login.tsk/goals.md" in refused["message"]
    here.ok("taskdoc_adopt", taskdoc="auth")
    assert here.text("goals") == "From outside."
    (here.package("login") / "meta.json").write_text("{}")
    refused = here.no("PACKAGE_TAMPERED", "taskdoc_archive", taskdoc="login")
    assert refused["recovery"] == "Restore every file of the package, naming no section."
    assert refused["suggestion"]["tool"] == "recall_mind"
    here.ok("taskdoc_restore", taskdoc="login")
    (here.package("login") / "notes.txt").write_text("mine")
    refused = here.no("PACKAGE_TAMPERED", "taskdoc_archive", taskdoc="login")
    assert refused["recovery"] == "Move it out of the package by hand, then send the call again."
    (here.package("login") / "notes.txt").unlink()
    here.ok("taskdoc_archive", taskdoc="login")
    assert on_disk(here) == []


def test_what_stands_under_the_new_name_is_never_written_over(here: Project) -> None:
    here.package("login").mkdir()
    (here.package("login") / "goals.md").write_text("Somebody's.")
    here.no("ALREADY_EXISTS", "taskdoc_rename", taskdoc="auth", name="login")
    here.unfaced("taskdoc_rename", taskdoc="auth", name="login")

    here.start()

    assert here.file("goals", "login").read_text() == "Somebody's."
    assert here.file("goals").read_text() == "Ship."
    assert here.text("goals", "login") == "Ship."
    assert here.doctor() != []


def test_a_package_that_came_back_of_an_archived_taskdoc_is_reported_and_left(here: Project) -> None:
    kept = {path.name: path.read_bytes() for path in here.standing()}
    here.ok("taskdoc_archive", taskdoc="auth")
    here.package().mkdir(mode=0o700)
    for name, body in kept.items():
        (here.package() / name).write_bytes(body)
        (here.package() / name).chmod(0o600)

    here.start()

    assert [finding.code for finding in here.doctor()] == ["PACKAGE_ARCHIVED"]
    assert here.file("goals").read_text() == "Ship."
    here.ok("taskdoc_archive", taskdoc="auth", archived=False)
    here.check_face()
    assert here.doctor() == []


def test_without_a_record_a_package_under_an_earlier_name_is_known_by_its_id(here: Project) -> None:
    here.unfaced("taskdoc_rename", taskdoc="auth", name="login")
    with here.engine.store.writing(here.workspace) as transaction:
        transaction.apply(Changes(transaction.head(), written=((str(here.root.resolve()), "auth", None),)))
        transaction.commit()

    here.start()

    assert on_disk(here) == ["login.tsk"]
    here.check_face("login")


def test_undo_of_a_renaming_gives_back_the_names_that_there_were(tmp_path: Path) -> None:
    with project(tmp_path) as here:
        here.new()
        for name in ("login", "auth", "login"):
            here.ok("taskdoc_rename", taskdoc="auth", name=name)

        here.ok("tasks_undo")

        assert {here.ok("recall_mind", taskdoc=name)["taskdoc"] for name in ("auth", "login")} == {"auth"}


NAMES = ("auth", "login", "sign-in")
State = tuple[str, bool, str]
"""What the taskdoc is called, whether it is archived, and its goals."""


class Naming(RuleBasedStateMachine):
    """A taskdoc goes by many names, is archived and brought back, and crashes come in between."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.opened = project(Path(self.folder.name))
        self.here = self.opened.__enter__()
        self.state: State = ("auth", False, "")
        self.names = {"auth"}
        self.done: list[tuple[State, set[str]]] = []
        self.undone: list[tuple[State, set[str]]] = []
        self.edit: str | None = None
        self.settled = True

    def teardown(self) -> None:
        self.opened.__exit__(None, None, None)
        self.folder.cleanup()

    @initialize()
    def begin(self) -> None:
        self.here.new()
        self.here.new("other")

    @rule(by=st.sampled_from(NAMES), to=st.sampled_from((*NAMES, "other")), crash=st.booleans())
    def rename(self, by: str, to: str, crash: bool) -> None:
        name, archived, text = self.state
        if by not in self.names:
            return
        if to == "other":
            self.here.no("ALREADY_EXISTS", "taskdoc_rename", taskdoc=by, name=to)
            return
        ask = self.here.unfaced if crash else self.here.ok
        renamed = ask("taskdoc_rename", taskdoc=by, name=to)
        assert (renamed["before"], renamed.get("changed", True)) == (name, name != to)
        if renamed.get("changed", True):
            self._did((to, archived, text), crash=crash)
            self.names = {*self.names, to}

    @rule(archived=st.booleans(), crash=st.booleans())
    def archive(self, archived: bool, crash: bool) -> None:
        name, before, text = self.state
        if self.edit is not None and archived and not before:
            self.here.no("PACKAGE_TAMPERED", "taskdoc_archive", taskdoc=name)
            return
        ask = self.here.unfaced if crash else self.here.ok
        assert ask("taskdoc_archive", taskdoc=name, archived=archived).get("changed", True) == (archived != before)
        if archived != before:
            self._did((name, archived, text), crash=crash)

    @rule(by=st.sampled_from(NAMES), text=st.sampled_from(["a", "b"]))
    def change(self, by: str, text: str) -> None:
        name, archived, before = self.state
        given = {"taskdoc": by, "selector": "goals", "content": text}
        if by not in self.names or archived or self.edit is not None:
            codes = {True: "ARCHIVED", False: "PACKAGE_TAMPERED"}
            self.here.no(codes[archived] if by in self.names else "UNKNOWN_ID", "change_mind", **given)
        elif self.here.ok("change_mind", **given).get("changed", True):
            assert text != before
            self._did((name, archived, text))

    @precondition(lambda self: self.settled and not self.state[1] and self.edit is None)
    @rule()
    def edit_from_outside(self) -> None:
        self.edit = f"outsider {len(self.done)}"
        self.here.file("goals", self.state[0]).write_text(self.edit)

    @precondition(lambda self: self.edit is not None)
    @rule()
    def restore(self) -> None:
        self.here.ok("taskdoc_restore", taskdoc=self.state[0], selector="goals")
        self.edit, self.settled = None, True
        self.done.clear()  # it may be a change of its own
        self.undone.clear()

    @precondition(lambda self: self.done and self.edit is None)
    @rule()
    def undo(self) -> None:
        self.here.ok("tasks_undo")
        self.undone.append((self.state, self.names))
        self._is(self.done.pop())

    @precondition(lambda self: self.undone and self.edit is None)
    @rule()
    def redo(self) -> None:
        self.here.ok("tasks_redo")
        self.done.append((self.state, self.names))
        self._is(self.undone.pop())

    @rule()
    def start(self) -> None:
        self.here.start()
        self.settled = True

    @invariant()
    def every_name_leads_to_it_and_it_is_listed_by_the_last(self) -> None:
        name, archived, text = self.state
        for each in self.names:
            found = self.here.ok("recall_mind", taskdoc=each)
            assert (found["taskdoc"], found.get("archived", False)) == (name, archived)
            assert self.here.text("goals", each) == text
        listed = {row["name"] for row in self.here.ok("taskdoc_list", archived=archived)["items"]}
        assert listed == ({name} if archived else {name, "other"})

    @invariant()
    def its_package_is_where_it_should_be_once_everything_is_written(self) -> None:
        name, archived, text = self.state
        if not self.settled:
            return
        assert on_disk(self.here) == sorted([*([] if archived else [f"{name}.tsk"]), "other.tsk"])
        if not archived:
            assert self.here.file("goals", name).read_text() == (text if self.edit is None else self.edit)
        wanted = set() if self.edit is None else {"PACKAGE_EDITED"}
        assert {finding.code for finding in self.here.doctor()} == wanted

    def _did(self, state: State, *, crash: bool = False) -> None:
        self.done.append((self.state, self.names))
        self.undone.clear()
        self.state = state
        self.settled = not crash

    def _is(self, moment: tuple[State, set[str]]) -> None:
        self.state, self.names = moment
        self.settled = True


def test_a_taskdoc_by_any_of_its_names_is_one_and_its_package_follows() -> None:
    run_state_machine_as_test(Naming, settings=settings(max_examples=12, stateful_step_count=15, deadline=None))
