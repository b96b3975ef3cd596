"""todo_read, todo_write and todo_clear: one list for each session, every write an event, and nothing by reading."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.engine import doctor
from gatepost.surfaces.cli.main import run
from tests.givens import World, memory_store

MOST_ITEMS = 200
MOST_CHARS = 12_000
RESERVED = ["__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty"]
ITEMS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40).filter(str.strip)


def write(world: World, *items: str, **arguments: Any) -> dict[str, Any]:
    return world.ok("todo_write", items=list(items), **arguments)


def items(world: World, **arguments: Any) -> list[str]:
    found: list[str] = world.ok("todo_read", **arguments)["items"]
    return found


def log(world: World, *types: str) -> list[dict[str, Any]]:
    """The events of these types, oldest first."""
    found: list[dict[str, Any]] = world.ok("tasks_delta", types=list(types))["events"]
    return found


@pytest.mark.requirement("todo.items.order-kept", "todo.items.trimmed", "todo.write.returns-stored")
@pytest.mark.requirement("todo.read.empty-by-default")
def test_what_is_written_is_answered_and_read_back_trimmed_and_in_order(world: World) -> None:
    assert world.ok("todo_read") == {"items": [], "session": "main", "revision": 0}

    written = write(world, "  reap\n", "\tsow", "eat\u00a0")

    assert (written["items"], written["revision"], written.get("changed", True)) == (
        ["reap", "sow", "eat"],
        1,
        True,
    )
    assert [event["type"] for event in written["events"]] == ["todo_written"]
    assert world.ok("todo_read") == {"items": ["reap", "sow", "eat"], "session": "main", "revision": 1}


@given(wanted=st.lists(ITEMS, max_size=20))
def test_any_list_of_texts_that_are_not_blank_comes_back_trimmed(wanted: list[str]) -> None:
    world = World(memory_store())

    write(world, *wanted)

    assert items(world) == [item.strip() for item in wanted]
    assert log(world, "todo_written")[0]["items"] == items(world)


@pytest.mark.requirement("todo.write.equal-appends", "call.revision.todo-scope")
def test_every_write_is_one_event_with_its_items_equal_to_the_one_before_or_not(world: World) -> None:
    replies = [write(world, *wanted) for wanted in (["A"], ["A"], ["B"], ["A"], [], [])]

    assert [reply["revision"] for reply in replies] == [1, 2, 3, 4, 5, 6]
    assert all(reply.get("changed", True) for reply in replies)
    assert [event["items"] for event in log(world, "todo_written")] == [["A"], ["A"], ["B"], ["A"], [], []]
    assert world.everything()["head"].seq == len(replies)
    assert [row["tool"] for row in world.ok("tasks_history")["operations"]] == ["todo_write"] * len(replies)


@pytest.mark.requirement("todo.read.never-writes")
def test_any_number_of_reads_leaves_everything_as_it_was(world: World) -> None:
    write(world, "A")
    before = world.everything()

    for session in ("main", "nobody", "main"):
        items(world, session=session)

    assert world.everything() == before


@pytest.mark.requirement("todo.items.empty-list")
def test_an_empty_list_is_a_list(world: World) -> None:
    write(world, "A")

    emptied = write(world)

    assert (emptied["items"], emptied["revision"], emptied.get("changed", True)) == ([], 2, True)
    assert items(world) == []
    assert log(world, "todo_cleared") == []


@pytest.mark.requirement("todo.session.local", "todo.server.session")
def test_sessions_and_workspaces_have_lists_and_revisions_of_their_own(world: World) -> None:
    write(world, "mine")
    write(world, "theirs", session="other")
    write(world, "elsewhere", workspace="acme/other")
    write(world, "mine again")

    read = [world.ok("todo_read", **named) for named in ({}, {"session": "other"}, {"workspace": "acme/other"})]

    assert [(found["items"], found["revision"]) for found in read] == [
        (["mine again"], 2),
        (["theirs"], 1),
        (["elsewhere"], 1),
    ]


@pytest.mark.requirement("todo.server.session")
def test_a_call_that_names_no_session_means_the_callers_own(world: World) -> None:
    world.caller = world.caller._replace(session="mcp-1")
    mine = write(world, "mine")
    world.caller = world.caller._replace(session="mcp-2")

    assert mine["session"] == "mcp-1"
    assert items(world) == []
    assert items(world, session="mcp-1") == ["mine"]


@pytest.mark.requirement("todo.errors.name-position", "todo.items.blank-refused", "call.refused.leaves-nothing")
@pytest.mark.parametrize("blank", ["", "   ", "\n\t", "\u00a0\u3000"])
def test_a_blank_item_is_refused_by_its_position(world: World, blank: str) -> None:
    write(world, "kept")

    error = world.no("INVALID_INPUT", "todo_write", items=["fine", blank, "fine"])

    assert [problem["field"] for problem in error["problems"]] == ["items[1]"]
    assert "items[1]" in error["message"]
    assert items(world) == ["kept"]


@pytest.mark.requirement("todo.items.strings-only", "todo.errors.name-position", "todo.items.plain-text")
@pytest.mark.parametrize("wrong", [3, True, None, ["A"], {"title": "A"}, {"title": "A", "priority": "HIGH"}])
def test_an_item_that_is_no_text_is_refused_by_its_position(one_world: World, wrong: Any) -> None:
    error = one_world.no("INVALID_INPUT", "todo_write", items=["fine", "fine", wrong])

    assert [problem["field"] for problem in error["problems"]] == ["items[2]"]


@pytest.mark.requirement("todo.items.string-refused", "call.input.string-is-no-list")
@pytest.mark.parametrize("wrong", ["abc", 3, None, {"items": []}])
def test_items_that_are_no_list_are_refused(one_world: World, wrong: Any) -> None:
    error = one_world.no("INVALID_INPUT", "todo_write", items=wrong)

    assert error["problems"][0]["field"] == "items"


@pytest.mark.requirement("todo.items.plain-text", "call.input.unknown-field")
@pytest.mark.parametrize("field", ["priority", "due", "status"])
def test_a_list_takes_nothing_but_items(one_world: World, field: str) -> None:
    error = one_world.no("INVALID_INPUT", "todo_write", items=["A"], **{field: "HIGH"})

    assert error["problems"][0]["field"] == field


def test_two_hundred_items_are_taken_and_one_more_is_refused(one_world: World) -> None:
    full = [str(number) for number in range(MOST_ITEMS)]

    write(one_world, *full)
    error = one_world.no("INVALID_INPUT", "todo_write", items=[*full, "one more"])

    assert items(one_world) == full
    assert "200" in error["message"]
    assert "201" in error["message"]


@pytest.mark.parametrize(
    "full",
    [["x" * (MOST_CHARS - 4)], ["é" * (MOST_CHARS - 4)], ["x" * 5_996, "y" * 5_997], ["\n".join("x" * 3_000)]],
)
def test_a_list_of_twelve_thousand_characters_is_taken_and_one_more_is_refused(
    one_world: World, full: list[str]
) -> None:
    room = MOST_CHARS - len(json.dumps(full, ensure_ascii=False, separators=(",", ":")))
    full = [full[0] + "." * room, *full[1:]]

    write(one_world, *full)
    error = one_world.no("TOO_LARGE", "todo_write", items=[full[0] + ".", *full[1:]])

    assert items(one_world) == full
    assert "12,000" in error["message"]
    assert "12,001" in error["message"]


def test_a_full_list_fits_into_the_page_of_the_log_that_holds_it(one_world: World) -> None:
    full = ["x" * (MOST_CHARS - 4)]

    write(one_world, *full)

    assert [event["items"] for event in log(one_world, "todo_written")] == [full]


@pytest.mark.parametrize("name", ["a", "mcp-1f.2:3_4", "Task-1", "TASK", "9" * 64])
def test_a_session_is_named_by_up_to_sixty_four_plain_characters(one_world: World, name: str) -> None:
    assert write(one_world, "A", session=name)["session"] == name
    assert items(one_world, session=name) == ["A"]


@pytest.mark.parametrize(
    "name", [*RESERVED, "TASK-001", "TASK-1000", "PLAN-001", "a" * 65, "", "a/b", "a b", "ä", "a\n", 3]
)
@pytest.mark.parametrize("tool", ["todo_read", "todo_write", "todo_clear"])
def test_a_session_of_another_name_is_refused(one_world: World, tool: str, name: Any) -> None:
    given = {"items": ["A"]} if tool == "todo_write" else {}

    error = one_world.no("INVALID_INPUT", tool, session=name, **given)

    assert error["problems"][0]["field"] == "session"


@pytest.mark.requirement("call.revision.todo-scope", "call.checks.revision-mismatch")
def test_an_expected_revision_is_that_of_the_sessions_own_list(world: World) -> None:
    write(world, "A", expected_revision=0)
    write(world, "theirs", session="other", expected_revision=0)
    write(world, "B", expected_revision=1)

    error = world.no("REVISION_MISMATCH", "todo_write", items=["C"], expected_revision=1)
    cleared = world.no("REVISION_MISMATCH", "todo_clear", expected_revision=1)

    assert error["message"] == "session main is at revision 2, not 1."
    assert (error["current_revision"], cleared["current_revision"]) == (2, 2)
    assert error["suggestion"]["tool"] == "todo_read"
    assert items(world) == ["B"]


@pytest.mark.requirement("texts.out.unaltered")
def test_a_list_that_is_read_and_written_back_is_the_same(world: World) -> None:
    texts = [
        "Fix password: reset mail",
        "token = next()",
        "api_key: see the vault",
        "postgres://user:password@host/db",
    ]
    world.ok("todo_write", items=texts)

    world.ok("todo_write", items=items(world))

    assert items(world) == texts


def test_undo_and_redo_go_back_and_forth_between_the_lists(world: World) -> None:
    write(world, "A")
    write(world, "B")

    undone = world.ok("tasks_undo")
    after_undo = items(world)
    redone = world.ok("tasks_redo")

    assert (undone["tool"], undone["revision"], after_undo) == ("todo_write", 3, ["A"])
    assert (redone["revision"], items(world)) == (4, ["B"])
    assert [event["session"] for event in log(world, "operation_undone", "operation_redone")] == ["main", "main"]
    assert doctor.examine(world.store, world.workspace).findings == []


def test_undo_of_the_first_write_leaves_no_list_and_the_revision_goes_on(world: World) -> None:
    write(world, "A")
    world.ok("tasks_undo")

    assert world.ok("todo_read") == {"items": [], "session": "main", "revision": 2}
    assert world.ok("todo_clear")["changed"] is False
    assert write(world, "B")["revision"] == 3


@pytest.mark.requirement("todo.session.cleared-at-end", "todo.server.lives-with-session")
def test_a_clear_ends_the_list_and_says_so_once(world: World) -> None:
    write(world, "A")
    write(world, "theirs", session="other")

    cleared = world.ok("todo_clear")
    again = world.ok("todo_clear")

    assert (cleared["items"], cleared["revision"], cleared.get("changed", True)) == ([], 2, True)
    assert [(event["type"], event["session"]) for event in world.logged(cleared)] == [("todo_cleared", "main")]
    assert (again["revision"], world.logged(again), again.get("changed", True)) == (2, [], False)
    assert (items(world), items(world, session="other")) == ([], ["theirs"])


@pytest.mark.requirement("call.unchanged.leaves-nothing")
def test_clearing_a_list_that_never_was_leaves_nothing(world: World) -> None:
    cleared = world.ok("todo_clear", session="nobody")

    assert (cleared["changed"], cleared["revision"]) == (False, 0)
    assert world.store.workspaces() == []


@pytest.mark.requirement("call.revision.todo-scope")
def test_the_revision_goes_on_rising_after_a_clear(world: World) -> None:
    write(world, "A")
    world.ok("todo_clear")

    assert world.ok("todo_read")["revision"] == 2
    assert write(world, "B", expected_revision=2)["revision"] == 3
    assert world.ok("todo_clear")["revision"] == 4


def test_the_end_of_a_session_is_a_record_which_undo_passes_over(world: World) -> None:
    world.task(title="Edited")
    write(world, "A")
    world.ok("todo_clear")

    undone = world.ok("tasks_undo")

    assert undone["tool"] == "tasks_create"
    assert any("Operation 3 (todo_clear) is a record" in warning for warning in undone["warnings"])
    assert any("Operation 2 (todo_write) of tester was skipped" in warning for warning in undone["warnings"])
    assert items(world) == []


@pytest.mark.requirement("tasks.history.every-write")
def test_the_history_names_the_sessions_whose_lists_were_changed(world: World) -> None:
    write(world, "A", session="other")
    world.ok("todo_clear", session="other")

    rows = world.ok("tasks_history")["operations"]

    assert [(row["tool"], row["events"], row["targets"]) for row in rows] == [
        ("todo_clear", ["todo_cleared"], ["other"]),
        ("todo_write", ["todo_written"], ["other"]),
    ]


def test_the_log_shows_lists_with_their_session_to_programs_and_to_people(
    one_world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(one_world, "Sow the seeds", session="garden")
    one_world.ok("todo_clear", session="garden")

    code = run(["log", "--store", str(tmp_path / "gatepost.db")])
    lines = capsys.readouterr().out.splitlines()

    assert [(event["type"], event["session"]) for event in log(one_world, "todo_written", "todo_cleared")] == [
        ("todo_written", "garden"),
        ("todo_cleared", "garden"),
    ]
    assert code == 0
    assert [("garden" in line, "todo_written" in line, "todo_cleared" in line) for line in lines] == [
        (True, True, False),
        (True, False, True),
    ]
    assert "Sow the seeds" in lines[0]


def test_a_batch_writes_lists_with_everything_else_and_all_or_nothing(world: World) -> None:
    good = [
        {"tool": "tasks_create", "arguments": {"kind": "task", "title": "Task"}},
        {"tool": "todo_write", "arguments": {"items": ["A"]}},
        {"tool": "todo_write", "arguments": {"items": ["B"], "session": "other"}},
    ]

    done = world.ok("tasks_batch", operations=good)
    world.no(
        "BATCH_FAILED",
        "tasks_batch",
        operations=[*good[1:2], {"tool": "todo_write", "arguments": {"items": [" "]}}],
    )

    assert [result.get("changed", True) for result in done["results"]] == [True, True, True]
    assert (items(world), items(world, session="other")) == (["A"], ["B"])
    world.ok("tasks_undo")
    assert (items(world), items(world, session="other")) == ([], [])


def test_undo_of_an_equal_write_takes_back_that_write_alone(world: World) -> None:
    write(world, "A")
    write(world, "B")
    write(world, "B")

    assert (world.ok("tasks_undo")["operation"], items(world)) == (3, ["B"])
    assert (world.ok("tasks_undo")["operation"], items(world)) == (2, ["A"])
    assert (world.ok("tasks_redo")["operation"], items(world)) == (2, ["B"])


@given(moves=st.lists(st.tuples(st.booleans(), st.sampled_from("ab")), max_size=12), back=st.integers(0, 12))
def test_after_any_writes_clears_and_undos_the_lists_are_those_of_a_plain_model(
    moves: list[tuple[bool, str]], back: int
) -> None:
    world = World(memory_store())
    living: list[tuple[str, str]] = []
    for number, (writes, session) in enumerate(moves):
        if writes:
            write(world, str(number), session=session)
            living.append((session, str(number)))
        else:
            world.ok("todo_clear", session=session)
            # A clear is no state to come back to: what its session wrote before is over.
            living = [(name, item) for name, item in living if name != session]

    for _ in range(min(back, len(living))):
        world.ok("tasks_undo")
        living.pop()

    left = dict(living)
    assert {name: items(world, session=name) for name in "ab"} == {
        name: [left[name]] if name in left else [] for name in "ab"
    }
    assert doctor.examine(world.store, world.workspace).findings == []
