"""The built wheel, installed elsewhere, is whole."""

import json
import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TASK = '{"workspace": "acme/repo", "kind": "task", "title": "From a wheel"}'


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our own wheel, built once."""
    built = tmp_path_factory.mktemp("built")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(built)]
    subprocess.run(build, cwd=ROOT, check=True, timeout=240)
    (made,) = built.glob("gatepost-*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel in it, as pipx makes one. What it requires comes from the environment of
    the tests, so that nothing is downloaded; this clone, which is installed there too, cannot be imported."""
    fresh = tmp_path_factory.mktemp("installed")
    venv.create(fresh)
    pip = [sys.executable, "-m", "pip", "--python", str(fresh / "bin" / "python"), "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--no-index", str(wheel)], check=True, timeout=120)
    (packages,) = fresh.glob("lib/python*/site-packages")
    (packages / "required.pth").write_text(sysconfig.get_path("platlib") + "\n")
    return fresh


def test_an_installed_wheel_answers_calls_and_lists_its_tools(installed: Path, tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"]}
    where = "import gatepost, sys; sys.stdout.write(gatepost.__file__)"
    create = ["call", "tasks_create", TASK]
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
            [installed / "bin" / arguments[0], *arguments[1:]],
            input=given,
            capture_output=True,
            text=True,
            env=environment,
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    package = Path(run("python", "-c", where)).parent
    assert package.is_relative_to(installed)
    assert json.loads(run("gatepost", *create))["id"] == "TASK-001"
    assert json.loads(run("python", "-m", "gatepost", *scaffold))["id"] == "TASK-002"
    listed = json.loads(run("gatepost", "mcp", given=json.dumps(hello) + "\n"))
    assert "tasks_radar" in [tool["name"] for tool in listed["result"]["tools"]]
    assert (package / "py.typed").exists()


def test_uvx_runs_the_wheel_with_nothing_but_what_it_requires(wheel: Path, tmp_path: Path) -> None:
    """`uvx --from . gatepost` builds the same wheel. Offline, it finds what `make` has downloaded."""
    uvx = Path(sys.executable).with_name("uvx")
    if not uvx.exists():
        pytest.skip("uv is not installed: `make` could not install it")
    command = [str(uvx), "--offline", "--from", str(wheel), "gatepost", "call", "tasks_create", TASK]

    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120)

    if "network was disabled" in done.stderr:
        pytest.skip("uv has not downloaded what Gatepost requires: `make` installed with pip")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["id"] == "TASK-001"
