"""What a project asks for, and what a person decides about it."""

import json
import shlex
import sys
from argparse import Namespace
from typing import Any, NamedTuple

from gatepost.checks import allowed_commands, trust_record
from gatepost.checks.allowed_commands import Words
from gatepost.checks.settings_file import FILE, BadSettings, SettingsFile
from gatepost.checks.trust import Trust, decision, entries, is_trusted
from gatepost.checks.trust_record import DamagedRecord, NoConfiguration, TrustRecord
from gatepost.domain.proof_refusals import HumanRequired
from gatepost.settings import asks, default_store, in_file, outside, root_folder
from gatepost.surfaces.cli.errors import EXIT_OF_FAMILY, FAULT, BadUsage, CommandError
from gatepost.surfaces.cli.json_output import print_json
from gatepost.surfaces.cli.suggested_commands import joined, same_place
from gatepost.surfaces.cli.tables import Cell, table
from gatepost.surfaces.terminal import stdout


class ProjectTrust(NamedTuple):
    """What a project asks for, and what was decided. `problem` says why the record of it cannot be used."""

    root: str
    file: SettingsFile | None
    needs: dict[str, str]
    listed: tuple[Words, ...]
    store: str | None
    record: TrustRecord
    problem: str | None

    @property
    def asks(self) -> bool:
        """Whether there is anything to trust."""
        return bool(self.needs or self.listed)

    @property
    def state(self) -> str:
        """One of `nothing`, `trusted`, `changed`, `untrusted`."""
        if not self.asks:
            return "nothing"
        if is_trusted(self.record, self.file, self.store):
            return "trusted"
        return "untrusted" if self.record.sha256 is None and self.record.store is None else "changed"

    @property
    def allowed(self) -> tuple[Words, ...]:
        """The commands that may run."""
        return (*(self.listed if self.state == "trusted" else ()), *self.record.allow)


def project_trust(root: str) -> ProjectTrust:
    """What the project in a folder asks for, and what was decided."""
    file, found = in_file(root)
    problem, record, real = None, TrustRecord(), Trust(root).root
    try:
        record = decision(real)
    except DamagedRecord as error:
        problem = str(error)
    return ProjectTrust(
        root=real,
        file=file,
        needs=asks(root, file, found),
        listed=() if file is None else entries(file),
        store=outside(found.get("store") or default_store(root), root),
        record=record,
        problem=problem,
    )


def trust_line(root: str) -> str | None:
    """The state of trust in one line, for the doctor; None where there is nothing to trust."""
    try:
        found = project_trust(root)
    except BadSettings as error:
        return f"trust: {error}"
    if not (found.asks or found.record.allow or found.problem):
        return None
    commands = ", ".join(shlex.join(entry) for entry in found.allowed) or "no command"
    problem = "" if found.problem is None else f" {found.problem}, so nothing is trusted."
    return f"trust: {_summary(found)}{problem} Checks may run {commands}."


def decide(options: Namespace) -> int:
    """Show what is asked for, ask, and keep the decision."""
    root = root_folder(options.root)
    try:
        if options.revoke:
            return _revoke(Trust(root).root, options)
        found = project_trust(root)
        if options.allow:
            return _allow(found, options)
        return _trust(found, options)
    except NoConfiguration as error:
        recovery = "Nothing was changed. Correct that, then try again."
        raise CommandError(FAULT, {"code": "DISK_REFUSED", "message": str(error), "recovery": recovery}) from None


def _trust(found: ProjectTrust, options: Namespace) -> int:
    if options.show or found.state in ("nothing", "trusted"):
        _tell(found, options)
        return 0
    if not options.yes:
        _need_person(options)
        _tell(found, options, proposing=False)
        if not said_yes("Trust this as it is now?"):
            stdout().say("Nothing was changed.")
            return 0
    sha256 = None if found.file is None else found.file.sha256
    new = trust_record.change(found.root, lambda held: held._replace(sha256=sha256, store=found.store))
    if options.json:
        _tell(found._replace(record=new, problem=None), options)
        return 0
    stdout().say(
        f"Trusted. If {FILE} changes, Gatepost asks again. To revoke it: "
        f"{joined(['trust', '--revoke', *same_place(options)])}"
    )
    return 0


def _allow(found: ProjectTrust, options: Namespace) -> int:
    try:
        words = [allowed_commands.split(line) for line in options.allow]
    except ValueError as error:
        raise BadUsage(f"--allow: {error}", "Write the words that the command begins with.") from None
    if not options.yes:
        _need_person(options)
    new = trust_record.change(found.root, lambda held: _extended(held, words))
    if options.json:
        _tell(found._replace(record=new, problem=None), options)
        return 0
    terminal = stdout()
    for entry in words:
        terminal.say(terminal.clean(f"Allowed in {found.root}: {_spelled(entry)}"))
    return 0


def _extended(held: TrustRecord, words: list[Words]) -> TrustRecord:
    allow = tuple(dict.fromkeys((*held.allow, *words)))
    if len(allow) > allowed_commands.MOST:
        raise BadUsage(
            f"--allow: at most {allowed_commands.MOST} commands can be allowed for a folder",
            "Start again with gatepost trust --revoke, and allow fewer words of each command.",
        )
    return held._replace(allow=allow)


def _revoke(root: str, options: Namespace) -> int:
    forgotten = trust_record.remove(root)
    if options.json:
        print_json(json.dumps({"root": root, "revoked": forgotten}))
    else:
        terminal = stdout()
        words = "Nothing in it is trusted or allowed any more." if forgotten else "There was nothing to forget."
        terminal.say(terminal.clean(f"{root}: {words}"))
    return 0


def _need_person(options: Namespace) -> None:
    """Refuse where nobody can answer. Agents have no terminal."""
    asked = sys.stdin is not None and sys.stdin.isatty() and sys.stdout is not None and sys.stdout.isatty()
    if options.json or not asked:
        error = {
            "code": HumanRequired.code,
            "message": "Only a person can trust a project, and there is no terminal to ask on.",
            "recovery": "Nothing was changed. Run this in a terminal yourself. An agent asks its user to do so.",
        }
        raise CommandError(EXIT_OF_FAMILY[HumanRequired.family], error)


def said_yes(question: str) -> bool:
    """Whether the person at the terminal agrees."""
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        print()
        return False


def _tell(found: ProjectTrust, options: Namespace, *, proposing: bool = True) -> None:
    if options.json:
        print_json(json.dumps(_as_json(found)))
        return
    terminal = stdout()
    terminal.say(terminal.clean(f"{found.root}: {_summary(found)}"))
    rows = [*found.needs.items()]
    rows += [("checks", f"lets agents run {_spelled(entry)}") for entry in found.listed]
    rows += [("allowed", f"by you: {_spelled(entry)}") for entry in found.record.allow]
    cells = [[Cell(terminal.clean(name), "bold"), Cell(terminal.clean(what))] for name, what in rows]
    for line in table(terminal, cells, give=(), indent=2):
        terminal.say(line)
    if found.listed or found.record.allow:
        terminal.say("Commands run the project's own code with your rights.")
    if found.problem is not None:
        terminal.say(terminal.clean(f"{found.problem}, so nothing is trusted. Decide again to replace it."))
    if found.state in ("untrusted", "changed") and options.show:
        terminal.say(f"To trust it:  {terminal.paint(joined(['trust', *same_place(options)]), 'bold')}")
    could = _proposals(found) if proposing else []
    if could:
        flags = [word for line in could for word in ("--allow", line)]
        words = terminal.paint(terminal.clean(joined(["trust", *flags, *same_place(options)])), "bold")
        terminal.say(f"No command may run as a check. You could allow:  {words}")


def _summary(found: ProjectTrust) -> str:
    what = FILE if found.file is not None else ".gatepost"
    return {
        "nothing": f"{FILE} asks for nothing that needs trust." if found.file else f"there is no {FILE}.",
        "trusted": f"{what} is trusted.",
        "changed": f"{what} has changed since you trusted it.",
        "untrusted": f"{what} asks for your trust.",
    }[found.state]


def _spelled(entry: Words) -> str:
    """An entry as people read it, with a word of warning where it permits everything."""
    danger = ": it can start any program" if allowed_commands.permits_anything(entry) else ""
    return f"{shlex.join(entry)}, with any arguments{danger}"


def _proposals(found: ProjectTrust) -> list[str]:
    """The project's own commands for checks and tests, where no command is allowed or asked for."""
    if found.listed or found.record.allow:
        return []
    from gatepost.surfaces.setup.project_settings import proposed_checks

    return proposed_checks(found.root)


def _as_json(found: ProjectTrust) -> dict[str, Any]:
    return {
        "root": found.root,
        "file": None if found.file is None else found.file.path,
        "state": found.state,
        "needs": found.needs,
        "checks": [shlex.join(entry) for entry in found.listed],
        "allowed": [shlex.join(entry) for entry in found.allowed],
        "could_allow": _proposals(found),
        "record": trust_record.location(found.root),
        "problem": found.problem,
    }
