"""JSON input: turn a call's arguments into a command, or into a refusal that names every wrong field."""

from typing import Any, TypeVar

import msgspec

from gatepost.domain.refusals import InvalidInput
from gatepost.domain.value import prepared

C = TypeVar("C")


def command(kind: type[C], arguments: Any, clearable: frozenset[str]) -> C:
    """The command for these arguments. Nothing is coerced; null only clears fields that can be cleared."""
    try:
        made = msgspec.convert(arguments, prepared(kind))
    except (msgspec.ValidationError, RecursionError, UnicodeEncodeError) as error:
        raise refused(kind, arguments, str(error)) from None
    nulls = [name for name, value in arguments.items() if value is None and name not in clearable]
    if nulls:
        raise InvalidInput([(name, "must not be null; leave it out instead") for name in nulls])
    return made


def refused(kind: type, arguments: Any, first: str) -> InvalidInput:
    """The refusal that names every problem. `first` is the message of the fast check."""
    from gatepost.wire.input_errors import problems

    try:
        return InvalidInput(problems(kind, arguments, first))
    except RecursionError:
        return too_deep()


def too_deep() -> InvalidInput:
    """The refusal of data that is nested too deeply."""
    return InvalidInput([("arguments", "are nested too deeply")])
