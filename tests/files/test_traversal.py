"""Walks: their order, where they resume, and what they never enter."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.domain.refusals import ForbiddenPath, InvalidInput
from gatepost.files import traversal
from gatepost.files.paths import Segments, shown
from gatepost.files.protocol import Kind


class Wood:
    """A tree by its leaves: texts, none for what holds no text. Remembers where walks have been."""

    def __init__(self, leaves: Mapping[str, str | None], links: Sequence[str] = ()) -> None:
        self.leaves = leaves
        self.links = links
        self.entered: list[str] = []
        self.opened: list[str] = []

    def walk_entries(self, at: Segments) -> Sequence[traversal.WalkEntry]:
        self.entered.append(shown(at))
        below = [tuple(path.split("/")) for path in (*self.leaves, *self.links)]
        names = sorted({path[len(at)] for path in below if path[: len(at)] == at and len(path) > len(at)})
        return [(name, self._kind(shown((*at, name))), None) for name in names]

    def searchable(self, at: Segments) -> bytes | None:
        text = self.leaves.get(shown(at))
        if text is None:
            return None
        self.opened.append(shown(at))
        return text.encode()

    def _kind(self, path: str) -> Kind:
        return "link" if path in self.links else "file" if path in self.leaves else "directory"


WOOD = {
    "a.txt": "x",
    "a/b/c": "x",
    "a/z": "x\ny\nx",
    "tasks/one.tsk/goals.md": "x",
    "tasks/one.TSK/goals.md": "x",
    ".gatepost/gatepost.db": "x",
    "tasks/plain.tsk": "x",
    "tasks/other": None,
    "z/deep/er/f": "x",
}


def test_everything_comes_in_path_order_with_what_is_in_a_directory_right_after_it() -> None:
    found = traversal.glob(Wood(WOOD), "**", (), None, None)

    assert found == tuple(shown(path) for path in sorted(tuple(path.split("/")) for path in found))
    assert found[:6] == (".gatepost", "a", "a/b", "a/b/c", "a/z", "a.txt")


def test_closed_directories_are_named_and_never_entered() -> None:
    wood = Wood(WOOD)

    found = traversal.glob(wood, "**", (), None, None)
    lines = traversal.grep(wood, "x", (), "directory", None, None, None)

    assert {".gatepost", "tasks/one.tsk", "tasks/one.TSK", "tasks/plain.tsk"} <= set(found)
    assert not [path for path in found if "goals" in path or "gatepost.db" in path]
    assert not [path for path in (*wood.entered, *wood.opened) if "tsk" in path.lower() or "gatepost" in path]
    assert [(line.path, line.line) for line in lines] == [
        *(("a/b/c", 1), ("a/z", 1), ("a/z", 3), ("a.txt", 1), ("z/deep/er/f", 1))
    ]
    assert traversal.glob(wood, "tasks/one.ts[k]/*", (), None, None) == ()


def test_links_are_named_and_neither_entered_nor_opened() -> None:
    wood = Wood({"a/f": "x"}, links=["a/link", "link"])

    assert traversal.glob(wood, "**", (), None, None) == ("a", "a/f", "a/link", "link")
    assert [line.path for line in traversal.grep(wood, "x", (), "directory", None, None, None)] == ["a/f"]
    assert set(wood.entered) == {".", "a"}
    assert wood.opened == ["a/f"]


@pytest.mark.parametrize(
    ("pattern", "entered"),
    [
        ("a/*", [".", "a"]),
        ("a/b/c", [".", "a", "a/b"]),
        ("z/*/er/*", [".", "z", "z/deep", "z/deep/er"]),
        ("*", ["."]),
        ("{a,z}/q", [".", "a", "z"]),
    ],
)
def test_a_walk_enters_only_what_can_lead_to_a_match(pattern: str, entered: list[str]) -> None:
    wood = Wood(WOOD)

    traversal.glob(wood, pattern, (), None, None)

    assert wood.entered == entered


def test_a_search_with_a_pattern_opens_only_the_files_that_match_it() -> None:
    wood = Wood(WOOD)

    traversal.grep(wood, "x", (), "directory", "a/**", None, None)

    assert wood.opened == ["a/b/c", "a/z"]


def test_a_walk_that_resumes_enters_nothing_that_lies_before() -> None:
    wood = Wood(WOOD)

    found = traversal.glob(wood, "**", (), "tasks/other", None)
    lines = traversal.grep(wood, "x", (), "directory", None, ("a/z", 1), 2)

    assert found == ("tasks/plain.tsk", "z", "z/deep", "z/deep/er", "z/deep/er/f")
    assert [(line.path, line.line) for line in lines] == [("a/z", 3), ("a.txt", 1)]
    assert "a/b" not in wood.entered
    assert wood.opened == ["a/z", "a.txt"]


@given(
    paths=st.sets(
        st.lists(st.sampled_from(["a", "a.b", "b", "B"]), min_size=1, max_size=4).map("/".join), max_size=12
    ),
    data=st.data(),
)
def test_what_comes_behind_any_place_is_the_rest_of_the_walk(paths: set[str], data: st.DataObject) -> None:
    leaves = {path: "x" for path in paths if not any(other.startswith(f"{path}/") for other in paths)}
    whole = traversal.glob(Wood(leaves), "**", (), None, None)
    place = data.draw(st.sampled_from([*whole, "a/nowhere", "a.b/a", "zz"]))

    rest = traversal.glob(Wood(leaves), "**", (), place, None)

    behind = tuple(place.split("/"))
    assert rest == tuple(path for path in whole if tuple(path.split("/")) > behind)


def test_a_tree_deeper_than_pythons_stack_is_walked_to_its_end() -> None:
    class Shaft:
        def walk_entries(self, at: Segments) -> Sequence[traversal.WalkEntry]:
            return [("d", "directory", None)] if len(at) < 3_000 else []

        def searchable(self, at: Segments) -> bytes | None:
            return None if at else b""

    assert len(traversal.glob(Shaft(), "**", (), None, None)) == 3_000


def test_what_holds_something_closed_is_known_at_any_depth() -> None:
    wood = Wood({"top/a/b/c/x.tsk/f": "x", "free/a.tsk.bak": "x", "free/a.tskx": "x"})

    assert traversal.holds_closed(wood, ())
    assert traversal.holds_closed(wood, ("top", "a"))
    assert not traversal.holds_closed(wood, ("free",))


def test_a_tree_with_something_closed_in_it_is_not_given_another_place() -> None:
    wood = Wood(WOOD)

    with pytest.raises(ForbiddenPath):
        traversal.admit_transfer(wood, ("tasks",), "directory", ("elsewhere",))
    traversal.admit_transfer(wood, ("a",), "directory", ("elsewhere",))


@pytest.mark.parametrize("after", [3, b"a", ["a"]])
def test_a_place_to_resume_from_must_be_one(after: object) -> None:
    with pytest.raises(InvalidInput):
        traversal.listed((), [], after, None)  # type: ignore[arg-type]  # what callers without types may send
    for wrong in (after, ("a",), ("a", -1), ("a", True), (after, 1)):
        with pytest.raises(InvalidInput):
            traversal.grep(Wood(WOOD), "x", (), "directory", None, wrong, None)  # type: ignore[arg-type]  # as above
