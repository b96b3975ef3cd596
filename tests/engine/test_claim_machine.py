"""Claims in any history of several sessions: only its holder changes what is held, and the books stay straight."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from gatepost.domain import places
from gatepost.domain.documents import claim_of
from gatepost.domain.steps import Step
from gatepost.engine import doctor
from gatepost.engine.caller import Caller
from gatepost.engine.clock import later
from gatepost.engine.engine import Engine
from tests.engine import books, moves
from tests.givens import World, memory_store

CREW = [Caller("agent:coder", session=f"session-{number}") for number in range(3)]
TERM = 60

who = st.sampled_from(CREW)
writes = st.sampled_from(
    [
        ("tasks_define", {"title": "Other"}),
        ("tasks_define", {"title": "Another"}),
        ("tasks_decompose", {"steps": [{"title": "below"}]}),
        ("tasks_close_step", {"checkpoints": moves.ALL_CONFIRMED}),
        ("tasks_progress", {"completed": False}),
        ("tasks_delete", {}),
    ]
)


class Crew(RuleBasedStateMachine):
    """Three sessions on two tasks. A session lives from its call until the next long wait."""

    def __init__(self) -> None:
        super().__init__()
        self.at = "2026-01-01T00:00:00.000Z"
        self.world = World(memory_store())
        self.world.engine = Engine(self.world.store, self)
        self.living: set[str] = set()
        self.kept: books.Kept = {}

    def now(self) -> str:
        return self.at

    def teardown(self) -> None:
        found = doctor.examine(self.world.store, self.world.workspace)
        self.world.store.close()
        assert found.findings == []

    @initialize(steps=moves.new_steps)
    def start_with_work(self, steps: list[Any]) -> None:
        self.world.ok("tasks_create", kind="plan", title="A plan")
        for _ in range(2):
            self.world.ok("tasks_create", kind="task", title="In it", plan="PLAN-001", steps=steps)
        self.kept = self.world.everything()

    @rule()
    def wait(self) -> None:
        self.at = later(self.at, 2 * TERM)
        self.living.clear()

    @rule(by=who, scope=st.sampled_from([{}, {"plan": "PLAN-001"}, {"task": "TASK-001"}]))
    def claim_next(self, by: Caller, scope: dict[str, str]) -> None:
        before = self.holders()
        reply = self.call(by, "tasks_claim", ttl_s=TERM, **scope)
        if "error" in reply:
            assert reply["error"]["code"] == "UNKNOWN_ID"  # undo took the task away
        elif reply["step"] is not None:
            place = places.at_path(places.at_id(reply["task"]), reply["step"]["path"])
            assert self.other(place or "", by, before) is None, "what others hold is never given away"

    @rule(by=who, number=moves.pick, over=st.booleans())
    def claim_step(self, by: Caller, number: int, over: bool) -> None:
        for place in self.some_step(number):
            self.call(
                by, "tasks_claim", **self.named(place), ttl_s=TERM, **({"take_over": "Mine."} if over else {})
            )

    @rule(by=who, over=st.booleans())
    def claim_whole(self, by: Caller, over: bool) -> None:
        self.call(
            by, "tasks_claim", task="TASK-002", whole=True, ttl_s=TERM, **({"take_over": "All."} if over else {})
        )

    @rule(by=who, number=moves.pick)
    def release(self, by: Caller, number: int) -> None:
        for place in self.some_step(number):
            self.call(by, "tasks_release", **self.named(place))

    @rule(by=who, number=moves.pick, write=writes)
    def write(self, by: Caller, number: int, write: tuple[str, dict[str, Any]]) -> None:
        for place in self.some_step(number):
            before = self.holders()
            reply = self.call(by, write[0], **self.named(place), **write[1])
            if write[0] == "tasks_define":
                refused = reply.get("error", {}).get("code") == "CLAIMED"
                changed = reply.get("changed", True)
                assert refused == (changed and self.other(place, by, before) is not None)

    @rule(by=who, number=moves.pick, below=moves.pick)
    def move(self, by: Caller, number: int, below: int) -> None:
        for place, parent in zip(self.some_step(number), self.some_step(below), strict=True):
            to = {"parent": places.path_of(parent)} if places.root_of(parent) == places.root_of(place) else {}
            claims = sorted(self.holders().values())
            reply = self.call(by, "tasks_move", **self.named(place), **to)
            assert "error" in reply or sorted(self.holders().values()) == claims, "what is moved keeps its claims"

    @rule(by=who, first=moves.pick, second=moves.pick)
    def write_both(self, by: Caller, first: int, second: int) -> None:
        both = [*self.some_step(first), *self.some_step(second)]
        held = [number for number, place in enumerate(both) if self.other(place, by, self.holders()) is not None]
        calls = [
            {
                "tool": "tasks_define",
                "arguments": {**self.named(place), "title": f"{self.at} {self.kept['head'].seq}"},
            }
            for place in both
        ]
        if both:
            reply = self.call(by, "tasks_batch", operations=calls)
            assert reply.get("error", {}).get("operation_index") == next(iter(held), None)

    @rule(
        by=who, tool=st.sampled_from(["tasks_undo", "tasks_redo"]), task=st.sampled_from(["TASK-001", "TASK-002"])
    )
    def step_back(self, by: Caller, tool: str, task: str) -> None:
        self.call(by, tool, task=task)

    def call(self, by: Caller, tool: str, **given: Any) -> dict[str, Any]:
        """Make a call. What it changed was free, or its own, or just taken over."""
        held = self.holders()
        self.world.caller = by
        reply: dict[str, Any] = json.loads(self.world.ask(tool, **given).text)
        before, self.kept = self.kept, self.world.everything()
        self.living.add(by.session)
        if "error" in reply:
            assert self.kept == before, "a refused call left something"
            return reply
        if "take_over" not in given:
            changed = [image[0] for image in self.kept["images"] if image[1] > before["head"].seq]
            assert [place for place in changed if self.other(place, by, held) is not None] == []
        books.check_fold(self.kept)
        books.check_log(self.kept)
        books.check_revisions(self.kept)
        books.check_gate(self.kept)
        books.check_counts(self.kept)
        books.check_index(self.kept)
        return reply

    def holders(self) -> dict[str, str]:
        """The sessions that hold something, by place."""
        found = books.documents_of(self.kept)
        return {place: claim.session for place, item in found.items() if (claim := claim_of(item)) is not None}

    def other(self, place: str, by: Caller, holders: dict[str, str]) -> str | None:
        """Who else holds a place: by the nearest claim that lives, or is one's own."""
        for over in (place, *places.above(place)):
            session = holders.get(over)
            if session == by.session:
                return None
            if session in self.living:
                return session
        return None

    def some_step(self, number: int) -> list[str]:
        found = [place for place, item in books.documents_of(self.kept).items() if isinstance(item, Step)]
        return [found[number % len(found)]] if found else []

    def named(self, place: str) -> dict[str, str]:
        return {"task": places.root_id(place), "path": places.path_of(place)}


SETTINGS = settings(
    max_examples=25,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@pytest.mark.requirement("crew.claims.holder-only", "crew.claims.record", "crew.claims.ends")
def test_in_every_history_of_a_crew_only_holders_change_what_they_hold() -> None:
    run_state_machine_as_test(Crew, settings=SETTINGS)
