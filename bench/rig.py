"""The rig: a store on disk, grown through the product's own operations, and calls that must be accepted."""

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple

from bench.timing import Progress, timed
from gatepost import wiring
from gatepost.engine.caller import Caller
from gatepost.operations.answer import CallResult, answer
from gatepost.operations.editable import MOST_STEPS

WORKSPACE: Final = "acme/bench"
CONFIRMED: Final = {"criteria": {"confirmed": True}, "tests": {"confirmed": True}}
_WITHDRAWN: Final = {"criteria": {"confirmed": False}, "tests": {"confirmed": False}}

Ok = Callable[..., object]
"""A way to call a tool by name and arguments in the bench's workspace; the call must be accepted."""

LEAVES: Final = 9
GROUP: Final = 1 + LEAVES
"""Steps come in groups: one with nine below it."""


class Target(NamedTuple):
    """One step, as calls name it."""

    task: str
    path: str

    @property
    def selector(self) -> dict[str, str]:
        """The arguments that name it."""
        return {"task": self.task, "path": self.path}


class Rig:
    """An engine on a file or a database, for one workspace."""

    def __init__(self, location: Path | str, synchronous: str, workspace: str = WORKSPACE) -> None:
        self.location = str(location)
        self.workspace = workspace
        self.engine = wiring.engine(self.location, synchronous)
        self._caller = Caller("bench")

    def ask(self, tool: str, arguments: dict[str, Any]) -> CallResult:
        """Whatever the answer is."""
        return answer(self.engine, tool, arguments, self._caller)

    def ok(self, tool: str, /, **arguments: Any) -> str:
        """The text of a reply that must not be a refusal."""
        answered = self.ask(tool, {"workspace": self.workspace, **arguments})
        assert answered.refusal is None, f"{tool} {arguments} was refused: {answered.text}"
        return answered.text

    def seq(self) -> int:
        """The number of the last event."""
        with self.engine.store.reading(self.workspace) as snapshot:
            return snapshot.head().seq

    def __enter__(self) -> "Rig":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.engine.store.close()


class Field(NamedTuple):
    """Tasks of equal size, and so where their leaves are."""

    tasks: Sequence[str]
    steps_each: int

    def anywhere(self, chance: random.Random) -> Target:
        """Some leaf of some task."""
        return leaf(chance.choice(self.tasks), chance.randrange(self.steps_each // GROUP * LEAVES))


class Closing:
    """Closes some step and, the next time, makes it what it was: the store stays as it is, however long it is
    measured. That comes before the closing and not after it, because a write after a pause of some milliseconds
    costs the kernel twice as much, and whoever waited longest for its turn would pay."""

    def __init__(self, ok: Ok, field: Field) -> None:
        self._ok = ok
        self._field = field
        self._chance = random.Random(1)
        self._closed = field.anywhere(self._chance)
        close(ok, self._closed)

    def __call__(self) -> float:
        """How long the closing took."""
        put_back(self._ok, self._closed)
        self._closed = self._field.anywhere(self._chance)
        return timed(lambda: close(self._ok, self._closed))


def close(ok: Ok, target: Target) -> None:
    """Close a step through the gate."""
    ok("tasks_close_step", **target.selector, checkpoints=CONFIRMED)


def put_back(ok: Ok, target: Target) -> None:
    """Make a closed step what it was: open, and nothing confirmed."""
    ok("tasks_progress", **target.selector, completed=False)
    ok("tasks_verify", **target.selector, checkpoints=_WITHDRAWN)


def leaf(task: str, number: int) -> Target:
    """A task's leaf by its number, in tree order."""
    return Target(task, f"s:{number // LEAVES}.s:{number % LEAVES}")


def deepest_first(task: str, groups: int) -> Iterator[Target]:
    """Every step of a task's first groups, the leaves of each before what they stand below."""
    for group in range(groups):
        for number in range(group * LEAVES, (group + 1) * LEAVES):
            yield leaf(task, number)
        yield Target(task, f"s:{group}")


def seed(rig: Rig, *, tasks: int, steps_each: int, progress: Progress) -> Field:
    """Make tasks with steps, each task begun, so that closing a step means the same in all of them."""
    made = [f"TASK-{number:03d}" for number in range(1, tasks + 1)]
    for task in made:
        rig.ok("tasks_create", kind="task", title=f"The work of {task}", description="Because it must be done.")
        grow(rig, task, steps_each, progress)
        rig.ok("tasks_note", task=task, note="Begun.")
    return Field(made, steps_each)


def grow(rig: Rig, task: str, steps: int, progress: Progress) -> None:
    """Give a task steps, as many a call as a call may carry."""
    left = steps // GROUP
    while left:
        groups = min(left, MOST_STEPS // GROUP)
        rig.ok("tasks_decompose", task=task, steps=[_GROUP] * groups)
        left -= groups
        progress.add(groups * GROUP)


def _step(title: str) -> dict[str, Any]:
    return {
        "title": title,
        "criteria": ["It does what the issue asks for."],
        "tests": ["pytest -q tests/of_it.py passes"],
    }


_GROUP: Final[dict[str, Any]] = {
    **_step("A part of the work"),
    "steps": [_step(f"Item {number} of the part") for number in range(LEAVES)],
}
