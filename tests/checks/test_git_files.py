"""Git is asked once, runs nothing of the repository's choice, and may fail in any way."""

import os
from pathlib import Path

import pytest

from gatepost.checks import git_files
from gatepost.checks.source_tree import SourceTree
from gatepost.domain.checkpoints import TreeMark
from tests.checks.repositories import GIT, CountingGit, Repository

ALL = ()
pytestmark = pytest.mark.usefixtures("without_settings_of_git")


def test_git_vouches_for_a_file_that_is_older_than_its_index_and_for_no_other(repository: Repository) -> None:
    file, index = repository.root / "src/main.py", repository.root / ".git/index"
    later = file.stat().st_ctime + 60
    os.utime(index, (later, later))
    assert _vouched(file, repository)

    earlier = file.stat().st_ctime - 1
    os.utime(index, (earlier, earlier))
    assert not _vouched(file, repository)

    os.utime(index, (later, later))
    repository.touch("src/main.py")
    assert not _vouched(file, repository)


def _vouched(file: Path, repository: Repository) -> bool:
    listing = git_files.listed(str(repository.root))
    assert listing is not None
    tracked = listing.files[str(file.relative_to(repository.root))]
    assert tracked is not None
    return listing.vouches_for(tracked, file.lstat())


def test_a_view_of_a_thousand_proofs_asks_git_once(repository: Repository, counted: CountingGit) -> None:
    covers = [ALL, ("src/**",), ("docs",)]
    marks = [(each, repository.tree.mark(each)) for each in covers]
    assert counted.calls <= 2 * len(covers)
    counted.does(f'exec "{GIT}" "$@"')

    state = SourceTree(str(repository.root)).now()
    assert not any(state.is_stale(*marks[number % 3]) for number in range(1_000))
    assert counted.calls == 1


def test_what_has_no_digest_is_never_looked_at(repository: Repository, counted: CountingGit) -> None:
    assert not repository.tree.now().is_stale(ALL, TreeMark(commit="abc", dirty=False))
    assert counted.calls == 0


FAILURES = {
    "does not answer": ("sleep 1000 & wait", "Git did not answer within 0.5 s."),
    "refuses": ("echo 'fatal: not today' >&2; exit 128", "Git refused to read the folder: fatal: not today"),
    "says nothing": ("exit 1", "Git refused to read the folder: it gave no reason."),
    "speaks another language": ("echo hello", "Git lists files in a format that this version of Gatepost does not"),
    "does not trust the owner": (f'GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec "{GIT}" "$@"', "dubious ownership"),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_nothing_is_stale_if_git(
    failure: str, repository: Repository, counted: CountingGit, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = repository.tree.mark(ALL)
    repository.write("src/main.py", "print(2)\n")
    line, problem = FAILURES[failure]
    counted.does(line)
    if "sleep" in line:
        monkeypatch.setattr(git_files, "LONGEST_S", 0.5)

    state = repository.tree.now()

    assert not state.is_stale(ALL, mark)
    assert not state.is_stale(("src",), mark)
    assert problem in (state.problem or "")
    assert counted.calls == 1
    assert repository.tree.mark(ALL) == TreeMark()


def test_a_git_that_does_not_answer_is_ended_with_all_it_started(
    repository: Repository, counted: CountingGit, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = repository.root.parent / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    counted.does(f'sleep 1000 > "{pipe}" & echo started > "{pipe}"; wait')
    monkeypatch.setattr(git_files, "LONGEST_S", 2.0)

    assert repository.tree.mark(ALL) == TreeMark()

    # The pipe ends when the last process that could write to it has ended.
    os.set_blocking(reader, True)
    with os.fdopen(reader, "rb") as written:
        assert written.read() == b"started\n"


def test_nothing_is_stale_without_git_in_a_repository(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = repository.tree.mark(ALL)
    repository.write("git", "#!/bin/sh\ntouch ran\n").chmod(0o755)
    monkeypatch.chdir(repository.root)
    monkeypatch.setenv("PATH", ".")

    state = repository.tree.now()

    assert not state.is_stale(ALL, mark)
    assert state.problem == "Git is not installed, or not on the PATH."
    assert not (repository.root / "ran").exists()


def test_a_hostile_repository_runs_nothing(repository: Repository) -> None:
    ran = repository.root.parent / "ran"
    program = repository.root.parent / "program"
    program.write_text(f'#!/bin/sh\necho "$0 $@" >> "{ran}"\ncat\n')
    program.chmod(0o755)
    hooks = repository.root.parent / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "reference-transaction", "fsmonitor-watchman"):
        (hooks / hook).symlink_to(program)
    settings = {
        **{f"filter.evil.{kind}": str(program) for kind in ("clean", "smudge", "process")},
        "filter.evil.required": "true",
        **{f"diff.{kind}": str(program) for kind in ("external", "evil.command", "evil.textconv")},
        **dict.fromkeys(("core.fsmonitor", "core.pager", "core.sshCommand", "core.editor"), str(program)),
        "core.hooksPath": str(hooks),
        "core.untrackedCache": "true",
        "pager.ls-files": "true",
        "alias.ls-files": f"!{program}",
        "remote.origin.url": f"ext::{program}",
        "remote.origin.promisor": "true",
        "extensions.partialClone": "origin",
    }
    before = repository.tree.mark(ALL)
    for name, value in settings.items():
        repository.git("config", name, value)
    (repository.root / ".git/info/attributes").write_text("* filter=evil diff=evil\n")
    for blob in (repository.root / ".git/objects").glob("??/*"):
        blob.unlink()

    repository.touch("src/main.py")
    mark = repository.tree.mark(ALL)
    repository.write("src/main.py", "print(2)\n")

    assert mark.digest == before.digest
    assert repository.tree.now().is_stale(ALL, mark)
    assert not ran.exists()
    with pytest.raises(AssertionError, match="clean filter 'evil' failed"):
        repository.git("ls-files", "--modified")
    assert ran.exists()
