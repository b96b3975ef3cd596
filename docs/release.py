"""Build a release in `dist/`: the wheel, the source archive, an SBOM and hashes, if version and changelog agree.

The SBOM is CycloneDX 1.6 and lists the locked runtime dependencies with their hashes.
"""

import hashlib
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
LOCK = ROOT / "requirements/runtime.txt"
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==(\S+?)(?: ; (.+?))? \\$")
HASHED = re.compile(r"^\s+--hash=sha256:([0-9a-f]{64})")
DATED = r"^## {} \(\d{{4}}-\d{{2}}-\d{{2}}\)$"


def version() -> str:
    """The version in pyproject.toml."""
    found: str = _project()["version"]
    return found


def problems(version: str, changelog: str, tags: list[str], origin: str) -> Iterator[str]:
    """The reasons why a version cannot be released, each with the way to fix it."""
    repository = _project()["urls"]["Repository"]
    if not re.search(repository.split("://")[1].replace("/", "[/:]", 1) + r"(\.git)?$", origin):
        yield f"pyproject.toml names {repository}, and `origin` is {origin or 'not set'}. Correct project.urls."
    if not re.search(DATED.format(re.escape(version)), changelog, re.MULTILINE):
        yield f"CHANGELOG.md has no dated section for {version}. Write its heading as `## {version} (YYYY-MM-DD)`."
    if f"v{version}" in tags:
        yield f"The tag v{version} exists. Raise the version in pyproject.toml and src/gatepost/__init__.py."


def bill_of_materials(lock: str) -> dict[str, Any]:
    """The components of a release as CycloneDX JSON."""
    project = _project()
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": f"pkg:pypi/gatepost@{project['version']}",
                "name": "gatepost",
                "version": project["version"],
                "purl": f"pkg:pypi/gatepost@{project['version']}",
                "licenses": [{"license": {"id": project["license"]}}],
            }
        },
        "components": list(_components(lock)),
    }


def _components(lock: str) -> Iterator[dict[str, Any]]:
    found: dict[str, Any] = {}
    for line in lock.splitlines():
        pinned, hashed = PINNED.match(line), HASHED.match(line)
        if pinned:
            if found:
                yield found
            purl = f"pkg:pypi/{pinned[1]}@{pinned[2]}"
            found = {"type": "library", "bom-ref": purl, "name": pinned[1], "version": pinned[2], "purl": purl}
            found["properties"] = [{"name": "gatepost:marker", "value": pinned[3]}] if pinned[3] else []
        elif hashed:
            # One hash for each file of the distribution, since the lock covers several platforms.
            found.setdefault("hashes", []).append({"alg": "SHA-256", "content": hashed[1]})
    if found:
        yield found


def _project() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project: dict[str, Any] = tomllib.load(file)["project"]
    return project


def _git(*arguments: str) -> str:
    return subprocess.run(  # noqa: S603 - git, with arguments of our own
        ["git", *arguments],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def main() -> int:
    """Build everything, unless something is missing."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    origin = _git("config", "--default", "", "--get", "remote.origin.url").strip()
    found = list(problems(version(), changelog, _git("tag").split(), origin))
    if _git("status", "--porcelain"):
        found.append("The working tree has changes. Commit them first.")
    if found:
        print("\n".join(found), file=sys.stderr)
        return 1
    for target in ("sdist", "wheel"):
        subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", target], cwd=ROOT, check=True)  # noqa: S603
    bom = json.dumps(bill_of_materials(LOCK.read_text(encoding="utf-8")), indent=2) + "\n"
    (DIST / f"gatepost-{version()}.cdx.json").write_text(bom, encoding="utf-8")
    built = sorted(path for path in DIST.iterdir() if f"-{version()}" in path.name)
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in built)
    (DIST / "SHA256SUMS").write_text(sums, encoding="utf-8")
    print(f"{sums}\nBuilt in dist/. Next: docs/releasing.md, from step 4.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
