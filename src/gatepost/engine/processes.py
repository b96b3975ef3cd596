"""Names for processes that stay unique, to check later whether a process has ended."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # hooks look at processes without `typing`
if TYPE_CHECKING:
    from typing import Final

_MACHINE: Final = "/etc/machine-id"
_BOOT: Final = "/proc/sys/kernel/random/boot_id"
_NAMESPACE: Final = "/proc/self/ns/pid"
_HIDDEN: Final = "?"
"""In place of the start of a process that exists and that the kernel shows only to its own user (`hidepid`)."""


def this() -> str:
    """The name of this process. A process number alone could be reused."""
    return "/".join((*_here(), str(os.getpid()), _started(os.getpid())))


def gone(process: str) -> bool:
    """Whether a process is known to have ended. Nothing is known about other machines and containers."""
    machine, boot, namespace, number, started = process.split("/")
    here = _here()
    if machine == here[0] and boot != here[1]:
        return True
    return (machine, boot, namespace) == here and _started(int(number)) not in (started, _HIDDEN)


def number_here(process: str) -> int | None:
    """The number of a process if it is on this machine, in this container; None elsewhere."""
    machine, boot, namespace, number, _ = process.split("/")
    return int(number) if (machine, boot, namespace) == _here() else None


def machine() -> str:
    """A name for this machine or container."""
    # Containers made from one image share a machine's id on different hosts, so the host's name belongs to it.
    return f"{_line(_MACHINE)}@{os.uname().nodename.replace('/', '-')}"


def _here() -> tuple[str, str, str]:
    try:
        namespace = os.readlink(_NAMESPACE)
    except OSError:
        namespace = "-"
    return machine(), _line(_BOOT) or "-", namespace


def _started(number: int) -> str:
    """When a process started, in kernel ticks; empty if there is no such process, or only a zombie."""
    try:
        with open(f"/proc/{number}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return _alive(number)
    return "" if fields[0] in (b"Z", b"X") else fields[19].decode()


def _alive(number: int) -> str:
    """Whether a process exists that /proc does not show: there is no /proc, or it hides what others run."""
    shown = os.path.exists("/proc/self/stat")
    try:
        os.kill(number, 0)
    except PermissionError:
        return _HIDDEN if shown else "alive"
    except OSError:
        return ""
    return "" if shown else "alive"


def _line(path: str) -> str:
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip().replace("/", "-")
    except OSError:
        return ""
