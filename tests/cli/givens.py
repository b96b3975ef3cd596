"""What tests of the command line start from: a store, and ways to run `gatepost` on it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gatepost.surfaces.cli.main import run
from tests.givens import WORKSPACE, World

PATIENCE = 120
STEPS: list[dict[str, Any]] = [
    {"title": "Draft", "steps": [{"title": "Markup"}, {"title": "Styles"}]},
    {"title": "Wire", "criteria": ["401 when stale"], "tests": ["pytest -k wire"], "required": ["security"]},
    {"title": "Deploy"},
]


class Ran(NamedTuple):
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str


class Desk:
    """A folder with a store, and the command line at hand."""

    def __init__(self, world: World, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.world = world
        self.folder = folder
        self._capsys = capsys

    def here(self, *words: str) -> Ran:
        """Run a command in this process."""
        self._capsys.readouterr()
        code = run(list(words))
        said = self._capsys.readouterr()
        return Ran(code, said.out, said.err)

    def apart(self, *words: str, stdin: str = "", **environment: str) -> Ran:
        """Run a command as a process of its own."""
        done = subprocess.run(
            [sys.executable, "-m", "gatepost", *words],
            input=stdin.encode(),
            capture_output=True,
            cwd=self.folder,
            env={**os.environ, **environment},
            timeout=PATIENCE,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def passkeys(self) -> str:
        """A task under way: one step closed, one blocked."""
        task = self.world.task(title="Passkey form", steps=STEPS, tags=["auth"], description="No more passwords.")
        self.world.close(task, "s:0.s:0")
        self.world.ok("tasks_block", task=task, path="s:2", reason="staging is down")
        return task


__all__ = ["PATIENCE", "STEPS", "WORKSPACE", "Desk", "Ran"]
