"""The life of a repository with two clones, by the real git: no text is lost, reading leaves the tree clean."""

import json
import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from gatepost.engine.port import Store
from gatepost.storage.sqlite.store import SqliteStore
from tests.givens import new_store
from tests.tsk.projects import SECTIONS, Project

GIT = ("git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "init.defaultBranch=main")
ALONE = {"PATH": os.environ["PATH"], "HOME": "/", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}


def git(folder: Path, *words: str, fails: bool = False) -> str:
    """What git says in a folder."""
    done = subprocess.run([*GIT, *words], cwd=folder, env=ALONE, capture_output=True, text=True)
    assert (done.returncode != 0) == fails, (words, done.stdout, done.stderr)
    return done.stdout.strip()


class Clone(Project):
    """A clone with a store of its own. Every text that is written in it must be found again in the end."""

    said: set[str]

    def commit(self, why: str) -> None:
        git(self.root, "add", "-A")
        git(self.root, "commit", "-qm", why, "--allow-empty")

    @property
    def status(self) -> str:
        return git(self.root, "status", "--porcelain", "--untracked-files=all")

    def write(self, selector: str, text: str) -> None:
        self.change(selector, text)
        self.said.add(text)

    def kinds(self) -> set[str]:
        """What every report finds; none of them touches the tree."""
        before = self.status, self.tree(), super().everything()
        told = {row["kind"] for row in self.ok("recall_mind").get("findings", [])}
        [listed] = self.ok("taskdoc_list")["items"]
        codes = {f"PACKAGE_{kind.upper()}" for kind in told}
        assert {row["kind"] for row in listed.get("findings", [])} == told
        assert {row["code"] for row in self.ok("tasks_lint")["findings"]} == codes
        assert {row.code for row in self.doctor()} == codes
        assert (self.status, self.tree(), super().everything()) == before
        return told

    def keeps(self) -> str:
        return json.dumps(self.store_rows(), ensure_ascii=False)


@contextmanager
def clone(folder: Path, root: Path, *, tracked: bool, actor: str, stored: bool = True) -> Iterator[Clone]:
    store: Store = new_store("memory", folder)
    if stored:
        store = SqliteStore(str(folder / f"{actor}.db"), synchronous="NORMAL")
    made = Clone(store, root, tracked=tracked)
    made.caller = replace(made.caller, actor=actor)
    made.said = set()
    try:
        yield made
    finally:
        store.close()


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "--bare", "origin.git")
    git(tmp_path, "clone", "-q", "origin.git", "a")
    (tmp_path / "a" / "README.md").write_text("A project.\n")
    git(tmp_path / "a", "add", "-A")
    git(tmp_path / "a", "commit", "-qm", "Begin")
    git(tmp_path / "a", "push", "-q", "origin", "main")
    return tmp_path


def test_tracked_packages_live_through_branches_merges_reverts_and_worktrees(origin: Path) -> None:
    with clone(origin, origin / "a", tracked=True, actor="ann") as a:
        a.new(goals="goals of ann\n", constraints="MUST\n", progress="begun\n")
        a.commit("A taskdoc")
        git(a.root, "push", "-q", "origin", "main")
        assert (a.kinds(), a.status) == (set(), "")
        git(origin, "clone", "-q", "origin.git", "b")
        with clone(origin, origin / "b", tracked=True, actor="bob") as b:
            adopt_a_fresh_clone(a, b)
            switch_branches(a)
            merge_different_sections(a, b)
            merge_the_same_section(a, b)
            revert(a)
            look_from_a_worktree(a, origin / "w")
            for each in (a, b):
                each.start()
                assert each.status == ""
            kept = a.keeps() + b.keeps()
            assert [
                text for text in a.said | b.said if json.dumps(text)[1:-1].replace("\\", "\\\\") not in kept
            ] == []


def adopt_a_fresh_clone(a: Clone, b: Clone) -> None:
    """A clone shows its taskdocs without a store; the first change takes them over, author and time included."""
    written = a.ok("recall_mind", selector="goals")

    shown = b.ok("recall_mind", selector="goals")
    assert (shown["content"], shown["actor"], "not in the store" in shown["hint"]) == (
        "goals of ann\n",
        "ann",
        True,
    )
    assert b.ok("recall_mind")["content"] == a.ok("recall_mind")["content"]
    [listed] = b.ok("taskdoc_list")["items"]
    assert (listed["name"], listed["adopted"]) == ("auth", False)
    assert (b.store.workspaces(), b.status) == ([], "")
    b.start()

    adopted = b.ok("recall_mind", selector="goals")
    assert [adopted[key] for key in ("content", "actor", "updated_at")] == [
        written[key] for key in ("content", "actor", "updated_at")
    ]
    assert (b.kinds(), b.status) == (set(), "")


def switch_branches(a: Clone) -> None:
    """A branch switch is a checkout: offered for following, refused for changing, and clean all the way."""
    git(a.root, "checkout", "-qb", "feature")
    a.write("goals", "goals of the feature\n")
    a.commit("Other goals")
    assert (a.kinds(), a.status) == (set(), "")

    git(a.root, "checkout", "-q", "main")
    assert (a.kinds(), a.status, a.text("goals")) == ({"checkout"}, "", "goals of the feature\n")
    refused = a.no("PACKAGE_TAMPERED", "change_mind", selector="goals", content="mine")
    assert "follow the checkout" in refused["recovery"]
    a.write("progress", "on both\n")
    assert a.kinds() == {"checkout"}, "a change beside it does not make it an edit"
    git(a.root, "checkout", "-q", "--", ".")
    a.ok("taskdoc_adopt", selector="goals")
    assert (a.text("goals"), a.ok("recall_mind", selector="goals")["actor"]) == ("goals of ann\n", "ann")

    a.ok("taskdoc_adopt")
    git(a.root, "checkout", "-q", "-f", "feature")
    assert a.kinds() == {"checkout"}
    a.ok("taskdoc_restore")
    assert a.file("goals").read_text() == "goals of ann\n"
    git(a.root, "checkout", "-q", "-f", "main")
    a.ok("taskdoc_adopt")
    a.ok("taskdoc_restore")
    a.commit("As it is")
    assert (a.kinds(), a.status) == (set(), "")
    git(a.root, "push", "-q", "origin", "main")


def merge_different_sections(a: Clone, b: Clone) -> None:
    """Two sides that change different sections merge without a conflict; what came keeps its author."""
    git(b.root, "pull", "-q", "--no-rebase")
    b.ok("taskdoc_adopt", taskdoc="auth")
    b.write("constraints", "MUST of bob\n")
    b.commit("Rules")
    git(b.root, "push", "-q", "origin", "main")
    stamp = b.ok("recall_mind", selector="constraints")
    a.write("progress", "progress of ann\n")
    a.commit("Progress")

    git(a.root, "pull", "-q", "--no-rebase", "--no-edit")

    assert (a.kinds(), a.status) == ({"checkout"}, "")
    a.ok("taskdoc_adopt")
    said = a.ok("recall_mind", selector="constraints")
    assert [said[key] for key in ("content", "actor", "updated_at")] == [
        stamp[key] for key in ("content", "actor", "updated_at")
    ]
    a.commit("Followed")
    assert (a.kinds(), a.status) == (set(), "")
    git(a.root, "push", "-q", "origin", "main")


def merge_the_same_section(a: Clone, b: Clone) -> None:
    """Both sides change a section: git's markers are refused, and the resolved text is taken."""
    git(b.root, "pull", "-q", "--no-rebase")
    b.ok("taskdoc_adopt")
    b.write("goals", "goals of bob\n")
    b.commit("Goals")
    git(b.root, "push", "-q", "origin", "main")
    a.write("goals", "other goals of ann\n")
    a.commit("Goals too")

    git(a.root, "pull", "-q", "--no-rebase", "--no-edit", fails=True)

    assert [line for line in a.status.split("\n") if "U" in line[:2]] == ["UU tasks/auth.tsk/goals.md"]
    json.loads((a.package() / "meta.json").read_bytes())
    assert a.kinds() == {"conflict"}
    a.no("PACKAGE_TAMPERED", "taskdoc_adopt")
    a.no("PACKAGE_TAMPERED", "change_mind", selector="goals", content="mine")
    a.file("goals").write_text("goals of both\n")
    a.ok("taskdoc_adopt")
    a.said.add("goals of both\n")
    a.commit("Merged")
    assert (a.kinds(), a.status, a.text("goals")) == (set(), "", "goals of both\n")
    git(a.root, "push", "-q", "origin", "main")
    git(b.root, "pull", "-q", "--no-rebase")
    b.ok("taskdoc_adopt")
    assert (b.text("goals"), b.kinds(), b.status) == ("goals of both\n", set(), "")


def revert(a: Clone) -> None:
    """A revert brings a text that is known: it can be followed, and the tree stays clean."""
    a.write("goals", "goals too many\n")
    a.commit("Too many")
    git(a.root, "revert", "--no-edit", "HEAD")

    assert (a.kinds(), a.status, a.text("goals")) == ({"checkout"}, "", "goals too many\n")
    a.ok("taskdoc_adopt")
    assert (a.kinds(), a.status, a.text("goals")) == (set(), "", "goals of both\n")


def look_from_a_worktree(a: Clone, folder: Path) -> None:
    """A worktree on the same store has a record of its own: nothing there is taken for somebody's act."""
    git(a.root, "worktree", "add", "-q", str(folder))
    there = Clone(a.store, folder, tracked=True)
    there.said = set()

    assert (there.kinds(), there.status) == (set(), "")
    there.write("progress", "from the worktree\n")
    assert there.kinds() == set()
    assert a.kinds() == {"lags"}, "the other folder is brought up to date by the next change there"
    a.start()
    assert a.kinds() == set()
    a.commit("From the worktree")
    git(a.root, "worktree", "remove", "--force", str(folder))
    a.said |= there.said


def test_a_clone_takes_its_packages_over_without_a_change_to_git(origin: Path) -> None:
    with clone(origin, origin / "a", tracked=True, actor="ann", stored=False) as a:
        a.new(goals="goals\n", progress="begun\n")
        a.change("progress", "")
        a.commit("A taskdoc with two empty sections")
        git(a.root, "push", "-q", "origin", "main")
        git(origin, "clone", "-q", "origin.git", "b")
        with clone(origin, origin / "b", tracked=True, actor="bob", stored=False) as b:
            b.start()

            assert (b.kinds(), b.status) == (set(), "")
            assert b.ok("recall_mind")["sections"]["progress"]["actor"] == "ann"


def test_a_renaming_in_another_clone_is_followed_by_the_same_call(origin: Path) -> None:
    with clone(origin, origin / "a", tracked=True, actor="ann", stored=False) as a:
        a.new(goals="goals\n", progress="begun\n")
        a.commit("A taskdoc")
        git(a.root, "push", "-q", "origin", "main")
        git(origin, "clone", "-q", "origin.git", "b")
        with clone(origin, origin / "b", tracked=True, actor="bob", stored=False) as b:
            b.start()
            a.ok("taskdoc_rename", taskdoc="auth", name="login")
            a.ok("change_mind", selector="goals", content="goals of the login\n")
            a.commit("Another name")
            git(a.root, "push", "-q", "origin", "main")
            git(b.root, "pull", "-q", "--no-rebase")
            b.start()

            told = {row.where: row.says for row in b.doctor()}
            assert "gatepost taskdoc rename auth login accepts that" in told["tasks/login.tsk"]
            b.ok("taskdoc_rename", taskdoc="auth", name="login")
            assert b.kinds() == {"checkout"}
            b.ok("taskdoc_adopt", taskdoc="login")
            assert (b.kinds(), b.status, b.text("goals", "login")) == (set(), "", "goals of the login\n")


def test_ignored_packages_are_nothing_to_git(origin: Path) -> None:
    with clone(origin, origin / "a", tracked=False, actor="ann") as a:
        a.new(goals="goals\n", constraints="MUST\n", progress="begun\n")
        assert (a.status, git(a.root, "ls-files", "tasks")) == ("", "")
        git(a.root, "checkout", "-qb", "feature")
        a.write("goals", "goals of the feature\n")
        (a.root / "README.md").write_text("Another project.\n")
        a.commit("Nothing of it")
        git(a.root, "checkout", "-q", "main")
        git(a.root, "merge", "-q", "--no-edit", "feature")
        git(a.root, "revert", "--no-edit", "HEAD")
        git(a.root, "push", "-q", "origin", "main")
        git(a.root, "worktree", "add", "-q", str(origin / "w"))
        git(origin, "clone", "-q", "origin.git", "b")

        assert (a.kinds(), a.status, a.text("goals")) == (set(), "", "goals of the feature\n")
        assert not any((origin / root / "tasks").exists() for root in ("b", "w"))
        with clone(origin, origin / "b", tracked=False, actor="bob") as b:
            b.new(goals="goals of bob\n")
            git(b.root, "pull", "-q", "--no-rebase")
            assert (b.kinds(), b.status) == (set(), "")
        git(a.root, "clean", "-qfdx", "-e", ".gatepost")
        assert a.kinds() == {"missing_package"}
        a.ok("taskdoc_restore")
        assert (a.kinds(), a.status) == (set(), "")


@pytest.mark.parametrize("tracked", [False, True])
def test_formatters_deletions_and_full_disks_lose_nothing(origin: Path, tracked: bool) -> None:
    with clone(origin, origin / "a", tracked=tracked, actor="ann", stored=False) as a:
        a.new(goals="goals  \nof two lines\n\n", constraints="MUST\r\n", progress="begun\n")
        a.commit("A taskdoc")

        for selector in SECTIONS:  # as pre-commit's own hooks do
            lines = a.file(selector).read_text().split("\n")
            a.file(selector).write_text("\n".join(line.rstrip() for line in lines).rstrip("\n") + "\n")
        assert a.kinds() == {"whitespace"}
        a.write("progress", "going on\n")
        assert (a.kinds(), a.file("goals").read_text()) == (set(), "goals  \nof two lines\n\n")
        a.commit("Going on")
        assert a.status == ""

        shutil.rmtree(a.root / "tasks")
        assert a.kinds() == {"missing_package"}
        a.no("PACKAGE_TAMPERED", "change_mind", selector="goals", content="mine")
        a.ok("taskdoc_restore")
        assert (a.kinds(), a.file("constraints").read_bytes()) == (set(), b"MUST\r\n")
        assert a.status == "", "who restores a text did not write it"

        large = "a large text\n" * 400
        with full_disk():
            changed = a.ok("change_mind", selector="goals", content=large)
        assert "could not be written" in changed["warnings"][0]
        assert (a.kinds(), a.text("goals")) == ({"lags"}, large)
        a.write("progress", "there is room again\n")
        assert (a.kinds(), a.file("goals").read_text()) == (set(), large)
        assert a.doctor() == []


@contextmanager
def full_disk() -> Iterator[None]:
    """No file may grow past a few bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_the_setting_brings_packages_over_with_the_next_change(origin: Path) -> None:
    with clone(origin, origin / "a", tracked=False, actor="ann") as a:
        a.new(goals="goals\n")
        assert sorted(path.name for path in a.package().iterdir())[0] == ".gitignore"
        for tracked, own in ((True, ".gitattributes"), (False, ".gitignore")):
            a.tracked = tracked
            a.restart()
            assert a.kinds() == set()
            a.write("goals", f"tracked: {tracked}\n")

            names = {path.name for path in a.package().iterdir()} - {f"{it}.md" for it in SECTIONS}
            assert (names, a.kinds()) == ({own, "meta.json"}, set())
            meta: dict[str, Any] = a.meta()
            assert ("stamps" in meta, "revision" in json.dumps(meta)) == (tracked, not tracked)
            assert bool(a.status) == tracked
