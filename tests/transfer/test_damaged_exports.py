"""Files that are not as they were written, by accident or on purpose: refused, with nothing wrong stored."""

import io
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gatepost.domain.refusals import Refusal
from gatepost.engine import doctor
from gatepost.transfer import import_workspaces, line_reader, workspace_writer
from gatepost.transfer.refusals import ExportDamaged, ImportMismatch, NotAnExport
from tests.engine.histories import tell
from tests.givens import WORKSPACE, World, memory_store
from tests.transfer.exports import Line, check_equal, exported, file_of, ignore, imported, lines_of, resealed

Edit = Callable[[list[Line]], object]


@pytest.fixture(scope="module")
def source() -> Iterator[World]:
    """A world with every kind of row."""
    world = World(memory_store())
    tell(world)
    yield world
    world.store.close()


@pytest.fixture(scope="module")
def data(source: World) -> bytes:
    return exported(source.store)


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that something is stored before a damaged line is reached."""
    monkeypatch.setattr(workspace_writer, "_OPERATIONS", 2)


def first(lines: list[Line], kind: str, number: int = 0) -> int:
    return [at for at, line in enumerate(lines) if line["line"] == kind][number]


def changed(kind: str, number: int, **values: Any) -> Edit:
    return lambda lines: lines[first(lines, kind, number)].update(values)


def swapped(kind: str, number: int) -> Edit:
    def edit(lines: list[Line]) -> None:
        one, other = first(lines, kind, number), first(lines, kind, number + 1)
        lines[one], lines[other] = lines[other], lines[one]

    return edit


def without(kind: str, number: int) -> Edit:
    return lambda lines: lines.pop(first(lines, kind, number))


def twice(kind: str, number: int) -> Edit:
    def edit(lines: list[Line]) -> None:
        at = first(lines, kind, number)
        lines.insert(at, lines[at])

    return edit


def without_operation(lines: list[Line]) -> None:
    begin, end = first(lines, "operation", 5), first(lines, "operation", 6)
    del lines[begin:end]


EDITS: dict[str, Edit] = {
    "another actor": changed("operation", 4, actor="nobody"),
    "another hash": changed("operation", 4, hash="0" * 64),
    "another time": changed("event", 4, at="2020-01-01T00:00:00.000Z"),
    "another text": changed("event", 4, body='{"type":"step_noted","note":"forged"}'),
    "another document": changed("image", 6, after=None),
    "another revision": changed("touch", 4, revision=9),
    "other evidence": changed("artifact", 0, body='{"kind":"forged"}'),
    "operations in another order": swapped("operation", 3),
    "events in another order": swapped("event", 1),
    "images in another order": swapped("image", 2),
    "no event": without("event", 3),
    "no image": without("image", 3),
    "no touch": without("touch", 3),
    "no evidence": without("artifact", 0),
    "no operation": without_operation,
    "an event twice": twice("event", 3),
    "an operation twice": twice("operation", 3),
    "a name twice": twice("name", 1),
    "no name": without("name", 1),
    "names in another order": swapped("name", 1),
    "no end of the workspace": without("workspace_end", 0),
    "no end": without("export_end", 0),
    "another number of workspaces": changed("export_end", 0, workspaces=2),
    "something after the end": twice("export_end", 0),
    "an unknown field": changed("touch", 0, more=1),
    "an unknown line": changed("touch", 0, line="poke"),
    "a number that no store can keep": changed("touch", 0, revision=2**64),
    "a workspace that cannot be": changed("workspace", 0, name="../etc"),
    "another workspace": changed("workspace", 0, name="acme/other"),
    "another length": changed("workspace", 0, seq=7),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edited_file_is_refused_with_the_line_and_the_right_one_can_be_imported_then(
    source: World, data: bytes, edit: Edit
) -> None:
    lines = lines_of(data)
    edit(lines)
    target = World(memory_store())

    with pytest.raises(ExportDamaged, match=r"the file, line [0-9]+: ") as raised:
        imported(target.store, file_of(lines))

    assert 2 <= raised.value.details["line"] <= len(lines) + 1
    check_prefix(target, source)
    imported(target.store, data)
    check_equal(target, source, data)


def test_the_line_is_that_of_the_operation_whose_hash_differs(data: bytes) -> None:
    lines = lines_of(data)
    changed("event", 4, actor="nobody")(lines)
    begin, end = first(lines, "operation", 3), first(lines, "operation", 4)

    with pytest.raises(ExportDamaged) as raised:
        imported(memory_store(), file_of(lines))

    assert begin <= first(lines, "event", 4) < end
    assert raised.value.details["line"] == end, "lines are counted from 1, so this is the last one of the operation"
    assert f"begins in line {begin + 1}, does not match its hash" in raised.value.message


@pytest.mark.parametrize("part", range(1, 20))
def test_a_file_that_is_cut_off_is_refused_and_what_was_whole_stays(source: World, data: bytes, part: int) -> None:
    target = World(memory_store())
    cut = data[: len(data) * part // 20]

    with pytest.raises(ExportDamaged, match="A part of it is missing"):
        imported(target.store, cut)

    check_prefix(target, source)
    imported(target.store, data)
    check_equal(target, source, data)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(at=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255), kind=st.sampled_from(["put", "cut", "add"]))
def test_any_byte_that_differs_is_refused_or_makes_no_difference(
    source: World, data: bytes, at: float, byte: int, kind: str
) -> None:
    place = int(at * len(data))
    put = {"put": bytes([byte]), "cut": b"", "add": bytes([byte, data[place]])}[kind]
    target = World(memory_store())

    try:
        imported(target.store, data[:place] + put + data[place + 1 :])
    except Refusal:
        check_prefix(target, source)
        imported(target.store, data)

    check_equal(target, source, data)


def check_prefix(target: World, source: World) -> None:
    """Nothing is stored, or all of it, or the beginning of the log, marked as a part."""
    kept, whole = target.everything(), source.everything()
    if kept == whole:
        return
    if kept["head"].seq:
        assert kept["head"].is_unfinished
        assert kept["events"] == whole["events"][: len(kept["events"])]
        assert kept["images"] == whole["images"][: len(kept["images"])]
        hashes = [row[-1] for row in kept["operations"]]
        assert hashes == [row[-1] for row in whole["operations"]][: len(hashes)]
        assert kept["head"].link == hashes[-1]
        assert kept["names"] == kept["terms"] == []
    found = doctor.examine(target.store, WORKSPACE).findings
    assert [finding.code for finding in found] == ["UNFINISHED_IMPORT"] * bool(kept["head"].seq)


FORGED: dict[str, Edit] = {
    "a document of two minds": changed("image", 20, before='{"kind":"plan"}'),
    "revisions with a gap": changed("touch", 9, revision=40),
    "more plans than there are": lambda lines: lines[-2]["head"].update(plans=7),
    "more ids than there are": lambda lines: lines[-2]["head"].update(nodes=70),
    "an id that leads elsewhere": changed("name", 0, place="ta1.sa7"),
    "another digest": changed("workspace_end", 0, documents="0" * 64),
}


@pytest.mark.parametrize("edit", FORGED.values(), ids=FORGED)
def test_a_file_with_new_hashes_that_contradicts_itself_never_becomes_a_workspace(data: bytes, edit: Edit) -> None:
    lines = lines_of(data)
    edit(lines)
    target = World(memory_store())

    with pytest.raises(ImportMismatch, match="acme/repo is not what the file says: "):
        imported(target.store, resealed(lines))

    assert target.everything()["head"].is_unfinished


UNREADABLE: dict[str, Edit] = {
    "an event of no type": changed("event", 3, body='{"type":"step_flown"}'),
    "an event that is no JSON": changed("event", 3, body="{"),
    "an event that is deep": changed(
        "event", 3, body='{"type":"step_noted","x":' + "[" * 50_000 + "]" * 50_000 + "}"
    ),
    "a document of no kind": changed("image", 3, after='{"kind":"spell"}'),
    "a document that is deep": changed("image", 3, after="[" * 50_000),
    "a task where a plan is": changed("image", 0, after='{"kind":"focus"}'),
    "a place that cannot be": changed("touch", 3, place="../../etc"),
    "evidence that is no JSON": changed("artifact", 0, body="nothing"),
    "an id that cannot be": changed("name", 0, name="STEP-1"),
}


@pytest.mark.parametrize("edit", UNREADABLE.values(), ids=UNREADABLE)
def test_what_no_version_could_have_stored_is_refused_at_its_line(data: bytes, edit: Edit) -> None:
    lines = lines_of(data)
    before = [dict(line) for line in lines]
    edit(lines)
    (at,) = [at for at, line in enumerate(lines) if line != before[at]]

    with pytest.raises(ExportDamaged) as raised:
        imported(memory_store(), resealed(lines))

    assert raised.value.details["line"] == at + 1


@pytest.mark.parametrize(
    ("begin", "says"),
    [
        (b"", "is not an export"),
        (b"\n", "is not an export"),
        (b"\xff\xfe\x00\x01" * 100, "is not an export"),
        (b"[" * 100_000, "is not an export"),
        (b'{"line":"export","x":' + b"[" * 100_000, "is not an export"),
        (b'{"line":"workspace","name":"acme/repo","seq":1}\n', "is not an export"),
        (b'{"line":"export","format":"other","version":1,"gatepost":"1","at":""}\n', "is not an export"),
        (b"SQLite format 3\x00" + b"\x00" * 100, "is a database"),
        (
            b'{"line":"export","format":"gatepost","version":2,"gatepost":"9.1","at":"","new":1}\n',
            r"newer gatepost \(9\.1\)",
        ),
    ],
)
def test_a_file_that_is_no_export_of_ours_is_refused_for_what_it_is(begin: bytes, says: str) -> None:
    store = memory_store()

    with pytest.raises(NotAnExport, match=says) as raised:
        imported(store, begin)

    assert raised.value.recovery
    assert store.workspaces() == []


def test_a_line_without_end_is_not_read_to_its_end(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_reader, "LONGEST", 10_000)
    endless = Endless(data.splitlines(keepends=True)[0])

    with pytest.raises(ExportDamaged, match=r"line 2: it is longer than"):
        list(import_workspaces(memory_store(), endless, "the file", ignore))

    assert endless.given <= 20_000


class Endless(io.BytesIO):
    """A first line, and then one that goes on for ever."""

    def __init__(self, begin: bytes) -> None:
        super().__init__(begin)
        self.given = 0

    def readline(self, size: int | None = -1, /) -> bytes:
        found = super().readline(size) or b"x" * (2**40 if size is None or size < 0 else size)
        self.given += len(found)
        return found
