"""Datagrams from processes that commit to processes that wait: one socket per listener, in a folder next to the
database.

A datagram only says that there may be news, so it may be lost: listeners also poll now and then.
"""

# Not `socket`, which wraps this module in Python: it takes milliseconds to load, and every command that writes
# while somebody listens would pay for that.
import _socket
import os
import stat
from contextlib import ExitStack, closing, suppress
from typing import Final

_NAME: Final = 16
_LONGEST_ADDRESS: Final = 107
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_TRIES: Final = 5
_MOST_AT_ONCE: Final = 1_000


def listen(folder: str) -> "ListenerSocket | None":
    """Open a socket in the folder, which is created if needed. None where datagrams do not work."""
    made = False
    try:
        for _ in range(_TRIES):
            with suppress(FileExistsError):
                os.mkdir(folder, 0o700)
                made = True
            with suppress(FileNotFoundError):  # the last listener just left and removed the folder
                return _bound(folder)
    except OSError:
        if made:
            _remove_if_empty(folder)
    return None


def ring(folder: str, own: str | None) -> None:
    """Notify every listener in the folder but our own. Never waits or fails; removes dead sockets."""
    try:
        directory = _opened(folder)
    except OSError:
        return
    try:
        names = [name for name in os.listdir(directory) if len(name) == _NAME and name != own]
        if names:
            _tell(folder, directory, names)
    except OSError:  # out of descriptors or similar: the listeners poll anyway
        return
    finally:
        os.close(directory)


class ListenerSocket:
    """A listener's socket, visible to others until it is closed."""

    def __init__(self, folder: str, directory: int, name: str, bound: _socket.socket) -> None:
        self.name = name
        self._folder = folder
        self._directory = directory
        self._socket = bound

    def fileno(self) -> int:
        """The descriptor to poll."""
        return self._socket.fileno()

    def empty(self) -> None:
        """Discard all waiting datagrams: many say no more than one."""
        with suppress(BlockingIOError):
            for _ in range(_MOST_AT_ONCE):
                self._socket.recv(1)

    def is_visible(self) -> bool:
        """Whether others can still find it: somebody may have cleaned up the folder."""
        try:
            return _is_socket(self._directory, self.name)
        except OSError:
            return False

    def close(self) -> None:
        """Remove the socket, and the folder if it is empty."""
        with suppress(OSError):
            os.unlink(self.name, dir_fd=self._directory)
        self.forget()
        _remove_if_empty(self._folder)

    def forget(self) -> None:
        """Close the socket but keep its file: after a fork it belongs to the parent."""
        self._socket.close()
        os.close(self._directory)


def _bound(folder: str) -> ListenerSocket:
    name = os.urandom(_NAME // 2).hex()
    with ExitStack() as undone:
        directory = _opened(folder)
        undone.callback(os.close, directory)
        bound = _socket.socket(_socket.AF_UNIX, _socket.SOCK_DGRAM)
        undone.callback(bound.close)
        bound.settimeout(0)
        bound.bind(_address(folder, directory, name))
        os.chmod(name, 0o600, dir_fd=directory)
        undone.pop_all()
    return ListenerSocket(folder, directory, name, bound)


def _tell(folder: str, directory: int, names: list[str]) -> None:
    # A new socket each time: datagrams that a stopped listener does not read count against their sender, which
    # would one day have no room left for the others.
    with closing(_socket.socket(_socket.AF_UNIX, _socket.SOCK_DGRAM)) as sender:
        sender.settimeout(0)
        for name in names:
            try:
                if _is_socket(directory, name):  # a link would lead elsewhere
                    sender.sendto(b"\0", _address(folder, directory, name))
            except ConnectionRefusedError:
                _sweep(folder, directory, name)
            except OSError:  # already gone, or full and therefore awake
                continue


def _sweep(folder: str, directory: int, name: str) -> None:
    with suppress(OSError):
        os.unlink(name, dir_fd=directory)
    _remove_if_empty(folder)


def _opened(folder: str) -> int:
    """The folder's descriptor, if it is our own folder and nobody else can write to it."""
    directory = os.open(folder, _FOLDER)
    found = os.fstat(directory)
    if found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return directory
    os.close(directory)
    raise PermissionError(f"{folder} is open to others")


def _is_socket(directory: int, name: str) -> bool:
    return stat.S_ISSOCK(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode)


def _address(folder: str, directory: int, name: str) -> str:
    """A path that fits into a socket address, however deep the folder is."""
    path = f"{folder}/{name}"
    return path if len(os.fsencode(path)) <= _LONGEST_ADDRESS else f"/proc/self/fd/{directory}/{name}"


def _remove_if_empty(folder: str) -> None:
    with suppress(OSError):
        os.rmdir(folder)
