"""One history on all stores, checked call by call."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gatepost.domain import places
from gatepost.domain.documents import Document
from gatepost.domain.nodes import Node
from gatepost.domain.roots import Plan, Task
from gatepost.domain.steps import Step
from gatepost.engine import doctor
from gatepost.engine.caller import Caller
from gatepost.operations.catalog import BY_NAME
from tests.engine import books, moves
from tests.givens import World, new_store

Move = tuple[str, str, int, dict[str, Any]]
"""A tool, what kind of thing it is aimed at, which of those, and what else is given."""

_ROUND = 40
"""So many events from one visit of the doctor to the next."""


class Pair:
    """One history on SQLite, on PostgreSQL and on the reference store, with its books."""

    played: set[str] = set()  # noqa: RUF012 - shared on purpose: the test below asks what was played

    def __init__(self) -> None:
        self.folder = TemporaryDirectory(prefix="gatepost-undoing-")
        self.real = World(new_store("sqlite", Path(self.folder.name)))
        self.database = World(new_store("postgresql", Path(self.folder.name)))
        self.reference = World(new_store("memory", Path(self.folder.name)))
        # Only a person can take back what makes a policy stricter.
        self.real.caller = self.database.caller = self.reference.caller = Caller("human:tester")
        self.kept = self.reference.everything()
        self._examined = 0

    def close(self) -> None:
        stored = [world.everything() for world in (self.real, self.database)]
        for text in ("s", "reap", "漢", "plan naïve", "x"):
            worlds = (self.real, self.database, self.reference)
            found = [world.ok("tasks_context", text=text) for world in worlds]
            # A cursor is the store's own: it holds a number that each store gives out as it likes.
            assert [{**page, "cursor": None} for page in found] == [{**found[0], "cursor": None}] * len(found)
        findings = [doctor.examine(world.store, world.workspace).findings for world in (self.real, self.database)]
        self.real.store.close()
        self.database.store.close()
        self.folder.cleanup()
        assert stored == [self.kept, self.kept]
        assert findings == [[], []]

    def ask(self, tool: str, **given: Any) -> dict[str, Any]:
        """Ask all, expect one answer, and look through the books."""
        self.played.update((tool, *(call["tool"] for call in given.get("operations", ()))))
        answered, expected = self.real.ask(tool, **given), self.reference.ask(tool, **given)
        assert answered.text == expected.text == self.database.ask(tool, **given).text
        reply: dict[str, Any] = json.loads(answered.text)
        before, self.kept = self.kept, self.reference.everything()
        if not BY_NAME[tool].changed(reply):
            assert self.kept == before, "what was refused or changed nothing left something"
            return reply
        assert self.kept["events"][: len(before["events"])] == before["events"]
        assert self.kept["head"].seq > before["head"].seq
        books.check_fold(self.kept)
        books.check_log(self.kept)
        books.check_revisions(self.kept)
        books.check_names(self.kept)
        books.check_touches(self.kept)
        books.check_search(self.kept)
        check_truth(self.kept)
        return reply

    def examine(self) -> None:
        """The doctor finds nothing. That costs more than all the rest, so it comes now and then, and at the end:
        what it finds does not go away by itself."""
        if self.kept["head"].seq >= self._examined + _ROUND:
            assert doctor.examine(self.reference.store, self.reference.workspace).findings == []
            self._examined = self.kept["head"].seq

    def aimed(self, move: Move) -> tuple[str, dict[str, Any]] | None:
        """A move as a call on what there is; nothing, if there is nothing that it could be aimed at."""
        tool, at, number, given = move
        if "depends_on" in given:
            roots = self.targets("root")
            named = [roots[pick % len(roots)]["task"] for pick in given["depends_on"]] if roots else []
            given = {**given, "depends_on": named}
        if not at:
            return tool, given
        found = self.targets(at)
        if not found:
            return None
        call = {**found[number % len(found)], **given}
        return tool, self.destination(call) if tool == "tasks_move" else call

    def destination(self, call: dict[str, Any]) -> dict[str, Any]:
        """A move to one of the plans, or below one of the steps of the task, or to none of them."""
        field = "plan" if "plan" in call else "parent"
        if field == "plan":
            found = [target["plan"] for target in self.targets("plan")]
        else:
            found = [target["path"] for target in self.targets("member") if target["task"] == call["task"]]
        chosen = call[field]
        return {**call, field: found[chosen % len(found)] if found and chosen is not None else None}

    def closings(self, task: str) -> list[tuple[str, dict[str, Any]]]:
        """The calls that bring a task to its end, deepest first; what was forced is proven, and then it is over."""
        calls: list[tuple[str, dict[str, Any]]] = []
        for place, item in reversed(books.documents_of(self.kept).items()):
            at = {"task": task, "path": places.path_of(place)}
            if not place.startswith(places.at_id(task) + "."):
                continue
            if isinstance(item, Node) and not item.done:
                calls.append(("tasks_task_define", {**at, "status": "DONE"}))
            if isinstance(item, Step) and item.blocked:
                calls.append(("tasks_block", {**at, "blocked": False}))
            if isinstance(item, Step) and (item.missing or not item.done):
                calls.append(("tasks_close_step", {**at, "checkpoints": moves.ALL_CONFIRMED}))
        return [*calls, ("tasks_complete", {"task": task})]

    def targets(self, at: str) -> list[dict[str, str]]:
        state = books.documents_of(self.kept)
        if at in ("root", "task", "plan"):
            kind = {"root": (Plan, Task), "task": (Task,), "plan": (Plan,)}[at]
            return [{at.replace("root", "task"): item.id} for item in state.values() if isinstance(item, kind)]
        chosen = [place for place, item in state.items() if self.fits(at, place, item, state)]
        word = "parent_step" if at == "parent" else "path"
        return [{"task": places.root_id(place), word: places.path_of(place)} for place in chosen]

    @staticmethod
    def fits(at: str, place: str, item: Document, state: dict[str, Document]) -> bool:
        if at == "member":
            return isinstance(item, Step | Node)
        if at == "node":
            return isinstance(item, Node)
        if not isinstance(item, Step):
            return False
        if at == "unproven":
            return item.done and bool(item.missing)
        below = (other for key, other in state.items() if key.startswith(place + "."))
        return at != "ready" or not (item.done or item.blocked or any(map(is_open, below)))


def check_truth(kept: books.Kept) -> None:
    """Nothing done stands over something open, blocked or unproven, however it came to be."""
    state = books.documents_of(kept)
    for place, document in state.items():
        if not isinstance(document, Step | Node | Task | Plan) or not document.done:
            continue
        inside = [item for other, item in state.items() if other.startswith(place + ".")]
        if isinstance(document, Plan):
            inside = [item for item in state.values() if isinstance(item, Task) and item.plan == document.id]
            assert document.current == len(document.steps), f"{place} is done with its checklist open"
        assert not any(map(is_open, inside)), f"{place} is done over something open"
        assert not (isinstance(document, Step) and document.blocked), f"{place} is done and blocked"
        if isinstance(document, Task):
            assert not any(isinstance(item, Step) and item.missing for item in inside), f"{place} owes proof"


def is_open(document: Document) -> bool:
    return isinstance(document, Step | Node | Task | Plan) and not document.done
