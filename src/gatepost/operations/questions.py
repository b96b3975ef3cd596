"""One question by its step, open or answered, for those who wait for the answer."""

from msgspec import Struct

from gatepost.domain import places
from gatepost.domain.questions import Answer, Question
from gatepost.domain.refusals import Suggestion, UnknownId
from gatepost.domain.steps import Step
from gatepost.engine.reader import Reader


class QuestionState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a step waits for (`open`), or what it waited for and the answer."""

    task: str
    step_id: str
    path: str
    title: str
    open: bool
    reason: str | None = None
    question: Question | None = None
    answer: Answer | None = None


def state(reader: Reader, step_id: str) -> QuestionState:
    """What a step waits or waited for."""
    place = reader.find(step_id)
    found = None if place is None else reader.at(place)
    if place is None or found is None or not isinstance(found.value, Step):
        raise UnknownId("step_id", f"step {step_id}", reader.workspace, Suggestion("tasks_radar", {}))
    step = found.value
    return QuestionState(
        task=places.root_id(place),
        step_id=step.id,
        path=places.path_of(place),
        title=step.title,
        open=step.blocked,
        reason=step.reason,
        question=step.question,
        answer=step.answer,
    )
