"""Sections: what all of them have, how they are cloned, and that anyone can write one."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import gatepost.tools
from gatepost.runtime import Dispatcher, ReducerContext, Session, append
from gatepost.tools import (
    FileToolsSection,
    HostFilesystem,
    InMemoryFilesystem,
    InMemoryPromptOverridesStore,
    Section,
    TodoList,
    TodoToolsSection,
    Tool,
    ToolInvoked,
    WorkspaceDigest,
    WorkspaceDigestSection,
    set_workspace_digest,
    todo_read,
    todo_write,
)

PROMISED = (
    *("TodoList", "TodoToolsSection", "ToolValidationError", "WorkspaceDigest", "WorkspaceDigestSection"),
    *("set_workspace_digest", "latest_workspace_digest", "InMemoryFilesystem", "HostFilesystem", "ReadResult"),
    *("WriteResult", "InMemoryPromptOverridesStore", "todo_read", "todo_write", "Tool", "ToolResult", "Section"),
    *("PromptOverridesStore", "FilePromptOverridesStore", "Filesystem", "FileToolsSection", "ToolInvoked"),
)


@dataclass(frozen=True)
class Report:
    """What someone else's section keeps."""

    city: str


class Weather:
    """Someone else's section, as the docs show one."""

    key = "weather"

    def __init__(self, session: Session, dispatcher: Dispatcher | None = None) -> None:
        session[Report].register(Report, append)
        self.session, self.dispatcher = session, dispatcher or session.dispatcher
        self.tools = (Tool.of(self.weather_in).bound(session, self.dispatcher),)

    def weather_in(self, city: str) -> str:
        """The weather in a city."""
        self.session.dispatch(Report(city))
        return f"Fine in {city}."

    def render(self) -> str:
        return "Ask for the weather before you suggest a walk."

    def clone(self, *, session: Session, dispatcher: Dispatcher | None = None) -> "Weather":
        return Weather(session, dispatcher)


MAKES: dict[str, Callable[[Session], Section]] = {
    "todo": lambda session: TodoToolsSection(session=session),
    "digest": lambda session: WorkspaceDigestSection(session=session),
    "files": lambda session: FileToolsSection(session=session, filesystem=InMemoryFilesystem(session=session)),
    "others": Weather,
}
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "todo": ("todo_write", {"items": ["a"]}),
    "files": ("file_write", {"path": "a.txt", "content": "a"}),
    "others": ("weather_in", {"city": "Rome"}),
}

each_section = pytest.mark.parametrize("make", MAKES.values(), ids=MAKES.keys())
each_with_tools = pytest.mark.parametrize("kind", CALLS)


def keep(state: tuple[TodoList, ...], event: TodoList, *, context: ReducerContext) -> tuple[TodoList, ...]:
    """A reducer that lets nothing in."""
    return state


def call(section: Section, kind: str) -> None:
    """Call a tool of the section that changes something."""
    name, arguments = CALLS[kind]
    next(tool for tool in section.tools if tool.name == name).call(arguments)


def heard_by(dispatcher: Dispatcher) -> list[tuple[str, str | None]]:
    """Tool and session of each call that a dispatcher is told of from now on."""
    heard: list[tuple[str, str | None]] = []
    dispatcher.subscribe(ToolInvoked, lambda event: heard.append((event.tool, event.session_id)))
    return heard


@pytest.mark.requirement("workspace.names.tools")
@pytest.mark.parametrize("name", PROMISED)
def test_the_names_that_a_reader_of_the_documents_would_type_are_there(name: str) -> None:
    assert hasattr(importlib.import_module("gatepost.tools"), name)
    assert name in gatepost.tools.__all__


@pytest.mark.requirement("workspace.names.runtime")
def test_session_comes_from_the_runtime() -> None:
    assert importlib.import_module("gatepost.runtime").Session is Session


@each_section
def test_a_section_has_a_key_a_text_and_tools_of_names_that_differ(make: Callable[[Session], Section]) -> None:
    session = Session()
    section = make(session)

    assert section.key
    assert section.render().strip()
    assert section.session is session
    assert section.dispatcher is session.dispatcher
    assert len({tool.name for tool in section.tools}) == len(section.tools)


@pytest.mark.requirement("workspace.tools.no-shell")
@each_section
def test_no_section_of_ours_offers_a_tool_that_runs_commands(make: Callable[[Session], Section]) -> None:
    allowed = {"todo_read", "todo_write", "workspace_digest_get", "weather_in"} | {
        f"file_{verb}"
        for verb in ("read", "write", "edit", "list", "glob", "grep", "stat", "mkdir", "move", "copy", "delete")
    }

    assert {tool.name for tool in make(Session()).tools} <= allowed


@pytest.mark.requirement("workspace.clone.reducers")
def test_a_clone_registers_the_section_s_reducers_on_the_new_session() -> None:
    old, new = Session(), Session()
    # Where a reducer is registered, lists are no longer appended of themselves.
    new[TodoList].register(TodoList, keep)

    TodoToolsSection(session=old).clone(session=new)
    WorkspaceDigestSection(session=old).clone(session=new)
    for body in ("one", "two"):
        new.dispatch(TodoList([body]))
        new.dispatch(WorkspaceDigest("k", "", body))

    assert new[TodoList].all() == (TodoList(["one"]), TodoList(["two"]))
    assert new[WorkspaceDigest].all() == (WorkspaceDigest("k", "", "two"),)


@pytest.mark.requirement("workspace.clone.telemetry")
@each_with_tools
def test_a_clone_tells_the_dispatcher_that_it_was_given(kind: str) -> None:
    old, new, given = Session(id="old"), Session(id="new"), Dispatcher()
    told_old, told_new, told_given = heard_by(old.dispatcher), heard_by(new.dispatcher), heard_by(given)

    clone = MAKES[kind](old).clone(session=new, dispatcher=given)
    call(clone, kind)

    assert clone.dispatcher is given
    assert told_given == [(CALLS[kind][0], "new")]
    assert told_old == told_new == []


@pytest.mark.requirement("workspace.clone.telemetry")
@each_with_tools
def test_a_clone_without_a_dispatcher_tells_that_of_its_session(kind: str) -> None:
    own = Dispatcher()
    old, new = Session(id="old"), Session(id="new")
    section = MAKES[kind](old).clone(session=old, dispatcher=own)
    told_own, told_new = heard_by(own), heard_by(new.dispatcher)

    call(section.clone(session=new), kind)

    assert told_new == [(CALLS[kind][0], "new")]
    assert told_own == []


@pytest.mark.requirement("workspace.clone.original-untouched")
@each_with_tools
def test_the_original_keeps_its_session_and_telemetry_after_a_clone(kind: str) -> None:
    old, new = Session(id="old"), Session(id="new")
    section = MAKES[kind](old)
    told_old, told_new = heard_by(old.dispatcher), heard_by(new.dispatcher)

    section.clone(session=new)
    call(section, kind)

    assert section.session is old
    assert told_old == [(CALLS[kind][0], "old")]
    assert told_new == []


@pytest.mark.requirement("workspace.clone.original-untouched")
def test_lists_and_digests_written_on_either_side_stay_there() -> None:
    old, new = Session(), Session()
    todo, digest = TodoToolsSection(session=old), WorkspaceDigestSection(session=old, placeholder="none")
    todo_write(old, ["before"])
    set_workspace_digest(old, section_key=digest.key, body="before")

    new_todo, new_digest = todo.clone(session=new), digest.clone(session=new)
    fresh = (todo_read(new), new_digest.render())
    new_todo.tools[1].call({"items": ["new"]})
    set_workspace_digest(new, section_key=digest.key, body="new")
    todo.tools[1].call({"items": ["old"]})
    set_workspace_digest(old, section_key=digest.key, body="old")

    assert fresh == (TodoList(), "none")
    assert (todo_read(old), digest.render()) == (TodoList(["old"]), "old")
    assert (todo_read(new), new_digest.render()) == (TodoList(["new"]), "new")


@pytest.mark.requirement("workspace.clone.original-untouched")
def test_ending_one_side_leaves_the_other_alive() -> None:
    old, new = Session(), Session()
    files = InMemoryFilesystem(session=old)
    files.write("a.txt", "a")
    section = FileToolsSection(session=old, filesystem=files)
    clone = section.clone(session=new)

    old.end()

    assert clone.filesystem.read("a.txt").content == "a"
    assert section.filesystem.glob("**") == ()


def test_a_digest_section_s_clone_keeps_its_key_words_and_overrides() -> None:
    store = InMemoryPromptOverridesStore()
    section = WorkspaceDigestSection(session=Session(), key="k", placeholder="none", overrides=store)

    clone = section.clone(session=Session())
    before = clone.render()
    store.set("k", "override")

    assert (clone.key, before, clone.render()) == ("k", "none", "override")


@pytest.mark.requirement("workspace.clone.original-untouched", "files.memory.per-session")
def test_files_in_memory_go_their_own_ways_after_a_clone() -> None:
    files = InMemoryFilesystem()
    files.write("shared.txt", "before")
    section = FileToolsSection(session=Session(), filesystem=files)

    clone = section.clone(session=Session())
    clone.filesystem.write("shared.txt", "new")
    files.write("only-old.txt", "old")

    assert files.read("shared.txt").content == "before"
    assert clone.filesystem.glob("**") == ("shared.txt",)


@pytest.mark.requirement("workspace.state.dies-with-session")
def test_the_end_of_a_clone_s_session_takes_its_files_with_it() -> None:
    files = InMemoryFilesystem()
    files.write("a.txt", "a")
    new = Session()
    clone = FileToolsSection(session=Session(), filesystem=files).clone(session=new)

    new.end()

    assert clone.filesystem.glob("**") == ()
    assert files.read("a.txt").content == "a"


def test_files_on_disk_are_the_same_for_a_clone(tmp_path: Path) -> None:
    with HostFilesystem(tmp_path) as files:
        section = FileToolsSection(session=Session(), filesystem=files)

        assert section.clone(session=Session()).filesystem is files
