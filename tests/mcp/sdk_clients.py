"""The official SDK's client, connected to the product over either transport, in either era."""

import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.session import ElicitationFnT, MessageHandlerFnT
from mcp.client.stdio import stdio_client

import gatepost
from gatepost import wiring
from gatepost.surfaces.http.app import ServerSettings
from gatepost.surfaces.http.server import Server

PATIENCE = 120
TRANSPORTS = ("stdio", "http")
MODES = ("legacy", "2026-07-28")

Use = Callable[[Client], Awaitable[None]]
Connect = Callable[..., Client]


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
    elicitation: ElicitationFnT | None = None,
) -> None:
    """Run `use` with a client of a server on the folder's store; `workspace` is what the server is bound to."""
    connect = partial(Client, mode=mode, message_handler=handler, elicitation_callback=elicitation)
    if transport == "stdio":
        _over_stdio(connect, folder, use, workspace)
    else:
        _over_http(connect, folder, use, workspace)


def _over_stdio(connect: Connect, folder: Path, use: Use, workspace: str | None) -> None:
    bound = () if workspace is None else ("--workspace", workspace)
    arguments = ["-m", "gatepost", "mcp", "--store", str(folder / "gp.db"), "--root", str(folder), *bound]
    environment = {"PATH": os.environ["PATH"], "GATEPOST_SYNCHRONOUS": "NORMAL"}
    environment["XDG_CONFIG_HOME"] = str(folder / "config")
    parameters = StdioServerParameters(command=sys.executable, args=arguments, env=environment)

    async def main() -> None:
        with (folder / "stderr").open("w") as errors, anyio.fail_after(PATIENCE):
            transport = stdio_client(parameters, errlog=errors)
            async with connect(transport) as client:
                await use(client)

    anyio.run(main)
    assert (folder / "stderr").read_text() == ""


def _over_http(connect: Connect, folder: Path, use: Use, workspace: str | None) -> None:
    engine = wiring.engine(str(folder / "gp.db"), "NORMAL", str(folder / ".gatepost"))
    server = Server(engine, ServerSettings(bound=workspace), 0, lambda _: None)

    async def main() -> None:
        with anyio.fail_after(PATIENCE):
            url = f"http://127.0.0.1:{server.port}/mcp"
            async with connect(url) as client:
                await use(client)

    try:
        anyio.run(main)
    finally:
        server.stop()
    assert server.ended.is_set()
