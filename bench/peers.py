"""Other task managers for agents, as `make bench` installs them with npm: servers that do the same job."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench import job
from bench.client import Client

_INSTALLED: Final = Path(__file__).parents[1] / ".node" / "peers" / "node_modules"
_PATIENCE: Final = 30.0


class NotInstalled(Exception):
    """A peer is not there."""


@dataclass(frozen=True, slots=True)
class Peer:
    """Another task manager: how its server is started in a folder, and how the job is done with it."""

    name: str
    package: str
    serve: Callable[[Path], Client]
    play: Callable[[job.Call], None]

    def version(self) -> str:
        """The installed version."""
        return version_of(self.package)


def version_of(package: str) -> str:
    """The installed version of a package. Raises `NotInstalled`."""
    try:
        version: str = json.loads((_INSTALLED / package / "package.json").read_text())["version"]
    except FileNotFoundError:
        raise NotInstalled(f"not installed. `make bench` does it, with npm: {_INSTALLED} is missing.") from None
    return version


def backlog(folder: Path) -> Client:
    """The server of Backlog.md, in a folder that it made its own."""
    start = program("backlog")
    if not (folder / "backlog").exists():
        begin = [start, "init", "bench", "--defaults", "--integration-mode", "none", "--no-git"]
        subprocess.run(begin, cwd=folder, capture_output=True, check=True, timeout=_PATIENCE)
    return Client([start, "mcp", "start"], folder, {})


def shrimp(folder: Path) -> Client:
    """The server of Shrimp."""
    environment = {"DATA_DIR": str(folder / "data"), "TEMPLATES_USE": "en", "ENABLE_GUI": "false"}
    return Client([program("mcp-shrimp-task-manager")], folder, environment)


def program(name: str) -> str:
    """An installed program."""
    return str(_INSTALLED / ".bin" / name)


PEERS: Final = (
    Peer("Backlog.md", "backlog.md", backlog, job.with_backlog),
    Peer("Shrimp", "mcp-shrimp-task-manager", shrimp, job.with_shrimp),
)
