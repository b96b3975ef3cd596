"""Each fault of a store's file or disk, on each surface: the same code, the same words, and the next step."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import pytest

import gatepost

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
    "another's": Case("STORE_UNREACHABLE", "you may not read it", give_away, run=tuple(WITHOUT_RIGHTS)),
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


@pytest.mark.parametrize("name", CASES)
def test_each_fault_has_its_code_and_words_on_every_surface(store: Path, name: str) -> None:
    case = CASES[name]
    case.spoil(store)
    before = None if store.is_dir() else store.read_bytes()

    said = surfaces(store, case)

    for surface in ON_WRITES + (() if case.reads else (*ON_READS, "watch")):
        assert case.words in told(said[surface]), (surface, said[surface])
        assert "internal error" not in told(said[surface]).lower()
    for surface in ON_READS if case.reads else ():
        assert "Kept" in told(said[surface]) or "sound" in told(said[surface]), (surface, said[surface])
    assert {code_of(said[surface]) for surface in ("python write", "stdio write", "http write", "mcp write")} == {
        case.code
    }
    assert f'"code":"{case.code}"' in told(said["call"]).replace('\\"', '"')
    status = 507 if case.code == "STORE_FULL" else 503
    assert [said[surface]["status"] for surface in ("http write", "readyz", "mcp write")] == [status, status, 200]
    assert [said[surface]["code"] for surface in ("up", "call")] == [1, 1]
    assert before is None or store.read_bytes() == before


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


def told(answer: dict[str, Any]) -> str:
    return json.dumps(answer, ensure_ascii=False)


def code_of(answer: dict[str, Any]) -> str:
    body = answer.get("body", answer)
    if "result" in body:
        assert body["result"]["isError"] is True
        return str(json.loads(body["result"]["content"][0]["text"])["error"]["code"])
    return str(body["code"])
