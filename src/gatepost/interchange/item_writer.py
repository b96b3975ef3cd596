"""Writing what was read from a source into a workspace: by ordinary calls, in atomic batches, through a client.

First come the plans, then the tasks with their steps, all with the tag `import:unfinished`. Then each gets its
notes, dependencies and state, and in the same batch loses the tag. So an import that was interrupted goes on where
it stopped, and nothing comes twice.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from gatepost.client.protocol import Client
from gatepost.domain.refusals import Refusal
from gatepost.interchange.batches import BatchSender, Group
from gatepost.interchange.dependencies import accepted
from gatepost.interchange.import_report import ImportReport, Refused
from gatepost.interchange.imported_items import KnownItem, known_items, known_steps
from gatepost.interchange.item_calls import (
    Call,
    call,
    creation,
    item_tag,
    plan_state,
    states,
    step_title,
    tags_of,
    walked,
)
from gatepost.interchange.items import Item, Loss, PlanItem, Reading, is_done
from gatepost.interchange.new_steps import new_steps
from gatepost.interchange.texts import Fitting

_ASKED: Final = "you asked for that (--leave-open)."
_POLICY: Final = "the policy here asks for more than a word."

Tell = Callable[[int, int], object]
"""Hears how many items have been dealt with, and how many there are."""


def import_reading(
    client: Client,
    workspace: str,
    report: ImportReport,
    reading: Reading,
    tell: Tell,
    *,
    leave_open: bool = False,
) -> ImportReport:
    """Add what is new to a workspace. With `report.dry_run`, only say what would be added."""
    writer = _ItemWriter(client, workspace, report, reading, tell)
    writer.create()
    writer.finish(leave_open=leave_open)
    writer.extend()
    writer.tell_losses()
    return report


class _ItemWriter:
    """One import, as far as it is."""

    def __init__(self, client: Client, workspace: str, report: ImportReport, reading: Reading, tell: Tell) -> None:
        self._client, self._workspace, self._report, self._reading = client, workspace, report, reading
        self._needed, circles = accepted(reading)
        report.losses += [*reading.losses, *circles]
        self._fitting = Fitting()
        self._sender = BatchSender(client, workspace, rehearsed=report.dry_run)
        self._known = known_items(client, workspace, report.source)
        self._ids: dict[str, str] = {}
        self._open: list[PlanItem | Item] = []
        self._settled: list[Item] = []
        self._tell, self._told, self._total = tell, 0, 2 * (len(reading.items) + len(reading.plans))

    def create(self) -> None:
        """Create the plans and tasks that are new."""
        self._create(self._reading.plans)
        self._create(self._reading.items)

    def finish(self, *, leave_open: bool) -> None:
        """Give what was created, now or by an import that was interrupted, its notes, dependencies and state."""
        refusal = _closing_refusal(self._client, self._workspace, leave_open=leave_open) if self._open else None
        for kind in (Item, PlanItem):
            items = [each for each in self._open if isinstance(each, kind)]
            if self._report.dry_run:
                for item in items:
                    self._report.count_closed(item, may_close=refusal is None)
            else:
                self._finish(items, refusal)

    def extend(self) -> None:
        """Add the steps that are new in tasks which are settled already."""
        groups, counts = [], {}
        for item in self._settled:
            known = self._found(item)
            if known is None:
                continue
            if is_done(item) and known.status != "DONE":
                self._report.differs.append(f"{item.key} ({known.id})")
            calls, count = new_steps(self._client, self._workspace, item, known, self._fitting, self._report)
            if calls:
                groups.append(Group(item.key, calls))
                counts[item.key] = count
        for key, _ in self._sender.send(groups, self._advance):
            self._report.added_steps += counts[key]

    def tell_losses(self) -> None:
        """Say what could not be kept or written."""
        self._report.losses += dict.fromkeys(self._fitting.losses)
        self._report.refused += [
            Refused(key, refusal.code, refusal.message) for key, refusal in self._sender.refused.items()
        ]

    def _found(self, item: PlanItem | Item) -> KnownItem | None:
        return self._known.get(item_tag(self._report.source, item.key))

    def _create(self, items: Sequence[PlanItem | Item]) -> None:
        groups, new = [], {}
        for item in items:
            known = self._found(item)
            if known is None:
                plan = item.plan if isinstance(item, Item) else None
                home = None if plan is None else self._ids.get(plan)
                groups.append(Group(item.key, [creation(self._report.source, item, home, self._fitting)]))
                new[item.key] = item
                continue
            self._ids[item.key] = known.id
            self._report.known += not known.is_unfinished
            if known.is_unfinished:
                self._open.append(item)
            elif isinstance(item, Item):
                self._settled.append(item)
        for key, (reply,) in self._sender.send(groups, self._advance):
            self._created(new[key], reply)

    def _created(self, item: PlanItem | Item, reply: dict[str, Any]) -> None:
        self._open.append(item)
        if not self._report.dry_run:
            self._ids[item.key] = reply["id"]
        self._report.count_created(item)

    def _finish(self, items: Sequence[PlanItem | Item], refusal: str | None) -> None:
        """Send the calls for some items; those that are refused once more, without what closes anything."""
        again = self._send_states(items, refusal)
        if again and refusal is None:
            reasons = {item.key: self._sender.refused.pop(item.key) for item in again}
            for item in again:
                self._send_states([item], _reason(reasons[item.key]))

    def _send_states(self, items: Sequence[PlanItem | Item], refusal: str | None) -> list[PlanItem | Item]:
        groups = [Group(item.key, [*self._state(item, refusal), self._untag(item)]) for item in items]
        named = {item.key: item for item in items}
        for key, _ in self._sender.send(groups, self._advance):
            self._report.count_closed(named[key], may_close=refusal is None)
        return [item for item in items if item.key in self._sender.refused]

    def _state(self, item: PlanItem | Item, refusal: str | None) -> list[Call]:
        task = self._ids[item.key]
        if isinstance(item, PlanItem):
            return plan_state(item, task, self._report.label, refusal)
        known = self._found(item)
        if known is not None and not self._has_all_steps(item, known):
            self._report.losses.append(
                Loss("states (the source changed while an import was interrupted)", f"{item.key} ({known.id})")
            )
            return []
        return states(item, task, self._report.label, self._fitting, refusal=refusal)

    def _has_all_steps(self, item: Item, known: KnownItem) -> bool:
        held = {step.path: step.title for step in known_steps(self._client, self._workspace, known.id)}
        return all(held.get(path) == step_title(step, item) for step, path in walked(item))

    def _untag(self, item: PlanItem | Item) -> Call:
        needed = [self._ids[name] for name in self._needed[item.key] if name in self._ids]
        tags = tags_of(self._report.source, item)
        return call("tasks_edit", task=self._ids[item.key], tags=tags, depends_on=needed)

    def _advance(self, count: int) -> None:
        self._told += count
        self._tell(min(self._told, self._total), self._total)


def _closing_refusal(client: Client, workspace: str, *, leave_open: bool) -> str | None:
    """Why nothing may be closed on a word here, if so."""
    if leave_open:
        return _ASKED
    holds = msgspec.json.decode(client.rehearse("tasks_policy", {"workspace": workspace}))["holds"]
    others = [who for who in (holds.get("signoff") or {}).values() if who != "anyone"]
    asks = holds.get("proof") not in (None, "word") or others or holds.get("approval") == "human"
    return _POLICY if asks else None


def _reason(refusal: Refusal) -> str:
    return f"{refusal.message[:1].lower()}{refusal.message[1:]}"
