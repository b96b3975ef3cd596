"""Steps that a source got after its task was imported: they are added, and nothing that is there is changed."""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from gatepost.client.protocol import Client
from gatepost.interchange.import_report import ImportReport
from gatepost.interchange.imported_items import KnownItem, KnownStep, known_steps
from gatepost.interchange.item_calls import Call, call, new_step
from gatepost.interchange.items import Item, Loss, is_done
from gatepost.interchange.texts import Fitting, line, title


class _Parent(NamedTuple):
    """An item of the source, and the step that it is here: the task itself, if the path is empty."""

    item: Item
    path: str
    done: bool


def new_steps(
    client: Client, workspace: str, item: Item, known: KnownItem, fitting: Fitting, report: ImportReport
) -> tuple[list[Call], int]:
    """The calls that add what is new in a task, and how many steps they add.

    A step is found again by its title, which begins with its source's id. One that the source calls done is not
    added, and none is added to what is done here, because that would reopen it: both are said.
    """
    if not item.items:
        return [], 0
    children: defaultdict[str, list[KnownStep]] = defaultdict(list)
    for step in known_steps(client, workspace, known.id):
        children[step.path.rpartition(".")[0]].append(step)
    own = next((step for step in children[""] if step.title == line(item.title)), None)
    calls: list[Call] = []
    count = 0
    ahead = [
        _Parent(item, "" if own is None else own.path, known.status == "DONE" or (own is not None and own.done))
    ]
    while ahead:
        parent = ahead.pop()
        again, new = _compared(parent, children[parent.path])
        ahead += again
        fresh = [below for below in new if not (parent.done or is_done(below))]
        report.losses += [_left_out(below, item, known) for below in new if below not in fresh]
        if fresh:
            steps = [new_step(below, fitting, item.key) for below in fresh]
            calls.append(call("tasks_decompose", task=known.id, path=parent.path or None, steps=steps))
            count += sum(map(_size, fresh))
            report.losses += [
                Loss("texts of steps that were added later", f"{item.key} {title(below)}")
                for below in fresh
                if _has_texts(below)
            ]
    return calls, count


def _compared(parent: _Parent, held: Sequence[KnownStep]) -> tuple[list[_Parent], list[Item]]:
    """The items that are steps here already, each with its step; and those that are new."""
    by_title: defaultdict[str, list[KnownStep]] = defaultdict(list)
    for step in held:
        by_title[step.title].append(step)
    again, new = [], []
    for below in parent.item.items:
        found = by_title[title(below)]
        if found:
            step = found.pop(0)
            again.append(_Parent(below, step.path, step.done))
        else:
            new.append(below)
    return again, new


def _left_out(below: Item, item: Item, known: KnownItem) -> Loss:
    why = "done there" if is_done(below) else f"{known.id} is done here"
    return Loss(f"new steps that were not added ({why})", f"{item.key} {title(below)}")


def _size(item: Item) -> int:
    return 1 + sum(map(_size, item.items))


def _has_texts(item: Item) -> bool:
    return bool(item.description or item.context or item.notes)
