"""The doctor's findings."""

import json
from argparse import Namespace
from typing import Any, Final

from gatepost.engine import doctor
from gatepost.engine.caller import Caller
from gatepost.engine.doctor import Report
from gatepost.operations.taskdoc_packages import settle
from gatepost.surfaces.cli.endings import FAULT, NothingThere
from gatepost.surfaces.cli.pasting import joined, same_place
from gatepost.surfaces.cli.printing import print_json
from gatepost.surfaces.cli.screen import Screen, stdout
from gatepost.surfaces.cli.session import Session
from gatepost.surfaces.cli.tables import Cell, table

_SHOWN: Final = 50


def check_up(options: Namespace) -> int:
    """Examine, mend if asked to, and tell; the exit code."""
    with Session(options) as session:
        session.require_store()
        store = session.engine.store
        chosen = session.settings.workspace
        names = session.workspaces()
        if chosen is not None and chosen not in names:
            raise NothingThere(f"the store has no workspace {chosen}", f"It has: {', '.join(names) or 'none yet'}")
        names = names if chosen is None else [chosen]
        mended = {name: _mend(session, name) for name in names} if options.repair else {}
        reports = [doctor.examine(store, name, session.engine.packages) for name in names]
        if options.json:
            print_json(_as_json(reports, mended))
        elif not options.quiet:
            _tell(stdout(), session, reports, mended)
    return FAULT if any(report.findings for report in reports) else 0


def _mend(session: Session, workspace: str) -> int:
    """Count and index anew, and write the packages that a crash left behind."""
    settle(session.engine, workspace, Caller("doctor"))
    return doctor.mend(session.engine.store, workspace)


def _as_json(reports: list[Report], mended: dict[str, int]) -> str:
    shown: list[dict[str, Any]] = []
    for report in reports:
        row = report._asdict() | {"findings": [finding._asdict() for finding in report.findings]}
        shown.append(row | ({"mended": mended[report.workspace]} if mended else {}))
    return json.dumps({"workspaces": shown}, ensure_ascii=False, separators=(",", ":"))


def _tell(screen: Screen, session: Session, reports: list[Report], mended: dict[str, int]) -> None:
    for report in reports:
        screen.say(_verdict(screen, report, mended.get(report.workspace, 0)))
        for line in _findings(screen, report):
            screen.say(line)
    if not reports:
        screen.say(screen.clean(f"The store at {session.settings.store} is empty; nothing to check."))
    if not mended and any(finding.mendable for report in reports for finding in report.findings):
        screen.say()
        line = joined(["doctor", "--repair", *same_place(session.options)])
        screen.say(f"What can be derived can be mended:  {screen.paint(line, 'bold')}")


def _verdict(screen: Screen, report: Report, mended: int) -> str:
    checked = ", ".join(f"{number:,} {what}" for what, number in report.checked.items())
    repaired = f"; {mended:,} rows mended" if mended else ""
    if report.findings:
        sign, word, style = screen.glyphs.blocked, f"{len(report.findings):,} found", "red"
    else:
        sign, word, style = screen.glyphs.done, "sound", "green"
    name = screen.paint(screen.clean(report.workspace), "bold")
    return f"{screen.paint(f'{sign} {word}', style)}  {name}  {screen.paint(f'{checked}{repaired}', 'dim')}"


def _findings(screen: Screen, report: Report) -> list[str]:
    rows = [
        [
            Cell(finding.code, "red"),
            Cell(screen.clean(finding.where), "bold"),
            Cell(screen.clean(finding.says)),
            Cell("can be mended" if finding.mendable else "", "dim"),
        ]
        for finding in report.findings[:_SHOWN]
    ]
    lines = table(screen, rows, give=((2, 20), (3, 0)), indent=2)
    rest = len(report.findings) - len(rows)
    return lines if not rest else [*lines, f"  and {rest:,} more; --json lists them all"]
