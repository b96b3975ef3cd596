"""What of a commit is news for people, and how it is put."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from gatepost.domain import places, policies
from gatepost.domain.checkpoints import Checkpoint
from gatepost.domain.documents import Document
from gatepost.domain.policies import Demand, Policy
from gatepost.domain.roots import Plan, Task
from gatepost.domain.steps import Step
from gatepost.engine.commits import Change, Commit
from gatepost.engine.policies import effective
from gatepost.engine.reader import Reader
from gatepost.notices.configuration import PLAN_DONE, SIGNOFF, STEP_STUCK
from gatepost.notices.notice import Notice, NoticeStep

_TITLES: Final = {
    SIGNOFF: "Gatepost: sign-off needed in {}",
    PLAN_DONE: "Gatepost: plan done in {}",
    STEP_STUCK: "Gatepost: step stuck in {}",
}


def is_news(change: Change) -> bool:
    """Whether people may want to know of a change. Must be cheap: it is asked in the call that made it."""
    _, before, after = change
    if isinstance(after, Plan):
        return after.done and not (isinstance(before, Plan) and before.done)
    if not isinstance(after, Step) or after.done:
        return False
    return after.confirmed != (before.confirmed if isinstance(before, Step) else ())


def notices(reader: Reader, commit: Commit) -> Iterator[Notice]:
    """The news of a commit."""
    known = {"actor": commit.stamp.actor, "at": commit.stamp.at}
    for place, before, after in commit.changes:
        if isinstance(after, Plan):
            number = f"{commit.operation}"
            yield noticed(reader, PLAN_DONE, place, after, number, f"{after.id} “{after.title}” is done.", **known)
        elif isinstance(after, Step):
            wanted = _unsigned(reader, place, before, after)
            if wanted:
                words = f"waits for a person to sign off {' and '.join(wanted)}."
                yield of_step(
                    reader, SIGNOFF, place, after, f"{commit.operation}", words, checkpoints=wanted, **known
                )


def of_step(reader: Reader, kind: str, place: str, step: Step, number: str, words: str, **members: Any) -> Notice:
    """A notice about a step. `number` tells it from earlier ones of the same kind about the same step."""
    named = NoticeStep(step.id, places.path_of(place), step.title)
    text = f"{places.shown(place)} “{step.title}” {words}"
    return noticed(reader, kind, place, step, number, text, step=named, **members)


def noticed(
    reader: Reader, kind: str, place: str, document: Document, number: str, text: str, **members: Any
) -> Notice:
    """A notice about what is at a place. Its text starts with the id, so that no command takes it for an option."""
    root = reader.at(places.root_of(place))
    if root is not None and isinstance(root.value, Task):
        members |= {"task": root.value.id, "plan": root.value.plan, "root_title": root.value.title}
    elif isinstance(document, Plan):
        members |= {"plan": document.id, "root_title": document.title}
    return Notice(
        kind=kind,
        id=f"{kind}:{reader.workspace}:{number}:{getattr(document, 'id', '')}",
        workspace=reader.workspace,
        title=_TITLES[kind].format(reader.workspace),
        text=text,
        **members,
    )


def _unsigned(reader: Reader, place: str, before: Document | None, after: Step) -> tuple[Checkpoint, ...]:
    """What a person must sign off now, if all that was missing before is that."""
    policy = effective(reader, place)
    was = unsigned(before, policy) if isinstance(before, Step) else ()
    return () if was else unsigned(after, policy)


def unsigned(step: Step, policy: Policy) -> tuple[Checkpoint, ...]:
    """What only a person's sign-off is missing for, once everything else is confirmed."""
    if step.done or step.missing:
        return ()
    short = policies.unsigned(step.relied_on, Demand(policy))
    return tuple(one.checkpoint for one in short if one.wants == "human")
