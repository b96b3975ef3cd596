"""Backups of a store in use, and what becomes of the store when one is put back."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import apsw
import pytest

import gatepost
from gatepost.domain.refusals import AlreadyExists
from gatepost.engine.doctor import examine
from gatepost.storage.faults import NotAStore, StoreDamaged, StoreNewer, StoreReadOnly, StoreUnreachable
from gatepost.storage.sqlite import backups, schema
from gatepost.storage.sqlite.store import SqliteStore
from tests.storage.waiters import until

WORKSPACE = "acme/repo"
WRITERS = 4


def silent(_done: int, _pages: int) -> None:
    """Hears how far a copy is, and says nothing."""


def add(store: Path, title: str) -> None:
    with gatepost.connect(str(store)) as gp:
        gp.call("tasks_create", workspace=WORKSPACE, kind="task", title=title)


def titles(store: Path) -> list[str]:
    with gatepost.connect(str(store)) as gp:
        return [event["title"] for event in gp.call("tasks_delta", workspace=WORKSPACE, limit=200)["events"]]


def back_up(store: Path, target: Path, **options: Any) -> None:
    backups.back_up(str(store), str(target), silent, **options)


def restore(backup: Path, store: Path, **options: Any) -> backups.Restored:
    given = {"replace": True, "unsound": False, **options}
    return backups.restore(str(backup), str(store), str(store.with_name("kept.db")), silent, **given)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    add(tmp_path / "gp.db", "before")
    return tmp_path / "gp.db"


@pytest.fixture
def backup(store: Path, tmp_path: Path) -> Path:
    """A backup, after which the store went on."""
    back_up(store, tmp_path / "backup.db")
    add(store, "after")
    return tmp_path / "backup.db"


@pytest.fixture
def writers(store: Path, tmp_path: Path) -> Iterator[list[Path]]:
    """Processes that write to the store as fast as they can, each with the file it notes its writes in."""
    program = str(Path(__file__).with_name("task_writer.py"))
    files = [tmp_path / f"writer-{number}" for number in range(WRITERS)]
    with ExitStack() as running:
        for number, file in enumerate(files):
            file.touch()
            command = [sys.executable, program, str(store), f"writer {number}", str(file)]
            process = running.enter_context(subprocess.Popen(command))
            running.callback(process.kill)
        until(lambda: all(len(acknowledged([file])) > 3 for file in files))
        yield files


def acknowledged(files: list[Path]) -> list[str]:
    return [line for file in files for line in file.read_text(encoding="utf-8").splitlines(keepends=False)]


def test_a_backup_under_four_writers_is_sound_and_has_every_write_acknowledged_before(
    store: Path, tmp_path: Path, writers: list[Path]
) -> None:
    before = acknowledged(writers)
    back_up(store, tmp_path / "backup.db")
    assert len(acknowledged(writers)) > len(before), "they went on meanwhile"

    restore(tmp_path / "backup.db", tmp_path / "restored.db")

    with closing(SqliteStore(str(tmp_path / "restored.db"))) as restored:
        assert examine(restored, WORKSPACE).findings == []
        with restored.reading(WORKSPACE) as snapshot:
            log = "".join(row.body for row in snapshot.events(0, 100_000, None))
    assert [title for title in before if f'"{title}"' not in log] == []


def test_a_backup_is_one_file_for_its_owner_alone_whatever_the_umask(store: Path, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        back_up(store, tmp_path / "folder.db")
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "folder.db").stat().st_mode) == 0o600
    assert sorted(file.name for file in tmp_path.iterdir()) == ["folder.db", "gp.db"]
    assert titles(tmp_path / "folder.db") == ["before"]


def test_a_copy_made_by_hand_lacks_what_the_log_holds_and_a_backup_does_not(store: Path, tmp_path: Path) -> None:
    with gatepost.connect(str(store)) as gp:
        gp.call("tasks_create", workspace=WORKSPACE, kind="task", title="in the log")
        (tmp_path / "by-hand.db").write_bytes(store.read_bytes())
        back_up(store, tmp_path / "backup.db")

    assert titles(tmp_path / "by-hand.db") == ["before"]
    assert titles(tmp_path / "backup.db") == ["before", "in the log"]


def test_an_existing_file_is_replaced_only_by_force_and_the_store_itself_never(store: Path, tmp_path: Path) -> None:
    (tmp_path / "old.db").write_text("precious", encoding="utf-8")

    with pytest.raises(AlreadyExists, match="already exists"):
        back_up(store, tmp_path / "old.db")
    with pytest.raises(AlreadyExists, match="already exists"):
        back_up(store, store, replace=True)
    assert (tmp_path / "old.db").read_text(encoding="utf-8") == "precious"
    back_up(store, tmp_path / "old.db", replace=True)

    assert titles(tmp_path / "old.db") == ["before"]


def test_a_backup_that_finds_no_room_leaves_nothing_and_says_so(store: Path, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mount = f'mount -t tmpfs -o size=32k none "{small}"; "$@"; echo $?; ls -A "{small}"'
    call = [sys.executable, "-m", "gatepost", "backup", str(small / "b.db"), "--store", str(store)]

    done = subprocess.run(["unshare", "-m", "sh", "-c", mount, "sh", *call], capture_output=True, text=True)

    assert (done.stdout, "The disk is full" in done.stderr) == ("1\n", True), done.stderr


def test_a_damaged_store_has_no_backup(store: Path, tmp_path: Path) -> None:
    os.truncate(store, 4096 * 5)

    with pytest.raises(StoreDamaged, match=r"gp\.db is damaged"):
        back_up(store, tmp_path / "backup.db")

    assert [file.name for file in tmp_path.iterdir()] == ["gp.db"]


def test_a_store_is_replaced_only_if_that_was_said_and_is_kept_beside(store: Path, backup: Path) -> None:
    with pytest.raises(AlreadyExists, match="already has a store"):
        restore(backup, store, replace=False)
    assert titles(store) == ["before", "after"]

    done = restore(backup, store)

    assert done.kept is not None
    assert (titles(store), titles(Path(done.kept))) == (["before"], ["before", "after"])
    assert [file.name for file in store.parent.glob("*.tmp*")] == []


def test_a_backup_that_does_not_exist_is_named_before_the_store_that_does(store: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreUnreachable, match=r"nowhere\.db cannot be used: the file does not exist"):
        backups.restore(
            str(tmp_path / "nowhere.db"), str(store), "kept", lambda *_: None, replace=False, unsound=False
        )


def test_a_backup_into_a_folder_that_does_not_exist_says_so(store: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreUnreachable, match="its folder does not exist") as refused:
        backups.back_up(str(store), str(tmp_path / "no" / "b.db"), lambda *_: None)

    assert ".tmp" not in refused.value.message


def test_a_store_that_another_process_has_open_is_not_replaced(store: Path, backup: Path) -> None:
    hold = "import gatepost, sys; gp = gatepost.connect(sys.argv[1]); gp.call('tasks_radar', workspace='acme/repo')"
    command = [sys.executable, "-c", f"{hold}; print(flush=True); input()", str(store)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        other.stdout.readline()

        with pytest.raises(backups.StoreInUse, match="Another process has"):
            restore(backup, store)

        other.communicate("\n")
    assert titles(store) == ["before", "after"]
    restore(backup, store)
    assert titles(store) == ["before"]


def test_a_connection_opened_meanwhile_sees_the_restored_store_and_writes_to_it(store: Path, backup: Path) -> None:
    with gatepost.connect(str(store)) as gp:
        gp.call("tasks_radar", workspace=WORKSPACE)  # open in this process, which the look for others does not see

        restore(backup, store)

        gp.call("tasks_create", workspace=WORKSPACE, kind="task", title="on top")
    assert titles(store) == ["before", "on top"]


@pytest.mark.parametrize("spoilt", ["truncated", "garbage", "newer"])
def test_a_store_that_cannot_be_used_is_moved_aside_with_its_log(store: Path, backup: Path, spoilt: str) -> None:
    if spoilt == "truncated":
        os.truncate(store, 4096 * 5)
    elif spoilt == "garbage":
        store.write_bytes(b"scribbled over " * 1000)
    else:
        with closing(apsw.Connection(str(store))) as connection:
            connection.pragma("user_version", 999)
    broken = store.read_bytes()
    store.with_name("gp.db-wal").write_bytes(b"what was left")

    done = restore(backup, store)

    assert titles(store) == ["before"]
    assert done.kept is not None
    assert Path(done.kept).stat().st_size == len(broken)
    assert Path(f"{done.kept}-wal").read_bytes() == b"what was left"


def test_a_log_without_its_file_is_not_read_into_the_restored_store(store: Path, backup: Path) -> None:
    with gatepost.connect(str(store)) as gp:
        gp.call("tasks_create", workspace=WORKSPACE, kind="task", title="never to be seen")
        log = store.with_name("gp.db-wal").read_bytes()
    store.unlink()
    store.with_name("gp.db-wal").write_bytes(log)

    restore(backup, store)

    assert titles(store) == ["before"]


def test_a_restore_that_ends_early_leaves_the_damaged_store_under_its_name(
    store: Path, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    store.write_bytes(b"scribbled over " * 1000)
    broken = store.read_bytes()
    monkeypatch.setattr(os, "replace", killed)

    with pytest.raises(KeyboardInterrupt):
        restore(backup, store)

    assert store.read_bytes() == broken  # with nothing there, the next call would begin an empty store


def test_a_backup_of_a_store_with_a_foreign_trigger_says_so_and_is_not_restored_unasked(
    store: Path, tmp_path: Path
) -> None:
    with closing(apsw.Connection(str(store))) as connection:
        connection.execute("CREATE TRIGGER spy AFTER INSERT ON events BEGIN SELECT 1; END")

    found = backups.back_up(str(store), str(tmp_path / "b.db"), silent).findings

    assert [(finding.code, finding.where) for finding in found] == [("FOREIGN_TRIGGER", "spy")]
    with pytest.raises(StoreDamaged, match="1 problem in it"):
        restore(tmp_path / "b.db", store)
    assert restore(tmp_path / "b.db", store, unsound=True).checkup.findings == found


def test_another_programs_database_is_never_replaced(store: Path, backup: Path) -> None:
    store.unlink()
    with closing(apsw.Connection(str(store))) as other:
        other.execute("CREATE TABLE recipes (title TEXT)")
    store.with_name("gp.db-wal").write_bytes(b"left by somebody")
    before = {file.name: file.read_bytes() for file in store.parent.glob("*.db")}

    with pytest.raises(NotAStore, match="another program's tables"):
        restore(backup, store)

    assert {file.name: file.read_bytes() for file in store.parent.glob("*.db")} == before
    assert not list(store.parent.glob("kept*"))


def test_what_is_no_sound_backup_is_refused_and_changes_nothing(store: Path, backup: Path) -> None:
    def refused(kind: type[Exception], words: str) -> None:
        with pytest.raises(kind, match=words):
            restore(backup, store)
        assert titles(store) == ["before", "after"]

    whole = backup.read_bytes()
    refused_log = backup.with_name("backup.db-wal")
    refused_log.write_bytes(b"x")
    refused(StoreUnreachable, "a log next to it")
    refused_log.unlink()
    backup.write_bytes(whole[: 4096 * 5])
    refused(StoreDamaged, r"backup\.db is damaged")
    backup.write_bytes(b"notes " * 1000)
    refused(NotAStore, r"backup\.db is not a Gatepost store")
    backup.write_bytes(whole)
    with closing(apsw.Connection(str(backup))) as connection:
        connection.execute("UPDATE documents SET text = replace(text, 'before', 'forged')")
    refused(StoreDamaged, "the doctor found")
    backup.write_bytes(whole)
    with closing(apsw.Connection(str(backup))) as connection:
        connection.pragma("user_version", len(schema.migrations()) + 1)
    refused(StoreNewer, r"backup\.db was written by a later version")


def test_a_store_that_is_read_only_can_be_backed_up_and_not_restored(store: Path, backup: Path) -> None:
    again = store.with_name("again.db")
    inside = "import sys; from tests.storage.test_backups import *; "
    program = f"{inside}back_up(Path(sys.argv[1]), Path(sys.argv[2]))"
    place = store.parent / "fixed"
    place.mkdir()
    (place / "gp.db").write_bytes(backup.read_bytes())
    home = Path(__file__).parents[2]
    mount = f'cd "{place}"; mount --bind . .; mount -o remount,bind,ro .; cd "{home}"; exec "$@"'

    def within(code: str, *words: Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", code, *map(str, words)]
        return subprocess.run(["unshare", "-m", "sh", "-ec", mount, "sh", *command], capture_output=True, text=True)

    made = within(program, place / "gp.db", again)
    assert made.returncode == 0, made.stderr
    assert titles(again) == ["before"]
    refused = within(f"{inside}restore(Path(sys.argv[1]), Path(sys.argv[2]))", again, place / "gp.db")
    assert StoreReadOnly.__name__ in refused.stderr
