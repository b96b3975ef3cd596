"""Questions: what a blocked step asks, who must answer, and the answer."""

from typing import Final, Literal

from msgspec import field

from gatepost.domain.people import is_person
from gatepost.domain.value import Value

HUMAN: Final = "human"
"""In place of an actor's name: any person."""

ADDRESSEE: Final = r"^(?:human|[a-z]+:[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+)\Z"
"""Who can be asked. The kind has plain letters only, so that nothing but `human:…` looks like a person."""

_SHORT: Final = 200

Via = Literal["elicitation"]
"""How an answer came in, if it is not the actor's own: the actor's client asked its user."""


class Question(Value, frozen=True, kw_only=True):
    """What was asked, by whom and when. `for` is `human`, the actor who must answer, or not set for anyone."""

    ask: str
    options: tuple[str, ...] = ()
    for_: str | None = field(default=None, name="for")
    actor: str
    at: str

    @property
    def for_people(self) -> bool:
        """Whether only a person can answer it."""
        return self.for_ is not None and (self.for_ == HUMAN or is_person(self.for_))

    @property
    def short(self) -> str:
        """What was asked, on one line."""
        line = " ".join(self.ask.split())
        return line if len(line) <= _SHORT else f"{line[: _SHORT - 1]}…"

    def same_as(self, other: "Question | None") -> bool:
        """Whether another question has the same text, options and addressee, regardless of who asked and when."""
        return other is not None and (self.ask, self.options, self.for_) == (other.ask, other.options, other.for_)


class Answer(Value, frozen=True, kw_only=True):
    """What was said when a step was unblocked, by whom and when, and the question or reason that it answers."""

    answer: str
    question: str | None = None
    actor: str
    at: str
    via: Via | None = None


def lifted(before: Question, after: Question | None, actor: str) -> bool:
    """Whether a change removes a question. The actor who asked can reword it for the same addressee."""
    if after is None:
        return True
    return not (after.same_as(before) or (actor == before.actor and after.for_ == before.for_))


def may_answer(question: Question, actor: str) -> bool:
    """Whether an actor may lift the block. A person may answer every question."""
    return question.for_ is None or is_person(actor) or question.for_ in names_of(actor)


def names_of(actor: str) -> tuple[str, ...]:
    """The names by which an actor can be asked: its own, and that without its session, which means all sessions.

    The inbox finds an actor's questions by the same names, so it lists exactly those that the actor may answer.
    """
    everywhere = actor.rpartition("/")[0]
    return (actor, everywhere) if everywhere else (actor,)
