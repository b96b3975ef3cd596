"""Processes by a name that outlives them: whoever finds the name can tell whether its process is gone."""

import os
from typing import Final

_MACHINE: Final = "/etc/machine-id"
_BOOT: Final = "/proc/sys/kernel/random/boot_id"
_NAMESPACE: Final = "/proc/self/ns/pid"


def this() -> str:
    """The name of this process. A number alone would do until the number is given to another."""
    return "/".join((*_here(), str(os.getpid()), _started(os.getpid())))


def gone(process: str) -> bool:
    """Whether a process is known to have ended. Of other machines and containers nothing is known."""
    machine, boot, namespace, number, started = process.split("/")
    here = _here()
    if machine == here[0] and boot != here[1]:
        return True
    return (machine, boot, namespace) == here and _started(int(number)) != started


def _here() -> tuple[str, str, str]:
    try:
        namespace = os.readlink(_NAMESPACE)
    except OSError:
        namespace = "-"
    return _line(_MACHINE) or os.uname().nodename, _line(_BOOT) or "-", namespace


def _started(number: int) -> str:
    """When a process began, in the kernel's ticks; empty if there is no such process (or only its remains)."""
    try:
        with open(f"/proc/{number}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return _alive(number)
    return "" if fields[0] in (b"Z", b"X") else fields[19].decode()


def _alive(number: int) -> str:
    """For machines without /proc: whether there is such a process at all."""
    if os.path.exists("/proc/self/stat"):
        return ""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return ""
    except PermissionError:
        pass
    return "alive"


def _line(path: str) -> str:
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip().replace("/", "-")
    except OSError:
        return ""
