"""Dependencies between imported plans and tasks that Gatepost would accept: all there, and without a circle."""

from collections import defaultdict
from collections.abc import Mapping

from gatepost.interchange.items import Loss, Reading

_BEGUN, _DONE = "begun", "done"
_Moment = tuple[str, str]


def accepted(reading: Reading) -> tuple[dict[str, tuple[str, ...]], list[Loss]]:
    """What each plan or task waits for, by keys, and the dependencies that had to be left out.

    A task cannot begin before its plan does, and a plan is not done before its tasks are.
    """
    losses: list[Loss] = []
    held_up: defaultdict[_Moment, list[_Moment]] = defaultdict(list)
    keys = {each.key for each in reading.all()}
    for key in keys:
        held_up[key, _BEGUN].append((key, _DONE))
    for item in reading.items:
        if item.plan is not None:
            held_up[item.plan, _BEGUN].append((item.key, _BEGUN))
            held_up[item.key, _DONE].append((item.plan, _DONE))
    found: dict[str, tuple[str, ...]] = {}
    for waiter in reading.all():
        kept: list[str] = []
        after = _after(held_up, (waiter.key, _BEGUN))  # what is kept comes before the waiter, so this stays true
        for name in dict.fromkeys(waiter.depends_on):
            if name not in keys:
                losses.append(Loss("dependencies on what was not imported", f"{waiter.key} on {name}"))
            elif (name, _DONE) in after:
                losses.append(Loss("dependencies that would make a circle", f"{waiter.key} on {name}"))
            else:
                kept.append(name)
                held_up[name, _DONE].append((waiter.key, _BEGUN))
        found[waiter.key] = tuple(kept)
    return found, losses


def _after(held_up: Mapping[_Moment, list[_Moment]], start: _Moment) -> set[_Moment]:
    seen, ahead = {start}, [start]
    while ahead:
        for moment in held_up.get(ahead.pop(), ()):
            if moment not in seen:
                seen.add(moment)
                ahead.append(moment)
    return seen
