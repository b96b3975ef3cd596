"""A proxy before a PostgreSQL server, which a test tells to cut connections."""

import socket
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


class DatabaseProxy:
    """Listens on a socket of its own and passes everything on, until it is told to cut.

    `cuts` looks at what a client sends. If it says so, the connection is cut: `before` the server gets it, or once
    the server has answered, so that only the answer is lost.
    """

    def __init__(self, folder: Path, server: Path) -> None:
        self.folder = folder
        self.server = server / ".s.PGSQL.5432"
        self.cuts: Callable[[bytes], bool] = lambda _sent: False
        self.before = False
        self.cut = 0
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / ".s.PGSQL.5432"))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Take no more connections."""
        with suppress(OSError):  # closed before
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                upstream = socket.socket(socket.AF_UNIX)
                try:
                    upstream.connect(str(self.server))
                except OSError:  # the server is away
                    upstream.close()
                    client.close()
                    continue
                threading.Thread(target=self._pass, args=(client, upstream), daemon=True).start()

    def _pass(self, client: socket.socket, upstream: socket.socket) -> None:
        doomed = threading.Event()
        back = threading.Thread(target=self._answer, args=(client, upstream, doomed), daemon=True)
        back.start()
        with suppress(OSError):
            while sent := client.recv(1 << 16):
                if self.cuts(sent):
                    self.cut += 1
                    doomed.set()
                    if self.before:
                        break
                upstream.sendall(sent)
        for end in (upstream, client):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        back.join(10)
        client.close()
        upstream.close()

    def _answer(self, client: socket.socket, upstream: socket.socket, doomed: threading.Event) -> None:
        with suppress(OSError):
            while answer := upstream.recv(1 << 16):
                if doomed.is_set():
                    break
                client.sendall(answer)
        with suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)


def socket_folder() -> Path:
    """A folder for a socket. Its path must be short."""
    return Path(tempfile.mkdtemp(prefix="gp-proxy-"))


class CutOnce:
    """Says to cut at the first commit, and never again."""

    def __init__(self) -> None:
        self.done = False

    def __call__(self, sent: bytes) -> bool:
        hit = not self.done and b"COMMIT\0" in sent
        self.done = self.done or hit
        return hit
