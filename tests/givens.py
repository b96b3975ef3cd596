"""What tests start from: a world with a store, a clock that ticks, and calls that are checked as they go."""

import itertools
import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from gatepost.domain.checkpoints import TreeMark
from gatepost.domain.checks import Check
from gatepost.domain.refusals import Refusal
from gatepost.domain.value import Stamp, prepared
from gatepost.engine.caller import Caller
from gatepost.engine.checks import Cancellation, CheckRun
from gatepost.engine.draft import Draft
from gatepost.engine.engine import Engine
from gatepost.engine.port import Store
from gatepost.files.memory import InMemoryFilesystem
from gatepost.operations.answer import CallResult, answer, find
from gatepost.operations.checks import CheckStep, to_run
from gatepost.storage.sqlite.store import SqliteStore
from gatepost.wire import json_input
from gatepost.wire.secret_policy import REFUSE, Policy

WORKSPACE = "acme/repo"
CONFIRMED = {"criteria": {"confirmed": True}, "tests": {"confirmed": True}}
PROVEN = {name: {"confirmed": True, "note": "Looked at it."} for name in CONFIRMED}
STORES = ("memory", "sqlite", "postgresql")


class TickingClock:
    """A clock that goes on by one second each time it is read."""

    def __init__(self) -> None:
        self._ticks = itertools.count()

    def now(self) -> str:
        seconds = next(self._ticks)
        return f"2026-01-01T{seconds // 3600 % 24:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.000Z"


class ScriptedChecks:
    """Checks that pass if their command is `true`, and a source tree that a test changes."""

    def __init__(self) -> None:
        self.ran: list[tuple[str, ...]] = []
        self.meanwhile: Callable[[], object] = int
        """What happens while a check runs."""
        self.refusal: Refusal | None = None
        self.output = "the output"
        self.digest = "one"
        self.asked = 0
        """How often a view looked at the tree."""

    def refused(self, check: Check) -> Refusal | None:  # noqa: ARG002 - all alike
        return self.refusal

    def mark(self, covers: tuple[str, ...]) -> TreeMark:
        return TreeMark(commit="abc123", dirty=False, digest=f"{self.digest} {covers}")

    def run(
        self,
        check: Check,
        said: Callable[[bytes], None] | None = None,
        cancelled: Cancellation | None = None,  # noqa: ARG002 - over at once
    ) -> CheckRun:
        self.ran.append(check.run)
        self.meanwhile()
        if said is not None:
            said(self.output.encode())
        passed = check.run[0] == "true"
        problem = None if passed else "It ended with exit code 1."
        return CheckRun(passed=passed, exit_code=int(not passed), seconds=0.25, output=self.output, problem=problem)

    def trees(self) -> "ScriptedChecks":
        self.asked += 1
        return self

    def is_stale(self, covers: tuple[str, ...], mark: TreeMark) -> bool:
        return mark.digest != f"{self.digest} {covers}"


class World:
    """A store and its engine, with calls that say what they expect."""

    def __init__(self, store: Store, workspace: str = WORKSPACE, secrets: Policy = REFUSE) -> None:
        self.store = store
        self.files = InMemoryFilesystem()
        self.checks = ScriptedChecks()
        self.engine = Engine(store, TickingClock(), files=lambda: self.files, checks=self.checks, secrets=secrets)
        self.workspace = workspace
        self.caller = Caller("tester")

    def ask(self, tool: str, /, **arguments: Any) -> CallResult:
        """Whatever the answer is."""
        return answer(self.engine, tool, {"workspace": self.workspace, **arguments}, self.caller)

    def ok(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The reply of a call that must be accepted."""
        answered = self.ask(tool, **arguments)
        assert answered.refusal is None, f"{tool} {arguments} was refused: {answered.text}"
        msgspec.json.decode(answered.text, type=prepared(find(tool).reply))  # every reply is one of its type
        reply: dict[str, Any] = json.loads(answered.text)
        return reply

    def logged(self, reply: dict[str, Any]) -> list[dict[str, Any]]:
        """The events of a write as the log has them; its reply only says what its caller cannot know."""
        if not reply["events"]:
            return []
        numbers = [event["seq"] for event in reply["events"]]
        found = self.ok("tasks_delta", since=numbers[0] - 1, limit=len(numbers), max_chars=1_000_000)["events"]
        assert [(event["seq"], event["type"]) for event in found] == [
            (event["seq"], event["type"]) for event in reply["events"]
        ]
        assert all(brief.items() <= event.items() for brief, event in zip(reply["events"], found, strict=True))
        return list(found)

    def no(self, code: str, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The refusal of a call that must be refused so. It must leave nothing, and its suggestion must work."""
        before = self.everything()
        answered = self.ask(tool, **arguments)
        assert answered.refusal is not None, f"{tool} {arguments} was accepted: {answered.text}"
        error: dict[str, Any] = json.loads(answered.text)["error"]
        assert error["code"] == code, error
        assert self.everything() == before, "a refused call left something behind"
        self.check_refusal(error)
        return error

    def check_refusal(self, error: dict[str, Any]) -> None:
        """A refusal is complete, and its suggestion would be accepted as it stands."""
        assert error["message"]
        assert error["recovery"]
        suggestion = error.get("suggestion")
        if suggestion is not None:
            assert set(suggestion) == {"tool", "arguments"}
            self.rehearse(suggestion["tool"], suggestion["arguments"])

    def rehearse(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Run a call whole, but never commit it; a refusal is raised."""
        operation = find(tool)
        command = json_input.command(operation.command, arguments, operation.clearable)
        with self.store.writing(command.workspace) as transaction:
            stamp = Stamp("2026-01-01T00:00:00.000Z", "rehearsal")
            draft = Draft(command.workspace, transaction, self.store, self.caller, tool, stamp)
            if isinstance(command, CheckStep):  # what it would run is asked; nothing runs
                return to_run(draft, command)
            return operation.handler(self.files if operation.files else draft, command)

    def everything(self, workspace: str | None = None) -> dict[str, Any]:
        """All that is stored of a workspace: state, counts, index, log, history."""
        with self.store.reading(workspace or self.workspace) as snapshot:
            tables = (
                "documents",
                "tallies",
                "terms",
                "names",
                "events",
                "operations",
                "images",
                "touches",
                "artifacts",
                "searched",
            )
            kept: dict[str, Any] = {name: list(snapshot.rows(name)) for name in tables}  # type: ignore[arg-type]
            kept["head"] = snapshot.head()
        return kept

    def task(self, *titles: str, **arguments: Any) -> str:
        """A new task with these steps."""
        given = {"title": "A task", **arguments}
        if titles:
            given["steps"] = [{"title": title} for title in titles]
        made: str = self.ok("tasks_create", kind="task", **given)["id"]
        return made

    def plan(self, **arguments: Any) -> str:
        """A new plan."""
        made: str = self.ok("tasks_create", kind="plan", **{"title": "A plan", **arguments})["id"]
        return made

    def close(self, task: str, path: str) -> dict[str, Any]:
        """Close a step properly."""
        return self.ok("tasks_close_step", task=task, path=path, checkpoints=PROVEN)

    def step(self, task: str, path: str) -> dict[str, Any]:
        """A step in full."""
        found: dict[str, Any] = self.ok("tasks_resume", task=task, path=path)["step"]
        return found

    def revision(self, target: str) -> int:
        """A plan's or task's revision."""
        found: int = self.ok("tasks_resume", task=target)["target"]["revision"]
        return found


def supplied(call: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a radar's next call, with what only its caller can know."""
    arguments = dict(call["arguments"])
    given: dict[str, Any] = {"title": "Another one", "steps": [{"title": "x"}], "advance": True}
    if named := re.search("(TASK|PLAN)-[0-9]+", call["because"]):
        given["task"] = named[0]
    for name in call.get("supply", ()):
        over, _, inner = name.partition(".")
        if inner:
            arguments.setdefault(over, {})[inner] = {"confirmed": True}
        else:
            arguments[over] = {**given, "status": "DONE"}[over]
    return arguments


def new_store(kind: str, folder: Path) -> Store:
    """A fresh store. Tests do not need the power-cut safety that FULL pays for."""
    if kind == "memory":
        return memory_store()
    if kind == "postgresql":
        from tests.postgres import shared_store

        return shared_store()
    path = folder / "gatepost.db"
    if not path.exists():
        path.write_bytes(empty_store())
        path.chmod(0o600)
    return SqliteStore(str(path), "NORMAL")


def reopened_store(store: Store, folder: Path) -> Store:
    """The same store, opened once more as by another process. What is in memory is shared."""
    kind = store.describe()["kind"]
    if kind == "postgresql":
        from tests.postgres import reopened

        return reopened(store)
    return store if kind == "memory" else new_store(kind, folder)


def memory_store() -> Store:
    """A fresh store in memory."""
    return SqliteStore(":memory:")


@cache
def empty_store() -> bytes:
    """The file of a store before its first write: creating the tables costs more than most tests."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "gatepost.db")
        with closing(SqliteStore(str(path), "NORMAL")) as store, store.writing(WORKSPACE):
            pass
        return path.read_bytes()


def worlds(kind: str, folder: Path) -> Iterator[World]:
    """A world that is closed after use."""
    store = new_store(kind, folder)
    try:
        yield World(store)
    finally:
        store.close()
