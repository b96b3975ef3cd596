"""The same jobs with Gatepost and with other task managers, each through its own MCP server on stdio: start, add a
task, get one done, list, ask what is next, with few tasks and with many; and two writers at once.

All managers take turns in one loop. Each keeps its store as it does by default. Only ours waits for the disk.
"""

import json
import statistics
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from operator import methodcaller
from pathlib import Path
from typing import Final, NamedTuple

from bench.client import CallRefused, Client, ServerSilent
from bench.figures import Aim, Figure, Section, Unit, alone, compared
from bench.managers import GATEPOST, OTHERS, TITLE, Manager, titles
from bench.peers import NotInstalled
from bench.scale import Scale
from bench.timing import OutOfTime, Progress

_ROUNDS: Final = 5
_IN_A_ROW: Final = 3
_SPAWNS: Final = 2
_LONGEST_NOTE: Final = 200
_SURVIVING: Final = Aim(sign="≥", bound=100, unit="%")
_FAILED: Final = (
    ServerSilent,
    CallRefused,
    NotInstalled,
    OutOfTime,
    OSError,
    AssertionError,
    ValueError,
    subprocess.SubprocessError,
)


class _Sample(NamedTuple):
    """A job done once: how long it took, and the characters of the replies."""

    seconds: float
    characters: int


class _Player:
    """A manager with a store of so many tasks, and its server once it runs."""

    def __init__(self, manager: Manager, folder: Path, count: int, seeding: float) -> None:
        self.manager = manager
        self.label = manager.label
        self.folder = folder / manager.name
        self.folder.mkdir()
        progress = Progress(f"{manager.name}: tasks", count, until=time.monotonic() + seeding)
        self._open = iter(manager.seed(self.folder, count, progress))
        self._added = count
        self._client: Client | None = None
        self._read = 0

    def start(self) -> _Sample:
        """Start a server and read its tool list."""
        begun = time.perf_counter()
        with self.manager.serve(self.folder) as client:
            listed = client.greet()
            return _Sample(time.perf_counter() - begun, _length(listed["tools"]))

    def serve(self, ending: ExitStack) -> None:
        """Start the server that does the jobs."""
        self._client = ending.enter_context(self.manager.serve(self.folder))
        self._client.greet()

    def job(self, name: str) -> _Sample:
        """Do one of the four jobs."""
        self._read, begun = 0, time.perf_counter()
        self._jobs()[name]()
        return _Sample(time.perf_counter() - begun, self._read)

    def give_up(self) -> None:
        """End a server that failed: it may still be at work, at the expense of the others."""
        if self._client is not None:
            self._client.kill()

    def memory(self) -> float | None:
        """The server's memory."""
        return None if self._client is None else self._client.memory()

    def _jobs(self) -> dict[str, Callable[[], object]]:
        manager = self.manager
        return {
            "add": lambda: manager.add(self._call, TITLE.format(number=self._number())),
            "done": lambda: manager.done(self._call, next(self._open)),
            "list": lambda: manager.listed(self._call),
            "next": lambda: manager.next(self._call),
        }

    def _number(self) -> int:
        self._added += 1
        return self._added

    def _call(self, tool: str, /, **arguments: object) -> str:
        assert self._client is not None
        text = self._client.text(tool, **arguments)
        self._read += len(text)
        return text


_JOBS: Final = ("add", "done", "list", "next")


def measure(scale: Scale, folder: Path) -> Section:
    """Every job for each number of tasks, then two writers."""
    figures: list[Figure] = []
    notes: list[str] = []
    for count in scale.managed:
        place = folder / str(count)
        place.mkdir()
        figures += _with_tasks(scale, place, count, notes)
    figures += _two_writers(scale, folder, notes)
    return Section(name="peers", figures=figures, notes=list(dict.fromkeys(notes)))


def _with_tasks(scale: Scale, folder: Path, count: int, notes: list[str]) -> Iterator[Figure]:
    players: list[_Player] = []
    for manager in (GATEPOST, *OTHERS):
        try:
            players.append(_Player(manager, folder, count, scale.seeding))
        except _FAILED as error:
            notes.append(_note(manager, count, error))
    samples = _in_turns(players, "start", lambda player: player.start(), _SPAWNS, scale, notes, count)
    where = f"{count:,} tasks"
    yield from _figures(f"start to tool list, {where}", samples)
    if count == scale.managed[0]:
        yield from _characters("characters of the tool list", samples)
    with ExitStack() as ending:
        for player in list(players):
            try:
                player.serve(ending)
            except _FAILED as error:
                notes.append(_note(player.manager, count, error))
                players.remove(player)
        for job in _JOBS:
            samples = _in_turns(players, job, methodcaller("job", job), _ROUNDS, scale, notes, count)
            yield from _figures(f"{job}, {where}", samples)
            yield from _characters(f"{job}: characters to read, {where}", samples)
        used = {player.label: memory for player in players if (memory := player.memory()) is not None}
    yield from _against_first(f"server's memory, {where}", used, "MiB")


def _in_turns(
    players: list[_Player],
    job: str,
    play: Callable[[_Player], _Sample],
    rounds: int,
    scale: Scale,
    notes: list[str],
    count: int,
) -> dict[str, list[_Sample]]:
    """Each player's samples, the first one apart: it warms up. A player who fails
    is out; one who takes too long stops."""
    found: dict[str, list[_Sample]] = {player.label: [] for player in players}
    spent = dict.fromkeys(found, 0.0)
    playing = list(players)
    for _ in range(rounds):
        for player in list(playing):
            begun = time.monotonic()
            try:
                # In a row: whoever waits for the disk after others pays for what they wrote.
                found[player.label] += [play(player) for _ in range(_IN_A_ROW if spent[player.label] < 1.0 else 1)]
            except _FAILED as error:
                notes.append(_note(player.manager, count, error, job))
                player.give_up()
                playing.remove(player)
                players.remove(player)
                continue
            spent[player.label] += time.monotonic() - begun
            if spent[player.label] > scale.seconds:
                playing.remove(player)
        playing = playing[1:] + playing[:1]
    return {label: samples[1:] or samples for label, samples in found.items() if samples}


def _figures(what: str, samples: dict[str, list[_Sample]]) -> Iterator[Figure]:
    middle = {label: statistics.median(one.seconds for one in found) * 1e3 for label, found in samples.items()}
    return _against_first(what, middle, "ms")


def _characters(what: str, samples: dict[str, list[_Sample]]) -> Iterator[Figure]:
    middle = {label: statistics.median(one.characters for one in found) for label, found in samples.items()}
    return _against_first(what, middle, "characters")


def _against_first(what: str, values: dict[str, float], unit: Unit) -> Iterator[Figure]:
    """Ours alone, and everybody else's by its ratio to it."""
    ours = values.get(GATEPOST.label)
    for label, value in values.items():
        named = f"{label}: {what}"
        yield (
            alone(named, value, unit)
            if ours is None or label == GATEPOST.label
            else compared(named, value, unit, ours)
        )


def _two_writers(scale: Scale, folder: Path, notes: list[str]) -> Iterator[Figure]:
    """Two servers on one store, each asked to add tasks; how many of those it accepted are there afterwards."""
    for manager in (GATEPOST, *OTHERS):
        place = folder / f"writers of {manager.name}"
        place.mkdir()
        try:
            accepted, kept = _written(manager, place, scale.contested)
        except _FAILED as error:
            notes.append(_note(manager, scale.contested, error, "two writers"))
            continue
        share = 100 * kept / accepted if accepted else 0.0
        aim = _SURVIVING if manager is GATEPOST else None
        yield alone(f"{manager.label}: accepted tasks of two writers that are there", share, "%", aim)
        notes.append(f"{manager.label}: two writers added {2 * scale.contested}, {accepted} accepted, {kept} there")


def _written(manager: Manager, folder: Path, each: int) -> tuple[int, int]:
    manager.seed(folder, 1, Progress(f"{manager.name}: writers", 1, until=time.monotonic() + 60.0))
    names, barrier = ("Left", "Right"), threading.Barrier(2)
    accepted: list[str] = []
    with ExitStack() as ending:
        writers = []
        for name in names:
            client = ending.enter_context(manager.serve(folder))
            client.greet()
            writers.append(threading.Thread(target=_add, args=(manager, client, name, each, barrier, accepted)))
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
    with manager.serve(folder) as client:
        client.greet()
        text = manager.whole(client.text)
    there = {title for name in names for title in titles(text, name)}
    return len(accepted), len(there & set(accepted))


def _add(
    manager: Manager, client: Client, name: str, each: int, barrier: threading.Barrier, accepted: list[str]
) -> None:
    barrier.wait()
    for number in range(each):
        title = f"{name} {number}"
        try:
            manager.add(client.text, title)
        except CallRefused:
            continue
        except ServerSilent:
            return
        accepted.append(title)


def _note(manager: Manager, count: int, error: Exception, job: str = "start") -> str:
    said = " ".join(str(error).split())[:_LONGEST_NOTE]
    if isinstance(error, NotInstalled):
        return f"{manager.name} is not compared: {said}"
    return f"{manager.name}, {job}, {count:,} tasks: {said or type(error).__name__}"


def _length(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
