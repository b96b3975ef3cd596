"""What happened while the reader was away: a digest on the overview, once, until they have seen it."""

import json

from playwright.sync_api import expect

from tests.givens import CONFIRMED, WORKSPACE
from tests.http.givens import Site
from tests.page.browser.reader import Reader
from tests.page.browser.story import by, crew

HOUR = 3_600_000


def visited(reader: Reader, seq: int, ago: int) -> None:
    """The reader looked at everything up to an event, some milliseconds ago; unless they look again."""
    key, known = json.dumps(f"gatepost.visit:{WORKSPACE}"), f"{{seq: {seq}, at: Date.now() - {ago}}}"
    reader.page.add_init_script(
        f"localStorage.getItem({key}) ?? localStorage.setItem({key}, JSON.stringify({known}))"
    )


def test_who_comes_back_reads_what_happened_meanwhile_until_they_have_seen_it(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    seen = here.ok("workspace_overview")["seq"]
    by(here.world, "agent:builder", "tasks_close_step", task=story.task, path="s:0", checkpoints=CONFIRMED)
    by(here.world, "agent:builder", "tasks_block", task=story.task, path="s:1", ask="How many a minute?")
    visited(reader, seen, 3 * HOUR)

    page = reader.open("overview")

    away = page.get_by_role("region", name="While you were away")
    expect(away).to_contain_text("since 3 hours ago")
    expect(away).to_contain_text("1 step finished (1 word only): Choose a counter")
    expect(away).to_contain_text("1 question asked or answered, 1 waiting: How many a minute?")
    expect(away).to_contain_text("builder 2 changes, closed 1 step")
    page.reload()
    expect(away).to_contain_text("1 step finished")
    away.get_by_role("button", name="Got it").click()
    expect(away).to_have_count(0)
    page.reload()
    expect(page.get_by_role("region", name="Needs you")).to_contain_text("How many a minute?")
    expect(away).to_have_count(0)


def test_who_was_away_for_a_moment_or_missed_nothing_is_told_nothing(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    seen = here.ok("workspace_overview")["seq"]
    visited(reader, seen, 3 * HOUR)
    page = reader.open("overview")
    reader.live()

    by(here.world, "agent:builder", "tasks_note", task=story.task, note="Just now")

    expect(page.get_by_role("region", name="Activity")).to_contain_text("Just now")
    expect(page.get_by_role("region", name="While you were away")).to_have_count(0)
