"""What is shown is what is: another log behind the same address or file is begun anew, and a file that is gone is
said to be."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from gatepost.client.workspaces import Workspace
from gatepost.engine.caller import Caller
from gatepost.surfaces.http.app import ServerSettings
from gatepost.surfaces.http.server import Server
from gatepost.surfaces.tui.app import GatepostApp
from gatepost.surfaces.tui.models.step_history import StepHistory
from gatepost.surfaces.tui.screens.tree import TreeScreen
from tests.givens import WORKSPACE, World, worlds
from tests.http.givens import site
from tests.tui.givens import (
    NO_FIELDS,
    Driven,
    Fields,
    Listening,
    R,
    ServerSource,
    StoreSource,
    a_login_page,
    drive,
    source_of,
)


@pytest.fixture
def other(tmp_path: Path) -> Iterator[World]:
    """Another one, somewhere else, that somebody else writes to."""
    folder = tmp_path / "other"
    folder.mkdir()
    for made in worlds("sqlite", folder):
        made.caller = Caller("somebody")
        yield made


def fewer(other: World) -> None:
    """Less happened in it."""
    other.ok("tasks_note", task=other.task("Paint", title="Fence"), note="begun")


def as_many(other: World) -> None:
    """Just as much, with the same numbers."""
    task = other.task("Paint", title="Fence")
    while other.ok("workspace_overview")["seq"] < 12:
        other.ok("tasks_note", task=task, note="on")


def more(other: World) -> None:
    """More happened in it, and that of which one has heard is not the same."""
    task = other.task("Paint", title="Fence")
    for number in range(60):
        other.ok("tasks_note", task=task, note=f"coat {number}")


STORIES = [fewer, as_many, more]


def replace(world: World, other: World) -> None:
    """Put the other world's file in the place of a world's, as careful people do."""
    here, there = file_of(world), file_of(other)
    other.store.close()
    for end in ("-wal", "-shm", ""):
        here.with_name(here.name + end).unlink(missing_ok=True)
    shutil.copy(there, f"{here}.new")
    Path(f"{here}.new").replace(here)


def file_of(world: World) -> Path:
    return Path(world.store.describe()["path"])


def seqs(app: GatepostApp) -> list[int]:
    return [event["seq"] for event in app.session.log]


async def shows_the_fence_alone(driven: Driven, head: int) -> None:
    """Nothing is left of the log that was there before: lists, log, order."""
    await driven.sees("TASK-001 Fence", "● Paint", "● live")
    await driven.until(lambda: seqs(driven.app)[-1:] == [head])
    assert "Call the API" not in driven.picture()
    assert set(driven.app.session.lists.scopes) == {"TASK-001"}
    assert seqs(driven.app) == list(range(1, head + 1))
    assert all(event["actor"] == "somebody" for event in driven.app.session.log)
    await driven.press("o")
    await driven.sees("[1 ● TASK-001 0/1]")
    assert "TASK-002" not in driven.picture()
    await driven.press("escape", "a")
    await driven.sees("somebody")
    assert "waits for the style guide" not in driven.picture()


@pytest.mark.parametrize("story", STORIES)
def test_another_log_behind_the_same_address_is_shown_alone(
    world: World, other: World, story: Callable[[World], None]
) -> None:
    a_login_page(world)
    story(other)
    head = other.ok("workspace_overview")["seq"]

    with ExitStack() as servers, site(world) as running:
        port = running.server.port
        source = ServerSource(running.url, WORKSPACE)

        async def driver(driven: Driven) -> None:
            await driven.sees("● Call the API", "● live")
            await driven.until(lambda: seqs(driven.app)[-1:] == [world.ok("workspace_overview")["seq"]])
            running.server.stop()
            await driven.sees("STALE")
            again = Server(other.engine, ServerSettings(), port)
            servers.callback(again.stop)
            await shows_the_fence_alone(driven, head)
            other.close("TASK-001", "s:0")
            await driven.press("escape")
            await driven.sees("Nothing is open. 1 list complete.")

        drive(source, driver)


@pytest.mark.parametrize("story", STORIES)
def test_another_store_in_the_file_s_place_is_shown_alone(
    world: World, other: World, story: Callable[[World], None]
) -> None:
    a_login_page(world)
    story(other)
    head = other.ok("workspace_overview")["seq"]

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API", "● live")
        replace(world, other)
        await shows_the_fence_alone(driven, head)
        await driven.press("escape", "i")
        await driven.type("looks good")
        await driven.press("enter")
        await driven.sees("Added a note to Paint of TASK-001.")

    drive(source_of(world), driver)

    assert world.ok("tasks_delta", since=head)["events"][0]["note"] == "looks good"


def test_a_line_begun_in_one_log_goes_to_another_only_once_that_is_seen(world: World, other: World) -> None:
    task = a_login_page(world)
    fewer(other)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API", "● live")
        await driven.press("i")
        await driven.type("looks good")
        await driven.sees("note on TASK-001 · Call the API")
        replace(world, other)
        await driven.sees("TASK-001 Fence", "● Paint", "● live")
        assert "Call the API" not in driven.picture()
        head = world.ok("workspace_overview")["seq"]
        await driven.press("enter")
        await driven.sees("The log was replaced", "It would go to Paint of", "note on TASK-001 · Paint")
        assert world.ok("workspace_overview")["seq"] == head
        await driven.press("enter")
        await driven.sees("Added a note to Paint of TASK-001.")

    drive(source_of(world), driver)

    assert [event["note"] for event in world.ok("tasks_delta", task=task)["events"][-1:]] == ["looks good"]


def test_a_call_begun_in_one_log_is_held_to_what_is_seen_of_another(world: World, other: World) -> None:
    a_login_page(world)
    fewer(other)
    source = Listening(world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API", "● live")
        await driven.press("i")
        await driven.type('tasks_edit {"task": "TASK-001", "title": "Log in"}')
        replace(world, other)
        await driven.sees("TASK-001 Fence", "● Paint", "● live")
        await driven.press("enter")
        await driven.sees("The log was replaced")
        await driven.press("enter")
        await driven.sees('"type": "task_edited"')

    drive(source, driver)

    (sent,) = (each for each in source.sent if each["op"] == "tasks_edit")
    assert sent["expected_revision"] == 2


@pytest.mark.parametrize("above", [False, True], ids=["in front", "below the radar"])
def test_a_dialog_on_one_log_is_closed_when_another_is_there_and_its_draft_kept(
    world: World, other: World, above: bool
) -> None:
    task = a_login_page(world)
    fewer(other)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API", "● live")
        await driven.press("t")
        await driven.sees("Write the form")
        await driven.press("n")
        await driven.type("fuses")
        if above:
            await driven.press("ctrl+r")
            await driven.sees("Verify")
        replace(world, other)
        await driven.until(lambda: isinstance(driven.app.screen, TreeScreen))
        assert [each.message for each in driven.app._notifications if "The log was replaced" in each.message]
        assert [(key[1], text) for key, text in driven.app.session.drafts.items()] == [(task, "fuses")]

    drive(source_of(world), driver)

    assert all(event.get("note") != "fuses" for event in world.ok("tasks_delta")["events"])


@pytest.mark.parametrize("moved", [True, False], ids=["moved", "deleted"])
def test_a_file_that_is_gone_is_said_and_nothing_is_written_to_it(
    world: World, tmp_path: Path, moved: bool
) -> None:
    task = a_login_page(world)
    here = file_of(world)
    kept = tmp_path / "kept.db"

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API", "● live")
        before = len(world.everything()["events"])
        here.rename(kept) if moved else here.unlink()
        await driven.sees("STALE", "its file was removed: put it back", "Call the API")
        await driven.press("i")
        await driven.type("into the void")
        await driven.press("enter")
        await driven.sees("The store was moved or deleted", "Put it back")
        assert len(world.everything()["events"]) == before
        assert not here.exists()
        if moved:
            kept.rename(here)
            await driven.sees("● live")
            await driven.press("enter")
            await driven.sees("Added a note to Call the API of TASK-001.")

    drive(source_of(world), driver)

    if moved:
        assert world.ok("tasks_delta", task=task)["events"][-1]["note"] == "into the void"


def test_a_file_beside_another_one_s_journal_is_not_opened(world: World, other: World) -> None:
    a_login_page(world)
    fewer(other)
    other.store.close()
    here = file_of(world)
    shutil.copy(file_of(other), f"{here}.new")
    before = Path(f"{here}.new").read_bytes()

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API", "● live")
        Path(f"{here}.new").replace(here)
        await driven.sees("STALE", "replaced beside an old -wal")
        await driven.press("i")
        await driven.type("x")
        await driven.press("enter")
        await driven.sees("gatepost.db-wal still belongs to the old store", "Stop, and move")

    drive(source_of(world), driver)

    assert here.read_bytes() == before


def test_what_was_said_of_a_step_in_one_log_is_not_said_of_it_in_another(world: World, other: World) -> None:
    for each, words in ((world, ["early", "before"]), (other, ["after"])):
        task = each.task("One")
        for word in words:
            each.ok("tasks_note", task=task, path="s:0", note=word)
    step = world.step("TASK-001", "s:0")["step_id"]
    assert other.step("TASK-001", "s:0")["step_id"] == step
    asked = [source_of(world), source_of(other)]
    journal = StepHistory(Turning(asked), "TASK-001")

    journal.latest(step)
    before = [event.note for event in journal.of(step)]
    asked.pop(0)
    journal.latest(step)

    assert before == ["before", "early"]
    assert [event.note for event in journal.of(step)] == ["after"]


class Turning(StoreSource):
    """A source behind which there may be another one."""

    def __init__(self, asked: list[StoreSource]) -> None:
        self._asked = asked
        self.calls = Workspace(WORKSPACE, self.request)

    def request(self, tool: str, reply: type[R], given: Fields, nullable: Fields = NO_FIELDS, /) -> R:
        return self._asked[0].request(tool, reply, given, nullable)
