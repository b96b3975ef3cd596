"""workspace_digest_set, _get and _scan: one digest for each key, kept for everyone; a scan keeps nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.engine import doctor
from tests.givens import World, memory_store

KEY = "workspace-digest"
MOST_SUMMARY = 2_000
MOST_BODY = 48_000
BUDGETS = [512, 513, 700, 2_000, 16_000]
BODIES = st.text(st.sampled_from('ab \n"\\é日\x01'), max_size=3_000).filter(str.strip)


def keep(world: World, body: str = "Beds to the left.", **arguments: Any) -> dict[str, Any]:
    return world.ok("workspace_digest_set", **{"summary": "A garden.", "body": body, **arguments})


def kept(world: World, **arguments: Any) -> tuple[str | None, str | None, int]:
    found = world.ok("workspace_digest_get", **arguments)
    return found["summary"], found["body"], found["revision"]


def within(world: World, budget: int | None, tool: str) -> dict[str, Any]:
    """A reply, once it is clear that it keeps to its budget and counts itself rightly."""
    text = world.ask(tool, **({} if budget is None else {"max_chars": budget})).text
    reply: dict[str, Any] = json.loads(text)
    assert len(text) <= (budget or 16_000)
    if "budget" in reply:
        assert reply["budget"]["used_chars"] == len(text)
        assert reply["budget"]["truncated"] is ("omitted" in reply["budget"])
    return reply


@pytest.fixture
def project(one_world: World, tmp_path: Path) -> Path:
    """A project folder for the world, with a few files."""
    root = tmp_path / "project"
    (root / "src" / "garden").mkdir(parents=True)
    (root / ".gatepost").mkdir()
    (root / "src" / "garden" / "__init__.py").write_text("", encoding="utf-8")
    (root / "pyproject.toml").write_text('[project]\nname = "garden"\ndescription = "Grows."\n', encoding="utf-8")
    (root / "Makefile").write_text("test:\n\tpytest -q\n", encoding="utf-8")
    one_world.engine.home = str(root / ".gatepost")
    return root


def test_what_is_kept_is_what_is_asked_for(world: World) -> None:
    set_ = keep(world, "  Beds to the left.\n\n")

    found = world.ok("workspace_digest_get")

    assert (set_["section_key"], set_["revision"], set_.get("changed", True)) == (KEY, 1, True)
    assert [event["type"] for event in set_["events"]] == ["digest_set"]
    assert found == {
        "section_key": KEY,
        "summary": "A garden.",
        "body": "  Beds to the left.\n\n",
        "revision": 1,
        "updated_at": world.logged(set_)[0]["at"],
        "actor": "tester",
    }


def test_where_none_is_kept_the_answer_is_nulls_and_a_hint(world: World) -> None:
    found = world.ok("workspace_digest_get", section_key="other")

    assert (found["section_key"], found["summary"], found["body"], found["revision"]) == ("other", None, None, 0)
    assert "no digest yet" in found["hint"]
    assert world.store.workspaces() == []


def test_digests_of_different_keys_and_workspaces_do_not_touch_one_another(world: World) -> None:
    keep(world, "default")
    keep(world, "other", section_key="other")
    keep(world, "elsewhere", workspace="acme/other")
    keep(world, "default again")

    assert kept(world) == ("A garden.", "default again", 2)
    assert kept(world, section_key="other") == ("A garden.", "other", 1)
    assert kept(world, workspace="acme/other") == ("A garden.", "elsewhere", 1)


@pytest.mark.requirement("call.unchanged.says-so", "call.unchanged.leaves-nothing")
def test_setting_an_equal_digest_changes_nothing(world: World) -> None:
    keep(world)
    before = world.everything()

    again = keep(world)

    assert (again["changed"], again["revision"], again["events"]) == (False, 1, [])
    assert world.everything() == before


@pytest.mark.parametrize("changed", [{"summary": "A field."}, {"body": "Nothing yet."}])
def test_either_text_alone_makes_another_digest(world: World, changed: dict[str, str]) -> None:
    keep(world)

    assert keep(world, **changed)["revision"] == 2
    assert len(world.ok("tasks_delta", types=["digest_set"])["events"]) == 2


@pytest.mark.requirement("call.checks.revision-mismatch")
def test_an_expected_revision_is_that_of_the_digest_of_this_key(world: World) -> None:
    keep(world, expected_revision=0)
    keep(world, section_key="other", expected_revision=0)

    error = world.no(
        "REVISION_MISMATCH", "workspace_digest_set", summary="s", body="b", section_key="other", expected_revision=0
    )

    assert error["message"] == "digest other is at revision 1, not 0."
    assert error["suggestion"]["tool"] == "workspace_digest_get"
    assert error["suggestion"]["arguments"]["section_key"] == "other"
    assert keep(world, "new", expected_revision=1)["revision"] == 2
    stale = world.no("REVISION_MISMATCH", "workspace_digest_set", summary="s", body="b", expected_revision=1)
    assert stale["current_revision"] == 2


@pytest.mark.requirement("call.refused.leaves-nothing")
@pytest.mark.parametrize("blank", ["", "  ", "\n\t\n", "\u00a0"])
@pytest.mark.parametrize("field", ["summary", "body"])
def test_a_blank_text_is_refused(one_world: World, field: str, blank: str) -> None:
    given = {"summary": "s", "body": "b", field: blank}

    error = one_world.no("INVALID_INPUT", "workspace_digest_set", **given)

    assert [problem["field"] for problem in error["problems"]] == [field]


@pytest.mark.parametrize(("field", "most"), [("summary", MOST_SUMMARY), ("body", MOST_BODY)])
def test_a_text_of_full_length_is_taken_and_one_more_character_is_refused(
    one_world: World, field: str, most: int
) -> None:
    keep(one_world, **{field: "é" * most})
    error = one_world.no(
        "INVALID_INPUT", "workspace_digest_set", **{"summary": "s", "body": "b", field: "é" * (most + 1)}
    )

    assert error["problems"][0]["field"] == field
    whole = one_world.ok("workspace_digest_get", max_chars=100_000)
    assert (whole[field], whole["budget"]["truncated"]) == ("é" * most, False)


@pytest.mark.parametrize("key", ["a", "a.b:c_d-e", "k" * 64])
def test_a_key_is_up_to_sixty_four_plain_characters(one_world: World, key: str) -> None:
    assert keep(one_world, section_key=key)["section_key"] == key


@pytest.mark.parametrize("key", ["", "k" * 65, "a/b", "a b", "ä", 3])
def test_another_key_is_refused(one_world: World, key: Any) -> None:
    error = one_world.no("INVALID_INPUT", "workspace_digest_set", summary="s", body="b", section_key=key)

    assert error["problems"][0]["field"] == "section_key"


def test_undo_and_redo_go_back_and_forth_between_the_digests(world: World) -> None:
    keep(world, "first")
    keep(world, "second")

    world.ok("tasks_undo")
    back = kept(world)
    world.ok("tasks_redo")
    forth = kept(world)
    world.ok("tasks_undo")
    world.ok("tasks_undo")

    assert (back[1:], forth[1:], kept(world)) == (("first", 3), ("second", 4), (None, None, 6))
    assert keep(world, "third")["revision"] == 7
    assert doctor.examine(world.store, world.workspace).findings == []


@pytest.mark.requirement("tasks.history.every-write")
def test_the_log_and_the_history_name_the_key(world: World) -> None:
    keep(world, section_key="other")

    (event,) = world.ok("tasks_delta")["events"]
    (row,) = world.ok("tasks_history")["operations"]

    assert (event["type"], event["section_key"], event["summary"]) == ("digest_set", "other", "A garden.")
    assert (row["tool"], row["targets"]) == ("workspace_digest_set", ["other"])


@pytest.mark.requirement("budget.count.hard-cap", "budget.count.exact-text", "budget.kept.main-keys")
@pytest.mark.parametrize("budget", [None, *BUDGETS])
def test_a_long_digest_keeps_to_its_budget_and_uses_it(budget: int | None) -> None:
    world = World(memory_store())
    body = "".join(f"- line {number} of a long digest\n" for number in range(1_500))
    keep(world, body)

    found = within(world, budget, "workspace_digest_get")

    shown = found["body"].removesuffix("…")
    assert set(found) >= {"section_key", "summary", "body", "revision"}
    assert body.startswith(shown)
    assert found["summary"] == "A garden."
    assert found["budget"]["omitted"] == {"characters": len(body) - len(shown)}
    assert found["budget"]["used_chars"] > (budget or 16_000) * 0.8, "far more was cut than had to be"


@pytest.mark.requirement("budget.count.hard-cap")
@given(body=BODIES, summary=BODIES, budget=st.sampled_from(BUDGETS))
def test_any_digest_keeps_to_its_budget(body: str, summary: str, budget: int) -> None:
    world = World(memory_store())
    keep(world, body, summary=summary[:MOST_SUMMARY].strip() or "s", section_key=KEY)

    found = within(world, budget, "workspace_digest_get")

    assert body.startswith(found["body"].removesuffix("…")) or found["body"] == body
    if not found["budget"]["truncated"]:
        assert found["body"] == body


@pytest.mark.requirement("budget.minimum.refused")
@pytest.mark.parametrize("tool", ["workspace_digest_get", "workspace_digest_scan"])
def test_a_budget_below_the_minimum_is_refused(one_world: World, tool: str) -> None:
    assert one_world.no("INVALID_INPUT", tool, max_chars=511)["problems"][0]["field"] == "max_chars"


@pytest.mark.usefixtures("project")
def test_a_scan_tells_what_the_files_declare_and_stores_nothing(one_world: World) -> None:
    made = one_world.ok("workspace_digest_scan")

    assert "garden" in made["summary"]
    assert "make test" in made["body"]
    assert "src" in made["body"]
    assert made["files"] == 3
    assert made["truncated"] is False
    assert one_world.store.workspaces() == []
    assert one_world.ok("workspace_digest_get")["body"] is None


@pytest.mark.usefixtures("project")
def test_a_scan_can_be_kept_as_it_was_made(one_world: World) -> None:
    made = one_world.ok("workspace_digest_scan")

    keep(one_world, made["body"], summary=made["summary"])

    assert kept(one_world) == (made["summary"], made["body"], 1)
    again = one_world.ok("workspace_digest_scan")
    assert keep(one_world, again["body"], summary=again["summary"])["changed"] is False


@pytest.mark.requirement("budget.count.hard-cap", "budget.count.exact-text")
@pytest.mark.parametrize("budget", [None, *BUDGETS])
def test_a_scan_keeps_to_its_budget(one_world: World, project: Path, budget: int | None) -> None:
    for number in range(60):
        folder = project / f"package-{number:02}"
        folder.mkdir()
        (folder / "package.json").write_text(
            json.dumps({"name": f"p{number}", "scripts": {"test": f'jest "{number}"'}}), encoding="utf-8"
        )

    made = within(one_world, budget, "workspace_digest_scan")

    assert set(made) >= {"summary", "body", "files", "truncated"}
    assert made["summary"]


def test_a_server_without_a_project_folder_cannot_scan_and_says_what_would_help(one_world: World) -> None:
    error = one_world.no("INVALID_INPUT", "workspace_digest_scan")

    assert "--root" in error["message"]


def test_a_batch_scans_and_keeps(one_world: World, project: Path) -> None:
    calls = [
        {"tool": "workspace_digest_scan", "arguments": {}},
        {"tool": "workspace_digest_set", "arguments": {"summary": "s", "body": "b"}},
        {"tool": "workspace_digest_get", "arguments": {}},
    ]

    done = one_world.ok("tasks_batch", operations=calls)

    assert done["results"][0]["files"] == 3
    assert done["results"][2]["body"] == "b"
