"""Permissions: what only people may write, whichever call it comes by."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gatepost.domain import authority, moves, places, questions
from gatepost.domain.documents import Document
from gatepost.domain.people import is_person
from gatepost.domain.refusals import StepAddress
from gatepost.domain.roots import Plan, Task
from gatepost.domain.steps import Step
from gatepost.domain.value import Stamp
from gatepost.engine import policies
from gatepost.engine.caller import Caller
from gatepost.engine.reader import Reader

if TYPE_CHECKING:
    from gatepost.domain.proof_refusals import AnswererRequired, HumanRequired

Changed = tuple[str, Document | None, Document | None]
"""A place, its document before and now."""


def check(reader: Reader, changed: Iterable[Changed], stamp: Stamp) -> None:
    """Refuse what only people may do, unless the actor is a person."""
    if is_person(stamp.actor):
        return
    changed = list(changed)
    _check_questions(reader.caller, changed)
    _check_answers(changed, stamp)
    was = {place: before for place, before, _ in changed}
    arrived = moves.arrivals(changed)
    left = set(arrived.values())
    for place, _, after in changed:
        origin = arrived.get(place, place)
        before = was[origin]
        if place in left:
            continue
        if origin != place or _has_other_plan(before, after):
            _check_move(reader, was, origin, place)
        else:
            _check_policy(reader, place, before, after)
        if before is not None and after is not None:  # what comes back whole is as people left it
            _check_approval(before, after)
            _check_confirmations(place, before, after)


def _has_other_plan(before: Document | None, after: Document | None) -> bool:
    return isinstance(before, Task) and isinstance(after, Task) and before.plan != after.plan


def _check_policy(reader: Reader, place: str, before: Document | None, after: Document | None) -> None:
    """Refuse a change that loosens a policy. Deleting counts: the document could be created again without it."""
    weaker = policies.loosened(reader, place, policies.policy_of(before), policies.policy_of(after))
    if weaker:
        raise policies.needs_person(place, weaker)


def _check_move(reader: Reader, was: Mapping[str, Document | None], old: str, new: str) -> None:
    """Refuse a move that would loosen the policy."""
    weaker = policies.looser(policies.holding(reader, old, was), policies.holding(reader, new))
    if not weaker:
        return
    task, parent = places.root_id(new), places.path_of(new).rpartition(".")[0]
    what, where, command = f"{task} {places.path_of(old)}", f"below {parent}", f"--to {parent}"
    if places.depth(new) == 1:
        where, command = "directly below the task", "--top"
    if not places.depth(new):
        root = reader.root(task).value
        plan = root.plan if isinstance(root, Task) else None
        what, where, command = task, f"to {plan or 'no plan'}", f"--plan {plan or 'none'}"
    raise _human_required(
        f"Moving {what} {where} would loosen its policy ({' and '.join(weaker)}). Only a person may do that.",
        f"gatepost move {what} {command}",
        loosened=list(weaker),
    )


def _check_approval(before: Document, after: Document) -> None:
    if not isinstance(after, Plan) or after.approved is None:
        return
    if not isinstance(before, Plan) or before.approved != after.approved:
        raise _human_required(f"Only a person can approve {after.id}.", f"gatepost approve {after.id}")


def _check_confirmations(place: str, before: Document, after: Document) -> None:
    """Undo could put back what a person confirmed and withdrew."""
    back = [
        claim for claim in authority.claims(after) - authority.claims(before) if claim.whose != authority.MACHINE
    ]
    if back:
        names = " and ".join(sorted({claim.checkpoint for claim in back}))
        task, path = places.root_id(place), places.path_of(place)
        raise _human_required(
            f"Only {back[0].whose} can confirm {names} of {task} {path} again.", f"gatepost show {task} {path}"
        )


def _check_questions(caller: Caller, changed: Sequence[Changed]) -> None:
    """Only those who may answer a question can remove it: no undo, delete or new question bypasses it."""
    for place, before, _ in changed:
        if not isinstance(before, Step) or before.question is None:
            continue
        asked = before.question
        if caller.via is not None or questions.may_answer(asked, caller.actor):
            continue
        # A moved step disappears at one place and appears at another.
        after = next((now for _, _, now in changed if isinstance(now, Step) and now.id == before.id), None)
        if questions.lifted(asked, None if after is None else after.question, caller.actor):
            where = StepAddress(places.root_id(place), before.id, places.path_of(place))
            command = f"gatepost answer {where.task} {where.path} '…'"
            if asked.for_people or asked.for_ is None:
                raise _human_required(f"{where} waits for a person's answer: {asked.short}", command)
            raise _answerer_required(where, f"{where} waits for an answer from {asked.for_}.", asked.for_, command)


def _check_answers(changed: Sequence[Changed], stamp: Stamp) -> None:
    """Only those who may answer a question can take an answer to it back: undo would ask the old question again."""
    for place, before, after in changed:
        if not isinstance(before, Step) or not isinstance(after, Step) or before.question is not None:
            continue
        asked = after.question
        if asked is None or asked.at == stamp.at or questions.may_answer(asked, stamp.actor):
            continue
        where = StepAddress(places.root_id(place), before.id, places.path_of(place))
        command = f"gatepost undo {where.task}"
        said = "was answered" if before.answer is not None else "was unblocked"
        if asked.for_people or asked.for_ is None:
            raise _human_required(f"{where} {said}. Only a person can take that back: {asked.short}", command)
        raise _answerer_required(
            where, f"Only {asked.for_} or a person can take back that {where} {said}.", asked.for_, command
        )


def _answerer_required(where: StepAddress, message: str, asked: str, command: str) -> "AnswererRequired":
    from gatepost.domain.proof_refusals import AnswererRequired

    return AnswererRequired(where, message, asked, command)


def _human_required(message: str, command: str, **details: Any) -> "HumanRequired":
    from gatepost.domain.proof_refusals import HumanRequired  # every write looks, and few are refused

    return HumanRequired(message, command, **details)
