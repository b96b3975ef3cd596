"""Everything that the documentation shows is run, or at least read by what would run it."""

import json
import os
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gatepost.settings import settings
from gatepost.surfaces.cli.command_list import COMMANDS, declared
from tests.house.snippets import PAGES, PERSON, PRINTS, REPLY, ROOT, SETTINGS, WORKSPACE, Session, program, snippets

PLAYED = [
    page
    for page in PAGES
    if any(one.language == "console" or one.title in (PRINTS, REPLY) for one in snippets(page))
    and page != "docs/proof.md"  # it shows a question that only a terminal asks
]
_COMMAND = re.compile(
    r"(?:^|[;|(&] ?|\$ |run: |exec |\w=\S+ )gatepost ((?:'[^']*'|\"[^\"]*\"|[^|;&>)#\n'\"])*)", re.MULTILINE
)
SHELLS = ("sh", "console", "yaml")
HOOKS = ("pre-tool", "post-tool", "session-start", "pre-compact", "stop")


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """An empty repository, a person in a terminal of 100 columns, and nobody who trusts anything yet."""
    for name in os.environ:
        if name.startswith(("GATEPOST_", "GIT_", "LC_")) or name in ("NO_COLOR", "FORCE_COLOR"):
            monkeypatch.delenv(name)
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for words in ("init --quiet", "remote add origin https://github.com/acme/shop.git"):
        subprocess.run(["git", *words.split()], check=True)
    for name, value in {
        "PATH": program(),
        "HOME": str(tmp_path),
        "LANG": "C.UTF-8",
        "COLUMNS": "100",
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "GATEPOST_WORKSPACE": WORKSPACE,
        "GATEPOST_ACTOR": PERSON,
        "GATEPOST_SYNCHRONOUS": "NORMAL",
    }.items():
        monkeypatch.setenv(name, value)
    with closing(Session(tmp_path, monkeypatch)) as played:
        yield played


@pytest.mark.parametrize("page", PLAYED)
def test_the_sessions_of_a_page_go_as_it_shows(page: str, session: Session) -> None:
    for snippet in snippets(page):
        session.play(snippet)


@pytest.mark.parametrize("page", PAGES)
def test_every_block_and_every_command_of_a_page_is_understood(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for one in snippets(page):
        if one.language == "json":
            json.loads(one.text)
        elif one.language == "python":
            compile(one.text, page, "exec")
        elif one.language in SHELLS:
            for words in _commands(one.text):
                _understand(words)
        elif one.language == "toml":
            tomllib.loads(one.text)
            if one.title == SETTINGS or f"# {SETTINGS}" in one.text:
                Path(SETTINGS).write_text(one.text, encoding="utf-8")
                settings({})


def test_every_target_of_make_that_a_page_names_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^(\w+):", makefile, re.MULTILINE))

    for page in PAGES:
        named = re.findall(r"(?:^|`)make (\w+)", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
        assert set(named) <= targets, page


def _commands(block: str) -> list[list[str]]:
    """The words after each `gatepost` that a shell would run."""
    text = re.sub(r"\\?\n> ", " ", block)
    return [shlex.split(line) for line in _COMMAND.findall(text) if line.strip()]


def _understand(words: list[str]) -> None:
    name, *rest = words
    if name == "hook":
        assert rest[0] in HOOKS, words
    elif name in COMMANDS:
        assert declared(name).read(rest).command == name, words
    else:
        assert name.startswith("-"), words
