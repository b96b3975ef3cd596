"""Word search: what is found, in which order, with which excerpt, page by page."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatepost.domain.search import words
from gatepost.engine import doctor
from gatepost.engine.rows import Changes, SearchRow
from gatepost.operations import search
from gatepost.storage.postgres import search_index
from gatepost.storage.sqlite.search_index import SearchIndex
from tests.givens import CONFIRMED, World, memory_store


def hits(world: World, text: str, **more: Any) -> list[tuple[str, list[dict[str, Any]]]]:
    return [(row["id"], row["hits"]) for row in world.ok("tasks_context", text=text, **more)["items"]]


def rows(world: World, text: str, **more: Any) -> list[str]:
    return [name for name, _ in hits(world, text, **more)]


@pytest.fixture
def said(world: World) -> World:
    """A task in which each place says a word of its own."""
    world.plan(title="Umbrella", contract="The contract says parasol.")
    world.ok("tasks_plan", plan="PLAN-001", steps=["unpack the tent"])
    steps = [
        {"title": "Paint the fence", "criteria": ["no drips anywhere"], "tests": ["pytest -k fence"]},
        {"title": "Mow", "blockers": ["the mower is broken"]},
    ]
    world.ok("tasks_create", kind="task", title="Garden", plan="PLAN-001", description="All of May.", steps=steps)
    world.ok("tasks_task_add", task="TASK-001", parent_step="s:1", title="Fuel", description="Premium only")
    return world


@pytest.mark.requirement("tasks.search.everywhere")
@pytest.mark.parametrize(
    ("text", "row", "hit"),
    [
        ("garden", "TASK-001", {"in": "title"}),
        ("may", "TASK-001", {"in": "description", "snippet": "All of May."}),
        ("parasol", "PLAN-001", {"in": "contract", "snippet": "The contract says parasol."}),
        ("tent", "PLAN-001", {"in": "checklist", "snippet": "unpack the tent"}),
        ("paint", "TASK-001", {"in": "title", "path": "s:0", "snippet": "Paint the fence"}),
        ("drip", "TASK-001", {"in": "criteria", "path": "s:0", "snippet": "no drips anywhere"}),
        ("pytest", "TASK-001", {"in": "tests", "path": "s:0", "snippet": "pytest -k fence"}),
        ("mower", "TASK-001", {"in": "blockers", "path": "s:1", "snippet": "the mower is broken"}),
        ("premium", "TASK-001", {"in": "description", "path": "s:1.t:0", "snippet": "Premium only"}),
    ],
)
def test_words_are_found_in_every_text_of_plans_tasks_steps_and_nodes(
    said: World, text: str, row: str, hit: dict[str, Any]
) -> None:
    ((found, (shown,)),) = hits(said, text)

    assert found == row
    assert {name: value for name, value in shown.items() if name != "step_id"} == hit
    assert ("step_id" in shown) is ("path" in hit)


@pytest.mark.requirement("tasks.search.everywhere")
@pytest.mark.parametrize(
    ("tool", "arguments", "text", "field", "snippet"),
    [
        ("tasks_note", {"note": "Rain is due"}, "rain", "note", "Rain is due"),
        ("tasks_note", {"path": "s:0", "note": "Rain is due"}, "rain", "note", "Rain is due"),
        ("tasks_block", {"path": "s:0", "reason": "no paint left"}, "left", "reason", "no paint left"),
        (
            "tasks_progress",
            {"path": "s:0", "completed": True, "force": True, "reason": "customer deadline"},
            "deadline",
            "reason",
            "customer deadline",
        ),
        ("tasks_delete", {"path": "s:0", "reason": "sold the fence"}, "sold", "reason", "sold the fence"),
        (
            "tasks_verify",
            {"path": "s:0", "checkpoints": {"tests": {"confirmed": True, "note": "all twelve pass"}}},
            "twelve",
            "confirmation",
            "all twelve pass",
        ),
        (
            "tasks_evidence_capture",
            {"path": "s:0", "items": [{"kind": "diff", "title": "Coat of varnish", "content": "+"}]},
            "varnish",
            "evidence",
            "diff: Coat of varnish",
        ),
    ],
)
def test_words_are_found_in_notes_reasons_confirmations_and_titles_of_evidence(
    said: World, tool: str, arguments: dict[str, Any], text: str, field: str, snippet: str
) -> None:
    seqs = {event["seq"] for event in said.ok(tool, task="TASK-001", **arguments)["events"]}

    ((task, (shown,)),) = hits(said, text)

    assert (task, shown["in"], shown["snippet"]) == ("TASK-001", field, snippet)
    assert shown["seq"] in seqs


@pytest.mark.requirement("tasks.search.everywhere")
def test_taskdocs_are_found_beside_the_rows_and_only_without_filters(world: World) -> None:
    world.plan(title="Launch")
    world.ok("taskdoc_create", name="launch-notes")
    world.ok("taskdoc_bind", taskdoc="launch-notes", plan="PLAN-001")
    world.ok("change_mind", selector="constraints", content="Never launch on a friday.\n")

    reply = world.ok("tasks_context", text="launch")

    assert [row["id"] for row in reply["items"]] == ["PLAN-001"]
    assert reply["taskdocs"] == [
        {
            "taskdoc": "launch-notes",
            "plan": "PLAN-001",
            "hits": [
                {"in": "title"},
                {"in": "constraints", "snippet": "Never launch on a friday.\n"},
            ],
        }
    ]
    assert "taskdocs" not in world.ok("tasks_context", text="launch", kind="plan")
    world.ok("change_mind", selector="constraints", content="Any day will do.\n")
    assert "taskdocs" not in world.ok("tasks_context", text="friday")


@pytest.mark.requirement("tasks.search.ranked")
def test_titles_come_before_texts_and_the_newest_first(world: World) -> None:
    for title, description in (("old login", "x"), ("a", "login"), ("new login", "x"), ("b", "login")):
        world.task(title=title, description=description)

    assert rows(world, "login") == ["TASK-003", "TASK-001", "TASK-004", "TASK-002"]
    world.ok("tasks_edit", task="TASK-002", description="login again")
    world.ok("tasks_note", task="TASK-001", note="nothing about it")
    assert rows(world, "login") == ["TASK-003", "TASK-001", "TASK-002", "TASK-004"]


def test_all_words_must_be_in_one_place(world: World) -> None:
    world.task("retry", title="login")
    world.task("retry the login", title="other")

    assert rows(world, "login retry") == ["TASK-002"]


def test_a_row_shows_its_three_best_hits(world: World) -> None:
    world.task(*(f"login {number}" for number in range(5)), title="Login")
    world.ok("tasks_note", task="TASK-001", note="login works")

    ((_, shown),) = hits(world, "login")

    assert [hit.get("snippet") for hit in shown] == ["login 4", "login 3", "login 2"]


@pytest.mark.requirement("tasks.search.bounded")
def test_more_than_a_thousand_hits_are_said_and_the_newest_are_ranked(world: World) -> None:
    world.task(title="needle")
    for _ in range(2):
        world.task(*["needle"] * 499, title="hay")
    exact = world.ok("tasks_context", text="needle")
    world.task(title="hay", description="needle")
    world.task(title="hay", description="needle")

    cut = world.ok("tasks_context", text="needle")
    older = world.ok("tasks_context", text="needle", cursor=cut["cursor"])

    assert "more_hits" not in exact
    assert exact["has_more"] is False
    assert [row["id"] for row in exact["items"]] == ["TASK-003", "TASK-002", "TASK-001"]
    assert cut["more_hits"] is True
    assert cut["has_more"] is True
    assert [row["id"] for row in cut["items"]] == ["TASK-003", "TASK-002", "TASK-005", "TASK-004"]
    assert [row["id"] for row in older["items"]] == ["TASK-001"]
    assert {"more_hits", "cursor"}.isdisjoint(older)


@pytest.fixture
def short_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    """A look at two frequent words reads ten rows of each."""
    monkeypatch.setattr(SearchIndex, "reach", 10)
    monkeypatch.setattr(search_index, "REACH", 10)
    monkeypatch.setattr(search_index, "RARE", 0)


def pages(world: World, **asked: Any) -> list[dict[str, Any]]:
    found = [world.ok("tasks_context", **asked)]
    while found[-1]["has_more"]:
        found.append(world.ok("tasks_context", **asked, cursor=found[-1]["cursor"]))
    return found


@pytest.mark.requirement("tasks.search.bounded")
@pytest.mark.usefixtures("short_reach")
def test_a_page_without_items_goes_on_with_older_texts_until_the_words_meet(world: World) -> None:
    meeting = world.task(title="left right")
    for number in range(100):
        world.task(title=("left", "right")[number % 2])

    found = pages(world, text="left right")

    assert [row["id"] for page in found for row in page["items"]] == [meeting]
    assert len(found) > 3
    assert all(page["more_hits"] is True for page in found[:-1])
    assert {"more_hits", "cursor"}.isdisjoint(found[-1])


@pytest.mark.requirement("tasks.search.bounded")
@pytest.mark.usefixtures("short_reach")
@pytest.mark.parametrize("limit", [1, 3, 50])
@pytest.mark.parametrize("filters", [{}, {"kind": "task", "priority": "LOW"}])
def test_pages_over_all_looks_show_every_row_once(world: World, limit: int, filters: dict[str, Any]) -> None:
    for number in range(90):
        words = [word for word, every in (("left", 2), ("right", 3)) if number % every == 0]
        title, description = (" ".join(words), "x") if number % 4 else ("x", " ".join(words) or "y")
        world.task(title=title or "y", description=description, priority=("LOW", "HIGH")[number % 5 == 0])
    expected = {f"TASK-{number + 1:03}" for number in range(0, 90, 6) if not filters or number % 5}

    listed = [
        row["id"] for page in pages(world, text="left right", limit=limit, **filters) for row in page["items"]
    ]

    assert sorted(listed) == sorted(expected)


def test_what_moves_up_because_others_delete_is_not_lost_between_pages(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "MOST", 4)
    titled = world.task(title="login")
    others = [world.task(title="other", description="login") for _ in range(4)]

    page = world.ok("tasks_context", text="login", limit=2)
    listed = [row["id"] for row in page["items"]]
    world.ok("tasks_delete", task=listed[0])
    while page["has_more"]:
        page = world.ok("tasks_context", text="login", limit=2, cursor=page["cursor"])
        listed += [row["id"] for row in page["items"]]

    assert listed == [*reversed(others), titled]


def test_what_is_deleted_is_not_found_and_undo_finds_it_again(world: World) -> None:
    task = world.task("cellar", "roof", title="house")
    world.ok("tasks_note", task=task, path="s:0", note="damp")
    world.ok("tasks_note", task=task, note="cold")
    texts = ("house", "cellar", "damp", "cold")

    world.ok("tasks_delete", task=task, path="s:0")
    assert [rows(world, text) for text in texts] == [[task], [], [], [task]]
    world.ok("tasks_delete", task=task)
    assert [rows(world, text) for text in texts] == [[], [], [], []]
    world.ok("tasks_undo")
    assert [rows(world, text) for text in texts] == [[task], [], [], [task]]
    world.ok("tasks_undo")
    assert [rows(world, text) for text in texts] == [[task], [task], [task], [task]]
    world.ok("tasks_redo")
    assert [rows(world, text) for text in texts] == [[task], [], [], [task]]


def test_a_batch_finds_what_it_has_just_written_and_a_failed_one_leaves_nothing(world: World) -> None:
    create = {"tool": "tasks_create", "arguments": {"kind": "task", "title": "fresh"}}
    look = {"tool": "tasks_context", "arguments": {"text": "fresh"}}
    bad = {"tool": "tasks_note", "arguments": {"task": "TASK-077", "note": "x"}}

    found = world.ok("tasks_batch", operations=[create, look])["results"][1]
    world.no("BATCH_FAILED", "tasks_batch", operations=[create, look, bad])

    assert [row["id"] for row in found["items"]] == ["TASK-001"]
    assert rows(world, "fresh") == ["TASK-001"]


@pytest.mark.parametrize("limit", [1, 3, 50])
def test_pages_show_every_row_once_whatever_others_write_meanwhile(world: World, limit: int) -> None:
    for number in range(12):
        world.task(title=f"login {number}" if number % 2 else "other", description="login")
    expected = rows(world, "login")

    listed: list[str] = []
    page = world.ok("tasks_context", text="login", limit=limit)
    listed += [row["id"] for row in page["items"]]
    while page["has_more"]:
        world.task(title="login of somebody else")
        world.ok("tasks_note", task="TASK-001", note="login")
        page = world.ok("tasks_context", text="login", limit=limit, cursor=page["cursor"])
        assert page["items"]
        listed += [row["id"] for row in page["items"]]

    assert listed == expected


def test_a_cursor_of_another_list_is_refused(world: World) -> None:
    for _ in range(3):
        world.task(title="login")
    plain, ranked = (world.ok("tasks_context", limit=1, **asked)["cursor"] for asked in ({}, {"text": "login"}))

    world.no("INVALID_INPUT", "tasks_context", text="login", cursor=plain)
    world.no("INVALID_INPUT", "tasks_context", cursor=ranked)


@pytest.mark.parametrize("max_chars", [512, 700, 1_500, 4_000])
def test_a_search_fits_its_budget_and_goes_on_where_it_stopped(world: World, max_chars: int) -> None:
    world.ok("taskdoc_create", name="doc")
    world.ok("change_mind", selector="goals", content="login " + "goal " * 500)
    for number in range(10):
        world.task(*[f"login {'x' * 100}"] * 3, title=f"login {number} " + "t" * 150)
    expected = rows(world, "login")

    listed: list[str] = []
    more: dict[str, Any] = {}
    while True:
        text = world.ask("tasks_context", text="login", max_chars=max_chars, **more).text
        page = json.loads(text)
        assert len(text) == page["budget"]["used_chars"] <= max_chars
        listed += [row["id"] for row in page["items"]]
        if not page["has_more"]:
            break
        more = {"cursor": page["cursor"]}

    assert listed == expected


@pytest.mark.parametrize("text", ['"', "* AND", "login*", 'login" OR "x', "NEAR(login)", "-login", "title:login"])
def test_signs_of_a_query_language_mean_nothing(world: World, text: str) -> None:
    world.task(title="login")
    asked = world.ask("tasks_context", text=text)

    sought = words(text)
    if sought:
        assert asked.refusal is None
        assert rows(world, text) == (["TASK-001"] if set(sought) == {"login"} else [])
    else:
        assert asked.refusal is not None
        assert asked.refusal.code == "INVALID_INPUT"


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.text(min_size=1, max_size=30).filter(lambda text: text.strip() and text.isprintable()), max_size=4)
)
def test_whatever_is_written_is_found_by_its_words_and_shown_as_it_was_written(notes: list[str]) -> None:
    world = World(memory_store())
    world.task(title="—")
    for note in notes:
        world.ok("tasks_note", task="TASK-001", note=note)

    for note in notes:
        if words(note):
            ((_, shown),) = hits(world, " ".join(words(note)))
            assert shown[0]["snippet"] in notes


def test_closing_a_step_writes_nothing_into_the_index(world: World) -> None:
    task = world.task("one", "two")
    with world.store.reading(world.workspace) as snapshot:
        before = list(snapshot.rows("searched"))

    world.ok("tasks_close_step", task=task, path="s:0", checkpoints=CONFIRMED)

    with world.store.reading(world.workspace) as snapshot:
        assert list(snapshot.rows("searched")) == before


def test_a_row_that_leads_nowhere_is_passed_over(world: World) -> None:
    world.task(title="login")
    with world.store.writing(world.workspace) as transaction:
        stray = SearchRow("tb99", 0, ("login",), ())
        transaction.apply(Changes(head=transaction.head(), search_new=[stray]))
        transaction.commit()

    assert rows(world, "login") == ["TASK-001"]
    assert {finding.code for finding in doctor.examine(world.store, world.workspace).findings} == {"SEARCH_DIFFERS"}


def test_the_doctor_sees_a_wrong_index_and_repairs_it(world: World) -> None:
    for number in range(70):
        world.task("step", title=f"login {number}")
    world.ok("tasks_note", task="TASK-001", note="damp")
    world.ok("tasks_delete", task="TASK-002")
    before = [hits(world, text) for text in ("login", "step", "damp")]
    with world.store.writing(world.workspace) as transaction:
        transaction.apply(Changes(head=transaction.head(), search_reset=True))
        transaction.commit()
    lost = [rows(world, text) for text in ("login", "step", "damp")]

    found = doctor.examine(world.store, world.workspace).findings
    doctor.repair(world.store)

    assert lost == [[], [], []]
    assert {finding.code for finding in found} == {"SEARCH_DIFFERS"}
    assert doctor.examine(world.store, world.workspace).findings == []
    assert [hits(world, text) for text in ("login", "step", "damp")] == before
