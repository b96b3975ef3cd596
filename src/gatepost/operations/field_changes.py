"""What a draft changes, field by field, before and after."""

from typing import Any, Final

import msgspec

from gatepost.domain import documents, places
from gatepost.engine.draft import Draft
from gatepost.engine.draft_entries import Savepoint
from gatepost.replies.root_writes import FieldChange

_NOT_SHOWN: Final = {"kind", "id"}


def field_changes(draft: Draft, start: Savepoint) -> tuple[FieldChange, ...]:
    """Every field that changed after a savepoint; of what appears or goes, only the fields that say something."""
    found: list[FieldChange] = []
    for place, was, now in draft.since(start):
        read = _plain if was is not None and now is not None else _stored
        before, after = read(was), read(now)
        found.extend(
            FieldChange(where=places.shown(place), field=name, before=before.get(name), after=after.get(name))
            for name in sorted({*before, *after} - _NOT_SHOWN)
            if before.get(name) != after.get(name)
        )
    return tuple(found)


def _plain(text: str | None) -> dict[str, Any]:
    """Every field of a stored document, also those at their defaults."""
    if text is None:
        return {}
    plain: dict[str, Any] = msgspec.to_builtins(msgspec.structs.asdict(documents.from_text(text)))
    return plain


def _stored(text: str | None) -> dict[str, Any]:
    """The fields of a document that are not at their defaults."""
    stored: dict[str, Any] = {} if text is None else msgspec.json.decode(text)
    return stored
