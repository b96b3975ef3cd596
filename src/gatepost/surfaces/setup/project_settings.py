"""What init writes into `gatepost.toml`: the workspace's name, and the project's own commands as checks."""

import json
import os
from collections.abc import Sequence
from typing import Final

from gatepost.checks import allowed_commands, settings_file
from gatepost.checks.settings_file import FILE
from gatepost.digest.findings import Purpose
from gatepost.digest.scan import scan
from gatepost.surfaces.setup import toml_edits
from gatepost.surfaces.setup.clients import AddKey, AddTable, Edit

_PROVE: Final = (Purpose.CHECK, Purpose.TEST, Purpose.LINT, Purpose.TYPES)
_PROPOSED: Final = 4
_ABOUT: Final = "# Gatepost's settings for this project."
_ABOUT_CHECKS: Final = "# Commands that may run as checks once a person trusts this file: gatepost trust"


def proposed_checks(root: str) -> list[str]:
    """The project's own commands for checks and tests, as its files declare them."""
    lines = [
        command.text
        for command in scan(root).commands
        if command.purpose in _PROVE and not command.partial and not command.places
    ]
    return [line for line in dict.fromkeys(lines) if _can_be_entry(line)][:_PROPOSED]


def settings_edits(text: str | None, workspace: str, checks: Sequence[str]) -> list[Edit]:
    """What belongs into the file, given what it says without us; None where there is none."""
    line = f"workspace = {json.dumps(workspace)}"
    edits: list[Edit] = [AddKey("workspace", line if text else f"{_ABOUT}\n{line}")]
    has_checks = "checks" in toml_edits.values(text or "")
    return [*edits, AddTable(("checks",), _table(checks))] if checks and not has_checks else edits


def is_shared(root: str) -> bool:
    """Whether a linked worktree uses the file of its main folder."""
    file = settings_file.read(root)
    return file is not None and file.path != os.path.join(root, FILE)


def _table(checks: Sequence[str]) -> tuple[str, ...]:
    listed = ", ".join(json.dumps(line, ensure_ascii=False) for line in checks)
    return ("[checks]", _ABOUT_CHECKS, f"allow = [{listed}]")


def _can_be_entry(line: str) -> bool:
    try:
        return not allowed_commands.permits_anything(allowed_commands.split(line))
    except ValueError:
        return False
