"""Stores of overrides: in memory and in files, one behaviour; files outlive the process and are never torn."""

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gatepost.tools import (
    FilePromptOverridesStore,
    InMemoryPromptOverridesStore,
    PromptOverridesStore,
    ToolValidationError,
)

ODD_KEYS = (
    "plain",
    "Plain",
    "a/b",
    "a%2fb",
    "../../escape",
    ".",
    "..",
    ".hidden",
    "with space ",
    "ключ",
    "é",
    "e\u0301",
    "tab\tand\nline",
    "con",
    "x" * 5_000,
    "x" * 4_999 + "y",
)
KEYS = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\x00"), max_size=300)
Makes = Callable[[Path], PromptOverridesStore]
MAKES: dict[str, Makes] = {
    "memory": lambda _folder: InMemoryPromptOverridesStore(),
    "files": lambda folder: FilePromptOverridesStore(folder / "overrides"),
}

each_store = pytest.mark.parametrize("make", MAKES.values(), ids=MAKES.keys())


@each_store
def test_what_is_set_is_got_until_it_is_deleted(make: Makes, tmp_path: Path) -> None:
    store = make(tmp_path)

    seen = [store.get("k")]
    store.set("k", "one")
    seen.append(store.get("k"))
    store.set("k", "two\r\nlines\n")
    seen.append(store.get("k"))
    store.delete("k")
    store.delete("k")
    seen.append(store.get("k"))

    assert seen == [None, "one", "two\r\nlines\n", None]


@each_store
@pytest.mark.parametrize("blank", ["", " ", "\n\t", "\u00a0"])
def test_a_blank_text_counts_as_none(make: Makes, blank: str, tmp_path: Path) -> None:
    store = make(tmp_path)
    store.set("k", "text")

    store.set("k", blank)

    assert store.get("k") is None


@each_store
@pytest.mark.parametrize(
    ("key", "text"), [("", "t"), (" ", "t"), (3, "t"), ("\ud800", "t"), ("k", 3), ("k", "\ud800")]
)
def test_what_cannot_be_stored_is_refused_and_leaves_nothing(
    make: Makes, key: Any, text: Any, tmp_path: Path
) -> None:
    store = make(tmp_path)

    with pytest.raises(ToolValidationError):
        store.set(key, text)

    assert store.get("k") is None
    assert list(tmp_path.rglob("*")) == []


@each_store
def test_no_two_keys_share_a_text_however_alike_they_are(make: Makes, tmp_path: Path) -> None:
    store = make(tmp_path)

    for key in ODD_KEYS:
        store.set(key, f"of {key}")

    assert [store.get(key) for key in ODD_KEYS] == [f"of {key}" for key in ODD_KEYS]


def test_files_stay_in_their_folder_and_differ_where_capitals_do_not_count(tmp_path: Path) -> None:
    store = FilePromptOverridesStore(tmp_path / "overrides")

    for key in ODD_KEYS:
        store.set(key, key)

    names = [path.name for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.parent for path in tmp_path.rglob("*") if path.is_file()} == {tmp_path / "overrides"}
    assert len({name.lower() for name in names}) == len(ODD_KEYS)
    assert all(name.isascii() and name.endswith(".md") and len(name) <= 255 for name in names)
    assert "plain.md" in names


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(one=KEYS.filter(str.strip), other=KEYS.filter(str.strip))
def test_any_two_different_keys_have_different_files(one: str, other: str, tmp_path: Path) -> None:
    store = FilePromptOverridesStore(tmp_path)

    store.set(one, "one")
    store.set(other, "other")

    assert store.get(one) == ("other" if one == other else "one")


def test_an_override_outlives_the_process_that_set_it(tmp_path: Path) -> None:
    program = (
        "import sys; from gatepost.tools import FilePromptOverridesStore;"
        " FilePromptOverridesStore(sys.argv[1]).set('a/b', 'kept ✓')"
    )

    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True)

    assert FilePromptOverridesStore(tmp_path).get("a/b") == "kept ✓"


def test_readers_see_whole_texts_while_others_write(tmp_path: Path) -> None:
    whole = {letter * 50_000 for letter in "abcd"}
    FilePromptOverridesStore(tmp_path).set("k", "a" * 50_000)
    start = threading.Barrier(5)

    def write(text: str) -> None:
        start.wait()
        for _ in range(20):
            FilePromptOverridesStore(tmp_path).set("k", text)

    writers = [threading.Thread(target=write, args=(text,)) for text in whole]
    for writer in writers:
        writer.start()
    start.wait()
    seen = {FilePromptOverridesStore(tmp_path).get("k") for _ in range(200)}
    for writer in writers:
        writer.join()

    assert seen <= whole
    assert [path.name for path in tmp_path.iterdir()] == ["k.md"]


def test_a_text_that_was_edited_by_hand_is_seen_and_one_that_is_not_utf_8_is_refused_by_its_file(
    tmp_path: Path,
) -> None:
    store = FilePromptOverridesStore(tmp_path)
    store.set("k", "ours")

    (tmp_path / "k.md").write_text("theirs", encoding="utf-8")
    edited = store.get("k")
    (tmp_path / "k.md").write_bytes(b"\xff\xfe")

    assert edited == "theirs"
    with pytest.raises(ToolValidationError, match=r"k\.md is not UTF-8"):
        store.get("k")


def test_what_a_crash_left_is_no_override_and_a_failed_set_leaves_the_old_text(tmp_path: Path) -> None:
    store = FilePromptOverridesStore(tmp_path)
    store.set("k", "old")
    (tmp_path / ".0123.tmp").write_text("half", encoding="utf-8")
    (tmp_path / "blocked.md").mkdir()

    with pytest.raises(OSError, match="blocked"):
        store.set("blocked", "text")

    assert store.get("k") == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".0123.tmp", "blocked.md", "k.md"]
