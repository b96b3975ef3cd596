"""`payload.todo`: a list as an envelope, either whole or as one small change to the previous list.

An envelope contains only stored values and interprets no text: an item of a session's list is `todo`, whatever its
text claims.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final, Literal, NamedTuple

from msgspec import UNSET, Struct, UnsetType

from gatepost.domain.documents import Member
from gatepost.domain.steps import Step

Op = Literal["replace", "clear", "patch", "upsert", "delete"]
Status = Literal["todo", "in_progress", "done", "blocked", "canceled"]

_ID_BYTES: Final = 10
_FEW: Final = 64
"""The most items to insert or change in one delta: each costs the client a pass over the list."""


class TodoScope(NamedTuple):
    """One list on the stream, and its revision."""

    scope_key: str
    scope_label: str
    revision: int


class EnvelopeItem(Struct, frozen=True, kw_only=True):
    """One line of a list."""

    id: str
    title: str
    status: Status


class PlacedItem(EnvelopeItem, frozen=True, kw_only=True):
    """One of several items that are inserted or changed together. `position` is the place of a new one."""

    position: int | UnsetType = UNSET


class TodoPatch(Struct, frozen=True, kw_only=True):
    """The changed fields of an existing item."""

    id: str
    title: str | UnsetType = UNSET
    status: Status | UnsetType = UNSET


class Envelope(Struct, frozen=True, kw_only=True, rename={"scope_key": "scopeKey", "scope_label": "scopeLabel"}):
    """The value of `payload.todo`: op, revision and scope, and the fields that the op needs."""

    op: Op
    revision: int
    scope_key: str
    scope_label: str
    items: tuple[EnvelopeItem, ...] | UnsetType = UNSET
    item: EnvelopeItem | UnsetType = UNSET
    position: int | UnsetType = UNSET
    patches: tuple[TodoPatch, ...] | UnsetType = UNSET
    ids: tuple[str, ...] | UnsetType = UNSET


class Difference(NamedTuple):
    """The difference between two lists that have their common items in the same order."""

    gone: tuple[str, ...] = ()
    changed: tuple[tuple[EnvelopeItem, EnvelopeItem], ...] = ()
    added: tuple[EnvelopeItem, ...] = ()
    """Items after all others, in order."""
    inserted: tuple[PlacedItem, ...] = ()
    """Items between others, each with its new index in the list, in order."""


def whole(scope: TodoScope, items: Sequence[EnvelopeItem]) -> Envelope:
    """A whole list, for any client."""
    head = scope._asdict()
    return Envelope(op="replace", items=tuple(items), **head) if items else Envelope(op="clear", **head)


def between(scope: TodoScope, before: Sequence[EnvelopeItem], after: Sequence[EnvelopeItem]) -> Envelope:
    """The smallest envelope that turns one list into the other."""
    found = _difference(before, after)
    delta = None if found is None or not after else brief(scope, found, after[0])
    return whole(scope, after) if delta is None else delta


def brief(scope: TodoScope, difference: Difference, still: EnvelopeItem, *, long: bool = False) -> Envelope | None:
    """A difference as one delta; `None` if only the whole list can express it.

    One revision is one envelope, so a change that needs two ops cannot be sent as deltas. A gap in the revisions
    makes a client ask for a snapshot, so a call that changed nothing in the list is sent too: as a patch that sets
    the item `still` to the status that it has. Not every client understands positions, or several items at once, so
    only `long` lists use them: sending those whole is expensive.
    """
    gone, changed, added, inserted = difference
    new = (*inserted, *added)
    if gone:
        return None if changed or new else Envelope(op="delete", ids=gone, **scope._asdict())
    if new:
        one_behind = len(added) == 1 and not (inserted or changed)
        return _upsert(scope, difference) if one_behind or (long and len(new) + len(changed) <= _FEW) else None
    patches = tuple(_patch(*pair) for pair in changed) or (TodoPatch(id=still.id, status=still.status),)
    return Envelope(op="patch", patches=patches, **scope._asdict())


def member_item(member: Member, *, now: bool) -> EnvelopeItem:
    """A step or task node as an item. `now`: it is the step to work on."""
    return EnvelopeItem(id=member.id, title=member.title, status=_status(member, now=now))


def list_items(texts: Sequence[str]) -> tuple[EnvelopeItem, ...]:
    """The lines of a session's list as items.

    The id comes from the text and the number of earlier items with that text, so an item keeps its id when the list
    is reordered.
    """
    seen: dict[str, int] = {}
    items = []
    for text in texts:
        seen[text] = seen.get(text, 0) + 1
        items.append(EnvelopeItem(id=_text_id(text, seen[text]), title=text, status="todo"))
    return tuple(items)


def _upsert(scope: TodoScope, difference: Difference) -> Envelope:
    _, changed, added, inserted = difference
    items: list[EnvelopeItem] = [*(after for _, after in changed), *inserted, *added]
    if len(items) > 1:
        return Envelope(op="upsert", items=tuple(items), **scope._asdict())
    item = EnvelopeItem(id=items[0].id, title=items[0].title, status=items[0].status)
    position = inserted[0].position if inserted else UNSET
    return Envelope(op="upsert", item=item, position=position, **scope._asdict())


def _difference(before: Sequence[EnvelopeItem], after: Sequence[EnvelopeItem]) -> Difference | None:
    """The difference; `None` if the order changed, or an item was inserted between others."""
    old = {item.id: item for item in before}
    new = {item.id: item for item in after}
    kept = [item.id for item in before if item.id in new]
    added = tuple(item for item in after if item.id not in old)
    if [item.id for item in after] != [*kept, *(item.id for item in added)]:
        return None
    return Difference(
        tuple(item.id for item in before if item.id not in new),
        tuple((old[name], new[name]) for name in kept if old[name] != new[name]),
        added,
    )


def _status(member: Member, *, now: bool) -> Status:
    if member.done:
        return "done"
    if isinstance(member, Step) and member.blocked:
        return "blocked"
    return "in_progress" if now else "todo"


def _text_id(text: str, occurrence: int) -> str:
    digest = blake2b(text.encode(), digest_size=_ID_BYTES).hexdigest()
    return f"item-{digest}" if occurrence == 1 else f"item-{digest}-{occurrence}"


def _patch(before: EnvelopeItem, after: EnvelopeItem) -> TodoPatch:
    return TodoPatch(
        id=after.id,
        title=UNSET if after.title == before.title else after.title,
        status=UNSET if after.status == before.status else after.status,
    )
