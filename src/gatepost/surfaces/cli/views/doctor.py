"""The doctor's findings."""

from argparse import Namespace
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec

from gatepost.client.connect import Gatepost
from gatepost.domain.refusals import BUSY, Busy, ImportUnfinished
from gatepost.engine import doctor
from gatepost.engine.caller import Caller
from gatepost.engine.doctor import Checkup, DoctorFinding, DoctorReport, Repair
from gatepost.engine.engine import Engine
from gatepost.operations.taskdoc_packages import settle
from gatepost.surfaces.cli.errors import EXIT_OF_FAMILY, FAULT, CommandError, NothingFound
from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.json_output import print_json
from gatepost.surfaces.cli.parser import refuse_server
from gatepost.surfaces.cli.suggested_commands import joined, same_store
from gatepost.surfaces.cli.tables import Cell, table
from gatepost.surfaces.cli.views.trust import trust_line
from gatepost.surfaces.terminal import Terminal, stdout

_SHOWN: Final = 50
_HASH: Final = 16
_IN_USE: Final = {
    "code": "BUSY",
    "message": "Another program has the store open, so it cannot be repaired now. Nothing was changed.",
    "recovery": "Stop every program that uses the store (gatepost up, mcp, tui), then run the repair again.",
}


def check_up(options: Namespace) -> int:
    """Examine, mend if asked to, and tell; the exit code."""
    with Invocation(options) as invocation:
        refuse_server(options, invocation.settings)
        invocation.require_store()
        repaired = _repaired(invocation, options) if options.repair else None
        checkup = _checkup(invocation) if repaired is None or repaired.kept is None else repaired.after
        if options.json:
            print_json(_as_json(checkup, repaired))
        elif not options.quiet:
            terminal = stdout()
            _tell(terminal, invocation, checkup, repaired)
            trust = trust_line(invocation.settings.root)
            if trust is not None:
                terminal.say(terminal.paint(terminal.clean(trust), "dim"))
    return FAULT if checkup.findings else 0


def _checkup(invocation: Invocation) -> Checkup:
    """The whole store, or the workspace that was chosen."""
    store, chosen = _engine(invocation).store, invocation.settings.workspace
    if chosen is None:
        return doctor.check_store(store, _engine(invocation).packages)
    with store.inspecting() as inspection:
        names = inspection.workspaces()
    if chosen not in names:
        whole = doctor.check_store(store, _engine(invocation).packages, [])
        if whole.store:
            return whole
        raise NothingFound(f"the store has no workspace {chosen}", f"It has: {', '.join(names) or 'none yet'}")
    return doctor.check_store(store, _engine(invocation).packages, [chosen])


def _engine(invocation: Invocation) -> Engine:
    return Gatepost(invocation.client).engine


def _repaired(invocation: Invocation, options: Namespace) -> Repair:
    """Write the store again where that mends something; then the packages that a crash left behind."""
    try:
        repaired = doctor.repair(_engine(invocation).store, remove_foreign=options.remove_foreign)
    except Busy:
        raise CommandError(EXIT_OF_FAMILY[BUSY], _IN_USE) from None
    if not repaired.after.store:
        for report in repaired.after.workspaces:
            with suppress(ImportUnfinished):
                settle(_engine(invocation), report.workspace, Caller("doctor"))
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
    return msgspec.json.encode(shown).decode()


def _rows(findings: Sequence[DoctorFinding]) -> list[dict[str, Any]]:
    return [finding._asdict() for finding in findings]


def _tell(terminal: Terminal, invocation: Invocation, checkup: Checkup, repaired: Repair | None) -> None:
    if checkup.store:
        count = f"{terminal.glyphs.blocked} {len(checkup.store):,} found"
        terminal.say(f"{terminal.paint(count, 'red')}  {terminal.paint('the file', 'bold')}")
        _tell_findings(terminal, checkup.store)
    for report in checkup.workspaces:
        terminal.say(_verdict(terminal, report))
        _tell_findings(terminal, report.findings)
        _tell_findings(terminal, report.notes, "yellow")
    if not (checkup.workspaces or checkup.store):
        terminal.say(terminal.clean(f"The store at {invocation.settings.place} is empty; nothing to check."))
    mendable = any(finding.mendable for finding in checkup.findings)
    if repaired is None and not mendable:
        return
    terminal.say()
    line = ["doctor", "--repair", *same_store(invocation.options)]
    if repaired is None:
        words = terminal.paint(joined(line), "bold")
        terminal.say(f"Some of this can be repaired. The store is copied first:  {words}")
        return
    terminal.say(terminal.clean(_outcome(repaired)))
    if repaired.foreign:
        words = terminal.paint(joined([*line[:2], "--remove-foreign", *line[2:]]), "bold")
        terminal.say(f"To repair the store without that:  {words}")
    elif repaired.kept is not None and repaired.lost:
        terminal.say("Could not be read, so it is not in the repaired store:")
        _tell_findings(terminal, repaired.lost)


def _outcome(repaired: Repair) -> str:
    """What a repair did, or why it did nothing."""
    if repaired.foreign:
        return f"Nothing was repaired: other programs put {', '.join(repaired.foreign)} into the store."
    found, left = len(repaired.before.findings), len(repaired.after.findings)
    if repaired.kept is not None:
        return f"Repaired: {found:,} found before, {left:,} left. The old store is kept at {repaired.kept}"
    if repaired.before.store:
        return "Nothing was repaired: nothing could be read. Restore a backup: gatepost restore FILE"
    return "Nothing was repaired: a repair cannot fix what was found." if found else "The store needs no repair."


def _verdict(terminal: Terminal, report: DoctorReport) -> str:
    checked = ", ".join(f"{number:,} {what}" for what, number in report.checked.items())
    end = f"log {report.log['seq']} {str(report.log['hash'])[:_HASH]}"
    if report.findings:
        sign, word, style = terminal.glyphs.blocked, f"{len(report.findings):,} found", "red"
    else:
        sign, word, style = terminal.glyphs.done, "sound", "green"
    name = terminal.paint(terminal.clean(report.workspace), "bold")
    return f"{terminal.paint(f'{sign} {word}', style)}  {name}  {terminal.paint(f'{checked}; {end}', 'dim')}"


def _tell_findings(terminal: Terminal, findings: Sequence[DoctorFinding], style: str = "red") -> None:
    rows = [
        [
            Cell(finding.code, style),
            Cell(terminal.clean(finding.where), "bold"),
            Cell(terminal.clean(finding.says)),
            Cell("can be repaired" if finding.mendable else "", "dim"),
        ]
        for finding in findings[:_SHOWN]
    ]
    for line in table(terminal, rows, give=((2, 20), (3, 0)), indent=2):
        terminal.say(line)
    rest = len(findings) - len(rows)
    if rest:
        terminal.say(f"  and {rest:,} more; --json lists them all")
