"""Reading a session's values of a type."""

from collections.abc import Callable
from typing import TypeVar

from gatepost.runtime.session import Session

T = TypeVar("T")


def select_latest(session: Session, kind: type[T]) -> T | None:
    """The newest value of a type, the last of its slice; `None` if there is none."""
    return session[kind].latest()


def select_all(session: Session, kind: type[T]) -> tuple[T, ...]:
    """Every value of a type, in the order of its slice."""
    return session[kind].all()


def select_where(session: Session, kind: type[T], predicate: Callable[[T], object]) -> tuple[T, ...]:
    """The values of a type for which the predicate holds, in the order of its slice."""
    return session[kind].where(predicate)
