"""Faults and hostile surroundings: plain words, exit code 1, and no traceback unless asked for."""

import json
import os
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from gatepost.surfaces.cli import exits
from tests.cli.givens import WORKSPACE, Desk

MAKE = ("call", "tasks_create", json.dumps({"workspace": WORKSPACE, "kind": "task", "title": "x"}))


def spoil(statement: str) -> None:
    """Do to the store what no operation would."""
    connection = apsw.Connection(os.environ["GATEPOST_STORE"])
    connection.execute(statement)
    connection.close()


def with_a_bug(*words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run `gatepost` with a bug in one of its commands."""
    program = (
        "import sys; from gatepost.__main__ import main; from gatepost.surfaces.cli.commands import ls;"
        " ls.run = lambda options: {}['spoilt']; sys.exit(main())"
    )
    return subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, env={**os.environ, **environment}
    )


@pytest.mark.requirement("call.fault.no-internals", "call.fault.not-a-refusal")
@pytest.mark.usefixtures("bare")
def test_a_fault_is_owned_up_to_without_its_internals() -> None:
    ran, again = with_a_bug("ls"), with_a_bug("ls", "--json")

    assert (ran.returncode, again.returncode) == (1, 1)
    assert ran.stdout == again.stdout == ""
    assert ran.stderr.startswith("gatepost: internal error ")
    assert "GATEPOST_DEBUG=1" in ran.stderr
    assert "spoilt" not in ran.stderr
    assert "Traceback" not in ran.stderr
    assert ran.stderr == again.stderr


@pytest.mark.usefixtures("bare")
def test_the_traceback_is_there_for_those_who_ask() -> None:
    ran = with_a_bug("ls", GATEPOST_DEBUG="1")

    assert ran.returncode == 1
    assert "Traceback (most recent call last)" in ran.stderr
    assert "KeyError" in ran.stderr


def test_a_text_that_cannot_be_decoded_is_damage_and_no_fault(desk: Desk) -> None:
    desk.passkeys()
    spoil("UPDATE documents SET text = 'spoilt'")

    ran, again = desk.apart("ls"), desk.apart("ls", "--json")

    assert (ran.code, again.code, ran.out) == (1, 1, "")
    assert "is damaged" in ran.err
    assert "gatepost doctor" in ran.err
    assert json.loads(again.out)["error"]["code"] == "STORE_DAMAGED"


def test_a_file_that_is_no_database_is_said_to_be_none(desk: Desk, bare: Path) -> None:
    (bare / "notes.txt").write_text("These are my notes. " * 50, encoding="utf-8")

    for words in (("ls", "--store", "notes.txt"), (*MAKE, "--store", "notes.txt")):
        ran = desk.here(*words)
        assert ran.code == 1
        assert "NOT_A_STORE" in ran.out + ran.err or "is not a Gatepost store" in ran.err
        assert "Traceback" not in ran.err


def test_a_store_of_a_later_version_is_said_to_be_one(desk: Desk) -> None:
    desk.passkeys()
    spoil("PRAGMA user_version = 999")

    ran = desk.here("ls")

    assert ran.code == 1
    assert "later version of Gatepost" in ran.err


@pytest.mark.parametrize("store", ["folder", "file/below.db"])
def test_a_store_that_cannot_be_there_is_said_in_plain_words(desk: Desk, bare: Path, store: str) -> None:
    (bare / "folder").mkdir()
    (bare / "file").touch()

    ran = desk.here(*MAKE, "--store", store)

    assert ran.code == 1
    assert str(bare / store.partition("/")[0]) in ran.out + ran.err
    assert "internal error" not in ran.err


def test_surroundings_that_do_not_allow_it_are_said_in_plain_words(capsys: pytest.CaptureFixture[str]) -> None:
    code = exits.exit_code(PermissionError(13, "Permission denied"))

    assert (code, capsys.readouterr().err) == (1, "gatepost: Permission denied\n")


def test_a_full_disk_under_the_output_is_said_in_plain_words(desk: Desk) -> None:
    desk.passkeys()

    full = os.open("/dev/full", os.O_WRONLY)
    try:
        done = subprocess.run([sys.executable, "-m", "gatepost", "ls"], stdout=full, stderr=subprocess.PIPE)
    finally:
        os.close(full)

    assert (done.returncode, done.stderr.decode()) == (1, "gatepost: No space left on device\n")


@pytest.mark.parametrize(
    "words",
    [
        ("ls", "--text", "\udcff"),
        ("ls", "--workspace", "a" * 10_000),
        ("show", "\x1b[2J"),
        ("show", "TASK-001", "\udcff"),
        ("log", "--since", "-1"),
        ("log", "--limit", "0"),
        ("log", "--since", "9" * 30),
        ("radar", "--store", "\udcff.db"),
        ("radar", ""),
        ("call", "tasks_create", '{"workspace": "a/b", "kind": "task", "title": "\\ud800"}'),
        ("call", "tasks_create", '{"workspace": 1}'),
        ("call", "", "{}"),
        ("\x1b[31m",),
        ("-",),
        ("--",),
        ("ls", "--", "x"),
    ],
)
def test_no_words_bring_out_a_traceback_or_an_escape(desk: Desk, words: tuple[str, ...]) -> None:
    desk.passkeys()

    ran = desk.here(*words)

    assert ran.code in (2, 3), ran
    assert "Traceback" not in ran.err
    assert "\x1b" not in ran.err + ran.out
