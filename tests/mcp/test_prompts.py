"""Prompts and the completion of arguments, judged by the official SDK over both transports and in both eras."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp_types import PromptReference, ResourceTemplateReference, TextContent, methods
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

import gatepost
from gatepost.surfaces.mcp import completion
from tests.givens import WORKSPACE
from tests.mcp.sdk_clients import MODES, TRANSPORTS, store, talk
from tests.mcp.test_protocol import MODERN
from tests.mcp.test_resources import Desk

NAMES = ["resume", "handoff", "plan", "close"]
SHOWN = {
    "resume": ("tasks_radar", "tasks_resume"),
    "handoff": ("tasks_handoff",),
    "plan": ("tasks_radar", "tasks_resume"),
    "close": ("tasks_radar",),
}
STEPS = [{"title": "One", "criteria": ["it works"], "tests": ["they pass"]}, {"title": "Two"}]


@pytest.fixture
def gp(tmp_path: Path) -> Iterator[gatepost.Gatepost]:
    """A store with a task."""
    with store(tmp_path) as opened:
        opened.call("tasks_create", workspace=WORKSPACE, kind="task", title="Ship", steps=STEPS)
        yield opened


def said(desk: Desk, name: str, **arguments: str) -> str:
    """The text of a prompt."""
    (message,) = desk.ask("prompts/get", name=name, arguments=arguments)["result"]["messages"]
    text: str = message["content"]["text"]
    return text


def completed(desk: Desk, argument: str, begun: str, **others: str) -> list[str]:
    """What is suggested for a prompt's argument."""
    given: dict[str, Any] = {
        "ref": {"type": "ref/prompt", "name": "resume"},
        "argument": {"name": argument, "value": begun},
    }
    if others:
        given["context"] = {"arguments": others}
    values: list[str] = desk.ask("completion/complete", **given)["result"]["completion"]["values"]
    return values


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_client_lists_gets_and_completes_prompts(
    gp: gatepost.Gatepost, tmp_path: Path, transport: str, mode: str
) -> None:
    radar = json.dumps(gp.call("tasks_radar", workspace=WORKSPACE), separators=(",", ":"))

    async def use(client: Client) -> None:
        listed = (await client.list_prompts()).prompts
        got = await client.get_prompt("resume", {"workspace": WORKSPACE})
        resume = PromptReference(type="ref/prompt", name="resume")
        where = await client.complete(resume, {"name": "workspace", "value": "ac"})
        which = await client.complete(resume, {"name": "task", "value": ""}, {"workspace": WORKSPACE})
        with pytest.raises(MCPError, match=r"unknown prompt 'resum'.*resume, handoff, plan, close"):
            await client.get_prompt("resum", {})

        assert [prompt.name for prompt in listed] == NAMES
        assert all(len(prompt.arguments or []) <= 2 for prompt in listed)
        assert got.messages[0].role == "user"
        assert isinstance(got.messages[0].content, TextContent)
        assert radar in got.messages[0].content.text
        assert (where.completion.values, which.completion.values) == ([WORKSPACE], ["TASK-001"])

    talk(transport, mode, tmp_path, use)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("version", [MODERN, *HANDSHAKE_PROTOCOL_VERSIONS])
def test_a_prompt_shows_what_the_operations_answer_at_that_moment(
    gp: gatepost.Gatepost, tmp_path: Path, name: str, version: str
) -> None:
    desk = Desk(tmp_path, version)
    before = said(desk, name, workspace=WORKSPACE, task="TASK-001")

    gp.call("tasks_edit", workspace=WORKSPACE, task="TASK-001", title="Shipped")
    after = said(desk, name, workspace=WORKSPACE, task="TASK-001")

    assert before != after
    for tool in SHOWN[name]:
        answered = gp.call(tool, workspace=WORKSPACE, task="TASK-001")
        assert json.dumps(answered, separators=(",", ":")) in after


def test_planning_without_a_task_shows_what_tasks_there_are(gp: gatepost.Gatepost, tmp_path: Path) -> None:
    shown = json.dumps(gp.call("tasks_context", workspace=WORKSPACE), separators=(",", ":"))

    text = said(Desk(tmp_path), "plan", workspace=WORKSPACE)

    assert shown in text
    assert "tasks_create" in text
    assert "tasks_decompose" in said(Desk(tmp_path), "plan", workspace=WORKSPACE, task="TASK-001")


def test_where_the_server_is_bound_a_person_need_not_type_the_workspace(
    gp: gatepost.Gatepost, tmp_path: Path
) -> None:
    desk = Desk(tmp_path, workspace=WORKSPACE)

    listed = desk.ask("prompts/list")["result"]["prompts"]

    assert [[argument["name"] for argument in prompt["arguments"]] for prompt in listed] == [["task"]] * 4
    assert said(desk, "resume") == said(desk, "resume", workspace=WORKSPACE)
    assert completed(desk, "task", "") == ["TASK-001"]
    assert "acme/repo" in desk.ask("prompts/get", name="resume", arguments={"workspace": "x"})["error"]["message"]


@pytest.mark.parametrize("version", [MODERN, HANDSHAKE_PROTOCOL_VERSIONS[-1]])
@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "resume needs workspace"),
        ({"workspace": "  "}, "resume needs workspace"),
        ({"workspace": WORKSPACE, "taks": "TASK-001"}, "resume has no argument 'taks': it has workspace and task"),
        ({"workspace": WORKSPACE, "task": "TASK-404"}, "TASK-404"),
        ({"workspace": "a..b"}, "workspace"),
        ({"workspace": 7}, "strings, unlike workspace"),
        (["workspace"], "must be an object"),
    ],
)
def test_a_prompt_that_cannot_be_made_says_why(
    gp: gatepost.Gatepost, tmp_path: Path, version: str, given: object, says: str
) -> None:
    error = Desk(tmp_path, version).ask("prompts/get", name="resume", arguments=given)["error"]

    assert error["code"] == -32602
    assert says in error["message"]


def test_the_list_of_prompts_may_be_kept_and_loads_no_engine(tmp_path: Path) -> None:
    listed = Desk(tmp_path).ask("prompts/list")["result"]

    methods.validate_server_result("prompts/list", MODERN, listed)
    assert listed["ttlMs"] > 0
    assert Desk(tmp_path).code("prompts/list", cursor="x") == -32602
    assert not (tmp_path / "gp.db").exists()


def test_completion_goes_by_beginnings_whatever_the_case_and_offers_active_tasks_first(
    gp: gatepost.Gatepost, tmp_path: Path
) -> None:
    for title in ("Second", "Third", "Fourth"):
        gp.call("tasks_create", workspace=WORKSPACE, kind="task", title=title)
    gp.call("tasks_note", workspace=WORKSPACE, task="TASK-003", note="begun")
    gp.call("tasks_complete", workspace=WORKSPACE, task="TASK-004")
    gp.call("tasks_create", workspace="other/repo", kind="task", title="Elsewhere")
    desk = Desk(tmp_path)

    assert completed(desk, "task", "task-", workspace=WORKSPACE) == ["TASK-003", "TASK-001", "TASK-002"]
    assert completed(desk, "task", "TASK-002", workspace=WORKSPACE) == ["TASK-002"]
    assert completed(desk, "task", "x", workspace=WORKSPACE) == []
    assert completed(desk, "task", "", workspace="nobody/knows") == []
    assert completed(desk, "task", "") == []
    assert completed(desk, "workspace", "") == [WORKSPACE, "other/repo"]
    assert completed(desk, "workspace", "OTHER") == ["other/repo"]
    assert completed(desk, "nothing", "") == []


def test_a_bound_server_suggests_nothing_of_other_workspaces(gp: gatepost.Gatepost, tmp_path: Path) -> None:
    gp.call("tasks_create", workspace="other/repo", kind="task", title="Elsewhere")
    desk = Desk(tmp_path, workspace=WORKSPACE)

    assert completed(desk, "workspace", "") == [WORKSPACE]
    assert completed(desk, "task", "", workspace="other/repo") == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_addresses_are_completed_too(gp: gatepost.Gatepost, tmp_path: Path, transport: str, mode: str) -> None:
    gp.call("taskdoc_create", workspace=WORKSPACE, name="release")
    gp.call("todo_write", workspace=WORKSPACE, session="crew", items=["Look"])

    async def use(client: Client) -> None:
        async def values(template: str, argument: str) -> list[str]:
            ref = ResourceTemplateReference(type="ref/resource", uri=f"gatepost://{template}")
            found = await client.complete(ref, {"name": argument, "value": ""}, {"workspace": WORKSPACE})
            return found.completion.values

        assert await values("radar/{workspace}", "workspace") == [WORKSPACE]
        assert await values("task/{workspace}/{id}", "id") == ["TASK-001"]
        assert await values("taskdoc/{workspace}/{name}", "name") == ["release"]
        assert await values("todo/{workspace}/{scope}", "scope") == ["crew", "TASK-001"]
        assert await values("todo/{workspace}/{scope}", "name") == []
        with pytest.raises(MCPError, match="the templates are"):
            await values("nothing/{workspace}", "workspace")

    talk(transport, mode, tmp_path, use)


def test_no_more_is_suggested_than_the_protocol_allows(
    gp: gatepost.Gatepost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        gp.call("tasks_create", workspace=WORKSPACE, kind="task", title=f"More {number}")
    monkeypatch.setattr(completion, "MOST", 3)
    ask = {
        "ref": {"type": "ref/prompt", "name": "close"},
        "argument": {"name": "task", "value": "TASK"},
        "context": {"arguments": {"workspace": WORKSPACE}},
    }

    found = Desk(tmp_path).ask("completion/complete", **ask)["result"]["completion"]

    assert found == {"values": ["TASK-001", "TASK-002", "TASK-003"], "hasMore": True}


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"ref": {"type": "ref/prompt", "name": "resume"}},
        {"ref": {"type": "ref/prompt", "name": "resume"}, "argument": {"name": "task"}},
        {"ref": {"type": "ref/prompt", "name": "resume"}, "argument": {"name": "task", "value": 7}},
        {"ref": {"type": "ref/prompt", "name": "nobody"}, "argument": {"name": "task", "value": ""}},
        {"ref": {"type": "ref/prompt"}, "argument": {"name": "task", "value": ""}},
        {"ref": {"type": "ref/tool", "name": "resume"}, "argument": {"name": "task", "value": ""}},
        {"ref": "resume", "argument": {"name": "task", "value": ""}},
    ],
)
def test_what_cannot_be_completed_is_an_invalid_parameter(
    gp: gatepost.Gatepost, tmp_path: Path, given: dict[str, object]
) -> None:
    assert Desk(tmp_path).code("completion/complete", **given) == -32602


def test_what_clients_list_at_the_start_loads_neither_engine_nor_typing() -> None:
    program = """
import sys
from gatepost.surfaces.mcp.messages import Peer
from gatepost.surfaces.mcp.protocol import McpDispatcher
from gatepost.surfaces.mcp.toolbox import GatepostTools
from gatepost.settings import settings
tools = GatepostTools(settings({"store": "memory:"}), "core", output_schemas=False)
dispatcher = McpDispatcher(tools, listens=True)
for method in ("tools/list", "prompts/list"):
    message = {"jsonrpc": "2.0", "id": 1, "method": method}
    assert dispatcher.answer(message, Peer("c", "2025-11-25")).code is None
print(sorted({"msgspec", "apsw", "typing", "threading", "dataclasses", "hashlib", "difflib"} & set(sys.modules)))
"""

    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
