"""Edits of a text: each replaces a text that must occur exactly once. All of them apply, or none."""

from collections.abc import Iterable, Sequence
from typing import Final

from gatepost.domain.file_refusals import EditMismatch
from gatepost.domain.refusals import InvalidInput, TooLarge
from gatepost.files.diffs import EditSpan, unified
from gatepost.files.protocol import MAX_CONTENT, EditResult, TextEdit
from gatepost.files.text_window import text_only

MAX_EDITS: Final = 100

_MOST_PLACES: Final = 20


def admitted(path: str, edits: Iterable[tuple[str, str]], *, dry_run: bool) -> tuple[TextEdit, ...]:
    """The edits of a call, if they are valid for any file."""
    if not isinstance(dry_run, bool):
        raise InvalidInput([("dry_run", f"must be true or false, not {type(dry_run).__name__}")])
    found = tuple(_edit(path, number, edit) for number, edit in enumerate(_listed(edits)))
    for field, texts in zip(TextEdit._fields, zip(*found, strict=True), strict=True):
        carried = sum(map(len, texts))
        if carried > MAX_CONTENT:
            raise TooLarge(
                f"`edits` for {path}: all `{field}` together have {carried:,} characters; a call takes at most "
                f"{MAX_CONTENT:,}.",
                "Send the edits in several calls.",
            )
    return found


def edited(path: str, text: str, edits: Sequence[TextEdit]) -> tuple[str, EditResult]:
    """The text after all edits, each applied to the result of the one before, and what has changed."""
    new, spans = _applied(path, text, edits)
    diff = unified(path, text, new, spans)
    return new, EditResult(
        path=path,
        size=len(new.encode()),
        changed=new != text,
        added=diff.added,
        removed=diff.removed,
        diff=diff.text,
    )


def _applied(path: str, text: str, edits: Sequence[TextEdit]) -> tuple[str, tuple[EditSpan, ...]]:
    spans: tuple[EditSpan, ...] = ()
    for number, edit in enumerate(edits):
        places = _places(text, edit.old_string)
        if len(places) != 1:
            raise _mismatch(path, text, number, edit.old_string, places)
        (at,) = places
        same = _same(edit.old_string, edit.new_string)
        tail = _same(edit.old_string[same:][::-1], edit.new_string[same:][::-1])
        old, new = len(edit.old_string) - tail, len(edit.new_string) - tail
        spans = _with(spans, at + same, at + old, new - same)
        text = f"{text[:at]}{edit.new_string}{text[at + len(edit.old_string) :]}"
    return text, spans


def _same(one: str, other: str) -> int:
    """The length of the common prefix of two texts."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (first, second) in pairs if first != second), min(len(one), len(other)))


def _with(spans: Sequence[EditSpan], start: int, end: int, length: int) -> tuple[EditSpan, ...]:
    """The same spans, after the text between `start` and `end` was replaced by one of another length."""
    before = [span for span in spans if span.new_end < start]
    reached = [span for span in spans if span.new_start <= end]
    touched = reached[len(before) :]
    first = min([start, *(span.new_start for span in touched)])
    last = max([end, *(span.new_end for span in touched)])
    grown = length - (end - start)
    after = [
        span._replace(new_start=span.new_start + grown, new_end=span.new_end + grown)
        for span in spans[len(reached) :]
    ]
    return (*before, EditSpan(first - _shift(before), last - _shift(reached), first, last + grown), *after)


def _shift(spans: Sequence[EditSpan]) -> int:
    """The offset of the new text from the old one after these spans."""
    return spans[-1].new_end - spans[-1].old_end if spans else 0


def _listed(edits: object) -> Sequence[object]:
    if isinstance(edits, str | bytes) or not isinstance(edits, Iterable):
        raise InvalidInput([("edits", f"must be a list of edits, not {type(edits).__name__}")])
    found = tuple(edits)
    if not found:
        raise InvalidInput([("edits", "must not be empty")])
    if len(found) > MAX_EDITS:
        raise InvalidInput([("edits", f"has {len(found):,} edits; one call takes at most {MAX_EDITS}")])
    return found


def _edit(path: str, number: int, edit: object) -> TextEdit:
    field = f"edits[{number}]"
    if not isinstance(edit, tuple) or len(edit) != 2 or not all(isinstance(text, str) for text in edit):
        raise InvalidInput([(field, "must be a pair of texts: the old one and the new one")])
    old, new = edit
    if not old:
        raise InvalidInput(
            [(f"{field}.old_string", "must not be empty")],
            "Name the text to replace. To add to the end of a file, write with mode `append`.",
        )
    if old == new:
        raise InvalidInput([(f"{field}.new_string", "is the same as `old_string`")])
    text_only(path, f"{field}.new_string", new)
    return TextEdit(old, new)


def _places(text: str, sought: str) -> list[int]:
    """The places where a text occurs, overlaps included, up to the number that is reported."""
    places: list[int] = []
    at = text.find(sought)
    while at >= 0 and len(places) <= _MOST_PLACES:
        places.append(at)
        at = text.find(sought, at + 1)
    return places


def _mismatch(path: str, text: str, number: int, sought: str, places: Sequence[int]) -> EditMismatch:
    field = f"`edits[{number}].old_string`"
    now = f"{path} as the edits before it leave it" if number else path
    lines = [_line(text, at) for at in places[:_MOST_PLACES]]
    if not places:
        hint, lines = _hint(text, sought)
        return EditMismatch(
            f"{field} does not occur in {now}.{hint}",
            "Nothing was changed. Read those lines again, copy them exactly with their white space, then send all "
            "edits again.",
            edit=number,
            occurrences=0,
            lines=lines,
        )
    often = f"{len(places)} times" if len(places) <= _MOST_PLACES else f"more than {_MOST_PLACES} times"
    return EditMismatch(
        f"{field} must occur once in {now} and occurs {often}, on {_line_numbers(lines)}.",
        "Nothing was changed. Add lines around the one you mean until the text occurs once, then send all edits "
        "again.",
        edit=number,
        occurrences=len(places),
        lines=lines,
    )


def _hint(text: str, sought: str) -> tuple[str, list[int]]:
    """A sentence on why the text was not found, if that is known, and the lines that come close."""
    if "\r" not in sought and sought.replace("\n", "\r\n") in text:
        return " The lines of this file end with \\r\\n, and those of the text with \\n.", []
    first = next((line.strip() for line in sought.splitlines() if line.strip()), "")
    lines = [_line(text, at) for at in _places(text, first)[:3]] if first else []
    if not lines:
        return "", []
    return f" Its first line is on {_line_numbers(lines)}; the white space or the rest differs.", lines


def _line_numbers(lines: Sequence[int]) -> str:
    """Line numbers, each once."""
    each = list(dict.fromkeys(lines))
    return f"line{'s' if len(each) > 1 else ''} {', '.join(map(str, each))}"


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
