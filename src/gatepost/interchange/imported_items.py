"""What a workspace has from a source already: found by tags, so that nothing is imported twice."""

from typing import Any, Final, NamedTuple

from gatepost.client.protocol import Client
from gatepost.interchange.item_calls import UNFINISHED, source_tag

_PAGE: Final = 100
_STEPS: Final = 200
_ROOM: Final = 1_000_000


class KnownItem(NamedTuple):
    """A plan or task that came from the source."""

    id: str
    status: str
    tags: tuple[str, ...]

    @property
    def is_unfinished(self) -> bool:
        """Whether an import was interrupted before it had its state."""
        return UNFINISHED in self.tags


class KnownStep(NamedTuple):
    """A step of such a task."""

    path: str
    title: str
    done: bool


def known_items(client: Client, workspace: str, source: str) -> dict[str, KnownItem]:
    """The plans and tasks of a source, by each of their tags."""
    found: dict[str, KnownItem] = {}
    cursor: dict[str, Any] = {}
    while True:
        page = client.call(
            "tasks_context", workspace=workspace, tag=source_tag(source), limit=_PAGE, max_chars=_ROOM, **cursor
        )
        for row in page["items"]:
            tags = tuple(row.get("tags") or ())
            known = KnownItem(row["id"], row["status"], tags)
            found |= dict.fromkeys(tags, known)
        if not page["has_more"]:
            return found
        cursor = {"cursor": page["cursor"]}


def known_steps(client: Client, workspace: str, task: str) -> list[KnownStep]:
    """The steps of a task, each before those below it."""
    found: list[KnownStep] = []
    cursor: dict[str, Any] = {}
    while True:
        page = client.call("tasks_resume", workspace=workspace, task=task, limit=_STEPS, max_chars=_ROOM, **cursor)
        found += [KnownStep(row["path"], row["title"], row["done"]) for row in page["steps"]]
        if not page["has_more"]:
            return found
        cursor = {"cursor": page["cursor"]}
