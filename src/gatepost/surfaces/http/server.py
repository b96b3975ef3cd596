"""The server: a socket, uvicorn in its own thread, and a prompt shutdown."""

import asyncio
import errno
import ipaddress
import logging
import socket
import threading
from typing import Any, Final

import uvicorn

from gatepost.engine.engine import Engine
from gatepost.surfaces import faults
from gatepost.surfaces.http import connections
from gatepost.surfaces.http.app import HttpApp, ServerSettings
from gatepost.surfaces.http.logs import LibraryLog, Log, to_stderr
from gatepost.surfaces.http.session_cleanup import EVERY, SessionCleaner

_BACKLOG: Final = 256
_GRACE: Final = 1
"""Seconds for running calls when the server ends. Streams end at once."""
_PATIENCE: Final = 5.0
_DEAD_AFTER_MS: Final = 60_000


class AddressTaken(Exception):
    """The server cannot listen on this address."""


class Server:
    """A server that serves from its creation until it is stopped.

    uvicorn runs outside of the main thread, where it leaves signals alone.
    """

    def __init__(
        self,
        engine: Engine,
        settings: ServerSettings,
        port: int,
        log: Log = to_stderr,
        *,
        sweep_every: float = EVERY,
    ) -> None:
        self._socket = _bound(settings.host, port)
        self.port: int = self._socket.getsockname()[1]
        self._engine = engine
        self.application = HttpApp(engine, settings, log)
        self._log = log
        self._library_log = LibraryLog(log)
        self._uvicorn = uvicorn.Server(
            uvicorn.Config(
                self.application.app,
                http=connections.protocol(connections.most()),
                backlog=_BACKLOG,
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=_GRACE,
            )
        )
        self._loop: asyncio.AbstractEventLoop | None = None
        self._running = threading.Event()
        self.ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="http", daemon=True)
        self._thread.start()
        self._running.wait(_PATIENCE)
        self._sweeper = SessionCleaner(engine, settings.bound, sweep_every, self.application.mcp.sessions)

    def stop(self) -> None:
        """Stop: streams at once, calls within their grace period. Then close the store."""
        self._sweeper.stop()
        if self._loop is not None and not self.ended.is_set():
            self._loop.call_soon_threadsafe(self.application.stop)
        self._uvicorn.should_exit = True
        self._thread.join(_PATIENCE)
        closing = threading.Thread(target=self.application.mcp.sessions.close, name="closing", daemon=True)
        closing.start()
        closing.join(_GRACE / 2)  # if other writers block it, the next cleanup does it
        ended = not closing.is_alive() and self._sweeper.join(_GRACE / 4) and self.application.feeds.join(_GRACE)
        self._engine.flush()
        if ended and self.application.idle:
            self._engine.store.close()  # otherwise the process closes it: nothing that was acknowledged is lost

    def _run(self) -> None:
        logger = logging.getLogger("uvicorn.error")
        logger.propagate = False
        logger.addHandler(self._library_log)
        try:
            asyncio.run(self._serve())
        except Exception as error:  # noqa: BLE001 - the thread's edge
            faults.report("in the server", error)
        finally:
            logger.removeHandler(self._library_log)
            self._running.set()
            self.ended.set()

    def _complain(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log what the event loop reports as one line, however often."""
        message = f"{context.get('message', 'Trouble')}: {context.get('exception', '')}"
        self._log({"level": "error", "logger": "asyncio", "message": message[:300]})

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(self._complain)
        self._running.set()
        await self._uvicorn.serve(sockets=[self._socket])
        # A client that reads nothing would keep its socket open as long as this process lives.
        for connection in list(self._uvicorn.server_state.connections):
            if (transport := getattr(connection, "transport", None)) is not None:
                transport.abort()


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise AddressTaken(f"{host} is not an address of this machine: {error.strerror or error}.") from None
    listening = socket.socket(family, kind, protocol)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # inherited by every connection: one that reads nothing is dropped
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _DEAD_AFTER_MS)
    try:
        listening.bind(address)
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise AddressTaken(_why_not(host, port, error)) from None
    return listening


def _why_not(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} is already in use."
    return f"Cannot listen on {host} port {port}: {error.strerror}."
