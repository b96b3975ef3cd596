"""Claims in any history of several sessions: only its holder changes what is held, and the books stay straight."""

import json
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from gatepost.domain import places
from gatepost.domain.nodes import Node
from gatepost.domain.roots import Task
from gatepost.domain.steps import Step
from gatepost.engine import doctor
from gatepost.engine.caller import Caller
from gatepost.engine.clock import later
from gatepost.engine.engine import Engine
from tests.engine import books, moves
from tests.engine.claim_model import ClaimModel, Documents, Held, stored
from tests.givens import STORES, World, new_store

CREW = [Caller("agent:coder", session=f"session-{number}") for number in range(3)]
TERM = 60

who = st.sampled_from(CREW)
waits = st.sampled_from([5, TERM // 4, TERM // 2, TERM - 1, TERM, 3 * TERM])
terms = st.sampled_from([TERM, TERM, 2 * TERM])
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
    """Three sessions on two tasks, and a model that knows which of their claims live."""

    kind: ClassVar[str]
    folder: ClassVar[Path]

    def __init__(self) -> None:
        super().__init__()
        self.at = "2026-01-01T00:00:00.000Z"
        self.world = World(new_store(self.kind, Path(mkdtemp(dir=self.folder))))
        self.world.engine = Engine(self.world.store, self)
        self.model = ClaimModel()
        self.is_due = False
        self.kept: books.Kept = {}

    def now(self) -> str:
        return self.at

    def teardown(self) -> None:
        found = doctor.examine(self.world.store, self.world.workspace)
        self.world.store.close()
        assert found.findings == []

    @initialize(steps=moves.new_steps, number=moves.pick)
    def start_with_work(self, steps: list[Any], number: int) -> None:
        self.world.ok("tasks_create", kind="plan", title="A plan")
        for _ in range(2):
            self.world.ok("tasks_create", kind="task", title="In it", plan="PLAN-001", steps=steps)
        self.kept = self.world.everything()
        self.claim_next(CREW[0], {"task": "TASK-001"}, TERM)
        self.claim_step(CREW[1], number, over=True, term=2 * TERM)

    @rule(seconds=waits, by=who, again=waits)
    def wait(self, seconds: int, by: Caller, again: int) -> None:
        """Time passes, and a read in between renews what its session holds. It changes nothing else."""
        self.at = later(self.at, seconds)
        self.check_shown()
        self.call(by, "tasks_context")
        self.at = later(self.at, again)
        self.check_shown()

    def check_shown(self) -> None:
        """Readers see the claims that live."""
        self.world.caller = Caller("reader")
        living = self.model.living(self.at)
        for task, members in self.members().items():
            shown = self.world.ok("tasks_resume", task=task)["target"]
            assert shown.get("claimed", 0) == sum(name in living for name in members)
        queue = {row["id"] for row in self.world.ok("tasks_context", ready=True)["items"]}
        tasks = queue - {"PLAN-001"}
        assert ("PLAN-001" in queue) == (bool(tasks) or not living), "a plan is ready if anything in it is free"

    @rule(by=who, scope=st.sampled_from([{}, {"plan": "PLAN-001"}, {"task": "TASK-001"}]), term=terms)
    def claim_next(self, by: Caller, scope: dict[str, str], term: int) -> None:
        documents = self.documents()
        reply = self.call(by, "tasks_claim", ttl_s=term, **scope)
        if "error" in reply:
            assert reply["error"]["code"] == "UNKNOWN_ID"  # undo took the task away
        elif reply["step"] is not None:
            place = places.at_path(places.at_id(reply["task"]), reply["step"]["path"]) or ""
            other = self.model.other(documents, place, by.session, self.at)
            assert other is None, "what others hold is never given away"
            self.claimed(place, by, term, over=False)
        self.renew(by)

    @rule(by=who, number=moves.pick, over=st.booleans(), term=terms)
    def claim_step(self, by: Caller, number: int, over: bool, term: int) -> None:
        for place in self.some_step(number):
            self.claim(place, by, over, term, **self.named(place))

    @rule(by=who, over=st.booleans(), term=terms)
    def claim_whole(self, by: Caller, over: bool, term: int) -> None:
        self.claim(places.at_id("TASK-002"), by, over, term, task="TASK-002", whole=True)

    def claim(self, place: str, by: Caller, over: bool, term: int, **named: Any) -> None:
        refused = not over and self.model.is_refused(self.documents(), place, by.session, self.at)
        reason = {"take_over": "Mine."} if over else {}
        reply = self.call(by, "tasks_claim", **named, ttl_s=term, **reason)
        code = reply.get("error", {}).get("code")
        assert code in (None, "CLAIMED", "STEP_DONE", "INVALID_INPUT", "UNKNOWN_ID")  # done, or undo took it away
        if code in (None, "CLAIMED"):
            assert (code == "CLAIMED") == refused
        if code is None:
            self.claimed(place, by, term, over=over)
        self.renew(by)

    @rule(by=who, number=moves.pick)
    def release(self, by: Caller, number: int) -> None:
        for place in self.some_step(number):
            document, named = self.documents()[place], self.named(place)
            held = self.model.held.get(document.id) if isinstance(document, Step) else None
            closed = held is not None and held.session != by.session and self.model.lives(held, self.at)
            reply = self.call(by, "tasks_release", **named, released=document)
            assert (reply.get("error", {}).get("code") == "CLAIMED") == closed
            assert closed or reply.get("changed", True) == (held is not None)

    @rule(by=who, number=moves.pick, write=writes)
    def write(self, by: Caller, number: int, write: tuple[str, dict[str, Any]]) -> None:
        for place in self.some_step(number):
            other = self.other(place, by)
            reply = self.call(by, write[0], **self.named(place), **write[1])
            if write[0] == "tasks_define":
                refused = reply.get("error", {}).get("code") == "CLAIMED"
                changed = reply.get("changed", True)
                assert refused == (changed and other is not None)

    @rule(by=who, number=moves.pick, below=moves.pick)
    def move(self, by: Caller, number: int, below: int) -> None:
        for place, parent in zip(self.some_step(number), self.some_step(below), strict=True):
            to = {"parent": places.path_of(parent)} if places.root_of(parent) == places.root_of(place) else {}
            self.call(by, "tasks_move", **self.named(place), **to)

    @rule(by=who, first=moves.pick, second=moves.pick)
    def write_both(self, by: Caller, first: int, second: int) -> None:
        both = [*self.some_step(first), *self.some_step(second)]
        held = [number for number, place in enumerate(both) if self.other(place, by) is not None]
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

    def call(self, by: Caller, tool: str, released: Any = None, **given: Any) -> dict[str, Any]:
        """Make a call. What it changed was free, or its own, or just taken over; and the store has the claims that
        the model has."""
        self.is_due, places_before = self.model.is_due(by.session, self.at), self.documents()
        self.world.caller = by
        reply: dict[str, Any] = json.loads(self.world.ask(tool, **given).text)
        before, self.kept = self.kept, self.world.everything()
        if "error" in reply:
            assert self.kept == before, "a refused call left something"
        else:
            self.check(by, before, places_before, taken_over="take_over" in given)
        if released is not None and "error" not in reply:
            self.model.release(released)
        if tool != "tasks_claim":
            self.model.keep_only(self.documents())
            assert stored(self.documents()) == self.model.held
            self.renew(by)
        return reply

    def renew(self, by: Caller) -> None:
        """After a call: what it decided went by the claims as they were before."""
        if self.is_due:
            self.model.renewed[by.session] = self.at

    def claimed(self, place: str, by: Caller, term: int, *, over: bool) -> None:
        """A claim was granted: the store has what the model has."""
        self.model.take(self.documents(), place, Held(by.session, self.at, term), over=over)
        assert stored(self.documents()) == self.model.held

    def check(self, by: Caller, before: books.Kept, documents: Documents, *, taken_over: bool) -> None:
        changed = [image[0] for image in self.kept["images"] if image[1] > before["head"].seq]
        for place in [] if taken_over else changed:
            assert self.model.other(documents, place, by.session, self.at) is None
        books.check_fold(self.kept)
        books.check_log(self.kept)
        books.check_revisions(self.kept)
        books.check_gate(self.kept)
        books.check_counts(self.kept)
        books.check_index(self.kept)

    def documents(self) -> Documents:
        return books.documents_of(self.kept)

    def members(self) -> dict[str, list[str]]:
        """The ids of each task and of its steps."""
        found: dict[str, list[str]] = {}
        for place, item in self.documents().items():
            if isinstance(item, Task | Step | Node):
                found.setdefault(places.root_id(place), []).append(item.id)
        return {task: names for task, names in found.items() if task.startswith("TASK")}

    def other(self, place: str, by: Caller) -> str | None:
        """Who else holds a place."""
        return self.model.other(self.documents(), place, by.session, self.at)

    def some_step(self, number: int) -> list[str]:
        found = [place for place, item in books.documents_of(self.kept).items() if isinstance(item, Step)]
        return [found[number % len(found)]] if found else []

    def named(self, place: str) -> dict[str, str]:
        return {"task": places.root_id(place), "path": places.path_of(place)}


SETTINGS = settings(
    max_examples=25,
    stateful_step_count=40,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@pytest.mark.requirement("crew.claims.holder-only", "crew.claims.record", "crew.claims.ends")
@pytest.mark.parametrize("kind", STORES)
def test_in_every_history_of_a_crew_claims_live_as_the_model_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str
) -> None:
    monkeypatch.setattr(Crew, "kind", kind, raising=False)
    monkeypatch.setattr(Crew, "folder", tmp_path, raising=False)

    run_state_machine_as_test(Crew, settings=settings(SETTINGS, max_examples=40 if kind == "memory" else 6))
