"""Resources of a fresh clone, whose packages are not in a store yet."""

import shutil
from pathlib import Path

import pytest

import gatepost
from gatepost.surfaces.mcp import resources
from tests.givens import WORKSPACE
from tests.mcp.test_resources import INBOX, RADAR, RELEASE, Desk, taskdoc


def test_a_fresh_clone_lists_its_taskdocs_page_by_page_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATEPOST_ROOT", str(tmp_path))
    with gatepost.connect(str(tmp_path / "gp.db"), synchronous="NORMAL") as gp:
        for name in ("billing", "release"):
            taskdoc(gp, name)
    clone = tmp_path / "clone"
    shutil.copytree(tmp_path / "tasks", clone / "tasks")
    before = {path: path.stat().st_mtime_ns for path in clone.rglob("*")}
    monkeypatch.setenv("GATEPOST_ROOT", str(clone))
    monkeypatch.setattr(resources, "PAGE", 1)
    desk = Desk(clone, workspace=WORKSPACE)

    assert desk.listed() == [RADAR, INBOX, RELEASE.replace("release", "billing"), RELEASE]
    assert "Ship it." in desk.text(RELEASE)
    assert {path: path.stat().st_mtime_ns for path in clone.rglob("*")} == before
