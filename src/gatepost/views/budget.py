"""Budgets: a reply is one compact JSON text with a maximum length, and is cut until it fits.

A reply comes with its cuts, the most expendable first. Each cut is given the number of characters to save, and
returns how many things it removed. When it can remove no more, the next cut is tried.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, TypeVar, cast

import msgspec
from msgspec import Struct

from gatepost.domain.value import decoder
from gatepost.replies.reply import MOST_CHARS

DEFAULT: Final = MOST_CHARS
ELLIPSIS: Final = "…"

R = TypeVar("R")
Body = dict[str, Any]
"""A reply as plain data, which cuts can change."""

_encode = msgspec.json.Encoder().encode
_decode = decoder(Body).decode


class Cut(Struct, frozen=True):
    """One way to make a reply smaller, and the word for what it removes."""

    what: str
    remove: Callable[[Body, int], int]


class View(Struct, Generic[R], frozen=True):
    """A reply that has to fit. It says what its budget is if the caller asked for one, or if something was cut."""

    reply: R
    cuts: Sequence[Cut]
    max_chars: int | None


def fitted(view: View[R]) -> str:
    """The reply as JSON, within its budget. At the smallest `max_chars` all main keys are still there."""
    cap = DEFAULT if view.max_chars is None else view.max_chars
    text = _encode(view.reply).decode()
    if view.max_chars is not None:
        with_budget = _with_budget(text, cap)
        return with_budget if len(with_budget) <= cap else _encode(reduced(_decode(text), view.cuts, cap)).decode()
    return text if len(text) <= cap else _encode(reduced(_decode(text), view.cuts, cap)).decode()


def embedded(view: View[R]) -> R:
    """A reply that fits, as a part of another reply: it is encoded already, and sent as it is."""
    return cast("R", msgspec.Raw(fitted(view).encode()))


def reduced(body: Body, cuts: Sequence[Cut], cap: int) -> Body:
    """Plain data, cut until it fits, with the budget that says what was left out."""
    omitted: dict[str, int] = {}
    over = _account(body, cap, omitted) - cap
    for cut in cuts:
        while over > 0:
            removed = cut.remove(body, over)
            if not removed:
                break
            omitted[cut.what] = omitted.get(cut.what, 0) + removed
            over = _account(body, cap, omitted) - cap
    return body


def rows(key: str, *, least: int = 0, after: Callable[[Body], None] | None = None) -> Callable[[Body, int], int]:
    """Drop rows from the tail of a list, as few as will do; then mend what depends on where it stops."""

    def remove(body: Body, over: int) -> int:
        listed = _at(body, key)
        if not isinstance(listed, list) or len(listed) <= least:
            return 0
        gone = freed = 0
        while freed < over and len(listed) > least:
            freed += size(listed.pop()) + 1
            gone += 1
        if after is not None:
            after(body)
        return gone

    return remove


def without(key: str, *names: str) -> Callable[[Body, int], int]:
    """Drop optional fields of an object, or of every row of a list."""

    def remove(body: Body, _over: int) -> int:
        held = _at(body, key)
        objects = held if isinstance(held, list) else [held]
        return sum(item.pop(name, None) is not None for item in objects if isinstance(item, dict) for name in names)

    return remove


def only(key: str, *names: str) -> Callable[[Body, int], int]:
    """Keep only the named fields of an object, or of every row of a list."""

    def remove(body: Body, _over: int) -> int:
        held = _at(body, key)
        objects = held if isinstance(held, list) else [held]
        gone = 0
        for item in objects:
            if isinstance(item, dict):
                for name in [name for name in item if name not in names]:
                    del item[name]
                    gone += 1
        return gone

    return remove


def clipped(key: str, keep: int) -> Callable[[Body, int], int]:
    """Shorten every long text in an object or in the rows of a list."""

    def remove(body: Body, _over: int) -> int:
        held = _at(body, key)
        objects = held if isinstance(held, list) else [held]
        gone = 0
        for item in objects:
            if isinstance(item, dict):
                for name, text in item.items():
                    if isinstance(text, str) and len(text) > keep:
                        item[name] = text[: keep - 1] + ELLIPSIS
                        gone += 1
        return gone

    return remove


def clipped_deeply(key: str, keep: int) -> Callable[[Body, int], int]:
    """Shorten every long text in the rows of a list, at any depth."""

    def clip(held: Any) -> int:
        gone = 0
        for name, value in list(held.items() if isinstance(held, dict) else enumerate(held)):
            if isinstance(value, str) and len(value) > keep:
                held[name] = value[: keep - 1] + ELLIPSIS
                gone += 1
            elif isinstance(value, list | dict):
                gone += clip(value)
        return gone

    return lambda body, _over: clip(_at(body, key) or ())


def shortened(key: str, *, sign: str = ELLIPSIS) -> Callable[[Body, int], int]:
    """Cut a text of the body from its end, by as little as will do. Counted as it is sent: escaped."""

    def remove(body: Body, over: int) -> int:
        text = body.get(key)
        if not text or text == sign:
            return 0
        cut_before = bool(sign) and text.endswith(sign)
        kept = whole = len(text) - cut_before * len(sign)
        freed = 0 if cut_before else -len(sign)
        while kept and freed < over:
            kept -= 1
            freed += size(text[kept]) - 2
        body[key] = text[:kept] + sign
        return whole - kept

    return remove


def nothing(key: str) -> Callable[[Body, int], int]:
    """Leave null where there was something."""

    def remove(body: Body, _over: int) -> int:
        if body.get(key) is None:
            return 0
        body[key] = None
        return 1

    return remove


def _at(body: Body, key: str) -> Any:
    held: Any = body
    for name in key.split("."):
        held = held.get(name) if isinstance(held, dict) else None
    return held


def _with_budget(text: str, cap: int) -> str:
    """A whole reply with its budget as the last key, without encoding the reply again."""
    before = f'{text[:-1]},"budget":{{"max_chars":{cap},"used_chars":'
    after = ',"truncated":false}}'
    return f"{before}{_with_own_length(len(before) + len(after))}{after}"


def _account(body: Body, cap: int, omitted: dict[str, int]) -> int:
    """Write the budget block; its own length counts, so find the number that counts itself."""
    budget: Body = {"max_chars": cap, "used_chars": 0, "truncated": bool(omitted)}
    if omitted:
        budget["omitted"] = omitted
    body["budget"] = budget
    budget["used_chars"] = used = _with_own_length(size(body) - 1)
    return used


def _with_own_length(bare: int) -> int:
    """The length of a text that contains this number itself."""
    used = bare + len(str(bare))
    return bare + len(str(used))


def size(value: Any) -> int:
    """How many characters a value has as it is sent."""
    return len(_encode(value).decode())
