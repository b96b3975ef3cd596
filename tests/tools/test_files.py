"""The file tools of a section: the verbs over either home, with the words of the server's."""

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gatepost.domain.file_refusals import ReadOnlyFiles
from gatepost.domain.refusals import AlreadyExists, NotEmpty, NotFound
from gatepost.files.verbs import VERBS
from gatepost.runtime import Session
from gatepost.tools import (
    Filesystem,
    FileToolsSection,
    HostFilesystem,
    InMemoryFilesystem,
    ToolResult,
    ToolValidationError,
)

SECRET = "ghp_" + "a1" * 12

Call = Callable[..., ToolResult[Any]]


@pytest.fixture(params=["memory", "host"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Filesystem]:
    """A filesystem of each kind."""
    if request.param == "memory":
        yield InMemoryFilesystem()
    else:
        with HostFilesystem(tmp_path) as host:
            yield host


@pytest.fixture
def call(files: Filesystem) -> Call:
    """Call a tool of a section over that filesystem."""
    section = FileToolsSection(session=Session(), filesystem=files)
    named = {tool.name: tool for tool in section.tools}
    return lambda name, /, **arguments: named[name].call(arguments)


def shown(result: ToolResult[Any]) -> Any:
    """What a model is shown."""
    return json.loads(result.render())


def test_the_section_offers_every_verb_in_the_words_of_the_server() -> None:
    section = FileToolsSection(session=Session(), filesystem=InMemoryFilesystem())

    assert [(tool.name, tool.description) for tool in section.tools] == [(verb.name, verb.about) for verb in VERBS]
    assert len(section.tools) == 11
    assert "`file_*` tools" in section.render()


def test_each_verb_does_what_it_says(call: Call, files: Filesystem) -> None:
    call("file_write", path="src/a.py", content="import os\nprint(1)\n")
    call("file_write", path="src/a.py", content="# end\n", mode="append")
    call("file_mkdir", path="docs")
    edits = [{"old_string": "print(1)", "new_string": "print(2)"}]
    assert "-print(1)\n+print(2)\n" in shown(call("file_edit", path="src/a.py", edits=edits, dry_run=True))["diff"]
    assert shown(call("file_edit", path="src/a.py", edits=edits)) == {
        "path": "src/a.py",
        "size": 25,
        "changed": True,
        "added": 1,
        "removed": 1,
    }
    call("file_copy", source="src/a.py", target="docs/b.py")
    call("file_move", source="docs/b.py", target="docs/c.py")

    assert shown(call("file_read", path="src/a.py", offset=1, limit=1))["content"] == "print(2)\n"
    assert shown(call("file_stat", path="docs"))["kind"] == "directory"
    assert [row["path"] for row in shown(call("file_list"))["items"]] == ["docs", "src"]
    assert shown(call("file_glob", pattern="**/*.py"))["items"] == ["docs/c.py", "src/a.py"]
    assert shown(call("file_grep", pattern="^import", glob="src/*"))["items"] == [
        {"path": "src/a.py", "line": 1, "text": "import os"}
    ]
    call("file_delete", path="docs", recursive=True)
    assert list(files.glob("**")) == ["src", "src/a.py"]


def test_refusals_go_through_and_change_nothing(call: Call, files: Filesystem) -> None:
    files.write("d/a.txt", "a")

    with pytest.raises(NotFound):
        call("file_read", path="b.txt")
    with pytest.raises(AlreadyExists):
        call("file_write", path="d/a.txt", content="b", mode="create")
    with pytest.raises(NotEmpty):
        call("file_delete", path="d")
    with pytest.raises(ToolValidationError, match="leaves the root"):
        call("file_write", path="../b.txt", content="b")
    with pytest.raises(ToolValidationError, match="did you mean `content`"):
        call("file_write", path="b.txt", contents="b")

    assert list(files.glob("**")) == ["d", "d/a.txt"]
    assert files.read("d/a.txt").content == "a"


READING = ["file_read", "file_list", "file_glob", "file_grep", "file_stat"]


@pytest.fixture(params=["memory", "host"])
def read_only(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Filesystem]:
    """A read-only filesystem of each kind, with a file in it."""
    if request.param == "memory":
        yield InMemoryFilesystem({"d/a.txt": "a"}, read_only=True)
    else:
        (tmp_path / "d").mkdir()
        (tmp_path / "d" / "a.txt").write_text("a", encoding="utf-8")
        with HostFilesystem(tmp_path, read_only=True) as host:
            yield host


def test_read_only_files_refuse_every_change_and_are_still_read(read_only: Filesystem) -> None:
    taken = read_only.snapshot()
    changes: list[Callable[[], object]] = [
        lambda: read_only.write("b.txt", "b"),
        lambda: read_only.write("d/a.txt", "b", "append"),
        lambda: read_only.edit("d/a.txt", [("a", "b")]),
        lambda: read_only.mkdir("e"),
        lambda: read_only.move("d", "e"),
        lambda: read_only.copy("d", "e"),
        lambda: read_only.delete("d", recursive=True),
        lambda: read_only.restore(taken),
    ]

    for change in changes:
        with pytest.raises(ReadOnlyFiles, match="read-only"):
            change()

    assert list(read_only.glob("**")) == ["d", "d/a.txt"]
    assert read_only.read("d/a.txt").content == "a"


def test_over_read_only_files_no_tool_that_writes_is_offered_or_spoken_of(read_only: Filesystem) -> None:
    section = FileToolsSection(session=Session(), filesystem=read_only)
    clone = section.clone(session=Session())

    for each in (section, clone):
        assert [tool.name for tool in each.tools] == READING
        assert "file_write" not in each.render()
        assert "file_edit" not in each.render()
        assert each.filesystem.read_only
    assert {verb.name for verb in VERBS if not verb.writes} == set(READING)


def test_a_section_offers_the_tools_that_were_chosen_and_speaks_of_no_others(files: Filesystem) -> None:
    section = FileToolsSection(session=Session(), filesystem=files, only=["file_edit", "file_read"])
    files.write("a.txt", "a")

    for each in (section, section.clone(session=Session())):
        assert [tool.name for tool in each.tools] == ["file_read", "file_edit"]
        spoken = set(re.findall(r"file_[a-z]+", each.render()))
        assert spoken == {"file_read", "file_edit"}
    with pytest.raises(NotFound) as refused:
        section.tools[0].call({"path": "none.txt"})
    assert refused.value.suggestion is None
    assert "file_list" not in refused.value.recovery


@pytest.mark.parametrize("only", [["file_peek"], ["file_read", "shell"], []])
def test_a_choice_of_tools_that_are_none_is_refused(files: Filesystem, only: list[str]) -> None:
    with pytest.raises(ValueError, match="file_read"):
        FileToolsSection(session=Session(), filesystem=files, only=only)


def test_a_choice_of_writing_tools_over_read_only_files_is_refused(read_only: Filesystem) -> None:
    with pytest.raises(ValueError, match="file_write"):
        FileToolsSection(session=Session(), filesystem=read_only, only=["file_read", "file_write"])


def test_a_file_is_shown_as_it_is_whatever_is_in_it(call: Call, files: Filesystem) -> None:
    files.write("env", f"A=1\nKEY {SECRET}\n")

    read, found = call("file_read", path="env"), call("file_grep", pattern="KEY")

    assert shown(read)["content"] == f"A=1\nKEY {SECRET}\n"
    assert SECRET in found.render()


@pytest.mark.parametrize("cap", [512, 2_000])
def test_a_reply_keeps_to_its_budget_and_goes_on_where_it_stopped(call: Call, files: Filesystem, cap: int) -> None:
    text = "".join(f"line {number} of a long file\n" for number in range(400))
    files.write("long.txt", text)

    read, offset = "", 0
    while True:
        result = call("file_read", path="long.txt", offset=offset, max_chars=cap)
        assert len(result.render()) <= cap
        read += shown(result)["content"]
        if not shown(result)["truncated"]:
            break
        offset = shown(result)["next_offset"]

    assert read == text


def test_a_long_listing_is_paged_by_its_cursor(call: Call, files: Filesystem) -> None:
    for number in range(7):
        files.write(f"f{number}.txt", "x")

    names: list[str] = []
    page = shown(call("file_glob", pattern="*", limit=3))
    names += page["items"]
    while page["has_more"]:
        page = shown(call("file_glob", pattern="*", limit=3, cursor=page["cursor"]))
        names += page["items"]

    assert names == [f"f{number}.txt" for number in range(7)]


def test_a_directory_with_names_that_are_no_text_can_still_be_listed(tmp_path: Path) -> None:
    (tmp_path / "fine.txt").write_text("x", encoding="utf-8")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/odd\xff.txt")).touch()
    with HostFilesystem(tmp_path) as host:
        section = FileToolsSection(session=Session(), filesystem=host)
        listing = next(tool for tool in section.tools if tool.name == "file_list")

        assert "fine.txt" in listing.call({}).render()
