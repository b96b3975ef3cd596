"""Whatever is done, and whatever happens to the connections: every client ends with the lists that there are."""

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gatepost.operations import todo_stream
from gatepost.surfaces.http import todo
from gatepost.todo import follow
from tests.engine.pairs import Move
from tests.givens import STORES, World
from tests.http.givens import site
from tests.http.test_todo import watching
from tests.http.todo_clients import CuttingProxy, Follower, Habits, Hurried
from tests.http.todo_stories import (
    HEARTBEAT,
    Frugality,
    Houses,
    Step,
    Story,
    frugalities,
    habits,
    histories,
    one,
    several,
    sizes,
)
from tests.operations.test_todo_stream_histories import lists_of, living

CUT: Final = "gatepost_cut_streams_total"
ACP: Final = {"todo": "pending", "in_progress": "in_progress", "done": "completed", "blocked": "pending"}
SETTINGS: Final = settings(
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@pytest.fixture(scope="module", params=STORES)
def houses(request: pytest.FixtureRequest) -> Iterator[Houses]:
    with TemporaryDirectory(prefix="gatepost-stories-") as folder:
        made = Houses(request.param, Path(folder))
        try:
            yield made
        finally:
            made.close()


@pytest.mark.requirement(
    "stream.connect.snapshots-first",
    "stream.connect.deltas-after",
    "stream.connect.converges",
    "stream.event.resumes",
    "stream.event.rides-on-result",
    "stream.schema.emitted-valid",
)
@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    history=histories,
    roster=st.lists(habits, min_size=1, max_size=3),
    frugality=frugalities,
    seed=st.integers(0, 1_000),
)
def test_every_client_ends_with_the_lists_that_there_are(
    houses: Houses, history: list[Step], roster: list[Habits], frugality: Frugality, seed: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        frugality.apply(patch)
        story = Story(houses, roster, random.Random(seed))
        try:
            for step in history:
                story.tell(step)
            story.end()
        finally:
            story.close()


@pytest.mark.requirement("stream.connect.converges", "stream.event.resumes")
@settings(SETTINGS, max_examples=6)
@given(played=st.lists(one | several, min_size=5, max_size=20), cuts=st.lists(sizes, min_size=1, max_size=12))
def test_following_over_a_line_that_is_cut_again_and_again_ends_with_the_lists_that_there_are(
    houses: Houses, played: list[list[Move]], cuts: list[int]
) -> None:
    story = Story(houses, [], random.Random(0))
    proxy = CuttingProxy(houses.here.server.port, cuts)
    follower = Follower(proxy.port, story.world.workspace)
    try:
        for number, calls in enumerate(played):
            story.play(calls)
            if number % 3 == 0:
                story.catch_up(story.watchers[0])
        story.write("end", ["The end."])

        follower.until(lambda: story.is_told_to(follower.store))
    finally:
        story.close()
        follower.stop()
        proxy.stop()


@pytest.mark.parametrize("cut", [20, 100])
def test_following_survives_a_cut_within_the_head_of_an_answer(world: World, cut: int) -> None:
    world.task("Sow")
    with site(world, heartbeat=HEARTBEAT) as here:
        proxy = CuttingProxy(here.server.port, [cut])
        try:
            with closing(follow(f"http://127.0.0.1:{proxy.port}", world.workspace, stop=Hurried())) as events:
                first = next(events)
        finally:
            proxy.stop()

    assert first["type"] == "tool_call"


@pytest.mark.requirement("stream.event.window-exceeded")
def test_who_was_away_for_too_long_forgets_what_it_knew_and_begins_anew(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(todo, "WINDOW", 3)
    monkeypatch.setattr(todo_stream, "RECENT", 0)
    world.task("Sow", title="Bread")
    world.task("Brew", title="Beer")
    with site(world, heartbeat=HEARTBEAT) as here:
        proxy = CuttingProxy(here.server.port, [])
        follower = Follower(proxy.port, world.workspace)
        try:
            follower.until(lambda: len(follower.store.scopes) == 2)
            proxy.closed = True
            proxy.cut_all()
            world.ok("tasks_delete", task="TASK-002")
            for items in (["a"], ["b"], ["c"]):
                world.ok("todo_write", session="end", items=items)
            proxy.closed = False

            follower.until(lambda: [item.title for item in follower.store.items("end")] == ["c"])
        finally:
            follower.stop()
            proxy.stop()

    assert follower.store.scopes.keys() == {"TASK-001", "end"}


def test_a_client_that_reads_nothing_is_cut_off_and_is_right_again_after_coming_back(houses: Houses) -> None:
    houses.go_to(hasty=True)
    story = Story(houses, [Habits(narrow=True)], random.Random(0))
    before = houses.here.metric(CUT)
    try:
        for _ in range(20):
            story.dawdle(story.watchers[1])
            if houses.here.metric(CUT) > before:
                break
        cut = houses.here.metric(CUT) - before
        story.end()
    finally:
        story.close()

    assert cut >= 1  # on a slow machine, who reads may be too slow as well; it is checked, too


@pytest.mark.requirement("stream.event.resumes")
@pytest.mark.parametrize(
    "asking",
    [
        pytest.param(Habits(), id="stream"),
        pytest.param(Habits(session=True), id="session"),
        pytest.param(Habits(session=True, by_event=True), id="session by event"),
    ],
)
def test_wherever_among_the_snapshots_a_client_is_cut_it_still_hears_of_what_ended(
    houses: Houses, asking: Habits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(todo_stream, "RECENT", 0)
    end_a_list_and_cut_everywhere(Story(houses, [asking], random.Random(0)), away=True)


@pytest.mark.requirement("stream.event.resumes")
def test_wherever_among_the_changes_a_client_is_cut_it_still_hears_of_what_ended(
    houses: Houses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(todo_stream, "RECENT", 0)
    end_a_list_and_cut_everywhere(Story(houses, [Habits()], random.Random(0)), away=False)


def end_a_list_and_cut_everywhere(story: Story, *, away: bool) -> None:
    """End a list that a client knows; then let it stop after each event that told of that, and come back."""
    watcher = story.watchers[1]
    with closing(story):
        watcher.settle(story.is_enough, story.connect)
        before = len(watcher.heard)
        if away:
            watcher.cut()
        story.play([("tasks_delete", "task", 1, {})])
        story.write("main", ["Shop"])
        story.write("main", ["Cook"])
        watcher.settle(story.is_enough, story.connect)
        for heard in range(len(watcher.heard), before, -1):
            story.watchers[1].cut()
            story.watchers[1] = watcher.as_of(heard)
            story.end()


@settings(SETTINGS, max_examples=5)
@given(played=st.lists(one | several, max_size=15))
def test_a_stream_a_snapshot_and_acp_tell_the_same_lists(houses: Houses, played: list[list[Move]]) -> None:
    story = Story(houses, [Habits()], random.Random(0))
    asked: dict[str, str] = {"workspace": story.world.workspace}
    plans: dict[str, list[dict[str, str]]] = {}
    try:
        with watching(houses.here, format="acp", **asked) as stream:
            for _, told in stream.take(len(living(story.kept))):
                plans[told["params"]["sessionId"]] = told["params"]["update"]["entries"]
            for calls in played:
                story.play(calls)
            story.write("end", ["The end."])
            while "end" not in plans:
                ((_, told),) = stream.take(1)
                plans[told["params"]["sessionId"]] = told["params"]["update"]["entries"]
        once = houses.here.client.get("/v1/todo", params=asked | {"snapshot": "1"}).json()
        story.watchers[1].settle(story.is_enough, story.connect)
    finally:
        story.close()

    assert once["todos"] == [told.todo for told in story.watchers[1].heard if told.todo is not None]
    assert plans.keys() >= living(story.kept)
    for key, entries in plans.items():
        rows = lists_of(story.kept).get(key, [])
        told_rows = [(entry["content"], entry["status"]) for entry in entries]
        assert told_rows == [(row["title"], ACP[row["status"]]) for row in rows], key
