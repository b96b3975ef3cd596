"""Ways around a guard that only a disk has: links, second names, other spellings of names, packages in disguise."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from gatepost.files import hard_links
from gatepost.files.host import HostFilesystem
from tests.files.guarded import (
    MARK,
    PACKAGE,
    Call,
    Setup,
    asked,
    closed_among,
    closed_things,
    everything,
    furnish,
    is_about_packages,
    package,
)

FORBIDDEN = "FORBIDDEN_PATH"
GOALS = f"{PACKAGE}/goals.md"


class Way(NamedTuple):
    """Something on disk, and calls that try to get at a package by it."""

    about: str
    setup: Setup
    calls: list[Call]
    outcome: object = FORBIDDEN
    """A code, or the reply."""


def onto(path: str) -> list[Call]:
    """Every verb that would reach what stands at a path."""
    return [
        ("read", path),
        ("write", path, "x"),
        ("write", path, "x", "append"),
        ("write", path, "x", "create"),
        ("grep", ".", path),
        ("mkdir", path),
        ("move", path, "free/new"),
        ("copy", path, "free/new"),
        ("move", "free/f.txt", path),
        ("copy", "free/f.txt", path),
    ]


def into(path: str) -> list[Call]:
    """Every verb on a directory and on what is in it."""
    inside = [*onto(f"{path}/goals.md"), *onto(f"{path}/none.md"), ("delete", f"{path}/goals.md")]
    return [*onto(path), ("list", path), ("glob", "**", path), ("stat", f"{path}/goals.md"), *inside]


def link(name: str, target: str) -> Setup:
    """A symbolic link; `ROOT` in its target is the root's own absolute path."""
    return lambda root: (root / name).symlink_to(target.replace("ROOT", str(root)))


def second_name(name: str, target: str) -> Setup:
    """A hard link."""
    return lambda root: os.link(root / target, root / name)


def disguised(name: str) -> Setup:
    """A package under another name, as after a rename, or as a mount shows one."""
    return lambda root: package(root / name)


LINKS = [
    Way("link to a file", link("l", GOALS), [*onto("l"), ("read", "l/x")]),
    Way("link to a file in a folder", link("free/l", f"../{GOALS}"), onto("free/l")),
    Way("link to a package", link("l", PACKAGE), into("l")),
    Way("link to a folder in a package", link("l", f"{PACKAGE}/notes"), [*into("l"), ("read", "l/extra.md")]),
    Way("link to a parent", link("l", "tasks"), [*into("l/a.tsk"), ("list", "l"), ("glob", "*/*", "l")]),
    Way("link to an ancestor", link("l", "deep"), [*into("l/er/b.tsk"), ("list", "l/er"), ("read", "l/er/b.tsk")]),
    Way("link to the root", link("free/l", ".."), [*into("free/l/tasks/a.tsk"), ("list", "free/l/tasks")]),
    Way("absolute link", link("l", f"ROOT/{PACKAGE}"), into("l")),
    Way("link out and in again", link("l", "../root/tasks/a.tsk"), into("l")),
    Way("link to nothing in a package", link("l", f"{PACKAGE}/new.md"), onto("l")),
    Way("link to a link", lambda root: (link("l", PACKAGE)(root), link("m", "l")(root)), into("m")),
    Way("link by the process", link("l", "/proc/self/cwd"), into("l")),
    Way("link by the process's root", link("l", "/proc/self/root"), [("list", "l"), ("list", "l/proc")]),
    Way("link by descriptors", link("l", "/proc/self/fd"), [("list", "l"), ("read", "l/0"), ("list", "l/3")]),
    Way("link with a closed name", link("l.tsk", "free"), into("l.tsk")),
    Way("links seen from above", link("free/l", f"../{PACKAGE}"), [("glob", "free/l/*"), ("grep", MARK)], ()),
    Way("copying a link with its folder", link("free/l", f"../{PACKAGE}"), [("copy", "free", "new")]),
    Way("deleting a link", link("l", PACKAGE), [("delete", "l")], None),
    Way("deleting a folder with a link", link("free/l", f"../{PACKAGE}"), [("delete", "free", True)], None),
]
SECOND_NAMES = [
    Way("of a section", second_name("h.md", GOALS), [*onto("h.md"), ("stat", "h.md"), ("delete", "h.md")]),
    Way("of a further file", second_name("free/h", f"{PACKAGE}/notes/extra.md"), onto("free/h")),
    Way("of the meta data", second_name("free/h", f"{PACKAGE}/meta.json"), onto("free/h")),
    Way("of a file deep down", second_name("free/h", "deep/er/b.tsk/progress.md"), onto("free/h")),
    Way("of a plain closed file", second_name("free/h", "file.tsk"), onto("free/h")),
    Way("of the store", second_name("free/h", ".gatepost/gatepost.db"), onto("free/h")),
    Way("in the way", second_name("h", GOALS), [("read", "h/x"), ("write", "h/x", "x"), ("mkdir", "h/x/y")]),
    Way("copied with its folder", second_name("free/h", GOALS), [("copy", "free", "new")]),
    Way("searched from above", second_name("free/h", GOALS), [("grep", MARK), ("grep", MARK, "free", "h")], ()),
]
DISGUISES = [
    Way("package under another name", disguised("b"), [*into("b"), ("stat", "b"), ("delete", "b", True)]),
    Way("deep below", disguised("free/x/b"), [*into("free/x/b"), ("list", "free/x/b/notes")]),
    Way("named as a backup", disguised("a.tsk.bak"), into("a.tsk.bak")),
    Way("moved to it", disguised("b"), [("move", "none", "b"), ("copy", "free", "b/x"), ("delete", "b")]),
    Way("its ancestor moved", disguised("up/to/b"), [("move", "up", "new"), ("move", "up/to", "free/to")]),
    Way("its ancestor copied", disguised("up/to/b"), [("copy", "up", "new"), ("copy", "up/to", "free/to")]),
    Way(
        "its ancestor deleted",
        disguised("up/to/b"),
        [("delete", "up", True), ("delete", "up/to"), ("delete", "up")],
    ),
    Way("searched from above", disguised("up/b"), [("glob", "up/b/*"), ("grep", MARK), ("glob", "up/**/*.md")], ()),
]
STORED = [
    "A.TSK",
    "a.tsk.",
    "a.tsk ",
    "a.tsk\n",
    "\uff41.\uff54\uff53\uff4b",
    "a\uff0etsk",
    "a.tsk\u0301",
    "a.ts\u212a",
]
STORED += ["a.t\u017fk", "a.t\u200bsk", "a.tsk\u00a0", "a.\u24e3\u24e2\u24da", ".tsk", ".gatepost"]
LOOK_ALIKES = [
    way
    for name in STORED
    for way in (
        Way(
            f"{name!a} and its folder",
            lambda root, name=name: package(root / "odd" / "er" / name),  # type: ignore[misc]
            [("copy", "odd", "new"), ("move", "odd", "new"), ("move", "odd/er", "er"), ("delete", "odd", True)],
        ),
        Way(
            f"{name!a} from above",
            lambda root, name=name: package(root / "odd" / "er" / name),  # type: ignore[misc]
            [("glob", "odd/**/*.md"), ("glob", "odd/er/*/*"), ("grep", MARK), ("grep", "", "odd")],
            (),
        ),
    )
]


def nothing(root: Path) -> None:
    """As it is."""


ANCESTORS = [
    Way("copied", nothing, [("copy", "tasks", "new"), ("copy", "deep", "free/deep"), ("copy", "deep/er", "er")]),
    Way("moved", nothing, [("move", "tasks", "new"), ("move", "deep", "free/deep"), ("move", "deep/er", "er")]),
    Way("deleted", nothing, [("delete", "tasks", True), ("delete", "deep", True), ("delete", "deep/er", True)]),
    Way("deleted if empty", nothing, [("delete", "tasks"), ("delete", "deep"), ("delete", "deep/er")]),
    Way("made a package", nothing, [("move", "tasks", "tasks.tsk"), ("move", "deep/er", "deep/er.TSK")]),
]
PATTERNS = [
    Way(
        "patterns that could match the inside",
        nothing,
        [
            ("glob", "*.tsk/*"),
            ("glob", "**/*.tsk/**/*.md"),
            ("glob", "tasks/a.t[s]k/goals.md"),
            ("glob", "tasks/?.tsk/*"),
            ("glob", "tasks/a[.]tsk/**/extra.md"),
            ("glob", "tasks/*/*"),
            ("glob", "**/constraints.md"),
            ("glob", "**/{progress,meta}.*"),
            ("glob", ".[t]sk/*"),
            ("grep", MARK),
            ("grep", MARK, ".", "**/*.tsk/*"),
            ("grep", MARK, ".", "**/*.md"),
            ("grep", MARK, "tasks"),
            ("grep", MARK, ".", "*.tsk"),
        ],
        (),
    ),
    Way("a name that others have too", nothing, [("glob", "**/goals.md")], ("free/sub/goals.md",)),
    Way("the package's own name", nothing, [("glob", "**/a.ts?/**"), ("glob", "tasks/*.tsk")], (PACKAGE,)),
]
WAYS = [*LINKS, *SECOND_NAMES, *DISGUISES, *LOOK_ALIKES, *ANCESTORS, *PATTERNS]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return furnish(tmp_path / "root")


@pytest.fixture
def fs(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HostFilesystem]:
    # What leads there by way of the process would lead into a package.
    monkeypatch.chdir(root / PACKAGE)
    with HostFilesystem(root) as opened:
        yield opened


def test_there_are_at_least_sixty_ways() -> None:
    assert len(WAYS) >= 60
    assert sum(len(way.calls) for way in WAYS) >= 400


@pytest.mark.requirement(
    "guard.path.as-resolved",
    "guard.path.identity",
    "guard.path.folded",
    "guard.ancestor.refused",
    "guard.search.nothing-inside",
    "guard.open.no-links",
    "taskdoc.extra-files.not-workspace-files",
    "call.refused.leaves-no-file",
)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.about)
def test_no_way_leads_into_a_package_and_none_changes_one(fs: HostFilesystem, root: Path, way: Way) -> None:
    way.setup(root)
    before = everything(root)

    for call in way.calls:
        code, reply = asked(fs, call)

        assert (code if isinstance(way.outcome, str) else reply) == way.outcome, (call, code, reply)
        after = everything(root)
        assert closed_among(after) == closed_among(before), call
        assert code == "ok" or after == before, call


@pytest.mark.requirement("guard.refusal.code")
@pytest.mark.parametrize("way", [*SECOND_NAMES[:5], *DISGUISES[:7], *ANCESTORS], ids=lambda way: way.about)
def test_what_is_closed_by_what_it_is_has_the_same_words(fs: HostFilesystem, root: Path, way: Way) -> None:
    way.setup(root)

    for call in way.calls:
        assert is_about_packages(asked(fs, call)[1]), call


@pytest.mark.requirement("guard.list.hides-inside")
def test_a_listing_shows_a_package_s_name_and_nothing_inside(fs: HostFilesystem, root: Path) -> None:
    package(root / "b")

    assert [entry.path for entry in fs.list("tasks")] == [PACKAGE, "tasks/plain.md"]
    assert {entry.path for entry in fs.list()} >= {".tsk", "file.tsk", ".gatepost", "b"}
    found = set(fs.glob("**"))
    assert found >= {PACKAGE, "deep/er/b.tsk", ".tsk", "file.tsk", "b"}
    assert not [path for path in found if ".tsk/" in path or path.startswith("b/")]


def test_a_file_with_two_ordinary_names_is_an_ordinary_file(fs: HostFilesystem, root: Path) -> None:
    os.link(root / "free" / "f.txt", root / "g.txt")

    assert fs.read("g.txt").content == "free\n"
    assert [match.path for match in fs.grep("free")] == ["free/f.txt", "g.txt"]
    fs.write("g.txt", "mine\n", "append")
    fs.copy("g.txt", "h.txt")
    fs.move("g.txt", "i.txt")
    fs.delete("free/f.txt")

    assert fs.read("i.txt").content == "free\nmine\n"


def test_a_second_name_goes_with_the_folder_that_holds_it(fs: HostFilesystem, root: Path) -> None:
    os.link(root / GOALS, root / "free" / "h")
    before = closed_things(root)

    fs.move("free", "new")
    assert asked(fs, ("read", "new/h"))[0] == FORBIDDEN
    fs.delete("new", recursive=True)

    assert closed_things(root) == before


def test_one_look_through_the_root_serves_every_file_of_several_names_until_a_link_is_made(
    fs: HostFilesystem, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        os.link(root / "free" / "f.txt", root / "free" / f"{number}.txt")
    linked = (root / "free" / "f.txt").stat().st_ctime_ns
    looks: list[int] = []

    def clock() -> int:
        looks.append(1)
        return linked + hard_links._CLOCK_STEP + 1

    monkeypatch.setattr("gatepost.files.hard_links.time.time_ns", clock)

    assert len(fs.grep("free")) == 6
    assert fs.read("free/1.txt").content == "free\n"
    assert len(looks) == 1

    os.link(root / GOALS, root / "free" / "h")
    while (root / GOALS).stat().st_ctime_ns <= linked:
        (root / "free" / "h").unlink()
        os.link(root / GOALS, root / "free" / "h")

    assert asked(fs, ("read", "free/h"))[0] == FORBIDDEN
    assert len(looks) > 1


@pytest.mark.requirement("guard.ancestor.refused")
def test_a_snapshot_holds_nothing_of_a_package_and_a_restore_touches_none(fs: HostFilesystem, root: Path) -> None:
    package(root / "up" / "b")
    os.link(root / GOALS, root / "free" / "h")
    (root / "free" / "l").symlink_to(f"../{PACKAGE}")
    before = closed_things(root), everything(root / "up"), (root / "free" / "h").stat().st_ino

    moment = fs.snapshot()
    fs.write("free/f.txt", "changed\n")
    fs.write("up/new.txt", "new\n")
    package(root / "late.tsk")
    late = everything(root / "late.tsk")
    fs.restore(moment)

    assert MARK not in repr(moment)
    assert MARK.encode() not in b"".join(kept.data for kept in moment.files.values())
    assert fs.read("free/f.txt").content == "free\n"
    assert everything(root / "late.tsk") == late
    shutil.rmtree(root / "late.tsk")
    assert (closed_things(root), everything(root / "up"), (root / "free" / "h").stat().st_ino) == before
