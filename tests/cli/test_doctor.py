"""`gatepost doctor`: a clean bill, or what is wrong and what can be mended."""

import json
import os

import apsw

from tests.cli.givens import WORKSPACE, Desk
from tests.givens import World


def spoil(statement: str) -> None:
    connection = apsw.Connection(os.environ["GATEPOST_STORE"])
    connection.execute(statement)
    connection.close()


def test_a_sound_store_gets_a_clean_bill(desk: Desk) -> None:
    desk.passkeys()
    World(desk.world.store, "acme/other").task()

    ran = desk.here("doctor")

    assert ran.code == 0
    assert [line.split("  ")[:2] for line in ran.out.splitlines()] == [
        ["✓ sound", "acme/other"],
        ["✓ sound", WORKSPACE],
    ]


def test_what_is_miscounted_is_found_and_can_be_mended(desk: Desk) -> None:
    desk.passkeys()
    spoil("UPDATE tallies SET blocked = 7")

    found = desk.here("doctor")
    mended = desk.here("doctor", "--repair")

    assert found.code == 1
    assert "MISCOUNTED" in found.out
    assert "gatepost doctor --repair" in found.out
    assert mended.code == 0
    assert "rows mended" in mended.out
    assert desk.here("doctor").code == 0


def test_what_was_altered_cannot_be_mended(desk: Desk) -> None:
    desk.passkeys()
    spoil("UPDATE documents SET text = replace(text, 'Passkey form', 'Nothing')")

    ran = desk.here("doctor", "--repair", "--json")

    report = json.loads(ran.out)["workspaces"][0]
    assert ran.code == 1
    assert report["workspace"] == WORKSPACE
    assert "ALTERED_DOCUMENT" in {finding["code"] for finding in report["findings"]}


def test_one_workspace_can_be_examined_alone(desk: Desk) -> None:
    desk.passkeys()
    World(desk.world.store, "acme/other").task()

    ran = desk.here("doctor", "--workspace", "acme/other", "--json")

    assert [report["workspace"] for report in json.loads(ran.out)["workspaces"]] == ["acme/other"]
