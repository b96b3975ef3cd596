"""The project's own templates: good files work, bad ones are told of, and none of them harms another."""

import json
import os
import string
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gatepost
from gatepost.settings import Settings
from gatepost.surfaces.mcp.toolbox import GatepostTools
from tests.givens import World, memory_store
from tests.operations.templates import NAMES, listed, write

GOOD = """
title = "Water the plants"
about = "Once a week."
[task]
[[task.steps]]
title = "Fill the can"
"""
HEAD = 'title = "T"\nabout = "A"\n'
BUILT_IN = Path(__file__).parents[2] / "src/gatepost/templates"


@pytest.mark.requirement("tasks.templates.users-own")
def test_a_file_in_the_projects_folder_is_a_template(world: World, tmp_path: Path) -> None:
    folder = write(world, tmp_path, water=GOOD)
    (folder / "notes.txt").write_text("not a template")
    (folder / ".#water.toml").write_text("an editor's")

    rows = listed(world)
    made = world.ok("tasks_scaffold", template="water", title="Ferns")

    assert list(rows) == [*NAMES, "water"]
    assert rows["water"] == {
        "name": "water",
        "source": "file",
        "file": ".gatepost/templates/water.toml",
        "title": "Water the plants",
        "about": "Once a week.",
        "forms": [{"kind": "task", "steps": 1}],
    }
    assert world.step(made["id"], "s:0")["title"] == "Fill the can"


def test_a_plan_or_task_of_a_template_has_the_policy_that_the_template_names(world: World, tmp_path: Path) -> None:
    plan = '[plan]\npolicy = { approval = "human" }\n[[plan.tasks]]\ntitle = "One"\npolicy = { proof = "note" }\n'
    write(world, tmp_path, strict=HEAD + plan, wrong=HEAD + '[task]\npolicy = { approval = "human" }\n')

    made = world.ok("tasks_scaffold", template="strict", title="Ferns")

    assert world.ok("tasks_policy", plan=made["id"])["set"] == {"approval": "human"}
    assert world.ok("tasks_policy", task=made["tasks"][0]["id"])["set"] == {"proof": "note"}
    assert world.ok("tasks_radar", plan=made["id"])["now"] is None
    world.no("INVALID_INPUT", "tasks_scaffold", template="wrong", title="Ferns")


@pytest.mark.requirement("tasks.templates.users-own")
def test_a_file_takes_the_place_of_a_built_in_template_and_the_list_says_so(world: World, tmp_path: Path) -> None:
    write(world, tmp_path, bugfix=GOOD)

    rows = listed(world)

    assert list(rows) == NAMES
    assert rows["bugfix"]["overrides"] == "built-in"
    assert rows["bugfix"]["title"] == "Water the plants"
    assert len(world.ok("tasks_scaffold", template="bugfix", title="T")["steps"]) == 1


@pytest.mark.requirement("tasks.templates.users-own")
def test_every_surface_finds_the_files_of_its_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(World(memory_store()), tmp_path, water=GOOD)
    asked = {"workspace": "w", "template": "water", "title": "Ferns"}
    monkeypatch.setenv("GATEPOST_ROOT", str(tmp_path))

    with gatepost.connect() as gp:
        by_python = gp.call("tasks_scaffold", **asked)
    by_mcp = GatepostTools(Settings(str(tmp_path), {}), "all", output_schemas=False).call(
        "tasks_scaffold", dict(asked), None
    )
    by_hand = subprocess.run(
        [sys.executable, "-m", "gatepost", "call", "tasks_scaffold", json.dumps(asked)],
        capture_output=True,
        check=True,
    )

    made = [by_python["id"], json.loads(by_mcp.text)["id"], json.loads(by_hand.stdout)["id"]]
    assert made == ["TASK-001", "TASK-002", "TASK-003"]


STEP = "[task]\n[[task.steps]]\n"
TASK = "[plan]\n[[plan.tasks]]\n"
BROKEN: list[tuple[str, str, str, str]] = [
    ("no TOML", "title = ", "file", "is not TOML: Invalid value (at end of document)"),
    ("a key twice", HEAD + 'title = "U"', "file", "is not TOML: Cannot overwrite a value"),
    ("nothing", "", "title", "is required"),
    ("no form", HEAD, "task", "or `plan` is required: a template has at least one form"),
    ("a field misspelt", HEAD + STEP + 'titel = "x"', "task.steps[0].titel", "did you mean `title`?"),
    ("a field missing", HEAD + STEP, "task.steps[0].title", "is required"),
    ("a table for a list", HEAD + "[task.steps]", "task.steps", "must be a list, not an object"),
    ("a date for a text", HEAD + "[task]\ntitle = 2026-01-01", "task.title", "must be a string, not date"),
    ("a number for a text", HEAD + "[task]\ntags = [7]", "task.tags[0]", "must be a string, not a number (7)"),
    ("a text too long", HEAD + f'[task]\ntitle = "{"x" * 301}"', "task.title", "at most 300 characters"),
    ("two lines", HEAD + STEP + 'title = "a\\nb"', "task.steps[0].title", "must be one line of text"),
    (
        "a choice there is not",
        HEAD + '[task]\npriority = "ASAP"',
        "task.priority",
        "must be one of CRITICAL, HIGH, LOW, MEDIUM",
    ),
    (
        "an unknown checkpoint",
        HEAD + STEP + 'title = "t"\nrequired = ["law"]',
        "task.steps[0].required[0]",
        'got "law"',
    ),
    ("an unknown gap", HEAD + STEP + 'title = "{who}"', "task.steps[0].title", "known: title"),
    ("a value named title", HEAD + "[task]\n[values.title]\nabout = 'x'", "values.title", "is given by every call"),
    (
        "a value's odd name",
        HEAD + "[task]\n[values.A-b]\nabout = 'x'",
        "values.A-b",
        "must start with a lower-case",
    ),
    ("a value without words", HEAD + "[task]\n[values.a]", "values.a.about", "is required"),
    (
        "a gap in a default",
        HEAD + "[task]\n[values.a]\nabout = 'x'\ndefault = '{title}'",
        "values.a.default",
        "cannot contain gaps",
    ),
    ("a plan without tasks", HEAD + "[plan]\ntasks = []", "plan.tasks", "must have at least 1 entry"),
    ("a task without a title", HEAD + TASK, "plan.tasks[0].title", "is required"),
    (
        "a task that waits for none",
        HEAD + TASK + "title = 't'\ndepends_on = ['b']",
        "plan.tasks[0].depends_on",
        "names b",
    ),
    ("one name for two tasks", HEAD + (TASK + "title = 't'\nname = 'a'").replace("[plan]\n", "") * 2, "", ""),
    (
        "a date in the contract",
        HEAD + "[plan]\ncontract_data = {on = 2026-01-01}\n[[plan.tasks]]\ntitle = 't'",
        "plan.contract_data",
        "must be plain JSON",
    ),
    (
        "too deep",
        HEAD + "[task]\nsteps = " + "[{title='x',steps=" * 17 + "[]" + "}]" * 17,
        "steps",
        "are nested 17 deep",
    ),
    ("a key without end", HEAD + "[plan]\ncontract_data" + ".a" * 501 + " = 1", "file", "more than 500 dots"),
    (
        "a key too long",
        HEAD + "[plan]\ncontract_data" + ".a" * 499 + " = 1\n[[plan.tasks]]\ntitle = '{who}'",
        "plan.contract_data",
        "must be plain JSON",
    ),
    ("deeper than can be read", "a = " + "[" * 20_000, "file", "is nested too deeply"),
    (
        "too many steps",
        HEAD + "[task]\nsteps = [" + "{title='x'}," * 2_001 + "]",
        "steps",
        "the limit for one call is 2,000",
    ),
    ("too large", HEAD + "#" * 65_536, "file", "may have at most 65,536 bytes"),
]


@pytest.mark.parametrize(("way", "content", "field", "words"), BROKEN, ids=[row[0] for row in BROKEN])
def test_a_broken_file_is_listed_with_its_problem_and_refused_with_it(
    way: str, content: str, field: str, words: str, one_world: World, tmp_path: Path
) -> None:
    if way == "one name for two tasks":
        content, field, words = (
            content.replace("\nname = 'a'[", "\nname = 'a'\n["),
            "plan.tasks[1].name",
            "is a, which",
        )
    write(one_world, tmp_path, broken=content, water=GOOD, bugfix=content)

    rows = listed(one_world)
    error = one_world.no("INVALID_INPUT", "tasks_scaffold", template="broken", title="T")

    told = {found["field"]: found["problem"] for found in rows["broken"]["problems"]}
    assert words in told[field]
    assert rows["broken"]["file"] == ".gatepost/templates/broken.toml"
    assert f".gatepost/templates/broken.toml: `{field}` " in error["message"]
    assert words in error["message"]
    assert rows["water"]["forms"]
    assert rows["bugfix"]["overrides"] == "built-in"
    one_world.no("INVALID_INPUT", "tasks_scaffold", template="bugfix", title="T")
    one_world.ok("tasks_scaffold", template="water", title="T")
    one_world.ok("tasks_scaffold", template="feature", title="T")


def test_every_problem_of_a_file_is_told_at_once(one_world: World, tmp_path: Path) -> None:
    write(one_world, tmp_path, broken='titel = "T"\n[task]\ntags = "x"\n[plan]\n[[plan.tasks]]\nname = "A"')

    found = listed(one_world)["broken"]["problems"]

    fields = {problem["field"] for problem in found}
    assert fields == {"titel", "title", "about", "task.tags", "plan.tasks[0].name", "plan.tasks[0].title"}


@pytest.mark.parametrize("way", ["link", "dead link", "folder", "pipe", "latin", "nul"])
def test_what_is_no_plain_text_file_is_listed_and_never_followed(
    way: str, one_world: World, tmp_path: Path
) -> None:
    folder = write(one_world, tmp_path, water=GOOD)
    (tmp_path / "outside.toml").write_text(GOOD)
    odd = folder / "odd.toml"
    if way == "link":
        odd.symlink_to(tmp_path / "outside.toml")
    elif way == "dead link":
        odd.symlink_to(tmp_path / "nowhere.toml")
    elif way == "folder":
        odd.mkdir()
    elif way == "pipe":
        os.mkfifo(odd)
    else:
        odd.write_bytes(GOOD.encode() + (b"# \xe9" if way == "latin" else b"# \0"))

    rows = listed(one_world)

    assert [problem["field"] for problem in rows["odd"]["problems"]] == ["file"]
    assert "outside" not in json.dumps(rows["odd"])
    one_world.no("INVALID_INPUT", "tasks_scaffold", template="odd", title="T")
    assert rows["water"]["forms"]


@pytest.mark.parametrize(
    "stem", ["Water", "wa ter", "über", "-", "a" * 42, "a..", "\udcff", "a\nb", '"\\', "z" * 200]
)
def test_a_file_whose_name_is_none_is_listed_after_the_others(stem: str, one_world: World, tmp_path: Path) -> None:
    folder = write(one_world, tmp_path, zebra=GOOD)
    (folder / f"{stem}.toml").write_text(GOOD)

    items = one_world.ok("tasks_templates_list")["items"]

    assert [row["name"] for row in items[:-1]] == [*NAMES, "zebra"]
    assert items[-1]["problems"][0]["problem"].startswith(
        "has an invalid name: it must start with a lower-case letter"
    )
    one_world.no("INVALID_INPUT", "tasks_scaffold", template=stem, title="T")


def test_a_folder_that_is_none_is_told_of(one_world: World, tmp_path: Path) -> None:
    (tmp_path / "templates").write_text("a file")
    one_world.engine.home = str(tmp_path)

    reply = one_world.ok("tasks_templates_list")

    assert [row["name"] for row in reply["items"]] == NAMES
    assert reply["problem"] == ".gatepost/templates cannot be read: Not a directory"
    one_world.no("UNKNOWN_ID", "tasks_scaffold", template="water", title="T")


def test_no_more_than_five_hundred_files_are_listed(one_world: World, tmp_path: Path) -> None:
    write(one_world, tmp_path, **{f"t{number:04d}": GOOD for number in range(501)})

    names = [row["name"] for page in pages(one_world, limit=200) for row in page["items"]]

    assert names == [*NAMES, *(f"t{number:04d}" for number in range(500))]
    assert "holds 501 files" in one_world.ok("tasks_templates_list")["problem"]


def pages(world: World, **arguments: Any) -> list[dict[str, Any]]:
    """The whole list, page by page."""
    found = [world.ok("tasks_templates_list", **arguments)]
    while found[-1]["has_more"]:
        found.append(world.ok("tasks_templates_list", **arguments, cursor=found[-1]["cursor"]))
    return found


@pytest.mark.parametrize("size", [{"limit": 1}, {"limit": 4}, {"max_chars": 512}, {"max_chars": 1_500}])
def test_pages_hold_every_template_once_whatever_its_name(
    size: dict[str, int], one_world: World, tmp_path: Path
) -> None:
    odd = ["a b", "a c", "É" * 60, '"' * 80, "\udcff" * 40, "a-b", "a", "ab", "z" * 41]
    folder = write(one_world, tmp_path)
    for stem in odd:
        (folder / f"{stem}.toml").write_text("x = 1\n" * 3 + "y" * 500)
    whole = [row["name"] for row in one_world.ok("tasks_templates_list", max_chars=1_000_000)["items"]]

    found = pages(one_world, **size)

    assert [row["name"] for page in found for row in page["items"]] == whole
    assert len(whole) == len(NAMES) + len(odd)
    if "max_chars" in size:
        assert all(page["budget"]["used_chars"] <= size["max_chars"] for page in found)


def test_a_cursor_holds_while_files_come_and_go(one_world: World, tmp_path: Path) -> None:
    folder = write(one_world, tmp_path, apple=GOOD, berry=GOOD, cherry=GOOD)
    first = one_world.ok("tasks_templates_list", limit=2)

    (folder / "apple.toml").unlink()
    write(one_world, tmp_path, aardvark=GOOD)
    second = one_world.ok("tasks_templates_list", limit=2, cursor=first["cursor"])

    assert [row["name"] for row in first["items"]] == ["apple", "berry"]
    assert [row["name"] for row in second["items"]] == ["bugfix", "cherry"]


bits = st.text(string.ascii_lowercase + "[]{}=\"'.,#\n 01-_", max_size=60)
scalars = st.sampled_from(
    ['"x"', "1", "true", "1979-05-27", "nan", "[]", "{}", '"{who}"', "['a', 1]", "0x" + "f" * 99]
)
keys = st.sampled_from(
    ["title", "about", "values", "task", "plan", "task.steps", "plan.tasks", "values.a", '""', "x"]
)
lines = st.one_of(
    st.builds("{} = {}".format, keys, scalars),
    st.builds("[{}]".format, keys),
    st.builds("[[{}]]".format, keys),
    bits,
)


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    """Something that a template file might hold, by accident or on purpose."""
    way = draw(st.sampled_from(["lines", "torn", "bytes"]))
    if way == "bytes":
        return draw(st.binary(max_size=200))
    if way == "lines":
        return (
            draw(st.sampled_from(["", HEAD, GOOD])).encode() + "\n".join(draw(st.lists(lines, max_size=8))).encode()
        )
    whole = (BUILT_IN / f"{draw(st.sampled_from(NAMES))}.toml").read_text(encoding="utf-8").split("\n")
    start, end = sorted(draw(st.tuples(st.integers(0, len(whole)), st.integers(0, len(whole)))))
    return "\n".join(whole[:start] + draw(st.lists(lines, max_size=2)) + whole[end:]).encode()


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])
@given(files=st.dictionaries(st.sampled_from(["bugfix", "own", "Odd", "zz"]), contents(), max_size=3))
def test_whatever_is_in_the_folder_the_list_answers_and_the_rest_works(files: dict[str, bytes]) -> None:
    world = World(memory_store())
    with TemporaryDirectory() as root:
        write(world, Path(root), **files)

        rows = listed(world)
        answered = {name: world.ask("tasks_scaffold", template=name, title="T") for name in rows if name != "Odd"}

    assert rows.keys() == {*NAMES, *files}
    for name, answer in answered.items():
        if "problems" in rows[name]:
            assert answer.refusal is not None
        else:
            asked = [value for value in rows[name].get("values", ()) if "default" not in value]
            assert (answer.refusal is not None) == bool(asked), answer.text
