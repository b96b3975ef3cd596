"""Files: reading and listing among few and many, a snapshot of few and many, and grep against plain loops."""

import os
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
_NO_SLOWER: Final = Aim(sign="≥", bound=1)
_TIMES: Final = 20
"""So many calls are timed together: one alone is over before a clock has looked."""
_SEARCHES: Final = 100
"""More rounds of a search tell no more."""
_SOUGHT: Final = {
    "a word": "RevisionMismatch",
    "a class": r"class \w+\((Refusal|Exception)\):",
    "a definition": r"def \w*close\w*\(",
    "what is often there": r"return\s+None",
    "a whole word": r"\bNone\b",
    "a name that ends so": r"\w+Error\b",
    "a word by itself": r"(?:^|\W)step(?:\W|$)",
    "words in any case": r"(?i)todo|fixme",
    "calls of several": r"foo\(|bar\(|baz\(",
    "numbers": r"\d{3,}",
    "blanks at the end": r"\s+$",
    "a word in any case": r"(?i)refusal",
    "imports": r"^from \w+ import",
    "one of two words": r"raise|refuse",
    "returns": r"^\s*return\b",
    "capitals": r"[A-Z]{4,}",
    "colons at the end": r":$",
}
_DENSE: Final = frozenset(("capitals", "colons at the end", "returns"))
"""Found in more than one line of fifteen."""
_NOTE: Final = (
    "In memory, grep should be no slower than a plain loop over lines. It has no aim where every tenth line or so "
    "is found, since each costs a call, nor on disk, where opening files safely takes most of the time."
)


def measure(scale: Scale, folder: Path) -> Section:
    """Every call at every size and in both homes, then the searches."""
    with ExitStack() as stack:
        homes = _homes(folder, stack)
        calls = {key: _call(fs, key[1]) for (home, size), fs in homes.items() for key in _keys(home, size)}
        times = take_turns(calls, rounds=scale.rounds, seconds=scale.seconds)
    return Section(
        name="files",
        figures=[*_flat(times), *_long(scale, folder), *_searched(scale, folder / "source")],
        notes=[_NOTE],
    )


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


def _long(scale: Scale, folder: Path) -> Iterator[Figure]:
    """A long file: a piece from its middle against a loop that goes through its lines, and an edit of one line."""
    lines, width = 100_000, 80
    (folder / "long").mkdir()
    place = folder / "long" / "log.txt"
    place.write_text("".join(f"{number:07} {'x' * (width - 9)}\n" for number in range(lines)), encoding="utf-8")

    def loop() -> None:
        with place.open(encoding="utf-8") as file:
            for _ in file:
                pass

    with HostFilesystem(folder / "long") as host:
        turns = {
            "piece": lambda: timed(lambda: host.read("log.txt", lines // 2, 100)),
            "loop": lambda: timed(loop),
            "edit": lambda: timed(lambda: host.edit("log.txt", [("0050000 ", "0050000_")], dry_run=True)),
        }
        times = take_turns(turns, rounds=min(scale.rounds, _SEARCHES), seconds=scale.seconds)
    piece, loop_ms, edit = (median(times[turn], "ms") for turn in ("piece", "loop", "edit"))
    size = f"{lines * width // 10**6} MB"
    yield alone(f"host, a piece of a file of {size}", piece, "ms")
    yield compared("a loop over the lines of that file", loop_ms, "ms", piece, _NO_SLOWER)
    yield alone("host, an edit of that file, rehearsed", edit, "ms")


def _searched(scale: Scale, root: Path) -> Iterator[Figure]:
    """Our own source, searched by `grep` and by loops, in memory and on disk."""
    texts = _corpus()
    memory = InMemoryFilesystem()
    for path, text in texts.items():
        memory.write(path, text)
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    with HostFilesystem(root) as host:
        for sought, pattern in _SOUGHT.items():
            assert host.grep(pattern) == memory.grep(pattern) == tuple(_line_by_line(pattern, texts))
            assert sorted(_file_by_file(pattern, root)) == sorted(memory.grep(pattern))
            yield from _compared(scale, sought, _turns(pattern, memory, texts, host, root))


def _turns(
    pattern: str, memory: Filesystem, texts: Mapping[str, str], host: Filesystem, root: Path
) -> Mapping[str, Turn]:
    return {
        "memory": lambda: timed(lambda: memory.grep(pattern)),
        "texts": lambda: timed(lambda: _line_by_line(pattern, texts)),
        "disk": lambda: timed(lambda: host.grep(pattern)),
        "files": lambda: timed(lambda: _file_by_file(pattern, root)),
    }


def _compared(scale: Scale, sought: str, turns: Mapping[str, Turn]) -> Iterator[Figure]:
    times = take_turns(turns, rounds=min(scale.rounds, _SEARCHES), seconds=scale.seconds)
    memory, texts, disk, files = (median(times[turn], "ms") for turn in ("memory", "texts", "disk", "files"))
    yield alone(f"memory, grep for {sought}", memory, "ms")
    yield compared(
        f"texts line by line for {sought}", texts, "ms", memory, None if sought in _DENSE else _NO_SLOWER
    )
    yield alone(f"host, grep for {sought}", disk, "ms")
    yield compared(f"files line by line for {sought}", files, "ms", disk, None)


def _corpus() -> Mapping[str, str]:
    root = Path(gatepost.__file__).parent
    found = sorted(root.rglob("*.py"), key=lambda path: path.relative_to(root).parts)
    return {str(path.relative_to(root)): path.read_text(encoding="utf-8")[:MAX_CONTENT] for path in found}


def _line_by_line(pattern: str, texts: Mapping[str, str]) -> list[tuple[str, int, str]]:
    """A loop that need not walk or read: it has every text at hand."""
    found: list[tuple[str, int, str]] = []
    sought = re.compile(pattern)
    for path, text in texts.items():
        for number, line in enumerate(text.splitlines(), 1):
            if sought.search(line):
                found.append((path, number, line))
    return found


def _file_by_file(pattern: str, root: Path) -> list[tuple[str, int, str]]:
    """A loop as one would write it, which opens whatever stands there."""
    found: list[tuple[str, int, str]] = []
    sought = re.compile(pattern)
    for place, _, names in os.walk(root):
        before = "" if place == str(root) else f"{Path(place).relative_to(root)}/"
        for name in names:
            with open(f"{place}/{name}", encoding="utf-8") as file:  # noqa: PTH123 - as fast as the loop can be
                for number, line in enumerate(file.read().splitlines(), 1):
                    if sought.search(line):
                        found.append((f"{before}{name}", number, line))
    return found
