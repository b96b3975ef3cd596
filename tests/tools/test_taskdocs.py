"""The taskdoc of a dialog tree: bound at the root, the same for every session, changed by any of them."""

import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import gatepost
from gatepost.operations.answer import find
from gatepost.operations.tools import tool as listed
from gatepost.runtime import Dispatcher, Session, SessionEnded, select_all
from gatepost.tools import TaskdocSection, Tool, ToolInvoked, ToolValidationError, bind_taskdoc
from gatepost.tools.taskdocs import UNBOUND, TaskdocBinding
from gatepost.views.taskdoc import RESTRICTION
from tests.givens import WORKSPACE

TASKDOC = "release"
RULE = "- MUST keep the old API.\n\n  Trailing spaces  \nand no line end"


@pytest.fixture
def gp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[gatepost.Gatepost]:
    """A store in a project of its own, with a taskdoc."""
    monkeypatch.setenv("GATEPOST_ROOT", str(tmp_path))
    with gatepost.connect(str(tmp_path / "gp.db"), actor="host", synchronous="NORMAL") as opened:
        opened.call("taskdoc_create", workspace=WORKSPACE, name=TASKDOC)
        yield opened


class Tree:
    """A root, two children and a grandchild, each with the section."""

    def __init__(self) -> None:
        self.root = Session(id="root")
        self.first = Session(id="first", parent=self.root)
        self.second = Session(id="second", parent=self.root)
        self.deep = Session(id="deep", parent=self.first)
        everyone = (self.root, self.first, self.second, self.deep)
        self.sections = {session.id: TaskdocSection(session=session) for session in everyone}

    def renderings(self) -> set[str]:
        """What the sessions see; they see the same if this is one text."""
        return {section.render() for section in self.sections.values()}

    def call(self, session: str, tool: str, **arguments: Any) -> Any:
        """Call a tool as a session's model does."""
        return named(self.sections[session], tool).call(arguments).value


@pytest.fixture
def tree(gp: gatepost.Gatepost) -> Tree:
    """A tree with a taskdoc."""
    grown = Tree()
    bind_taskdoc(grown.root, gp, WORKSPACE, TASKDOC)
    return grown


def named(section: TaskdocSection, name: str) -> Tool:
    """One of a section's tools."""
    return next(tool for tool in section.tools if tool.name == name)


def effective(gp: gatepost.Gatepost, taskdoc: str = TASKDOC) -> str:
    """The effective taskdoc as the store gives it."""
    text: str = gp.call("recall_mind", workspace=WORKSPACE, taskdoc=taskdoc)["content"]
    return text


def change(gp: gatepost.Gatepost, selector: str, content: str, taskdoc: str = TASKDOC) -> None:
    """Change a section past all sessions."""
    gp.call("change_mind", workspace=WORKSPACE, taskdoc=taskdoc, selector=selector, content=content)


@pytest.mark.requirement("guard.words.prompt", "taskdoc.effective.built")
def test_the_prompt_is_the_restriction_and_the_effective_taskdoc_to_the_letter(
    gp: gatepost.Gatepost, tree: Tree
) -> None:
    change(gp, "goals", "# Ship it\n")

    assert "## Ship it\n" in effective(gp)
    assert tree.renderings() == {f"{RESTRICTION}\n\n{effective(gp)}"}
    assert "`*.tsk/`" in RESTRICTION
    assert {"recall_mind", "change_mind"} <= {tool.name for tool in tree.sections["deep"].tools}


@pytest.mark.requirement("taskdoc.change-mind.seen-by-tree")
@pytest.mark.parametrize("changer", ["root", "first", "deep"])
def test_a_change_by_any_session_is_in_every_sessions_next_rendering_and_on_the_log(
    gp: gatepost.Gatepost, tree: Tree, changer: str
) -> None:
    before = tree.renderings()

    changed = tree.call(changer, "change_mind", selector="constraints", content=RULE)

    (after,) = tree.renderings()
    assert after not in before
    assert RULE in after
    event = gp.call("tasks_delta", workspace=WORKSPACE)["events"][-1]
    named_in_it = {key: event[key] for key in ("type", "taskdoc", "selector", "revision")}
    assert named_in_it == {
        "type": "section_replaced",
        "taskdoc": TASKDOC,
        "selector": "constraints",
        "revision": changed["revision"],
    }
    assert "host" in event["actor"]


@pytest.mark.requirement("taskdoc.change-mind.seen-by-caller")
def test_a_changed_section_is_recalled_by_its_caller_byte_for_byte(tree: Tree) -> None:
    changed = tree.call("first", "change_mind", selector="constraints", content=RULE)

    recalled = tree.call("first", "recall_mind", selector="constraints")

    assert recalled["content"] == RULE
    assert recalled["revision"] == changed["revision"]
    assert tree.call("first", "recall_mind")["content"] in tree.sections["first"].render()


@pytest.mark.requirement("taskdoc.change-mind.seen-by-tree")
def test_what_another_connection_changes_is_in_the_next_rendering(
    gp: gatepost.Gatepost, tree: Tree, tmp_path: Path
) -> None:
    with gatepost.connect(str(tmp_path / "gp.db"), synchronous="NORMAL") as other:
        change(other, "progress", "Half done.\n")

    (seen,) = tree.renderings()
    assert "Half done.\n" in seen


def test_sessions_that_change_at_once_lose_nothing_and_see_the_same_in_the_end(tree: Tree) -> None:
    rounds = 5
    before = tree.call("root", "recall_mind", selector="progress")["revision"]

    def write(session: str) -> None:
        for number in range(rounds):
            tree.call(session, "change_mind", selector="progress", content=f"{session} {number}")

    with ThreadPoolExecutor() as pool:
        list(pool.map(write, tree.sections))

    assert len(tree.renderings()) == 1
    after = tree.call("root", "recall_mind", selector="progress")["revision"]
    assert after - before == rounds * len(tree.sections)


def test_a_binding_made_in_a_child_is_the_whole_trees_and_takes_the_place_of_the_one_before(
    gp: gatepost.Gatepost, tree: Tree
) -> None:
    gp.call("taskdoc_create", workspace=WORKSPACE, name="other")

    bind_taskdoc(tree.deep, gp, WORKSPACE, "other")

    assert tree.renderings() == {f"{RESTRICTION}\n\n{effective(gp, 'other')}"}
    assert [bound.taskdoc for bound in select_all(tree.root, TaskdocBinding)] == ["other"]
    assert select_all(tree.deep, TaskdocBinding) == ()


@pytest.mark.parametrize("taskdoc", ["nowhere", "No Name", ""])
def test_a_taskdoc_that_is_not_there_is_refused_and_the_binding_stays(
    gp: gatepost.Gatepost, tree: Tree, taskdoc: str
) -> None:
    before = tree.renderings()

    with pytest.raises(gatepost.Refusal):
        bind_taskdoc(tree.root, gp, WORKSPACE, taskdoc)

    assert tree.renderings() == before


@pytest.mark.requirement("guard.words.prompt")
def test_without_a_binding_the_prompt_says_how_to_bind_and_the_log_warns(caplog: pytest.LogCaptureFixture) -> None:
    section = TaskdocSection(session=Session(id="alone"))

    with caplog.at_level(logging.WARNING, "gatepost.tools"):
        rendered = section.render()

    assert rendered == f"{RESTRICTION}\n\n{UNBOUND}"
    assert "bind_taskdoc" in UNBOUND
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "alone" in caplog.text


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("recall_mind", {}),
        ("change_mind", {"selector": "goals", "content": "x"}),
        ("clear_mind", {"reminder_content": "x"}),
    ],
)
def test_without_a_binding_every_tool_is_refused(name: str, arguments: dict[str, Any]) -> None:
    section = TaskdocSection(session=Session())

    with pytest.raises(ToolValidationError, match="No taskdoc is bound"):
        named(section, name).call(arguments)


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        ("REVISION_MISMATCH", {"selector": "goals", "content": "late", "expected_revision": 7}),
        ("INVALID_INPUT", {"selector": "goals", "content": " \n"}),
        ("INVALID_INPUT", {"selector": "goals"}),
        ("INVALID_INPUT", {"selector": "meta", "content": "x"}),
        ("INVALID_INPUT", {"selector": "goals", "content": "x", "taskdoc": "other"}),
        ("TOO_LARGE", {"selector": "goals", "content": "x" * 65_537}),
    ],
)
def test_a_refused_change_reaches_the_caller_as_it_is_and_nobody_sees_a_change(
    tree: Tree, code: str, arguments: dict[str, Any]
) -> None:
    before = tree.renderings()

    with pytest.raises(gatepost.Refusal) as refused:
        tree.call("first", "change_mind", **arguments)

    assert refused.value.code == code
    assert tree.renderings() == before


def test_a_section_is_emptied_only_when_that_is_said(tree: Tree) -> None:
    tree.call("first", "change_mind", selector="goals", content="Ship.")

    tree.call("second", "change_mind", selector="goals", clear=True)

    assert tree.call("root", "recall_mind", selector="goals")["content"] == ""


def test_ending_a_round_leaves_the_taskdoc_as_it_is(gp: gatepost.Gatepost, tree: Tree) -> None:
    tree.call("first", "change_mind", selector="goals", content="Ship.")
    before = tree.renderings()

    cleared = tree.call("first", "clear_mind", reminder_content="Next: the changelog.")

    assert [event["type"] for event in cleared["events"]] == ["mind_cleared"]
    assert tree.renderings() == before


def test_sessions_of_a_tree_share_a_round_only_by_naming_the_task(gp: gatepost.Gatepost, tree: Tree) -> None:
    task = gp.call("tasks_create", workspace=WORKSPACE, kind="task", title="Release")["id"]
    tree.call("first", "clear_mind", reminder_content="Mine.")

    assert "re_entry" not in gp.for_session("second").call("tasks_resume", workspace=WORKSPACE, task=task)
    tree.call("first", "clear_mind", reminder_content="Ours.", task=task)

    shown = gp.for_session("second").call("tasks_resume", workspace=WORKSPACE, task=task)["re_entry"]
    assert shown["reminder_content"] == "Ours."


def test_a_tree_keeps_working_by_its_taskdoc_when_that_is_renamed(gp: gatepost.Gatepost, tree: Tree) -> None:
    tree.call("first", "change_mind", selector="goals", content="Ship.")
    bound = tree.call("root", "recall_mind")["taskdoc"]

    gp.call("taskdoc_rename", workspace=WORKSPACE, taskdoc=bound, name="renamed")

    assert tree.call("second", "change_mind", selector="goals", content="Shipped.")["taskdoc"] == "renamed"
    [shown] = tree.renderings()
    assert "# Taskdoc: renamed\n\n## Goals\n\nShipped." in shown


def test_a_clone_shows_what_is_bound_in_its_own_tree_and_tells_its_own_dispatcher(
    gp: gatepost.Gatepost, tree: Tree
) -> None:
    gp.call("taskdoc_create", workspace=WORKSPACE, name="other")
    elsewhere, dispatcher = Session(id="elsewhere"), Dispatcher()
    heard: list[ToolInvoked] = []
    dispatcher.subscribe(ToolInvoked, heard.append)

    clone = tree.sections["first"].clone(session=elsewhere, dispatcher=dispatcher)
    unbound = clone.render()
    bind_taskdoc(elsewhere, gp, WORKSPACE, "other")
    before = tree.renderings()
    named(clone, "change_mind").call({"selector": "goals", "content": "Elsewhere."})

    assert UNBOUND in unbound
    assert clone.key == tree.sections["first"].key
    assert "Elsewhere." in clone.render()
    assert tree.renderings() == before
    assert [(call.tool, call.session_id) for call in heard] == [("change_mind", "elsewhere")]


def test_a_session_that_has_ended_changes_nothing_any_more(tree: Tree) -> None:
    tree.first.end()

    with pytest.raises(SessionEnded):
        tree.call("first", "change_mind", selector="goals", content="Too late.")

    assert UNBOUND in tree.sections["first"].render()
    assert "Too late." not in tree.sections["root"].render()


@pytest.mark.parametrize("name", ["recall_mind", "change_mind", "clear_mind"])
def test_a_tool_takes_what_the_operation_takes_but_what_the_binding_says(name: str) -> None:
    tool = named(TaskdocSection(session=Session()), name)
    schema: dict[str, Any] = listed(find(name))["inputSchema"]
    bound = {"workspace", "taskdoc"}

    mine, theirs = tool.schema, schema["properties"]

    assert set(mine["properties"]) == set(theirs) - bound
    assert set(mine["required"]) == set(schema["required"]) - bound
    for field, spelled in mine["properties"].items():
        assert spelled["description"]
        assert spelled.get("enum") == theirs[field].get("enum")
        assert spelled.get("type", "string") == theirs[field]["type"]
