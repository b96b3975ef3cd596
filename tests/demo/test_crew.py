"""The demo's crew: what it plays is real work, in order, in bounds, and gone with the server."""

import itertools
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gatepost import wiring
from gatepost.engine import doctor
from gatepost.engine.engine import Engine
from gatepost.operations.answer import answer, caller
from gatepost.surfaces.demo import crew as crews
from gatepost.surfaces.demo.crew import WORKSPACE, Crew
from gatepost.surfaces.demo.script import Beat, Story
from gatepost.surfaces.demo.stage import performance, stage
from gatepost.surfaces.demo.stories import STORIES
from gatepost.wire.secrets import secrets_in

AGENTS = {"agent:planner", "agent:builder", "agent:tester", "agent:reviewer"}


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """A store of a project of its own."""
    made = new(tmp_path)
    yield made
    made.store.close()


def new(folder: Path) -> Engine:
    return wiring.engine(str(folder / ".gatepost" / "gp.db"), "NORMAL", str(folder / ".gatepost"))


def ask(engine: Engine, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """The reply of a call that must be accepted."""
    answered = answer(engine, tool, {"workspace": WORKSPACE, **arguments}, caller("human"))
    assert answered.refusal is None, answered.text
    reply: dict[str, Any] = msgspec.json.decode(answered.text)
    return reply


def log(engine: Engine) -> list[dict[str, Any]]:
    """Everything that happened."""
    events: list[dict[str, Any]] = []
    more = True
    while more:
        page = ask(engine, "tasks_delta", since=len(events), limit=100)
        events += page["events"]
        more = page["has_more"]
    return events


def plans(engine: Engine) -> list[tuple[str, str]]:
    """Every plan's title and status."""
    found = ask(engine, "tasks_context", kind="plan", limit=100)["items"]
    return [(item["title"], item["status"]) for item in found]


def played(engine: Engine, rounds: int) -> tuple[list[str], list[float]]:
    """A crew that rests for no time: what it said, and how long it would have rested each time."""
    said: list[str] = []
    rests: list[float] = []

    def rest(seconds: float) -> bool:
        rests.append(seconds)
        return False

    Crew(engine, say=said.append, rest=rest, rounds=rounds).play()
    return said, rests


def test_every_story_is_told_to_its_end_through_the_gate(engine: Engine) -> None:
    said, _ = played(engine, len(STORIES))

    events = log(engine)
    assert len(said) == 1, said  # the end, and no word of a call that was answered otherwise than intended
    assert plans(engine) == [(story.title, "DONE") for story in STORIES]
    assert {event["actor"] for event in events} == AGENTS
    assert len({event["type"] for event in events}) >= 25
    assert doctor.examine(engine.store, WORKSPACE, engine.packages).findings == []


def test_every_session_of_the_crew_ends_with_its_list_cleared(engine: Engine) -> None:
    played(engine, len(STORIES))

    sessions = {event["session"] for event in log(engine) if event["type"] == "todo_written"}
    assert len(sessions) == len(AGENTS)
    assert [ask(engine, "todo_read", session=session)["items"] for session in sessions] == [[]] * len(AGENTS)


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_every_story_shows_what_gatepost_is_for(story: Story) -> None:
    tools = {beat.tool for beat in story.beats}
    refused = [beat for beat in story.beats if beat.refused]
    kinds = {
        item["kind"]
        for beat in story.beats
        if beat.tool == "tasks_evidence_capture"
        for item in msgspec.convert(beat.arguments["items"], list[dict[str, Any]])
    }

    assert {"tasks_block", "tasks_undo", "tasks_handoff", "todo_write", "change_mind", "@suggested"} <= tools
    assert len(refused) >= 3
    assert kinds == {"cmd_output", "diff", "url"}
    assert [beat for beat in story.beats if secrets_in(plain(beat))] == []


def plain(beat: Beat) -> Any:
    return msgspec.to_builtins(beat.arguments)


def test_a_beat_that_is_answered_otherwise_than_intended_is_told_and_not_passed_over(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    accepted = Story(
        "a", "A", (Beat("planner", "tasks_create", {"kind": "plan", "title": "@title"}, refused="BUSY"),)
    )
    refused = Story("b", "B", (Beat("planner", "tasks_complete", {"task": "PLAN-009"}),))
    monkeypatch.setattr(crews, "STORIES", (accepted, refused))

    said, _ = played(engine, 2)

    assert "tasks_create of agent:planner was answered with yes" in said[0]
    assert "tasks_complete of agent:planner was answered with UNKNOWN_ID" in said[1]


def test_a_visitor_who_takes_the_plan_away_ends_that_story_and_no_other(engine: Engine) -> None:
    said: list[str] = []
    beats = itertools.count(1)

    def rest(_seconds: float) -> bool:
        if next(beats) == 10:
            ask(engine, "tasks_delete", task="PLAN-001", force=True, reason="mine")
        return False

    Crew(engine, say=said.append, rest=rest, rounds=2).play()

    assert len(said) == 2, said
    assert STORIES[0].title in said[0]
    assert plans(engine) == [(STORIES[1].title, "DONE")]


def test_the_crew_rests_for_good_after_its_rounds_and_says_so(engine: Engine) -> None:
    said, _ = played(engine, crews.ROUNDS)

    titles = [title for title, _ in plans(engine)]
    assert (len(titles), len(set(titles))) == (crews.ROUNDS, crews.ROUNDS)
    assert len(said) == 1, said
    assert str(crews.ROUNDS) in said[0]
    assert len(log(engine)) < 2500


def test_all_happens_in_the_same_order_and_rhythm_each_time(tmp_path: Path) -> None:
    first, second = new(tmp_path / "one"), new(tmp_path / "two")

    rhythms = [played(engine, len(STORIES) + 1)[1] for engine in (first, second)]

    told = [[{**event, "at": ""} for event in log(engine)] for engine in (first, second)]
    assert told[0] == told[1]
    assert rhythms[0] == rhythms[1]
    for engine in (first, second):
        engine.store.close()


def test_there_is_something_new_to_see_every_half_second_to_two_seconds(engine: Engine) -> None:
    seen: list[int] = []
    rests: list[float] = []
    gaps: list[float] = []

    def rest(seconds: float) -> bool:
        with engine.store.reading(WORKSPACE) as snapshot:
            head = snapshot.head().seq
        if seconds == crews.BETWEEN:
            rests.clear()
        elif seen and head > seen[-1] and rests:
            gaps.append(sum(rests))
            rests.clear()
        seen.append(head)
        if seconds != crews.BETWEEN:
            rests.append(seconds)
        return False

    Crew(engine, say=print, rest=rest, rounds=len(STORIES)).play()

    assert len(gaps) > 150
    assert min(gaps) >= 0.5
    assert max(gaps) <= 2.0


def test_a_crew_that_is_stopped_leaves_its_story_where_it_is(engine: Engine) -> None:
    told = threading.Event()

    def rest(_seconds: float) -> bool:
        told.set()
        return True

    crew = Crew(engine, say=print, rest=rest)
    crew.start()

    assert told.wait(120)
    assert crew.stop(120)
    assert [event["type"] for event in log(engine)] == ["todo_written"]


def test_the_stage_is_a_folder_of_its_own_that_goes_with_the_performance() -> None:
    said: list[str] = []
    with stage() as (engine, store):
        with performance(engine, said.append):
            first = next(engine.follow(WORKSPACE, 0))
            during = Path(store).exists()
        engine.store.close()

    assert (first.seq, during, said) == (1, True, [])
    assert not Path(store).parent.parent.exists()
    assert "crew" not in {thread.name for thread in threading.enumerate()}


def test_a_fault_in_the_crew_is_reported_and_stays_there(engine: Engine, capfd: pytest.CaptureFixture[str]) -> None:
    def rest(_seconds: float) -> bool:
        raise RuntimeError("no time")

    crew = Crew(engine, say=print, rest=rest)
    crew.start()

    assert crew.stop(120)
    assert "in the demo" in capfd.readouterr().err
