"""Every source file and page of five installed packages, through every way in and out: byte for byte the same."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from gatepost.engine.engine import Engine
from gatepost.files.host import HostFilesystem
from gatepost.files.protocol import MAX_CONTENT
from gatepost.storage.sqlite.store import SqliteStore
from gatepost.wire.credentials import find
from tests.givens import TickingClock, World

PACKAGES = ("anyio", "httpx", "jsonschema", "starlette", "uvicorn")
MORE = ("hypothesis", "markdown_it", "mcp", "textual")
WHOLE = {"max_chars": 1_000_000}
SECTION = 65_536
NOTE, ITEM, CRITERION, STEPS = 16_000, 4_000, 2_000, 2_000


def folder(package: str) -> Path:
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def sources(package: str) -> list[Path]:
    found = [path for path in sorted(folder(package).rglob("*")) if path.suffix in (".py", ".md")]
    assert len(found) > 20
    return found


def texts(package: str) -> list[str]:
    return [path.read_bytes().decode() for path in sources(package)]


def pieces(text: str, size: int) -> Iterator[str]:
    """A text in pieces that a field can hold; blank ones are left out, for no field takes them."""
    cut = (text[at : at + size] for at in range(0, len(text), size))
    return (piece for piece in cut if piece.strip())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    kept = SqliteStore(str(tmp_path / "gp.db"), "NORMAL")
    yield kept
    kept.close()


def together(world: World, tool: str, calls: list[dict[str, Any]]) -> None:
    """Many calls in few transactions."""
    for at in range(0, len(calls), 200):
        operations = [{"tool": tool, "arguments": call} for call in calls[at : at + 200]]
        world.ok("tasks_batch", operations=operations)


@pytest.mark.requirement("texts.out.corpus", "secrets.precision.no-false-alarm")
@pytest.mark.parametrize("package", [*PACKAGES, *MORE])
def test_no_source_file_raises_an_alarm(package: str) -> None:
    alarms = {
        str(path): finding.kind
        for path, text in zip(sources(package), texts(package), strict=True)
        for finding in find(text)
    }

    assert alarms == {}


@pytest.mark.requirement("texts.out.corpus", "texts.out.unaltered")
@pytest.mark.parametrize("package", PACKAGES)
def test_a_file_that_is_read_and_written_back_is_the_same(package: str, store: SqliteStore, tmp_path: Path) -> None:
    world, copies = World(store), tmp_path / "copies"
    copies.mkdir()
    here, there = HostFilesystem(str(folder(package))), HostFilesystem(str(copies))

    for number, path in enumerate(sources(package)):
        windows = list(read_windows(world, here, path.relative_to(folder(package))))
        for part, window in enumerate(windows):
            world.engine = Engine(store, TickingClock(), files=lambda: there)
            world.ok("file_write", path=f"{number}.{part}", content=window)
        written = b"".join((copies / f"{number}.{part}").read_bytes() for part in range(len(windows)))

        assert written == path.read_bytes(), f"{path} is not the same"


def read_windows(world: World, files: HostFilesystem, path: Path) -> Iterator[str]:
    """A file as `file_read` shows it: whole, or in windows of whole lines."""
    world.engine = Engine(world.store, TickingClock(), files=lambda: files)
    offset: int | None = 0
    while offset is not None:
        read = world.ok("file_read", path=path.as_posix(), offset=offset, **WHOLE)
        assert len(read["content"]) <= MAX_CONTENT
        yield read["content"]
        offset = read.get("next_offset")


@pytest.mark.requirement("texts.out.corpus", "texts.out.unaltered")
@pytest.mark.parametrize("package", PACKAGES)
def test_a_text_is_the_same_as_a_section_a_note_a_criterion_and_a_todo_item(
    package: str, store: SqliteStore
) -> None:
    world = World(store)
    corpus = texts(package)
    task = world.task("step")
    world.ok("taskdoc_create", name="corpus")

    kept_as_sections(world, [text for text in corpus if text.strip() and len(text.encode()) <= SECTION])
    kept_as_notes(world, task, [piece for text in corpus for piece in pieces(text, NOTE)])
    kept_as_todo_items(world, [piece for text in corpus for piece in pieces(text, ITEM)])
    kept_as_criteria(world, [piece for text in corpus for piece in pieces(text, CRITERION)])


def kept_as_sections(world: World, corpus: list[str]) -> None:
    for text in corpus:
        world.ok("change_mind", selector="goals", content=text)
        assert world.ok("recall_mind", selector="goals")["content"] == text


def kept_as_notes(world: World, task: str, notes: list[str]) -> None:
    since = world.everything()["head"].seq
    together(world, "tasks_note", [{"task": task, "note": note} for note in notes])
    shown: list[str] = []
    more = True
    while more:
        page = world.ok("tasks_delta", since=since, limit=50, **WHOLE)
        shown += [event["note"] for event in page["events"] if "note" in event]
        since, more = page["next"], page["has_more"]
    assert shown == notes


def kept_as_todo_items(world: World, items: list[str]) -> None:
    """White space around an item is no part of it."""
    for item in items:
        world.ok("todo_write", items=[item])
        assert world.ok("todo_read")["items"] == [item.strip()]


def kept_as_criteria(world: World, texts: list[str]) -> None:
    """A criterion may have several lines."""
    assert sum("\n" in text for text in texts) > len(texts) // 2
    groups = [texts[at : at + 5] for at in range(0, len(texts), 5)]
    steps = [{"title": "step", "criteria": list(dict.fromkeys(group))} for group in groups]
    for at in range(0, len(steps), STEPS):
        task = world.ok("tasks_create", kind="task", title="corpus", steps=steps[at : at + STEPS])["id"]
        stored = [world.step(task, f"s:{number}")["criteria"] for number in range(len(steps[at : at + STEPS]))]
        assert stored == [step["criteria"] for step in steps[at : at + STEPS]]
