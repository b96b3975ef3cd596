"""Credentials in a call's arguments: every text is checked, at any depth."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gatepost.wire.credential_length import LEAST_WORD

_VALUE: Final = "secret value"


SecretField = tuple[str, str]
"""A field and the kind of credential in it, never the credential itself."""


def secrets_in(data: Any, apart: frozenset[str] = frozenset()) -> list[SecretField]:
    """The credentials in plain data, by field. `apart` names fields, without indexes, that are not checked."""
    return list(_found(data, "", "", apart)) if _has_long_text(data) else []


def _has_long_text(data: Any) -> bool:
    """Whether any text or key is long enough for a credential. Most calls have none and end here.

    A loop, not recursion: deeply nested data must not overflow the stack.
    """
    waiting = [data]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            if len(each) >= LEAST_WORD:
                return True
        elif isinstance(each, (list, tuple)):
            waiting += each
        elif isinstance(each, (dict, Mapping)):  # a dict is known at once, without asking the abstract class
            waiting += each
            waiting += each.values()
    return False


def _found(data: Any, at: str, bare: str, apart: frozenset[str]) -> Iterator[SecretField]:
    from gatepost.wire.credentials import find, redacted

    if bare in apart:
        return
    if isinstance(data, str):
        yield from ((at, finding.kind) for finding in find(data))
    elif isinstance(data, Mapping):
        for name, value in data.items():
            said, hidden = redacted(name) if isinstance(name, str) else (str(name), 0)
            inner = f"{at}.{said}" if at else said
            if hidden:
                yield f"{at} (a key)", find(name)[0].kind
            known = list(_found(value, inner, f"{bare}.{said}" if bare else said, apart))
            yield from known or _named(said, value, inner)
    elif isinstance(data, list | tuple):
        for index, value in enumerate(data):
            yield from _found(value, f"{at}[{index}]", bare, apart)


def _named(name: str, value: Any, at: str) -> Iterator[SecretField]:
    from gatepost.wire.named_values import is_secret

    if isinstance(value, str) and is_secret(name, value):
        yield at, _VALUE


def redacted_in(data: Any, apart: frozenset[str] = frozenset(), bare: str = "") -> tuple[Any, int]:
    """Plain data with a marker for each credential in its texts and keys, and the number of credentials."""
    from gatepost.wire.credentials import redacted

    if bare in apart:
        return data, 0
    if isinstance(data, str):
        return redacted(data)
    if isinstance(data, Mapping):
        return _redacted_table(data, apart, bare)
    if isinstance(data, list | tuple):
        pairs = [redacted_in(value, apart, bare) for value in data]
        return [value for value, _ in pairs], sum(count for _, count in pairs)
    return data, 0


def _redacted_table(data: Mapping[Any, Any], apart: frozenset[str], bare: str) -> tuple[dict[Any, Any], int]:
    from gatepost.wire.credentials import redacted
    from gatepost.wire.named_values import is_secret

    table, total = {}, 0
    for name, value in data.items():
        said, hidden = redacted(name) if isinstance(name, str) else (name, 0)
        inner, count = redacted_in(value, apart, f"{bare}.{said}" if bare else str(said))
        if not count and isinstance(value, str) and inner == value and is_secret(str(name), value):
            inner, count = f"[redacted: {_VALUE}]", 1
        table[said] = inner
        total += hidden + count
    return table, total
