"""The judges that run on Node: the official conformance suite and the Inspector, as `make` installs them."""

import json
import os
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

INSTALLED = Path(__file__).parents[2] / ".node" / "node_modules" / ".bin"
ENVIRONMENT = {**os.environ, "PATH": f"{INSTALLED}{os.pathsep}{os.environ['PATH']}"}
PATIENCE = 300
OLDEST_NODE = 22
WHEN = re.compile(r"-\d{4}-\d\d-\d\dT[\d-]+Z\Z")


def judge(name: str, *arguments: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run one, in a folder of the test's; where it cannot be had, the test is named at the end of the run."""
    if not (INSTALLED / name).exists():
        pytest.skip(
            f"the official {name} is not installed: `make test` gets it through npm, which failed or is absent"
        )
    if node_version() < OLDEST_NODE:
        pytest.skip(f"the official {name} needs Node {OLDEST_NODE} or later on the PATH")
    return subprocess.run(
        [str(INSTALLED / name), *arguments],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


@cache
def node_version() -> int:
    """The major version of the Node that judges would run on; 0 if there is none."""
    try:
        said = subprocess.run(["node", "--version"], env=ENVIRONMENT, capture_output=True, text=True)
    except FileNotFoundError:
        return 0
    return int(said.stdout.strip().lstrip("v").partition(".")[0] or 0)


def verdicts(folder: Path) -> dict[str, dict[str, str]]:
    """What the suite wrote down: for each scenario its checks, each with its status."""
    found: dict[str, dict[str, str]] = {}
    for path in folder.glob("server-*/checks.json"):
        scenario = WHEN.sub("", path.parent.name.removeprefix("server-"))
        checks: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
        found[scenario] = {check["id"]: check["status"] for check in checks}
    return found
