"""The doctor's findings."""

import json
from argparse import Namespace
from collections.abc import Sequence
from typing import Any, Final

from gatepost.domain.refusals import BUSY, Busy
from gatepost.engine import doctor
from gatepost.engine.caller import Caller
from gatepost.engine.doctor import Checkup, Finding, Repair, Report
from gatepost.operations.taskdoc_packages import settle
from gatepost.surfaces.cli.endings import EXIT_OF_FAMILY, FAULT, NothingThere, Trouble
from gatepost.surfaces.cli.pasting import joined, same_place
from gatepost.surfaces.cli.printing import print_json
from gatepost.surfaces.cli.screen import Screen, stdout
from gatepost.surfaces.cli.session import Session
from gatepost.surfaces.cli.tables import Cell, table

_SHOWN: Final = 50
_HASH: Final = 16
_IN_USE: Final = {
    "code": "BUSY",
    "message": "Another program has the store open, so it cannot be repaired now. Nothing was changed.",
    "recovery": "Stop every program that uses the store (gatepost up, mcp, tui), then run the repair again.",
}


def check_up(options: Namespace) -> int:
    """Examine, mend if asked to, and tell; the exit code."""
    with Session(options) as session:
        session.require_store()
        repaired = _repaired(session, options) if options.repair else None
        checkup = _checkup(session) if repaired is None or repaired.kept is None else repaired.after
        if options.json:
            print_json(_as_json(checkup, repaired))
        elif not options.quiet:
            _tell(stdout(), session, checkup, repaired)
    return FAULT if checkup.findings else 0


def _checkup(session: Session) -> Checkup:
    """The whole store, or the workspace that was chosen."""
    store, chosen = session.engine.store, session.settings.workspace
    if chosen is None:
        return doctor.check_store(store, session.engine.packages)
    with store.inspecting() as inspection:
        names = inspection.workspaces()
    if chosen not in names:
        whole = doctor.check_store(store, session.engine.packages, [])
        if whole.store:
            return whole
        raise NothingThere(f"the store has no workspace {chosen}", f"It has: {', '.join(names) or 'none yet'}")
    return doctor.check_store(store, session.engine.packages, [chosen])


def _repaired(session: Session, options: Namespace) -> Repair:
    """Write the store again where that mends something; then the packages that a crash left behind."""
    try:
        repaired = doctor.repair(session.engine.store, remove_foreign=options.remove_foreign)
    except Busy:
        raise Trouble(EXIT_OF_FAMILY[BUSY], _IN_USE) from None
    if not repaired.after.store:
        for report in repaired.after.workspaces:
            settle(session.engine, report.workspace, Caller("doctor"))
    return repaired


def _as_json(checkup: Checkup, repaired: Repair | None) -> str:
    shown: dict[str, Any] = {
        "store": {"findings": _rows(checkup.store)},
        "workspaces": [
            report._asdict() | {"findings": _rows(report.findings), "notes": _rows(report.notes)}
            for report in checkup.workspaces
        ],
    }
    if repaired is not None:
        shown["repair"] = {
            "kept": repaired.kept,
            "found": len(repaired.before.findings),
            "left": len(checkup.findings),
            "lost": _rows(repaired.lost),
            "foreign": repaired.foreign,
        }
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":"))


def _rows(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    return [finding._asdict() for finding in findings]


def _tell(screen: Screen, session: Session, checkup: Checkup, repaired: Repair | None) -> None:
    if checkup.store:
        count = f"{screen.glyphs.blocked} {len(checkup.store):,} found"
        screen.say(f"{screen.paint(count, 'red')}  {screen.paint('the file', 'bold')}")
        _tell_findings(screen, checkup.store)
    for report in checkup.workspaces:
        screen.say(_verdict(screen, report))
        _tell_findings(screen, report.findings)
        _tell_findings(screen, report.notes, "yellow")
    if not (checkup.workspaces or checkup.store):
        screen.say(screen.clean(f"The store at {session.settings.store} is empty; nothing to check."))
    if repaired is not None:
        _tell_repair(screen, session, repaired)
    elif any(finding.mendable for finding in checkup.findings):
        screen.say()
        line = joined(["doctor", "--repair", *same_place(session.options)])
        screen.say(f"Some of this can be mended. The store is copied first:  {screen.paint(line, 'bold')}")


def _tell_repair(screen: Screen, session: Session, repaired: Repair) -> None:
    screen.say()
    if repaired.foreign:
        screen.say(screen.clean(f"Nothing was repaired: others put {', '.join(repaired.foreign)} into the store."))
        line = joined(["doctor", "--repair", "--remove-foreign", *same_place(session.options)])
        screen.say(f"To repair the store without that:  {screen.paint(line, 'bold')}")
        return
    if repaired.kept is None:
        if repaired.before.store:
            screen.say("Nothing was repaired: nothing could be read. Put a backup in its place.")
        elif repaired.before.findings:
            screen.say("Nothing was repaired: a repair cannot mend what was found.")
        else:
            screen.say("The store needs no repair.")
        return
    found, left = len(repaired.before.findings), len(repaired.after.findings)
    screen.say(
        screen.clean(f"Repaired: {found:,} found before, {left:,} left. The old store is kept at {repaired.kept}")
    )
    if repaired.lost:
        screen.say("Could not be read, and is not in the repaired store:")
        _tell_findings(screen, repaired.lost)


def _verdict(screen: Screen, report: Report) -> str:
    checked = ", ".join(f"{number:,} {what}" for what, number in report.checked.items())
    end = f"log {report.log['seq']} {str(report.log['hash'])[:_HASH]}"
    if report.findings:
        sign, word, style = screen.glyphs.blocked, f"{len(report.findings):,} found", "red"
    else:
        sign, word, style = screen.glyphs.done, "sound", "green"
    name = screen.paint(screen.clean(report.workspace), "bold")
    return f"{screen.paint(f'{sign} {word}', style)}  {name}  {screen.paint(f'{checked}; {end}', 'dim')}"


def _tell_findings(screen: Screen, findings: Sequence[Finding], style: str = "red") -> None:
    rows = [
        [
            Cell(finding.code, style),
            Cell(screen.clean(finding.where), "bold"),
            Cell(screen.clean(finding.says)),
            Cell("can be mended" if finding.mendable else "", "dim"),
        ]
        for finding in findings[:_SHOWN]
    ]
    for line in table(screen, rows, give=((2, 20), (3, 0)), indent=2):
        screen.say(line)
    rest = len(findings) - len(rows)
    if rest:
        screen.say(f"  and {rest:,} more; --json lists them all")
