"""Completion in real shells: a line is typed on a terminal, tab is pressed, and the shell says what it has then."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.givens import PATIENCE, Desk
from tests.cli.terminals import seated

SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], 'eval "$(gatepost completion bash)"'),
    "zsh": (["zsh", "-f", "-i"], 'autoload -U compinit; compinit -u -D; eval "$(gatepost completion zsh)"'),
}
LINES = [
    ("gatepost rad", ["gatepost", "radar"]),
    ("gatepost show TASK-001 s:0.s:1", ["gatepost", "show", "TASK-001", "s:0.s:1"]),
    ("gatepost show TAS", ["gatepost", "show", "TASK-001"]),
    ("gatepost ls --status=A", ["gatepost", "ls", "--status=ACTIVE"]),
    ("gatepost ls --workspace ac", ["gatepost", "ls", "--workspace", "acme/repo"]),
    ("gatepost call tasks_foc\tg", ["gatepost", "call", "tasks_focus_get"]),
    ("gatepost batch my-ca", ["gatepost", "batch", "my-calls.json"]),
    ("gatepost taskdoc show lo", ["gatepost", "taskdoc", "show", "login"]),
]


@pytest.fixture
def ready(desk: Desk, bare: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A store with something in it, and `gatepost` on the path."""
    desk.passkeys()
    desk.world.ok("taskdoc_create", name="login")
    (bare / "my-calls.json").write_text("[]", encoding="ascii")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(bare))
    return desk


def need(shell: str) -> None:
    """Refuse to pass without the shell."""
    if shutil.which(shell) is None:
        pytest.skip(f"COMPLETION IN {shell.upper()} NOT TESTED: there is no {shell}; apt-get install {shell}")


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes_what_is_typed(ready: Desk, shell: str) -> None:
    need(shell)
    words, load = SHELLS[shell]
    completed = []
    with seated(words, width=200, PS1="READY ") as seat:
        seat.until(lambda text: "READY" in text)
        seat.type(f"{load}; echo SE''T\n")
        seat.until(lambda text: "SET" in text)
        for line, _ in LINES:
            before = len(seat.written)
            # To the front of the line: so the shell prints the words it has, instead of running them.
            seat.type(f"{line}\t\x01printf '<%s>' \x05; echo EN''D\n")
            said = seat.until(lambda text, start=before: "END" in text[start:])[before:]  # type: ignore[misc]
            completed.append(re.findall(r"<([^<>%]+)>", said[said.rindex("\n", 0, said.rindex("END")) :]))

    assert completed == [expected for _, expected in LINES]


def test_fish_completes_what_is_typed(ready: Desk) -> None:
    need("fish")
    lines = [(line, expected) for line, expected in LINES if "\t" not in line]
    asks = "; ".join(f"complete -C '{line}'; echo END" for line, _ in lines)

    done = subprocess.run(
        ["fish", "--no-config", "-c", f"gatepost completion fish | source; {asks}"],
        capture_output=True,
        timeout=PATIENCE * 2,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )

    answers = done.stdout.decode().split("END\n")[:-1]
    assert [answer.rstrip("\n").split("\t")[0] for answer in answers] == [expected[-1] for _, expected in lines]
    assert done.stderr == b""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_without_gatepost_stays_silent(ready: Desk, shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    need(shell)
    script = ready.apart("completion", shell).out
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    ask = {
        "bash": "COMP_LINE='gatepost ' COMP_POINT=9; _gatepost; echo ${#COMPREPLY[@]}",
        "zsh": "compadd() { echo ${#found}; }; words=(gatepost ''); CURRENT=2; PREFIX=; _gatepost",
        "fish": "complete -C 'gatepost nothing-like-it'; echo 0",
    }[shell]
    before = "compdef() { :; }\n" if shell == "zsh" else ""

    done = subprocess.run(
        [shell], input=f"{before}{script}\n{ask}\n".encode(), capture_output=True, timeout=PATIENCE
    )

    assert (done.stdout, done.stderr) == (b"0\n", b"")
