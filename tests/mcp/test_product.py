"""The product itself over MCP, judged by the official SDK's client and validators in both eras."""

import json
import os
import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, Implementation, TextContent

from gatepost.operations.catalog import BY_NAME, OPERATIONS, in_toolset
from gatepost.operations.registry import TOOLSETS
from gatepost.operations.titles import TITLES
from gatepost.operations.tools import UNLISTED, listing, tool
from gatepost.settings import BadSettings, Settings
from gatepost.surfaces.mcp.toolbox import GatepostTools
from tests.givens import CONFIRMED, WORKSPACE

PATIENCE = 120
MODES = ("legacy", "2026-07-28")
CORE = [
    *("tasks_radar", "tasks_create", "tasks_decompose", "tasks_define", "tasks_note", "tasks_close_step"),
    *("tasks_claim", "tasks_check"),
    *("tasks_complete", "tasks_block", "tasks_resume", "tasks_context", "tasks_undo", "tasks_batch"),
    *("recall_mind", "change_mind"),
]


def with_server(folder: Path, mode: str, use: Callable[[Client], Awaitable[None]], *options: str) -> None:
    """Run `use` with the SDK's client connected to a real `gatepost mcp`."""

    async def main() -> None:
        arguments = ["-m", "gatepost", "mcp", "--store", str(folder / "gp.db"), *options]
        environment = {"PATH": os.environ["PATH"]}
        parameters = StdioServerParameters(command=sys.executable, args=arguments, env=environment)
        with (folder / "stderr").open("w") as errlog, anyio.fail_after(PATIENCE):
            transport = stdio_client(parameters, errlog=errlog)
            info = Implementation(name="sdk", version="2")
            async with Client(transport, mode=mode, client_info=info) as client:
                await use(client)

    anyio.run(main)


def reply(result: CallToolResult) -> dict[str, Any]:
    """A reply: one text, compact, and nothing that a model would have to read twice."""
    (block,) = result.content
    assert isinstance(block, TextContent)
    assert result.structured_content is None
    replied: dict[str, Any] = json.loads(block.text)
    assert block.text == json.dumps(replied, ensure_ascii=False, separators=(",", ":"))
    return replied


@pytest.mark.requirement("call.reply.compact", "call.actor.recorded", "mcp.sets.core", "mcp.sets.core-default")
@pytest.mark.parametrize("mode", MODES)
def test_an_agent_plans_closes_and_asks_for_the_radar_in_either_era(tmp_path: Path, mode: str) -> None:
    async def use(client: Client) -> None:
        names = [found.name for found in (await client.list_tools()).tools]
        assert names == CORE

        async def call(name: str, **arguments: Any) -> dict[str, Any]:
            return reply(await client.call_tool(name, {"workspace": WORKSPACE, **arguments}))

        plan = await call("tasks_create", kind="plan", title="Plan")
        task = await call("tasks_create", kind="task", title="Task", plan=plan["id"])
        added = await call("tasks_decompose", task=task["id"], steps=[{"title": "One"}, {"title": "Two"}])
        first = added["steps"][0]["step_id"]
        closed = await call("tasks_close_step", task=task["id"], step_id=first, checkpoints=CONFIRMED)
        assert [event["type"] for event in closed["events"]] == ["step_verified", "step_done"]
        logged = (await call("tasks_delta", since=closed["events"][0]["seq"] - 1))["events"]
        (actor,) = {event["actor"] for event in logged}
        assert re.fullmatch("agent:sdk/[0-9a-f]{4}", actor)
        radar = await call("tasks_radar", plan=plan["id"])
        assert radar["now"]["step_id"] == added["steps"][1]["step_id"]

    with_server(tmp_path, mode, use)


@pytest.mark.requirement("call.refusal.shape", "call.workspace.mismatch", "call.workspace.filled-in-when-bound")
@pytest.mark.parametrize("mode", MODES)
def test_a_bound_server_needs_no_workspace_and_refuses_others(tmp_path: Path, mode: str) -> None:
    async def use(client: Client) -> None:
        listed = (await client.list_tools()).tools
        assert not [found.name for found in listed if "workspace" in found.input_schema["properties"]]
        made = await client.call_tool("tasks_create", {"kind": "task", "title": "Task"})
        assert reply(made)["id"] == "TASK-001"
        named = await client.call_tool("tasks_radar", {"workspace": WORKSPACE})
        unnamed = await client.call_tool("tasks_radar", {})
        assert reply(named) == reply(unnamed)
        assert "workspace" not in reply(unnamed)["next"]["arguments"]

        other = await client.call_tool("tasks_radar", {"workspace": "other/repo"})
        assert other.is_error
        error = reply(other)["error"]
        assert error["code"] == "WORKSPACE_MISMATCH"
        assert error["suggestion"] == {"tool": "tasks_radar", "arguments": {}}
        again = await client.call_tool("tasks_radar", {})
        assert not again.is_error

    with_server(tmp_path, mode, use, "--workspace", WORKSPACE)


@pytest.mark.requirement("call.workspace.default-from-file")
def test_a_workspace_in_the_settings_file_is_a_default_and_others_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "gatepost.toml").write_text(f'workspace = "{WORKSPACE}"\n', encoding="utf-8")

    async def use(client: Client) -> None:
        schemas = [found.input_schema for found in (await client.list_tools()).tools]
        assert all("workspace" in schema["properties"] for schema in schemas)
        assert not [schema for schema in schemas if "workspace" in schema.get("required", ())]
        await client.call_tool("tasks_create", {"kind": "task", "title": "Here"})
        await client.call_tool("tasks_create", {"workspace": "other/repo", "kind": "task", "title": "There"})
        here = reply(await client.call_tool("tasks_radar", {}))
        there = reply(await client.call_tool("tasks_radar", {"workspace": "other/repo"}))
        assert (here["target"]["title"], there["target"]["title"]) == ("Here", "There")
        assert "workspace" not in here["next"]["arguments"]
        assert there["next"]["arguments"]["workspace"] == "other/repo"

    with_server(tmp_path, "legacy", use, "--root", str(tmp_path))


@pytest.mark.requirement("call.refusal.suggestion-accepted", "tasks.radar.next")
def test_what_a_core_server_suggests_can_be_sent_to_it_and_next_lacks_only_what_it_asks_for(tmp_path: Path) -> None:
    async def use(client: Client) -> None:
        async def call(name: str, **arguments: Any) -> dict[str, Any]:
            return reply(await client.call_tool(name, {"workspace": WORKSPACE, **arguments}))

        await call("tasks_create", kind="task", title="Task", steps=[{"title": "One"}])
        denied = {"criteria": {"confirmed": True}}
        refused = (await call("tasks_close_step", task="TASK-001", path="s:0", checkpoints=denied))["error"]
        suggested = await call(refused["suggestion"]["tool"], **refused["suggestion"]["arguments"])
        assert suggested["step"]["unconfirmed"] == ["criteria", "tests"]
        supplied: dict[str, dict[str, Any]]
        supplied = {"checkpoints.criteria": {"checkpoints": CONFIRMED}, "task": {"task": "TASK-001"}}
        while (following := (await call("tasks_radar", task="TASK-001"))["next"])["tool"] != "tasks_context":
            assert "error" in await call(following["tool"], **following["arguments"])
            added = supplied[following["supply"][0]]
            answered = await call(following["tool"], **following["arguments"], **added)
            assert "error" not in answered, following

    with_server(tmp_path, "legacy", use)


@pytest.mark.requirement("mcp.sets.tasks-and-all", "call.registry.one-description")
@pytest.mark.parametrize("toolset", TOOLSETS)
def test_every_tool_set_lists_what_the_registry_puts_in_it(tmp_path: Path, toolset: str) -> None:
    settings = Settings(str(tmp_path), {})

    offered = GatepostTools(settings, toolset, output_schemas=False).tools()

    whole = [tool(operation) for operation in in_toolset(toolset)]
    for found in whole if toolset == "core" else ():
        for name in UNLISTED.get(found["name"], ()):
            found["inputSchema"]["properties"].pop(name, None)
    assert offered == whole


@pytest.mark.requirement("mcp.tools.titles")
def test_every_tool_has_a_short_title_in_words() -> None:
    for operation in OPERATIONS:
        title = TITLES[operation.name]
        assert len(title) <= 24
        assert "_" not in title
    assert len(set(TITLES.values())) == len(TITLES)


@pytest.mark.requirement("mcp.sets.batch-reaches-all")
def test_a_batch_reaches_operations_that_the_set_does_not_list(tmp_path: Path) -> None:
    async def use(client: Client) -> None:
        assert "tasks_edit" not in {found.name for found in (await client.list_tools()).tools}
        operations = [
            {"tool": "tasks_create", "arguments": {"kind": "task", "title": "Task"}},
            {"tool": "tasks_edit", "arguments": {"task": "TASK-001", "priority": "HIGH"}},
        ]
        done = reply(await client.call_tool("tasks_batch", {"workspace": WORKSPACE, "operations": operations}))
        assert [result.get("changed", True) for result in done["results"]] == [True, True]

    with_server(tmp_path, "legacy", use)


def test_sets_and_single_tools_can_be_combined_and_unknown_ones_are_named(tmp_path: Path) -> None:
    settings = Settings(str(tmp_path), {})

    offered = GatepostTools(settings, "core,tasks_delta", output_schemas=False).tools()

    assert {str(found["name"]) for found in offered} == {*(o.name for o in in_toolset("core")), "tasks_delta"}
    with pytest.raises(BadSettings, match="cor"):
        GatepostTools(settings, "cor", output_schemas=False)


@pytest.mark.requirement("mcp.list.core-size", "mcp.list.all-size")
@pytest.mark.parametrize(("toolset", "most"), [("core", 9_500), ("all", 40_000)])
def test_a_list_of_tools_costs_an_agent_few_characters(tmp_path: Path, toolset: str, most: int) -> None:
    offered = GatepostTools(Settings(str(tmp_path), {}), toolset, output_schemas=False).tools()

    size = len(json.dumps({"tools": offered}, ensure_ascii=False, separators=(",", ":")))

    assert size <= most


@pytest.mark.requirement("mcp.list.output-schemas-by-flag")
def test_output_schemas_are_listed_only_by_flag_and_fit_the_replies(tmp_path: Path) -> None:
    async def without(client: Client) -> None:
        assert all(found.output_schema is None for found in (await client.list_tools()).tools)

    async def with_them(client: Client) -> None:
        # The SDK's client checks every structured reply against the schema it was listed with.
        listed = (await client.list_tools()).tools
        assert all(found.output_schema is not None for found in listed)
        made = await client.call_tool("tasks_create", {"workspace": WORKSPACE, "kind": "task", "title": "T"})
        radar = await client.call_tool("tasks_radar", {"workspace": WORKSPACE})
        found = await client.call_tool("tasks_resume", {"workspace": WORKSPACE, "events_limit": 5})
        for result in (made, radar, found):
            assert not result.is_error
            (block,) = result.content
            assert isinstance(block, TextContent)
            assert json.loads(block.text) == result.structured_content

    with_server(tmp_path, "legacy", without)
    with_server(tmp_path, "2026-07-28", with_them, "--tools", "all", "--output-schemas")


@pytest.mark.requirement("mcp.tools.no-clear-everything")
def test_no_tool_clears_everything() -> None:
    for operation in OPERATIONS:
        required = {"task", "plan", "path", "source", "selector"} & set(
            tool(operation)["inputSchema"].get("required", [])
        )
        # What these two take back or write over stays in the log.
        kept = operation.name in ("tasks_undo", "taskdoc_restore")
        harmless = not operation.destructive or required or kept
        assert harmless, f"{operation.name} destroys without a target"
    assert not [operation.name for operation in OPERATIONS if {"all", "reset"} & set(operation.name.split("_"))]


def test_schemas_are_plain_enough_for_every_client() -> None:
    for entry in listing()["tools"]:
        shown = entry["tool"]
        schema = shown["inputSchema"]
        text = json.dumps(schema)
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        assert "workspace" in schema["required"]
        assert not any(word in text for word in ("oneOf", "anyOf", "allOf", "$ref", "$defs", '"type": ['))
        assert len(text) <= 5_000
        operation = BY_NAME[shown["name"]]
        assert shown.get("annotations", {}) == (
            {"readOnlyHint": True}
            if not operation.writes
            else {}
            if operation.destructive
            else {"destructiveHint": False}
        )
        assert len(shown["description"]) <= 300


@pytest.mark.parametrize("toolset", TOOLSETS)
def test_no_tool_set_lists_request_ids_and_every_write_takes_them(tmp_path: Path, toolset: str) -> None:
    toolbox = GatepostTools(Settings(str(tmp_path), {}), toolset, output_schemas=False)
    given: dict[str, object] = {"workspace": WORKSPACE, "kind": "task", "title": "Once", "request_id": "agent-1"}

    texts = [toolbox.call("tasks_create", given, "sdk").text for _ in range(2)]
    toolbox.close()

    assert "request_id" not in json.dumps(toolbox.tools())
    assert texts[0] == texts[1]
    assert json.loads(texts[0])["id"] == "TASK-001"
