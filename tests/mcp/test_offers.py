"""What is said to an agent names only what it was offered, wherever it is said."""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import gatepost
from gatepost.engine.caller import Caller
from gatepost.operations.answer import answer
from gatepost.operations.catalog import BY_NAME, OPERATIONS
from gatepost.operations.registry import TOOLSETS
from gatepost.operations.tools import listing, named_in
from gatepost.settings import Settings
from gatepost.surfaces.mcp.exchange import Exchange
from gatepost.surfaces.mcp.messages import McpRequest, Peer, RpcError, UnknownName
from gatepost.surfaces.mcp.tool_sets import chosen, instructions
from gatepost.surfaces.mcp.toolbox import GatepostTools
from tests.givens import WORKSPACE, World, memory_store, new_store
from tests.mcp.walks import calls, state

SETS = (*TOOLSETS, "core,files", "tasks_batch", "tasks_create,todo_write", "file_read")
STATES = 3
EACH = 4
SOURCES = Path(gatepost.__file__).parent
PROVOKED = {
    *("INVALID_INPUT", "UNKNOWN_ID", "UNKNOWN_TOOL", "TARGET_MISMATCH", "REVISION_MISMATCH", "STEP_DONE"),
    *("CHECKPOINTS_NOT_CONFIRMED", "CHILDREN_OPEN", "CHECKLIST_OPEN", "STEP_BLOCKED", "HAS_DEPENDENTS"),
    *("BATCH_FAILED", "FORBIDDEN_PATH", "NOT_FOUND", "ALREADY_EXISTS", "SECRET_FOUND", "NOTHING_TO_REDO"),
}


@cache
def listed(toolset: str) -> frozenset[str]:
    return frozenset(tool["name"] for tool in chosen(listing(), toolset))


def caller(toolset: str) -> Caller:
    files = frozenset(name for name in listed(toolset) if name.startswith("file_"))
    return Caller("agent", files=files, tools=listed(toolset))


def named_calls(body: Any) -> Iterator[dict[str, Any]]:
    """Every call that a reply or refusal names, wherever it is."""
    if isinstance(body, dict):
        for key, value in body.items():
            if key in ("next", "fix", "suggestion") and isinstance(value, dict) and "tool" in value:
                yield value
            yield from named_calls(value)
    elif isinstance(body, list):
        for item in body:
            yield from named_calls(item)


def said(body: Any) -> Iterator[str]:
    """Every text of a reply or refusal, but for records of what was done, which name the operation that did it."""
    if isinstance(body, dict):
        for key, value in body.items():
            if not (key == "tool" and body.keys() & {"operation", "type"}):
                yield from said(value)
    elif isinstance(body, list):
        for item in body:
            yield from said(item)
    elif isinstance(body, str):
        yield re.sub(r"\b(?:Operation|Call) \d+ \(\w+\)", "", body)


def check(text: str, offered: frozenset[str], sent: str) -> None:
    """A text that an agent gets names what it was offered, or what it has just named itself."""
    body = json.loads(text)
    for call in named_calls(body):
        assert call["tool"] in offered, (sent, text)
    names = {name for words in said(body) for name in named_in(words)}
    assert names <= offered | set(named_in(sent)), (sent, text)


@pytest.mark.requirement("mcp.sets.closed", "call.refusal.suggestion-accepted")
@pytest.mark.parametrize("toolset", SETS)
def test_every_answer_names_only_tools_that_were_offered(toolset: str) -> None:
    offered, who = listed(toolset), caller(toolset)
    codes: set[str] = set()
    for seed in range(STATES):
        world = state(World(memory_store()), seed)
        rehearsal = world.engine.rehearsing()
        for tool, given in calls(world, seed, EACH):
            sent = {"workspace": WORKSPACE, **given}

            answered = answer(rehearsal, tool, sent, who)

            check(answered.text, offered, f"{tool} {json.dumps(sent)}")
            if answered.refusal is None or answered.refusal.suggestion is None:
                codes |= set() if answered.refusal is None else {answered.refusal.code}
                continue
            codes.add(answered.refusal.code)
            named, arguments = answered.refusal.suggestion
            assert not BY_NAME[named].destructive, answered.text
            assert not {"checkpoints", "blocked", "force"} & set(arguments), answered.text
            again = answer(rehearsal, named, arguments, who)
            assert again.refusal is None, (tool, sent, answered.text, again.text)
    assert codes >= PROVOKED - (set() if "files" in toolset else {"FORBIDDEN_PATH", "NOT_FOUND"})


@pytest.mark.parametrize("way", ["undo", "add a step below it"])
def test_a_done_step_can_be_reopened_with_the_default_tools_as_its_refusal_says(way: str) -> None:
    world = World(memory_store())
    world.caller = caller("core")
    task = world.task("Write it", "Ship it")
    for path in ("s:0", "s:1"):
        world.close(task, path)
    wanted: dict[str, Any] = {"task": task, "path": "s:0", "criteria": ["It is short"]}

    refused = world.no("STEP_DONE", "tasks_define", **wanted)

    assert way in refused["recovery"]
    assert {"tasks_undo", "tasks_decompose", "tasks_resume"} <= listed("core")
    if way == "undo":
        shown = world.ok("tasks_resume", task=task, path="s:0", events_limit=20)["events"]
        done = next(row["seq"] for row in shown if (row["type"], row.get("path")) == ("step_done", "s:0"))
        world.ok("tasks_undo", operation=done)
    else:
        world.ok("tasks_decompose", task=task, path="s:0", steps=[{"title": "Shorten it"}])
    assert not world.step(task, "s:0")["done"]
    world.ok("tasks_define", **wanted)


@pytest.mark.requirement("mcp.sets.closed")
@pytest.mark.parametrize("toolset", SETS)
def test_a_server_bound_to_a_workspace_never_names_that_argument(toolset: str) -> None:
    who = replace(caller(toolset), bound=WORKSPACE)
    world = state(World(memory_store()), 1)
    rehearsal = world.engine.rehearsing()

    for tool, given in calls(world, 1, 2):
        answered = answer(rehearsal, tool, given, who)
        for call in named_calls(json.loads(answered.text)):
            assert "workspace" not in call["arguments"], (tool, given, answered.text)


@pytest.mark.requirement("mcp.sets.closed")
@pytest.mark.parametrize("toolset", SETS)
def test_the_list_and_the_instructions_name_only_tools_that_were_offered(toolset: str) -> None:
    for outputs in (False, True):
        for tool in chosen(listing(outputs=outputs), toolset):
            words = json.dumps({key: value for key, value in tool.items() if key != "name"})
            assert set(named_in(words)) <= listed(toolset), tool["name"]
    for knows in (False, True):
        text = instructions(listing(), listed(toolset), knows_workspace=knows, has_packages=not knows)
        assert set(named_in(text)) <= listed(toolset)
        assert 0 < len(text) <= 700


@pytest.mark.requirement("mcp.sets.closed")
@pytest.mark.parametrize("toolset", SETS)
def test_prompts_resources_and_errors_name_only_tools_that_were_offered(toolset: str, tmp_path: Path) -> None:
    store = new_store("sqlite", tmp_path)
    state(World(store), 1)
    store.close()
    settings = Settings(
        str(tmp_path), {"store": str(tmp_path / "gatepost.db"), "workspace": WORKSPACE}, bound=False
    )
    toolbox = GatepostTools(settings, toolset, output_schemas=False)
    try:
        texts = [*prompts(toolbox), *resources(toolbox)]
    finally:
        toolbox.close()

    assert len(texts) > 8
    for text in texts:
        assert set(named_in(text)) <= listed(toolset), text


def prompts(toolbox: GatepostTools) -> Iterator[str]:
    """Every prompt, without a task, with one, and with one that does not exist."""
    exchange = Exchange(McpRequest(1, "prompts/get", {}), Peer(None, "2025-11-25"), None, None)
    offered = toolbox.prompts(None)
    yield json.dumps(offered.listed())
    for prompt in offered.listed():
        for arguments in ({}, {"task": "TASK-001"}, {"task": "PLAN-001"}, {"task": "TASK-999"}):
            try:
                yield json.dumps(offered.get(str(prompt["name"]), dict(arguments), exchange))
            except RpcError as error:
                yield json.dumps([error.message, error.data])


def resources(toolbox: GatepostTools) -> Iterator[str]:
    """The list of resources, each of them, and some that do not exist."""
    offered = toolbox.resources(None)
    found, _ = offered.page(None)
    yield json.dumps([*found, *offered.templates()])
    for uri in (*(str(row["uri"]) for row in found), "gatepost://task/acme%2Frepo/TASK-999", "gatepost://nothing"):
        try:
            yield str(offered.read(uri)["text"])
        except UnknownName as error:
            yield str(error)
        except RpcError as error:
            yield json.dumps([error.message, error.data])


SPOKEN = ("domain", "engine", "files", "operations", "replies", "storage", "tsk", "views", "wire")
ALLOWED = {
    "domain/claims.py": {"tasks_claim"},  # said only to those who were offered it
    "files/verbs.py": {"recall_mind", "change_mind"},
    "files/guard.py": {"recall_mind", "change_mind"},  # a server that lists file tools lists these two
    "views/guidance.py": set(BY_NAME),  # sentences that are left out where a tool is not listed
    "views/taskdoc.py": {"recall_mind", "change_mind"},  # for programs that hand out these two
}


@pytest.mark.requirement("mcp.sets.closed")
@pytest.mark.parametrize("folder", SPOKEN)
def test_no_sentence_in_the_sources_names_a_tool(folder: str) -> None:
    for file in sorted((SOURCES / folder).rglob("*.py")):
        where = str(file.relative_to(SOURCES))
        for line, text in sentences(file):
            assert set(named_in(text)) <= ALLOWED.get(where, set()), f"{where}:{line} {text}"


def sentences(file: Path) -> Iterator[tuple[int, str]]:
    """Every text of a source with a space in it that a program can say, docstrings of operations too."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    silent = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            decorated = isinstance(node, ast.FunctionDef) and node.decorator_list
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and not decorated:
                silent.add(statement.value)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node not in silent
            and " " in node.value
        ):
            yield node.lineno, node.value


def test_the_walks_reach_every_operation() -> None:
    world = state(World(memory_store()), 1)

    accepted = {tool for tool, given in calls(world, 1, EACH) if world.ask(tool, **given).refusal is None}

    assert len(accepted) >= len(OPERATIONS) - 12, sorted(set(BY_NAME) - accepted)
