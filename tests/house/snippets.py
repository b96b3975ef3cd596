"""The code blocks of the documentation, and a place where its sessions are played.

A block says how it is tested by its language: `console` is a session whose output is compared, `json` with an
operation as its title is a call by an agent, and `json title="reply"` is what that call answered, as far as shown.
`text title="prints"` is what the Python above it prints. `gatepost.toml`, or Markdown with a title, is written to
that file.
"""

import io
import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import gatepost
from gatepost.client.connect import Gatepost
from gatepost.surfaces.cli.main import run

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs/howto").glob("*.md"))
)
WORKSPACE = "acme/shop"
PERSON, AGENT = "human:ana", "agent:claude-code/3f2a"
PATIENCE = 240
REPLY, PRINTS, SETTINGS = "reply", "prints", "gatepost.toml"
_FENCE = re.compile(r'^( *)```(\w+)(?: title="([^"]+)")?\n(.*?)^ *```$', re.MULTILINE | re.DOTALL)
_SHELL = re.compile(r"[|<>;&$*]|^echo |^cat |^git |^mkdir |^rm |^sed |^touch ")
_VARIES = re.compile(
    r"\b\d\d:\d\d(:\d\d)?\b|\b\d+(\.\d)? s\b|\b\d{4}-\d\d-\d\d(T[\d:.]+Z)?|/home/ana"
    r"|\b[0-9a-f]{12,64}\b|(?<=replaced-)[\w-]+"
)
"""Times, how long a check took, days, folders and hashes."""


class Snippet(NamedTuple):
    """A block of a page: its language, its title and its text without indentation."""

    language: str
    title: str | None
    text: str


def snippets(page: str) -> list[Snippet]:
    """Every block of a page that has a language, in order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [Snippet(found[2], found[3], textwrap.dedent(found[4])) for found in _FENCE.finditer(text)]


def exchanges(block: str) -> Iterator[tuple[str, str]]:
    """Every command of a console session, with the output shown below it."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        lines = part.split("\n")
        typed = [lines.pop(0)]
        while lines and lines[0].startswith("> "):
            typed.append(lines.pop(0)[2:])
        yield "\n".join(typed), "\n".join(lines).strip()


class Session:
    """A person at a shell, and an agent, in one folder. What is simple runs in this process."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        self._patch = patch
        self._agent: Gatepost | None = None
        self._answer: Any = None
        self._program = ""

    def close(self) -> None:
        """End the agent's session."""
        if self._agent is not None:
            self._agent.close()

    def play(self, snippet: Snippet) -> None:
        """Do what a block shows, and compare."""
        if snippet.language == "console":
            for typed, shown in exchanges(snippet.text):
                printed = self._type(typed)
                assert self._settled(printed) == self._settled(shown), typed
        elif snippet.title == REPLY:
            assert holds(self._answer, json.loads(snippet.text)), self._answer
        elif snippet.language == "json" and snippet.title and "_" in snippet.title:
            self._answer = self._call(snippet.title, json.loads(snippet.text))
        elif snippet.language == "python":
            self._program = snippet.text
        elif snippet.title == PRINTS:
            assert _output(self._program) == snippet.text
        elif snippet.title and (snippet.title == SETTINGS or snippet.language == "markdown"):
            Path(snippet.title).write_text(snippet.text, encoding="utf-8")

    def _call(self, tool: str, arguments: dict[str, Any]) -> Any:
        if self._agent is None:
            self._agent = gatepost.connect(actor=AGENT)
        try:
            return self._agent.call(tool, **{"workspace": WORKSPACE, **arguments})
        except gatepost.Refusal as refusal:
            said = {"code": refusal.code, "message": refusal.message, "recovery": refusal.recovery}
            return {"error": said | refusal.details}

    def _type(self, typed: str) -> str:
        if found := re.fullmatch(r"export (\w+)=(.*)", typed):
            self._patch.setenv(found[1], found[2].strip("'\""))
            return ""
        if typed.startswith("cd "):
            os.chdir(typed.removeprefix("cd "))
            return ""
        # A person at a terminal need not say that they mean it.
        typed = typed.replace("\\\n", " ")
        command = f"{typed} --yes" if re.match(r"gatepost (init|trust)\b(?!.*--show)", typed) else typed
        return _here(command) if command.startswith("gatepost ") and _is_plain(command) else _shell(command)

    def _settled(self, text: str) -> str:
        """The text without what differs from run to run."""
        lines = [line.rstrip() for line in text.replace(str(self._folder), "/home/ana").strip().split("\n")]
        return _VARIES.sub("…", "\n".join(lines))


def _is_plain(command: str) -> bool:
    """Whether no shell is needed to understand a command, apart from its quotes."""
    return not _SHELL.search(re.sub(r"'[^']*'", "", command))


def _here(command: str) -> str:
    """What a command prints, run in this process."""
    with _captured() as said:
        run(shlex.split(command, comments=True)[1:])
    return said.getvalue().decode()


def _output(text: str) -> str:
    """What a program prints."""
    with _captured() as said:
        exec(compile(text, "the page", "exec"), {"__name__": "__main__"})  # noqa: S102 - our own pages
    return said.getvalue().decode()


@contextmanager
def _captured() -> Iterator[io.BytesIO]:
    said = io.BytesIO()
    stream = io.TextIOWrapper(said, encoding="utf-8", write_through=True)
    with redirect_stdout(stream), redirect_stderr(stream):
        yield said
    stream.detach()


def _shell(command: str) -> str:
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=PATIENCE, input="")
    return done.stdout + done.stderr


def holds(answer: Any, shown: Any) -> bool:
    """Whether an answer has all that is shown of it. Lists are shown whole."""
    if isinstance(shown, dict):
        return isinstance(answer, dict) and all(
            name in answer and holds(answer[name], value) for name, value in shown.items()
        )
    if isinstance(shown, list):
        return (
            isinstance(answer, list)
            and len(answer) == len(shown)
            and all(holds(one, other) for one, other in zip(answer, shown, strict=True))
        )
    if isinstance(shown, str) and isinstance(answer, str):
        return _VARIES.sub("…", answer) == _VARIES.sub("…", shown)
    return bool(answer == shown)


def program() -> str:
    """The PATH on which `gatepost` and this Python are found first."""
    return f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
