"""No file verb can be born without the guard: whatever is in a registry is tried with closed paths."""

import inspect
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args

import msgspec
import pytest

from gatepost.domain.refusals import Refusal
from gatepost.files.commands import OfPath
from gatepost.files.host import HostFilesystem
from gatepost.files.memory import InMemoryFilesystem
from gatepost.files.protocol import Filesystem
from gatepost.files.verbs import VERBS, Verb, verb
from gatepost.operations.catalog import OPERATIONS
from gatepost.runtime import Session
from gatepost.tools.files import FileToolsSection
from gatepost.tools.tool import Tool
from tests.files.guarded import MARK, PACKAGE, everything, furnish, in_memory
from tests.givens import WORKSPACE, World, memory_store

CLOSED = [
    PACKAGE,
    f"{PACKAGE}/goals.md",
    f"{PACKAGE}/none.md",
    "new.tsk",
    "tasks/A.TSK./x",
    "file.tsk",
    ".tsk/goals.md",
]

# Every text is taken for a path, unless it stands here: a new parameter has to be thought about.
NO_PATH = {"content", "edits", "mode", "cursor", "after"}
EXPRESSIONS = {("grep", "pattern"), ("file_grep", "pattern")}
HARMLESS: dict[str, Any] = {
    "content": "x",
    "pattern": "*",
    "path": "free",
    "source": "free/f.txt",
    "target": "free/new",
    "edits": [("free", "x")],
}
AS_JSON = {"edits": [{"old_string": "free", "new_string": "x"}]}
NO_VERBS = {"snapshot", "restore"}
MINDS = {"recall_mind", "change_mind"}
"""What a refused path points to. They are listed with the file tools, and take no path."""

Ask = Callable[[str, dict[str, Any]], str | None]
"""A verb and its arguments in, the code of a refusal out, or nothing."""


class Entry(NamedTuple):
    """A verb as some registry offers it: its parameters, those that must be given, and those that hold texts."""

    name: str
    needed: tuple[str, ...]
    texts: tuple[str, ...]


def unguarded(entries: Sequence[Entry], ask: Ask) -> list[str]:
    """What a registry would let through: each verb with a closed path in each parameter that could take one."""
    return [
        f"{entry.name} {field}={path}"
        for entry in entries
        for field in entry.texts
        for path in CLOSED
        if ask(entry.name, {**_harmless(entry), field: path}) != "FORBIDDEN_PATH"
    ]


def _harmless(entry: Entry) -> dict[str, Any]:
    given = {**HARMLESS, **AS_JSON} if entry.name.startswith("file_") else HARMLESS
    return {name: given[name] for name in entry.needed}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return furnish(tmp_path)


@pytest.fixture(params=["disk", "memory"])
def home(request: pytest.FixtureRequest, root: Path) -> Iterator[HostFilesystem | InMemoryFilesystem]:
    before = everything(root)
    if request.param == "memory":
        yield in_memory()
        return
    with HostFilesystem(root) as fs:
        yield fs
    assert everything(root) == before


@pytest.mark.requirement("guard.gate.registry-walked", "guard.gate.one-choke-point")
def test_every_method_of_a_filesystem_refuses_closed_paths(home: HostFilesystem | InMemoryFilesystem) -> None:
    entries = methods(Filesystem)

    assert {entry.name for entry in entries} == {each.name.removeprefix("file_") for each in VERBS}
    assert unguarded(entries, lambda name, given: _code(getattr(home, name), **given)) == []


@pytest.mark.requirement("guard.gate.registry-walked", "guard.gate.one-choke-point")
def test_a_home_has_no_method_that_is_in_no_registry(home: HostFilesystem | InMemoryFilesystem) -> None:
    assert {entry.name for entry in methods(type(home))} == {entry.name for entry in methods(Filesystem)}


@pytest.mark.requirement("guard.gate.registry-walked", "guard.gate.one-choke-point")
def test_every_verb_refuses_closed_paths(home: HostFilesystem | InMemoryFilesystem) -> None:
    assert unguarded([entry_of(each) for each in VERBS], asking(VERBS, home)) == []


@pytest.mark.requirement("guard.gate.registry-walked", "guard.gate.one-choke-point")
def test_every_file_operation_of_the_server_refuses_closed_paths(root: Path) -> None:
    world = World(memory_store())
    listed = [each for each in OPERATIONS if each.files or "files" in each.toolsets]
    offered = [each for each in listed if each.name not in MINDS]
    by_name = {each.name: each for each in VERBS}

    with HostFilesystem(root) as fs:
        world.files = fs  # type: ignore[assignment]  # a world's files are in memory, but any will do
        entries = [_entry(each.name, each.command, without="workspace") for each in offered]

        assert {entry.name for entry in entries} == by_name.keys()
        assert {each.name: each.files for each in listed if each not in offered} == dict.fromkeys(MINDS, False)
        assert unguarded(entries, lambda name, given: _answered(world, name, given)) == []
        batched = json.loads(world.ask("tasks_batch", operations=[_reading(f"{PACKAGE}/goals.md")]).text)
        assert batched["error"]["error"]["code"] == "FORBIDDEN_PATH"


@pytest.mark.requirement("guard.gate.registry-walked", "guard.gate.one-choke-point")
def test_every_file_tool_of_the_library_refuses_closed_paths(home: HostFilesystem | InMemoryFilesystem) -> None:
    section = FileToolsSection(session=Session(), filesystem=home)
    by_name = {tool.name: tool for tool in section.tools}

    assert (
        unguarded([_tool_entry(tool) for tool in section.tools], lambda n, given: _called(by_name[n], given)) == []
    )


@verb("file_peek")
def peek(files: Filesystem, asked: OfPath) -> OfPath:
    """What a verb looks like that goes its own way to the disk."""
    return OfPath(path=Path(asked.path).name)


class Linked(OfPath, frozen=True, kw_only=True):
    """Ask for a second name."""

    alias: Annotated[str, msgspec.Meta(description="Where to.")] = "free/alias"


@verb("file_link", writes=True)
def link(files: Filesystem, asked: Linked) -> OfPath:
    """What a verb looks like that guards one of its paths and forgets the other."""
    files.stat(asked.path)
    return OfPath(path=asked.alias)


@pytest.mark.requirement("guard.gate.registry-walked")
def test_a_verb_without_the_guard_would_be_found_out(home: HostFilesystem | InMemoryFilesystem) -> None:
    later = (*VERBS, peek, link)

    found = unguarded([entry_of(each) for each in later], asking(later, home))

    assert found == [
        *(f"file_peek path={path}" for path in CLOSED),
        *(f"file_link alias={path}" for path in CLOSED),
    ]


@pytest.mark.requirement("guard.gate.registry-walked")
def test_a_method_without_the_guard_would_be_found_out(root: Path) -> None:
    class Later(HostFilesystem):
        def head(self, path: str) -> str:
            """Read on its own."""
            return (root / path).name

    with Later(root) as fs:
        found = unguarded(methods(Later), lambda name, given: _code(getattr(fs, name), **given))

    assert found == [f"head path={path}" for path in CLOSED]


def methods(home: type) -> list[Entry]:
    """The verbs of a filesystem, by its public methods that take a text."""
    found = []
    for name, method in inspect.getmembers(home, inspect.isfunction):
        parameters = [each for each in inspect.signature(method).parameters.values() if each.name != "self"]
        texts = tuple(each.name for each in parameters if _may_be_path(name, each.name, each.annotation))
        needed = tuple(each.name for each in parameters if each.default is each.empty)
        if not name.startswith("_") and name not in NO_VERBS and texts:
            found.append(Entry(name, needed, texts))
    return found


def entry_of(each: Verb) -> Entry:
    """A verb by its parameters."""
    return _entry(each.name, each.params)


def asking(verbs: Sequence[Verb], files: Filesystem) -> Ask:
    """How verbs are asked."""
    by_name = {each.name: each for each in verbs}

    def ask(name: str, given: dict[str, Any]) -> str | None:
        return _code(lambda: by_name[name].run(files, msgspec.convert(given, by_name[name].params)))

    return ask


def _entry(name: str, params: type, *, without: str = "") -> Entry:
    fields = [each for each in msgspec.structs.fields(params) if each.name != without]
    texts = tuple(each.name for each in fields if _may_be_path(name, each.name, each.type))
    return Entry(name, tuple(each.name for each in fields if each.required), texts)


def _tool_entry(tool: Tool) -> Entry:
    assert isinstance(tool.params, type)
    return _entry(tool.name, tool.params)


def _may_be_path(verb: str, field: str, kind: Any) -> bool:
    inner = [kind, *get_args(kind), *(deeper for each in get_args(kind) for deeper in get_args(each))]
    return str in inner and field not in NO_PATH and (verb, field) not in EXPRESSIONS


def _code(call: Callable[..., object], **given: Any) -> str | None:
    try:
        reply = call(**given)
    except Refusal as refusal:
        return refusal.code
    assert MARK not in repr(reply)
    return None


def _answered(world: World, name: str, given: dict[str, Any]) -> str | None:
    answered = world.ask(name, **given)
    assert MARK not in answered.text
    return None if answered.refusal is None else json.loads(answered.text)["error"]["code"]


def _called(tool: Tool, given: dict[str, Any]) -> str | None:
    return _code(lambda: tool.call(given))


def _reading(path: str) -> dict[str, Any]:
    return {"tool": "file_read", "arguments": {"workspace": WORKSPACE, "path": path}}
