"""A proof ages when the content of a covered file changes, and not before."""

import os
import resource
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gatepost.checks import git_files, source_tree, working_files
from gatepost.checks.blob_ids import BlobIds
from gatepost.checks.source_tree import SourceTree
from gatepost.domain.checkpoints import TreeMark
from gatepost.files.no_follow import closing
from tests.checks.repositories import Repository

ALL = ()
pytestmark = pytest.mark.usefixtures("without_settings_of_git")


def stale(tree: SourceTree, mark: TreeMark, covers: tuple[str, ...] = ALL) -> bool:
    return tree.now().is_stale(covers, mark)


def replace_by_link(repository: Repository) -> None:
    shutil.copytree(repository.root / "src", repository.root.parent / "elsewhere")
    shutil.rmtree(repository.root / "src")
    (repository.root / "src").symlink_to(repository.root.parent / "elsewhere")


def edit_secretly(repository: Repository, path: str = "src/main.py", content: str = "print(2)\n") -> None:
    file = repository.root / path
    before = file.stat()
    file.write_text(content)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES: dict[str, Callable[[Repository], object]] = {
    "an edit": lambda it: it.write("src/main.py", "print(2)  # longer\n"),
    "an edit of the same size and time": edit_secretly,
    "a new file": lambda it: it.write("src/new.py", ""),
    "a deleted file": lambda it: it.delete("src/main.py"),
    "a renamed file": lambda it: (it.root / "src/main.py").rename(it.root / "src/other.py"),
    "a file that may now be run": lambda it: (it.root / "src/main.py").chmod(0o755),
    "a committed edit": lambda it: (it.write("src/main.py", "print(3)\n"), it.commit()),
    "a staged deletion": lambda it: it.git("rm", "-q", "src/main.py"),
    "a link in place of a folder": replace_by_link,
    "a promise to git that nothing changes": lambda it: (
        it.git("update-index", "--assume-unchanged", "src/main.py"),
        it.write("src/main.py", "print(4)\n"),
    ),
    "another name than UTF-8": lambda it: it.write(os.fsdecode(b"src/\xff\n.py"), "x"),
}

MOVES: dict[str, Callable[[Repository], object]] = {
    "nothing": lambda _: None,
    "a touch": lambda it: it.touch("src/main.py"),
    "a new file of the same content": lambda it: (
        it.delete("src/main.py"),
        it.write("src/main.py", "print(1)\n"),
    ),
    "an empty commit": lambda it: it.git("commit", "-q", "--allow-empty", "-m", "empty"),
    "an amended commit": lambda it: it.git("commit", "-q", "--amend", "-m", "other words"),
    "a branch and back": lambda it: (
        it.git("checkout", "-q", "-b", "other"),
        it.write("src/main.py", "print(2)\n"),
        it.git("commit", "-qam", "two"),
        it.git("checkout", "-q", "main"),
    ),
    "a detached head": lambda it: it.git("checkout", "-q", "--detach"),
    "an ignored file": lambda it: (it.write("a.log", "1"), it.write("build/x", "1")),
    "files of Gatepost": lambda it: (it.write(".gatepost/gatepost.db", "1"), it.write("tasks/A.tsk/goals.md", "1")),
    "an empty folder": lambda it: (it.root / "src/empty").mkdir(),
    "an index that is written again": lambda it: (it.delete(".git/index"), it.git("reset", "-q")),
    "an index without files": lambda it: it.git("rm", "-rq", "--cached", "."),
    "a new repository": lambda it: (shutil.move(it.root / ".git", it.root.parent), it.git("init", "-q")),
    "no repository any more": lambda it: shutil.rmtree(it.root / ".git"),
    "a repository of its own inside": lambda it: it.git("init", "-q", "src/nested"),
    "another working tree inside": lambda it: it.git("worktree", "add", "-q", "agents/one"),
    "a sparse checkout": lambda it: it.git("sparse-checkout", "set", "--no-cone", "/docs/"),
    "a sparse index": lambda it: it.git("sparse-checkout", "set", "--cone", "--sparse-index", "docs"),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("covers", [ALL, ("src/**",), ("nothing", "src"), ("**/*.py",)])
def test_a_proof_is_stale_after(change: str, covers: tuple[str, ...], repository: Repository) -> None:
    mark = repository.tree.mark(covers)

    CHANGES[change](repository)

    assert stale(repository.tree, mark, covers)
    assert stale(SourceTree(str(repository.root)), mark, covers)


@pytest.mark.parametrize("change", CHANGES)
def test_a_proof_of_other_files_stays_fresh_after(change: str, repository: Repository) -> None:
    covers = ("docs/*.md",)
    mark = repository.tree.mark(covers)

    CHANGES[change](repository)

    assert not stale(repository.tree, mark, covers)


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("committed", [True, False])
def test_a_proof_stays_fresh_after(move: str, committed: bool, repository: Repository) -> None:
    if not committed:
        repository.write("notes/untracked.txt", "not yet")
    mark = repository.tree.mark(ALL)

    MOVES[move](repository)

    assert mark.digest is not None
    assert not stale(repository.tree, mark)
    assert not stale(SourceTree(str(repository.root)), mark)


def test_a_change_that_is_taken_back_makes_the_proof_fresh_again(repository: Repository) -> None:
    mark = repository.tree.mark(ALL)
    file = repository.write("src/main.py", "print(2)\n")
    assert stale(repository.tree, mark)

    file.write_text("print(1)\n")

    assert not stale(repository.tree, mark)


def test_the_mark_has_the_commit_and_whether_the_tree_differs_from_it(repository: Repository) -> None:
    tree, commit = repository.tree, repository.git("rev-parse", "HEAD")
    assert (tree.mark(ALL).commit, tree.mark(ALL).dirty) == (commit, False)
    repository.touch("src/main.py")
    repository.write(".gatepost/x", "ours")
    assert tree.mark(ALL).dirty is False

    repository.write("src/main.py", "print(2)\n")
    assert tree.mark(ALL).dirty is True
    repository.git("add", "src/main.py")
    assert tree.mark(("docs",)).dirty is True
    repository.git("commit", "-qm", "two")
    assert tree.mark(ALL).dirty is False
    repository.write("new", "untracked")
    assert tree.mark(ALL).dirty is True


def test_a_repository_without_a_commit_has_a_digest_that_the_first_commit_keeps(tmp_path: Path) -> None:
    empty = Repository(tmp_path / "empty")
    empty.write("file", "text")
    mark = empty.tree.mark(ALL)
    assert (mark.commit, mark.dirty) == (None, True)

    empty.commit()

    assert not stale(empty.tree, mark)


def test_a_repository_with_long_ids_works_alike(tmp_path: Path) -> None:
    long = Repository(tmp_path / "long", "--object-format=sha256")
    long.write("file", "text")
    mark = long.tree.mark(ALL)
    commit = long.commit()
    assert not stale(long.tree, mark)
    assert long.tree.mark(ALL).commit == commit

    long.write("file", "other")

    assert stale(long.tree, mark)


def test_a_working_tree_and_a_folder_in_a_repository_are_trees_of_their_own(repository: Repository) -> None:
    repository.git("worktree", "add", "-q", "../second")
    second = SourceTree(str(repository.root.parent / "second"))
    below = SourceTree(str(repository.root / "docs"))
    marks = repository.tree.mark(ALL), second.mark(ALL), below.mark(ALL)
    assert marks[0] == marks[1]
    assert marks[2].dirty is False

    repository.write("src/main.py", "print(2)\n")

    assert stale(repository.tree, marks[0])
    assert not stale(second, marks[1])
    assert not stale(below, marks[2])
    assert below.mark(ALL).dirty is False


def test_a_submodule_counts_by_its_commit(repository: Repository, tmp_path: Path) -> None:
    library = Repository(tmp_path / "library")
    library.commit("one")
    repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.root), "library")
    mark = repository.tree.mark(ALL)
    repository.commit("with a library")
    assert not stale(repository.tree, mark)
    assert repository.tree.mark(ALL).dirty is False

    inner = Repository(repository.root / "library")
    inner.commit("two")

    assert stale(repository.tree, mark)
    assert repository.tree.mark(ALL).dirty is True


def test_a_merge_that_is_not_decided_yet_is_judged_by_the_file_on_disk(repository: Repository) -> None:
    repository.git("checkout", "-q", "-b", "other")
    repository.write("src/main.py", "print('theirs')\n")
    repository.commit()
    repository.git("checkout", "-q", "main")
    repository.write("src/main.py", "print('ours')\n")
    repository.commit()
    with pytest.raises(AssertionError):
        repository.git("merge", "-q", "other")
    repository.write("src/main.py", "print('both')\n")
    mark = repository.tree.mark(ALL)
    assert mark.dirty is True

    repository.commit("merged")

    assert not stale(repository.tree, mark)


def test_the_file_of_a_store_in_the_tree_never_counts(repository: Repository) -> None:
    tree = SourceTree(str(repository.root), str(repository.root / "state/tasks.db"))
    mark = tree.mark(ALL)

    for name in ("tasks.db", "tasks.db-wal", "tasks.db-shm"):
        repository.write(f"state/{name}", "rows")

    assert not stale(tree, mark)


CONVERSIONS: dict[str, Callable[[Repository], object]] = {
    "every line end": lambda it: it.git("config", "core.autocrlf", "true"),
    "line ends by attribute": lambda it: it.write(".gitattributes", "*.bat eol=crlf\n"),
    "a filter": lambda it: (
        it.git("config", "filter.lower.clean", "tr A-Z a-z"),
        it.git("config", "filter.lower.smudge", "cat"),
        it.write("scripts/.gitattributes", "*.bat odd\n"),
        it.git("add", "-A"),
        it.write(".gitattributes", "[attr]odd filter=lower\n"),
    ),
    "a filter for this clone": lambda it: (
        it.git("config", "filter.lower.clean", "tr A-Z a-z"),
        it.write(".git/info/attributes", '"scripts/run.bat" filter=lower\n'),
    ),
}


@pytest.mark.parametrize("conversion", CONVERSIONS)
def test_a_file_that_git_keeps_in_another_form_counts_as_it_is_on_disk(conversion: str, tmp_path: Path) -> None:
    it = Repository(tmp_path / "converted")
    CONVERSIONS[conversion](it)
    file = it.write("scripts/run.bat", b"ECHO one\r\n")
    mark = it.tree.mark(ALL)

    it.commit("one")
    raw = it.git("hash-object", "--no-filters", "scripts/run.bat")
    assert it.git("rev-parse", ":scripts/run.bat") != raw
    assert not stale(it.tree, mark)
    it.settle()
    os.utime(it.root / ".git/index", (4_000_000_000, 4_000_000_000))
    assert not stale(it.tree, mark)
    assert it.tree.mark(ALL).dirty is False
    os.utime(file)
    assert not stale(it.tree, mark)
    assert it.tree.mark(ALL).dirty is None
    file.write_bytes(b"ECHO two\r\n")
    it.settle()

    assert stale(it.tree, mark)


def test_a_folder_outside_of_git_is_judged_by_its_files(tmp_path: Path) -> None:
    root = tmp_path / "plain"
    (root / "src").mkdir(parents=True)
    (root / "src/main.py").write_text("1")
    (root / ".gitignore").write_text("*.log\n")
    (root / "link").symlink_to("nowhere")
    tree = SourceTree(str(root))
    mark = tree.mark(ALL)
    assert (mark.commit, mark.dirty) == (None, None)
    os.utime(root / "src/main.py")
    (root / "a.log").write_text("ignored")
    (root / ".gatepost").mkdir()
    assert not stale(tree, mark)

    (root / "link").unlink()
    (root / "link").symlink_to("elsewhere")

    assert stale(tree, mark)
    assert not stale(tree, tree.mark(("src",)), ("src",))


def test_a_folder_that_a_repository_above_ignores_is_judged_by_its_files(repository: Repository) -> None:
    repository.write("build/main.c", "1")
    tree = SourceTree(str(repository.root / "build"))
    mark = tree.mark(ALL)
    assert mark.commit is None

    repository.write("build/main.c", "2")

    assert stale(tree, mark)


def test_too_much_to_read_is_unknown_and_says_so(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = repository.tree.mark(ALL)
    with repository.write("huge.bin", "").open("r+b") as file:
        file.truncate(working_files.MOST_BYTES + 1)
    state = repository.tree.now()

    assert not state.is_stale(ALL, mark)
    assert "256 MiB" in str(state.problem)
    assert state.digest(("src",)) is not None
    monkeypatch.setattr(git_files, "LARGEST_INDEX", 10)
    assert "too many files" in str(_problem(repository.tree))
    shutil.rmtree(repository.root / ".git")
    monkeypatch.setattr(source_tree, "MOST_FILES", 3)
    assert _problem(repository.tree) == "The folder is not in git and has more than 3 files."


def _problem(tree: SourceTree) -> str | None:
    state = tree.now()
    assert state.digest(ALL) is None
    return state.problem


def test_a_file_that_vanishes_or_becomes_something_else_is_no_fault(repository: Repository) -> None:
    repository.write("one", "1")
    repository.write("two", "2")
    expected = repository.tree.mark(ALL).digest
    for name in ("gone", "pipe", "folder/file"):
        repository.write(name, "x")
    state = repository.tree.now()
    state.digest(("nothing",))

    (repository.root / "gone").unlink()
    (repository.root / "pipe").unlink()
    os.mkfifo(repository.root / "pipe")
    shutil.rmtree(repository.root / "folder")
    repository.write("folder", "a file now")

    assert state.digest(ALL) == expected
    assert state.problem is None


def test_a_pattern_that_is_not_valid_is_unknown(repository: Repository) -> None:
    state = repository.tree.now()
    assert state.digest(("../outside",)) is None
    assert "`..`" in str(state.problem)
    assert state.digest((".gatepost/**",)) is None
    assert state.digest(ALL) is not None


def test_a_file_that_cannot_be_read_is_unknown(repository: Repository) -> None:
    repository.write("untracked", "1")
    state = repository.tree.now()
    state.digest(("nothing",))
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)

    # Permissions do not stop every user; that no more files can be opened does.
    with closing(os.open("/", os.O_RDONLY)) as lowest:
        resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, limits[1]))
        try:
            digest = state.digest(ALL)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)

    assert digest is None
    assert state.problem == "untracked cannot be read: Too many open files."


def test_the_id_of_a_settled_file_is_remembered_until_it_changes(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, ids = repository.write("file", "one"), BlobIds(str(repository.root))
    now = file.lstat()
    fresh = ids.of("file", now, "sha1")
    edit_secretly(repository, "file", "two")
    assert ids.of("file", now, "sha1") != fresh

    monkeypatch.setattr("time.time_ns", lambda: file.lstat().st_ctime_ns + 10**10)
    settled = file.lstat()
    two = ids.of("file", settled, "sha1")
    edit_secretly(repository, "file", "three")

    assert ids.of("file", settled, "sha1") == two
    assert ids.of("file", file.lstat(), "sha1") == repository.git("hash-object", "file")
