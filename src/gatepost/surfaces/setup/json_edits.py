"""Edits of JSON files by their text: everything that is not edited keeps its bytes, comments included."""

import json
from typing import Any, Final

from gatepost.surfaces.setup.json_spans import CannotMerge, JsonEntry, Span, blank, read
from gatepost.surfaces.setup.splices import EditedText

_UNIT: Final = "  "
_NEW: Final = "{\n}\n"

Path = tuple[str, ...]


def start(edited: EditedText) -> None:
    """Give an empty text an object to edit."""
    if not edited.text.strip():
        edited.replace(0, len(edited.text), _NEW)


def set_member(edited: EditedText, path: Path, value: Any) -> bool:
    """Set the member at a path, unless there is one. Says whether there was none."""
    parent = _object_at(edited, path[:-1])
    if parent.member(path[-1]) is not None:
        return False
    _add(edited, parent, path[-1], value)
    return True


def add_item(edited: EditedText, path: Path, item: Any, same: Any = None) -> bool:
    """Add an item to the array at a path, unless it is there. `same` judges whether another item is as good."""
    holder = _object_at(edited, path[:-1])
    member = holder.member(path[-1])
    if member is None:
        _add(edited, holder, path[-1], [])
        member = _object_at(edited, path[:-1]).member(path[-1])
    if member is None or not isinstance(member.value.value, list):
        raise CannotMerge(f"has something else than a list in {'.'.join(path)}")
    if any(known == item or (same is not None and same(known)) for known in member.value.value):
        return False
    _add(edited, member.value, None, item)
    return True


def replace_member(edited: EditedText, path: Path, value: Any) -> None:
    """Replace the value of a member that is there."""
    parent = _found(edited, path[:-1])
    entry = None if parent is None else parent.member(path[-1])
    if entry is not None:
        indent = _leading(edited.text, entry.start)
        laid_out = _laid_out(None, value, indent, _UNIT, edited.newline)
        edited.replace(entry.value.start, entry.value.end, laid_out)


def has(edited: EditedText, path: Path) -> bool:
    """Whether there is a value at a path."""
    return _found(edited, path) is not None


def value_at(edited: EditedText, path: Path) -> Any:
    """The value at a path; None if there is none."""
    found = _found(edited, path)
    return None if found is None else found.value


def remove_member(edited: EditedText, path: Path, value: Any) -> bool:
    """Remove the member at a path if it still has this value."""
    parent = _found(edited, path[:-1])
    entry = None if parent is None else parent.member(path[-1])
    if parent is None or entry is None or entry.value.value != value:
        return False
    _remove(edited, parent, entry)
    return True


def remove_item(edited: EditedText, path: Path, item: Any) -> bool:
    """Remove an item from the array at a path if it is there."""
    array = _found(edited, path)
    entries = () if array is None else array.entries
    entry = next((it for it in entries if it.value.value == item), None)
    if array is None or entry is None:
        return False
    _remove(edited, array, entry)
    return True


def _found(edited: EditedText, path: Path) -> Span | None:
    at: Span | None = read(edited.text)
    for key in path:
        entry = None if at is None else at.member(key)
        at = None if entry is None else entry.value
    return at


def _object_at(edited: EditedText, path: Path) -> Span:
    """The object at a path, made where it is missing."""
    found = _found(edited, path)
    if found is None and path:
        _add(edited, _object_at(edited, path[:-1]), path[-1], {})
        found = _found(edited, path)
    if found is None or not isinstance(found.value, dict):
        raise CannotMerge(f"has something else than an object in {'.'.join(path) or 'its top level'}")
    return found


def _add(edited: EditedText, container: Span, key: str | None, value: Any) -> None:
    """Add an entry at the end of an object or array, in the style of those before it."""
    text = edited.text
    outer = _indent(text, container.start) or _leading(text, container.start)
    last = container.entries[-1] if container.entries else None
    if last is None:
        _add_first(edited, container, outer, key, value)
        return
    inner = _indent(text, last.start)
    comma = blank(text, last.value.end)
    has_comma = text[comma : comma + 1] == ","
    if inner is None:
        edited.insert(
            comma + 1 if has_comma else last.value.end, f"{'' if has_comma else ','} {_named(key, value)}"
        )
        return
    unit = inner[len(outer) :] if inner.startswith(outer) and len(inner) > len(outer) else _UNIT
    line = edited.newline + inner + _laid_out(key, value, inner, unit, edited.newline)
    if has_comma:
        edited.insert(_line_comment_end(text, comma + 1), line)
        return
    end = _line_comment_end(text, last.value.end)
    if end == last.value.end:
        edited.insert(end, f",{line}")
    else:  # a comment behind the last value stays behind it
        edited.insert(end, line)
        edited.insert(last.value.end, ",")


def _add_first(edited: EditedText, container: Span, outer: str, key: str | None, value: Any) -> None:
    inside = edited.text[container.start + 1 : container.end - 1]
    newline = edited.newline
    inner = outer + (_UNIT if "\t" not in outer else "\t")
    line = newline + inner + _laid_out(key, value, inner, inner[len(outer) :], newline)
    # A comment in an otherwise empty object or array stays at its top.
    at = container.start + 1 + len(inside.rstrip(" \t\r\n"))
    edited.insert(at, line if "\n" in edited.text[at : container.end] else line + newline + outer)


def _remove(edited: EditedText, container: Span, entry: JsonEntry) -> None:
    """Remove an entry with its comma and its line."""
    text, place = edited.text, container.entries.index(entry)
    if place:
        _remove_later(edited, container.entries[place - 1].value.end, entry)
        return
    after = blank(text, entry.value.end)
    has_comma = text[after : after + 1] == ","
    start = container.start + 1 if not text[container.start + 1 : entry.start].strip() else entry.start
    end = after + 1 if has_comma else entry.value.end
    if not has_comma and not text[end : container.end - 1].strip():
        end = container.end - 1
    edited.replace(start, end, "")


def _remove_later(edited: EditedText, before: int, entry: JsonEntry) -> None:
    """Remove an entry that follows another one, which ends at `before`. Comments between them stay."""
    text = edited.text
    comma = blank(text, before)
    if not (text[before:comma].strip() or text[comma + 1 : entry.start].strip()):
        edited.replace(before, entry.value.end, "")
        return
    start = max(comma + 1, len(text[: entry.start].rstrip(" \t\r\n")))
    edited.replace(start, entry.value.end, "")
    after = blank(edited.text, start)
    spare = after if edited.text[after : after + 1] == "," else comma
    edited.replace(spare, spare + 1, "")


def _named(key: str | None, value: Any) -> str:
    shown = json.dumps(value, ensure_ascii=False)
    return shown if key is None else f"{json.dumps(key, ensure_ascii=False)}: {shown}"


def _laid_out(key: str | None, value: Any, indent: str, unit: str, newline: str) -> str:
    if isinstance(value, dict | list) and not value:
        return _named(key, value)
    lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
    shown = f"{newline}{indent}".join(lines)
    return shown if key is None else f"{json.dumps(key, ensure_ascii=False)}: {shown}"


def _indent(text: str, at: int) -> str | None:
    """The white space before what begins its line; None for what does not."""
    line = _leading(text, at)
    return line if text.rfind("\n", 0, at) + 1 + len(line) == at else None


def _leading(text: str, at: int) -> str:
    """The white space at the beginning of a line."""
    start = text.rfind("\n", 0, at) + 1
    line = text[start:at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _line_comment_end(text: str, at: int) -> int:
    """The end of a comment on the rest of a line, if there is one, or else the place itself."""
    end = text.find("\n", at)
    rest = text[at : len(text) if end < 0 else end].rstrip("\r")
    begins = rest.lstrip(" \t")
    is_comment = begins.startswith("//") or (begins.startswith("/*") and begins.rstrip().endswith("*/"))
    return at + len(rest) if is_comment else at
