"""Which changes of a commit are news for people, and the words for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gatepost.domain import places
from gatepost.domain.checkpoints import Checkpoint
from gatepost.domain.documents import Document
from gatepost.domain.questions import HUMAN, Question
from gatepost.domain.roots import Plan, Task
from gatepost.domain.steps import Step
from gatepost.engine.commits import Commit
from gatepost.engine.permissions import Changed
from gatepost.engine.reader import Found, Reader
from gatepost.notices.configuration import PLAN_DONE, QUESTION, SIGNOFF, STEP_STUCK
from gatepost.notices.notice import Notice, NoticeStep
from gatepost.operations.demands import needs

_TITLES: Final = {
    QUESTION: "Gatepost: question in {}",
    SIGNOFF: "Gatepost: sign-off needed in {}",
    PLAN_DONE: "Gatepost: plan done in {}",
    STEP_STUCK: "Gatepost: step stuck in {}",
}


def news_in(changes: Sequence[Changed]) -> list[Changed]:
    """The changes that people may want to know about. Must be cheap: it runs in the call that made them."""
    found = [change for change in changes if _is_news(*change)]
    if not found:
        return []
    # A moved step disappears at one place and appears at another.
    moved = {was.id: was for _, was, now in changes if now is None and isinstance(was, Step)}
    whole = [(place, was or moved.get(getattr(now, "id", "")), now) for place, was, now in found]
    return [change for change in whole if _is_news(*change)]


def _is_news(_place: str, before: Document | None, after: Document | None) -> bool:
    if isinstance(after, Plan):
        return after.done and not (isinstance(before, Plan) and before.done)
    if not isinstance(after, Step) or after.done:
        return False
    was = before if isinstance(before, Step) else None
    return after.confirmed != (was.confirmed if was else ()) or _asked(was, after) is not None


def notices(reader: Reader, commit: Commit) -> Iterator[Notice]:
    """The news of a commit."""
    known: dict[str, Any] = {"actor": commit.stamp.actor, "at": commit.stamp.at}
    for place, before, after in commit.changes:
        was = before if isinstance(before, Step) else None
        if isinstance(after, Plan):
            words = f"{after.id} “{after.title}” is done."
            yield noticed(reader, PLAN_DONE, place, after, f"{commit.operation}", words, **known)
        elif isinstance(after, Step):
            for kind, words, members in _of_step(reader, place, was, after):
                yield of_step(reader, kind, place, after, f"{commit.operation}", words, **members, **known)


def _of_step(reader: Reader, place: str, was: Step | None, step: Step) -> Iterator[tuple[str, str, dict[str, Any]]]:
    asked = _asked(was, step)
    if asked is not None:
        choice = f" ({', '.join(asked.options)})" if asked.options else ""
        members = {"ask": asked.ask, "options": asked.options, "for_": asked.for_, "reason": step.reason}
        yield QUESTION, f"asks: {asked.short}{choice}", members
    wanted = _unsigned(reader, place, step)
    if wanted and not (was is not None and _unsigned(reader, place, was)):
        yield SIGNOFF, f"waits for a person to sign off {' and '.join(wanted)}.", {"checkpoints": wanted}


def _asked(was: Step | None, step: Step) -> Question | None:
    """A question to people that is new, if there is one."""
    asked = step.question
    if asked is None or not (asked.for_ is None or asked.for_people):
        return None
    return None if was is not None and asked.same_as(was.question) else asked


def _unsigned(reader: Reader, place: str, step: Step) -> tuple[Checkpoint, ...]:
    """The checkpoints that lack only a person's sign-off, once everything else is confirmed."""
    if step.done or step.blocked or step.missing:
        return ()
    found = needs(reader, Found(place, step, reader.tally(place)))
    return tuple(need.checkpoint for need in found if need.signoff == HUMAN)


def of_step(reader: Reader, kind: str, place: str, step: Step, number: str, words: str, **members: Any) -> Notice:
    """A notice about a step. `number` distinguishes it from earlier ones of the same kind about the same step."""
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
