"""Command lines, and how a project runs its tools: by a wrapper, or by the owner of its lock file."""

from typing import Final

from gatepost.digest.findings import Origin, ProjectCommand, Purpose
from gatepost.digest.knowledge import KNOWN
from gatepost.digest.project import Project, joined, string, table
from gatepost.digest.sanitizer import quoted

_LONGEST: Final = 120


def command(
    purpose: Purpose, text: str, place: str, file: str, *, origin: Origin, name: str = "", runs: str = ""
) -> ProjectCommand:
    """A command from a file in a directory, made safe to quote."""
    return ProjectCommand(
        purpose=purpose,
        text=quoted(text, _LONGEST),
        source=quoted(joined(place, file), _LONGEST),
        origin=origin,
        name=name,
        runs=quoted(runs, _LONGEST),
        places=(quoted(place, _LONGEST),) if place else (),
    )


def called(project: Project, place: str) -> dict[str, str]:
    """The values for the names in braces in our commands, for a directory."""
    names = project.names(place)
    tables = table(project.at("pyproject.toml tool", place))
    python = next((held for held in KNOWN.python_runners if held.lock in names or held.tool in tables), None)
    node = _node(project, place)
    return {
        "node": node,
        "npx": "npx " if node == "npm" else f"{node} ",
        "python": python.run if python else "",
        "install": python.install if python else "pip install -e .",
        "build": python.build if python else "python -m build",
        "gradle": "./gradlew" if "gradlew" in names else "gradle",
        "mvn": "./mvnw" if "mvnw" in names else "mvn",
        "rake": "bundle exec rake" if "Gemfile" in names else "rake",
    }


def _node(project: Project, place: str) -> str:
    """The package manager by its lock file, here or at the root, or as named in a manifest."""
    for home in dict.fromkeys((place, "")):
        named = string(project.at("package.json packageManager", home)).split("@")[0]
        if named in ("npm", "pnpm", "yarn", "bun"):
            return named
        for lock, runner in KNOWN.node_locks.items():
            if project.has(joined(home, lock)):
                return runner
    return "npm"
