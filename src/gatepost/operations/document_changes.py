"""How a document changed, field by field."""

from typing import Any, Final

import msgspec

from gatepost.domain import documents, places
from gatepost.domain.documents import Document
from gatepost.domain.roots import Task
from gatepost.engine.reader import Reader
from gatepost.operations.field_changes import changed_fields
from gatepost.replies.history import ChangedField, DocumentChange, What
from gatepost.views.text_diff import unified

_LONG: Final = 120
_TOO_LONG: Final = 20_000
"""The most characters of two texts that are compared. The cost grows with the product of their lengths."""


def document_change(
    reader: Reader, place: str, was: str | None, now: str | None, operation: int, was_at: str | None = None
) -> DocumentChange | None:
    """How a document changed from the stored text `was` to `now`, or None if it did not.

    `was_at` is its earlier place, if it was moved.
    """
    fields = changed_fields(was, now)
    if not fields and was_at is None and (was is None) == (now is None):
        return None
    old, new = (None if text is None else documents.from_text(text) for text in (was, now))
    document = new or old
    return DocumentChange(
        where=reader.shown(place),
        kind=msgspec.json.decode(now or was or "{}")["kind"],
        what=_what(old, new, moved=was_at is not None),
        operation=operation,
        task=places.root_id(place) if places.in_tree(place) else None,
        step_id=getattr(document, "id", None) if places.in_tree(place) and places.depth(place) else None,
        title=getattr(document, "title", None),
        was_at=None if was_at is None else places.shown(was_at),
        fields=tuple(_field(*change) for change in fields),
    )


def _what(old: Document | None, new: Document | None, *, moved: bool) -> tuple[What, ...]:
    if new is None:
        return ("deleted",)
    found: list[What] = ["created"] if old is None else []
    if moved or (isinstance(old, Task) and isinstance(new, Task) and old.plan != new.plan):
        found.append("moved")
    was_done, is_done = (getattr(document, "done", False) for document in (old, new))
    if was_done != is_done:
        found.append("closed" if is_done else "reopened")
    return tuple(found) or ("changed",)


def _field(name: str, before: Any, after: Any) -> ChangedField:
    diff = None
    if isinstance(before, str) and isinstance(after, str):
        length = len(before) + len(after)
        if "\n" in before + after or length > _LONG:
            diff = unified(before, after, "before", "after") if length <= _TOO_LONG else None
    return ChangedField(field=name, before=before, after=after, diff=diff)
