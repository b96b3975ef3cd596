"""Reading a call: its arguments become a command, and a write's texts are searched for secrets on the way.

Every call passes through here, alone or in a batch, so that no operation can store a credential by being new.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from gatepost.domain.refusals import SecretFound
from gatepost.operations.registry import Command, Operation
from gatepost.wire import json_input
from gatepost.wire.secret_policy import ALLOW, REFUSE, Policy


class ParsedCall(Struct, frozen=True):
    """A command, and how many credentials were replaced in it."""

    command: Command[Any]
    redacted: int = 0


def parse(operation: Operation, arguments: Mapping[str, Any], policy: Policy) -> ParsedCall:
    """The command that a call spells. Files are the user's own, so what is written to them is not judged."""
    command = json_input.command(operation.command, arguments, operation.clearable)
    if policy == ALLOW or not operation.writes or operation.files:
        return ParsedCall(command)
    from gatepost.wire.secrets import redacted_in, secrets_in

    try:
        found = secrets_in(arguments, operation.judged_later)
        if not found:
            return ParsedCall(command)
        if policy == REFUSE:
            raise SecretFound(found)
        clean, count = redacted_in(arguments, operation.judged_later)
    except RecursionError:
        raise json_input.too_deep() from None
    return ParsedCall(json_input.command(operation.command, clean, operation.clearable), count)


def counted(reply: Any, redacted: int) -> Any:
    """A reply that says how many credentials were replaced, if any were."""
    if not redacted:
        return reply
    return msgspec.structs.replace(reply, redacted=redacted + (reply.redacted or 0))
