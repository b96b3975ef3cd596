"""What a change does, field by field, as lines of text."""

import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, Final

from gatepost.replies.root_writes import FieldChange
from gatepost.surfaces.tui.widgets.text_view import TextLine, text_lines

_NAMES: Final = {"done_at": "closed", "blockers": "known blockers", "required": "required checkpoints"}
_LONG: Final = 60


def change_lines(changes: Iterable[FieldChange], arrow: str) -> list[TextLine]:
    """Each document that changes, and each of its fields before and after."""
    lines: list[TextLine] = []
    for where, group in groupby(changes, key=lambda one: one.where):
        lines += [*text_lines(where, "dim", "  "), *_document(list(group), arrow)]
    return lines


def _document(fields: Sequence[FieldChange], arrow: str) -> list[TextLine]:
    """The fields of one document. If it appears or disappears, only its title is shown."""
    title = next((one for one in fields if one.field == "title"), None)
    if title is not None and not any(one.after for one in fields):
        return text_lines(f"- {title.before}", "bad", "    ")
    if title is not None and not any(one.before for one in fields):
        return text_lines(f"+ {title.after}", "good", "    ")
    return [line for one in fields for line in _field(one, arrow)]


def _field(change: FieldChange, arrow: str) -> list[TextLine]:
    name = _NAMES.get(change.field, change.field.replace("_", " "))
    nothing = "open" if change.field == "done_at" else "none"
    before, after = _said(change.before, nothing), _said(change.after, nothing)
    if len(before) + len(after) <= _LONG and "\n" not in before + after:
        return text_lines(f"{name}: {before} {arrow} {after}", indent="    ")
    return [
        *text_lines(f"{name}:", indent="    "),
        *text_lines(before, "bad", "      - "),
        *text_lines(after, "good", "      + "),
    ]


def _said(value: Any, nothing: str) -> str:
    """A field's value in words."""
    if value is None or value in ("", [], {}):
        return nothing
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(_entry, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _entry(value: Any) -> str:
    if isinstance(value, dict) and "checkpoint" in value:
        return f"{value['checkpoint']} by {value.get('actor', '')}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
