"""Whatever was done, in whatever order: a diff leads from one recorded state to the other, and blame names who
really gave a field its value."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from gatepost.domain import documents, places
from gatepost.domain.documents import Document
from gatepost.domain.roots import Task
from gatepost.engine.caller import Caller
from tests.engine import books, moves
from tests.engine.pairs import Move, Pair
from tests.givens import World, memory_store

RECORDS = (places.ROUND, places.JOURNAL)

_moves = st.sampled_from([aimed for aimed in moves.CHANGES if aimed[0] == "tasks_move"]).flatmap(moves._drawn)
_undo: st.SearchStrategy[Move] = st.sampled_from(
    [
        ("tasks_undo", "", 0, {}),
        ("tasks_undo", "", 0, {}),
        ("tasks_undo", "root", 3, {}),
        ("tasks_redo", "", 0, {}),
        ("tasks_redo", "root", 2, {}),
    ]
)
histories = st.lists(
    st.one_of(moves.changes, moves.changes, moves.of_steps, moves.records, _moves, _undo), min_size=4, max_size=30
)

State = dict[str, Document]
Fields = dict[str, Any]


class Recorded(Pair):
    """A history on one store, with every state that there was."""

    def __init__(self) -> None:
        self.world = World(memory_store())
        self.world.caller = Caller("human:tester")
        self.kept = self.world.everything()
        self.states: list[tuple[int, State]] = [(0, {})]

    def play(self, move: Move) -> None:
        call = self.aimed(move)
        if call is None:
            return
        tool, given = call
        if tool in ("tasks_undo", "tasks_redo") and "plan" in given:
            given = {"task": given["plan"]}
        self.world.ask(tool, **given)
        self.kept = self.world.everything()
        if self.kept["head"].seq > self.states[-1][0]:
            self.states.append((self.kept["head"].seq, self.state()))

    def state(self) -> State:
        """The documents now, by how people name their places when they were first seen."""
        return {
            place: documents.from_text(text) for place, text in self.kept["documents"] if place[0] not in RECORDS
        }

    def named(self, state: State) -> dict[str, Fields]:
        """A state by the names that its places have now, each document as it is stored."""

        def shown(place: str) -> str:
            return self.world.engine.read(self.world.workspace, self.world.caller, lambda it: it.shown(place))

        return {shown(place): _without(msgspec.json.decode(documents.to_text(it))) for place, it in state.items()}


def diff(world: World, limit: int, **given: Any) -> list[dict[str, Any]]:
    """All pages of a diff."""
    found: list[dict[str, Any]] = []
    cursor: dict[str, Any] = {}
    while True:
        page = world.ok("tasks_diff", limit=limit, max_chars=1_000_000, **given, **cursor)
        found += page["documents"]
        assert page["has_more"] is ("cursor" in page)
        if not page["has_more"]:
            return found
        cursor = {"cursor": page["cursor"]}


def applied(state: dict[str, Fields], changes: list[dict[str, Any]]) -> dict[str, Fields]:
    """A state after the changes that a diff lists: what left its place goes first, then the rest comes."""
    held = {change["where"]: state.get(change.get("was_at", change["where"]), {}) for change in changes}
    result = dict(state)
    for change in changes:
        result.pop(change.get("was_at", change["where"]), None)
    for change in changes:
        if "deleted" not in change["what"]:
            fields = {"kind": change["kind"], **held[change["where"]]}
            fields |= {"id": change["step_id"]} if "step_id" in change else {}
            fields |= {field["field"]: field["after"] for field in change["fields"]}
            result[change["where"]] = fields
    return result


def same(found: dict[str, Fields], expected: dict[str, Fields]) -> None:
    """The two states are equal. The ids of what was created are not among the fields of a diff."""
    assert found.keys() == expected.keys()
    for where, fields in expected.items():
        known = {name: fields[name] for name in ("id",) if name in fields}
        stored = documents.from_text(json.dumps({**found[where], **known}))
        assert msgspec.json.decode(documents.to_text(stored)) == fields, where


@pytest.mark.requirement("history.diff.net")
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(history=histories, data=st.data(), limit=st.integers(1, 30))
def test_a_diff_applied_to_one_state_gives_the_other(history: list[Move], data: st.DataObject, limit: int) -> None:
    recorded = Recorded()
    for move in history:
        recorded.play(move)
    last = len(recorded.states) - 1
    first = data.draw(st.integers(0, last))
    then = data.draw(st.integers(first, last))
    (since, before), (upto, after) = recorded.states[first], recorded.states[then]

    changes = diff(recorded.world, limit, **{"from": since, "to": upto})

    event(f"{min(len(changes), 10)} documents differ")
    assert len({change["where"] for change in changes}) == len(changes)
    same(applied(recorded.named(before), changes), recorded.named(after))
    for root in {change["task"] for change in changes if "task" in change}:
        mine = {root, *tasks_of(root, before), *tasks_of(root, after)}
        of_root = diff(recorded.world, limit, **{"from": since, "to": upto, "task": root})
        assert sorted(of_root, key=_where) == sorted((it for it in changes if it.get("task") in mine), key=_where)


def tasks_of(plan: str, state: State) -> set[str]:
    return {it.id for it in state.values() if isinstance(it, Task) and it.plan == plan}


def _where(change: dict[str, Any]) -> str:
    where: str = change["where"]
    return where


Attribution = dict[str, dict[str, tuple[Any, int]]]
"""Each field of each document, with its value and the operation that gave it."""


class Ledger:
    """Who gave which field its value, kept forward, operation by operation."""

    def __init__(self, kept: books.Kept) -> None:
        self.now: Attribution = {}
        self.before: dict[int, Attribution] = {}
        self.after: dict[int, Attribution] = {}
        of = {row[0]: row[6] for row in kept["operations"]}
        kinds = {row[0]: row[5] for row in kept["operations"]}
        for number in sorted(of):
            self.before[number] = {place: dict(fields) for place, fields in self.now.items()}
            images = [image for image in kept["images"] if image[1] == number]
            put_back: Attribution = {}
            if kinds[number] == "undo":
                put_back = self.before[of[number]]
            elif kinds[number] == "redo":
                put_back = self.after[of[of[number]]]
            gone = {_id(was): self.now[place] for place, _, was, now in images if now is None and _id(was)}
            for place, _, was, now in images:
                self._change(
                    number, place, now, put_back.get(place, {}), gone.get(_id(now), {}) if was is None else {}
                )
            self.after[number] = {place: dict(fields) for place, fields in self.now.items()}

    def _change(self, number: int, place: str, now: str | None, *known: dict[str, tuple[Any, int]]) -> None:
        held = self.now.pop(place, {})
        if now is None:
            return
        self.now[place] = {}
        for name, value in _fields(now).items():
            earlier = [it[name] for it in (held, *known) if name in it and it[name][0] == value]
            self.now[place][name] = (value, earlier[0][1] if earlier else number)


def _fields(text: str) -> Fields:
    found: Fields = msgspec.json.decode(msgspec.json.encode(msgspec.structs.asdict(documents.from_text(text))))
    return {name: value for name, value in _without(found).items() if name != "id"}


def _without(fields: Fields) -> Fields:
    """A document without what a diff leaves out: earlier names, and claims."""
    return {name: value for name, value in fields.items() if name not in ("formerly", "claim")}


def _id(text: str | None) -> str:
    return "" if text is None else msgspec.json.decode(text).get("id", "")


@pytest.mark.requirement("history.field.blame")
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(history=histories)
def test_blame_names_the_operation_that_gave_each_field_its_value(history: list[Move]) -> None:
    recorded = Recorded()
    for move in history:
        recorded.play(move)
    ledger = Ledger(recorded.kept)

    asked = 0
    for place, fields in ledger.now.items():
        if not places.in_tree(place):
            continue
        at = {"task": places.root_id(place), **({"path": places.path_of(place)} if places.depth(place) else {})}
        for name, (value, number) in fields.items():
            newest = recorded.world.ok("tasks_history", field=name, limit=1, **at)["values"][0]
            assert (newest["value"], newest["operation"]) == (value, number), (place, name)
            asked += 1
    event(f"{min(asked // 20, 10)} times twenty fields")
