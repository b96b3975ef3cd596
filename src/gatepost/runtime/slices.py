"""Reading a session's values of a type, as `session[T]` or with the `select_` functions."""

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
    """The newest value of a type, the last of its slice; `None` if there is none."""
    return session[kind].latest()


def select_all(session: "Session", kind: type[T]) -> tuple[T, ...]:
    """Every value of a type, in the order of its slice."""
    return session[kind].all()


def select_where(session: "Session", kind: type[T], predicate: Callable[[T], object]) -> tuple[T, ...]:
    """The values of a type for which the predicate holds, in the order of its slice."""
    return session[kind].where(predicate)


class Slice(Generic[T]):
    """A session's values of one type: `session[T]`. Always current; empty after the session's end."""

    __slots__ = ("_kind", "_register", "_rows")

    def __init__(self, kind: type[T], rows: Mapping[type, SliceValues[object]], register: Register) -> None:
        self._kind: Final = kind
        self._rows: Final = rows
        self._register: Final = register

    def register(self, event: type[E], reducer: Reducer[T, E]) -> None:
        """Let the reducer change this slice with each event of exactly this type.

        Registering a reducer twice for an event has no further effect. Several reducers run in the order of
        registration, each on the result of the one before.
        """
        self._register(self._kind, event, reducer)

    def latest(self) -> T | None:
        """The last value; `None` if there is none. The cost does not depend on their number."""
        row = self._rows.get(self._kind)
        return None if row is None else cast("T | None", row.latest())

    def all(self) -> tuple[T, ...]:
        """Every value. Returns the same tuple until something changes."""
        row = self._rows.get(self._kind)
        return () if row is None else cast("tuple[T, ...]", row.all())

    def where(self, predicate: Callable[[T], object]) -> tuple[T, ...]:
        """The values for which the predicate holds."""
        return tuple(value for value in self.all() if predicate(value))
