"""The command lines that CI runs."""

import re
from collections.abc import Iterator
from typing import Final

from gatepost.digest import purposes
from gatepost.digest.findings import Command, Origin, Purpose
from gatepost.digest.project import Project
from gatepost.digest.quoting import plain_lines, quoted

_LONGEST: Final = 120
_MOST_WORKFLOWS: Final = 8
_WORKFLOWS: Final = (".github/workflows/", ".forgejo/workflows/", ".gitea/workflows/")
_OTHERS: Final = (".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml", ".circleci/config.yml")
_OPEN: Final = ("|", ">", "|-", ">-", "|+", ">+")

_run = re.compile(r"^(\s*)(?:-\s+)?(?:run|script|commands|command|bash|before_script|test_script):\s*(.*)$")
_item = re.compile(r"^\s*-\s+(?![\w-]+:(?:\s|$))(.*)$")
_comment = re.compile(r"(?<!\s)\s{1,80}#\s")
_noise = re.compile(r"^(?:#|$|cd |echo |git |mkdir |export |source |\. |set |if |fi$|for |done$|else|curl |cat )")


def commands(project: Project) -> Iterator[Command]:
    """The commands that CI runs, as far as a tool's name says what they are for. Setting up a runner is not."""
    workflows = [
        path
        for path in project.tree.files
        if path.startswith(_WORKFLOWS) and path.endswith((".yml", ".yaml")) and path.count("/") == 2
    ]
    for path in [*workflows[:_MOST_WORKFLOWS], *(name for name in _OTHERS if project.has(name))]:
        for number, line in _lines(project.text(path)):
            text = _comment.split(line.strip(), maxsplit=1)[0].rstrip("\\").strip()
            purpose = None if _noise.match(text) or "${{" in text or "<<" in text else purposes.of_line(text)
            if purpose not in (None, Purpose.OTHER, Purpose.SETUP):
                source = f"{quoted(path, _LONGEST)}:{number}"
                yield Command(purpose=purpose, text=quoted(text, _LONGEST), source=source, origin=Origin.CI)


def _lines(text: str) -> Iterator[tuple[int, str]]:
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
