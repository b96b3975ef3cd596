"""Each fault of a store's file or disk, on each surface: the same code, the same words, and the next step."""

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import apsw
import pytest

import gatepost
from gatepost.storage.faults import StoreUnreachable
from gatepost.storage.sqlite.store import SqliteStore
from tests.storage.waiters import until

SURFACES = Path(__file__).with_name("surfaces.py")
WITHOUT_RIGHTS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner"]
PATIENCE = 60
ON_READS = ("ls", "python read", "stdio read", "http read", "mcp read", "doctor")
ON_WRITES = ("up", "call", "python write", "stdio write", "http write", "mcp write", "readyz")


class Case(NamedTuple):
    """A store with a fault: how it comes about, and what everyone is told."""

    code: str
    words: str
    spoil: Callable[[Path], None]
    mount: str = ""
    reads: bool = False
    run: tuple[str, ...] = ()


def truncate(store: Path) -> None:
    os.truncate(store, 4096 * 3)


def scribble(store: Path) -> None:
    store.write_bytes(b"These are my notes. " * 500)


def make_foreign(store: Path) -> None:
    store.unlink()
    with apsw.Connection(str(store)) as other:
        other.execute("CREATE TABLE recipes (title TEXT)")


def make_newer(store: Path) -> None:
    with apsw.Connection(str(store)) as connection:
        connection.pragma("user_version", 999)


def make_folder(store: Path) -> None:
    store.unlink()
    store.mkdir()


def give_away(store: Path) -> None:
    shutil.chown(store, 65534)
    store.chmod(0o600)


def lock_folder(store: Path) -> None:
    store.parent.chmod(0o555)


def lock_file(store: Path) -> None:
    store.chmod(0o444)


def nothing(store: Path) -> None:
    assert store.exists()


READ_ONLY = "mount --bind . .; mount -o remount,bind,ro ."
FULL = (
    "aside=$(mktemp -d); cp -a . $aside; mount -t tmpfs -o size=512k,mode=700 none .; cd .; cp -a $aside/. .;"
    " rm -r $aside; dd if=/dev/zero of=ballast bs=4k 2>/dev/null || true"
)

CASES = {
    "truncated": Case("STORE_DAMAGED", "is damaged", truncate),
    "garbage": Case("NOT_A_STORE", "is not an SQLite database", scribble),
    "foreign": Case("NOT_A_STORE", "another program's tables", make_foreign),
    "newer": Case("STORE_NEWER", "a later version of Gatepost", make_newer),
    "folder": Case("NOT_A_STORE", "it is a folder", make_folder),
    "another's": Case(
        "STORE_UNREACHABLE", "you do not have permission to read it", give_away, run=tuple(WITHOUT_RIGHTS)
    ),
    "read-only disk": Case("STORE_READ_ONLY", "is read-only", nothing, mount=READ_ONLY, reads=True),
    "read-only folder": Case("STORE_READ_ONLY", "is read-only", lock_folder, reads=True, run=tuple(WITHOUT_RIGHTS)),
    "read-only file": Case("STORE_READ_ONLY", "is read-only", lock_file, reads=True, run=tuple(WITHOUT_RIGHTS)),
    "full": Case("STORE_FULL", "The disk is full", nothing, mount=FULL, reads=True),
}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with one task, closed."""
    place = tmp_path / "here"
    place.mkdir()
    with gatepost.connect(str(place / "gp.db")) as gp:
        gp.call("tasks_create", workspace="acme/repo", kind="task", title="Kept")
    return place / "gp.db"


@pytest.mark.requirement("call.store.faults", "call.store.up-refuses")
@pytest.mark.parametrize("name", CASES)
def test_each_fault_has_its_code_and_words_on_every_surface(store: Path, name: str) -> None:
    case = CASES[name]
    case.spoil(store)
    before = None if store.is_dir() else store.read_bytes()

    said = surfaces(store, case)

    for surface in ON_WRITES + (() if case.reads else (*ON_READS, "watch")):
        assert case.words in as_text(said[surface]), (surface, said[surface])
        assert "internal error" not in as_text(said[surface]).lower()
    for surface in ON_READS if case.reads else ():
        assert "Kept" in as_text(said[surface]) or "sound" in as_text(said[surface]), (surface, said[surface])
    assert {code_of(said[surface]) for surface in ("python write", "stdio write", "http write", "mcp write")} == {
        case.code
    }
    assert f'"code":"{case.code}"' in as_text(said["call"]).replace('\\"', '"')
    status = 507 if case.code == "STORE_FULL" else 503
    assert [said[surface]["status"] for surface in ("http write", "readyz", "mcp write")] == [status, status, 200]
    assert [said[surface]["code"] for surface in ("up", "call")] == [1, 1]
    assert before is None or store.read_bytes() == before


def test_a_store_and_what_lies_beside_it_is_its_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with gatepost.connect(str(tmp_path / ".gatepost" / "gp.db")) as gp:
            gp.call("tasks_create", workspace="acme/repo", kind="task", title="Kept")
            follower = Thread(target=gp.engine.store.wait, args=("acme/repo", 1, PATIENCE))
            follower.start()
            until(lambda: any(tmp_path.glob(".gatepost/gp.db-wake/*")))
            modes = {
                file.name if file.parent.name == ".gatepost" else "socket": stat.S_IMODE(file.stat().st_mode)
                for file in tmp_path.rglob("*")
                if file.name.startswith("gp.db") or file.is_socket()
            }
            gp.close()
            follower.join()
    finally:
        os.umask(before)

    assert modes == {"gp.db": 0o600, "gp.db-wal": 0o600, "gp.db-shm": 0o600, "gp.db-wake": 0o700, "socket": 0o600}
    assert stat.S_IMODE((tmp_path / ".gatepost").stat().st_mode) == 0o700


@pytest.mark.parametrize("damaged", [False, True])
def test_the_copies_that_a_repair_makes_are_their_owners_alone_whatever_the_umask(
    store: Path, tmp_path: Path, *, damaged: bool
) -> None:
    if damaged:
        store.write_bytes(b"scribbled over!!" + store.read_bytes()[16:])
    before = os.umask(0)
    try:
        with SqliteStore(str(store)).rebuilding():
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in store.parent.glob("*before-repair*")}
    finally:
        os.umask(before)

    assert len(modes) >= 3
    assert set(modes.values()) == {0o600}


def test_a_store_that_was_opened_to_others_stays_so(tmp_path: Path) -> None:
    with gatepost.connect(str(tmp_path / "gp.db")) as gp:
        gp.call("tasks_create", workspace="acme/repo", kind="task", title="Kept")
    (tmp_path / "gp.db").chmod(0o660)

    with gatepost.connect(str(tmp_path / "gp.db")) as gp:
        gp.call("tasks_create", workspace="acme/repo", kind="task", title="Kept too")
        modes = {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}

    assert modes == {0o660}


@pytest.mark.parametrize("rights", [(), tuple(WITHOUT_RIGHTS)])
def test_a_log_that_cannot_be_read_with_its_store_is_never_passed_over(
    store: Path, rights: tuple[str, ...]
) -> None:
    with gatepost.connect(str(store)) as gp:
        gp.call("tasks_create", workspace="acme/repo", kind="task", title="In the log")
        log = store.with_name("gp.db-wal").read_bytes()
    store.with_name("gp.db-wal").write_bytes(log)

    said = surfaces(store, Case("", "", nothing, mount=READ_ONLY, run=rights))

    for surface in ON_READS:
        answer = as_text(said[surface])
        assert "In the log" in answer or "sound" in answer or "its newest writes are in gp.db-wal" in answer, answer


@pytest.mark.parametrize("moved", ["deleted", "replaced"])
def test_nothing_is_acknowledged_that_goes_into_a_file_without_its_name(store: Path, moved: str) -> None:
    with gatepost.connect(str(store)) as gp:
        gp.call("tasks_radar", workspace="acme/repo")
        aside = store.rename(store.with_name("aside.db"))
        if moved == "replaced":
            store.write_bytes(aside.read_bytes())

        with pytest.raises(StoreUnreachable, match="moved, deleted or replaced"):
            gp.call("tasks_create", workspace="acme/repo", kind="task", title="Lost")
        aside.rename(store)

        gp.call("tasks_create", workspace="acme/repo", kind="task", title="Kept too")


def surfaces(store: Path, case: Case) -> dict[str, Any]:
    """What every surface said, in a process of its own for which the surroundings are as the case wants them."""
    ask = [sys.executable, str(SURFACES), str(store)]
    mount = f'cd "{store.parent}"; {case.mount}; cd /; exec "$@"'
    within = ["unshare", "-m", "sh", "-ec", mount, "sh"] if case.mount else []
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([*within, *case.run, *ask], capture_output=True, text=True, timeout=PATIENCE, env=env)
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def as_text(answer: dict[str, Any]) -> str:
    return json.dumps(answer, ensure_ascii=False)


def code_of(answer: dict[str, Any]) -> str:
    body = answer.get("body", answer)
    if "result" in body:
        assert body["result"]["isError"] is True
        return str(json.loads(body["result"]["content"][0]["text"])["error"]["code"])
    return str(body["code"])
