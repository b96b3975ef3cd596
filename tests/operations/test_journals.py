"""Durable sessions in the store: one holder at a time, entries in order, and the newest state first."""

from typing import Any

import pytest

from gatepost.engine import processes
from gatepost.engine.caller import Caller
from tests.givens import World
from tests.operations.calls import HOLDER

MINE = {"session": "agent", "holder": HOLDER}
THEIRS = {"session": "agent", "holder": "holder-2"}


def test_entries_come_back_in_order_after_the_newest_state_and_whole_if_asked(world: World) -> None:
    world.ok("session_open", **MINE)
    world.ok("session_keep", **MINE, entries=["a", "b"])
    world.ok("session_keep", **MINE, entries=["d"], state=["one ", "two"])
    kept = world.ok("session_keep", **MINE, entries=["e"], expected_revision=3)

    newest = world.ok("session_history", session="agent")
    pages: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = world.ok("session_history", session="agent", whole=True, limit=2, **cursor)
        pages += page["kept"]
        if "cursor" not in page or page["cursor"] is None:
            break
        cursor = {"cursor": page["cursor"]}

    assert newest["revision"] == kept["revision"] == 4
    assert [part.get("state", part.get("entry")) for part in newest["kept"]] == ["one ", "two", "d", "e"]
    assert [part.get("state", part.get("entry")) for part in pages] == ["a", "b", "one ", "two", "d", "e"]
    assert [event["type"] for event in world.ok("tasks_delta")["events"]] == [
        "session_opened",
        *["session_kept"] * 4,
    ]


def test_a_page_that_would_be_too_long_is_cut_and_goes_on(world: World) -> None:
    world.ok("session_open", **MINE)
    for letter in "ab":
        world.ok("session_keep", **MINE, entries=[letter * 65_536] * 10)

    first = world.ok("session_history", session="agent")
    rest = world.ok("session_history", session="agent", cursor=first["cursor"])

    assert [part["entry"][0] for part in (*first["kept"], *rest["kept"])] == [*"aaaaaaaaaabbbbbbbbbb"]
    assert len(first["kept"]) < 20
    assert rest.get("cursor") is None


def test_one_holds_a_session_and_nobody_else_writes_to_it_or_lets_go_of_it(world: World) -> None:
    world.ok("session_open", **MINE)
    again = world.ok("session_open", **MINE)

    held = world.no("SESSION_HELD", "session_open", **THEIRS)
    world.no("SESSION_HELD", "session_keep", **THEIRS, entries=["x"])
    world.no("SESSION_HELD", "session_close", **THEIRS)
    world.no("REVISION_MISMATCH", "session_keep", **MINE, entries=["x"], expected_revision=7)

    assert again["changed"] is False
    assert "take_over" in held["recovery"]
    world.ok("session_close", **MINE)
    assert world.ok("session_close", **MINE)["changed"] is False
    world.no("SESSION_HELD", "session_keep", **MINE, entries=["x"])
    world.ok("session_open", **THEIRS)


def test_a_holder_that_is_taken_over_or_gone_writes_no_more(world: World) -> None:
    world.ok("session_open", **MINE)
    world.ok("session_open", **THEIRS, take_over=True)
    lost = world.no("SESSION_HELD", "session_keep", **MINE, entries=["x"])
    assert "Open the session again" in lost["recovery"]

    here = processes.this()
    world.caller = Caller("tester", process=here.rpartition("/")[0] + "/0")  # one that ended, and left its number
    world.ok("session_open", session="other", holder=HOLDER)
    world.caller = Caller("tester", process=here)
    world.ok("session_open", session="other", holder="holder-2")
    world.no("SESSION_HELD", "session_open", session="other", holder=HOLDER)


@pytest.mark.parametrize(
    "given",
    [
        {"entries": [""]},
        {"entries": ["x" * 65_537]},
        {"entries": ["x"] * 101},
        {"state": ["x"] * 513},
        {"entries": [1]},
        {"entries": ["AKIA" + "IOSFODNN7QRSTUVW"]},
    ],
    ids=["empty", "long", "many", "much", "number", "secret"],
)
def test_what_is_too_much_or_secret_is_refused(given: dict[str, object], one_world: World) -> None:
    one_world.ok("session_open", **MINE)
    code = one_world.ask("session_keep", **MINE, **given).refusal

    assert code is not None
    one_world.no(code.code, "session_keep", **MINE, **given)


def test_undo_passes_over_a_durable_session(one_world: World) -> None:
    one_world.task("a step")
    one_world.ok("session_open", **MINE)
    one_world.ok("session_keep", **MINE, entries=["a"], state=["s"])

    undone = one_world.ok("tasks_undo")

    assert "changed" not in undone
    assert len(one_world.ok("session_history", session="agent")["kept"]) == 2
