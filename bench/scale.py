"""How big and how long: the full form, the quick one, and whatever a test asks for."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Sizes and bounds of a run."""

    name: str
    sizes: tuple[int, ...]
    """Steps in a workspace, the smallest first; what is bigger is compared with it."""
    one_task: int
    """Steps in the one big task."""
    bulk: tuple[int, int]
    """Documents that one call deletes, few and many."""
    bulk_rounds: int
    rounds: int
    spawns: int
    seconds: float
    """Bound of each loop that measures."""
    seeding: float
    """Bound of making all the stores."""
    writing: float
    """How long the writers write."""
    managed: tuple[int, ...]
    """Tasks in the stores of the task managers that are compared, the fewest first."""
    contested: int
    """Tasks that each of two writers adds."""


FULL: Final = Scale(
    name="full",
    sizes=(1_000, 100_000, 1_000_000),
    one_task=100_000,
    bulk=(1_000, 10_000),
    bulk_rounds=5,
    rounds=600,
    spawns=30,
    seconds=30.0,
    seeding=300.0,
    writing=3.0,
    managed=(100, 1_000, 10_000),
    contested=50,
)
QUICK: Final = Scale(
    name="quick",
    sizes=(1_000, 20_000),
    one_task=20_000,
    bulk=(200, 2_000),
    bulk_rounds=3,
    rounds=100,
    spawns=8,
    seconds=5.0,
    seeding=60.0,
    writing=1.0,
    managed=(20, 200),
    contested=10,
)
