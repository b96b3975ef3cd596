"""Resources: radars, tasks, taskdocs and todo lists by their address, judged by the official SDK in both eras."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp_types import TextResourceContents, methods
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

import gatepost
from gatepost.runtime import Session
from gatepost.settings import Settings
from gatepost.surfaces.mcp import resources
from gatepost.surfaces.mcp.messages import Peer, RpcReply
from gatepost.surfaces.mcp.protocol import McpDispatcher
from gatepost.surfaces.mcp.toolbox import GatepostTools
from gatepost.tools import TaskdocSection, bind_taskdoc
from tests.givens import WORKSPACE
from tests.mcp.test_product import MODES, with_server
from tests.mcp.test_protocol import ENVELOPE, MODERN, Echo

RELEASE = "gatepost://taskdoc/acme%2Frepo/release"
RADAR = "gatepost://radar/acme%2Frepo"
INBOX = "gatepost://inbox/acme%2Frepo"
NOT_FOUND = {"legacy": -32002, MODERN: -32602}
UNKNOWN = (
    "gatepost://taskdoc/acme%2Frepo/nowhere",
    "gatepost://taskdoc/acme%2Frepo/a%2Fb",
    "gatepost://taskdoc/acme%2Frepo/",
    "gatepost://taskdoc/release",
    "gatepost://taskdoc/..%2Frepo/release",
    "gatepost://taskdoc/%FF/release",
    "gatepost://task/acme%2Frepo/TASK-999",
    "gatepost://task/acme%2Frepo/STEP-00000000",
    "gatepost://task/acme%2Frepo",
    "gatepost://todo/acme%2Frepo/__proto__",
    "gatepost://todo/acme%2Frepo/PLAN-001",
    "gatepost://todo/a..b/main",
    f"{RELEASE}?x=1",
    f"{RELEASE}#goals",
    "gatepost://radar/",
    "gatepost://radar/a..b",
    "gatepost://taskdocs/acme%2Frepo/release",
    "file:///etc/passwd",
    f"gatepost://taskdoc/acme%2Frepo/{'%61' * 400}",
    "release",
    "",
)


@pytest.fixture
def gp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[gatepost.Gatepost]:
    """The store of a project that servers can be started in."""
    monkeypatch.setenv("GATEPOST_ROOT", str(tmp_path))
    with gatepost.connect(str(tmp_path / "gp.db"), synchronous="NORMAL") as opened:
        yield opened


def taskdoc(gp: gatepost.Gatepost, name: str, workspace: str = WORKSPACE, goals: str = "Ship it.") -> None:
    """A taskdoc with goals."""
    gp.call("taskdoc_create", workspace=workspace, name=name)
    gp.call("change_mind", workspace=workspace, taskdoc=name, selector="goals", content=goals)


class Desk:
    """A server in this process, asked in one era."""

    def __init__(self, folder: Path, mode: str = MODERN, workspace: str | None = None) -> None:
        found = {"store": str(folder / "gp.db"), "synchronous": "NORMAL"}
        settings = Settings(str(folder), found | ({} if workspace is None else {"workspace": workspace}))
        self._dispatcher = McpDispatcher(GatepostTools(settings, "core", output_schemas=False))
        self._modern = mode == MODERN
        self._version = mode if mode != "legacy" else HANDSHAKE_PROTOCOL_VERSIONS[-1]

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        """The reply, whose result the official types have judged."""
        given = {**params, "_meta": ENVELOPE} if self._modern else params
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": given}
        reply = self._dispatcher.answer(message, Peer("desk", None if self._modern else self._version))
        assert isinstance(reply, RpcReply)
        answered: dict[str, Any] = json.loads(reply.body)
        if "result" in answered:
            methods.validate_server_result(method, self._version, answered["result"])
        return answered

    def listed(self) -> list[str]:
        """The addresses on all pages."""
        found: list[str] = []
        params: dict[str, object] = {}
        while True:
            page = self.ask("resources/list", **params)["result"]
            found += [resource["uri"] for resource in page["resources"]]
            if "nextCursor" not in page:
                return found
            params = {"cursor": page["nextCursor"]}

    def text(self, uri: str) -> str:
        """What stands at an address."""
        (content,) = self.ask("resources/read", uri=uri)["result"]["contents"]
        assert content["uri"] == uri
        text: str = content["text"]
        return text

    def code(self, method: str, **params: object) -> int:
        """The error that a request must be answered with."""
        code: int = self.ask(method, **params)["error"]["code"]
        return code


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("options", [(), ("--workspace", WORKSPACE)], ids=["unbound", "bound"])
def test_a_client_finds_the_taskdocs_and_reads_them_in_either_era(
    gp: gatepost.Gatepost, tmp_path: Path, mode: str, options: tuple[str, ...]
) -> None:
    taskdoc(gp, "release")
    whole = gp.call("recall_mind", workspace=WORKSPACE, taskdoc="release")["content"]

    async def use(client: Client) -> None:
        found = (await client.list_resources()).resources
        assert [(item.uri, item.mime_type) for item in found] == [
            (RADAR, "application/json"),
            (INBOX, "application/json"),
            (RELEASE, "text/markdown"),
        ]
        (content,) = (await client.read_resource(RELEASE)).contents
        assert isinstance(content, TextResourceContents)
        assert (content.uri, content.mime_type, content.text) == (RELEASE, "text/markdown", whole)
        templates = (await client.list_resource_templates()).resource_templates
        assert [item.uri_template for item in templates] == [
            "gatepost://radar/{workspace}",
            "gatepost://inbox/{workspace}",
            "gatepost://task/{workspace}/{id}",
            "gatepost://taskdoc/{workspace}/{name}",
            "gatepost://todo/{workspace}/{scope}",
            "gatepost://question/{workspace}/{step}",
        ]
        with pytest.raises(MCPError) as unknown:
            await client.read_resource("gatepost://taskdoc/acme%2Frepo/nowhere")
        assert unknown.value.error.code == NOT_FOUND[mode]

    with_server(tmp_path, mode, use, "--root", str(tmp_path), *options)


@pytest.mark.requirement("taskdoc.effective.built")
def test_prompt_resource_and_call_give_one_text_also_after_a_change(gp: gatepost.Gatepost, tmp_path: Path) -> None:
    taskdoc(gp, "release", goals="# A heading\n\n```\nan open fence")
    root = Session()
    bind_taskdoc(root, gp, WORKSPACE, "release")
    section = TaskdocSection(session=Session(parent=root))
    desk = Desk(tmp_path)

    before = desk.text(RELEASE)
    assert section.render().endswith(f"\n\n{before}")
    section.tools[1].call({"selector": "progress", "content": "x\n" * 20_000})

    after = desk.text(RELEASE)
    assert after != before
    assert section.render().endswith(f"\n\n{after}")
    assert after == gp.call("recall_mind", workspace=WORKSPACE, taskdoc="release")["content"]


def test_the_radar_is_read_as_the_call_answers_it(gp: gatepost.Gatepost, tmp_path: Path) -> None:
    gp.call("tasks_create", workspace=WORKSPACE, kind="task", title="Task", steps=[{"title": "One"}])

    shown = json.loads(Desk(tmp_path).text(RADAR))

    assert shown == gp.call("tasks_radar", workspace=WORKSPACE)
    assert shown["now"]["title"] == "One"


def test_a_task_and_its_plan_are_read_as_the_call_answers_them(gp: gatepost.Gatepost, tmp_path: Path) -> None:
    gp.call("tasks_create", workspace=WORKSPACE, kind="plan", title="Plan")
    gp.call(
        "tasks_create", workspace=WORKSPACE, kind="task", title="Task", plan="PLAN-001", steps=[{"title": "One"}]
    )
    desk = Desk(tmp_path)

    for name in ("TASK-001", "PLAN-001"):
        shown = json.loads(desk.text(f"gatepost://task/acme%2Frepo/{name}"))
        assert shown == gp.call("tasks_resume", workspace=WORKSPACE, task=name)
        assert shown["target"]["id"] == name


def test_a_todo_list_is_read_as_the_stream_tells_it(gp: gatepost.Gatepost, tmp_path: Path) -> None:
    gp.call("tasks_create", workspace=WORKSPACE, kind="task", title="Task", steps=[{"title": "One"}])
    gp.call("todo_write", workspace=WORKSPACE, session="crew", items=["Look", "password: reset mail"])
    desk = Desk(tmp_path)

    crew = json.loads(desk.text("gatepost://todo/acme%2Frepo/crew"))
    steps = json.loads(desk.text("gatepost://todo/acme%2Frepo/TASK-001"))
    empty = json.loads(desk.text("gatepost://todo/acme%2Frepo/nobody"))

    assert (crew["op"], crew["revision"], crew["scopeKey"]) == ("replace", 1, "crew")
    assert crew["items"][0]["title"] == "Look"
    assert crew["items"][1]["title"] == "password: reset mail"
    assert [(item["title"], item["status"]) for item in steps["items"]] == [("One", "todo")]
    assert (empty["op"], empty["revision"]) == ("clear", 0)


@pytest.mark.parametrize("workspace", ["a", "Acme/Repo", "a/b/c", "a//b", "a/./b", "taskdoc", "x-1._y/", "a" * 128])
def test_every_workspace_has_addresses_that_lead_back_to_it(
    gp: gatepost.Gatepost, tmp_path: Path, workspace: str
) -> None:
    taskdoc(gp, "release", workspace, goals=f"Goals of {workspace}.")
    desk = Desk(tmp_path)

    radar, inbox, address = desk.listed()

    assert f"Goals of {workspace}." in desk.text(address)
    assert address.count("/") == 4
    assert desk.text(f"gatepost://taskdoc/{workspace}/release") == desk.text(address)
    assert desk.text(f"gatepost://radar/{workspace}") == desk.text(radar)
    assert desk.text(f"gatepost://inbox/{workspace}") == desk.text(inbox)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("uri", UNKNOWN)
def test_an_unknown_address_is_refused_with_the_code_of_its_era(
    gp: gatepost.Gatepost, tmp_path: Path, mode: str, uri: str
) -> None:
    taskdoc(gp, "release")

    error = Desk(tmp_path, mode).ask("resources/read", uri=uri)["error"]

    assert error["code"] == NOT_FOUND[mode]
    assert error["data"] == {"uri": uri[:1024]}
    assert error["message"].startswith("resource not found: ")


@pytest.mark.requirement("call.workspace.mismatch")
def test_a_bound_server_neither_lists_nor_reads_what_is_in_other_workspaces(
    gp: gatepost.Gatepost, tmp_path: Path
) -> None:
    taskdoc(gp, "release")
    taskdoc(gp, "secret", "other/repo")
    desk = Desk(tmp_path, workspace=WORKSPACE)

    assert desk.listed() == [RADAR, INBOX, RELEASE]
    for uri in (
        "taskdoc/other%2Frepo/secret",
        "radar/other%2Frepo",
        "inbox/other%2Frepo",
        "question/other%2Frepo/STEP-00000001",
        "task/other%2Frepo/TASK-001",
        "todo/other%2Frepo/x",
    ):
        assert desk.code("resources/read", uri=f"gatepost://{uri}") == NOT_FOUND[MODERN]


def test_a_server_on_an_empty_store_lists_what_it_can_and_leaves_no_store_behind(tmp_path: Path) -> None:
    assert Desk(tmp_path).listed() == []
    assert Desk(tmp_path, workspace=WORKSPACE).listed() == [RADAR, INBOX]
    assert not (tmp_path / "gp.db").exists()


def test_a_bound_server_lists_packages_that_came_with_the_checkout(gp: gatepost.Gatepost, tmp_path: Path) -> None:
    package = tmp_path / "tasks" / "brought.tsk"
    package.mkdir(parents=True)
    for selector in ("goals", "constraints", "progress"):
        (package / f"{selector}.md").write_text(f"The {selector}.\n", encoding="utf-8")

    desk = Desk(tmp_path, workspace=WORKSPACE)

    assert desk.listed() == [RADAR, INBOX, "gatepost://taskdoc/acme%2Frepo/brought"]
    assert "The goals.\n" in desk.text("gatepost://taskdoc/acme%2Frepo/brought")


@pytest.mark.parametrize("size", [1, 2, 3, 15, 16])
def test_pages_of_any_size_give_every_resource_once_and_in_order(
    gp: gatepost.Gatepost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    for workspace, names in {"b": ("x", "x-1", "x1"), "a": ("y",), "a/c": ()}.items():
        for title in ("One", "Two"):
            gp.call("tasks_create", workspace=workspace, kind="task", title=title)
        for name in names:
            gp.call("taskdoc_create", workspace=workspace, name=name)
            gp.call("todo_write", workspace=workspace, session=f"s.{name}", items=["Item"])
    gp.call("tasks_complete", workspace="b", task="TASK-001")
    whole = Desk(tmp_path).listed()

    monkeypatch.setattr(resources, "PAGE", size)

    assert Desk(tmp_path).listed() == whole
    assert [uri.removeprefix("gatepost://") for uri in whole] == [
        *("radar/a", "inbox/a", "task/a/TASK-001", "task/a/TASK-002", "taskdoc/a/y", "todo/a/s.y"),
        *("radar/a%2Fc", "inbox/a%2Fc", "task/a%2Fc/TASK-001", "task/a%2Fc/TASK-002"),
        *("radar/b", "inbox/b", "task/b/TASK-002", "taskdoc/b/x", "taskdoc/b/x-1", "taskdoc/b/x1"),
        *("todo/b/s.x", "todo/b/s.x-1", "todo/b/s.x1"),
    ]


def test_a_cursor_goes_on_where_it_was_whatever_came_meanwhile(
    gp: gatepost.Gatepost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "PAGE", 3)
    for name in ("b", "d"):
        gp.call("taskdoc_create", workspace=WORKSPACE, name=name)
    desk = Desk(tmp_path)
    first = desk.ask("resources/list")["result"]

    for name in ("a", "c"):
        gp.call("taskdoc_create", workspace=WORKSPACE, name=name)
    second = desk.ask("resources/list", cursor=first["nextCursor"])["result"]

    assert [item["uri"][-1] for item in second["resources"]] == ["c", "d"]


@pytest.mark.parametrize("mode", MODES)
def test_what_is_no_cursor_or_no_address_is_an_invalid_parameter(tmp_path: Path, mode: str) -> None:
    desk = Desk(tmp_path, mode)

    assert desk.code("resources/list", cursor="ours?") == -32602
    assert desk.code("resources/list", cursor=7) == -32602
    assert desk.code("resources/templates/list", cursor=RADAR) == -32602
    assert desk.code("resources/read") == -32602
    assert desk.code("resources/read", uri=["x"]) == -32602


def test_no_cache_may_keep_what_others_can_change(gp: gatepost.Gatepost, tmp_path: Path) -> None:
    taskdoc(gp, "release")
    desk = Desk(tmp_path)

    for answered in (desk.ask("resources/list"), desk.ask("resources/read", uri=RELEASE)):
        assert answered["result"]["ttlMs"] == 0
        assert answered["result"]["cacheScope"] == "private"
    assert desk.ask("resources/templates/list")["result"]["ttlMs"] > 0


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
def test_every_legacy_revision_gets_results_that_it_knows(
    gp: gatepost.Gatepost, tmp_path: Path, version: str
) -> None:
    taskdoc(gp, "release")
    desk = Desk(tmp_path, version)

    assert desk.listed() == [RADAR, INBOX, RELEASE]
    assert "Ship it." in desk.text(RELEASE)
    assert len(desk.ask("resources/templates/list")["result"]["resourceTemplates"]) == 6
    assert desk.code("resources/read", uri="nowhere") == -32002


def test_all_that_is_offered_is_announced_in_both_greetings(tmp_path: Path) -> None:
    client = {"name": "c", "version": "1"}
    hello = {"protocolVersion": HANDSHAKE_PROTOCOL_VERSIONS[-1], "capabilities": {}, "clientInfo": client}

    greeted = Desk(tmp_path, "legacy").ask("initialize", **hello)
    discovered = Desk(tmp_path).ask("server/discover")

    offered: dict[str, object] = {"tools": {}, "resources": {}, "prompts": {}, "completions": {}}
    assert greeted["result"]["capabilities"] == offered
    assert discovered["result"]["capabilities"] == offered


def test_a_server_without_resources_neither_announces_nor_knows_them() -> None:
    dispatcher = McpDispatcher(Echo())

    for method in ("resources/list", "resources/templates/list", "resources/read"):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": ENVELOPE}}
        reply = dispatcher.answer(message, Peer())
        assert isinstance(reply, RpcReply)
        assert reply.code == -32601


class Faulty(Echo):
    """Has resources, and a bug in them."""

    def resources(self, _client: str | None) -> "Faulty":
        return self

    def page(self, cursor: str | None) -> tuple[list[dict[str, object]], str | None]:
        raise KeyError(cursor)

    def templates(self) -> list[dict[str, object]]:
        return []

    def read(self, uri: str) -> dict[str, object]:
        raise IndexError(uri)


@pytest.mark.parametrize("method", ["resources/list", "resources/read"])
def test_a_bug_in_a_resource_is_told_as_a_fault_and_never_as_an_unknown_address(
    method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"uri": RELEASE, "_meta": ENVELOPE}}

    reply = McpDispatcher(Faulty()).answer(message, Peer())

    assert isinstance(reply, RpcReply)
    assert reply.code == -32603
    assert RELEASE not in reply.body.decode()
    assert "Error" in capsys.readouterr().err
