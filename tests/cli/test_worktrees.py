"""The worktrees of one repository share a workspace and a store, and each proves in its own folder."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.givens import PATIENCE
from tests.tsk.test_git_life import git

SETTINGS = 'workspace = "acme/shop"\n\n[checks]\nallow = ["grep"]\n'
CHECKED = {"title": "Say two", "checks": [{"run": ["grep", "two", "a.txt"]}]}


class Shop:
    """A repository with a worktree, and the command line in both."""

    def __init__(self, folder: Path) -> None:
        self.main, self.tree = folder / "shop", folder / "auth"
        git(folder, "init", "-q", "shop")
        (self.main / "a.txt").write_text("one\n")
        (self.main / ".gitignore").write_text(".gatepost/\n")

    def link(self) -> None:
        """Commit everything, and make the worktree."""
        git(self.main, "add", "-A")
        git(self.main, "commit", "-q", "-m", "one")
        git(self.main, "worktree", "add", "-q", str(self.tree))

    def run(self, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "gatepost", *words],
            cwd=folder,
            env={name: value for name, value in os.environ.items() if not name.startswith("GATEPOST_")},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    def call(self, folder: Path, tool: str, **arguments: Any) -> dict[str, Any]:
        done = self.run(folder, "call", tool, json.dumps(arguments))
        assert done.returncode == 0, done.stdout + done.stderr
        reply: dict[str, Any] = json.loads(done.stdout)
        return reply


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return Shop(tmp_path)


@pytest.mark.requirement("crew.worktrees.shared")
@pytest.mark.parametrize("tracked", [True, False], ids=["settings in git", "settings in the main folder only"])
def test_a_task_made_in_one_worktree_is_there_in_the_others(shop: Shop, tracked: bool) -> None:
    if tracked:
        (shop.main / "gatepost.toml").write_text(SETTINGS)
    shop.link()
    (shop.main / "gatepost.toml").write_text(SETTINGS)

    made = shop.call(shop.tree, "tasks_create", kind="task", title="From the worktree")
    listed = shop.call(shop.main, "tasks_context", workspace="acme/shop")

    assert [row["id"] for row in listed["items"]] == [made["id"]]
    assert (shop.main / ".gatepost" / "gatepost.db").exists()
    assert not (shop.tree / ".gatepost").exists()
    below = shop.tree / "src"
    below.mkdir()
    assert shop.call(below, "tasks_context")["items"] == listed["items"]


@pytest.mark.requirement("crew.worktrees.shared")
def test_a_store_that_the_settings_name_is_shared_too(shop: Shop) -> None:
    (shop.main / "gatepost.toml").write_text('workspace = "acme/shop"\nstore = "var/tasks.db"\n')
    (shop.main / "var").mkdir()
    shop.link()

    shop.call(shop.tree, "tasks_create", kind="task", title="t")

    assert (shop.main / "var" / "tasks.db").exists()


@pytest.mark.requirement("crew.worktrees.shared")
def test_a_worktree_that_has_a_store_keeps_it(shop: Shop) -> None:
    shop.link()
    (shop.tree / ".gatepost").mkdir()
    made = json.dumps({"workspace": "acme/shop", "kind": "task", "title": "Older"})
    done = shop.run(shop.tree, "call", "--store", ".gatepost/gatepost.db", "tasks_create", made)
    assert done.returncode == 0, done.stderr

    kept = shop.call(shop.tree, "tasks_context", workspace="acme/shop")
    shop.call(shop.main, "tasks_create", workspace="acme/shop", kind="task", title="Newer")
    shared = shop.call(shop.main, "tasks_context", workspace="acme/shop")

    assert [row["title"] for row in kept["items"]] == ["Older"]
    assert [row["title"] for row in shared["items"]] == ["Newer"]


@pytest.mark.requirement("crew.worktrees.proof")
def test_a_check_runs_in_the_worktree_of_its_caller_and_says_so(shop: Shop) -> None:
    (shop.main / "gatepost.toml").write_text(SETTINGS)
    shop.link()
    assert shop.run(shop.main, "trust", "--yes").returncode == 0
    (shop.tree / "a.txt").write_text("two\n")
    task = shop.call(shop.main, "tasks_create", kind="task", title="t", steps=[CHECKED])["id"]

    there = shop.call(shop.tree, "tasks_check", task=task, path="s:0")
    step = {"task": task, "path": "s:0", "checkpoints": {"criteria": {"confirmed": True}}}
    shop.call(shop.tree, "tasks_close_step", **step)

    assert there["confirmed"] == ["tests"]
    shown = shop.call(shop.main, "tasks_resume", task=task, path="s:0")
    proofs = {proof["checkpoint"]: proof for proof in shown["step"]["confirmed"]}
    assert proofs["tests"]["worktree"] == "auth"
    assert "worktree" not in proofs["criteria"]
    assert shop.run(shop.main, "handoff", task).stdout.count("in worktree auth") == 1
    (shop.main / "a.txt").write_text("three\n")
    assert "stale" not in shop.run(shop.main, "handoff", task).stdout, "it is judged in its own worktree only"
    (shop.tree / "a.txt").write_text("three\n")
    assert "stale" in shop.run(shop.tree, "handoff", task).stdout


@pytest.mark.requirement("crew.worktrees.proof")
def test_captured_evidence_says_which_worktree_it_came_from(shop: Shop) -> None:
    (shop.main / "gatepost.toml").write_text(SETTINGS)
    shop.link()
    task = shop.call(shop.main, "tasks_create", kind="task", title="t", steps=[{"title": "a"}])["id"]

    for folder in (shop.main, shop.tree):
        items = [{"kind": "note", "content": folder.name}]
        shop.call(folder, "tasks_evidence_capture", task=task, path="s:0", items=items)

    shown = shop.call(shop.main, "tasks_resume", task=task, path="s:0")["evidence"]
    assert {piece["content"]: piece.get("worktree") for piece in shown} == {"shop": None, "auth": "auth"}
    said = shop.run(shop.main, "show", task, "s:0").stdout.splitlines()
    assert [line.rpartition(", ")[2] for line in said if line.startswith("  evidence: ")][:1] == [
        "in worktree auth"
    ]
    assert sum("in worktree auth" in line for line in said) == 1


@pytest.mark.requirement("trust.file.as-it-is")
def test_what_a_person_trusts_in_the_main_folder_is_trusted_in_a_worktree_as_long_as_it_is_the_same(
    shop: Shop,
) -> None:
    (shop.main / "gatepost.toml").write_text(SETTINGS)
    shop.link()
    assert json.loads(shop.run(shop.tree, "trust", "--show", "--json").stdout)["state"] == "untrusted"

    shop.run(shop.main, "trust", "--yes")
    same = json.loads(shop.run(shop.tree, "trust", "--show", "--json").stdout)
    (shop.tree / "gatepost.toml").write_text(SETTINGS.replace("grep", "rm"))
    other = json.loads(shop.run(shop.tree, "trust", "--show", "--json").stdout)

    assert (same["state"], same["allowed"]) == ("trusted", ["grep"])
    assert (other["state"], other["allowed"]) == ("changed", [])
