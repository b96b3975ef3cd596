"""`gatepost doctor --report`: enough to find a bug, and nothing that anybody wrote."""

import json
import os
import sys
from pathlib import Path

import apsw
import pytest

from gatepost import __version__
from gatepost.settings import NAMES, NOTIFY, TABLES
from tests.cli.givens import Desk

MARK = "zanzibar"
CHECK = f"./{MARK}-check.sh"
FILE = f"""\
workspace = "{MARK}/repo"
actor = "human:{MARK}"
synchronous = "NORMAL"
tools = "core,file_write"
secrets = "allow"
taskdocs = "tracked"
[checks]
allow = ["{CHECK}"]
[policy]
proof = "note"
[notify]
url = "https://{MARK}.example.com/{MARK}"
secret_file = "{MARK}.key"
"""


def marked(desk: Desk) -> None:
    """A store with the marked word in whatever people can write, and something for the doctor to find."""
    named = {"workspace": f"{MARK}/repo"}
    step = {"title": f"Step {MARK}", "criteria": [f"criterion {MARK}"], "tests": [MARK], "checks": [{"run": CHECK}]}
    plan = {"kind": "plan", "title": f"Plan {MARK}", "contract": MARK, "tags": [MARK], "domain": MARK}
    task = {"kind": "task", "title": f"Task {MARK}", "plan": "PLAN-001", "description": MARK, "steps": [step]}
    where = {"task": "TASK-001", "path": "s:0"}
    for tool, arguments in (
        ("tasks_create", plan),
        ("tasks_create", task),
        ("tasks_note", {**where, "note": f"note {MARK}"}),
        ("tasks_block", {**where, "ask": f"{MARK}?", "options": [MARK, "no"]}),
        ("taskdoc_create", {"name": MARK}),
        ("change_mind", {"taskdoc": MARK, "selector": "goals", "content": f"- {MARK}\n"}),
        ("todo_write", {"session": MARK, "items": [MARK]}),
    ):
        ran = desk.here("call", tool, json.dumps({**named, **arguments}))
        assert ran.code == 0, (tool, ran)
    connection = apsw.Connection(os.environ["GATEPOST_STORE"])
    connection.execute("UPDATE tallies SET blocked = 7")
    connection.execute(f"CREATE VIEW {MARK} AS SELECT 1")
    connection.close()


def test_a_report_names_versions_counts_codes_and_settings_and_nothing_that_anybody_wrote(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / f"home-{MARK}"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GATEPOST_STORE", str(home / f"{MARK}.db"))
    marked(desk)
    (desk.folder / "gatepost.toml").write_text(FILE)
    monkeypatch.setenv("GATEPOST_TOKEN", MARK)
    monkeypatch.setenv("GATEPOST_NOTIFY_COMMAND", json.dumps([MARK]))
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", f"authorization={MARK}")

    told = desk.here("doctor", "--report", "--workspace", f"{MARK}/other")
    listed = desk.here("doctor", "--report", "--json")

    assert (told.code, listed.code) == (0, 0), told.err
    for said in (told.out, listed.out):
        for private in (MARK, str(tmp_path), str(Path.home()), sys.prefix, str(desk.folder)):
            assert private not in said, private
    report = json.loads(listed.out)
    assert report["gatepost"] == __version__
    assert {"apsw", "msgspec", "starlette"} <= report["packages"].keys()
    assert report["store"]["kind"] == "sqlite"
    assert int(report["store"]["schema"]) > 0
    assert report["workspace"][0]["documents"] > 4
    assert {"FOREIGN_VIEW", "MISCOUNTED"} <= report["findings"].keys()
    assert report["trust"] == "untrusted"
    assert report["settings"]["store"] == "GATEPOST_STORE"
    assert report["settings"]["actor"] == report["settings"]["notify.url"] == "gatepost.toml"
    assert report["settings"]["notify.command"] == "GATEPOST_NOTIFY_COMMAND"
    tables = {f"{table}.{key}" for table, keys in TABLES.items() for key in keys}
    assert report["settings"].keys() <= {*NAMES, "root", *tables, *(f"notify.{name}" for name in NOTIFY)}
    assert "workspace --workspace" in told.out


@pytest.mark.parametrize(
    ("store", "code"),
    [
        (f"postgresql://{MARK}:{MARK}secret@127.0.0.1:1/{MARK}", "STORE_UNREACHABLE"),
        (f"{MARK}.txt", "NOT_A_STORE"),
        (f"{MARK}-missing.db", "none"),
    ],
)
def test_a_store_that_cannot_be_opened_is_a_line_of_the_report(desk: Desk, store: str, code: str) -> None:
    (desk.folder / f"{MARK}.txt").write_text(f"{MARK} is no store. " * 500)

    ran = desk.here("doctor", "--report", "--store", store)

    assert ran.code == 0, ran.err
    assert code in ran.out
    assert MARK not in ran.out


def test_a_report_is_not_combined_with_a_repair(desk: Desk) -> None:
    ran = desk.here("doctor", "--report", "--repair")

    assert ran.code == 2
    assert "--report only reads" in ran.err
