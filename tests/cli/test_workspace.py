"""Which workspace is meant, and where the store is."""

from pathlib import Path

import pytest

from tests.cli.givens import WORKSPACE, Desk
from tests.givens import World


def test_the_only_workspace_needs_no_name(desk: Desk) -> None:
    desk.passkeys()

    assert "TASK-001" in desk.here("ls").out


def test_of_several_workspaces_one_must_be_named(desk: Desk) -> None:
    desk.passkeys()
    World(desk.world.store, "acme/other").task(title="Elsewhere")

    asked = desk.here("ls")
    named = desk.here("ls", "--workspace", "acme/other")

    assert asked.code == 2
    assert f"The store has acme/other, {WORKSPACE}" in asked.err
    assert "gatepost ls --workspace acme/other" in asked.err
    assert "Elsewhere" in named.out


def test_a_flag_goes_over_a_variable_and_that_over_the_file(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("in/flag", "in/variable", "in/file"):
        World(desk.world.store, name).task(title=f"Task {name}")
    Path("gatepost.toml").write_text('workspace = "in/file"\n', encoding="utf-8")

    by_file = desk.here("ls").out
    monkeypatch.setenv("GATEPOST_WORKSPACE", "in/variable")
    by_variable = desk.here("ls").out
    by_flag = desk.here("ls", "--workspace", "in/flag").out

    assert "Task in/file" in by_file
    assert "Task in/variable" in by_variable
    assert "Task in/flag" in by_flag


@pytest.mark.parametrize("command", [("radar",), ("ls",), ("show", "TASK-001"), ("log",), ("doctor",)])
def test_reading_creates_no_store(desk: Desk, bare: Path, command: tuple[str, ...]) -> None:
    ran = desk.here(*command, "--store", "new/store.db")

    assert ran.code == 3
    assert "there is no store at" in ran.err
    assert "gatepost add 'First task' --workspace acme/repo --store new/store.db" in ran.err
    assert not (bare / "new").exists()


@pytest.mark.requirement("call.workspace.read-unknown")
def test_reading_an_unknown_workspace_creates_nothing(desk: Desk) -> None:
    desk.passkeys()

    ran = desk.here("ls", "--workspace", "acme/unknown")

    assert ran.code == 0
    assert desk.world.store.workspaces() == [WORKSPACE]


def test_the_root_says_where_the_default_store_is(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GATEPOST_STORE")
    words = ("call", "tasks_create", '{"workspace": "a/b", "kind": "task", "title": "x"}')

    made = desk.here(*words, "--root", str(tmp_path / "far"))

    assert made.code == 0
    assert (tmp_path / "far" / ".gatepost" / "gatepost.db").exists()


def test_bad_settings_are_bad_usage(desk: Desk) -> None:
    Path("gatepost.toml").write_text("stoer = 'x'\n", encoding="utf-8")

    ran = desk.here("ls")

    assert ran.code == 2
    assert "`stoer` is not a setting" in ran.err
