"""taskdoc_rename and taskdoc_archive: one taskdoc by all its names, kept when it is finished."""

import pytest

from gatepost.engine.doctor.checkup import examine
from tests.givens import World


@pytest.fixture
def auth(world: World) -> World:
    """A world with the taskdoc auth, which has goals."""
    world.ok("taskdoc_create", name="auth")
    world.ok("change_mind", selector="goals", content="Ship.")
    return world


def listed(world: World, *, archived: bool = False) -> list[str]:
    return [row["name"] for row in world.ok("taskdoc_list", archived=archived)["items"]]


def sound(world: World) -> None:
    assert examine(world.store, world.workspace).findings == []


@pytest.mark.requirement("taskdoc.name.changed")
def test_a_renamed_taskdoc_keeps_its_plan_history_and_revisions_and_its_earlier_names_lead_to_it(
    auth: World,
) -> None:
    plan = auth.plan()
    auth.ok("taskdoc_bind", taskdoc="auth", plan=plan)

    renamed = auth.ok("taskdoc_rename", taskdoc="auth", name="login", expected_revision=2)
    auth.ok("taskdoc_rename", taskdoc="auth", name="sign-in")

    assert (renamed["taskdoc"], renamed["before"], renamed["revision"]) == ("login", "auth", 3)
    [event] = auth.logged(renamed)
    assert (event["type"], event["taskdoc"], event["before"]) == ("taskdoc_renamed", "login", "auth")
    for name in (None, "auth", "login", "sign-in"):
        given = {} if name is None else {"taskdoc": name}
        whole = auth.ok("recall_mind", **given)
        assert (whole["taskdoc"], whole["plan"], whole["sections"]["goals"]["revision"]) == ("sign-in", plan, 1)
        assert whole["content"].startswith("# Taskdoc: sign-in\n")
        assert auth.ok("taskdoc_history", **given)["items"][0]["revision"] == 1
    changed = auth.ok("change_mind", taskdoc="auth", selector="goals", content="Ship it.", expected_revision=1)
    assert (changed["taskdoc"], auth.logged(changed)[0]["taskdoc"]) == ("sign-in", "sign-in")
    assert "taskdoc sign-in" in str(auth.ok("tasks_radar", plan=plan)["why"])
    assert listed(auth) == ["sign-in"]
    sound(auth)


@pytest.mark.requirement("taskdoc.name.changed")
def test_a_name_that_a_taskdoc_had_is_its_own_for_good(auth: World) -> None:
    auth.ok("taskdoc_create", name="other")
    auth.ok("taskdoc_rename", taskdoc="auth", name="login")
    auth.ok("taskdoc_rename", taskdoc="login", name="sign-in")

    for name in ("auth", "login", "sign-in"):
        assert name in auth.no("ALREADY_EXISTS", "taskdoc_create", name=name)["message"]
        auth.no("ALREADY_EXISTS", "taskdoc_rename", taskdoc="other", name=name)
    auth.no("ALREADY_EXISTS", "taskdoc_rename", taskdoc="auth", name="other")
    auth.no("UNKNOWN_ID", "taskdoc_rename", taskdoc="nowhere", name="login")
    for bad in ("goals", "Auth", "a.b", ""):
        auth.no("INVALID_INPUT", "taskdoc_rename", taskdoc="auth", name=bad)
    assert not auth.ok("taskdoc_rename", taskdoc="auth", name="sign-in")["changed"]
    assert auth.ok("taskdoc_rename", taskdoc="sign-in", name="login")["taskdoc"] == "login"
    assert auth.ok("taskdoc_rename", taskdoc="sign-in", name="auth")["taskdoc"] == "auth"
    sound(auth)


def test_a_name_that_was_undone_is_free_and_redo_does_not_take_it_from_another(auth: World) -> None:
    auth.ok("taskdoc_rename", taskdoc="auth", name="login")
    auth.ok("tasks_undo")

    world_without = auth.no("UNKNOWN_ID", "recall_mind", taskdoc="login")
    assert "login" in world_without["message"]
    undone = auth.ok("taskdoc_create", name="login")
    assert undone["taskdoc"] == "login"
    auth.ok("tasks_undo")
    auth.ok("taskdoc_rename", taskdoc="auth", name="login")
    auth.no("NOTHING_TO_REDO", "tasks_redo")
    auth.ok("tasks_undo")
    auth.ok("tasks_redo")
    assert listed(auth) == ["login"]
    sound(auth)


@pytest.mark.requirement("taskdoc.archive.kept")
def test_an_archived_taskdoc_is_left_out_everywhere_and_read_by_name(auth: World) -> None:
    task, plan = auth.task("step"), auth.plan()
    auth.ok("taskdoc_bind", taskdoc="auth", plan=plan)

    archived = auth.ok("taskdoc_archive", taskdoc="auth")

    assert (archived["archived"], archived["unbound"]) == (True, plan)
    assert listed(auth) == []
    assert listed(auth, archived=True) == ["auth"]
    nothing = auth.ok("recall_mind")
    assert (nothing["taskdoc"], nothing["archived"]) == (None, True)
    assert "auth" not in str(auth.ok("tasks_radar", task=task)["why"])
    assert auth.ok("recall_mind", taskdoc="auth")["archived"] is True
    assert auth.ok("recall_mind", taskdoc="auth", selector="goals")["content"] == "Ship."
    assert len(auth.ok("taskdoc_history", taskdoc="auth")["items"]) == 1
    assert auth.ok("tasks_context", text="ship")["taskdocs"][0]["archived"] is True
    for tool, given in (
        ("change_mind", {"selector": "goals", "content": "More."}),
        ("taskdoc_bind", {"plan": plan}),
        ("taskdoc_restore", {"selector": "goals", "revision": 0}),
        ("taskdoc_adopt", {}),
    ):
        auth.no("ARCHIVED", tool, taskdoc="auth", **given)
    assert "archived" in auth.no("ALREADY_EXISTS", "taskdoc_create", name="auth")["message"]
    assert not auth.ok("taskdoc_archive", taskdoc="auth")["changed"]
    auth.ok("taskdoc_create", name="next")
    auth.ok("taskdoc_bind", taskdoc="next", plan=plan)
    sound(auth)


@pytest.mark.requirement("taskdoc.archive.kept")
def test_an_archived_taskdoc_comes_back_and_undo_brings_its_plan_back_unless_another_has_it(auth: World) -> None:
    plan = auth.plan()
    auth.ok("taskdoc_bind", taskdoc="auth", plan=plan)
    auth.ok("taskdoc_archive", taskdoc="auth")

    auth.ok("tasks_undo")
    assert auth.ok("recall_mind")["plan"] == plan
    auth.ok("tasks_redo")
    back = auth.ok("taskdoc_archive", taskdoc="auth", archived=False)
    assert (back["archived"], [event["type"] for event in back["events"]]) == (False, ["taskdoc_unarchived"])
    assert "plan" not in auth.ok("recall_mind")
    auth.ok("taskdoc_archive", taskdoc="auth")
    auth.ok("taskdoc_create", name="next")
    auth.ok("taskdoc_bind", taskdoc="next", plan=plan)
    auth.ok("tasks_undo")
    auth.ok("tasks_redo")
    sound(auth)


def test_in_a_batch_a_taskdoc_is_renamed_changed_and_archived_in_one_go(auth: World) -> None:
    calls = [
        {"tool": "taskdoc_rename", "arguments": {"taskdoc": "auth", "name": "login"}},
        {"tool": "change_mind", "arguments": {"taskdoc": "login", "selector": "goals", "content": "Shipped."}},
        {"tool": "taskdoc_archive", "arguments": {"taskdoc": "auth"}},
    ]

    auth.ok("tasks_batch", operations=calls)

    assert listed(auth, archived=True) == ["login"]
    assert auth.ok("recall_mind", taskdoc="auth", selector="goals")["content"] == "Shipped."
    auth.ok("tasks_undo")
    assert listed(auth) == ["auth"]
    assert auth.ok("recall_mind", selector="goals")["content"] == "Ship."
    sound(auth)
