"""A release can be built from what is locked, and only when version, changelog and tag agree."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from docs import release
from gatepost.__main__ import main

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = {
    "runtime": PYPROJECT["project"]["dependencies"],
    "dev": [*PYPROJECT["project"]["dependencies"], *PYPROJECT["dependency-groups"]["dev"]],
    "site": PYPROJECT["dependency-groups"]["site"],
    "installer": ["uv"],
}


def pins(name: str) -> dict[str, str]:
    """The versions that a lock file pins."""
    lines = (ROOT / f"requirements/{name}.txt").read_text(encoding="utf-8").splitlines()
    return {found[1]: found[2] for line in lines if (found := release.PINNED.match(line))}


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_satisfies_every_requirement_of_the_project(name: str) -> None:
    pinned = pins(name)

    for text in LOCKS[name]:
        required = Requirement(text)
        assert required.specifier.contains(pinned[canonicalize_name(required.name)]), f"{text}: run `make lock`"


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_names_hashes_and_no_place(name: str) -> None:
    text = (ROOT / f"requirements/{name}.txt").read_text(encoding="utf-8")

    packages = re.split(r"^(?=\S)", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE)[1:]
    assert len(packages) == len(pins(name))
    assert all("--hash=sha256:" in package for package in packages)
    assert "://" not in text


def test_runtime_and_development_run_on_the_same_versions() -> None:
    assert pins("runtime").items() <= pins("dev").items()


def test_the_bill_of_materials_lists_every_locked_package_with_its_hashes() -> None:
    bom = release.bill_of_materials(release.LOCK.read_text(encoding="utf-8"))

    assert {part["name"]: part["version"] for part in bom["components"]} == pins("runtime")
    assert all(part["hashes"] for part in bom["components"])
    assert bom["metadata"]["component"]["purl"] == f"pkg:pypi/gatepost@{release.version()}"


def test_a_release_needs_a_dated_changelog_a_free_tag_and_the_repository_that_it_names() -> None:
    dated, undated = "# Changelog\n\n## 1.2.0 (2026-12-01)\n", "# Changelog\n\n## 1.2.0 (unreleased)\n"
    ours = PYPROJECT["project"]["urls"]["Repository"]

    assert list(release.problems("1.2.0", dated, ["v1.1.0"], ours)) == []
    assert (
        list(release.problems("1.2.0", dated, [], f"git@{ours.removeprefix('https://').replace('/', ':', 1)}.git"))
        == []
    )
    assert "no dated section for 1.2.0" in "".join(release.problems("1.2.0", undated, [], ours))
    assert "The tag v1.2.0 exists" in "".join(release.problems("1.2.0", dated, ["v1.2.0"], ours))
    assert "Correct project.urls" in "".join(release.problems("1.2.0", dated, [], ours + "-fork"))


def test_every_supported_python_is_named_and_tried() -> None:
    named = re.findall(r":: Python :: (3\.\d+)$", "\n".join(PYPROJECT["project"]["classifiers"]), re.MULTILINE)
    workflow = (ROOT / ".github/workflows/check.yml").read_text(encoding="utf-8")

    assert named == ["3.11", "3.12", "3.13", "3.14"]
    assert all(f'"{python}"' in workflow for python in named)
    assert {"ubuntu-latest", "macos-latest"} <= set(re.findall(r"\w+-latest", workflow))


def test_every_supported_system_is_named_and_tried_and_the_others_are_told_at_once_where_it_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    named = [line for line in PYPROJECT["project"]["classifiers"] if line.startswith("Operating System :: ")]
    with monkeypatch.context() as on_windows:
        on_windows.setattr("os.name", "nt")
        on_windows.setattr("sys.argv", ["gatepost", "up"])
        code = main()
    said = capsys.readouterr()

    assert named == ["Operating System :: MacOS", "Operating System :: POSIX :: Linux"]
    assert (code, said.out) == (1, "")
    assert said.err.startswith("gatepost: Gatepost runs on Linux and macOS: ")
    assert "WSL" in said.err


def test_the_page_is_checked_by_the_same_tools_in_hosted_runs_and_before_a_commit() -> None:
    workflow = (ROOT / ".github/workflows/check.yml").read_text(encoding="utf-8")
    before_a_commit = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8")

    assert all("postgresql" in line for line in workflow.splitlines() if re.search(r"(apt-get|brew) install", line))
    assert "test -e node_modules/.ready" in workflow
    for tool in re.findall(r"node_modules/\.bin/\w+", recipe):
        assert tool in before_a_commit
