"""taskdoc_list: every taskdoc by name, with how each of its sections stands."""

from pathlib import Path

import pytest

from gatepost.engine.caller import Caller
from tests.givens import World, new_store
from tests.tsk.projects import SECTIONS, Project


def test_each_taskdoc_tells_revision_time_actor_and_size_of_its_sections(world: World) -> None:
    plan = world.plan()
    world.ok("taskdoc_create", name="auth")
    world.ok("taskdoc_bind", taskdoc="auth", plan=plan)
    world.caller = Caller("human:web")
    world.ok("change_mind", taskdoc="auth", selector="goals", content="Größe.")

    listed = world.ok("taskdoc_list")

    (item,) = listed["items"]
    assert (item["name"], item["plan"], item["edited"]) == ("auth", plan, [])
    assert list(item["sections"]) == list(SECTIONS)
    recalled = world.ok("recall_mind", taskdoc="auth")["sections"]
    assert item["sections"]["goals"] == {**recalled["goals"], "bytes": 8}
    assert (item["sections"]["goals"]["revision"], item["sections"]["goals"]["actor"]) == (1, "human:web")
    assert item["sections"]["progress"] == {**recalled["progress"], "bytes": 0}
    assert (listed["has_more"], "cursor" in listed) == (False, False)


def test_pages_hold_each_taskdoc_once_whatever_is_written_meanwhile(world: World) -> None:
    names = ["a", "a-1", "a_b", "b", "b2", "zoo"]
    for name in names:
        world.ok("taskdoc_create", name=name)

    met: list[str] = []
    cursor: dict[str, str] = {}
    for _ in names:
        page = world.ok("taskdoc_list", limit=2, **cursor)
        met += [item["name"] for item in page["items"]]
        if not page["has_more"]:
            break
        cursor = {"cursor": page["cursor"]}
        world.ok("change_mind", taskdoc="a_b", selector="progress", content=f"Seen {met}.")

    assert met == sorted(names)
    for made_up in ("goals", "_x", "UPPER", "a" * 65):
        world.no("INVALID_INPUT", "taskdoc_list", cursor=made_up)


def test_a_workspace_without_taskdocs_lists_none(world: World) -> None:
    assert world.ok("taskdoc_list") == {"items": [], "has_more": False}


def test_sections_that_were_edited_from_outside_are_named(tmp_path: Path) -> None:
    store = new_store("sqlite", tmp_path)
    here = Project(store, tmp_path)
    here.new("auth", goals="Log in.", progress="Begun.")
    here.new("calm")

    here.file("goals").write_text("Log in, and out.", encoding="utf-8")

    auth, calm = here.ok("taskdoc_list")["items"]
    assert auth["edited"] == ["goals"]
    assert auth["sections"]["goals"]["edited"] is True
    assert "edited" not in auth["sections"]["progress"]
    assert calm["edited"] == []
    store.close()


@pytest.mark.parametrize("limit", [0, 201])
def test_a_limit_that_cannot_be_is_refused(world: World, limit: int) -> None:
    world.no("INVALID_INPUT", "taskdoc_list", limit=limit)
