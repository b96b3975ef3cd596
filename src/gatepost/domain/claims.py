"""Claims: who works on a step or a whole task, since when, and how long that lasts without a call."""

from typing import Final

from msgspec import Struct

from gatepost.domain.offers import Offer
from gatepost.domain.people import is_person
from gatepost.domain.refusals import CONFLICT, Refusal, StepAddress, Suggestion
from gatepost.domain.value import Value

SHORTEST: Final = 10
LONGEST: Final = 7 * 24 * 3600
WITH_PROCESS: Final = 4 * 3600
"""How long a claim lasts without a call, in seconds, if it also ends with its holder's process."""
BY_TIME: Final = 15 * 60
"""How long a claim lasts without a call, in seconds, if only time can end it."""


class Holder(Struct, frozen=True):
    """A session that can hold work, and its process if that is known: when the process ends, so do the claims."""

    session: str
    process: str | None = None


class Claim(Value, frozen=True, kw_only=True):
    """A session holds the work. The claim ends `ttl_s` seconds after it was made or after the session's last call.

    It is not part of the content of a step or task: revisions, undo and redo ignore it.
    """

    actor: str
    session: str
    process: str | None = None
    at: str
    ttl_s: int

    @property
    def holder(self) -> str:
        """The name of its holder: two sessions of one actor are two holders."""
        return holder_name(self.actor, self.session)

    def seen(self, at: str | None) -> str:
        """When its holder was last active, given the time of the last call of its session."""
        return self.at if at is None else max(self.at, at)


class Claimed(Refusal):
    """Refuses a change to work that somebody else holds."""

    code = "CLAIMED"
    family = CONFLICT

    def __init__(self, task: str, step: StepAddress | None, claim: Claim, until: str, way_on: str) -> None:
        super().__init__(
            f"{claim.actor} has held {step or f'the whole of {task}'} since {claim.at}. The claim ends at {until}"
            " unless its holder makes another call.",
            way_on,
            Suggestion("tasks_claim", {}),
            holder=claim.actor,
            since=claim.at,
            until=until,
            task=task,
            **({} if step is None else {"step_id": step.step_id, "path": step.path}),
        )


def way_on(actor: str, offer: Offer) -> str:
    """What somebody can do who may not change what another holds: people have commands and buttons, agents have the
    tools that they were offered."""
    if is_person(actor):
        return "Work on something else, leave a note for the holder, or take it over and say why."
    if offer.holds("tasks_claim"):
        return (
            "Claim something else with tasks_claim, or leave a note for the holder. To take it over, name it in"
            " tasks_claim and say why in `take_over`."
        )
    return "Work on something else until then."


def holder_name(actor: str, session: str) -> str:
    """One name for an actor and its session."""
    return f"{session} {actor}"
