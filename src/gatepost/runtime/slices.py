"""Asking a session for what it holds of a type, by either spelling."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Generic, TypeVar, cast

from gatepost.runtime.reducers import Reducer
from gatepost.runtime.slice_values import SliceValues

if TYPE_CHECKING:
    from gatepost.runtime.session import Session

T = TypeVar("T")
E = TypeVar("E")

Register = Callable[[type, type, object], None]


def select_latest(session: "Session", kind: type[T]) -> T | None:
    """The newest value of a type, the one at the end of its slice; `None` if there is none."""
    return session[kind].latest()


def select_all(session: "Session", kind: type[T]) -> tuple[T, ...]:
    """Every value of a type, in the order of its slice."""
    return session[kind].all()


def select_where(session: "Session", kind: type[T], predicate: Callable[[T], object]) -> tuple[T, ...]:
    """The values of a type for which the predicate holds, in the order of its slice."""
    return session[kind].where(predicate)


class Slice(Generic[T]):
    """What a session holds of one type: `session[T]`. Never stale; after the session's end it is empty."""

    __slots__ = ("_kind", "_register", "_rows")

    def __init__(self, kind: type[T], rows: Mapping[type, SliceValues[object]], register: Register) -> None:
        self._kind: Final = kind
        self._rows: Final = rows
        self._register: Final = register

    def register(self, event: type[E], reducer: Reducer[T, E]) -> None:
        """Have the reducer change this slice with each event of exactly this type.

        The same reducer for the same event again is no news. Several different ones run in the order of
        registering, each seeing what the one before left.
        """
        self._register(self._kind, event, reducer)

    def latest(self) -> T | None:
        """The value at the end, at the same cost however many there are; `None` if there is none."""
        row = self._rows.get(self._kind)
        return None if row is None else cast("T | None", row.latest())

    def all(self) -> tuple[T, ...]:
        """Every value. Between two changes it is the same tuple, built once."""
        row = self._rows.get(self._kind)
        return () if row is None else cast("tuple[T, ...]", row.all())

    def where(self, predicate: Callable[[T], object]) -> tuple[T, ...]:
        """The values for which the predicate holds."""
        return tuple(value for value in self.all() if predicate(value))
