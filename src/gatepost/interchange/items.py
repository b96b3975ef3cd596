"""What a source's files say, as plain values: the same for all sources."""

from typing import Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from gatepost.domain.roots import Priority

State = Literal["open", "started", "blocked", "done"]


class Criterion(NamedTuple):
    """A criterion, and whether the source says that it is met. None: the source does not say."""

    text: str
    met: bool | None = None


class Item(Struct, frozen=True, kw_only=True):
    """A task of a source, or a step in one.

    `key` is the source's own name for it, unique among its siblings; empty where the source has none. `said` is the
    source's word for its state. `blockers` are what it waits for, in words, and `reason` why it is blocked.
    """

    key: str = ""
    title: str
    state: State = "open"
    said: str = ""
    description: str = ""
    context: str = ""
    notes: tuple[str, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    tests: tuple[Criterion, ...] = ()
    blockers: tuple[str, ...] = ()
    reason: str = ""
    depends_on: tuple[str, ...] = ()
    priority: Priority = "MEDIUM"
    tags: tuple[str, ...] = ()
    plan: str | None = None
    items: tuple["Item", ...] = ()


class PlanItem(Struct, frozen=True, kw_only=True):
    """A plan of a source: what holds several of its tasks together."""

    key: str
    title: str
    description: str = ""
    context: str = ""
    contract: str = ""
    done: bool = False
    priority: Priority = "MEDIUM"
    tags: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()


class Loss(NamedTuple):
    """Something that has no place in Gatepost: what kind of thing, and where it was."""

    what: str
    where: str


class Reading(Struct, frozen=True, kw_only=True):
    """All that was read from a source. The keys of plans and tasks are unique together."""

    plans: tuple[PlanItem, ...] = ()
    items: tuple[Item, ...] = ()
    losses: tuple[Loss, ...] = ()

    def all(self) -> tuple[PlanItem | Item, ...]:
        """The plans, and then the tasks."""
        return (*self.plans, *self.items)


def with_distinct_keys(reading: Reading) -> Reading:
    """The same, where no two plans and tasks have one key: of those that do, the later ones get a number."""
    used: dict[str, int] = {}
    losses: list[Loss] = []

    def numbered(key: str, title: str) -> str:
        used[key] = used.get(key, 0) + 1
        if used[key] == 1:
            return key
        losses.append(Loss("ids that occur twice (the later one got a number)", f"{key} {title}"))
        return numbered(f"{key}~{used[key]}", title)

    plans = tuple(replace(plan, key=numbered(plan.key, plan.title)) for plan in reading.plans)
    items = tuple(replace(item, key=numbered(item.key, item.title)) for item in reading.items)
    return Reading(plans=plans, items=items, losses=(*reading.losses, *losses))


def state_of(items: tuple[Item, ...]) -> State:
    """The state of a list that has none of its own: it follows from what is in it."""
    if items and all(item.state == "done" for item in items):
        return "done"
    return "open" if all(item.state == "open" for item in items) else "started"


def is_done(item: Item) -> bool:
    """Whether the source says done of an item, of its criteria and of everything in it."""
    return not (item.state != "done" or unmet(item) or any(not is_done(below) for below in item.items))


def unmet(item: Item) -> int:
    """How many criteria and tests the source itself does not call met."""
    return sum(criterion.met is False for criterion in (*item.criteria, *item.tests))


def has_own_step(item: Item) -> bool:
    """Whether a task needs a step that says what proves it. Without, its steps are those of the items in it."""
    return not item.items or bool(item.criteria or item.tests or item.blockers or item.state == "blocked")
