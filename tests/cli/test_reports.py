"""`gatepost handoff --html` and `--md`: where the report goes, and how the command ends."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from gatepost import wiring
from gatepost.surfaces.http.app import ServerSettings
from gatepost.surfaces.http.server import Server
from tests.cli.givens import WORKSPACE, Desk

MADE = re.compile(r"Created by Gatepost .*?UTC")


def test_a_report_goes_to_its_file_and_says_so(desk: Desk, bare: Path) -> None:
    task = desk.passkeys()

    ran = desk.here("handoff", task, "--html", "report.html", "--md", "report.md")

    assert (ran.code, ran.err) == (0, "")
    assert re.fullmatch(
        r"Wrote report\.html: TASK-001, 5 steps, 2 proofs, \d+ KB\.\n"
        r"Wrote report\.md: TASK-001, 5 steps, 2 proofs, \d+ KB\.\n",
        ran.out,
    )
    assert (bare / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert (bare / "report.md").read_text(encoding="utf-8").startswith("## TASK-001: Passkey form\n")


@pytest.mark.parametrize("words", [["--md"], ["--md", "-"], ["TASK-001", "--md"], ["--md", "TASK-001"]])
def test_without_a_file_the_report_goes_to_stdout_alone(desk: Desk, bare: Path, words: list[str]) -> None:
    desk.passkeys()

    ran = desk.here("handoff", *words)

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("## TASK-001: Passkey form\n")
    assert [path.name for path in bare.iterdir()] == [".gatepost"]


def test_a_report_is_utf8_in_any_locale(desk: Desk) -> None:
    desk.world.task("näher", title="Größe ✓")

    ran = desk.apart("handoff", "--html", LC_ALL="C", PYTHONIOENCODING="ascii")

    assert ran.code == 0
    assert "Größe ✓" in ran.out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["TASK-099", "--html", "x.html"], 3, "TASK-099"),
        (["--html", "x.html", "--json"], 2, "--json does not go with"),
        (["--md", "--limit", "3"], 2, "--limit does not go with"),
        (["--md", "--html"], 2, "both"),
        (["--html", "missing/x.html"], 2, "missing/x.html cannot be written: No such file or directory"),
        (["--html", "."], 2, "cannot be written"),
    ],
)
def test_what_cannot_be_written_is_refused_and_leaves_nothing(
    desk: Desk, bare: Path, words: list[str], code: int, said: str
) -> None:
    desk.passkeys()

    ran = desk.here("handoff", *words)

    assert ran.code == code
    assert said in ran.out + ran.err
    assert [path.name for path in bare.iterdir()] == [".gatepost"]


def test_where_there_is_nothing_a_report_is_not_found(desk: Desk, bare: Path) -> None:
    desk.world.ok("todo_write", session="main", items=["x"])

    ran = desk.here("handoff", "--html", "x.html", "--workspace", WORKSPACE)

    assert ran.code == 3
    assert f"there is no task or plan in {WORKSPACE} to report on" in ran.err
    assert [path.name for path in bare.iterdir()] == [".gatepost"]


def test_the_other_forms_of_a_handoff_are_as_they_were(desk: Desk) -> None:
    task = desk.passkeys()

    assert json.loads(desk.here("handoff", task, "--json").out)["target"]["id"] == task
    assert desk.here("handoff", task).out.startswith(f"{task}  Passkey form")


def test_a_report_of_a_server_is_that_of_its_store(desk: Desk, bare: Path) -> None:
    task = desk.passkeys()
    item = {"kind": "cmd_output", "command": "make", "content": "it ran"}
    desk.world.ok("tasks_evidence_capture", task=task, path="s:0.s:0", items=[item])
    engine = wiring.engine(os.environ["GATEPOST_STORE"], "NORMAL", str(bare / ".gatepost"))
    log: list[dict[str, Any]] = []
    server = Server(engine, ServerSettings(), 0, log.append)
    try:
        for form in ("--html", "--md"):
            here = desk.here("handoff", task, form)
            there = desk.here("handoff", task, form, "--store", f"http://127.0.0.1:{server.port}")

            assert (here.code, there.code) == (0, 0)
            assert "it ran" in there.out
            assert MADE.sub("", there.out) == MADE.sub("", here.out)
    finally:
        server.stop()
        engine.store.close()
