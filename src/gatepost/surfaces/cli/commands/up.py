"""`gatepost up`: the server, until it is told to stop."""

from __future__ import annotations

import os
import signal
import stat
import sys
import threading

from gatepost.surfaces.cli.endings import FAULT, BadUsage, Trouble
from gatepost.surfaces.cli.parsing import found_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from gatepost.surfaces.cli.parsing import Parser

HOST, PORT = "127.0.0.1", 4870
_LAST_PORT = 65535
_SHORTEST = 16


def declare(parser: Parser) -> None:
    """The words of the command."""
    parser.tell(
        "Serve the operations, the live log and MCP over HTTP, until Ctrl-C.",
        examples="""\
  gatepost up                                       on this machine, port 4870
  gatepost up --port 8000 --workspace acme/repo     refuse all other workspaces
  gatepost up --host 0.0.0.0 --token-file ~/.gatepost-token""",
    )
    parser.add_argument("--host", metavar="H", default=HOST, help=f"the address to listen on ({HOST})")
    parser.add_argument("--port", metavar="P", type=int, default=PORT, help=f"the port; 0 for any ({PORT})")
    parser.add_argument("--token-file", metavar="F", help="a file with a token that clients must send (chmod 600)")
    parser.add_place()


def run(options: Namespace) -> int:
    """Serve until SIGINT or SIGTERM."""
    settings = found_settings(options)
    token = None if options.token_file is None else _token(options.token_file)
    if not 0 <= options.port <= _LAST_PORT:
        raise BadUsage(f"--port {options.port} is no port", f"Ports go from 0 to {_LAST_PORT}.")
    from gatepost import wiring
    from gatepost.surfaces.http.app import Terms
    from gatepost.surfaces.http.server import AddressTaken, Server, is_loopback

    if token is None and not is_loopback(options.host):
        raise BadUsage(
            f"--host {options.host} can be reached from elsewhere, and nobody would be asked for a token",
            "Give a --token-file as well, or leave --host away to serve this machine alone.",
        )
    # A writer hands the interpreter over at each step into SQLite: at the usual 5 ms it would mostly wait for it.
    sys.setswitchinterval(0.0005)
    stopping = threading.Event()
    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, lambda _signum, _frame: stopping.set())
    engine = wiring.engine(settings.store, settings.synchronous, settings.home)
    terms = Terms(host=options.host, token=token, bound=settings.workspace)
    try:
        server = Server(engine, terms, options.port)
    except AddressTaken as error:
        raise _taken(str(error)) from None
    print(_welcome(options.host, server.port, settings.store, secured=token is not None), end="", flush=True)
    # A wait without an end could not be interrupted by a signal on every platform.
    while not (stopping.wait(1.0) or server.ended.is_set()):
        pass
    server.stop()
    return 0 if stopping.is_set() else FAULT


def _welcome(host: str, port: int, store: str, *, secured: bool) -> str:
    name = f"[{host}]" if ":" in host else host
    address = f"http://{name}:{port}"
    header = ' --header "Authorization: Bearer $TOKEN"' if secured else ""
    return f"""\
Gatepost is up at {address}
  store      {store}
  an agent   claude mcp add --transport http gatepost {address}/mcp{header}
  the log    curl -N '{address}/v1/events?workspace=acme/repo'
  a call     curl {address}/v1/operations/tasks_radar --json '{{"workspace": "acme/repo"}}'
  programs   {address}/v1/openapi.json
Ctrl-C stops it.
"""


def _token(path: str) -> str:
    """The token in a file that nobody else can read."""
    try:
        with open(path, encoding="ascii") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            token = file.read(4096).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadUsage(f"--token-file {path} cannot be read: {error}", _MAKE_ONE.format(path=path)) from None
    if mode & 0o077:
        raise BadUsage(f"--token-file {path} can be read by others (mode {mode:o})", f"chmod 600 {path}")
    if len(token) < _SHORTEST or not token.isprintable() or " " in token:
        raise BadUsage(
            f"--token-file {path} must hold one token of {_SHORTEST} characters or more",
            _MAKE_ONE.format(path=path),
        )
    return token


_MAKE_ONE = "Make one: (umask 077; python3 -c 'import secrets; print(secrets.token_urlsafe(32))' > {path})"


def _taken(message: str) -> Trouble:
    error = {
        "code": "ADDRESS_TAKEN",
        "message": message,
        "recovery": "Stop what listens there, or choose another port: gatepost up --port 0",
    }
    return Trouble(FAULT, error)
