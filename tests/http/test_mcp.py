"""MCP over HTTP, in both eras."""

import json
from typing import Any

import anyio
import httpx
import pytest
from mcp.client import Client
from mcp_types import TextContent

from gatepost.operations.catalog import in_toolset
from gatepost.surfaces.mcp.messages import CAPABILITIES_KEY, CLIENT_KEY, VERSION_KEY
from tests.givens import WORKSPACE
from tests.http.givens import Site

MODERN = "2026-07-28"
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
META = {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}, CLIENT_KEY: {"name": "new", "version": "1"}}
RADAR = {"name": "tasks_radar", "arguments": {"workspace": WORKSPACE}}


def post(here: Site, method: str, params: Any, headers: dict[str, str], path: str = "/mcp") -> httpx.Response:
    """One request."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return here.client.post(path, json=message, headers=headers)


def opened(here: Site) -> dict[str, str]:
    """A legacy session: the headers that belong to it."""
    answered = post(here, "initialize", HELLO, {})
    assert answered.status_code == 200, answered.text
    return {"mcp-session-id": answered.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}


def called(answered: httpx.Response) -> Any:
    """What a tool replied."""
    assert answered.status_code == 200, answered.text
    result = answered.json()["result"]
    assert "structuredContent" not in result
    return json.loads(result["content"][0]["text"])


def modern(here: Site, method: str, params: dict[str, Any], **headers: str) -> httpx.Response:
    """One modern request, with the headers that it needs unless others are given."""
    given = {"mcp-protocol-version": MODERN, "mcp-method": method}
    if "name" in params:
        given["mcp-name"] = params["name"]
    spelled = {name.replace("_", "-"): value for name, value in headers.items()}
    return post(here, method, {**params, "_meta": META}, given | spelled)


def test_a_legacy_client_opens_a_session_works_in_it_and_ends_it(here: Site) -> None:
    mine = opened(here)

    notified = here.client.post(
        "/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=mine
    )
    listed = post(here, "tools/list", {}, mine).json()["result"]["tools"]
    create = {"name": "tasks_create", "arguments": {"workspace": WORKSPACE, "kind": "task", "title": "A"}}
    made = called(post(here, "tools/call", create, mine))
    ended = here.client.delete("/mcp", headers=mine)
    after = post(here, "tools/list", {}, mine)

    assert (notified.status_code, notified.content) == (202, b"")
    assert [tool["name"] for tool in listed] == [found.name for found in in_toolset("core")]
    assert made["events"] == [{"seq": 1, "type": "task_created"}]
    assert (ended.status_code, after.status_code) == (204, 404)


def test_without_a_session_a_legacy_request_is_refused(here: Site) -> None:
    assert post(here, "tools/list", {}, {}).status_code == 400
    assert post(here, "tools/list", {}, {"mcp-session-id": "guessed"}).status_code == 404
    assert here.client.delete("/mcp").status_code == 400
    assert here.client.get("/mcp").status_code == 405


@pytest.mark.requirement("todo.server.session")
def test_a_todo_list_belongs_to_its_mcp_session_unless_the_call_names_another_and_ends_with_it(here: Site) -> None:
    one, two = opened(here), opened(here)

    def todo(mine: dict[str, str], tool: str, **arguments: Any) -> Any:
        given = {"name": tool, "arguments": {"workspace": WORKSPACE, **arguments}}
        return called(post(here, "tools/call", given, mine))

    written = todo(one, "todo_write", items=["mine"])
    todo(two, "todo_write", items=["shared"], session="crew")

    assert todo(one, "todo_read")["items"] == ["mine"]
    assert todo(two, "todo_read")["items"] == []
    assert todo(one, "todo_read", session="crew")["items"] == ["shared"]
    here.client.delete("/mcp", headers=one)
    assert todo(two, "todo_read", session=written["session"])["items"] == []
    assert here.world.ok("tasks_delta")["events"][-1]["type"] == "todo_cleared"


@pytest.mark.requirement("crew.claims.ends")
@pytest.mark.parametrize(("named", "kept"), [({}, []), ({"x-gatepost-holder": "desk-1"}, ["s:0", "s:1"])])
def test_what_a_session_holds_is_free_once_its_client_has_ended_it(
    here: Site, named: dict[str, str], kept: list[str]
) -> None:
    task = here.world.task("first", "second", "third")
    one, two = opened(here), opened(here)

    def claim(mine: dict[str, str], **arguments: Any) -> Any:
        given = {"name": "tasks_claim", "arguments": {"workspace": WORKSPACE, "task": task, **arguments}}
        return called(post(here, "tools/call", given, mine))

    for path in ("s:0", "s:1"):
        claim({**one, **named}, path=path)
    claim(two, path="s:2")
    here.client.delete("/mcp", headers=one)

    held = here.world.ok("tasks_radar", task=task)["held"]
    assert [item["path"] for item in held] == [*kept, "s:2"]
    ended = [event for event in here.world.ok("tasks_delta")["events"] if event["type"] == "step_released"]
    assert [event["because"] for event in ended] == ["ended"] * (2 - len(kept))


def test_a_modern_request_needs_no_session(here: Site) -> None:
    found = modern(here, "server/discover", {}).json()["result"]
    radar = modern(here, "tools/call", RADAR)

    assert MODERN in found["supportedVersions"]
    assert called(radar)["next"]["tool"] == "tasks_create"
    assert "mcp-session-id" not in radar.headers
    _, entry = here.logged(2)
    assert (entry["actor"], entry["operation"], entry["workspace"]) == ("agent:new", "tasks_radar", WORKSPACE)


@pytest.mark.parametrize(
    "wrong",
    [{"mcp_method": "tools/list"}, {"mcp_name": "tasks_delete"}, {"mcp_protocol_version": "2025-11-25"}],
)
def test_a_modern_request_whose_headers_say_something_else_is_refused(here: Site, wrong: dict[str, str]) -> None:
    answered = modern(here, "tools/call", RADAR, **wrong)
    assert (answered.status_code, answered.json()["error"]["code"]) == (400, -32020)


def test_errors_of_the_protocol_have_the_status_that_belongs_to_them(here: Site) -> None:
    unknown = modern(here, "no/such", {})
    version = modern(here, "tools/list", {}, mcp_protocol_version="1999-01-01")
    garbled = here.client.post("/mcp", content=b"{", headers={"content-type": "application/json"})
    plain = here.client.post("/mcp", content=b"{}", headers={"content-type": "text/plain"})

    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, -32601)
    assert (version.status_code, version.json()["error"]["code"]) == (400, -32022)
    assert (garbled.status_code, garbled.json()["error"]["code"]) == (400, -32700)
    assert plain.status_code == 415


def test_the_path_names_the_tool_set_and_no_set_has_file_tools(here: Site) -> None:
    mine = opened(here)
    everything = post(here, "tools/list", {}, mine, "/mcp/all").json()["result"]["tools"]
    names = {tool["name"] for tool in everything}

    assert names == {found.name for found in in_toolset("all") if not found.files}
    assert post(here, "tools/list", {}, mine, "/mcp/files").status_code == 404
    assert post(here, "tools/list", {}, mine, "/mcp/nothing").status_code == 404
    file_read = {"name": "file_read", "arguments": {"workspace": WORKSPACE, "path": "a"}}
    assert post(here, "tools/call", file_read, mine).json()["error"]["code"] == -32602


def test_a_refusal_is_a_result_and_is_counted_under_its_code(here: Site) -> None:
    resume = {"name": "tasks_resume", "arguments": {"workspace": WORKSPACE, "task": "TASK-001"}}
    answered = modern(here, "tools/call", resume)

    assert answered.status_code == 200
    assert answered.json()["result"]["isError"] is True
    assert here.metric('gatepost_requests_total{operation="tasks_resume",outcome="UNKNOWN_ID"}') == 1


@pytest.mark.parametrize("mode", ["legacy", MODERN])
def test_the_official_client_works_in_both_eras(here: Site, mode: str) -> None:
    async def talk() -> tuple[list[str], Any]:
        async with Client(f"{here.url}/mcp", mode=mode) as client:
            listed = await client.list_tools()
            made = await client.call_tool(
                "tasks_create", {"workspace": WORKSPACE, "kind": "task", "title": "By the SDK"}
            )
            (block,) = made.content
            assert isinstance(block, TextContent)
            return [tool.name for tool in listed.tools], json.loads(block.text)

    names, made = anyio.run(talk)

    assert "tasks_radar" in names
    assert made["id"] == "TASK-001"
