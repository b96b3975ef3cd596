"""Steps that a source got after its task was imported: they are added, and nothing that is there is changed."""

from collections import defaultdict

from gatepost.client.protocol import Client
from gatepost.interchange.import_report import ImportReport
from gatepost.interchange.imported_items import KnownItem, KnownStep, known_steps
from gatepost.interchange.item_calls import Call, call, new_step
from gatepost.interchange.items import Item, Loss, is_done
from gatepost.interchange.texts import Fitting, line, title


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
    ahead = [(item, "" if own is None else own.path, known.status == "DONE" or (own is not None and own.done))]
    while ahead:
        parent, path, done = ahead.pop()
        held = defaultdict(list)
        for step in children[path]:
            held[step.title].append(step)
        fresh = []
        for below in parent.items:
            again = held[title(below)]
            if again:
                found = again.pop(0)
                ahead.append((below, found.path, found.done))
            elif is_done(below) or done:
                why = "done there" if is_done(below) else f"{known.id} is done here"
                report.losses.append(Loss(f"new steps that were not added ({why})", f"{item.key} {title(below)}"))
            else:
                fresh.append(below)
        if fresh:
            steps = [new_step(below, fitting, item.key) for below in fresh]
            calls.append(call("tasks_decompose", task=known.id, path=path or None, steps=steps))
            count += sum(map(_size, fresh))
            report.losses += [
                Loss("texts of steps that were added later", f"{item.key} {title(below)}")
                for below in fresh
                if _has_texts(below)
            ]
    return calls, count


def _size(item: Item) -> int:
    return 1 + sum(map(_size, item.items))


def _has_texts(item: Item) -> bool:
    return bool(item.description or item.context or item.notes)
