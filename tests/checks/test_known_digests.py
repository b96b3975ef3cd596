"""What was worked out for one view holds for the next as long as nothing has changed, and not longer."""

import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatepost.checks import known_digests
from gatepost.checks.source_tree import SourceTree
from tests.checks.repositories import ALONE, AS_ANN, GIT, CountingGit, Repository

ALL = ()
COVERS = (ALL, ("src",), ("**/*.py",), ("src/*", "b.txt"))
pytestmark = pytest.mark.usefixtures("without_settings_of_git", "quick_clock")


@pytest.fixture
def quick_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The times of this machine's files are finer than seconds, so they need not be two seconds old."""
    monkeypatch.setattr(known_digests, "SETTLED_NS", 30 * 10**6)


def time_passes() -> None:
    """Now everything that was written is old enough."""
    time.sleep(0.04)


def seen(tree: SourceTree) -> list[str | None]:
    """The digests of one view."""
    state = tree.now()
    return [state.digest(covers) for covers in COVERS]


def tried(it: Repository, *words: str) -> None:
    """Git may refuse, depending on what happened before."""
    subprocess.run([GIT, *AS_ANN, *words], cwd=it.root, env=ALONE, capture_output=True)


def edited(it: Repository, path: str) -> None:
    """An edit that keeps the size and puts the time back."""
    file = it.root / path
    if file.is_file():
        before, content = file.stat(), file.read_bytes()
        file.write_bytes(content[::-1] if content != content[::-1] else b"x" * len(content))
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def replaced(it: Repository, path: str) -> None:
    """Another file takes its place, one that is older."""
    other = it.write("other.log", "six\n")
    os.utime(other, (1_000_000_000, 1_000_000_000))
    (it.root / path).parent.mkdir(parents=True, exist_ok=True)
    other.replace(it.root / path)


def moved(it: Repository, path: str, to: str) -> None:
    if (it.root / path).exists() and not (it.root / to).exists():
        (it.root / path).rename(it.root / to)


def linked(it: Repository) -> None:
    if (it.root / "src").is_dir() and not (it.root / "src").is_symlink():
        moved(it, "src", "real")
        if not (it.root / "src").exists():
            (it.root / "src").symlink_to("real")


CHANGES: dict[str, Callable[[Repository], object]] = {
    "an edit of the same size and time": lambda it: edited(it, "src/a.py"),
    "another such edit": lambda it: edited(it, "b.txt"),
    "a file in place of another": lambda it: replaced(it, "src/in/a.py"),
    "a file that may be run": lambda it: (it.root / ".gitignore").chmod(0o755),
    "a new file": lambda it: it.write("src/new.py", "new\n"),
    "a new file in a new folder": lambda it: it.write("src/empty/deep/new.py", "new\n"),
    "a new folder": lambda it: (it.root / "src/empty/deep").mkdir(parents=True, exist_ok=True),
    "a deleted file": lambda it: (it.root / "src/new.py").unlink(missing_ok=True),
    "a folder without its files": lambda it: (it.root / "src/empty/deep/new.py").unlink(missing_ok=True),
    "a deleted folder": lambda it: shutil.rmtree(it.root / "src/in", ignore_errors=True),
    "a renamed folder": lambda it: moved(it, "src/in", "src/out"),
    "a folder that is renamed back": lambda it: moved(it, "src/out", "src/in"),
    "a link in place of a folder": linked,
    "an ignored file": lambda it: (it.write("src/noise.log", "1"), it.write("build/sub/a.py", "1")),
    "an ignored file that is added": lambda it: tried(it, "add", "-f", "src/noise.log", "build/sub/a.py"),
    "a rule": lambda it: it.write(".gitignore", "*.log\nnew.py\n"),
    "another rule": lambda it: it.write(".gitignore", "build/\n!*.log\n"),
    "a rule that we may not understand": lambda it: it.write(".gitignore", "*\n![[:alpha:]]*\n"),
    "a rule in a folder": lambda it: it.write("src/empty/.gitignore", "deep\n"),
    "a rule of this clone": lambda it: it.write(".git/info/exclude", "new.py\n"),
    "a rule of the user": lambda it: it.write("../config/git/ignore", "new.py\n"),
    "a setting": lambda it: tried(it, "config", "core.excludesFile", str(it.root.parent / "Own rules")),
    "a rule by that setting": lambda it: it.write("../Own rules", "new.py\n"),
    "a conversion": lambda it: it.write(".gitattributes", "*.txt eol=crlf\n"),
    "a conversion by a setting": lambda it: tried(it, "config", "core.autocrlf", "true"),
    "a file that leaves the index": lambda it: tried(it, "rm", "-q", "--cached", "b.txt"),
    "a commit": lambda it: tried(it, "commit", "-qam", "more"),
    "all files in the index": lambda it: tried(it, "add", "-A"),
    "a checkout": lambda it: tried(it, "checkout", "-qf", "first"),
    "a repository inside": lambda it: tried(it, "init", "-q", "src/empty"),
    "no repository inside any more": lambda it: shutil.rmtree(it.root / "src/empty/.git", ignore_errors=True),
    "no repository": lambda it: shutil.rmtree(it.root / ".git", ignore_errors=True),
    "a new repository": lambda it: tried(it, "init", "-q"),
}


def small(folder: Path) -> Repository:
    it = Repository(folder / "project")
    for path in ("a.py", "b.txt", "src/a.py", "src/b.txt", "src/in/a.py"):
        it.write(path, "one\r\n")
    it.write(".gitignore", "*.log\nbuild/\n")
    it.commit("first")
    it.git("tag", "first")
    return it


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(CHANGES)), st.booleans()), min_size=8, max_size=16))
def judged_alike(changes: list[tuple[str, bool]]) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", f"{folder}/config")
        it = small(Path(folder))
        for change, settled in changes:
            if settled:
                time_passes()
            seen(it.tree)
            CHANGES[change](it)
            assert seen(it.tree) == seen(SourceTree(str(it.root))), change


def test_whatever_changes_a_view_says_what_a_new_process_would() -> None:
    judged_alike()


@pytest.mark.parametrize("change", CHANGES)
def test_a_view_says_what_a_new_process_would_after(change: str, tmp_path: Path) -> None:
    it = small(tmp_path)
    for path in ("src/empty/deep/kept.log", "src/noise.log", "build/sub/a.py", "src/new.py"):
        it.write(path, "not tracked")
    if change == "a rule by that setting":
        it.write("../Own rules", "")
        CHANGES["a setting"](it)
    time_passes()
    seen(it.tree)

    CHANGES[change](it)

    assert seen(it.tree) == seen(SourceTree(str(it.root)))


def test_git_is_asked_once_after_a_change_and_not_at_all_without_one(
    repository: Repository, counted: CountingGit, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write("build/ignored/file", "1")
    repository.write("untracked/file", "1")
    time_passes()
    first = seen(repository.tree)
    assert counted.calls == 1

    repository.write("build/ignored/other", "2")
    assert [seen(repository.tree) for _ in range(3)] == [first] * 3
    assert counted.calls == 1

    repository.write("src/main.py", "print(2)\n")
    with monkeypatch.context() as patch:
        patch.setattr(known_digests, "SETTLED_NS", 10**18)
        changed = seen(repository.tree)
        assert (changed == first, counted.calls) == (False, 2)
        # What is too new is asked for again.
        assert (seen(repository.tree), counted.calls) == (changed, 3)
    time_passes()
    assert (seen(repository.tree), counted.calls) == (changed, 4)
    assert (seen(repository.tree), counted.calls) == (changed, 4)


def test_a_folder_outside_of_git_is_not_walked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plain/src").mkdir(parents=True)
    (tmp_path / "plain/src/a.py").write_text("one")
    tree = SourceTree(str(tmp_path / "plain"))
    time_passes()
    first = seen(tree)
    monkeypatch.setattr("gatepost.checks.source_tree._walked", lambda _: iter(()))

    assert seen(tree) == first


def test_a_repository_in_the_folder_is_not_looked_into(repository: Repository, counted: CountingGit) -> None:
    repository.git("worktree", "add", "-q", "agents/one")
    time_passes()
    first = seen(repository.tree)

    (repository.root / "agents/one/src/main.py").write_text("print(2)\n")

    assert (seen(repository.tree), counted.calls) == (first, 1)


def test_settings_from_other_files_are_read_each_time(repository: Repository, counted: CountingGit) -> None:
    repository.git("config", "include.path", "../more")
    time_passes()
    seen(repository.tree)
    seen(repository.tree)
    assert counted.calls == 2


def test_what_is_remembered_is_bounded(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_digests, "MOST_WATCHED", 100)
    digests, many = repository.tree.digests, [(f"src/{number}",) for number in range(50)]
    time_passes()
    state = repository.tree.now()
    assert all(state.digest(covers) for covers in many)

    known = [covers for covers in many if digests.of(covers, {})]
    assert 1 < len(known) < 20
    assert known == many[-len(known) :]
    monkeypatch.setattr(known_digests, "MOST_WATCHED", 3)
    assert state.digest(ALL)
    assert digests.of(ALL, {}) is None


def test_threads_share_what_is_known(repository: Repository) -> None:
    time_passes()
    expected, found = seen(SourceTree(str(repository.root))), []
    threads = [threading.Thread(target=lambda: found.append(seen(repository.tree))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8
