"""`gatepost export` and `gatepost import`: what they take, what they say, and how they end."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from gatepost.engine import doctor
from tests.cli.givens import PATIENCE, WORKSPACE, Desk
from tests.cli.terminals import seated
from tests.givens import World, new_store


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Where another store will be."""
    return tmp_path / "other" / "gatepost.db"


def opened(path: Path) -> World:
    return World(new_store("sqlite", path.parent))


def test_a_workspace_goes_from_one_store_to_another_through_a_file(desk: Desk, other: Path) -> None:
    desk.passkeys()
    head = desk.world.everything()["head"]
    end = f"log {head.seq} {head.hash[:16]}"

    out = desk.here("export", "acme.jsonl")
    back = desk.here("import", "acme.jsonl", "--store", str(other))
    again = desk.here("import", "acme.jsonl", "--store", str(other))

    assert (out.code, out.err) == (0, "")
    assert out.out == f"Exported {WORKSPACE}: 3 operations, {head.seq} events; {end}.\n"
    assert back.out == (
        f"Imported {WORKSPACE}: 3 operations, {head.seq} events; {end}. It is the same as in the file.\n"
    )
    assert again == (0, f"{WORKSPACE} is already here, and the same: 0 operations; {end}.\n", "")
    assert opened(other).everything() == desk.world.everything()
    assert doctor.check_store(opened(other).store).findings == []
    assert stat.S_IMODE(Path("acme.jsonl").stat().st_mode) == 0o600


def test_a_pipe_carries_it_and_stdout_has_nothing_else(desk: Desk, other: Path) -> None:
    desk.passkeys()

    out = desk.apart("export")
    back = desk.apart("import", "-", "--store", str(other), stdin=out.out)

    assert [json.loads(line)["line"] for line in out.out.splitlines()][:2] == ["export", "workspace"]
    assert out.err.startswith(f"Exported {WORKSPACE}")
    assert (out.code, back.code, back.err) == (0, 0, "")
    assert opened(other).everything() == desk.world.everything()


def test_all_workspaces_or_one_of_a_file(desk: Desk, other: Path) -> None:
    desk.passkeys()
    World(desk.world.store, "acme/other").task("a")

    unclear = desk.here("export", "x.jsonl")
    out = desk.here("export", "--all", "x.jsonl", "--json")
    one = desk.here("import", "x.jsonl", "--store", str(other), "--workspace", "acme/other", "--json")
    none = desk.here("import", "x.jsonl", "--store", str(other), "--workspace", "acme/none")

    assert unclear.code == 2
    assert "Choose one with --workspace, or export --all." in unclear.err
    reply = json.loads(out.out)
    assert [found["workspace"] for found in reply["workspaces"]] == ["acme/other", WORKSPACE]
    assert reply["workspaces"][0]["counts"]["operations"] == 1
    assert [found["workspace"] for found in json.loads(one.out)["workspaces"]] == ["acme/other"]
    assert opened(other).store.workspaces() == ["acme/other"]
    assert (none.code, "has no workspace acme/none" in none.err) == (3, True)


def test_a_dry_run_creates_no_store(desk: Desk, other: Path) -> None:
    desk.passkeys()
    desk.here("export", "x.jsonl")

    ran = desk.here("import", "x.jsonl", "--store", str(other), "--dry-run")

    assert (ran.code, ran.out.startswith(f"Would import {WORKSPACE}: 3 operations")) == (0, True)
    assert not other.exists()


def test_a_file_is_replaced_only_by_force_and_never_by_half_an_export(desk: Desk) -> None:
    desk.passkeys()
    Path("x.jsonl").write_text("precious", encoding="utf-8")

    refused = desk.here("export", "x.jsonl")
    connection = apsw.Connection(os.environ["GATEPOST_STORE"])
    connection.execute("UPDATE events SET actor = 'nobody' WHERE seq = 3")
    connection.close()
    broken = desk.here("export", "x.jsonl", "--force")

    assert (refused.code, "add --force to replace it" in refused.err) == (4, True)
    assert (broken.code, "is broken at operation" in broken.err, "gatepost doctor" in broken.err) == (1, True, True)
    assert Path("x.jsonl").read_text(encoding="utf-8") == "precious"
    assert list(Path().glob("*.tmp")) == []


def test_an_export_never_takes_the_place_of_a_store_and_needs_a_folder(desk: Desk) -> None:
    desk.passkeys()
    before = desk.world.everything()

    over = desk.here("export", os.environ["GATEPOST_STORE"], "--force")
    nowhere = desk.here("export", "no/such/folder.jsonl")

    assert (over.code, "is a database" in over.err) == (4, True)
    assert (nowhere.code, "does not exist" in nowhere.err) == (2, True)
    assert desk.world.everything() == before


def test_only_known_formats_are_taken_and_the_words_say_which(desk: Desk) -> None:
    desk.passkeys()
    desk.here("export", "x.jsonl")

    out, back = desk.here("export", "--format", "xml"), desk.here("import", "x.jsonl", "--from", "csv")

    assert (out.code, back.code) == (2, 2)
    assert "--format xml is not a format\nChoose one of: jsonl, md, csv, mermaid" in out.err
    assert "--from csv is not a format\nChoose one of: auto, jsonl, task-master, beads" in back.err


def test_what_cannot_be_imported_says_why_and_ends_with_the_code_for_it(desk: Desk, other: Path) -> None:
    desk.passkeys()
    desk.here("export", "x.jsonl")
    lines = Path("x.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    Path("cut.jsonl").write_text("".join(lines[:9]), encoding="utf-8")
    Path("edited.jsonl").write_text("".join(lines).replace("Passkey", "Pass key"), encoding="utf-8")
    desk.world.task("newer")

    def ended(file: str, store: Path | str = other) -> tuple[int, str]:
        ran = desk.here("import", file, "--store", str(store))
        return ran.code, " ".join(ran.err.split())

    assert ended("missing.jsonl") == (
        2,
        "gatepost: cannot read missing.jsonl: No such file or directory Name a file that gatepost export wrote.",
    )
    assert ended(os.environ["GATEPOST_STORE"])[0] == 2
    assert ended("cut.jsonl")[0] == 1
    assert "cut.jsonl, line 10: the file ends here" in ended("cut.jsonl")[1]
    assert ended("edited.jsonl")[0] == 1
    assert "does not match its hash" in ended("edited.jsonl")[1]
    assert not other.exists()
    assert ended("x.jsonl", os.environ["GATEPOST_STORE"])[0] == 4
    assert doctor.check_store(desk.world.store).findings == []


def test_progress_is_shown_on_a_terminal_and_is_gone_at_the_end(desk: Desk, other: Path) -> None:
    desk.passkeys()
    desk.here("export", "x.jsonl")

    with seated([sys.executable, "-m", "gatepost", "import", "x.jsonl", "--store", str(other)]) as seat:
        assert seat.process.wait(PATIENCE) == 0
        shown = seat.rest()

    assert f"Importing {WORKSPACE} " in shown
    assert "100 %" in shown
    assert shown.rindex("\r\x1b[K") < shown.index("Imported")


def test_a_reader_that_goes_away_ends_the_export(desk: Desk) -> None:
    desk.passkeys()
    desk.world.task(steps=[{"title": "long " * 50} for _ in range(500)])

    line = f"{sys.executable} -m gatepost export; echo ended with $? >&2"
    done = subprocess.run(
        ["bash", "-c", f"({line}) | head -c 10"], capture_output=True, text=True, timeout=PATIENCE
    )

    assert "ended with 141" in done.stderr
