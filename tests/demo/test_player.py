"""The demo plays real work in a fixed order, stays within bounds, and is gone with the server."""

import itertools
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from gatepost.engine import doctor
from gatepost.engine.engine import Engine
from gatepost.operations.answer import answer, caller
from gatepost.surfaces.demo import player as players
from gatepost.surfaces.demo.player import WORKSPACE, Player, engine_in, playing, temporary_engine
from gatepost.surfaces.demo.stories import ScriptedCall, Story, stories
from gatepost.wire.secrets import secrets_in

STORIES = stories()
AGENTS = {"agent:planner", "agent:builder", "agent:tester", "agent:reviewer"}
PERSON = "human:ana"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """A store of a project of its own."""
    made = new(tmp_path)
    yield made
    made.store.close()


def new(folder: Path) -> Engine:
    return engine_in(str(folder))


def ask(engine: Engine, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """The reply of a call that must be accepted."""
    answered = answer(engine, tool, {"workspace": WORKSPACE, **arguments}, caller("human:visitor"))
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


class Played(NamedTuple):
    """What the player said, and each pause it took with the head of the log at that time."""

    engine: Engine
    said: list[str]
    pauses: list[tuple[float, int]]


def played(engine: Engine, rounds: int) -> Played:
    """Play without waiting."""
    result = Played(engine, [], [])

    def rest(seconds: float) -> bool:
        with engine.store.reading(WORKSPACE) as snapshot:
            result.pauses.append((seconds, snapshot.head().seq))
        return False

    Player(engine, say=result.said.append, rest=rest, rounds=rounds).play()
    return result


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """The whole demo, played once for all tests that only look at it."""
    made = new(tmp_path_factory.mktemp("demo"))
    yield played(made, players.ROUNDS)
    made.store.close()


def test_every_story_reaches_its_end_through_the_gate_and_the_demo_says_when_it_is_over(whole: Played) -> None:
    events = log(whole.engine)
    found = plans(whole.engine)

    assert len(whole.said) == 1, whole.said  # the end, and no call with another answer than the story expects
    assert str(players.ROUNDS) in whole.said[0]
    assert found[: len(STORIES)] == [(story.title, "DONE") for story in STORIES]
    assert {status for _, status in found} == {"DONE"}
    assert len({title for title, _ in found}) == len(found) == players.ROUNDS
    assert {event["actor"] for event in events} == AGENTS | {PERSON}
    assert len({event["type"] for event in events}) >= 25
    assert len(events) < 2500
    assert doctor.examine(whole.engine.store, WORKSPACE, whole.engine.packages).findings == []


def test_confirmations_rest_on_everything_that_they_can_rest_on(whole: Played) -> None:
    events = log(whole.engine)
    bases = {basis for event in events for basis in event.get("provenance", {}).values()}
    failed = {command for event in events for command in event.get("failed", ())}

    assert bases == {"asserted", "noted", "evidenced", "machine", "human"}
    assert len(failed) >= 3
    assert {"policy_set", "plan_approved"} <= {event["type"] for event in events}


def test_a_proof_is_stale_once_its_files_have_changed_and_is_made_again(engine: Engine) -> None:
    stale: list[bool] = []

    def rest(_seconds: float) -> bool:
        looked = answer(engine, "tasks_lint", {"workspace": WORKSPACE, "plan": "PLAN-001"}, caller("human:eve"))
        stale.append("STALE_PROOF" in looked.text)
        return False

    Player(engine, say=print, rest=rest, rounds=1).play()

    assert any(stale)
    assert not stale[-1]


@pytest.mark.parametrize(
    "check",
    [
        {"run": ["python3", "-c", "print(1)"]},
        {"run": ["python3", "limiter/simulate.py", "--more"]},
        {"run": ["python3", "limiter/simulate.py"], "cwd": "elsewhere"},
    ],
)
def test_a_visitor_runs_nothing_but_the_commands_of_the_stories(engine: Engine, check: dict[str, Any]) -> None:
    ask(engine, "tasks_create", kind="task", title="Mine", steps=[{"title": "Run it", "checks": [check]}])

    called = {"workspace": WORKSPACE, "task": "TASK-001", "path": "s:0"}
    answered = answer(engine, "tasks_check", called, caller("http"))

    assert answered.refusal is not None
    assert answered.refusal.code == "NOT_TRUSTED"


def test_every_session_ends_with_its_list_cleared(whole: Played) -> None:
    sessions = {event["session"] for event in log(whole.engine) if event["type"] == "todo_written"}

    assert len(sessions) == len(AGENTS)
    assert [ask(whole.engine, "todo_read", session=session)["items"] for session in sessions] == [[]] * len(AGENTS)


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_every_story_shows_what_gatepost_is_for(story: Story) -> None:
    tools = {call.tool for call in story.calls}
    refused = [call for call in story.calls if call.refused]
    kinds = {
        item["kind"]
        for call in story.calls
        if call.tool == "tasks_evidence_capture"
        for item in msgspec.convert(call.arguments["items"], list[dict[str, Any]])
    }

    assert {"tasks_block", "tasks_undo", "tasks_handoff", "todo_write", "change_mind", "@suggested"} <= tools
    assert len(refused) >= 3
    assert kinds == {"cmd_output", "diff", "url"}
    assert [call for call in story.calls if secrets_in(plain(call))] == []


def plain(call: ScriptedCall) -> Any:
    return msgspec.to_builtins(call.arguments)


def test_a_call_with_another_answer_than_expected_ends_the_story_and_is_reported(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    accepted = Story(
        "a",
        "A",
        (ScriptedCall("agent:planner", "tasks_create", {"kind": "plan", "title": "@title"}, refused="BUSY"),),
    )
    refused = Story("b", "B", (ScriptedCall("agent:planner", "tasks_complete", {"task": "PLAN-009"}),))
    monkeypatch.setattr(players, "stories", lambda: (accepted, refused))

    said = played(engine, 2).said

    assert "tasks_create by agent:planner was accepted" in said[0]
    assert "tasks_complete by agent:planner was refused: UNKNOWN_ID" in said[1]


def test_a_visitor_who_deletes_the_plan_ends_only_that_story(engine: Engine) -> None:
    said: list[str] = []
    calls = itertools.count(1)

    def rest(_seconds: float) -> bool:
        if next(calls) == 10:
            ask(engine, "tasks_delete", task="PLAN-001", force=True, reason="mine")
        return False

    Player(engine, say=said.append, rest=rest, rounds=2).play()

    assert len(said) == 2, said
    assert STORIES[0].title in said[0]
    assert plans(engine) == [(STORIES[1].title, "DONE")]


def test_the_demo_plays_in_the_same_order_and_rhythm_each_time(whole: Played, engine: Engine) -> None:
    again = played(engine, len(STORIES) + 1)

    events = log(engine)
    first = [{**event, "at": ""} for event in log(whole.engine)[: len(events)]]
    assert first == [{**event, "at": ""} for event in events]
    assert whole.pauses[: len(again.pauses)] == again.pauses


def test_there_is_something_new_to_see_every_half_second_to_two_seconds(whole: Played) -> None:
    gaps, waited, seen = list[float](), 0.0, 0

    for seconds, head in whole.pauses:
        if seconds == players.BETWEEN:
            waited = 0.0
            continue
        if head > seen and waited:
            gaps.append(waited)
            waited = 0.0
        seen, waited = head, waited + seconds

    assert len(gaps) > 150
    assert min(gaps) >= 0.5
    assert max(gaps) <= 2.0


def test_a_player_that_is_stopped_leaves_its_story_unfinished(engine: Engine) -> None:
    told = threading.Event()

    def rest(_seconds: float) -> bool:
        told.set()
        return True

    player = Player(engine, say=print, rest=rest)
    player.start()

    assert told.wait(120)
    assert player.stop(120)
    assert [event["type"] for event in log(engine)] == ["todo_written"]


def test_the_temporary_store_is_removed_with_its_folder() -> None:
    said: list[str] = []
    with temporary_engine() as (engine, store):
        with playing(engine, said.append):
            first = next(engine.follow(WORKSPACE, 0))
            during = Path(store).exists()
        engine.store.close()

    assert (first.seq, during, said) == (1, True, [])
    assert not Path(store).parent.parent.exists()
    assert "demo" not in {thread.name for thread in threading.enumerate()}


def test_a_fault_in_the_demo_is_reported_and_goes_no_further(
    engine: Engine, capfd: pytest.CaptureFixture[str]
) -> None:
    def rest(_seconds: float) -> bool:
        raise RuntimeError("no time")

    player = Player(engine, say=print, rest=rest)
    player.start()

    assert player.stop(120)
    assert "in the demo" in capfd.readouterr().err
