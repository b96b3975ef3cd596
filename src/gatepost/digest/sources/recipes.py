"""Command lines that stand in other text: CI workflows, and the shell blocks of documents."""

import re
from collections.abc import Iterator
from typing import Final

from gatepost.digest import purposes
from gatepost.digest.findings import Command, Purpose, Standing
from gatepost.digest.prose import Block, blocks
from gatepost.digest.quoting import plain_lines, quoted
from gatepost.digest.shelf import Shelf

_LONGEST: Final = 120
_MOST_WORKFLOWS: Final = 8
_SHELLS: Final = frozenset({"sh", "bash", "shell", "console", "zsh", "shell-session", "shellsession", "terminal"})
_OTHER_CI: Final = (".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml", ".circleci/config.yml")
_OPEN: Final = ("|", ">", "|-", ">-", "|+", ">+")

_run = re.compile(r"^(\s*)(?:-\s+)?(?:run|script|commands|command|bash|before_script|test_script):\s*(.*)$")
_item = re.compile(r"^\s*-\s+(?![\w-]+:(?:\s|$))(.*)$")
_span = re.compile(r"(?<!`)`([^`\n]{4,160})`(?!`)")
_comment = re.compile(r"(?<!\s)\s{1,80}#\s")
_noise = re.compile(
    r"^(?:#|$|cd |echo |git clone|mkdir |export |source |\. |set |if |fi$|for |done$|else|curl |cat )"
)


def of_ci(shelf: Shelf) -> Iterator[Command]:
    """The commands that CI runs, as far as they say what they are for."""
    workflows = [
        path
        for path in shelf.tree.files
        if path.startswith((".github/workflows/", ".forgejo/workflows/", ".gitea/workflows/"))
        and path.endswith((".yml", ".yaml"))
    ]
    for path in [*workflows[:_MOST_WORKFLOWS], *(name for name in _OTHER_CI if shelf.has(name))]:
        for number, line in _ci_lines(shelf.text(path)):
            yield from _told(line, path, number, Standing.AUTOMATED)


def of_documents(shelf: Shelf, paths: list[str]) -> Iterator[Command]:
    """The commands in shell blocks and, in guides for contributors, in ticks."""
    for path in paths:
        guide = not path.upper().startswith("README")
        for block in blocks(shelf.text(path)):
            yield from _of_block(block, path, guide=guide)


def _of_block(block: Block, path: str, *, guide: bool) -> Iterator[Command]:
    if block.fence is None:
        if guide:
            for span in _span.finditer(block.text):
                if " " in span[1].strip():
                    yield from _told(span[1], path, block.line, Standing.DOCUMENTED)
        return
    if block.fence not in _SHELLS and block.fence:
        return
    console = any(line.lstrip().startswith("$ ") for line in block.text.split("\n"))
    for offset, line in enumerate(block.text.split("\n")):
        if not console or line.lstrip().startswith("$ "):
            yield from _told(line.lstrip().removeprefix("$ "), path, block.line + offset, Standing.DOCUMENTED)


def _told(line: str, path: str, number: int, standing: Standing) -> Iterator[Command]:
    text, *notes = _comment.split(line.strip(), maxsplit=1)
    text = text.rstrip("\\").strip()
    if _noise.match(text) or "${{" in text or "<<" in text:
        return
    purpose = purposes.of_line(text)
    if purpose is None or purpose is Purpose.OTHER:
        return
    yield Command(
        purpose=purpose,
        text=quoted(text, _LONGEST),
        source=f"{quoted(path, _LONGEST)}:{number}",
        standing=standing,
        about=quoted("".join(notes), _LONGEST),
    )


def _ci_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines under `run:` and its kin, read by indentation alone: no YAML is understood here."""
    indent = -1
    for number, line in plain_lines(text):
        match = _run.match(line)
        depth = len(line) - len(line.lstrip())
        if match:
            value = match[2].strip()
            opens = not value or value.split(" ")[0] in _OPEN
            indent = len(match[1]) if opens else -1
            if not opens:
                yield number, value.strip("'\"")
        elif indent >= 0 and line.strip():
            item = _item.match(line)
            if depth > indent or (item and depth == indent):
                yield number, (item[1] if item else line).strip()
            else:
                indent = -1
