"""Histories: any sequence of calls, on two stores at once, keeps the books straight after every one of them."""

import json
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from gatepost.domain import places
from gatepost.domain.roots import Plan, Task
from gatepost.domain.steps import Step
from gatepost.engine import doctor
from gatepost.operations.catalog import BY_NAME, OPERATIONS
from tests.engine import books, moves
from tests.givens import World, new_store, supplied

Chosen = tuple[str, Step]
"""A step and where it stands."""


class Histories(RuleBasedStateMachine):
    """Plays every call to SQLite and to the reference store, and compares."""

    played: set[str] = set()  # noqa: RUF012 - shared on purpose: the test below asks what was played

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory(prefix="gatepost-histories-")
        self.real = World(new_store("sqlite", Path(self.folder.name)))
        self.database = World(new_store("postgresql", Path(self.folder.name)))
        self.reference = World(new_store("memory", Path(self.folder.name)))
        self.kept = self.real.everything()

    def teardown(self) -> None:
        kept = self.database.everything()
        for world in (self.real, self.database):
            assert doctor.examine(world.store, world.workspace).findings == []
            world.store.close()
        assert kept == self.kept, "the stores differ"
        self.folder.cleanup()

    @initialize(steps=moves.checked_steps, more=moves.new_steps)
    def start_with_work(self, steps: list[Any], more: list[Any]) -> None:
        self.call("tasks_create", kind="plan", title="A plan")
        self.call("tasks_create", kind="task", title="In it", plan="PLAN-001", steps=steps)
        self.call("tasks_create", kind="task", title="Beside it", depends_on=["TASK-001"], steps=more)

    @rule(title=moves.words, fields=moves.root_fields, contract=st.none() | moves.words)
    def create_plan(self, title: str, fields: dict[str, Any], contract: str | None) -> None:
        held = {} if contract is None else {"contract": contract, "contract_data": {"says": contract}}
        self.call("tasks_create", kind="plan", title=title, **fields, **held)

    @rule(
        title=moves.words,
        fields=moves.root_fields,
        steps=st.just([]) | moves.checked_steps,
        plan=st.none() | moves.pick,
        needs=st.lists(moves.pick, max_size=2),
    )
    def create_task(
        self, title: str, fields: dict[str, Any], steps: list[Any], plan: int | None, needs: list[int]
    ) -> None:
        plans = self.roots(Plan)
        if plan is not None and plans:
            fields = {**fields, "plan": plans[plan % len(plans)]}
        self.call("tasks_create", kind="task", title=title, steps=steps, depends_on=self.some(needs), **fields)

    @rule(given=moves.scaffolds, plan=st.none() | moves.pick)
    def scaffold(self, given: dict[str, Any], plan: int | None) -> None:
        plans = self.roots(Plan)
        if plan is not None and plans:
            given = {**given, "plan": plans[plan % len(plans)]}
        self.call("tasks_scaffold", **given)

    @precondition(lambda self: self.roots())
    @rule(
        root=moves.pick, changes=moves.edits, needs=st.none() | st.lists(moves.pick, max_size=2), at=moves.revisions
    )
    def edit(self, root: int, changes: dict[str, Any], needs: list[int] | None, at: str) -> None:
        target = self.one(root)
        if target.startswith("TASK") and root % 5:
            changes = {name: value for name, value in changes.items() if not name.startswith("contract")}
        given = {} if needs is None else {"depends_on": self.some(needs)}
        self.call("tasks_edit", task=target, **self.revision(target, at), **changes, **given)

    @precondition(lambda self: self.roots(Task))
    @rule(
        root=moves.pick,
        step=st.none() | moves.pick,
        steps=moves.checked_steps,
        by=moves.selectors,
        at=moves.revisions,
    )
    def decompose(self, root: int, step: int | None, steps: list[Any], by: str, at: str) -> None:
        chosen = None if step is None else self.step(step)
        if chosen is None:
            target = self.one(root)
            self.call("tasks_decompose", task=target, steps=steps, **self.revision(target, at))
        else:
            self.of_step("tasks_decompose", chosen, by, at, steps=steps)

    @precondition(lambda self: self.steps())
    @rule(step=moves.pick, by=moves.selectors, at=moves.revisions, changes=moves.definitions)
    def define(self, step: int, by: str, at: str, changes: dict[str, Any]) -> None:
        self.of_step("tasks_define", self.step(step), by, at, **changes)

    @precondition(lambda self: self.roots())
    @rule(root=moves.pick, step=st.none() | moves.pick, note=moves.words, at=moves.revisions)
    def note(self, root: int, step: int | None, note: str, at: str) -> None:
        chosen = None if step is None else self.step(step)
        if chosen is None:
            target = self.one(root)
            self.call("tasks_note", task=target, note=note, **self.revision(target, at))
        else:
            self.of_step("tasks_note", chosen, "step_id", at, note=note)

    @precondition(lambda self: self.steps())
    @rule(step=moves.pick, by=moves.selectors, at=moves.revisions, marks=moves.checkpoints)
    def verify(self, step: int, by: str, at: str, marks: dict[str, Any]) -> None:
        self.of_step("tasks_verify", self.step(step), by, at, checkpoints=marks)

    @precondition(lambda self: self.steps())
    @rule(step=moves.pick, by=moves.selectors, at=moves.revisions, marks=moves.checkpoints)
    def close_as_it_comes(self, step: int, by: str, at: str, marks: dict[str, Any]) -> None:
        self.of_step("tasks_close_step", self.step(step), by, at, checkpoints=marks)

    @precondition(lambda self: self.checked())
    @rule(step=moves.pick, by=moves.selectors, at=moves.revisions, numbers=st.lists(st.integers(0, 2), max_size=2))
    def check(self, step: int, by: str, at: str, numbers: list[int]) -> None:
        found = self.checked()
        self.of_step("tasks_check", found[step % len(found)], by, at, checks=numbers)

    @precondition(lambda self: self.checked())
    @rule(step=moves.pick, meanwhile=st.sampled_from(["tasks_note", "tasks_verify", "tasks_define"]))
    def check_while_somebody_else_writes(self, step: int, meanwhile: str) -> None:
        place, chosen = self.checked()[step % len(self.checked())]
        at = {"task": places.root_id(place), "step_id": chosen.id}
        given: dict[str, dict[str, Any]] = {
            "tasks_note": {"note": "Meanwhile."},
            "tasks_verify": {"checkpoints": {"criteria": {"confirmed": True, "note": "Meanwhile."}}},
            "tasks_define": {"title": f"Meanwhile {len(self.kept['events'])}"},
        }
        for world in (self.real, self.database, self.reference):
            world.checks.meanwhile = partial(world.ask, meanwhile, **at, **given[meanwhile])
        answers = {world.ask("tasks_check", **at).text for world in (self.real, self.database, self.reference)}
        for world in (self.real, self.database, self.reference):
            world.checks.meanwhile = int
        assert len(answers) == 1
        self.kept = self.real.everything()
        assert self.kept == self.reference.everything(), "the stores differ"
        books.check_all(self.kept)

    @rule(digest=st.sampled_from(["one", "two"]))
    def edit_files(self, digest: str) -> None:
        """From here on, proofs that were made on other files are stale."""
        self.real.checks.digest = self.database.checks.digest = self.reference.checks.digest = digest

    @precondition(lambda self: self.ready())
    @rule(step=moves.pick, at=st.sampled_from(["any", "right"]))
    def close_through_the_gate(self, step: int, at: str) -> None:
        ready = self.ready()
        chosen = self.proven(ready[step % len(ready)])
        marks = {name: {"confirmed": True} for name in ("criteria", *chosen[1].missing)}
        answer = self.of_step("tasks_close_step", chosen, "step_id", at, checkpoints=marks)
        assert "changed" not in answer

    @precondition(lambda self: self.steps())
    @rule(step=moves.pick, by=moves.selectors, reason=moves.words)
    def reopen(self, step: int, by: str, reason: str) -> None:
        finished = [chosen for chosen in self.steps() if chosen[1].done]
        chosen = finished[step % len(finished)] if finished else self.step(step)
        self.of_step("tasks_progress", chosen, by, "any", completed=False, reason=reason)

    @precondition(lambda self: self.ready())
    @rule(step=moves.pick, tool=st.sampled_from(["tasks_done", "tasks_progress"]))
    def prove_and_finish(self, step: int, tool: str) -> None:
        ready = self.ready()
        chosen = self.proven(ready[step % len(ready)])
        marks = {name: {"confirmed": True} for name in ("criteria", *chosen[1].missing)}
        self.of_step("tasks_verify", chosen, "step_id", "any", checkpoints=marks)
        more = {"completed": True} if tool == "tasks_progress" else {}
        assert "changed" not in self.of_step(tool, chosen, "path", "right", **more)

    @precondition(lambda self: self.steps())
    @rule(step=moves.pick, by=moves.selectors, at=moves.revisions)
    def finish_as_it_comes(self, step: int, by: str, at: str) -> None:
        self.of_step("tasks_done", self.step(step), by, at)

    @precondition(lambda self: self.steps())
    @rule(
        step=moves.pick,
        by=moves.selectors,
        completed=st.booleans(),
        force=st.booleans(),
        reason=st.none() | moves.words,
    )
    def progress(self, step: int, by: str, completed: bool, force: bool, reason: str | None) -> None:
        given = {} if reason is None else {"reason": reason}
        self.of_step("tasks_progress", self.step(step), by, "any", completed=completed, force=force, **given)

    @precondition(lambda self: self.steps())
    @rule(step=moves.pick, by=moves.selectors, at=moves.revisions, parent=st.none() | moves.pick)
    def move_step(self, step: int, by: str, at: str, parent: int | None) -> None:
        over = None if parent is None else self.step(parent)
        given = {} if over is None else {"parent": over[1].id}
        self.of_step("tasks_move", self.step(step), by, at, **given)

    @precondition(lambda self: self.roots(Task))
    @rule(root=moves.pick, plan=st.none() | moves.pick, at=moves.revisions)
    def move_task(self, root: int, plan: int | None, at: str) -> None:
        tasks, plans = self.roots(Task), self.roots(Plan)
        target, into = tasks[root % len(tasks)], plans[(plan or 0) % len(plans)] if plans else None
        self.call("tasks_move", task=target, plan=None if plan is None else into, **self.revision(target, at))

    @precondition(lambda self: self.steps())
    @rule(step=moves.pick, by=moves.selectors, blocked=st.booleans(), said=moves.blocking_words)
    def block(self, step: int, by: str, blocked: bool, said: dict[str, str]) -> None:
        given = {name: text for name, text in said.items() if blocked or name != "ask"}
        self.of_step("tasks_block", self.step(step), by, "any", blocked=blocked, **given)

    @precondition(lambda self: self.roots())
    @rule(root=moves.pick, at=moves.revisions, status=st.sampled_from(["DONE", "DONE", "DONE", "ACTIVE", "TODO"]))
    def complete(self, root: int, at: str, status: str) -> None:
        target = self.one(root)
        self.call("tasks_complete", task=target, status=status, **self.revision(target, at))

    @precondition(lambda self: self.roots(Task))
    @rule(root=moves.pick, plan=st.booleans())
    def finish_a_whole_task(self, root: int, plan: bool) -> None:
        """Closings that all pass the gate, deepest first; then whatever was forced is proven; then the end."""
        task = self.roots(Task)[root % len(self.roots(Task))]
        for place, step in self.steps():
            if step.blocked and places.root_id(place) == task:
                self.of_step("tasks_block", (place, step), "path", "any", blocked=False)
        for chosen in self.checked():
            if places.root_id(chosen[0]) == task:
                self.proven(chosen)
        for place, step in reversed([chosen for chosen in self.steps() if places.root_id(chosen[0]) == task]):
            marks = {name: {"confirmed": True} for name in ("criteria", *step.missing)}
            self.of_step("tasks_close_step", (place, step), "both", "right", checkpoints=marks)
        assert self.call("tasks_complete", task=task)["status"] == "DONE"
        if plan and self.roots(Plan):
            self.call("tasks_complete", task=self.roots(Plan)[0])

    @rule(root=st.none() | moves.pick, expected=st.none() | st.integers(0, 3))
    def move_focus(self, root: int | None, expected: int | None) -> None:
        given = {} if expected is None else {"expected_revision": expected}
        if root is None or not self.roots():
            self.call("tasks_focus_clear", **given)
        else:
            self.call("tasks_focus_set", task=self.one(root), **given)

    @rule(asked=moves.reads)
    def read(self, asked: tuple[str, dict[str, Any]]) -> None:
        tool, arguments = asked
        reply = self.call(tool, **arguments)
        if tool == "tasks_radar" and "error" not in reply and "because" in reply["next"]:
            self.rehearse_next(reply["next"])
        for finding in reply.get("findings", ()):
            if "fix" in finding:
                fix = {"because": finding.get("task", ""), **finding["fix"]}
                self.real.rehearse(fix["tool"], supplied(fix))

    def rehearse_next(self, following: dict[str, Any]) -> None:
        """What the radar says can be done as it stands. A close that runs checks begins with them."""
        arguments = supplied(following)
        if arguments.pop("run_checks", False):
            where = {name: arguments[name] for name in ("workspace", "task", "step_id")}
            self.real.rehearse("tasks_check", where)
        else:
            self.real.rehearse(following["tool"], arguments)

    def proven(self, chosen: Chosen) -> Chosen:
        """A step whose checks are run; checks that fail are taken off it first."""
        place, step = chosen
        if any(check.run[0] != "true" for check in step.checks):
            if step.done:
                self.of_step("tasks_progress", chosen, "step_id", "any", completed=False)
            self.of_step("tasks_define", chosen, "step_id", "any", checks=None)
        elif step.checks:
            answer = self.of_step("tasks_check", chosen, "step_id", "any")
            assert answer["confirmed"] == list(step.by_checks)
        return next(found for found in self.steps() if found[0] == place)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Ask all stores, expect one answer, and look through the books."""
        self.played.add(tool)
        answered, expected = self.real.ask(tool, **arguments), self.reference.ask(tool, **arguments)
        assert answered.text == expected.text == self.database.ask(tool, **arguments).text
        reply: dict[str, Any] = json.loads(answered.text)
        before, self.kept = self.kept, self.real.everything()
        if answered.refusal is not None:
            assert self.kept == before, "a refused call left something"
            self.real.check_refusal(reply["error"])
        elif not BY_NAME[tool].changed(reply):
            assert self.kept == before, "a call that changed nothing left something"
        else:
            self.check_write(before, reply)
        return reply

    def check_write(self, before: books.Kept, reply: dict[str, Any]) -> None:
        assert self.kept == self.reference.everything(), "the stores differ"
        books.check_step(before, self.kept)
        books.check_all(self.kept)
        first = before["head"].seq + 1
        assert [event["seq"] for event in reply["events"]] == list(range(first, self.kept["head"].seq + 1))
        named = reply.get("task") or reply.get("id")
        place = places.FOCUS if named is None else places.of_id(named)
        assert reply["revision"] == {row[0]: row[1] for row in self.kept["tallies"]}[place]

    def of_step(self, tool: str, chosen: Chosen | None, by: str, at: str, **arguments: Any) -> dict[str, Any]:
        """Ask of one step, named in one of several ways."""
        assert chosen is not None
        place, step = chosen
        task, path = places.root_id(place), places.path_of(place)
        names: dict[str, dict[str, str]] = {
            "path": {"path": path},
            "step_id": {"step_id": step.id},
            "both": {"path": path, "step_id": step.id},
            "torn": {"path": f"{path}.s:7", "step_id": step.id},
            "none": {},
        }
        return self.call(tool, task=task, **names[by], **self.revision(task, at), **arguments)

    def revision(self, target: str, at: str) -> dict[str, int]:
        """An expected revision that is right, or stale, or none."""
        current = {row[0]: row[1] for row in self.kept["tallies"]}[places.of_id(target) or ""]
        return {"any": {}, "right": {"expected_revision": current}, "stale": {"expected_revision": current - 1}}[at]

    def roots(self, kind: type[Plan] | type[Task] | None = None) -> list[str]:
        found = books.documents_of(self.kept).values()
        return [item.id for item in found if isinstance(item, kind or (Plan, Task))]

    def one(self, number: int) -> str:
        return self.roots()[number % len(self.roots())]

    def some(self, numbers: list[int]) -> list[str]:
        return [self.one(number) for number in numbers] if self.roots() else []

    def steps(self) -> list[Chosen]:
        state = books.documents_of(self.kept)
        return [(place, item) for place, item in state.items() if isinstance(item, Step)]

    def step(self, number: int) -> Chosen | None:
        found = self.steps()
        return found[number % len(found)] if found else None

    def checked(self) -> list[Chosen]:
        """The steps that have checks."""
        return [chosen for chosen in self.steps() if chosen[1].checks]

    def ready(self) -> list[Chosen]:
        """The steps that could be closed at once, were they proven."""
        still_open = {place for place, step in self.steps() if not step.done}
        return [
            (place, step)
            for place, step in self.steps()
            if not step.done and not step.blocked and not any(other.startswith(place + ".") for other in still_open)
        ]


SETTINGS = settings(
    max_examples=80,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@pytest.mark.requirement(
    "call.transaction.all-or-nothing",
    "call.seq.no-gaps",
    "call.revision.plus-one",
    "call.refused.leaves-nothing",
    "call.unchanged.leaves-nothing",
    "call.refusal.suggestion-accepted",
    "call.reply.revision-and-events",
    "call.events.past-tense",
)
def test_every_history_keeps_the_books_straight_on_all_stores() -> None:
    """What is not played here is played by `test_undo_machine.py`, which keeps the same books."""
    run_state_machine_as_test(Histories, settings=SETTINGS)

    beside = {tool for tool, *_ in (*moves.CHANGES, *moves.RECORDS)} | {"tasks_batch", "tasks_undo", "tasks_redo"}
    # `tests/operations/test_journals.py` has the sessions.
    beside |= {"todo_clear", "taskdoc_adopt", "session_open", "session_keep", "session_close"}
    writes = {operation.name for operation in OPERATIONS if operation.writes and not operation.files}
    assert Histories.played | beside >= writes
    assert Histories.played <= set(BY_NAME)
