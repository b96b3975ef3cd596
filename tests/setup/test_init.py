"""`gatepost init` and `--remove`: what is there stays, what is added can be taken out again."""

import json
import os
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from gatepost import __version__
from gatepost.checks.trust import Trust
from gatepost.surfaces.cli.main import run
from gatepost.surfaces.setup.clients import CLIENTS, NAMES, files
from gatepost.surfaces.setup.file_edits import EditedFile
from gatepost.surfaces.setup.json_spans import CannotMerge, read
from tests.cli.terminals import gatepost as command
from tests.cli.terminals import seated
from tests.setup.configurations import CONFIGURATIONS
from tests.setup.givens import init

HOOKS = {"session-start", "pre-tool", "post-tool", "pre-compact", "stop"}

Init = Callable[..., int]


def everything(root: Path) -> dict[str, bytes | None]:
    """Every file and folder, with its bytes."""
    found = {path.relative_to(root).as_posix(): path for path in root.rglob("*")}
    return {name: path.read_bytes() if path.is_file() else None for name, path in found.items()}


def furnish(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode())


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_init_and_remove_leave_a_project_byte_for_byte_as_it_was(project: Path, name: str) -> None:
    furnish(project, CONFIGURATIONS[name])
    before = everything(project)
    problem = name == "what cannot be edited"

    assert init("--client", "all") == (4 if problem else 0)
    after = everything(project)
    assert init("--client", "all") == (4 if problem else 0)

    assert everything(project) == after  # twice is once
    for file, data in before.items():
        assert data is None or len(after[file] or b"") >= len(data)
    for file, data in after.items():
        if file.endswith(".json") and data is not None and not (problem and "mcp.json" in file):
            read(data.decode())
        if file.endswith(".toml") and data is not None:
            tomllib.loads(data.decode())
    assert init("--remove") == 0
    assert everything(project) == before


def test_every_client_gets_its_server_its_hooks_and_instructions(project: Path) -> None:
    assert init("--client", "all") == 0

    servers = {
        ".mcp.json": "mcpServers",
        ".cursor/mcp.json": "mcpServers",
        ".vscode/mcp.json": "servers",
        ".gemini/settings.json": "mcpServers",
    }
    for file, key in servers.items():
        server = json.loads((project / file).read_text())[key]["gatepost"]
        assert os.access(server["command"], os.X_OK)
        assert Path(server["command"]).is_absolute()
        assert server["args"][0] == "mcp"
    codex = tomllib.loads((project / ".codex/config.toml").read_text())["mcp_servers"]["gatepost"]
    assert os.access(codex["command"], os.X_OK)
    hooks = dict.fromkeys((".claude/settings.json", ".codex/hooks.json", ".cursor/hooks.json"), HOOKS)
    hooks |= dict.fromkeys((".gemini/settings.json", ".github/hooks/gatepost.json"), HOOKS - {"pre-compact"})
    for file, wanted in hooks.items():
        text = (project / file).read_text()
        assert {hook for hook in HOOKS if f"gatepost hook {hook}" in text} == wanted
    assert json.loads((project / ".claude/settings.json").read_text())["permissions"]["deny"]
    for file in ("AGENTS.md", "CLAUDE.md", "GEMINI.md"):
        assert "tasks_radar" in (project / file).read_text()


def test_comments_and_layout_stay_around_what_is_added(project: Path) -> None:
    furnish(
        project, CONFIGURATIONS["comments and trailing commas"] | CONFIGURATIONS["permissions and hooks of its own"]
    )

    init("--client", "vscode", "--client", "claude")

    code = (project / ".vscode/mcp.json").read_text()
    assert code.startswith(
        '// Our servers.\n{\n    "servers": {\n        "other": { "command": "npx" }, // keep me\n'
    )
    assert '\n        "gatepost": {\n            "type": "stdio",\n' in code
    assert "/* and me */" in code
    claude = json.loads((project / ".claude/settings.json").read_text())
    assert claude["permissions"]["deny"][0] == "Read(./.env)"
    assert len(claude["hooks"]["PreToolUse"]) == 2
    assert claude["model"] == "opus"


def test_a_hook_line_does_nothing_where_gatepost_is_missing(project: Path) -> None:
    init("--client", "copilot")

    text = (project / ".github/hooks/gatepost.json").read_text()
    line: str = json.loads(text)["hooks"]["preToolUse"][0]["bash"]
    program = line.split()[3]
    assert Path(program).is_absolute()
    missing = line.replace(program, "/nowhere/gatepost")

    done = subprocess.run(["sh", "-c", missing], input=b"{}", capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_what_others_changed_since_stays_when_init_takes_out_its_own(project: Path) -> None:
    init("--client", "all")
    mcp = json.loads((project / ".mcp.json").read_text())
    mcp["mcpServers"]["other"] = {"command": "npx"}
    (project / ".mcp.json").write_text(json.dumps(mcp))  # another server, and another layout
    (project / "AGENTS.md").write_text((project / "AGENTS.md").read_text() + "\nRun the tests.\n")
    (project / ".codex/config.toml").write_text('model = "o4"\n' + (project / ".codex/config.toml").read_text())
    hooks = json.loads((project / ".cursor/hooks.json").read_text())
    hooks["hooks"]["stop"].append({"command": "./mine.sh"})
    (project / ".cursor/hooks.json").write_text(json.dumps(hooks, indent=4))

    assert init("--remove") == 0

    assert json.loads((project / ".mcp.json").read_text()) == {"mcpServers": {"other": {"command": "npx"}}}
    assert (project / "AGENTS.md").read_text() == "\nRun the tests.\n"
    assert (project / ".codex/config.toml").read_text() == 'model = "o4"\n'
    left = {"version": 1, "hooks": {"stop": [{"command": "./mine.sh"}]}}
    assert json.loads((project / ".cursor/hooks.json").read_text()) == left
    assert not (project / "CLAUDE.md").exists()


def test_one_client_is_removed_and_files_that_others_read_stay(project: Path) -> None:
    init("--client", "claude", "--client", "copilot", "--client", "codex")

    assert init("--remove", "--client", "copilot", "--client", "codex") == 0

    assert {path.name for path in project.iterdir()} == {
        ".git",
        ".mcp.json",
        ".claude",
        "CLAUDE.md",
        "gatepost.toml",
    }
    assert init("--remove") == 0
    assert {path.name for path in project.iterdir()} == {".git"}


def test_print_shows_the_changes_and_writes_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = everything(project.parent)

    assert run(["init", "--client", "claude", "--print"]) == 0

    shown = capsys.readouterr().out
    assert "+++ .mcp.json" in shown
    assert '+workspace = "acme-shop"' in shown
    assert everything(project.parent) == before
    assert run(["init", "--remove", "--print"]) == 0
    assert everything(project.parent) == before


def test_without_a_terminal_it_needs_a_yes(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = everything(project)

    assert run(["init", "--client", "claude"]) == 2

    assert "Add --yes" in capsys.readouterr().err
    assert everything(project) == before


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("git@github.com:acme/shop.git", "acme/shop"),
        ("https://user:token@example.org/group/sub/shop/", "sub/shop"),
        ("ssh://git@example.org:2222/acme/shop.git", "acme/shop"),
        ("/srv/git/shop.git", "acme-shop"),
        ("https://example.org/../..", "acme-shop"),
    ],
)
def test_the_workspace_is_named_after_the_remote_or_the_folder(project: Path, url: str, name: str) -> None:
    subprocess.run(["git", "init", "-q", "."], check=True)
    subprocess.run(["git", "config", "remote.origin.url", url], check=True)

    init("--client", "claude")

    assert tomllib.loads((project / "gatepost.toml").read_text())["workspace"] == name


def test_the_projects_own_commands_are_proposed_as_checks_and_wait_for_trust(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "Makefile").write_text("check:\n\ttrue\n")

    init("--client", "claude")

    assert tomllib.loads((project / "gatepost.toml").read_text())["checks"]["allow"] == ["make check"]
    assert "Checks run once you trust gatepost.toml:  gatepost trust" in capsys.readouterr().out
    assert run(["check", "--help"]) == 0


def test_a_person_at_a_terminal_is_asked_for_the_files_and_then_for_trust(project: Path) -> None:
    (project / "Makefile").write_text("check:\n\ttrue\n")
    before = everything(project)

    with seated(command("init", "--client", "claude")) as seat:
        listed = seat.until(lambda text: "[y/N]" in text)
        seat.type("n\n")
        assert "Nothing was changed." in seat.rest()
    assert everything(project) == before
    with seated(command("init", "--client", "claude")) as seat:
        seat.until(lambda text: "[y/N]" in text)
        seat.type("y\n")
        asked = seat.until(lambda text: text.count("[y/N]") == 2)
        seat.type("y\n")
        told = seat.rest()

    assert "create     gatepost.toml" in listed
    assert "lets agents run make check" in asked
    assert "Trusted." in told
    assert "Say to your agent:" in told
    assert Trust(str(project)).refused(["make", "check"]) is None


def test_an_agent_cannot_allow_commands_by_init(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    before = everything(project.parent)

    assert init("--client", "claude", "--allow", "pytest") == 2

    assert "agent's shell" in capsys.readouterr().err
    assert everything(project.parent) == before


def test_a_link_out_of_the_project_is_not_followed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outside = project.parent / "outside.json"
    outside.write_text("{}")
    (project / ".mcp.json").symlink_to(outside)

    assert init("--client", "claude") == 4

    assert outside.read_text() == "{}"
    assert ".mcp.json is a link that leads out of this folder" in capsys.readouterr().out


def test_the_home_folder_is_no_project(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(project))

    assert init("--client", "claude") == 2
    assert "is not a project" in capsys.readouterr().err


def test_where_nothing_can_be_recorded_nothing_is_written(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project.parent / "file").write_text("")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(project.parent / "file"))
    before = everything(project)

    assert init("--client", "claude") == 1

    assert "cannot be written: Not a directory" in capsys.readouterr().err
    assert everything(project) == before


def test_an_entry_whose_program_is_gone_is_replaced_and_comes_back_on_removal(project: Path) -> None:
    stale = '{"mcpServers": {"gatepost": {"command": "/gone/gatepost", "args": ["mcp"]}}}'
    (project / ".mcp.json").write_text(stale)

    init("--client", "claude")
    assert "/gone" not in (project / ".mcp.json").read_text()

    init("--remove")
    assert (project / ".mcp.json").read_text() == stale


def test_clients_are_found_by_their_files_in_the_project(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / ".cursor").mkdir()
    (project / "GEMINI.md").write_text("# Gemini\n")

    init("--json")

    paths = {file["path"] for file in json.loads(capsys.readouterr().out)["files"]}
    assert {".cursor/mcp.json", ".gemini/settings.json"} <= paths
    assert not paths & {".mcp.json", ".vscode/mcp.json", ".codex/config.toml"}
    assert {"claude", "codex"} <= set(NAMES)


@pytest.mark.parametrize(
    "text", ["{", "[1,,2]", '{"a" 1}', "nul", '{"a": 1} x', "[" * 500, '{"a": "\n"}', "{1: 2}", '{"\\q": 1}']
)
def test_what_is_not_json_is_refused_and_not_guessed(text: str) -> None:
    with pytest.raises(CannotMerge):
        read(text)


def test_the_plugin_has_what_init_writes_for_claude_code() -> None:
    plugin = Path(__file__).parents[2] / "integrations" / "claude-code"
    written = {file.path: EditedFile("") for file in files(CLIENTS[0], ["gatepost"])}
    for file in files(CLIENTS[0], ["gatepost"]):
        written[file.path].make(file.edits)
    settings = json.loads(written[".claude/settings.json"].edited.text)

    assert json.loads((plugin / ".mcp.json").read_text()) == json.loads(written[".mcp.json"].edited.text)
    assert json.loads((plugin / "hooks/hooks.json").read_text()) == {"hooks": settings["hooks"]}
    assert json.loads((plugin / ".claude-plugin/plugin.json").read_text())["version"] == __version__
