"""`gatepost doctor`: a clean bill, or what is wrong and what can be mended."""

import json
import os
from pathlib import Path

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
    desk.world.store.close()
    mended = desk.here("doctor", "--repair")

    assert found.code == 1
    assert "MISCOUNTED" in found.out
    assert "gatepost doctor --repair" in found.out
    assert mended.code == 0
    assert "The old store is kept at" in mended.out
    assert desk.here("doctor").code == 0


def test_a_document_that_was_altered_is_brought_back_from_its_history(desk: Desk) -> None:
    desk.passkeys()
    spoil("UPDATE documents SET text = replace(text, 'Passkey form', 'Nothing')")
    desk.world.store.close()

    ran = desk.here("doctor", "--repair", "--json")

    reply = json.loads(ran.out)
    assert ran.code == 0
    assert [report["workspace"] for report in reply["workspaces"]] == [WORKSPACE]
    assert reply["repair"]["found"] > 0
    assert (reply["repair"]["left"], reply["repair"]["lost"]) == (0, [])
    assert Path(reply["repair"]["kept"]).exists()
    assert "Passkey form" in desk.here("ls").out


def test_an_altered_log_cannot_be_mended_and_stays_found(desk: Desk) -> None:
    desk.passkeys()
    spoil("UPDATE events SET actor = 'nobody' WHERE seq = 1")
    desk.world.store.close()

    ran = desk.here("doctor", "--repair")

    assert ran.code == 1
    assert "BROKEN_CHAIN  operation 1" in ran.out
    assert "a repair cannot fix what was found" in ran.out


def test_every_finding_is_in_the_json_and_the_text_says_how_many_it_leaves_out(desk: Desk) -> None:
    for _ in range(60):
        desk.world.task()
    spoil("UPDATE tallies SET total = 7")

    told, listed = desk.here("doctor"), desk.here("doctor", "--json")

    assert len(json.loads(listed.out)["workspaces"][0]["findings"]) == 60
    assert "and 10 more; --json lists them all" in told.out


def test_the_end_of_the_log_is_shown(desk: Desk) -> None:
    desk.passkeys()
    head = desk.world.everything()["head"]

    told, listed = desk.here("doctor"), desk.here("doctor", "--json")

    assert f"log {head.seq} {head.hash[:16]}" in told.out
    assert json.loads(listed.out)["workspaces"][0]["log"] == {"seq": head.seq, "hash": head.hash}


def test_a_store_that_is_in_use_is_not_repaired(desk: Desk) -> None:
    desk.passkeys()
    spoil("UPDATE tallies SET total = 7")

    ran = desk.apart("doctor", "--repair")

    assert ran.code == 6
    assert "Stop every program that uses the store" in ran.err


def test_what_others_put_into_the_file_goes_only_when_told(desk: Desk) -> None:
    desk.passkeys()
    spoil("CREATE VIEW spy AS SELECT * FROM events")
    desk.world.store.close()

    found = desk.here("doctor")
    refused = desk.here("doctor", "--repair")
    removed = desk.here("doctor", "--repair", "--remove-foreign")

    assert (found.code, refused.code, removed.code) == (1, 1, 0)
    assert "FOREIGN_VIEW" in found.out
    assert "doctor --repair --remove-foreign" in refused.out


def test_a_file_that_cannot_be_read_at_all_is_left_as_it_is(desk: Desk) -> None:
    desk.passkeys()
    desk.world.store.close()
    path = Path(os.environ["GATEPOST_STORE"])
    path.write_bytes(b"\0" * 20_000)

    ran = desk.here("doctor", "--repair")

    assert ran.code == 1
    assert "DAMAGED_FILE" in ran.out
    assert "nothing could be read" in ran.out
    assert path.read_bytes() == b"\0" * 20_000


def test_one_workspace_can_be_examined_alone(desk: Desk) -> None:
    desk.passkeys()
    World(desk.world.store, "acme/other").task()

    ran = desk.here("doctor", "--workspace", "acme/other", "--json")

    assert [report["workspace"] for report in json.loads(ran.out)["workspaces"]] == ["acme/other"]


def test_a_file_that_is_no_store_is_named_even_if_a_workspace_is_chosen(desk: Desk) -> None:
    """Most people have chosen one, in gatepost.toml or the environment."""
    desk.passkeys()
    desk.world.store.close()
    Path(os.environ["GATEPOST_STORE"]).write_bytes(b"no database at all" * 500)

    ran = desk.here("doctor", "--workspace", "acme/other")

    assert ran.code == 1
    assert ran.out.count("NOT_A_STORE") == 1
    assert ran.out.count("DAMAGED_FILE") == 1, "the same finding is told once"


def test_a_repair_of_a_sound_store_says_that_there_was_nothing_to_do(desk: Desk) -> None:
    desk.passkeys()
    desk.world.store.close()

    ran = desk.here("doctor", "--repair")

    assert (ran.code, ran.out.splitlines()[-1]) == (0, "The store needs no repair.")
