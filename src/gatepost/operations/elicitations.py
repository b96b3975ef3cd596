"""Questions that an MCP client asks its user: which one is open, and how it ends.

The block is stored before the user is asked, so that the question is in the inbox even if the client fails.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from gatepost.domain.questions import HUMAN, Question
from gatepost.domain.steps import Step
from gatepost.engine.caller import Caller
from gatepost.engine.draft import Draft
from gatepost.engine.engine import Engine
from gatepost.engine.reader import Reader
from gatepost.operations import blocks
from gatepost.operations.answer import CallResult, answer
from gatepost.operations.blocks import Block
from gatepost.operations.step_commands import select_step
from gatepost.operations.steps import record_step
from gatepost.replies.step_writes import BlockChanged, Elicited

BLOCK: Final = "tasks_block"

_ELSEWHERE: Final = "The question is no longer open."


class Asked(Struct, frozen=True):
    """A question that the user sees. `events` are those of the block, which belong to the reply."""

    workspace: str
    task: str
    step_id: str
    at: str
    events: tuple[dict[str, Any], ...] = ()


class ElicitedQuestion(Struct, frozen=True):
    """A question and its step, as the user is shown them."""

    asked: Asked
    question: Question
    path: str
    title: str


def open_question(engine: Engine, workspace: str, blocked: CallResult, caller: Caller) -> ElicitedQuestion | None:
    """The question that a call to `tasks_block` left open, if any user may answer it."""
    reply = msgspec.json.decode(blocked.text)
    step_id = reply["step"]["step_id"]
    step = engine.read(workspace, caller, lambda reader: _step(reader, step_id))
    if step is None or step.question is None or step.question.for_ not in (None, HUMAN):
        return None
    asked = Asked(workspace, reply["task"], step_id, step.question.at, tuple(reply["events"]))
    return ElicitedQuestion(asked, step.question, reply["step"]["path"], step.title)


def is_open(engine: Engine, asked: Asked, caller: Caller) -> bool:
    """Whether a question still waits for its answer."""
    step = engine.read(asked.workspace, caller, lambda reader: _step(reader, asked.step_id))
    return step is not None and _asks(step, asked)


def finish(engine: Engine, asked: Asked, caller: Caller, said: str | None, because: str) -> CallResult:
    """The reply to the call that asked: with what the user `said`, or why the question waits.

    The answer is recorded as the agent's, with `via`: its client asked somebody, but Gatepost does not know whom.
    """
    target = {"workspace": asked.workspace, "task": asked.task, "step_id": asked.step_id, "blocked": False}
    who = replace(caller, via="elicitation")
    if said is not None:
        answered = answer(engine, BLOCK, {**target, "answer": said}, who, partial(_ended, asked, because))
        if answered.refusal is None:
            return answered
        because = f"The answer could not be stored. {answered.refusal.message}"
    return answer(engine, BLOCK, target, caller, partial(_ended, asked, because))


def _ended(asked: Asked, because: str, draft: Draft, command: Block) -> BlockChanged:
    """Lift the block with the answer, if there is one and the question is still open."""
    root, step = select_step(draft, command)
    if _asks(step.value, asked) and command.answer is not None:
        reply: BlockChanged = blocks.block.handler(draft, command)
        outcome = Elicited(outcome="answered", answer=command.answer)
    else:
        reply = BlockChanged(**asdict(record_step(draft, root, step, (step.value, ()))))
        outcome = _unanswered(step.value, asked, because)
    events: Any = (*asked.events, *reply.events)
    return replace(reply, elicited=outcome, events=events, changed=bool(events))


def _unanswered(step: Step, asked: Asked, because: str) -> Elicited:
    if _asks(step, asked):
        return Elicited(outcome="waits", because=because)
    answered = step.answer
    if answered is None or answered.at < asked.at:
        return Elicited(outcome="answered_elsewhere", because=_ELSEWHERE)
    return Elicited(outcome="answered_elsewhere", answer=answered.answer, actor=answered.actor)


def _asks(step: Step, asked: Asked) -> bool:
    return step.question is not None and step.question.at == asked.at


def _step(reader: Reader, step_id: str) -> Step | None:
    place = reader.find(step_id)
    found = None if place is None else reader.at(place)
    return found.value if found is not None and isinstance(found.value, Step) else None
