"""What is listed can be used: names on disk that no new file could have."""

import os
from collections.abc import Iterator
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.domain.refusals import ForbiddenPath, InvalidInput
from gatepost.files.host import HostFilesystem
from gatepost.files.memory import InMemoryFilesystem
from gatepost.files.paths import named, shown

NFC, NFD = "café.md", normalize("NFD", "café.md")
ODD = [
    *(
        NFC.encode(),
        "日本 語.txt".encode(),
        b"two  blanks ",
        b"line\nbreak",
        b"tab\t",
        b"back\\slash",
        b"back\\xffslash",
    ),
    *(b"\\x5c", b"\xff", b"caf\xe9.md", b"\xff\\xff", b"n" * 200, b"~", b"-rf", b"%2e%2e", b"a:b", b"'\"$`"),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    return tmp_path


@pytest.fixture
def fs(root: Path) -> Iterator[HostFilesystem]:
    with HostFilesystem(root) as opened:
        yield opened


@pytest.mark.requirement("files.path.as-listed")
def test_whatever_is_listed_globbed_or_found_can_be_read_edited_moved_and_deleted(
    fs: HostFilesystem, root: Path
) -> None:
    for name in ODD:
        Path(os.fsdecode(os.fsencode(root / "docs") + b"/" + name)).write_bytes(b"text of " + name.hex().encode())
        Path(os.fsdecode(os.fsencode(root) + b"/d " + name)).mkdir()

    listed = [entry.path for entry in fs.list("docs")]
    assert len(set(listed)) == len(ODD)
    assert sorted(fs.glob("docs/*")) == sorted(listed) == sorted(match.path for match in fs.grep("text", "docs"))
    paged: list[str] = []
    while page := fs.list("docs", after=paged[-1] if paged else None, limit=2):
        paged += [entry.path for entry in page]
    assert paged == listed == list(fs.glob("docs/*", after="docs"))
    texts = {}
    for path in listed:
        path.encode()
        texts[path] = fs.read(path).content
        assert fs.stat(path).path == path
        assert fs.edit(path, [("text", "TEXT")]).path == path
        assert fs.write(path, "more", "append").path == path
        fs.copy(path, "plain")
        assert fs.read("plain").content == texts[path].replace("text", "TEXT") + "more"
        fs.delete("plain")
        fs.move(path, "plain")
        fs.delete("plain")
    assert sorted(texts.values()) == sorted(f"text of {name.hex()}" for name in ODD)
    assert fs.list("docs") == ()
    for entry in fs.list("."):
        if entry.name != "docs":
            fs.write(f"{entry.path}/new.txt", "x")
            assert [inner.path for inner in fs.list(entry.path)] == [f"{entry.path}/new.txt"]


@pytest.mark.requirement("files.path.as-listed")
@pytest.mark.parametrize(("there", "asked"), [(NFC, NFD), (NFD, NFC), (NFC, NFC), (NFD, NFD)])
def test_a_name_is_found_in_whichever_form_it_is_typed(
    fs: HostFilesystem, root: Path, there: str, asked: str
) -> None:
    (root / "docs" / there).write_text("x")

    assert fs.read(f"docs/{asked}").path == f"docs/{there}"
    fs.write(f"docs/{asked}", "new")
    fs.move(f"docs/{asked}", "plain.md")

    assert (root / "plain.md").read_text() == "new"
    assert list((root / "docs").iterdir()) == []


@pytest.mark.requirement("files.path.as-listed")
def test_of_two_forms_that_are_both_there_each_is_itself(fs: HostFilesystem, root: Path) -> None:
    (root / NFC).write_text("one")
    (root / NFD).write_text("two")

    assert (fs.read(NFC).content, fs.read(NFD).content) == ("one", "two")


@pytest.mark.requirement("files.path.relative-posix-ascii", "files.path.host-limits")
@pytest.mark.parametrize("name", ["é", "a\\b", "a\tb", "n" * 81, "n" * 300, "\\xff", "é/new", "docs/é/new"])
def test_a_new_name_is_still_plain_ascii(fs: HostFilesystem, root: Path, name: str) -> None:
    (root / "docs" / "f").write_text("x")

    for call in (
        lambda: fs.write(name, "x"),
        lambda: fs.mkdir(name),
        lambda: fs.move("docs/f", name),
        lambda: fs.copy("docs/f", name),
        lambda: fs.read(name),
        lambda: InMemoryFilesystem().write(name, "x"),
    ):
        with pytest.raises(InvalidInput):
            call()

    assert [path.name for path in root.rglob("*")] == ["docs", "f"]


@pytest.mark.requirement("files.path.as-listed", "files.path.host-limits")
def test_a_file_deeper_than_new_ones_may_be_is_used_and_no_new_one_put_beside_it(
    fs: HostFilesystem, root: Path
) -> None:
    deep = "/".join("d" * 20)
    (root / deep).mkdir(parents=True)
    (root / deep / "f").write_text("x")

    assert fs.glob("**/f") == (f"{deep}/f",)
    fs.edit(f"{deep}/f", [("x", "y")])
    assert fs.read(f"{deep}/f").content == "y"
    with pytest.raises(InvalidInput, match="21 segments"):
        fs.write(f"{deep}/g", "x")
    fs.move(f"{deep}/f", "f")


@pytest.mark.requirement("guard.path.folded")
def test_a_look_alike_of_a_package_is_closed_by_the_name_it_has_and_by_any_spelling_of_it(
    fs: HostFilesystem, root: Path
) -> None:
    wide = "a.\uff54\uff53\uff4b"
    (root / wide).mkdir()
    (root / wide / "goals.md").write_text("closed")

    for spelling in (wide, "a.\\xef\\xbd\\x94\\xef\\xbd\\x93\\xef\\xbd\\x8b", "a.tsk", "docs/../" + wide):
        with pytest.raises(ForbiddenPath, match="taskdoc package"):
            fs.read(f"{spelling}/goals.md")
    assert fs.grep("closed") == ()


@given(st.lists(st.binary(min_size=1, max_size=12), min_size=1, max_size=3))
def test_a_path_that_is_shown_leads_back_to_the_names_on_disk(names: list[bytes]) -> None:
    there = tuple(os.fsdecode(name.replace(b"/", b"\\x").replace(b"\0", b"x5c")) for name in names)

    path = shown(there)

    path.encode()
    assert tuple(map(named, path.split("/"))) == there
