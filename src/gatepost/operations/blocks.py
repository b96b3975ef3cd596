"""Blocks: what a step waits for, in words or as a question, and the answer that lifts it."""

from typing import Annotated

from msgspec import Meta, field
from msgspec.structs import asdict

from gatepost.domain import step_rules
from gatepost.domain.questions import ADDRESSEE, Question
from gatepost.domain.refusals import InvalidInput
from gatepost.domain.value import Stamp
from gatepost.engine.draft import Draft
from gatepost.engine.reader import address
from gatepost.operations.registry import operation
from gatepost.operations.step_commands import StepCommand, select_step
from gatepost.operations.steps import record_step
from gatepost.replies.step_writes import BlockChanged
from gatepost.wire.prose import Item, Note

Options = Annotated[tuple[Item, ...], Meta(max_length=10)]
Addressee = Annotated[str, Meta(pattern=ADDRESSEE, max_length=200)]


class Block(StepCommand[BlockChanged], frozen=True, kw_only=True):
    """Block or unblock."""

    blocked: bool = True
    reason: Note | None = None
    ask: Note | None = None
    options: Options = ()
    for_: Addressee | None = field(default=None, name="for")
    answer: Note | None = None


@operation("tasks_block", "core", "tasks")
def block(draft: Draft, command: Block) -> BlockChanged:
    """Block a step with the `reason`, or `ask` what it waits for (`for`: human, or an actor); unblock it (blocked:
    false) with the `answer`."""
    question = _question(command, draft.stamp)
    root, step = select_step(draft, command)
    if command.blocked:
        change = step_rules.block(step.value, address(step), command.reason, question)
    else:
        change = step_rules.unblock(step.value, draft.stamp, command.reason, command.answer, draft.caller.via)
    return BlockChanged(**asdict(record_step(draft, root, step, change)))


def _question(command: Block, stamp: Stamp) -> Question | None:
    """What a call asks, if anything. Refuses fields that do not go together."""
    if command.blocked and command.answer is not None:
        raise InvalidInput([("answer", "needs `blocked: false`: it answers what the step waits for")])
    asks = {"ask": command.ask, "options": command.options, "for": command.for_}
    given = [name for name, value in asks.items() if value]
    if given and not command.blocked:
        raise InvalidInput([(name, "can be given only when you block a step") for name in given])
    if command.ask is None:
        if given:
            raise InvalidInput([(name, "needs `ask`: the question that it belongs to") for name in given])
        return None
    if len(set(command.options)) < len(command.options):
        raise InvalidInput([("options", "names the same answer twice")])
    return Question(ask=command.ask, options=command.options, for_=command.for_, actor=stamp.actor, at=stamp.at)
