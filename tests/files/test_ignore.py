"""What is ignored, by searches and by the digest, with git itself as the judge."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatepost.digest.walk import walked
from gatepost.files.host import HostFilesystem
from gatepost.files.ignore import MAX_BYTES, MAX_RULES, IgnoreFileTooLarge, Rules
from gatepost.files.memory import InMemoryFilesystem
from tests.digest.trees import plant

NAMES = ("a", "b", "ab", "foo.c", "bar.o", "x[y]", "a b", "#h", "!n", "é", "b ", "a-b", "]")
PIECES = (
    *("a", "b", "foo", "*", "?", "[ab]", "[!a]", "[a-c]", "[^a-c]", ".c", "*.o", "\\#", "\\!", "\\*"),
    *("[]a]", "x\\[y\\]", "é", "\\ ", " ", "-", "#", "!"),
)
"""Not what few write within brackets (`[[:alpha:]]`, `[\\]]`, `[b-a]`): such lines are passed over."""

LEAVES = {
    **dict.fromkeys(("keep.py", "build/out.o", "src/build/out.o", "src/a.log", "src/deep/er/a.log"), ""),
    **dict.fromkeys(("logs/today.log", "logs/keep.log", "#note", "!bang", "docs/x/y/z.md", "docs/z.md"), ""),
    **dict.fromkeys(
        ("vendor/one/code.c", "vendor/two/code.c", "trail ", "doc/frotz/a", "frotz", "a/doc/frotz"), ""
    ),
}

TABLE = (
    {".gitignore": "*.log\nbuild/\n"},
    {".gitignore": "/build\n/src/*.log\n"},
    {".gitignore": "*.log\n!keep.log\n"},
    {".gitignore": "logs/\n!logs/keep.log\n"},
    {".gitignore": "logs/*\n!logs/keep.log\n"},
    {".gitignore": "\\#note\n\\!bang\n# a comment\n"},
    {".gitignore": "#note\n!bang\ntrail\\ \nkeep.py   \nfrotz\t\n"},
    {".gitignore": "docs/**/z.md\n"},
    {".gitignore": "**/er\n"},
    {".gitignore": "docs/**\n!docs/z.md\n"},
    {".gitignore": "vendor/*/\n!vendor/two/\n"},
    {".gitignore": "doc/frotz\n"},
    {".gitignore": "frotz/\n"},
    {".gitignore": "[a-k]*.py\n[!l]ogs\n"},
    {".gitignore": "*.log\n", "src/.gitignore": "!a.log\n", "src/deep/.gitignore": "*\n"},
    {".gitignore": "/*\n!/src\n", "src/.gitignore": "/a.log\n"},
    {".gitignore": "\ufeffkeep.py\r\n*.o\r\nfrotz"},
    {".git/info/exclude": "*.md\nfrotz\n", ".gitignore": "!docs/z.md\n"},
    {".gitignore": "k**/eep.py\nd**/**\nsrc/***/a.log\n"},
    {".gitignore": "/\n//\nfoo//\n/**\n!/keep.py\n"},
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with directories and files of all the names that are tried."""
    root = tmp_path_factory.mktemp("judged")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    for upper in NAMES:
        for name in NAMES:
            (root / "d" / upper).mkdir(parents=True, exist_ok=True)
            (root / "d" / upper / name).touch()
        (root / upper).touch()
    return root


@pytest.mark.parametrize("rules", TABLE)
def test_walks_see_exactly_the_files_that_git_does_not_ignore(tmp_path: Path, rules: dict[str, str]) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    plant(tmp_path, {**LEAVES, **rules})
    hidden = ignored_by_git(tmp_path, list(LEAVES))
    memory = InMemoryFilesystem()
    for path, text in {**LEAVES, **rules}.items():
        if not path.startswith(".git/"):
            memory.write(path, text)

    root = os.open(tmp_path, os.O_RDONLY)
    digested = set(walked(root).files)
    os.close(root)
    with HostFilesystem(tmp_path) as host:
        found = set(host.glob("**"))
        below = {path for at in ("docs", "src", "vendor", "logs", "a") for path in host.glob("**", at)}
        everything = set(host.glob("**", ignored=True))

    assert hidden, "a row that hides nothing shows nothing"
    assert digested & set(LEAVES) == found & set(LEAVES) == set(LEAVES) - hidden
    assert ".git/info/exclude" in rules or set(memory.glob("**")) & set(LEAVES) == set(LEAVES) - hidden
    assert {path for path in below & set(LEAVES) if not ignored_by_git(tmp_path, [path.split("/")[0]])} <= found
    assert everything >= {*LEAVES, ".git", ".git/HEAD"}
    assert not [path for path in found if path.startswith(".git/")]


@settings(max_examples=60, deadline=None)
@given(
    lines=st.lists(
        st.builds(
            "{}{}{}{}".format,
            st.sampled_from(["", "", "!"]),
            st.sampled_from(["", "", "/", "**/", "d/", "/d/**/"]),
            st.lists(
                st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map("".join), min_size=1, max_size=2
            ).map("/".join),
            st.sampled_from(["", "", "/", "/**"]),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_any_pattern_ignores_what_git_ignores(repository: Path, lines: list[str]) -> None:
    data = "\n".join(lines).encode()
    (repository / ".gitignore").write_bytes(data)
    paths = [
        *NAMES,
        *(f"d/{upper}" for upper in NAMES),
        *(f"d/{upper}/{name}" for upper in NAMES for name in NAMES),
    ]
    rules = Rules(data, 0)

    ours = {path for path in paths if ignored(rules, path, directory=path.count("/") == 1)}

    assert ours == ignored_by_git(repository, paths)


def test_a_pattern_of_many_stars_is_answered_at_once() -> None:
    rules = Rules(b"*a" * 60 + b"b\n" + b"a**/" * 40 + b"b\n", 0)

    assert not rules.ignores(["a" * 255], directory=False)
    assert not rules.ignores(["a"] * 12, directory=False)


@pytest.mark.filterwarnings("error")
def test_a_line_that_cannot_be_obeyed_is_passed_over_and_the_others_hold() -> None:
    rules = Rules(b"[[:alpha:]]\n[b-a]\n[\\]]\n[a/b]\n[\ntrailing\\\n\xff\nkept\n", 0)

    assert rules.ignores(["kept"], directory=False)
    assert rules.ignores([os.fsdecode(b"\xff")], directory=False)
    assert not rules.ignores(["b"], directory=False)


@pytest.mark.parametrize(
    ("data", "obeyed"),
    [
        (b"x".ljust(MAX_BYTES), True),
        (b"x".ljust(MAX_BYTES + 1), False),
        (b"*x\n" * MAX_RULES, True),
        (b"*x\n" * (MAX_RULES + 1), False),
    ],
)
def test_rules_are_obeyed_up_to_the_bound_and_refused_past_it(data: bytes, obeyed: bool) -> None:
    if obeyed:
        assert Rules(data, 0).ignores(["x"], directory=False)
    else:
        with pytest.raises(IgnoreFileTooLarge):
            Rules(data, 0)


def test_below_rules_too_large_to_obey_a_digest_sees_nothing_and_a_search_everything(tmp_path: Path) -> None:
    plant(tmp_path, {"a/.gitignore": "*\n" * MAX_BYTES, "a/code.py": "x", "b/code.py": "x"})

    root = os.open(tmp_path, os.O_RDONLY)
    tree = walked(root)
    os.close(root)
    with HostFilesystem(tmp_path) as host:
        found = host.glob("**/*.py")

    assert tree.files == ("b/code.py",)
    assert not tree.complete
    assert found == ("a/code.py", "b/code.py")


def ignored(rules: Rules, path: str, *, directory: bool) -> bool:
    """Whether a path or a directory above it is ignored."""
    names = path.split("/")
    return any(
        rules.ignores(names[:end], directory=directory or end < len(names)) for end in range(1, len(names) + 1)
    )


def ignored_by_git(root: Path, paths: Sequence[str]) -> set[str]:
    """What git says; it must be at hand."""
    asked = b"".join(path.encode() + b"\0" for path in paths)
    command = ["git", "-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index", "-z", "--stdin"]
    answer = subprocess.run(command, cwd=root, input=asked, capture_output=True)
    assert answer.returncode in (0, 1), answer.stderr
    return {path.decode() for path in answer.stdout.split(b"\0") if path}
