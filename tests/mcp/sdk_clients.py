"""The official SDK's client, connected to the product over either transport, in either era."""

import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.session import MessageHandlerFnT
from mcp.client.stdio import stdio_client

import gatepost
from gatepost import wiring
from gatepost.surfaces.http.app import ServerSettings
from gatepost.surfaces.http.server import Server

PATIENCE = 120
TRANSPORTS = ("stdio", "http")
MODES = ("legacy", "2026-07-28")

Use = Callable[[Client], Awaitable[None]]


@contextmanager
def store(folder: Path) -> Iterator[gatepost.Gatepost]:
    """The store that the servers of a folder use, asked from outside."""
    with gatepost.connect(str(folder / "gp.db"), synchronous="NORMAL") as opened:
        yield opened


def talk(
    transport: str,
    mode: str,
    folder: Path,
    use: Use,
    *,
    workspace: str | None = None,
    handler: MessageHandlerFnT | None = None,
) -> None:
    """Run `use` with a client of a server on the folder's store; `workspace` is what the server is bound to."""
    if transport == "stdio":
        _over_stdio(mode, folder, use, workspace, handler)
    else:
        _over_http(mode, folder, use, workspace, handler)


def _over_stdio(
    mode: str, folder: Path, use: Use, workspace: str | None, handler: MessageHandlerFnT | None
) -> None:
    bound = () if workspace is None else ("--workspace", workspace)
    arguments = ["-m", "gatepost", "mcp", "--store", str(folder / "gp.db"), "--root", str(folder), *bound]
    environment = {"PATH": os.environ["PATH"], "GATEPOST_SYNCHRONOUS": "NORMAL"}
    environment["XDG_CONFIG_HOME"] = str(folder / "config")
    parameters = StdioServerParameters(command=sys.executable, args=arguments, env=environment)

    async def main() -> None:
        with (folder / "stderr").open("w") as errors, anyio.fail_after(PATIENCE):
            transport = stdio_client(parameters, errlog=errors)
            async with Client(transport, mode=mode, message_handler=handler) as client:
                await use(client)

    anyio.run(main)
    assert (folder / "stderr").read_text() == ""


def _over_http(mode: str, folder: Path, use: Use, workspace: str | None, handler: MessageHandlerFnT | None) -> None:
    engine = wiring.engine(str(folder / "gp.db"), "NORMAL", str(folder / ".gatepost"))
    server = Server(engine, ServerSettings(bound=workspace), 0, lambda _: None)

    async def main() -> None:
        with anyio.fail_after(PATIENCE):
            url = f"http://127.0.0.1:{server.port}/mcp"
            async with Client(url, mode=mode, message_handler=handler) as client:
                await use(client)

    try:
        anyio.run(main)
    finally:
        server.stop()
    assert server.ended.is_set()
