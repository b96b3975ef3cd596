"""Helpers of the suite: a filesystem with files, its whole state, every verb, and checks of refusals."""
# ruff: noqa: S101 - a suite is made of plain assertions

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from gatepost.domain.refusals import Refusal
from gatepost.files.paths import MAX_DEPTH, MAX_SEGMENT
from gatepost.files.protocol import Filesystem, Match

TEXTS: Final = (
    "",
    "one line without an end",
    "one line\n",
    "\n",
    "\n\n",
    "dos\r\nlines\r\n",
    "old\rlines",
    "a line separator \u2028 parts no lines\x0b\x0c\x85\n",
    "\ufeffa mark in front\n",
    "Grüße, 世界, 🙂\n",
    "\ttabs and trailing blanks   \n  ",
)
WRONG_PATHS: Final = (
    "",
    "/etc/passwd",
    "//x",
    "..",
    "../x",
    "a/../../x",
    "ä.txt",
    "a\\b",
    "a\nb",
    "a\0b",
    "/".join("d" * (MAX_DEPTH + 1)),
    "s" * (MAX_SEGMENT + 1),
    f"a/{'s' * (MAX_SEGMENT + 1)}/b",
)
GIT_PATHS: Final = (".git", ".git/config", ".GIT/hooks/x", "sub/.git", "sub/.git./config", "x/git~1/config")
CLOSED_PATHS: Final = (".gatepost", ".gatepost/gatepost.db", "tasks/a.tsk", "tasks/a.TSK/goals.md", "a.tsk/../b")


@contextmanager
def refuses(fs: Filesystem, kind: type[Refusal], about: str = "") -> Iterator[list[Refusal]]:
    """The block must raise this refusal, with a message and a recovery, and change no file."""
    before = state(fs)
    caught: list[Refusal] = []
    try:
        yield caught
    except kind as refusal:
        caught.append(refusal)
    assert caught, f"{about}: expected {kind.__name__}"
    assert caught[0].message, about
    assert caught[0].recovery, about
    assert state(fs) == before, f"{about}: refused, but a file changed"


def furnished(fs: Filesystem) -> Filesystem:
    """The same filesystem with a small project in it."""
    for path, text in {
        "README.md": "# Intro\n\nwords in a readme\n",
        ".hidden": "h\n",
        "docs/guide.md": "# Guide\nread me\n",
        "src.txt": "",
        "src/app.py": "import core\ndef main():\n    core()\n",
        "src/Z.py": "",
        "src/lib/core.py": "def core():\n    pass\n",
        "src/lib/deep/core.py": "def core():\n    pass\n",
    }.items():
        fs.write(path, text)
    fs.mkdir("empty")
    return fs


def state(fs: Filesystem, path: str = ".") -> Mapping[str, str | None]:
    """Every path in order, with the text of files."""
    found: dict[str, str | None] = {}
    for entry in fs.list(path):
        found[entry.path] = fs.read(entry.path).content if entry.kind == "file" else None
        if entry.kind == "directory":
            found.update(state(fs, entry.path))
    return found


def verbs(fs: Filesystem, path: str) -> Mapping[str, Callable[[], object]]:
    """Every verb, called with one path."""
    return {
        "read": lambda: fs.read(path),
        "write": lambda: fs.write(path, "x"),
        "edit": lambda: fs.edit(path, [("x", "y")]),
        "list": lambda: fs.list(path),
        "glob": lambda: fs.glob("**", path),
        "grep": lambda: fs.grep("x", path),
        "stat": lambda: fs.stat(path),
        "mkdir": lambda: fs.mkdir(path),
        "move from": lambda: fs.move(path, "elsewhere"),
        "move to": lambda: fs.move("README.md", path),
        "copy from": lambda: fs.copy(path, "elsewhere"),
        "copy to": lambda: fs.copy("README.md", path),
        "delete": lambda: fs.delete(path, recursive=True),
    }


def counted(fs: Filesystem, count: int) -> tuple[Callable[[], object], ...]:
    """Every verb that takes a limit."""
    return (
        lambda: fs.read("src/app.py", limit=count),
        lambda: fs.list(limit=count),
        lambda: fs.glob("**", limit=count),
        lambda: fs.grep("x", limit=count),
    )


def paged(ask: Callable[[Any, int], Any], size: int) -> list[Any]:
    """All pages together. Each continues after the last entry of the page before."""
    found: list[Any] = []
    while page := ask(found[-1] if found else None, size):
        found += page
    return found


def place(match: Match | None) -> tuple[str, int] | None:
    """Where a search resumes."""
    return None if match is None else (match.path, match.line)
