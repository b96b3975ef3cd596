"""What hooks ask of a store's file at every turn and stop of an agent, without the engine.

Next to nothing is imported. A file that is busy, damaged or of another version has nothing to tell them.
"""

from __future__ import annotations

import json
import os

import apsw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

_PATIENCE_MS: Final = 500


class OpenClaim:
    """A claim, and the step or task that it is on."""

    __slots__ = ("actor", "place", "process", "session", "title", "workspace")

    def __init__(self, workspace: str, place: str, document: dict[str, Any]) -> None:
        self.workspace = workspace
        self.place = place
        self.title: str = document["title"]
        self.actor: str = document["claim"]["actor"]
        self.session: str = document["claim"]["session"]
        self.process: str | None = document["claim"].get("process")


def open_claims(path: str) -> list[OpenClaim]:
    """The claims on steps and tasks that have something left to work on."""
    found = (_claim(*row) for row in _rows(path, "open_claims"))
    return [claim for claim in found if claim is not None]


def _claim(workspace: str, place: str, text: str) -> OpenClaim | None:
    """The claim of a document. A task with claimed steps has the term, too, but not always a claim of its own."""
    try:
        document = json.loads(text)
        return OpenClaim(workspace, place, document) if document.get("claim") else None
    except (ValueError, KeyError, TypeError, AttributeError):  # damaged
        return None


def length_of_logs(path: str) -> int:
    """How many events the logs of all workspaces have; 0 if nothing is open, waits or is claimed in any of them."""
    rows = _rows(path, "length_of_logs")
    return rows[0][0] if rows else 0


def _rows(path: str, name: str) -> list[tuple[Any, ...]]:
    with open(os.path.join(os.path.dirname(__file__), f"{name}.sql"), encoding="utf-8") as file:
        statement = file.read()
    try:
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    except apsw.Error:
        return []
    try:
        connection.set_busy_timeout(_PATIENCE_MS)
        connection.pragma("query_only", 1)
        return list(connection.execute(statement))
    except apsw.Error:
        return []
    finally:
        connection.close()
