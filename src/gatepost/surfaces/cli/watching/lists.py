"""What is watched: lists that are kept right as news of them come."""

from collections.abc import Generator
from typing import Any, NamedTuple, Protocol

from gatepost.todo import TodoStore


class News(NamedTuple):
    """A list that took something in, and the `todo` that it took, as the stream has it."""

    scope: str
    todo: dict[str, Any]


class Lists(Protocol):
    """Lists from somewhere."""

    @property
    def todos(self) -> TodoStore:
        """The lists as they are. What was told as news is in them."""

    @property
    def where(self) -> str:
        """Whose they are: the workspace."""

    def news(self) -> Generator[News, None, None]:
        """What there is, then what changes, until `stop`; blocks in between."""

    def radar(self, task: str) -> dict[str, Any]:
        """What the radar says of a task; nothing where it cannot be had just now."""

    def stop(self) -> None:
        """End the news, soon. From any thread."""
