"""One run of a command: its options and settings, and a client for the store they name."""

from __future__ import annotations

import os

from gatepost.client.choice import client_of
from gatepost.surfaces.cli.actors import PROGRAM, actor_of
from gatepost.surfaces.cli.errors import BadUsage, NothingFound
from gatepost.surfaces.cli.parser import found_settings, say_ignored, token
from gatepost.surfaces.cli.stand_ins import import_msgspec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from types import TracebackType
    from typing import Any

    from gatepost.client.protocol import Client
    from gatepost.operations.registry import Command, Operation, R

ROOM = 1_000_000
"""The `max_chars` of commands for people: the terminal limits what they show."""

_LISTED = 20


class Invocation:
    """A command and the store it asks. A store is created by the first write, never by a read."""

    def __init__(self, options: Namespace) -> None:
        import_msgspec()
        self.options = options
        self.settings = say_ignored(found_settings(options))
        self.settings.faced = True  # packages belong to the folder where the command runs, wherever the store is
        self.settings.actor = actor_of(options, self.settings)
        self.client: Client = client_of(self.settings, actor=PROGRAM, token=token(options, self.settings))

    def ask(self, command: Command[R]) -> tuple[str, R]:
        """The reply to a command: its JSON, byte for byte as the store sent it, and the same as a struct."""
        operation, arguments = _call(command)
        return self._decoded(operation, self.client.text(operation.name, arguments))

    def rehearse(self, command: Command[R]) -> tuple[str, R]:
        """The reply that a command would get. Nothing is stored."""
        operation, arguments = _call(command)
        return self._decoded(operation, self.client.rehearse(operation.name, arguments))

    def print_json(self, command: Command[Any]) -> None:
        """Print the JSON of the reply to a command."""
        from gatepost.surfaces.cli.json_output import print_json

        operation, arguments = _call(command)
        print_json(self.client.text(operation.name, arguments))

    def placed(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call, with the workspace that was set if they name none."""
        set_one = {} if self.settings.workspace is None else {"workspace": self.settings.workspace}
        return {**set_one, **arguments}

    def has_store(self) -> bool:
        """Whether the store exists. A server always has one, and a database makes it."""
        return not self.settings.is_file or not _is_missing(self.settings.store)

    def require_store(self) -> None:
        """Refuse to read from a store that does not exist: reading must not create one."""
        if not self.has_store():
            raise NothingFound(
                f"there is no store at {self.settings.place} yet",
                "The first task creates it. Create one, with your project's name as the workspace:",
                _first_task(self.settings.workspace),
            )

    def workspace(self) -> str:
        """The workspace that was set, or the only one in the store."""
        self.require_store()
        names = self.client.workspaces() if self.settings.workspace is None else [self.settings.workspace]
        if len(names) == 1:
            self.options.found_workspace = names[0]
            return names[0]
        if not names:
            raise NothingFound(
                f"the store at {self.client.place} is empty", "Create a task first:", _first_task(None)
            )
        raise BadUsage(
            f"which workspace? The store has {_listed(names)}",
            f"Choose one, for example: gatepost {self.options.command} --workspace {names[0]}",
        )

    def other_workspaces(self, workspace: str) -> list[str]:
        """If the store has no such workspace, a line that lists those it has: the name may be mistyped."""
        names = self.client.workspaces()
        return [] if workspace in names or not names else [f"The store has: {_listed(names)}"]

    def _decoded(self, operation: Operation, text: str) -> tuple[str, Any]:
        from gatepost.client.requests import decoded

        return text, decoded(self.client, text, operation.reply)

    def __enter__(self) -> Invocation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.client.close()


def given(options: Namespace, *names: str) -> dict[str, Any]:
    """The options that were given, as arguments of an operation."""
    return {name: value for name in names if (value := getattr(options, name)) is not None}


def _call(command: Command[Any]) -> tuple[Operation, dict[str, Any]]:
    from gatepost.client.requests import arguments
    from gatepost.operations.catalog import BY_COMMAND

    return BY_COMMAND[type(command)], arguments(command)


def _is_missing(store: str) -> bool:
    """Whether there is no file. If it cannot be inspected, opening it will say why."""
    try:
        os.stat(store)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False


def _listed(names: list[str]) -> str:
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")


def _first_task(workspace: str | None) -> dict[str, Any]:
    arguments = {"workspace": workspace or "acme/repo", "kind": "task", "title": "First task"}
    return {"tool": "tasks_create", "arguments": arguments}
