"""Documents, field by field: what they hold, and what differs between two states of one."""

from typing import Any, Final

import msgspec

from gatepost.domain import documents, moves, places
from gatepost.domain.documents import Document
from gatepost.engine.draft import Draft
from gatepost.engine.draft_entries import Savepoint
from gatepost.replies.root_writes import FieldChange

Fields = dict[str, Any]

_NOT_SHOWN: Final = {"kind", "id", "formerly", "claim"}
"""Fields to leave out: what never changes, earlier names and paths, and claims, which are only about now."""
_MARKS: Final = ('"formerly":', '"claim":')
"""How a stored document shows that it has one of these fields that can change."""


def field_changes(draft: Draft, start: Savepoint) -> tuple[FieldChange, ...]:
    """Every field that changed after a savepoint. Documents that appear or disappear list only fields with a value;
    moved ones also list their path."""
    changed = draft.since(start)
    was = {place: text for place, text, _ in changed}
    arrived = moves.arrivals((place, _read(before), _read(after)) for place, before, after in changed)
    left = set(arrived.values())
    found: list[FieldChange] = []
    for place, before, after in changed:
        if place in left:
            continue
        fields, origin = changed_fields(before, after), arrived.get(place, place)
        if origin != place:
            path = ("path", places.path_of(origin), places.path_of(place))
            fields = [path, *changed_fields(was[origin], after)]
        found += [FieldChange(where=places.shown(origin), field=name, before=a, after=b) for name, a, b in fields]
    return tuple(found)


def _read(text: str | None) -> Document | None:
    return None if text is None else documents.from_text(text)


def changed_fields(was: str | None, now: str | None) -> list[tuple[str, Any, Any]]:
    """Each field that differs between two states of a document, before and after, by name."""
    read = shown_fields if was is not None and now is not None else stored_fields
    before, after = read(was), read(now)
    return [
        (name, before.get(name), after.get(name))
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    ]


def has_shown_change(was: str, now: str) -> bool:
    """Whether two different stored states of a document differ in a field that is shown. Reads the JSON only where
    they may not."""
    return not any(mark in text for mark in _MARKS for text in (was, now)) or bool(changed_fields(was, now))


def shown_fields(text: str | None) -> Fields:
    """Every field of a stored document, also those at their defaults."""
    if text is None:
        return {}
    return _without(msgspec.to_builtins(msgspec.structs.asdict(documents.from_text(text))))


def stored_fields(text: str | None) -> Fields:
    """The fields of a document that are not at their defaults."""
    return {} if text is None else _without(msgspec.json.decode(text))


def _without(fields: Fields) -> Fields:
    return {name: value for name, value in fields.items() if name not in _NOT_SHOWN}
