"""Parameters as PostgreSQL takes them. Lists are written as text, `{1,2,NULL}`: the driver's own way looks at every
element's type."""

from collections.abc import Iterable
from typing import Any


def array(values: Iterable[str | int | None]) -> str:
    """A list as text. A text in it is quoted, so that nothing in it has a meaning."""
    return f"{{{','.join([_element(value) for value in values])}}}"


def _element(value: str | int | None) -> str:
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return "NULL" if value is None else str(value)


def bound(value: Any) -> Any:
    """A parameter of a read. PostgreSQL's texts hold no NUL, and "after a place" is asked for as place + NUL.

    No place has a character below the one that takes its part, so the order is the same.
    """
    if isinstance(value, str):
        return value.replace("\0", "\x01")
    return array(map(bound, value)) if isinstance(value, tuple) else value
