"""The chain over a taskdoc's changes: unbroken whatever is done, and broken by whatever is altered."""

import json
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from gatepost.engine import doctor
from tests.givens import World, new_store
from tests.tsk.projects import Project, project

CHANGES = ("first\n", "second", "third", "fourth")


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Project]:
    """A project on a file, so that the file can be altered by hand."""
    with project(tmp_path, "sqlite") as made:
        yield made


def told(here: Project) -> Project:
    """A taskdoc that has seen some changes of two sections."""
    here.new(constraints="MUST")
    for text in CHANGES:
        here.change("goals", text)
    assert here.doctor() == []
    return here


def by_hand(here: Project, statement: str, *values: object) -> int:
    """Alter the store behind everybody's back; how many rows were changed."""
    connection = apsw.Connection(str(here.root.parent / "gatepost.db"))
    try:
        connection.execute(statement, values)
        return connection.changes()
    finally:
        connection.close()


def rows(here: Project, statement: str) -> list[tuple[object, ...]]:
    connection = apsw.Connection(str(here.root.parent / "gatepost.db"))
    try:
        return list(connection.execute(statement))
    finally:
        connection.close()


def codes(here: Project) -> set[str]:
    return {finding.code for finding in here.doctor()}


def test_the_chain_holds_over_every_kind_of_change(here: Project) -> None:
    told(here)
    here.file("goals").write_text("outside")
    here.ok("taskdoc_adopt")
    here.file("goals").write_text("outside again")
    here.ok("taskdoc_restore", selector="goals")
    here.ok("taskdoc_restore", selector="goals", revision=1)
    for tool in ("tasks_undo", "tasks_undo", "tasks_redo", "tasks_undo", "tasks_undo"):
        here.ok(tool)
        assert here.doctor() == [] or codes(here) == {"PACKAGE_EDITED"}
    calls = [
        {"tool": "change_mind", "arguments": {"taskdoc": "auth", "selector": selector, "content": "batch"}}
        for selector in ("progress", "goals", "constraints")
    ]
    here.restart()
    here.ask("tasks_batch", operations=calls)
    here.ok("change_mind", selector="constraints", clear=True)
    here.new("second", goals="a chain of its own")
    here.ok("tasks_undo")
    here.ok("tasks_undo")
    here.ok("tasks_redo")

    assert "BROKEN_CHAIN" not in codes(here)
    assert codes(here) <= {"PACKAGE_EDITED"}


def test_every_change_of_a_section_adds_a_link_that_stands_on_the_one_before(here: Project) -> None:
    told(here)

    links = [
        json.loads(str(body))
        for (body,) in rows(here, "SELECT body FROM artifacts WHERE body LIKE '%\"link\"%' ORDER BY seq, number")
    ]

    changed = [link for link in links if link["content"] is not None]
    assert len(changed) >= len(CHANGES) + 1
    assert len({link["before"] for link in links}) == len(links), "two links stand on the same one"
    assert {link["actor"] for link in links} == {"tester"}


def test_a_link_that_was_altered_is_found(here: Project) -> None:
    told(here)

    changed = by_hand(here, "UPDATE artifacts SET body = replace(body, 'tester', 'nobody') WHERE seq = 4")

    assert changed == 1
    assert "BROKEN_CHAIN" in codes(here)


@pytest.mark.parametrize("place", ["first", "middle", "last"])
def test_a_link_that_was_deleted_is_found(here: Project, place: str) -> None:
    told(here)
    sequence = [row[0] for row in rows(here, "SELECT DISTINCT seq FROM artifacts ORDER BY seq")]
    chosen = {"first": sequence[0], "middle": sequence[len(sequence) // 2], "last": sequence[-1]}[place]

    by_hand(here, "DELETE FROM artifacts WHERE seq = ?", chosen)

    assert "BROKEN_CHAIN" in codes(here)


def test_a_whole_chain_that_was_deleted_is_found(here: Project) -> None:
    told(here)

    by_hand(here, "DELETE FROM artifacts")

    assert "BROKEN_CHAIN" in codes(here)


def test_links_that_changed_places_are_found(here: Project) -> None:
    told(here)

    for before, after in ((4, 104), (5, 4), (104, 5)):
        assert by_hand(here, "UPDATE artifacts SET seq = ? WHERE seq = ?", after, before) == 1

    assert "BROKEN_CHAIN" in codes(here)


def test_a_section_that_was_altered_is_found(here: Project) -> None:
    told(here)

    changed = by_hand(
        here, "UPDATE documents SET text = replace(text, 'fourth', 'forged') WHERE text LIKE '%fourth%'"
    )

    assert changed == 1
    assert "ALTERED_DOCUMENT" in codes(here)


def test_a_section_altered_together_with_its_history_is_found_by_the_chain(here: Project) -> None:
    told(here)

    for table, column in (("documents", "text"), ("images", "after"), ("images", "before")):
        by_hand(here, f"UPDATE {table} SET {column} = replace({column}, 'fourth', 'forged')")  # noqa: S608  (ours)

    assert "BROKEN_CHAIN" in codes(here)


def test_an_earlier_text_altered_in_the_history_is_found_by_the_chain(here: Project) -> None:
    told(here)

    for column in ("after", "before"):
        by_hand(here, f"UPDATE images SET {column} = replace({column}, 'second', 'forged')")  # noqa: S608  (ours)

    assert "BROKEN_CHAIN" in codes(here)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE operations SET actor = 'nobody' WHERE operation = 4",
        "UPDATE operations SET at = '2020-01-01T00:00:00.000Z' WHERE operation = 4",
        "UPDATE events SET actor = 'nobody' WHERE operation = 4",
    ],
)
def test_who_changed_it_and_when_is_covered_by_the_chain(here: Project, statement: str) -> None:
    told(here)

    assert by_hand(here, statement) == 1

    assert "BROKEN_CHAIN" in codes(here)


def test_a_store_without_packages_has_the_chain_too(tmp_path: Path) -> None:
    world = World(new_store("memory", tmp_path))
    world.ok("taskdoc_create", name="auth")
    world.ok("change_mind", selector="goals", content="text")
    world.ok("tasks_undo")
    world.ok("tasks_undo")

    assert doctor.examine(world.store, world.workspace).findings == []
    assert any("link" in json.dumps(row) for row in world.everything()["artifacts"])
