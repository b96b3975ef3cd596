"""Whatever is done, in whatever order: who follows, joins or comes back has the lists that there are."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from docs.todo_contracts import TODO
from gatepost.domain import places
from gatepost.domain.documents import Document
from gatepost.domain.nodes import Node
from gatepost.domain.roots import Task
from gatepost.domain.steps import Step
from gatepost.domain.todos import Todos
from gatepost.operations import todo_snapshots, todo_stream
from gatepost.operations.todo_stream import ListUpdate
from gatepost.views import todo_payload
from gatepost.wire import json_output
from tests.engine import books, moves
from tests.engine.pairs import Move, Pair
from tests.givens import World, memory_store
from tests.operations.test_todo_stream import Client, Row, look
from tests.views.test_todo_contracts import valid


class Played(Pair):
    """A history on the reference store alone; only the aiming is the other's."""

    def __init__(self) -> None:
        self.world = World(memory_store())
        self.kept = self.world.everything()

    def play(self, move: Move) -> None:
        call = self.aimed(move)
        if call is not None:
            self.world.ask(call[0], **call[1])
            self.kept = self.world.everything()


def lists_of(kept: books.Kept) -> dict[str, list[Row]]:
    """Every list, found the slow way: from all the documents there are."""
    state = dict(sorted(books.documents_of(kept).items()))
    found: dict[str, list[Row]] = {}
    for place, item in state.items():
        if isinstance(item, Task):
            found[item.id] = list(_steps(place, item, state))
        elif isinstance(item, Todos):
            made = todo_payload.list_items(item.items)
            found[places.name_of(place)] = [{"id": it.id, "title": it.title, "status": "todo"} for it in made]
    return found


def _steps(task: str, root: Task, state: dict[str, Document]) -> Iterator[Row]:
    in_hand = root.status != "ACTIVE"
    for place, item in state.items():
        if not place.startswith(task + ".") or not isinstance(item, Step | Node):
            continue
        below = [it for at, it in state.items() if at.startswith(place + ".") and isinstance(it, Step | Node)]
        status = "todo"
        if item.done:
            status = "done"
        elif isinstance(item, Step) and item.blocked:
            status = "blocked"
        elif not in_hand and all(it.done for it in below):
            status, in_hand = "in_progress", True
        yield {"id": item.id, "title": item.title, "status": status}


def living(kept: books.Kept) -> set[str]:
    state = books.documents_of(kept)
    tasks = {item.id for item in state.values() if isinstance(item, Task) and not item.done}
    return tasks | {places.name_of(place) for place, item in state.items() if isinstance(item, Todos)}


def _aimed(*at: str) -> st.SearchStrategy[Move]:
    return st.sampled_from([move for move in moves.CHANGES if move[1] in at]).flatmap(moves._drawn)


back: st.SearchStrategy[Move] = st.sampled_from(
    [("tasks_undo", "", 0, {}), ("tasks_undo", "task", 1, {}), ("tasks_redo", "", 0, {}), ("todo_clear", "", 0, {})]
)
in_trees = _aimed("step", "ready", "member", "parent", "node", "task")
finishing: st.SearchStrategy[Move] = st.tuples(
    st.just("tasks_complete"),
    st.just("task"),
    moves.pick,
    st.sampled_from([{"status": "DONE"}, {"status": "ACTIVE"}]),
)
move = st.one_of(
    in_trees, _aimed("ready"), in_trees, _aimed("ready"), finishing, moves.changes, moves.records, back
)
histories = st.lists(st.tuples(move, st.sampled_from("fffffjjc ")), min_size=10, max_size=40)
"""Moves, and what happens after each: the follower looks, somebody joins, somebody is cut off, or nothing."""

TREE = [
    {"title": "a", "steps": [{"title": "b", "steps": [{"title": "c"}]}, {"title": "d"}]},
    {"title": "e"},
    {"title": "f", "steps": [{"title": "g"}]},
]
START: list[Move] = [
    ("tasks_create", "", 0, {"kind": "plan", "title": "A plan"}),
    ("tasks_create", "plan", 0, {"kind": "task", "title": "In it", "steps": TREE}),
    ("tasks_create", "", 0, {"kind": "task", "title": "Beside", "steps": [{"title": "h"}]}),
    ("tasks_note", "task", 0, {"note": "Begun."}),
    ("tasks_note", "task", 1, {"note": "Begun."}),
    ("todo_write", "", 0, {"items": ["x", "y", "x"], "session": "main"}),
]


@pytest.mark.requirement(
    "stream.connect.converges",
    "stream.revision.strictly-rising",
    "stream.scope.stable-key",
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    history=histories,
    recent=st.sampled_from([0, 5, 1_000]),
    long=st.sampled_from([0, 8]),
    placed_from=st.sampled_from([0, 3, 200]),
)
def test_whoever_follows_joins_or_comes_back_has_the_lists_that_there_are(
    history: list[tuple[Move, str]], recent: int, long: int, placed_from: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(todo_stream, "RECENT", recent)
        patch.setattr(todo_stream, "_LONG", long)
        patch.setattr(todo_snapshots, "LONG", placed_from)
        played = Played()
        for move in START:
            played.play(move)
        follower, away = Client(), Client()
        joined = [follower]
        follower.connect(played.world, None)
        away.connect(played.world, 0)
        at = follower.seq
        for move, then in [*history, (("tasks_focus_clear", "", 0, {}), "f")]:
            played.play(move)
            if then == "j":
                joined.append(Client())
                joined[-1].connect(played.world, None)
            if then == "c":
                away.connect(played.world, away.seq)
                check(played.kept, away)
            if then == "f":
                at, updates = look(played.world, at)
                check_updates(updates)
                for client in joined:
                    client.follow(updates)
                    check(played.kept, client)


def check(kept: books.Kept, client: Client) -> None:
    """The client has every list that lives, and of none another idea than the store."""
    right = lists_of(kept)
    tallies = {row[0]: row[1] for row in kept["tallies"]}
    assert client.lists.keys() >= living(kept)
    for key, rows in client.lists.items():
        assert rows == right.get(key, []), key
        place = places.of_id(key) or places.named(places.SESSION, key)
        assert client.revisions[key] == tallies[place]
        held = [{"id": item.id, "title": item.title, "status": item.status} for item in client.store.items(key)]
        assert held == rows, "the client that we publish must have them too"
        assert not client.store.needs_snapshot(key)


def check_updates(updates: list[ListUpdate]) -> None:
    assert len({(it.envelope.scope_key, it.envelope.revision) for it in updates}) == len(updates)
    assert [update.seq for update in updates] == sorted({update.seq for update in updates})
    for update in updates:
        event(update.envelope.op)
        event("placed" if update.envelope.position is not UNSET else "not placed")
        sent = json.loads(json_output.text(update.envelope))
        assert valid(TODO, sent)
        assert valid(TODO, sent, "#/$defs/emitted")
