"""`gatepost ls --text`: what is found, and where."""

import pytest

from gatepost.storage.sqlite.search_index import SearchIndex
from gatepost.surfaces.cli.views import ls
from tests.cli.givens import Desk


def test_a_search_shows_each_row_with_the_excerpts_that_match(desk: Desk) -> None:
    desk.passkeys()
    desk.world.ok("taskdoc_create", name="auth")
    desk.world.ok("change_mind", selector="goals", content="Nobody\ntypes a stale password.\n")

    ran = desk.here("ls", "--text", "stale")

    first, hit, taskdoc, passage = ran.out.splitlines()
    assert ran.code == 0
    assert first.startswith("TASK-001  Passkey form")
    assert hit == "    criteria s:1: 401 when stale"
    assert taskdoc == "taskdoc auth"
    assert passage == "    goals: Nobody types a stale password."


def test_a_reason_is_found_with_its_step_and_nothing_is_said_plainly(desk: Desk) -> None:
    desk.passkeys()

    found, nothing = (desk.here("ls", "--text", text) for text in ("staging", "nowhere"))

    assert found.out.splitlines()[1] == "    reason s:2: staging is down"
    assert nothing == (0, "No results in acme/repo.\n", "")


def test_too_many_hits_are_said(desk: Desk) -> None:
    for _ in range(3):
        desk.world.task(*["needle"] * 400)

    ran = desk.here("ls", "--text", "needle", "--limit", "2")

    assert "Older texts were not searched yet." in ran.out
    assert "More:" in ran.out


def test_a_search_goes_on_with_older_texts_until_it_finds_something(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SearchIndex, "reach", 5)
    desk.world.task(title="left right")
    for number in range(70):
        desk.world.task(title=("left", "right")[number % 2])

    found = desk.here("ls", "--text", "left right")
    monkeypatch.setattr(ls, "_LOOKS", 2)
    stopped = desk.here("ls", "--text", "left right")

    assert found.out.startswith("TASK-001  left right")
    assert "More:" not in found.out
    assert stopped.out.startswith("No results in acme/repo.\n\nOlder texts were not searched yet.")
    assert "More:  gatepost ls --text 'left right' --cursor " in stopped.out
