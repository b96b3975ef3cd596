"""The doctor: what it finds, that it goes on after damage, and what a repair brings back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from gatepost.domain.refusals import Busy
from gatepost.engine import doctor
from gatepost.engine.doctor import Repair
from gatepost.storage.faults import NotAStore, StoreNewer
from tests.engine.histories import FILE, by_hand, tell
from tests.givens import STORES, World, new_store, worlds

OTHER = "acme/other"
FOREIGN = "CREATE TRIGGER spy AFTER INSERT ON events BEGIN DELETE FROM names; END"


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[World]:
    """A world on a file, with a log of every kind of row, and another workspace beside it."""
    for made in worlds("sqlite", tmp_path):
        tell(made)
        World(made.store, OTHER).task("a step")
        yield made


def codes(world: World) -> set[str]:
    return {finding.code for finding in doctor.check_store(world.store).findings}


def everything(world: World) -> dict[str, Any]:
    return {name: world.everything(name) for name in world.store.workspaces()}


def repaired(world: World, **options: bool) -> Repair:
    world.store.close()
    return doctor.repair(world.store, **options)


def files(folder: Path) -> set[str]:
    """What is in the folder of a store, without the side files of SQLite."""
    return {path.name for path in folder.iterdir() if not path.name.endswith(("-wal", "-shm"))}


@pytest.mark.parametrize("kind", STORES)
def test_a_sound_store_has_no_findings_and_a_repair_leaves_it_alone(kind: str, tmp_path: Path) -> None:
    world = World(new_store(kind, tmp_path))
    tell(world)
    before = world.everything()

    checkup = doctor.check_store(world.store)
    result = repaired(world)

    head = before["head"]
    assert checkup.findings == []
    assert [report.log for report in checkup.workspaces] == [{"seq": head.seq, "hash": head.hash}]
    assert (result.kept, result.after.findings) == (None, [])
    assert world.everything() == before
    world.store.close()


DERIVED = {
    "MISCOUNTED": "UPDATE tallies SET total = 7",
    "REVISION_DIFFERS": "UPDATE tallies SET revision = 70 WHERE place = 'ta1'",
    "NOT_INDEXED": "DELETE FROM terms WHERE term LIKE 'status:%'",
    "STALE_INDEX": "INSERT INTO terms VALUES (1, 'now', 'ta9')",
    "LOST_NAME": "UPDATE names SET place = 'ta1.sa7' WHERE place = 'ta1.sa0'",
    "ALTERED_DOCUMENT": "UPDATE documents SET text = replace(text, 'Another title', 'Forged')",
    "UNREADABLE_DOCUMENT": "UPDATE documents SET text = substr(text, 2) WHERE place = 'ta1'",
    "UNREADABLE_ROW": "UPDATE documents SET text = CAST(x'ff41' AS TEXT) WHERE place = 'ta1'",
    "MISPLACED_DOCUMENT": "UPDATE documents SET place = 'ta7' WHERE place = 'ta1'",
    "UNDO_DIFFERS": "UPDATE operations SET undone_by = NULL WHERE undone_by IS NOT NULL",
}


@pytest.mark.parametrize("code", DERIVED)
def test_what_follows_from_the_log_is_brought_back_whole(filled: World, tmp_path: Path, code: str) -> None:
    before = everything(filled)
    by_hand(tmp_path, DERIVED[code])
    assert code in codes(filled)

    result = repaired(filled)

    assert result.after.findings == []
    assert everything(filled) == before
    assert result.kept is not None
    assert Path(result.kept).stat().st_mode == (tmp_path / FILE).stat().st_mode
    assert files(tmp_path) == {FILE, Path(result.kept).name}


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM documents",
        "DELETE FROM tallies",
        "DELETE FROM terms",
        "DELETE FROM names WHERE place = 'ta1.sa0'",
    ],
)
def test_tables_that_were_emptied_are_filled_again(filled: World, tmp_path: Path, statement: str) -> None:
    before = everything(filled)
    by_hand(tmp_path, statement)

    result = repaired(filled)

    assert result.before.findings
    assert result.after.findings == []
    assert everything(filled) == before


def test_counters_that_were_altered_are_counted_again(filled: World, tmp_path: Path) -> None:
    before = everything(filled)
    by_hand(tmp_path, "UPDATE workspaces SET plans = 70, tasks = 1, nodes = 3")
    assert "MISCOUNTED" in codes(filled)

    repaired(filled)

    assert everything(filled) == before


def test_a_broken_chain_stays_broken_after_a_repair(filled: World, tmp_path: Path) -> None:
    by_hand(tmp_path, "UPDATE events SET actor = 'nobody' WHERE seq = 3", "UPDATE tallies SET total = 7")

    result = repaired(filled)

    assert [finding.code for finding in result.after.findings] == ["BROKEN_CHAIN"]


@pytest.mark.parametrize(
    "statement",
    [
        """UPDATE images SET after = '!' || after WHERE after LIKE '%"formerly"%'""",
        """UPDATE images SET after = replace(after, 'formerly":["s', 'formerly":["') WHERE after LIKE '%former%'""",
        """UPDATE events SET body = replace(body, '"from":"s', '"from":"') WHERE body LIKE '%"step_moved"%'""",
    ],
    ids=["image", "former-path", "event"],
)
def test_a_damaged_record_of_a_move_is_found_and_the_check_goes_on(
    filled: World, tmp_path: Path, statement: str
) -> None:
    by_hand(tmp_path, statement)

    assert "BROKEN_CHAIN" in codes(filled)


@pytest.mark.parametrize(
    "forgery",
    [
        """UPDATE images SET before = replace(before, 'A task', 'Forged')
        WHERE before LIKE '%A task%'
        AND operation = (SELECT max(operation) FROM images WHERE before LIKE '%A task%')""",
        "UPDATE images SET after = replace(after, 'Other goals', 'Forged') WHERE after LIKE '%Other goals%'",
    ],
)
def test_an_altered_image_is_put_right_from_its_neighbours_if_its_hash_proves_it(
    filled: World, tmp_path: Path, forgery: str
) -> None:
    before = everything(filled)
    by_hand(tmp_path, forgery)
    assert "BROKEN_CHAIN" in codes(filled)

    result = repaired(filled)

    assert result.after.findings == []
    assert everything(filled) == before


def test_a_good_document_is_not_overwritten_by_an_altered_image(filled: World, tmp_path: Path) -> None:
    before = everything(filled)
    by_hand(
        tmp_path,
        "UPDATE images SET after = replace(after, 'Other goals', 'Forged') WHERE after LIKE '%Other goals%'",
        "UPDATE events SET actor = 'nobody' WHERE operation ="
        " (SELECT max(operation) FROM images WHERE after LIKE '%Forged%')",
        "UPDATE tallies SET total = 7",
    )

    result = repaired(filled)

    assert {finding.code for finding in result.after.findings} == {"BROKEN_CHAIN", "ALTERED_DOCUMENT"}
    assert not any(finding.mendable for finding in result.after.findings)
    assert everything(filled)["acme/repo"]["documents"] == before["acme/repo"]["documents"]


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        (FOREIGN, "FOREIGN_TRIGGER"),
        ("CREATE VIEW v AS SELECT * FROM events", "FOREIGN_VIEW"),
        ("CREATE TABLE t (a)", "FOREIGN_TABLE"),
        ("CREATE INDEX i ON events (actor)", "FOREIGN_INDEX"),
    ],
)
def test_what_others_put_into_the_file_is_found_and_goes_only_when_told(
    filled: World, tmp_path: Path, statement: str, code: str
) -> None:
    before = everything(filled)
    apsw.Connection(str(tmp_path / FILE)).execute(statement)

    assert codes(filled) == {code}
    kept = repaired(filled)
    removed = repaired(filled, remove_foreign=True)

    assert (kept.kept, len(kept.foreign)) == (None, 1)
    assert removed.after.findings == []
    assert everything(filled) == before


def test_a_foreign_trigger_does_not_run(filled: World, tmp_path: Path) -> None:
    apsw.Connection(str(tmp_path / FILE)).execute(FOREIGN)
    filled.store.close()

    filled.ok("tasks_note", task="TASK-001", path="s:1", note="does not wake it")

    assert codes(filled) == {"FOREIGN_TRIGGER"}


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("DROP INDEX events_of_root", "ALTERED_SCHEMA"),
        ("ALTER TABLE terms RENAME COLUMN term TO word", "ALTERED_SCHEMA"),
        ("DELETE FROM workspaces WHERE name = 'acme/other'", "ORPHANED_ROWS"),
        ("PRAGMA application_id = 7", "DAMAGED_HEADER"),
    ],
)
def test_a_file_that_is_not_as_it_was_made_is_found(
    filled: World, tmp_path: Path, statement: str, code: str
) -> None:
    apsw.Connection(str(tmp_path / FILE)).execute(statement)
    filled.store.close()

    assert code in codes(filled)


def test_an_index_that_was_dropped_comes_back(filled: World, tmp_path: Path) -> None:
    before = everything(filled)
    apsw.Connection(str(tmp_path / FILE)).execute("DROP INDEX events_of_root")

    assert repaired(filled).after.findings == []
    assert everything(filled) == before


def test_damage_in_one_workspace_hides_nothing_of_another(filled: World, tmp_path: Path) -> None:
    by_hand(
        tmp_path,
        "UPDATE documents SET text = 'x' WHERE workspace = 1",
        "UPDATE tallies SET total = 7 WHERE workspace = 2",
    )

    found = {report.workspace: report.findings for report in doctor.check_store(filled.store).workspaces}

    assert "UNREADABLE_DOCUMENT" in {finding.code for finding in found["acme/repo"]}
    assert {finding.code for finding in found[OTHER]} == {"MISCOUNTED"}


def test_what_was_on_a_damaged_page_of_documents_comes_back_from_the_log(filled: World, tmp_path: Path) -> None:
    for number in range(200):
        filled.task(f"step {number}", title=f"Task {number}", description="words " * 30)
    before = filled.everything()
    connection = apsw.Connection(str(tmp_path / FILE))
    connection.pragma("wal_checkpoint", "truncate")
    leaf = connection.execute("SELECT pageno FROM dbstat WHERE name = 'documents' AND pagetype = 'leaf'").fetchall()
    connection.close()
    filled.store.close()
    page: Any = leaf[len(leaf) // 2][0]
    with (tmp_path / FILE).open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xa5" * 4096)

    found = codes(filled)
    result = repaired(filled)

    assert {"DAMAGED_PAGES", "UNREADABLE_TABLE"} <= found
    assert result.after.findings == [], "documents follow from the images, so nothing is lost"
    assert filled.everything() == before
    assert result.lost == []


def test_a_damaged_page_of_the_log_is_lost_and_said_so(filled: World, tmp_path: Path) -> None:
    for number in range(200):
        filled.task(f"step {number}", title=f"Task {number}", description="words " * 30)
    before = filled.everything()
    connection = apsw.Connection(str(tmp_path / FILE))
    connection.pragma("wal_checkpoint", "truncate")
    leaf = connection.execute("SELECT pageno FROM dbstat WHERE name = 'events' AND pagetype = 'leaf'").fetchall()
    connection.close()
    filled.store.close()
    page: Any = leaf[len(leaf) // 2][0]
    with (tmp_path / FILE).open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xa5" * 4096)

    result = repaired(filled)

    after = filled.everything()
    assert after["documents"] == before["documents"]
    assert 0 < len(before["events"]) - len(after["events"]) < 60
    assert {"SEQ_GAP", "BROKEN_CHAIN"} <= {finding.code for finding in result.after.findings}
    assert [finding.code for finding in result.lost] == ["UNREADABLE_TABLE"]
    filled.ok("tasks_note", task="TASK-001", path="s:1", note="the store can be used")


def test_a_file_of_which_nothing_can_be_read_is_left_as_it_is(filled: World, tmp_path: Path) -> None:
    filled.store.close()
    (tmp_path / FILE).write_bytes(b"no database at all " * 1_000)

    result = repaired(filled)

    assert (result.kept, result.after) == (None, result.before)
    assert (tmp_path / FILE).read_bytes() == b"no database at all " * 1_000
    assert files(tmp_path) == {FILE}


def test_a_repair_keeps_the_notes_on_masked_texts(filled: World, tmp_path: Path) -> None:
    by_hand(tmp_path, "INSERT INTO masked_texts VALUES (1, 'events', '', 3)", "UPDATE tallies SET total = 7")
    before = [report.notes for report in doctor.check_store(filled.store).workspaces]

    after = repaired(filled).after

    assert [report.notes for report in after.workspaces] == before
    assert any(before)
    assert after.findings == []


def test_a_file_with_a_damaged_header_is_brought_back(filled: World, tmp_path: Path) -> None:
    before = everything(filled)
    filled.store.close()
    content = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(b"X" + content[1:18] + b"\7\7" + content[20:])
    assert "NOT_A_STORE" in codes(filled)

    result = repaired(filled)

    assert result.after.findings == []
    assert everything(filled) == before


def test_a_schema_with_a_damaged_word_is_brought_back(filled: World, tmp_path: Path) -> None:
    before = everything(filled)
    filled.store.close()
    content = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(content.replace(b"CREATE TABLE documents", b"CREATE TABLE docum\xe5nts"))
    assert "STORE_DAMAGED" in codes(filled)

    result = repaired(filled)

    assert result.after.findings == []
    assert everything(filled) == before


def test_a_store_of_a_later_version_is_neither_judged_nor_repaired(filled: World, tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / FILE))
    connection.execute("CREATE TABLE later (a); PRAGMA user_version = 70")
    connection.close()
    filled.store.close()

    with pytest.raises(StoreNewer):
        doctor.repair(filled.store)


def test_another_programs_database_is_neither_judged_nor_repaired(filled: World, tmp_path: Path) -> None:
    filled.store.close()
    (tmp_path / FILE).unlink()
    connection = apsw.Connection(str(tmp_path / FILE))
    connection.execute("CREATE TABLE theirs (a)")
    connection.close()

    with pytest.raises(NotAStore):
        doctor.repair(filled.store)


def test_a_store_in_use_is_not_repaired(filled: World, tmp_path: Path) -> None:
    by_hand(tmp_path, "UPDATE tallies SET total = 7")
    user = World(new_store("sqlite", tmp_path))
    user.ok("tasks_context")

    with pytest.raises(Busy):
        repaired(filled)

    assert "MISCOUNTED" in codes(filled)
    assert files(tmp_path) == {FILE}
    user.store.close()


def test_the_copy_that_a_repair_keeps_is_the_damaged_store(filled: World, tmp_path: Path) -> None:
    by_hand(tmp_path, "UPDATE documents SET text = replace(text, 'Another title', 'Forged')")

    result = repaired(filled)

    assert result.kept is not None
    with apsw.Connection(result.kept) as kept:
        texts = kept.execute("SELECT count(*) FROM documents WHERE text LIKE '%Forged%'").get
    assert texts == 1
