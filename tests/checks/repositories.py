"""Real git repositories, and a git on the PATH that counts its calls."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from gatepost.checks.source_tree import SourceTree

GIT = shutil.which("git") or "git"
AS_ANN = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "init.defaultBranch=main")
ALONE = {"PATH": os.environ["PATH"], "HOME": "/", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}


class Repository:
    """A repository with a few files, and its source tree."""

    def __init__(self, root: Path, *options: str) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", *options)
        self.tree = SourceTree(str(root))

    def git(self, *words: str) -> str:
        """What git says."""
        done = subprocess.run([GIT, *AS_ANN, *words], cwd=self.root, env=ALONE, capture_output=True, text=True)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout.strip()

    def write(self, path: str, content: str | bytes) -> Path:
        """A file with a content."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    def delete(self, path: str) -> Path:
        """The place of a file that was there."""
        file = self.root / path
        file.unlink()
        return file

    def touch(self, path: str) -> Path:
        """A file with a new time."""
        file = self.root / path
        os.utime(file)
        return file

    def commit(self, message: str = "more") -> str:
        """Commit everything."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def settle(self) -> None:
        """Let the index be newer than every file, as it is after a while."""
        for file in self.root.rglob("*"):
            if ".git" not in file.relative_to(self.root).parts and not file.is_symlink():
                os.utime(file, (1_000_000_000, 1_000_000_000))
        self.git("status")


class CountingGit:
    """A git that counts how often it is called, and may do something else instead."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._calls = folder / "calls"
        self._program = folder / "bin" / "git"
        self._program.parent.mkdir(parents=True)
        self.does(f'exec "{GIT}" "$@"')
        monkeypatch.setenv("PATH", f"{self._program.parent}:{os.environ['PATH']}")

    def does(self, line: str) -> None:
        """Let it run this line of shell."""
        self._calls.unlink(missing_ok=True)
        self._program.write_text(f'#!/bin/sh\necho call >> "{self._calls}"\n{line}\n')
        self._program.chmod(0o755)

    @property
    def calls(self) -> int:
        """How often it was called."""
        return self._calls.read_text().count("call") if self._calls.exists() else 0
