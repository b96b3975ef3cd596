"""Files: reading and listing among few and many, a snapshot of few and many, and grep against a plain loop."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import gatepost
from bench.figures import Aim, Figure, Section, alone, compared, median
from bench.scale import Scale
from bench.timing import Turn, take_turns, timed
from gatepost.files.host import HostFilesystem
from gatepost.files.memory import InMemoryFilesystem
from gatepost.files.protocol import MAX_CONTENT, Filesystem

_SIZES: Final = (10, 10_000)
_CALLS: Final = ("list a leaf", "read a file", "read one of many", "snapshot")
_FLAT: Final = Aim(sign="≤", bound=1.5)
_FASTER: Final = Aim(sign="≥", bound=3)
_TIMES: Final = 20
"""So many calls are timed together: one alone is over before a clock has looked."""
_SOUGHT: Final = {
    "a word": "RevisionMismatch",
    "a class": r"class \w+\((Refusal|Exception)\):",
    "a definition": r"def \w*close\w*\(",
    "what is often there": r"return\s+None",
}


def measure(scale: Scale, folder: Path) -> Section:
    """Every call at every size and in both homes, then the searches."""
    with ExitStack() as stack:
        homes = _homes(folder, stack)
        calls = {key: _call(fs, key[1]) for (home, size), fs in homes.items() for key in _keys(home, size)}
        times = take_turns(calls, rounds=scale.rounds, seconds=scale.seconds)
    figures = [*_flat(times), *(figure for sought in _SOUGHT for figure in _searched(scale, sought))]
    return Section(name="files", figures=figures)


Key = tuple[str, str, int]
"""Where, what, among how many."""


def _homes(folder: Path, stack: ExitStack) -> Mapping[tuple[str, int], Filesystem]:
    homes: dict[tuple[str, int], Filesystem] = {}
    for size in _SIZES:
        root = folder / f"files-{size}"
        _plant(root, size)
        homes["host", size] = stack.enter_context(HostFilesystem(root))
        homes["memory", size] = memory = InMemoryFilesystem()
        for path in _paths(size):
            memory.write(path, _TEXT)
    return homes


def _plant(root: Path, size: int) -> None:
    """The same files on disk, without the price of durable writes."""
    for path in _paths(size):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(_TEXT, encoding="utf-8")


_TEXT: Final = "a line of some length in a file\n" * 20


def _paths(size: int) -> Iterator[str]:
    """Ten files in a leaf, so many elsewhere, and so many beside one another."""
    yield from (f"leaf/{number}.txt" for number in range(10))
    yield from (f"others/{number // 100}/{number}.txt" for number in range(size))
    yield from (f"many/{number}.txt" for number in range(size))


def _keys(home: str, size: int) -> Iterator[Key]:
    """A snapshot of a directory on disk reads all of it, and is not asked to be flat."""
    for call in _CALLS:
        if home == "memory" or call != "snapshot":
            yield home, call, size


def _call(fs: Filesystem, call: str) -> Turn:
    work = {
        "list a leaf": lambda: fs.list("leaf"),
        "read a file": lambda: fs.read("leaf/5.txt"),
        "read one of many": lambda: fs.read("many/5.txt"),
        "snapshot": fs.snapshot,
    }[call]

    def several() -> None:
        for _ in range(_TIMES):
            work()

    return lambda: timed(several) / _TIMES


def _flat(times: Mapping[Key, Sequence[float]]) -> Iterator[Figure]:
    few = _SIZES[0]
    for home, call, size in sorted(times, key=lambda key: (key[0], _CALLS.index(key[1]), key[2])):
        value, base = median(times[home, call, size], "µs"), median(times[home, call, few], "µs")
        yield compared(f"{home}, {call}: {size:,} files", value, "µs", base, None if size == few else _FLAT)


def _searched(scale: Scale, sought: str) -> Iterator[Figure]:
    """Our own source, searched by `grep`, and by a loop that need not walk or read: it has every text at hand."""
    pattern = _SOUGHT[sought]
    texts = _corpus()
    fs = InMemoryFilesystem()
    for path, text in texts.items():
        fs.write(path, text)
    assert [(match.path, match.line, match.text) for match in fs.grep(pattern)] == _line_by_line(pattern, texts)
    turns: dict[str, Turn] = {
        "grep": lambda: timed(lambda: fs.grep(pattern)),
        "loop": lambda: timed(lambda: _line_by_line(pattern, texts)),
    }
    times = take_turns(turns, rounds=scale.rounds, seconds=scale.seconds)
    grep = median(times["grep"], "ms")
    yield alone(f"grep for {sought} in {len(texts)} files", grep, "ms")
    yield compared(f"line by line for {sought}", median(times["loop"], "ms"), "ms", grep, _FASTER)


def _corpus() -> Mapping[str, str]:
    root = Path(gatepost.__file__).parent
    found = sorted(root.rglob("*.py"), key=lambda path: path.relative_to(root).parts)
    return {str(path.relative_to(root)): path.read_text(encoding="utf-8")[:MAX_CONTENT] for path in found}


def _line_by_line(pattern: str, texts: Mapping[str, str]) -> list[tuple[str, int, str]]:
    found: list[tuple[str, int, str]] = []
    sought = re.compile(pattern)
    for path, text in texts.items():
        for number, line in enumerate(text.splitlines(), 1):
            if sought.search(line):
                found.append((path, number, line))
    return found
