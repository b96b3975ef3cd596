"""Reads an update of a list from any input. The only module that knows the envelope's field names."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, NamedTuple, assert_never

from gatepost.todo import tool_results
from gatepost.todo.items import ID, ItemFields, entries, item_id
from gatepost.todo.json_values import NOTHING, Record, filled, record, row, text, whole
from gatepost.todo.scopes import scope_key, scope_label

_REVISION: Final = ("revision", "rev", "seq", "version")
_LISTS: Final = ("items", "todos")
_SINGLES: Final = ("item", "todo")
_PATCHES: Final = ("patches", "patch")
_DELETED: Final = ("ids", "todo_ids", "todoIds", *ID, *_LISTS, *_SINGLES)


class Op(Enum):
    """What an update does to a list."""

    REPLACE = auto()  # the whole list, in order
    CLEAR = auto()
    PATCH = auto()  # change existing items
    UPSERT = auto()  # change existing items and add new ones
    DELETE = auto()


_OPS: Final = {
    **{op.name.lower(): op for op in Op},
    "snapshot": Op.REPLACE,
    "reset": Op.CLEAR,
    "update": Op.PATCH,
    "add": Op.UPSERT,
    "remove": Op.DELETE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeUpdate:
    """A change to one scope's list. Without a revision, revisioned lists ignore it.

    `junk` counts the entries that could not be read.
    """

    scope: str
    label: str | None
    revision: int | None
    op: Op
    entries: tuple[ItemFields, ...]
    junk: int


class _Found(NamedTuple):
    """The entries that were read, and the number that could not be."""

    entries: tuple[ItemFields, ...] = ()
    junk: int = 0


class Unread(Enum):
    """Why there is no update: the input is not about todo lists, or it cannot be used.

    It cannot be used if its op is unknown or has nothing to do, or if its key is not allowed.
    """

    ABSENT = auto()
    UNCLEAR = auto()


def read(given: object) -> ScopeUpdate | Unread:
    """The update in a session event, in its payload, or in the value of `todo` itself."""
    listed = row(given)
    if listed is not None:
        return _snapshot(listed, NOTHING)
    event = record(given)
    if event is None:
        return Unread.ABSENT
    payload = record(event.get("payload"))
    if payload is None and _is_envelope(event):
        return _enveloped(event, event)
    return _carried(event, event if payload is None else payload)


def _carried(event: Record, payload: Record) -> ScopeUpdate | Unread:
    todo = payload.get("todo")
    if todo is None:
        listed = tool_results.todo_list(event, payload)
        return Unread.ABSENT if listed is None else _snapshot(listed, payload)
    listed, envelope = row(todo), record(todo)
    if listed is not None:
        return _snapshot(listed, payload)
    return Unread.UNCLEAR if envelope is None else _enveloped(envelope, payload)


def _is_envelope(given: Record) -> bool:
    # Some tools have an `op` of their own. Mistaking their `clear` for ours would empty a list.
    if text(given.get("op")) is None or "type" in given or tool_results.tool(given) is not None:
        return False
    inner = given.get("todo")
    return row(inner) is None and not any(key in (record(inner) or NOTHING) for key in ("op", *_LISTS, *_PATCHES))


def _snapshot(listed: Iterable[object], payload: Record) -> ScopeUpdate | Unread:
    return _update(Op.REPLACE, _read(listed), NOTHING, payload)


def _enveloped(envelope: Record, payload: Record) -> ScopeUpdate | Unread:
    op = _OPS.get(_op(envelope))
    return Unread.UNCLEAR if op is None else _update(op, _found(op, envelope), envelope, payload)


def _update(op: Op, found: _Found | None, envelope: Record, payload: Record) -> ScopeUpdate | Unread:
    scope = scope_key(envelope, payload)
    if found is None or scope is None:
        return Unread.UNCLEAR
    return ScopeUpdate(
        scope=scope,
        label=scope_label(envelope, payload),
        revision=next((number for key in _REVISION if (number := whole(envelope.get(key))) is not None), None),
        op=op,
        entries=found.entries,
        junk=found.junk,
    )


def _op(envelope: Record) -> str:
    given = envelope.get("op")
    if given is not None:
        return (text(given) or "").strip().casefold()
    if any(row(envelope.get(key)) is not None for key in _LISTS):
        return "replace"
    return "patch" if any(key in envelope for key in _PATCHES) else ""


def _found(op: Op, envelope: Record) -> _Found | None:
    """An op's entries; `None` if they are missing or all of them are junk."""
    match op:
        case Op.REPLACE:
            listed = next((found for key in _LISTS if (found := row(envelope.get(key))) is not None), None)
            return None if listed is None else _read(listed)
        case Op.CLEAR:
            return _Found()
        case Op.PATCH:
            return _some(_said(envelope, (*_PATCHES, *_LISTS, *_SINGLES)))
        case Op.UPSERT:
            return _some(_said(envelope, (*_SINGLES, *_LISTS)))
        case Op.DELETE:
            held = next((envelope[key] for key in _DELETED if envelope.get(key) is not None), None)
            listed = row(held)
            each = (held,) if listed is None else listed
            return _some({"id": one} if record(one) is None else one for one in each)
        case _:
            assert_never(op)


def _said(envelope: Record, keys: Iterable[str]) -> Sequence[object]:
    """A delta's items: under one of the keys, or in the envelope itself."""
    for key in keys:
        held = envelope.get(key)
        listed, single = row(held), record(held)
        if listed is not None:
            return listed
        if single is not None:
            return (_completed(single, envelope),)
        if filled(held) is not None:
            return (held,)
    return (envelope,)


def _completed(single: Record, envelope: Record) -> Record:
    """One item's fields, with the id and position that may be next to it in the envelope."""
    beside = ("position",) if item_id(single) is not None else (*ID, "position")
    return {**{key: envelope[key] for key in beside if key in envelope}, **single}


def _read(given: Iterable[object]) -> _Found:
    """Every readable entry, and the number of the others."""
    found = entries(given)
    known = tuple(entry for entry in found if entry is not None)
    return _Found(known, len(found) - len(known))


def _some(given: Iterable[object]) -> _Found | None:
    """A delta's entries; `None` if all of them are junk, since its intent is then unknown."""
    found = _read(given)
    return None if found.junk and not found.entries else found
