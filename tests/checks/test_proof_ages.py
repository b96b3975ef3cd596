"""Whatever happens in a repository, a proof is stale exactly when the content of a covered file differs."""

import os
import shutil
import tempfile
from fnmatch import fnmatch
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from gatepost.checks.source_tree import SourceTree
from gatepost.domain.checkpoints import TreeMark
from tests.checks.repositories import Repository

PATHS = ("a.py", "b.txt", "src/a.py", "src/b.txt", "src/in/a.py", "noise.log", ".gatepost/own.py")
COVERS = ((), ("src",), ("**/*.py",), ("src/*", "b.txt"))
# All of one length: size alone must not decide.
CONTENTS = ("one\n", "two\n", "six\n")
paths = st.sampled_from(PATHS)

Content = dict[str, tuple[str, bool]]


class Ageing(RuleBasedStateMachine):
    """A repository, and each mark with what the covered files contained then."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.it = Repository(self.folder / "project")
        self.it.write(".gitignore", "*.log\n")
        self.it.commit("first")
        self.marks: list[tuple[tuple[str, ...], TreeMark, Content]] = []

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    def content(self, covers: tuple[str, ...]) -> Content:
        """What the covered files contain, by a plain walk."""
        found = {}
        for file in self.it.root.rglob("*"):
            path = file.relative_to(self.it.root)
            counts = file.is_file() and path.suffix != ".log" and path.parts[0] not in (".git", ".gatepost")
            if counts and covered(str(path), covers):
                found[str(path)] = file.read_text(), os.access(file, os.X_OK)
        return found

    @rule(path=paths, content=st.sampled_from(CONTENTS))
    def write(self, path: str, content: str) -> None:
        self.it.write(path, content)

    @rule(path=paths, content=st.sampled_from(CONTENTS))
    def write_with_the_old_time(self, path: str, content: str) -> None:
        file = self.it.root / path
        before = file.stat() if file.exists() else None
        self.it.write(path, content)
        if before is not None:
            os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    @rule(path=paths)
    def delete(self, path: str) -> None:
        (self.it.root / path).unlink(missing_ok=True)

    @rule(path=paths, mode=st.sampled_from((0o644, 0o755)))
    def touch(self, path: str, mode: int) -> None:
        if (self.it.root / path).exists():
            (self.it.root / path).chmod(mode)
            os.utime(self.it.root / path)

    @rule(words=st.sampled_from(("add -A", "reset -q", "status", "reset -q --hard", "clean -fdq", "gc -q")))
    def call_git(self, words: str) -> None:
        self.it.git(*words.split())

    @rule()
    def settle(self) -> None:
        self.it.settle()

    @rule()
    def commit(self) -> None:
        self.it.commit()

    @rule(back=st.integers(0, 3))
    def check_out(self, back: int) -> None:
        commits = self.it.git("log", "--all", "--format=%H").split()
        self.it.git("checkout", "-qf", commits[min(back, len(commits) - 1)])

    @rule(covers=st.sampled_from(COVERS))
    def mark(self, covers: tuple[str, ...]) -> None:
        mark = self.it.tree.mark(covers)
        assert mark.dirty == bool(self.it.git("status", "--porcelain", "--", ":!.gatepost"))
        assert mark.commit == self.it.git("rev-parse", "HEAD")
        self.marks.append((covers, mark, self.content(covers)))

    @precondition(lambda self: self.marks)
    @invariant()
    def stale_is_what_differs(self) -> None:
        differs = [self.content(covers) != content for covers, _, content in self.marks]
        for tree in (self.it.tree, SourceTree(str(self.it.root))):
            state = tree.now()
            assert [state.is_stale(covers, mark) for covers, mark, _ in self.marks] == differs


def covered(path: str, covers: tuple[str, ...]) -> bool:
    folder, _, name = path.rpartition("/")
    return {
        (): True,
        ("src",): path.startswith("src/"),
        ("**/*.py",): fnmatch(name, "*.py"),
        ("src/*", "b.txt"): folder == "src" or path == "b.txt",
    }[covers]


@pytest.mark.usefixtures("without_settings_of_git")
@pytest.mark.requirement("proof.age.stale")
def test_a_proof_is_stale_exactly_when_covered_content_differs() -> None:
    run_state_machine_as_test(Ageing, settings=settings(max_examples=20, stateful_step_count=20, deadline=None))
