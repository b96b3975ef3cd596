"""Whatever a stream sends, the screens stand: nonsense, hostile texts, and lists of ten thousand items."""

import asyncio
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from gatepost.surfaces.tui.texts import width
from gatepost.surfaces.tui.widgets.row_list import RowList
from tests.todo.test_properties import JSON
from tests.tui.givens import Driven, Script, drive, envelope, shown

STATUSES = ("todo", "in_progress", "done", "blocked", "canceled", "nonsense", "")
TITLES = st.text(st.characters(), max_size=60) | st.sampled_from(["\x1b[2J", "[bold]", "日本語" * 30, "", "é" * 99])
ITEMS = st.lists(
    st.fixed_dictionaries({"id": st.sampled_from("abcdef"), "title": TITLES, "status": st.sampled_from(STATUSES)}),
    max_size=6,
)
LISTS = st.builds(
    lambda op, revision, scope, given, at: envelope(op, revision, scope, items=given, ids=["a"], at=at),
    st.sampled_from(["replace", "patch", "upsert", "delete", "clear", "odd"]),
    st.integers(0, 9),
    st.sampled_from(["TASK-001", "TASK-002", "main", "a.b", "$"]),
    ITEMS,
    st.floats(-1e6, 1e10),
)
EVENTS = st.fixed_dictionaries(
    {"seq": st.integers(0, 50), "type": st.sampled_from(["step_blocked", "step_done", "x"])},
    optional={"at": JSON, "actor": JSON, "step_id": JSON, "reason": JSON, "task": JSON, "path": JSON, "note": JSON},
)
KEYS = st.sampled_from(["o", "0", "1", "j", "k", "G", "g", "f", "tab", "enter", "escape", "a", "s", "space", "i"])


# Each example runs an application: shrinking one would take longer than reading it.
@settings(
    max_examples=25,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(
    st.lists(st.tuples(st.lists(LISTS | JSON, max_size=4), st.lists(EVENTS, max_size=3), KEYS), max_size=8),
    st.sampled_from([(80, 24), (80, 10), (20, 5), (3, 3)]),
    st.booleans(),
)
def test_no_stream_and_no_keys_bring_a_screen_down(
    story: list[tuple[list[Any], list[Any], str]], size: tuple[int, int], plain: bool
) -> None:
    source = Script()

    async def run() -> None:
        async with shown(source, size, ascii_only=plain) as driven:
            for lists, events, key in story:
                source.say(*lists, events=events)
                await driven.press(key)
            await driven.pilot.pause()
            for row in driven.picture().splitlines():
                assert width(row) <= size[0]
                assert "\x1b" not in row
                assert not plain or row.isascii()

    asyncio.run(run())


@pytest.mark.parametrize("size", [(80, 24), (80, 10)])
def test_ten_thousand_items_are_shown_moved_through_and_changed(size: tuple[int, int]) -> None:
    source = Script()
    chance = random.Random(7)
    listed = [
        {"id": f"i{n}", "title": f"item {n} {'日本' * (n % 5)}", "status": chance.choice(STATUSES[:5])}
        for n in range(10_000)
    ]

    async def driver(driven: Driven) -> None:
        source.say(envelope("replace", 1, items=listed))
        done = sum(item["status"] == "done" for item in listed)
        total = sum(item["status"] != "canceled" for item in listed)
        await driven.sees(f"{done}/{total}")
        await driven.press("o", "G")
        await driven.sees("item 9999")
        for revision in range(2, 60):
            n = chance.randrange(10_000)
            source.say(envelope("patch", revision, patches=[{"id": f"i{n}", "status": "blocked"}]))
        await driven.until(lambda: source.todos.scopes["TASK-001"].revision == 59)
        await driven.press("g", "pagedown", "pagedown", "slash")
        await driven.type("item 7777")
        await driven.until(lambda: len(driven.app.screen.query_one(RowList).rows) == 1)
        await driven.sees("item 7777")

    drive(source, driver, size)


def test_ten_thousand_lists_are_no_matter() -> None:
    source = Script()

    async def driver(driven: Driven) -> None:
        one = [{"id": "a", "title": "t", "status": "in_progress"}]
        source.say(*(envelope("replace", 1, f"TASK-{n}", items=one) for n in range(1, 9_001)))
        await driven.sees("lists more")
        await driven.press("o", "0", "G", "tab", "shift+tab")
        await driven.sees("all 0/9000")

    drive(source, driver)
