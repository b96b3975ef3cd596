"""Which tools a server lists, and the instructions that go with them."""

from __future__ import annotations

import os

from gatepost.settings import BadSettings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

CORE = "core"
_FILE_TOOLS = "file_"
_TASKDOC_TOOLS = ("recall_mind", "change_mind")
"""What the refusals of file tools name."""


def chosen(
    listing: dict[str, Any], tools: str, *, bound: str | None = None, default: str | None = None
) -> list[dict[str, Any]]:
    """The tools of one or several sets, or single tools by name, separated by commas.

    A server that is bound to a workspace does not list that argument; with a default it can be left out.
    """
    unlisted = listing["unlisted"] if tools.strip() == CORE else {}
    found = [entry["tool"] for entry in listing["tools"] if entry["tool"]["name"] in _names(listing, tools)]
    if not (unlisted or default):
        return found
    return [_fitted(tool, unlisted.get(tool["name"], ()), bound=bound, default=default) for tool in found]


def instructions(
    listing: dict[str, Any], listed: Collection[str], *, knows_workspace: bool, has_packages: bool = False
) -> str:
    """The sentences that name only listed tools, and say only what matters in this project."""
    lines = listing["instructions"]
    if has_packages or any(name.startswith(_FILE_TOOLS) for name in listed):
        lines = [*lines, listing["package_rule"]]
    said = [line["text"] for line in lines if all(name in listed for name in line["names"])]
    return " ".join(said if knows_workspace else [*said, listing["workspace_rule"]])


def has_packages(root: str) -> bool:
    """Whether a project has taskdoc packages. Costs one look at the names in their folder."""
    try:
        return any(name.endswith(".tsk") for name in os.listdir(os.path.join(root, "tasks")))
    except OSError:
        return False


def _names(listing: dict[str, Any], tools: str) -> set[str]:
    """The names that were asked for, and those that the answers of these tools name."""
    listed, sets = listing["tools"], listing["sets"]
    wanted = {name.strip() for name in tools.split(",")} - {""}
    unknown = sorted(wanted - {*sets, *(entry["tool"]["name"] for entry in listed)})
    if unknown or not wanted:
        raise BadSettings(
            f"--tools {tools}: {', '.join(unknown) or 'nothing'} is not a tool set; the sets are {', '.join(sets)}."
        )
    names = {entry["tool"]["name"] for entry in listed if wanted & {*entry["toolsets"], entry["tool"]["name"]}}
    if any(name.startswith(_FILE_TOOLS) for name in names):
        names.update(_TASKDOC_TOOLS)
    if names.isdisjoint(listing["looks"]):
        names.add(listing["looks"][0])
    return names


def _fitted(
    tool: dict[str, Any], unlisted: Collection[str], *, bound: str | None, default: str | None
) -> dict[str, Any]:
    schema = tool["inputSchema"]
    known = ("workspace",) if default else ()
    hidden = {*unlisted, *(known if bound else ())}
    properties = {name: item for name, item in schema["properties"].items() if name not in hidden}
    required = [name for name in schema.get("required", ()) if name not in known]
    fitted = {**schema, "properties": properties, "required": required}
    if not required:
        del fitted["required"]
    return {**tool, "inputSchema": fitted}
