"""Asks a store on every surface and prints what each one said. Run in the surroundings that are to be shown.

A program, because mounts and permissions belong to a process: `python surfaces.py STORE`.
"""

import contextlib
import io
import json
import sys
import urllib.error
import urllib.request
from typing import Any

import gatepost
from gatepost import wiring
from gatepost.settings import settings
from gatepost.surfaces.cli.main import run
from gatepost.surfaces.http.app import ServerSettings
from gatepost.surfaces.http.server import Server
from gatepost.surfaces.mcp.messages import Peer, RpcReply
from gatepost.surfaces.mcp.protocol import McpDispatcher
from gatepost.surfaces.mcp.toolbox import GatepostTools

TASK = {"workspace": "acme/repo", "kind": "task", "title": "One more"}
READ = {"workspace": "acme/repo"}
MCP = {"Content-Type": "application/json", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call"}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def main(store: str) -> None:
    """Ask for a read and a write on every surface."""
    said = {"up": command("up", "--port", "0", "--store", store), "ls": command("ls", "--store", store)}
    said["ls --json"] = command("ls", "--json", "--store", store)
    if said["ls"]["code"]:  # else it would go on for ever
        said["watch"] = command("watch", "--store", store, "--workspace", "acme/repo")
    said["call"] = command("call", "tasks_create", json.dumps(TASK), "--store", store)
    said["doctor"] = command("doctor", "--store", store)
    for name, tool, arguments in (("read", "tasks_radar", READ), ("write", "tasks_create", TASK)):
        said[f"python {name}"] = in_python(store, tool, arguments)
        said[f"stdio {name}"] = on_stdio(store, tool, arguments)
    said |= over_http(store)
    print(json.dumps(said))


def command(*words: str) -> dict[str, Any]:
    """What a command line printed, and its exit code."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(list(words))
    return {"code": code, "out": out.getvalue(), "err": err.getvalue()}


def in_python(store: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """What a Python call answered or raised."""
    with gatepost.connect(store) as gp:
        try:
            return {"reply": gp.call(tool, **arguments)}
        except gatepost.Refusal as no:
            return {"code": no.code, "message": no.message, "recovery": no.recovery}


def on_stdio(store: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """What a tool call on stdio answered."""
    toolbox = GatepostTools(settings({"store": store}), "core", output_schemas=False)
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    reply = McpDispatcher(toolbox).answer(message, Peer("c", "2025-11-25"))
    toolbox.close()
    assert isinstance(reply, RpcReply)
    return dict(json.loads(reply.body))


def over_http(store: str) -> dict[str, Any]:
    """What operations, `/readyz` and tool calls answer over HTTP."""
    server = Server(wiring.engine(store), ServerSettings(), 0, log=lambda _row: None)
    here = f"http://127.0.0.1:{server.port}"
    said = {}
    try:
        for name, tool, arguments in (("read", "tasks_radar", READ), ("write", "tasks_create", TASK)):
            said[f"http {name}"] = asked(f"{here}/v1/operations/{tool}", arguments)
            params = {"name": tool, "arguments": arguments, "_meta": ENVELOPE}
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            said[f"mcp {name}"] = asked(f"{here}/mcp", message, {**MCP, "Mcp-Name": tool})
        said["readyz"] = asked(f"{here}/readyz", None)
    finally:
        server.stop()
    return said


def asked(url: str, body: object, headers: dict[str, str] | None = None) -> dict[str, Any]:
    """The status and the body of an answer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers or {"Content-Type": "application/json"})  # noqa: S310 - ours
    try:
        with urllib.request.urlopen(request, timeout=20) as response:  # noqa: S310 - ours
            return {"status": response.status, "body": json.loads(response.read())}
    except urllib.error.HTTPError as error:
        with error:
            return {"status": error.status, "body": json.loads(error.read())}


if __name__ == "__main__":
    main(sys.argv[1])
