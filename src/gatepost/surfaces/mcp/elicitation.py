"""Asks the user of the client the question of a blocked step, by elicitation. Loaded with the first question.

A client that cannot ask, a user who declines and an answer that comes too late all leave the question in the inbox.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import msgspec

from gatepost.domain.refusals import Refusal
from gatepost.domain.value import prepared
from gatepost.engine.caller import Caller
from gatepost.engine.engine import Engine
from gatepost.operations import elicitations
from gatepost.operations.answer import CallResult, answer
from gatepost.operations.elicitations import BLOCK, Asked, ElicitedQuestion
from gatepost.surfaces.mcp.exchange import Exchange, InputRequired, Question

_KEY: Final = "answer"
_EVERY: Final = 5.0
"""Seconds between two progress notifications, without which some clients would give up."""
_WAITS: Final = "The question waits in the inbox, and the step stays blocked until then. Work on another step."
_UNABLE: Final = f"This client cannot ask its user. {_WAITS}"
_BECAUSE: Final = {
    "accept": f"The user's answer was empty. {_WAITS}",
    "decline": f"The user declined to answer. {_WAITS}",
    "cancel": f"The user gave no answer. {_WAITS}",
}


def answered(engine: Engine, arguments: dict[str, Any], caller: Caller, exchange: Exchange) -> CallResult:
    """Block a step and put its question to the user; when the client comes back, finish with the user's answer."""
    if exchange.kept is None:
        return _begun(engine, arguments, caller, exchange)
    response = exchange.response(_KEY) or {}
    action, content = response.get("action"), response.get("content")
    given = content.get(_KEY) if action == "accept" and isinstance(content, dict) else None
    said = given if isinstance(given, str) and given.strip() else None
    because = _BECAUSE.get(str(action), _BECAUSE["cancel"])
    return elicitations.finish(engine, msgspec.convert(exchange.kept, prepared(Asked)), caller, said, because)


def _begun(engine: Engine, arguments: dict[str, Any], caller: Caller, exchange: Exchange) -> CallResult:
    blocked = answer(engine, BLOCK, arguments, caller)
    if blocked.refusal is not None:
        return blocked
    workspace = str(arguments.get("workspace", caller.workspace))
    found = elicitations.open_question(engine, workspace, blocked, caller)
    if found is None:
        return blocked
    if not exchange.can("elicitation"):
        return elicitations.finish(engine, found.asked, caller, None, _UNABLE)
    # An answer in the first call does not count: nobody has been asked yet.
    kept = msgspec.to_builtins(found.asked)
    raise InputRequired({_KEY: _form(found)}, {}, kept, _settled(engine, found.asked, caller, exchange))


def _form(found: ElicitedQuestion) -> Question:
    """A choice of the options, or a field for a text."""
    question = found.question
    field: dict[str, object] = {"type": "string", "title": "Answer"}
    if question.options:
        field["enum"] = list(question.options)
    schema = {"type": "object", "properties": {_KEY: field}, "required": [_KEY]}
    message = f"{question.ask}\n\n{found.asked.task} {found.path} “{found.title}”"
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def _settled(engine: Engine, asked: Asked, caller: Caller, exchange: Exchange) -> Callable[[], bool]:
    """Says whether the question was answered elsewhere, and sends progress while the call waits."""
    began = told = time.monotonic()

    def settled() -> bool:
        nonlocal told
        now = time.monotonic()
        if now - told >= _EVERY:
            told = now
            exchange.progress(round(now - began, 1), message="Waiting for the user's answer")
        with suppress(Refusal):  # the store is busy: the next look will tell
            return not elicitations.is_open(engine, asked, caller)
        return False

    return settled
