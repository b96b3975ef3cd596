"""`gatepost digest`: made from the files with or without a store, kept on demand, shown to people and programs."""

import json
from pathlib import Path

import pytest

from tests.cli.givens import WORKSPACE, Desk
from tests.givens import World

OTHER = "acme/other"


@pytest.fixture
def garden(bare: Path) -> Path:
    """A small project where the command line stands."""
    (bare / "pyproject.toml").write_text('[project]\nname = "garden"\ndescription = "Grows."\n', encoding="utf-8")
    (bare / "Makefile").write_text("test:\n\tpytest -q\n", encoding="utf-8")
    (bare / "src").mkdir()
    (bare / "src" / "beds.py").write_text("beds = 3\n", encoding="utf-8")
    return bare


@pytest.mark.usefixtures("garden")
def test_a_scan_is_shown_to_people_and_stores_nothing(desk: Desk) -> None:
    desk.passkeys()
    before = desk.world.everything()

    ran = desk.here("digest", "scan")

    assert (ran.code, ran.err) == (0, "")
    assert "garden" in ran.out.splitlines()[0]
    assert "## Commands" in ran.out
    assert "make test" in ran.out
    assert desk.world.everything() == before


def test_a_scan_needs_no_store_and_makes_none(desk: Desk, garden: Path) -> None:
    before = sorted(garden.rglob("*"))

    ran = desk.here("digest", "scan", "--store", "new/store.db")

    assert (ran.code, ran.err) == (0, "")
    assert "garden" in ran.out
    assert sorted(garden.rglob("*")) == before


@pytest.mark.usefixtures("garden")
def test_a_scan_as_json_is_the_operations_reply(desk: Desk) -> None:
    desk.passkeys()

    made = json.loads(desk.here("digest", "scan", "--json").out)

    assert set(made) >= {"summary", "body", "files", "truncated"}
    assert made["files"] == 3


@pytest.mark.usefixtures("garden")
def test_what_is_scanned_with_keep_is_what_is_shown_then(desk: Desk) -> None:
    desk.passkeys()

    scanned = desk.here("digest", "scan", "--keep")
    shown = desk.here("digest", "show")
    programs = json.loads(desk.here("digest", "show", "--json").out)

    assert (scanned.code, shown.code) == (0, 0)
    assert shown.out == scanned.out
    assert (programs["section_key"], programs["revision"], programs["actor"]) == ("workspace-digest", 1, "cli")
    assert desk.world.ok("workspace_digest_get")["body"] == programs["body"]


@pytest.mark.usefixtures("garden")
def test_keeping_the_same_scan_again_changes_nothing(desk: Desk) -> None:
    desk.passkeys()
    desk.here("digest", "scan", "--keep")
    before = desk.world.everything()

    assert desk.here("digest", "scan", "--keep").code == 0
    assert desk.world.everything() == before


@pytest.mark.usefixtures("garden")
def test_a_digest_is_kept_and_shown_under_its_key(desk: Desk) -> None:
    desk.passkeys()

    desk.here("digest", "scan", "--keep", "--key", "tools")

    assert "garden" in desk.here("digest", "show", "--key", "tools").out
    assert "garden" not in desk.here("digest", "show").out
    assert desk.world.ok("workspace_digest_get", section_key="tools")["revision"] == 1


@pytest.mark.usefixtures("garden")
def test_where_none_is_kept_people_are_told_how_to_make_one(desk: Desk) -> None:
    desk.passkeys()

    ran = desk.here("digest", "show")

    assert ran.code == 0
    assert "There is no digest yet" in ran.out
    assert json.loads(desk.here("digest", "show", "--json").out)["body"] is None


@pytest.mark.usefixtures("garden")
def test_of_several_workspaces_one_must_be_named_to_keep_or_show_but_not_to_scan(desk: Desk) -> None:
    desk.passkeys()
    World(desk.world.store, OTHER).task(title="Elsewhere")

    scanned = desk.here("digest", "scan")
    refused = [desk.here("digest", "scan", "--keep"), desk.here("digest", "show")]
    named = desk.here("digest", "scan", "--keep", "--workspace", OTHER)

    assert scanned.code == 0
    assert [ran.code for ran in refused] == [2, 2]
    assert all(f"The store has {OTHER}, {WORKSPACE}" in ran.err for ran in refused)
    assert named.code == 0
    assert desk.world.ok("workspace_digest_get", workspace=OTHER)["revision"] == 1
    assert desk.world.ok("workspace_digest_get")["revision"] == 0


def test_keeping_without_a_store_makes_one_if_the_workspace_is_named(desk: Desk, garden: Path) -> None:
    unnamed = desk.here("digest", "scan", "--keep", "--store", "new/store.db")
    made_none = not (garden / "new").exists()
    named = desk.here("digest", "scan", "--keep", "--store", "new/store.db", "--workspace", WORKSPACE)

    assert (unnamed.code, made_none, named.code) == (3, True, 0)
    shown = desk.here("digest", "show", "--store", "new/store.db")
    assert "garden" in shown.out


def test_showing_creates_no_store(desk: Desk, garden: Path) -> None:
    ran = desk.here("digest", "show", "--store", "new/store.db")

    assert ran.code == 3
    assert "there is no store at" in ran.err
    assert not (garden / "new").exists()


def test_keep_goes_with_scan_alone(desk: Desk) -> None:
    desk.passkeys()

    shown = desk.here("digest", "show", "--keep")
    neither = desk.here("digest")

    assert (shown.code, neither.code) == (2, 2)
    assert "--keep goes with scan" in shown.err


@pytest.mark.parametrize("verb", ["scan", "show"])
def test_what_a_file_says_cannot_steer_the_terminal(desk: Desk, garden: Path, verb: str) -> None:
    desk.passkeys()
    hostile = json.dumps("\x1b[2J\x1b]0;gone\x07 grows")
    (garden / "pyproject.toml").write_text(
        f'[project]\nname = "garden"\ndescription = {hostile}\n', encoding="utf-8"
    )
    desk.here("digest", "scan", "--keep")

    ran = desk.here("digest", verb)

    assert ran.code == 0
    assert "\x1b" not in ran.out
    assert "\x07" not in ran.out


@pytest.mark.usefixtures("garden")
def test_the_log_shows_a_digest_with_its_key(desk: Desk) -> None:
    desk.passkeys()
    desk.here("digest", "scan", "--keep", "--key", "tools")

    line = desk.here("log").out.splitlines()[-1]

    assert "digest_set" in line
    assert "tools" in line


@pytest.mark.usefixtures("garden")
def test_a_scan_is_found_through_the_help(desk: Desk) -> None:
    assert "digest scan|show" in desk.here("--help").out
    assert "Nothing is executed" in " ".join(desk.here("digest", "--help").out.split())


def test_an_unknown_root_is_refused_in_words(desk: Desk) -> None:
    ran = desk.here("digest", "scan", "--root", "nowhere")

    assert ran.code != 0
    assert "nowhere" in ran.err
    assert "Traceback" not in ran.err
