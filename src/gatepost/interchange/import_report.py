"""What an import did, and what it could not keep."""

from msgspec import Struct

from gatepost.interchange.item_calls import walked
from gatepost.interchange.items import Item, Loss, PlanItem, is_done


class Refused(Struct, frozen=True):
    """An item that a call refused, and why."""

    key: str
    code: str
    message: str


class ImportReport(Struct, kw_only=True):
    """What an import added, what was there already, and what is not as it was in the source."""

    source: str
    label: str
    files: tuple[str, ...] = ()
    dry_run: bool = False
    plans: int = 0
    tasks: int = 0
    steps: int = 0
    known: int = 0
    """Plans and tasks of the source that the workspace has already."""
    added_steps: int = 0
    """Steps that were new in tasks which the workspace has already."""
    completed: int = 0
    """Tasks and plans that are done on the source's word alone."""
    closed: int = 0
    """Steps that are closed on the source's word alone."""
    left_open: int = 0
    """Steps that the source calls done, and that are open here."""
    differs: list[str] = []
    """Tasks that the source calls done, and that were imported earlier and are open here."""
    refused: list[Refused] = []
    losses: list[Loss] = []

    def count_created(self, item: PlanItem | Item) -> None:
        """Count what was created for an item."""
        if isinstance(item, PlanItem):
            self.plans += 1
            return
        self.tasks += 1
        self.steps += sum(1 for _ in walked(item))
        self.losses += _lost_states(item)

    def count_closed(self, item: PlanItem | Item, *, may_close: bool) -> None:
        """Count what is done of an item here, and what only its source calls done."""
        if isinstance(item, PlanItem):
            self.completed += may_close and item.done
            return
        self.completed += may_close and is_done(item)
        for step, _ in walked(item):
            closes = may_close and is_done(step)
            self.closed += closes
            self.left_open += step.state == "done" and not closes


def _lost_states(item: Item) -> list[Loss]:
    """Steps in progress: here a step is open, blocked or done, and a claim says who works on it."""
    found = [step for step, _ in walked(item) if step is not item and step.state == "started" and not step.items]
    return [Loss("steps in progress (they are open here)", f"{item.key}: {step.title[:60]}") for step in found]
