"""The hook in everyday work: what an agent types all day passes, what only looks like it does not."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.surfaces.hooks.main import verdict
from gatepost.surfaces.hooks.pretool import CLOSED
from tests.hooks.givens import Project, encoded

PASSES = [
    # A shell's `*` finds no name with a dot.
    *("ls *", "git add *", "wc -l *", "for f in *; do echo $f; done", "ls -d */", "ls */", "grep foo *.*", "ls ?*"),
    # Patterns of `grep` and its like.
    r"grep -v '\.tsk' list.txt",
    "git status --short | grep -v auth.tsk",
    "rg -F '.tsk' src",
    "grep -F auth.tsk README.md",
    "grep -nA 3 auth.tsk README.md",
    "grep -rn -m 5 --include '*.py' auth.tsk src",
    "grep -rlie auth.tsk src",
    "grep --files-with-matches auth.tsk -r src",
    "grep -n -- auth.tsk README.md",
    "rg -tpy -C3 -g '*.py' auth.tsk src",
    "rg --glob '*.py' --max-count 3 auth.tsk src",
    "git -C src grep -v auth.tsk",
    "git ls-files | grep -v '\\.tsk' | xargs wc -l",
    "timeout 60 grep -n 'auth.tsk' README.md",
    "jq -r .tsk x.json",
    "jq --arg a b .items.tsk x.json",
    "sed -i '' 's/auth.tsk/x/' README.md",
    "sed -n '/draw.tsk/,/raw.tsk/p' README.md",
    "sed -E ':a;s#for x.tsk#w auth.tsk#;ta' README.md",
    "sed '$a see w auth.tsk' README.md",
    "awk '/auth.tsk/ {print}' README.md",
    "awk -F, '$1 == \"x.tsk\" && $2 !~ /a\\.tsk/ {print $2}' list.csv",
    "perl -ne 'print if /auth\\.tsk/' README.md",
    "perl -pe 's/x.tsk/y/' README.md",
    "perl -pi -e s/x.tsk/y/ README.md",
    # Messages and other texts.
    "gh pr create -t 'auth.tsk' -b 'about tasks/auth.tsk'",
    "gh issue comment 3 -b auth.tsk",
    "git -c user.name=x commit -m auth.tsk",
    "git -C src commit -qm auth.tsk",
    "git --no-pager -c a=b log --grep auth.tsk",
    "git log --oneline -S 'auth.tsk' -- src",
    "git log -S'auth.tsk'",
    "git log -G '\\.tsk'",
    "nice git commit -m auth.tsk",
    "pytest -k x.tsk",
    "python -m pytest -q -k x.tsk",
    # Names to compare with, to leave out, or to ask after.
    "[[ $f == *.tsk ]] && echo package",
    "if [[ \"$f\" != *.tsk ]]; then echo $f; fi",
    "while [[ $f == *.tsk ]]; do f=x; done",
    'case "$f" in *.tsk) echo package;; esac',
    'case "$f" in *.md|auth.tsk|*.tsk) echo a;; *.tsk|b.tsk) echo b;; esac',
    'case $f in\n  *.tsk)\n    echo package ;;\nesac',
    'x=$(case $f in *.tsk) echo package;; esac); echo $x',
    'for f in *; do case $f in *.tsk) continue;; esac; echo $f; done',
    'test "$x" = auth.tsk',
    '[ "$x" != auth.tsk ]',
    "basename x .tsk",
    'name=$(basename "$f" .tsk)',
    "test -d .gatepost",
    "[ -d .gatepost ] && echo yes",
    "test -e tasks/auth.tsk/ || echo none",
    "ls -d .gatepost",
    "git check-ignore -q .gatepost",
    # git's index and history.
    "git add tasks/auth.tsk",
    "git add -A tasks/*.tsk",
    "git status --short -- tasks/auth.tsk",
    "git log -p -3 tasks/auth.tsk/goals.md",
    "git log -p -S x tasks/auth.tsk",
    "git --no-pager diff --cached tasks/auth.tsk/goals.md",
    "git -C . diff --stat HEAD~1 -- tasks/auth.tsk",
    "git show HEAD:tasks/auth.tsk/goals.md",
    "git blame tasks/auth.tsk/goals.md",
    "git ls-files '*.tsk'",
    "git -c a=b commit -m x -- tasks/auth.tsk",
    "git reset HEAD tasks/auth.tsk",
    "git restore --staged tasks/auth.tsk",
    "git rm --cached -r tasks/auth.tsk",
    "git check-ignore -v tasks/auth.tsk/goals.md",
    "git diff --name-only | grep -v '.tsk/'",
    "git add . ':!tasks/auth.tsk'",
    # Names, and nothing of what is inside.
    "find . -name '*.tsk'",
    "find tasks -maxdepth 1 -type d -iname '*.tsk' | wc -l",
    "find . -name '*.tsk' -not -path './.git/*' -print0 | sort -z",
    *("ls tasks", "ls -la tasks", "ls -d tasks/*.tsk", "ls -d tasks/*.tsk/", "du -sh tasks", "tree -L 2"),
    *("stat tasks/auth.tsk", "file tasks/auth.tsk", "realpath tasks/auth.tsk", "readlink -f tasks/auth.tsk"),
    # Templates are files of the user.
    "cat .gatepost/templates/bug.toml",
    "ls -la .gatepost/templates/*.toml",
    "mkdir -p .gatepost/templates && cp docs/x.toml .gatepost/templates/x.toml",
    "cat > .gatepost/templates/bug.toml <<'EOF'\n[template]\nEOF",
    "python -c \"open('.gatepost/templates/bug.toml').read()\"",
    # Other people's files.
    "cat /usr/share/doc/x.tsk",
    "cat ~/Downloads/notes.tsk ../beside/x.tsk/y",
    "cp /opt/a.tsk /opt/b.tsk --backup=/opt/c.tsk",
    "ls /opt/data/archive.tsk/*",
    "curl file:///opt/a.tsk/goals.md",
    # The working directory by its variable.
    "cat $PWD/src/*.py",
    "cp -r \"$SOURCE\"/* src",
    "docker run --rm -v \"$PWD\":/w image ls",
    "cd \"$PWD/src\" && ls *",
    "tree -I .gatepost",
    "tree -aI '*.tsk'",
    "fd -E '*.tsk' foo",
    "ls --ignore '*.tsk'",
]  # fmt: skip
DENIED = [
    *("ls .*", "cat .g*/gatepost.db", "ls tasks/*", "cat [.]gatepost/*", "cd tasks && wc -l *", "cat */*/goals.md"),
    "grep -v foo tasks/auth.tsk/goals.md",
    "grep -F foo tasks/auth.tsk/goals.md",
    "grep --color=always -v foo tasks/auth.tsk/goals.md",
    "grep foo -e bar tasks/auth.tsk/goals.md",
    "grep tasks/auth.tsk/goals.md -e bar",
    "grep --regex=x tasks/auth.tsk/goals.md",
    "grep -rf tasks/auth.tsk/goals.md src",
    "rg -F foo tasks/auth.tsk",
    "rg -v foo tasks/auth.tsk/goals.md",
    "rg foo -g '*.tsk/**'",
    "git grep -v foo tasks/auth.tsk",
    "git -C . grep foo tasks/auth.tsk",
    "ag -A foo tasks/auth.tsk",
    "jq -C . tasks/auth.tsk/meta.json",
    "jq -e . tasks/auth.tsk/meta.json",
    "yq -j . tasks/auth.tsk/meta.json",
    "timeout 60 grep -n x tasks/auth.tsk/goals.md",
    "sed 'wtasks/auth.tsk/goals.md' x",
    "sed '1,3wtasks/auth.tsk/goals.md' x",
    "sed -n '/a/!{p;w tasks/auth.tsk/goals.md\n}' x",
    "sed 's/a/b/gw tasks/auth.tsk/goals.md' x",
    "sed ':a;rtasks/auth.tsk/goals.md' x",
    "sed '1e cat tasks/auth.tsk/goals.md' x",
    "sed -e p -e 'r auth.tsk\nd' x",
    "awk '/x/ {while ((getline l < \"tasks/auth.tsk/goals.md\") > 0) print l}' x",
    "awk '/\"/ {print > \"tasks/auth.tsk/goals.md\"}' x",
    "perl -ne 's/a/b/; print' tasks/auth.tsk/goals.md",
    "perl -e 'open F, \"<tasks/auth.tsk/goals.md\"; print <F>'",
    "perl -e 'print if 1; print `cat m/auth.tsk/goals.md`'",
    "find . -path '*auth.tsk*' -exec cat {} +",
    "find . -path '*.tsk*goals*'",
    "find . -regex '.*auth\\.tsk.*'",
    "gh pr create -t x -F tasks/auth.tsk/goals.md",
    "git -C tasks/auth.tsk commit -m x",
    "git commit -F tasks/auth.tsk/goals.md",
    "git diff --output=tasks/auth.tsk/goals.md",
    "git diff --output tasks/auth.tsk/goals.md HEAD",
    "git diff --no-index tasks/auth.tsk/goals.md README.md",
    "git add --pathspec-from-file tasks/auth.tsk/goals.md",
    "git checkout -- tasks/auth.tsk",
    "git restore tasks/auth.tsk",
    "git restore --staged --worktree tasks/auth.tsk",
    "git rm -r tasks/auth.tsk",
    "git stash push tasks/auth.tsk",
    "git mv tasks/auth.tsk tasks/b.tsk",
    "git ls-files '*.tsk' | xargs cat",
    "cat $(git ls-files '*.tsk/*')",
    "find . -name '*.tsk' | xargs cat",
    "find . -name '*.tsk' -exec cat {}/goals.md +",
    "find . -name '*.tsk' -delete",
    "cat $(find . -name '*.tsk')/goals.md",
    "ls -d tasks/*.tsk | xargs rm -r",
    "stat tasks/auth.tsk/goals.md",
    "cat .gatepost/templates/../gatepost.db",
    "cat .gatepost/templates.db .gatepost/t*/../gatepost.db",
    "cat $PWD/tasks/*/goals.md",
    "cat \"${PWD}\"/tasks/*/goals.md",
    "cat $(pwd)/tasks/*/goals.md",
    "cat \"$(git rev-parse --show-toplevel)\"/tasks/*/goals.md",
    "cd $PWD/tasks && cat */goals.md",
    "ls -d $PWD/tasks/*/goals.md",
    "git -c alias.x='!cat tasks/auth.tsk/goals.md' x",
    "pytest -k x tasks/auth.tsk",
    "[[ -f tasks/auth.tsk/goals.md ]]",
    "[ x = tasks/*/goals.md ]",
    "test -s .gatepost/gatepost.db",
    "ls -d tasks/auth.tsk/*",
    "ls -- -d tasks/auth.tsk",
    "cat $(basename tasks/auth.tsk)/goals.md",
    "basename auth.tsk | xargs ls",
    "case x in x) cat tasks/auth.tsk/goals.md;; esac",
    "case x in x) true;; y|z) cat tasks/auth.tsk/goals.md;; esac",
    "(case x in x) true;; esac; cat tasks/auth.tsk/goals.md)",
    "echo $(case x in x) true;; y) cat tasks/auth.tsk/goals.md;; esac)",
    "X=tsk; cat $(echo tasks/auth.$X)/goals.md",
    "cd tasks && cat $(ls -d */goals.md)",
    "cat tasks/auth.tsk/goals.md | case x in x) true;; esac",
    "(\\case x in; cat tasks/auth.tsk/goals.md)",
    "(env case x in; cat tasks/auth.tsk/goals.md)",
    "(a=(case x in b); cat tasks/auth.tsk/goals.md)",
    "tree -I x tasks/auth.tsk",
    "fd -E x . tasks/auth.tsk",
]  # fmt: skip


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project as most are: a store, a package, sources, and no links."""
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    root = tmp_path / "home"
    for folder in (".git", ".gatepost", "src", "tasks/auth.tsk"):
        (root / folder).mkdir(parents=True)
    for file in (".gatepost/gatepost.db", "README.md", "src/main.py", "tasks/auth.tsk/goals.md"):
        (root / file).write_text("x\n")
    return Project(root)


@pytest.mark.requirement("guard.hook.mere-text")
def test_what_an_agent_types_all_day_meets_no_objection(home: Project) -> None:
    assert {command: home.runs(command) for command in PASSES} == dict.fromkeys(PASSES)


@pytest.mark.requirement("guard.hook.shell-words")
def test_a_command_that_differs_little_but_reaches_a_package_is_denied(home: Project) -> None:
    assert {command: home.runs(command) for command in DENIED} == dict.fromkeys(DENIED, CLOSED)


@pytest.mark.requirement("guard.hook.shell-words", "guard.hook.mere-text")
@given(
    flags=st.text(alphabet="vFiwnrlcoqshHLEGPTUZabxz", min_size=1, max_size=4),
    apart=st.booleans(),
    program=st.sampled_from(["grep", "git grep", "timeout 5 grep", "env X=1 grep"]),
)
def test_a_flag_without_a_value_never_makes_a_pattern_of_a_path(flags: str, apart: bool, program: str) -> None:
    options = " ".join(f"-{flag}" for flag in flags) if apart else f"-{flags}"
    shell = {"cwd": "/", "tool_name": "Bash"}

    reading = {"command": f"{program} {options} foo tasks/auth.tsk/goals.md"}
    speaking = {"command": f"{program} {options} auth.tsk README.md"}

    assert verdict(encoded({**shell, "tool_input": reading}))
    assert verdict(encoded({**shell, "tool_input": speaking})) == ""


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("mcp__x__search", {"query": "a", "max_files": 10}),
        ("mcp__browser__click", {"target": 12}),
        ("mcp__x__move", {"targets": [1, 2.5, None, True]}),
        ("mcp__x__y", {"path": None}),
    ],
)
def test_a_number_is_no_path_whatever_it_is_called(home: Project, tool: str, given: dict[str, object]) -> None:
    assert home.asks(tool, given) is None


@pytest.mark.requirement("guard.hook.shell-words")
@pytest.mark.parametrize("key", ["code", "source_code", "script", "source", "expression"])
def test_a_program_among_the_arguments_is_looked_into(home: Project, key: str) -> None:
    reads = "import os\nprint(open('tasks/auth.tsk/goals.md').read())\n"
    harmless = "rows = [row.tsk for row in rows if name.endswith('.tsk')]\nprint(rows)\n"

    assert home.asks("mcp__ide__run", {key: reads}) == CLOSED
    assert home.asks("mcp__ide__run", {key: [reads]}) == CLOSED
    assert home.asks("mcp__ide__run", {key: harmless}) is None


def test_a_script_for_a_shell_is_judged_as_one(home: Project) -> None:
    assert home.asks("mcp__ops__run", {"script": "cd tasks\nX=$(date)\ncat */goals.md"}) == CLOSED
    assert home.asks("mcp__ops__run", {"script": "cd src\ncat *.py | grep -v auth.tsk > /tmp/x"}) is None


@pytest.mark.parametrize("pattern", ["**/*.tsk", "tasks/*.tsk", "**/*.TSK", "**/*.{tsk,md}", "*/*.py", "*\\.tsk"])
def test_a_listing_may_ask_for_the_names_of_packages(home: Project, pattern: str) -> None:
    assert home.asks("Glob", {"pattern": pattern}) is None


@pytest.mark.requirement("guard.hook.file-paths")
@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Glob", {"pattern": "**/*.tsk/*"}),
        ("Glob", {"pattern": "**/*.tsk/**"}),
        ("Glob", {"pattern": "tasks/*/*"}),
        ("Glob", {"pattern": "**/{x,auth.tsk/goals}.md"}),
        ("Glob", {"pattern": "tasks\\auth.tsk\\goals.md"}),
        ("Glob", {"pattern": "tasks/auth.ts\\k/goals.md"}),
        ("Glob", {"pattern": "tasks/auth.tsk\uff0fgoals.md"}),
        ("Glob", {"pattern": "[.]gatepost/*"}),
        ("LS", {"path": ".", "pattern": "tasks/auth.tsk/*"}),
        ("LS", {"path": "tasks/auth.tsk"}),
        ("Grep", {"pattern": "x", "glob": "**/*.tsk"}),
        ("read_many_files", {"include": ["**/*.tsk"]}),
    ],
)
def test_no_listing_shows_what_is_inside_and_no_search_reads_it(
    home: Project, tool: str, given: dict[str, object]
) -> None:
    assert home.asks(tool, given) == CLOSED


@pytest.mark.requirement("guard.hook.file-paths")
def test_a_path_too_long_to_open_is_judged_by_its_names(project: Project) -> None:
    far = "a/" * 100_000

    assert project.asks("Read", {"file_path": f"{far}x.tsk"}) == CLOSED
    assert project.asks("Read", {"file_path": far + "../" * 100_000 + "link/goals.md"}) == CLOSED
    assert project.asks("Read", {"file_path": f"{far}x.md"}) is None


def test_the_disk_is_asked_no_more_for_a_longer_path(home: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    look = os.lstat

    def counted(path: str) -> os.stat_result:
        asked.append(path)
        return look(path)

    monkeypatch.setattr(os, "lstat", counted)

    assert home.runs("cat " + " ".join(["a/" * 2_000, "b/" * 2_000, "c/" * 20_000] * 4)) is None

    assert len(asked) < 20_000
