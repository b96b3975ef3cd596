"""The front matter of a Markdown file, as Backlog.md writes it: scalars and lists of scalars in YAML.

This is the part of YAML that the tool writes, and no more: a YAML parser would be a dependency for one source.
"""

import re
from collections.abc import Sequence
from typing import Final

_FIELD: Final = re.compile(r"([A-Za-z_][\w-]*):(?:\s+(.*))?$")
_FOLD: Final = frozenset({">", ">-", ">+"})
_KEEP: Final = frozenset({"|", "|-", "|+"})
_ESCAPES: Final = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "/": "/", "0": "\0", "r": "\r"}

Fields = dict[str, str | list[str]]


def split(text: str) -> tuple[Fields, str]:
    """The fields, and the text below them. A text without front matter has no fields."""
    rows = text.replace("\r\n", "\n").split("\n")
    if rows[0].rstrip() != "---":
        return {}, text
    end = next((at for at in range(1, len(rows)) if rows[at].rstrip() == "---"), None)
    if end is None:
        return {}, text
    return _fields(rows[1:end]), "\n".join(rows[end + 1 :])


def listed(value: str | list[str] | None) -> list[str]:
    """A field as a list: one value is a list of one."""
    held = value if isinstance(value, list) else [value or ""]
    return [item for item in held if item]


def single(value: str | list[str] | None) -> str:
    """A field as one text."""
    return ", ".join(value) if isinstance(value, list) else value or ""


def _fields(rows: Sequence[str]) -> Fields:
    found: Fields = {}
    at = 0
    while at < len(rows):
        field = _FIELD.match(rows[at])
        at += 1
        if field is None:
            continue
        block = []
        while at < len(rows) and (
            not rows[at].strip() or rows[at].startswith((" ", "- ", "-\t")) or rows[at] == "-"
        ):
            block.append(rows[at])
            at += 1
        found[field[1]] = _value((field[2] or "").strip(), block)
    return found


def _value(first: str, block: Sequence[str]) -> str | list[str]:
    lines = [row.strip() for row in block]
    if first in _KEEP:
        return "\n".join(lines).strip("\n")
    if first in _FOLD:
        return "\n".join(" ".join(part) for part in _paragraphs(lines))
    if first.startswith("[") and first.endswith("]"):
        return [
            _scalar(part)
            for part in re.findall(r"'(?:[^']|'')*'|\"(?:[^\"\\]|\\.)*\"|[^,\[\]]+", first)
            if part.strip()
        ]
    if not first and any(line.startswith("-") for line in lines):
        return _items(lines)
    return _scalar(" ".join([first, *filter(None, lines)]).strip())


def _items(lines: Sequence[str]) -> list[str]:
    """The items of a list; a long one goes on in the lines below its dash."""
    found: list[list[str]] = []
    for line in lines:
        if line.startswith("- ") or line == "-":
            found.append([line[1:].strip()])
        elif found and line:
            found[-1].append(line)
    return [_scalar(" ".join(part for part in item if part not in _FOLD | _KEEP)) for item in found]


def _paragraphs(lines: Sequence[str]) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for line in lines:
        if line:
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [part for part in found if part]


def _scalar(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if len(text) > 1 and text[0] == text[-1] == '"':
        return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), text[1:-1])
    return "" if text in ("null", "~") else text
