"""What an agent is told of real projects: their name, kind, commands and places."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from gatepost.digest.findings import Purpose
from gatepost.digest.markdown import best
from gatepost.digest.scan import Scan, scan

CORPUS = tomllib.loads((Path(__file__).parent / "corpus.toml").read_text(encoding="utf-8"))["project"]


def test_the_corpus_holds_at_least_twenty_projects_of_a_dozen_languages() -> None:
    assert len(CORPUS) >= 20
    assert len({project["headline"].split(": ")[1].split()[0] for project in CORPUS}) >= 12


@pytest.mark.requirement("workspace.digest.layout", "workspace.digest.commands")
@pytest.mark.parametrize("project", CORPUS, ids=[project["like"].split(":")[0] for project in CORPUS])
def test_the_headline_of_a_real_project_is_right(tmp_path: Path, project: dict[str, Any]) -> None:
    root = tmp_path / project["headline"].split(":")[0].rpartition("/")[2]
    plant_skeleton(root, project)

    found = scan(str(root))

    assert found.summary.startswith(f"{project['headline']}, {found.files} files. ")
    told = headline_commands(found)
    expected = project["commands"]
    assert {name: told.get(name, "") for name in expected} == expected
    assert set(told) <= {*expected, "set up"}, "more is told than the corpus expects"
    assert list(found.layout.code) == project["code"]
    assert list(found.layout.tests) == project["tests"]
    assert list(found.layout.docs) == project["docs"]
    for text in told.values():
        assert f"`{text}`" in found.summary


def plant_skeleton(root: Path, project: dict[str, Any]) -> None:
    """Write a project's manifests, and empty space of the given sizes for everything else."""
    for pair in project["sizes"].split():
        name, _, size = pair.rpartition(":")
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.truncate(int(size) * 1_000)
    for name, text in project["files"].items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def headline_commands(found: Scan) -> dict[str, str]:
    """The commands of the summary, by their purpose."""
    held = {purpose.value: best(found.commands, purpose) for purpose in Purpose if purpose is not Purpose.OTHER}
    return {name: command.text for name, command in held.items() if command is not None}
