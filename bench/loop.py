"""An agent's loop: the calls and characters that one job takes through the real server, with the default tools,
bound to one workspace as an agent of a project is; and through the servers of other task managers.

What the agent reads are the replies, and apart from them the tool list.
"""

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from bench import job
from bench.client import CallRefused, Client, ServerSilent, gatepost
from bench.figures import Aim, Figure, Section, alone, compared
from bench.peers import PEERS, NotInstalled, Peer
from bench.rig import WORKSPACE
from bench.scale import Scale

_CALLS: Final = Aim(sign="≤", bound=20, unit=" calls")
_OUT: Final = Aim(sign="≤", bound=6_500, unit=" characters")
_LIST: Final = Aim(sign="≤", bound=9_500, unit=" characters")
_LONGEST: Final = 60.0
"""Seconds after which a job is given up."""
_LONGEST_NOTE: Final = 300
_FAILED: Final = (ServerSilent, CallRefused, NotInstalled, OSError, AssertionError, subprocess.SubprocessError)


def measure(scale: Scale, folder: Path) -> Section:
    """Play the job once with each server: nothing here is a timing."""
    del scale
    with gatepost(folder / "loop.db", "--workspace", WORKSPACE, tools="core") as client:
        ours = _Count(client)
        ours.play(job.with_gatepost)
    figures = [
        alone("calls for the job", ours.calls, "calls", _CALLS),
        alone("characters that the agent sends", ours.sent, "characters"),
        alone("characters that the agent reads", ours.read, "characters", _OUT),
        alone("characters of the tool list", ours.listed, "characters", _LIST),
    ]
    notes = []
    for peer in PEERS:
        try:
            figures += _compared(peer, ours, folder)
        except _FAILED as error:
            notes.append(f"{peer.name} is not compared: {' '.join(str(error).split())[:_LONGEST_NOTE]}")
    return Section(name="loop", figures=figures, notes=notes)


class _Count:
    """Calls through a client, and the characters of their arguments and of the texts that come back."""

    def __init__(self, client: Client) -> None:
        self.calls = self.sent = self.read = self.listed = 0
        self._client = client
        self._until = time.monotonic() + _LONGEST

    def play(self, script: Callable[[job.Call], None]) -> None:
        """Do the job, after reading the tool list."""
        self.listed = len(_compact(self._client.greet()))
        script(self._call)

    def _call(self, tool: str, /, **arguments: Any) -> str:
        if time.monotonic() > self._until:
            raise ServerSilent(f"the job took more than {_LONGEST:g} s")
        text = self._client.text(tool, **arguments)
        self.calls += 1
        self.sent += len(_compact(arguments))
        self.read += len(text)
        return text


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _compared(peer: Peer, ours: _Count, folder: Path) -> Iterator[Figure]:
    name = f"{peer.name} {peer.version()}"
    place = folder / peer.package
    place.mkdir()
    with peer.serve(place) as client:
        theirs = _Count(client)
        theirs.play(peer.play)
    yield compared(f"{name}: calls", theirs.calls, "calls", ours.calls)
    yield compared(f"{name}: characters that the agent sends", theirs.sent, "characters", ours.sent)
    yield compared(f"{name}: characters that the agent reads", theirs.read, "characters", ours.read)
    yield compared(f"{name}: characters of the tool list", theirs.listed, "characters", ours.listed)
