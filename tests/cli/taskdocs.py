"""What tests of `gatepost taskdoc` start from: a taskdoc, real small editors, and a terminal that answers."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.cli.givens import PATIENCE, Desk, Ran

GOALS = "- A login page.\n- No passwords.\n"


def ok(desk: Desk, *words: str) -> Ran:
    """A command that must end well."""
    ran = desk.here(*words)
    assert ran.code == 0, ran
    return ran


def login(desk: Desk) -> None:
    """The taskdoc `login`, with goals at revision 1."""
    ok(desk, "taskdoc", "create", "login")
    change(desk, "goals", GOALS)


def change(desk: Desk, selector: str, content: str, actor: str = "agent:other") -> None:
    """Somebody replaces a section of `login`."""
    arguments = {"taskdoc": "login", "selector": selector, "content": content}
    ok(desk, "call", "change_mind", json.dumps(arguments), "--actor", actor)


def section(desk: Desk, selector: str) -> dict[str, Any]:
    """A section of `login`, as the store has it."""
    return desk.world.ok("recall_mind", taskdoc="login", selector=selector)


def package(desk: Desk, selector: str) -> Path:
    """The file that shows a section of `login` on disk."""
    return desk.folder / "tasks" / "login.tsk" / f"{selector}.md"


def editor(folder: Path, *lines: str) -> str:
    """An editor of a few lines of shell; the file that it shall edit is `$1`."""
    script = folder / "editor.sh"
    script.write_text("\n".join(("#!/bin/sh", "set -e", *lines, "")), encoding="utf-8")
    script.chmod(0o755)
    return str(script)


def meanwhile(selector: str, content: str) -> str:
    """A line of an editor, by which somebody else replaces a section of `login` through a process of their own."""
    call = {"taskdoc": "login", "selector": selector, "content": content}
    words = f"call change_mind '{json.dumps(call)}' --actor agent:other"
    return f"{sys.executable} -m gatepost {words} >&2"


def at_terminal(*words: str, answer: str = "", **environment: str) -> Ran:
    """Run a command on a terminal where somebody types this answer."""
    ours, theirs = pty.openpty()
    given = {"TERM": "xterm", **os.environ, "LC_ALL": "C.UTF-8", **environment}
    os.write(ours, answer.encode())
    command = [sys.executable, "-m", "gatepost", *words]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=given) as process:
        os.close(theirs)
        said = b""
        while True:
            try:
                chunk = os.read(ours, 65_536)
            except OSError:  # Linux says so when the other end is closed
                break
            said += chunk
        code = process.wait(PATIENCE)
    os.close(ours)
    return Ran(code, said.decode().replace("\r\n", "\n"), "")
