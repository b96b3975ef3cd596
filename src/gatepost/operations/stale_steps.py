"""Steps whose proof has aged, where the policy says that they are open again."""

from collections.abc import Iterable

from gatepost.domain import places, terms
from gatepost.domain.checkpoints import Confirmation
from gatepost.domain.roots import Task
from gatepost.domain.steps import Step
from gatepost.engine.draft import Draft
from gatepost.engine.engine import LookNeeded
from gatepost.engine.policies import effective
from gatepost.engine.reader import Found, Reader
from gatepost.operations.held_steps import is_closed
from gatepost.operations.staleness import stale_steps

_REASON = "Files that its proof covers have changed since."


class StaleSteps:
    """The steps that one call finds stale. The source tree is looked at once, before the store is locked."""

    def __init__(self, tasks: Iterable[str]) -> None:
        self._tasks = tuple(tasks)
        self._found: dict[str, dict[str, tuple[Confirmation, ...]]] = {}

    def reopen(self, draft: Draft) -> None:
        """Reopen the steps whose proof is stale in the tasks whose policy says so.

        What somebody else holds waits for a write of its holder: the caller may not change it, and cannot help it.
        """
        wanted = [place for task in self._tasks if (place := _ageing(draft, task)) is not None]
        unseen = [place for place in wanted if place not in self._found]
        if unseen:
            raise LookNeeded(lambda reader: self._look(reader, unseen))
        for at, proofs in [found for place in wanted for found in self._found[place].items()]:
            step = draft.at(at)
            if step is None or not isinstance(step.value, Step) or step.value.confirmed != proofs:
                continue
            if not is_closed(draft, at):
                _reopen(draft, Found(at, step.value, step.tally))

    def _look(self, reader: Reader, tasks: list[str]) -> None:
        for task in tasks:
            found, _ = stale_steps(reader, [task])
            self._found[task] = {step.place: step.value.confirmed for step in found}


def _ageing(draft: Draft, task: str) -> str | None:
    """The place of a task in which stale steps are to be reopened."""
    place = places.of_id(task)
    found = None if place is None else draft.at(place)
    if found is None or not isinstance(found.value, Task) or not found.tally.done:
        return None
    reopens = effective(draft, found.place).stale == "reopen"
    return found.place if reopens and draft.among(((terms.CHECKED,),), found.place, 1) else None


def _reopen(draft: Draft, step: Found[Step]) -> None:
    from gatepost.domain import step_rules  # few calls find a stale step, and every write looks
    from gatepost.operations.steps import reopen_from

    value, events = step_rules.reopen(step.value, reason=_REASON)
    for event in events:
        draft.put(step.place, value)
        draft.log(places.root_of(step.place), event, step)
    reopen_from(draft, places.above(step.place)[0], step.value.id)
