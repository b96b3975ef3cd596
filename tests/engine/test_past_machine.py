"""The past as it was: every view that was asked for at the time, against the same view asked for later."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from gatepost.domain import places
from gatepost.engine import past
from gatepost.engine.caller import Caller
from gatepost.operations.catalog import BY_NAME
from tests.engine import moves
from tests.engine.pairs import Move, Pair
from tests.givens import World, new_store

ALL = {"max_chars": 1_000_000}
LISTS: tuple[dict[str, Any], ...] = (
    {},
    {"limit": 2},
    {"kind": "plan"},
    {"status": "ACTIVE"},
    {"status": "DONE"},
    {"tag": "red"},
    {"ready": True},
    {"ready": True, "limit": 1},
    {"ready": False},
    {"plan": "PLAN-001", "ready": True},
    {"plan": "PLAN-001", "status": "TODO"},
)
OF_TARGET: tuple[tuple[str, dict[str, Any]], ...] = (
    ("tasks_radar", {}),
    ("tasks_mirror", {}),
    ("tasks_mirror", {"limit": 2}),
    ("tasks_resume", {"events_limit": 5}),
    ("tasks_resume", {"proofs": True, "limit": 3}),
    ("tasks_handoff", {}),
)


class Alone(Pair):
    """One history on one store."""

    def __init__(self, kind: str) -> None:
        self.world = World(new_store(kind, Path()))
        self.world.caller = Caller("human:tester")
        self.kept = self.world.everything()

    def ask(self, tool: str, **given: Any) -> dict[str, Any]:
        reply: dict[str, Any] = json.loads(self.world.ask(tool, **given).text)
        if BY_NAME[tool].changed(reply):
            self.kept = self.world.everything()
        return reply


View = tuple[str, dict[str, Any]]


class Recorded(RuleBasedStateMachine):
    """Keeps what every view says after every call, and asks again at the end."""

    kind: ClassVar[str] = "memory"

    def __init__(self) -> None:
        super().__init__()
        self.one = Alone(self.kind)
        self.seen: dict[int, list[tuple[View, dict[str, Any]]]] = {0: []}

    def teardown(self) -> None:
        try:
            for seq, views in self.seen.items():
                for (tool, given), said in views:
                    then = self.one.ask(tool, **given, **ALL, at=seq)
                    assert without_moment(then) == said, f"{tool} {given} at {seq}"
        finally:
            self.one.world.store.close()

    @initialize(steps=moves.new_steps, more=moves.new_steps)
    def start_with_work(self, steps: list[Any], more: list[Any]) -> None:
        self.write("tasks_create", kind="plan", title="A plan")
        self.write("tasks_create", kind="task", title="In it", plan="PLAN-001", steps=steps, tags=["red"])
        self.write("tasks_create", kind="task", title="In it too", plan="PLAN-001", steps=more)
        self.write("tasks_create", kind="task", title="Beside it", steps=steps)
        self.write("tasks_edit", task="TASK-002", depends_on=["TASK-003"])

    @rule(chosen=st.lists(moves.changes | moves.of_steps | moves.records, min_size=2, max_size=6))
    def change(self, chosen: list[Move]) -> None:
        for move in chosen:
            call = self.one.aimed(move)
            if call is not None:
                self.write(call[0], **call[1])

    @rule(chosen=st.lists(moves.changes | moves.records, min_size=1, max_size=3))
    def several(self, chosen: list[Move]) -> None:
        calls = [call for call in map(self.one.aimed, chosen) if call is not None]
        if calls:
            self.write("tasks_batch", operations=[{"tool": tool, "arguments": given} for tool, given in calls])

    @rule(number=moves.pick)
    def finish(self, number: int) -> None:
        tasks = self.one.targets("task")
        for tool, given in self.one.closings(tasks[number % len(tasks)]["task"]) if tasks else ():
            self.write(tool, **given)

    @rule(number=moves.pick, tools=st.lists(st.sampled_from(["tasks_undo", "tasks_redo"]), min_size=1, max_size=4))
    def go_back_and_forth(self, number: int, tools: list[str]) -> None:
        found = [{}, *self.one.targets("root")]
        for tool in tools:
            self.write(tool, **found[number % len(found)])

    def write(self, tool: str, **given: Any) -> None:
        self.one.ask(tool, **given)
        seq = self.one.kept["head"].seq
        if seq not in self.seen:
            self.seen[seq] = [((tool, asked), self.said(tool, asked)) for tool, asked in self.views()]

    def views(self) -> Iterator[View]:
        """Every view, of everything that is or was: few things, so that they are looked at often."""
        yield from (("tasks_context", given) for given in LISTS)
        yield from OF_TARGET
        roots = sorted({places.root_of(row[0]) for row in self.one.kept["tallies"] if places.in_tree(row[0])})
        for place in roots[:6]:
            for tool, given in OF_TARGET:
                yield tool, {"task": places.root_id(place), **given}
        for name, place in self.one.kept["names"][:3]:
            yield "tasks_resume", {"task": places.root_id(place), "step_id": name}

    def said(self, tool: str, given: dict[str, Any]) -> dict[str, Any]:
        """What a view says now, without what the past leaves out. Claims are about now: while there are any, this
        is what it says of this moment as one of the past."""
        claimed = any('"claim":' in text for _, text in self.one.kept["documents"])
        at = {"at": self.one.kept["head"].seq} if claimed else {}
        return without_moment(self.one.ask(tool, **given, **ALL, **at))


def without_moment(reply: dict[str, Any]) -> dict[str, Any]:
    """A view without its moment, the next call and its length; of a refusal, what was refused."""
    if "error" in reply:
        return {"code": reply["error"]["code"], "field": reply["error"].get("field")}
    return {name: value for name, value in reply.items() if name not in ("at", "next", "budget")}


@pytest.mark.requirement("crew.past.views")
@pytest.mark.parametrize(("kind", "read"), [("memory", 0), ("memory", 1_000), ("postgresql", 0)])
def test_every_view_of_the_past_says_what_it_said_then(
    monkeypatch: pytest.MonkeyPatch, kind: str, read: int
) -> None:
    """Lists find what has changed in the log since, or go through all by their numbers."""
    monkeypatch.setattr(past, "MOST_READ", read)
    monkeypatch.setattr(Recorded, "kind", kind)
    run_state_machine_as_test(
        Recorded,
        settings=settings(
            max_examples=2 if kind == "postgresql" else 4,
            stateful_step_count=8,
            deadline=None,
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        ),
    )
