"""`gatepost up`: the server, until a signal stops it."""

from __future__ import annotations

import os
import signal
import stat
import sys
import threading
from argparse import Namespace
from contextlib import ExitStack
from functools import partial

from gatepost.surfaces.cli.errors import FAULT, BadUsage, CommandError
from gatepost.surfaces.cli.parser import Parser, file_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatepost.engine.engine import Engine
    from gatepost.surfaces.http.server import Server

HOST, PORT = "127.0.0.1", 4870
_LAST_PORT = 65535
_SHORTEST = 16


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Serve the page, the operations, the live log and MCP over HTTP, until Ctrl-C.",
        examples="""\
  gatepost up                                      on this machine, port 4870
  gatepost up --demo                               with simulated agents
  gatepost up --port 8000 --workspace acme/repo    refuse all other workspaces
  gatepost up --host 0.0.0.0 --token-file ~/.gatepost-token""",
    )
    parser.add_argument("--host", metavar="H", default=HOST, help=f"the address to listen on ({HOST})")
    parser.add_argument("--port", metavar="P", type=int, default=PORT, help=f"the port; 0 for any ({PORT})")
    parser.add_argument(
        "--token-file", metavar="F", help="a file with the token that clients must send (chmod 600)"
    )
    parser.add_argument(
        "--run-checks", action="store_true", help="let callers run the checks that you trust (see gatepost trust)"
    )
    parser.add_argument("--open", action="store_true", help="open the page in your browser")
    parser.add_argument("--access-log", action="store_true", help="log every request on stderr, as JSON")
    parser.add_argument("--demo", action="store_true", help="run simulated agents on a temporary store")
    parser.add_place(server=False)


def run(options: Namespace) -> int:
    """Serve until SIGINT or SIGTERM."""
    token = _checked(options)
    # A writer hands the interpreter over at each step into SQLite: at the usual 5 ms it would mostly wait for it.
    sys.setswitchinterval(0.0005)
    stopping = _stop_signal()
    with ExitStack() as ending:  # in reverse: first the agents, then the server, then the demo's store
        engine, store, bound, default = _served(options, ending)
        server = _serving(engine, options, token, bound, default)
        ending.callback(server.stop)
        if engine.notices is not None:
            from gatepost.notices.stuck_steps import watched

            ending.enter_context(watched(engine, bound))
        address = _address(options.host, server.port)
        header = _header(options.token_file)
        welcome = _demo_welcome(address, store, header) if options.demo else _welcome(address, store, header, bound)
        print(welcome, end="", flush=True)
        if options.open:
            from gatepost.surfaces.cli.browser import open_page

            open_page(f"{address}/")
        if options.demo:
            from gatepost.surfaces.demo.player import playing

            ending.enter_context(playing(engine, partial(print, flush=True)))
        # A wait without an end could not be interrupted by a signal on every platform.
        while not (stopping.wait(1.0) or server.ended.is_set()):
            pass
    return 0 if stopping.is_set() else FAULT


def _checked(options: Namespace) -> str | None:
    """The token, if `--token-file` names one. Refuses options that do not go together."""
    token = None if options.token_file is None else _token(options.token_file)
    if not 0 <= options.port <= _LAST_PORT:
        raise BadUsage(f"--port {options.port} is not a port", f"Choose one from 0 to {_LAST_PORT}.")
    from gatepost.surfaces.http.server import is_loopback

    if token is None and not is_loopback(options.host):
        raise BadUsage(
            f"--host {options.host} can be reached from other machines, so it needs a token",
            "Add --token-file, or leave out --host to serve only this machine.",
        )
    given = [f"--{name}" for name in ("store", "root", "workspace") if getattr(options, name) is not None]
    if options.demo and given:
        raise BadUsage(
            f"--demo uses its own store and workspace, so {given[0]} cannot be used with it",
            f"Leave out {given[0]} to see the demo, or --demo to serve your own store.",
        )
    return token


def _stop_signal() -> threading.Event:
    """Set when a signal asks for the end."""
    stopping = threading.Event()
    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, lambda _signum, _frame: stopping.set())
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # else somebody wanted it to outlive its terminal
        signal.signal(signal.SIGHUP, lambda _signum, _frame: stopping.set())
    return stopping


def _served(options: Namespace, ending: ExitStack) -> tuple[Engine, str, str | None, str | None]:
    """What is served: an engine, where its store is, the one workspace it is bound to, and the default one."""
    if options.demo:
        from gatepost.surfaces.demo.player import temporary_engine

        return *ending.enter_context(temporary_engine()), None, None
    from gatepost import wiring
    from gatepost.engine.package_mirror import mirrored
    from gatepost.operations.taskdoc_packages import settle_all

    settings = file_settings(options)
    engine = wiring.engine(
        settings.store,
        settings.synchronous,
        settings.home,
        secrets=settings.secrets,
        tracked=settings.tracked,
        policy=settings.policy,
        notify=settings.notify,
        runs_checks=options.run_checks,
        workspace=settings.own_workspace,
    )
    engine.store.try_write()  # a server on a store that takes no write would refuse everyone, one by one
    settle_all(engine, settings.bound)
    mirror = mirrored(engine)
    if mirror is not None:
        ending.callback(mirror.stop)
    return engine, settings.place, settings.bound, settings.workspace


def _serving(
    engine: Engine, options: Namespace, token: str | None, bound: str | None, default: str | None
) -> Server:
    from gatepost.surfaces.http.app import ServerSettings
    from gatepost.surfaces.http.server import AddressTaken, Server

    try:
        settings = ServerSettings(
            host=options.host, token=token, bound=bound, default=default, access_log=options.access_log
        )
        return Server(engine, settings, options.port)
    except AddressTaken as error:
        recovery = "Stop the other program or choose another port: gatepost up --port 0"
        error_shown = {"code": "ADDRESS_TAKEN", "message": str(error), "recovery": recovery}
        raise CommandError(FAULT, error_shown) from None


def _address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _header(token_file: str | None) -> str:
    """What curl and others need to come in. The shell reads the token from its file: it is shown nowhere."""
    if token_file is None:
        return ""
    from shlex import quote

    return f' --header "Authorization: Bearer $(cat {quote(os.path.abspath(token_file))})"'


def _welcome(address: str, store: str, header: str, bound: str | None) -> str:
    workspace = bound or "acme/repo"
    return f"""\
Gatepost is up at {address}
  page        {address}/
  store       {store}
  agent       claude mcp add --transport http gatepost {address}/mcp{header}
  log         curl -N{header} '{address}/v1/events?workspace={workspace}'
  todo lists  curl -N{header} '{address}/v1/todo?workspace={workspace}'
  call        curl{header} {address}/v1/operations/tasks_radar --json '{{"workspace": "{workspace}"}}'
  OpenAPI     {address}/v1/openapi.json
Press Ctrl-C to stop.
"""


def _demo_welcome(address: str, store: str, header: str) -> str:
    from gatepost.surfaces.demo.player import WORKSPACE

    folder = os.path.dirname(os.path.dirname(store))  # the proofs are about files in it
    return f"""\
Gatepost is up at {address}
Four simulated agents and a simulated person work in the workspace {WORKSPACE}. They follow a script, but every call
they make passes the same gate as yours, and their checks really run. Your project is not touched: they use a
temporary folder, which is deleted when you stop.
  page          {address}/
  todo lists    curl -N{header} '{address}/v1/todo?workspace={WORKSPACE}'
  log           curl -N{header} '{address}/v1/events?workspace={WORKSPACE}'
  radar         curl{header} {address}/v1/operations/tasks_radar --json '{{"workspace": "{WORKSPACE}"}}'
  terminal      gatepost tui --root {folder} --workspace {WORKSPACE}
  log as text   gatepost log --follow --root {folder} --workspace {WORKSPACE}
Press Ctrl-C to stop.
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
            f"--token-file {path} must contain one token of at least {_SHORTEST} characters",
            _MAKE_ONE.format(path=path),
        )
    return token


_MAKE_ONE = "Create one: (umask 077; python3 -c 'import secrets; print(secrets.token_urlsafe(32))' > {path})"
