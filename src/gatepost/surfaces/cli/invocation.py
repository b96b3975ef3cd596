"""One command's hold on a store: where it is, which workspace is meant, and the one road to ask it."""

import os
from argparse import Namespace
from types import TracebackType
from typing import Any, Final

from gatepost import wiring
from gatepost.operations.answer import answer, caller
from gatepost.surfaces.cli.errors import BadUsage, NothingFound, Refused
from gatepost.surfaces.cli.parser import found_settings

ACTOR: Final = "cli"
ROOM: Final = 1_000_000
"""What people's commands may take: it is the screen that limits them."""

_NAMED: Final = 20


class Invocation:
    """An open store. Nothing is created before something is written."""

    def __init__(self, options: Namespace) -> None:
        self.options = options
        self.settings = found_settings(options)
        self.engine = wiring.engine(
            self.settings.store,
            self.settings.synchronous,
            self.settings.home,
            secrets=self.settings.secrets,
            tracked=self.settings.tracked,
        )
        self._caller = caller(self.settings.actor or ACTOR)

    def ask(self, tool: str, arguments: dict[str, Any]) -> str:
        """The reply's JSON; a refusal is raised."""
        answered = answer(self.engine, tool, arguments, self._caller)
        if answered.refusal is not None:
            raise Refused(answered.text, answered.refusal.family)
        return answered.text

    def rehearse(self, tool: str, arguments: dict[str, Any]) -> str:
        """The reply that a call would get, as JSON; nothing of it lasts."""
        answered = answer(self.engine.rehearsing(), tool, arguments, self._caller)
        if answered.refusal is not None:
            raise Refused(answered.text, answered.refusal.family)
        return answered.text

    def has_store(self) -> bool:
        """Whether anything was ever written."""
        return self.settings.store == "memory:" or not _is_missing(self.settings.store)

    def require_store(self) -> None:
        """Refuse to read where nothing was ever written: reading must not create a store."""
        if not self.has_store():
            raise NothingFound(
                f"there is no store at {self.settings.store} yet",
                "The first task creates it. Create one, under your project's name as the workspace:",
                _first_task(self.settings.workspace),
            )

    def workspace(self) -> str:
        """The workspace that is meant: the one that was set, or the only one there is."""
        self.require_store()
        if self.settings.workspace is not None:
            return self.settings.workspace
        names = self.workspaces()
        if len(names) == 1:
            return names[0]
        if not names:
            raise NothingFound(
                f"the store at {self.settings.store} is empty", "Create a task first:", _first_task(None)
            )
        raise BadUsage(
            f"which workspace? The store has {_some(names)}",
            f"Say which, as in: gatepost {self.options.command} --workspace {names[0]}",
        )

    def workspaces(self) -> list[str]:
        """The workspaces of the store, to choose from."""
        return self.engine.store.workspaces()

    def elsewhere(self, workspace: str) -> list[str]:
        """A hint to those who may have mistyped the workspace: a line that says which ones there are."""
        names = self.workspaces()
        return [] if workspace in names or not names else [f"The store has: {_some(names)}"]

    def __enter__(self) -> "Invocation":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.engine.store.close()


def _is_missing(store: str) -> bool:
    """Whether there is no file. One that may not be looked at is no missing one: opening it says what is wrong."""
    try:
        os.stat(store)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False


def given(options: Namespace, *names: str) -> dict[str, Any]:
    """The options that were given, as arguments of an operation."""
    return {name: value for name in names if (value := getattr(options, name)) is not None}


def _some(names: list[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _first_task(workspace: str | None) -> dict[str, Any]:
    arguments = {"workspace": workspace or "acme/repo", "kind": "task", "title": "First task"}
    return {"tool": "tasks_create", "arguments": arguments}
