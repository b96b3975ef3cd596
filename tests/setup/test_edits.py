"""Edits by text: whatever a file looks like, what it said stays, and every byte comes back."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gatepost.surfaces.setup.clients import AddItem, SetMember
from gatepost.surfaces.setup.file_edits import EditedFile, restored
from gatepost.surfaces.setup.install_record import WrittenFile
from gatepost.surfaces.setup.json_spans import read

SERVER = {"command": "/usr/bin/gatepost", "args": ["mcp"]}
EDITS = (
    SetMember(("mcpServers", "gatepost"), SERVER),
    AddItem(("permissions", "deny"), "Read(**/*.tsk/**)"),
    AddItem(("hooks", "Stop"), {"hooks": [{"type": "command", "command": "gatepost hook stop"}]}, "stop"),
)
PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=6)
NAMES = st.sampled_from(["a", "b c", 'q"', "ü", "//", "other"])
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3), max_leaves=4)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=3)
FILES = st.fixed_dictionaries(
    {},
    optional={
        "mcpServers": OBJECTS,
        "permissions": st.fixed_dictionaries({}, optional={"deny": st.lists(st.text(max_size=4), max_size=3)}),
        "hooks": st.fixed_dictionaries({}, optional={"Stop": st.lists(OBJECTS, max_size=2), "Other": OBJECTS}),
        "zoom": PLAIN,
    },
)
COMMENTS = st.sampled_from(["", " // yes", " /* no */", "\n// own line"])


@st.composite
def texts(draw: st.DrawFn) -> str:
    """JSON as people lay it out: on one line or many, with comments, and commas that only some readers take."""
    indent = draw(st.sampled_from([None, 1, 2, 4, "\t"]))
    lines = json.dumps(draw(FILES), indent=indent, ensure_ascii=draw(st.booleans())).split("\n")
    if len(lines) > 1:
        lines = [line + draw(COMMENTS) for line in lines]
        if draw(st.booleans()) and not lines[-2].rstrip().endswith(("{", "*/", "yes", "line")):
            lines[-2] += ","
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    return newline.join(lines).replace("\r\n", "\n").replace("\n", newline) + draw(st.sampled_from(["", newline]))


def made(text: str) -> tuple[EditedFile, WrittenFile]:
    edited = EditedFile(text)
    edited.make(EDITS)
    splices = tuple(edited.edited.splices)
    return edited, WrittenFile("x", (), splices, tuple(edited.members), tuple(edited.items))


def merged(found: dict[str, Any]) -> dict[str, Any]:
    """What a file should say with the edits."""
    servers = {**found.get("mcpServers", {}), "gatepost": SERVER}
    permissions, hooks = found.get("permissions", {}), found.get("hooks", {})
    denied, stops = [*permissions.get("deny", []), EDITS[1].item], [*hooks.get("Stop", []), EDITS[2].item]
    lists = {"permissions": {**permissions, "deny": denied}, "hooks": {**hooks, "Stop": stops}}
    return {**found, "mcpServers": servers, **lists}


@given(texts())
def test_what_was_said_stays_what_is_added_is_there_and_every_byte_comes_back(text: str) -> None:
    edited, written = made(text)

    assert read(edited.edited.text).value == merged(read(text).value)
    again = EditedFile(edited.edited.text)
    again.make(EDITS)
    assert again.edited.splices == []
    assert restored(edited.edited.text, written) == (text, True)


@given(texts())
def test_a_file_that_somebody_laid_out_anew_loses_only_what_was_added(text: str) -> None:
    edited, written = made(text)
    laid_out = json.dumps(read(edited.edited.text).value | {"new": 1}, indent=3)

    left, whole = restored(laid_out, written)

    assert left is not None
    assert whole
    assert read(left).value == read(text).value | {"new": 1}
