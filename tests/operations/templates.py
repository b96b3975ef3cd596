"""What the tests of templates start from: the six names, the list by name, and files in a project's folder."""

from pathlib import Path
from typing import Any

from tests.givens import World

NAMES = ["bugfix", "feature", "migration", "refactor", "release", "research"]


def listed(world: World, **arguments: Any) -> dict[str, dict[str, Any]]:
    """The rows of the list, by name."""
    return {row["name"]: row for row in world.ok("tasks_templates_list", **arguments)["items"]}


def write(world: World, root: Path, **files: str | bytes) -> Path:
    """Put template files into the world's project."""
    folder = root / ".gatepost" / "templates"
    folder.mkdir(parents=True, exist_ok=True)
    world.engine.home = str(folder.parent)
    for name, content in files.items():
        data = content.encode() if isinstance(content, str) else content
        (folder / f"{name}.toml").write_bytes(data)
    return folder
