"""Ways around a guard that lie in how a path is written: the same answer in both homes, whatever is there."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.domain.protected_names import closed
from gatepost.domain.refusals import Refusal
from gatepost.files.host import HostFilesystem
from gatepost.files.memory import InMemoryFilesystem
from tests.files.guarded import PACKAGE, Call, asked, everything, furnish, in_memory, is_about_packages

GOALS = f"{PACKAGE}/goals.md"

READING: list[Call] = [
    ("read", GOALS),
    ("read", f"{PACKAGE}/meta.json"),
    ("read", f"{PACKAGE}/notes/extra.md"),
    ("read", f"{PACKAGE}/none.md"),
    ("read", f"{PACKAGE}/goals.md/below"),
    ("read", PACKAGE),
    ("read", GOALS, -1),
    ("list", PACKAGE),
    ("list", f"{PACKAGE}/notes"),
    ("glob", "**", PACKAGE),
    ("glob", "*.md", f"{PACKAGE}/notes"),
    ("grep", ".", PACKAGE),
    ("grep", ".", GOALS),
    ("grep", "(", GOALS),
    ("stat", PACKAGE),
    ("stat", GOALS),
    ("read", "file.tsk"),
    ("stat", "file.tsk"),
    ("grep", ".", "file.tsk"),
]
WRITING: list[Call] = [
    ("write", GOALS, "x"),
    ("write", GOALS, "x", "append"),
    ("write", GOALS, "x", "create"),
    ("write", GOALS, "x", "nonsense"),
    ("write", f"{PACKAGE}/new.md", "x", "create"),
    ("write", f"{PACKAGE}/meta.json", "{}"),
    ("write", f"{PACKAGE}/notes/extra.md", "x"),
    ("write", PACKAGE, "x"),
    ("write", "file.tsk", "x"),
    ("edit", GOALS, [("a", "b")]),
    ("edit", f"{PACKAGE}/none.md", []),
    ("edit", "file.tsk", [("a", "b")]),
    ("mkdir", PACKAGE),
    ("mkdir", f"{PACKAGE}/sub"),
    ("delete", PACKAGE),
    ("delete", PACKAGE, True),
    ("delete", GOALS),
    ("delete", f"{PACKAGE}/notes/extra.md"),
    ("delete", "file.tsk"),
]
MOVING: list[Call] = [
    ("move", GOALS, "free/g.md"),
    ("move", "free/f.txt", f"{PACKAGE}/f.txt"),
    ("move", GOALS, f"{PACKAGE}/g.md"),
    ("move", PACKAGE, "free/a"),
    ("move", PACKAGE, "tasks/z.tsk"),
    ("move", "file.tsk", "file.txt"),
    ("move", "none", f"{PACKAGE}/f.txt"),
    ("copy", GOALS, "free/g.md"),
    ("copy", "free/f.txt", GOALS),
    ("copy", PACKAGE, "free/a"),
    ("copy", PACKAGE, PACKAGE),
    ("copy", "file.tsk", "file.txt"),
    ("copy", "none", "none.tsk"),
]
MAKING: list[Call] = [
    ("write", "new.tsk", "x"),
    ("write", "new.tsk/goals.md", "x"),
    ("write", "x/.tsk/goals.md", "x"),
    ("mkdir", "new.tsk"),
    ("mkdir", "free/.tsk"),
    ("mkdir", "new.tsk/a/b"),
    ("move", "free", "free.tsk"),
    ("move", "free", "FREE.TSK"),
    ("move", "free", "free.tsk."),
    ("move", "free", "new.tsk/free"),
    ("move", "free/f.txt", "free/f.tsk"),
    ("move", "free/sub", "tasks/sub.tsk"),
    ("copy", "free", "c.tsk"),
    ("copy", "free/f.txt", "f.Tsk "),
]
SPELLING: list[Call] = [
    ("read", f"tasks//{GOALS.removeprefix('tasks/')}"),
    ("read", "./tasks/./a.tsk/./goals.md"),
    ("list", "tasks/a.tsk/"),
    ("list", "tasks/a.tsk//."),
    ("read", "tasks/a.tsk./goals.md"),
    ("read", "tasks/a.tsk /goals.md"),
    ("read", "tasks/a.tsk. . /goals.md"),
    ("read", "tasks/A.TSK/goals.md"),
    ("read", "tasks/a.tSk/goals.md"),
    ("read", "tasks/a.tsk/../a.tsk/goals.md"),
    ("read", "free/../tasks/a.tsk/goals.md"),
    ("read", "tasks/a.tsk/../plain.md"),
    ("read", "tasks/a.tsk/../../free/f.txt"),
    ("list", "tasks/a.tsk/.."),
    ("read", "tasks/none.tsk/../plain.md"),
    ("read", "tasks/a.tsk/inner.tsk/goals.md"),
    ("read", "x.tsk/y.tsk/z.tsk"),
    ("list", ".tsk"),
    ("read", ".tsk/goals.md"),
    ("read", ".TSK/goals.md"),
    ("read", ". .tsk/goals.md"),
    ("read", "free/f.txt/x.tsk"),
    ("read", "/".join(["d"] * 20 + ["x.tsk"])),
]
PATTERNS: list[Call] = [
    ("glob", "tasks/a.tsk/**"),
    ("glob", "tasks/a.tsk/*.md"),
    ("glob", "a.tsk/*", "tasks"),
    ("glob", "tasks/a.tsk"),
    ("glob", "**/a.TSK/*"),
    ("glob", "{a.tsk,b}/x"),
    ("glob", "tasks/a.{tsk,md}/goals.md"),
    ("glob", "tasks/./a.tsk//goals.md"),
    ("glob", "a.tsk/*", "none"),
    ("grep", ".", ".", "tasks/a.tsk/*"),
    ("grep", ".", ".", "**/a.tsk/**"),
    ("grep", ".", "none", "x.tsk/*"),
]
FORBIDDEN = [*READING, *WRITING, *MOVING, *MAKING, *SPELLING, *PATTERNS]

NO_PATHS = [
    "/proc/self/cwd/tasks/a.tsk/goals.md",
    "/proc/self/fd/3",
    "/proc/self/root/tasks/a.tsk",
    "/tasks/a.tsk/goals.md",
    "../root/tasks/a.tsk/goals.md",
    "free/../../root/tasks/a.tsk/goals.md",
    "tasks/a.tsk\0/goals.md",
    "tasks/a.tsk/goals.md\0.txt",
    "tasks/a.tsk\udcff/goals.md",
    "tasks/a.\ud83dtsk/goals.md",
    "x" * 5_000,
]
LOOK_ALIKES = [
    "tasks\\a.tsk\\goals.md",
    "tasks/a.tsk\n/goals.md",
    "tasks/a.t\x08sk/goals.md",
    "tasks/a.tsk\x7f/goals.md",
    "tasks/a.\uff54\uff53\uff4b/goals.md",
    "tasks/a\uff0etsk/goals.md",
    "tasks/a.tsk\u0301/goals.md",
    "tasks/a.ts\u212a/goals.md",
    "tasks/a.t\u017fk/goals.md",
    "tasks/a.t\u200bsk/goals.md",
    "tasks/a.tsk\u00a0/goals.md",
    "tasks\u2215a.tsk\uff0fgoals.md",
    "tasks/a.\\xef\\xbd\\x94sk/goals.md",
]
ORDINARY = ["a.tsk.bak", "a.tskx", "tsk", "atsk", "a.tsk.d/goals.md", "xtsk/goals.md", ".tsk2", "a.tsk~", "a_tsk"]
HOME = [".gatepost/gatepost.db", ".gatepost", ".GatePost/x", ".gatepost./x", "a/.gatepost/b"]

Home = HostFilesystem | InMemoryFilesystem


@pytest.fixture(params=["disk", "empty disk", "memory"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    """A root with packages, one that holds nothing at all, and one in memory."""
    root = tmp_path / "root"
    root.mkdir()
    if request.param == "memory":
        yield in_memory()
        return
    if request.param == "disk":
        furnish(root)
    with HostFilesystem(root) as fs:
        yield fs
    # Nothing of what was asked was done, so nothing can have come or gone.
    assert ("free" in everything(root)) is (request.param == "disk")


@pytest.mark.requirement(
    "guard.read.refused",
    "guard.write.refused",
    "guard.move.refused",
    "guard.delete.refused",
    "guard.name.created",
    "guard.name.plain-file",
    "guard.path.as-written",
    "guard.path.folded",
    "guard.refusal.code",
    "taskdoc.extra-files.not-workspace-files",
)
def test_a_call_that_names_something_closed_is_refused_and_told_where_to_go(home: Home) -> None:
    for call in FORBIDDEN:
        code, refusal = asked(home, call)

        assert code == "FORBIDDEN_PATH", call
        assert is_about_packages(refusal), call


@pytest.mark.requirement("guard.refusal.same")
def test_the_refusal_is_the_same_whether_or_not_there_is_anything(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "empty").mkdir()
    furnish(tmp_path / "full")

    with HostFilesystem(tmp_path / "full") as full, HostFilesystem(tmp_path / "empty") as empty:
        answers = [[_whole(asked(fs, call)) for call in FORBIDDEN] for fs in (full, empty, in_memory())]

    assert answers[0] == answers[1] == answers[2]


@pytest.mark.requirement("call.refused.leaves-no-file", "guard.write.refused", "guard.move.refused")
def test_no_refused_call_leaves_or_changes_a_file(tmp_path: Path) -> None:
    before = everything(furnish(tmp_path))

    with HostFilesystem(tmp_path) as fs:
        for call in FORBIDDEN:
            assert asked(fs, call)[0] == "FORBIDDEN_PATH"
            assert everything(tmp_path) == before, call
        for path in (*NO_PATHS, *LOOK_ALIKES, *HOME):
            for call in _every_verb(path):
                assert asked(fs, call)[0] in ("FORBIDDEN_PATH", "INVALID_INPUT")
                assert everything(tmp_path) == before, call


def test_what_is_no_path_of_ours_is_refused_as_such_by_every_verb(home: Home) -> None:
    for path in NO_PATHS:
        assert {asked(home, call)[0] for call in _every_verb(path)} == {"INVALID_INPUT"}, ascii(path)


@pytest.mark.requirement("guard.path.folded")
def test_a_path_that_only_looks_like_a_package_s_is_refused_like_one(home: Home) -> None:
    for call in [call for path in LOOK_ALIKES for call in _every_verb(path)]:
        code, refusal = asked(home, call)

        assert code == "FORBIDDEN_PATH", ascii(call)
        assert is_about_packages(refusal), ascii(call)


def test_the_store_s_own_folder_is_closed_with_words_of_its_own(home: Home) -> None:
    for call in [call for path in HOME for call in _every_verb(path)]:
        code, refusal = asked(home, call)

        assert code == "FORBIDDEN_PATH", call
        assert "belongs to Gatepost" in refusal.message
        assert "mind" not in refusal.recovery


@pytest.mark.requirement("guard.name.ordinary")
@pytest.mark.parametrize("path", ORDINARY)
def test_names_that_only_look_a_little_like_a_package_are_ordinary(path: str, tmp_path: Path) -> None:
    with HostFilesystem(tmp_path) as on_disk:
        for fs in (on_disk, in_memory()):
            fs.write(path, "ordinary\n")
            fs.copy(path, f"{path}2")
            fs.move(f"{path}2", f"{path}3")

            assert fs.read(f"{path}3").content == "ordinary\n"
            assert fs.glob(path) == (path,)
            assert path in {match.path for match in fs.grep("ordinary")}
            fs.delete(path.split("/", maxsplit=1)[0], True)


@given(
    st.sampled_from(["a", "A.b", ".", "tasks/x", "\uff41"]),
    st.text(st.sampled_from("\u0301\u200b\u00ad\u2060\u20dd\ufeff"), max_size=3),
    st.tuples(
        st.sampled_from("tT\uff34\u24e3"), st.sampled_from("sS\u017f\uff33"), st.sampled_from("kK\u212a\u24da")
    ),
    st.text(st.sampled_from(". \t\n\u00a0\u3000\u2024"), max_size=4),
)
@pytest.mark.requirement("guard.path.folded")
def test_a_name_that_looks_like_a_package_is_closed_however_it_is_stored(
    stem: str, unseen: str, letters: tuple[str, str, str], end: str
) -> None:
    assert closed(f"{stem}.{unseen.join(letters)}{unseen}{end}")


def _every_verb(path: str) -> list[Call]:
    return [
        ("read", path),
        ("write", path, "x"),
        ("edit", path, [("a", "b")]),
        ("list", path),
        ("glob", "**", path),
        ("grep", ".", path),
        ("stat", path),
        ("mkdir", path),
        ("move", path, "free/new"),
        ("move", "free/f.txt", path),
        ("copy", path, "free/new"),
        ("copy", "free/f.txt", path),
        ("delete", path, True),
    ]


def _whole(answer: tuple[str, Refusal]) -> tuple[str, str, str]:
    return answer[0], answer[1].message, answer[1].recovery
