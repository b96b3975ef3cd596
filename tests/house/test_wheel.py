"""The built wheel, installed elsewhere, is whole."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with nothing but our own wheel in it."""
    built, folder = tmp_path_factory.mktemp("built"), tmp_path_factory.mktemp("installed")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(built)]
    subprocess.run(build, cwd=ROOT, check=True, timeout=240)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    (wheel,) = built.glob("gatepost-*.whl")
    subprocess.run([*pip, "install", "--no-deps", "--target", str(folder), str(wheel)], check=True, timeout=120)
    return folder


def test_an_installed_wheel_answers_calls_and_lists_its_tools(installed: Path, tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(installed)}
    where = "import gatepost, sys; sys.stdout.write(gatepost.__file__)"
    create = ["call", "tasks_create", '{"kind": "task", "title": "From a wheel"}', "--workspace", "acme/repo"]
    scaffold = ["call", "tasks_scaffold", '{"template": "bugfix", "title": "Too"}', "--workspace", "acme/repo"]
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/list",
        "params": {
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            }
        },
    }

    def run(*arguments: str, given: str = "") -> str:
        done = subprocess.run(
            [sys.executable, *arguments], input=given, capture_output=True, text=True, env=environment, cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert Path(run("-c", where)).parent.parent == installed
    assert json.loads(run("-m", "gatepost", *create))["id"] == "TASK-001"
    assert json.loads(run("-m", "gatepost", *scaffold))["id"] == "TASK-002"
    listed = json.loads(run("-m", "gatepost", "mcp", given=json.dumps(hello) + "\n"))
    assert "tasks_radar" in [tool["name"] for tool in listed["result"]["tools"]]
    assert (installed / "gatepost" / "py.typed").exists()
