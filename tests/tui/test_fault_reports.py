"""An id that the screen told leads to what went wrong, once the screen has gone."""

from typing import Any

import pytest
from textual.pilot import Pilot

from gatepost.client.local_subscription import LocalSubscription
from gatepost.surfaces.tui import runner
from gatepost.surfaces.tui.app import GatepostApp
from gatepost.surfaces.tui.fault_reports import REPORTS, FaultReports
from tests.givens import World
from tests.tui.givens import Driven, source_of
from tests.wire.credentials import EVERY


def test_the_same_cause_has_one_id_and_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    reports = FaultReports()

    ids = [reports.report("while following", OSError("disk")) for _ in range(3)]
    other = reports.report("while following", OSError("net"))
    told = reports.take()

    assert len({*ids, other}) == 2
    assert [text.splitlines()[0] for text in told] == [
        f"gatepost: fault {ids[0]}, 3 times, while following",
        f"gatepost: fault {other} while following",
    ]
    assert [text.splitlines()[-1] for text in told] == ["OSError: disk", "OSError: net"]
    assert reports.take() == []
    assert capsys.readouterr().err.count("OSError: disk") == 1


def test_only_the_last_few_are_kept_and_without_secrets() -> None:
    reports = FaultReports()

    for number in range(20):
        reports.report("here", OSError(f"number {number} {EVERY['ghp']}"))
    told = "\n".join(reports.take())

    assert [number for number in range(20) if f"number {number} " in told] == [15, 16, 17, 18, 19]
    assert EVERY["ghp"] not in told


def test_what_went_wrong_behind_the_screen_is_told_after_it_under_the_id_that_was_shown(
    one_world: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("no disk")

    monkeypatch.setattr(LocalSubscription, "_advance", fail)
    REPORTS.take()
    app = Headless(source_of(one_world))

    code = runner.show(app)

    told = capsys.readouterr().err
    assert (code, app.session.reason) == (0, f"internal error {told.split()[2].rstrip(',')}; trying again")
    assert told.startswith("gatepost: fault ")
    assert told.count("OSError: no disk") == 1


class Headless(GatepostApp):
    """An application without a terminal, which is left when something went wrong."""

    async def run_async(self, **_more: Any) -> None:
        async def leaves(pilot: Pilot[Any]) -> None:
            driven = Driven(self, pilot)
            await driven.sees("internal error")
            self.leave()

        await super().run_async(headless=True, auto_pilot=leaves)
