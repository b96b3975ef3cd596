"""Connecting the agents of a project: what would change, the question, and what to do next."""

import json
import os
import shutil
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from difflib import unified_diff
from io import StringIO
from typing import Final

from gatepost.settings import in_file, root_folder
from gatepost.surfaces.cli.actors import require_person
from gatepost.surfaces.cli.errors import FAULT, BadUsage, CommandError
from gatepost.surfaces.cli.json_output import print_json
from gatepost.surfaces.cli.suggested_commands import joined, same_place
from gatepost.surfaces.cli.views.trust import decide, project_trust, said_yes
from gatepost.surfaces.setup import install_record
from gatepost.surfaces.setup.clients import NAMES, AgentClient, chosen
from gatepost.surfaces.setup.project_files import (
    PlannedFile,
    carry_out,
    planned_installation,
    planned_removal,
)
from gatepost.surfaces.setup.project_settings import is_shared, proposed_checks, settings_edits
from gatepost.surfaces.setup.workspace_name import workspace_name
from gatepost.surfaces.terminal import stdout

_LEFT_ALONE: Final = 4
_PAGE: Final = "http://127.0.0.1:4870/"
_SENTENCE: Final = "Plan this with Gatepost, then work on it step by step: <what you want>"


def connect(options: Namespace) -> int:
    """Write what connects the clients, or show it."""
    root = _project(options)
    if options.allow:
        require_person("trusting commands is a person's decision")
    clients = chosen(options.client or (), root)
    workspace = _workspace(root)

    def plan() -> list[PlannedFile]:
        checks = proposed_checks(root)
        shared = is_shared(root)
        return planned_installation(
            root, clients, own_command(), None if shared else lambda text: settings_edits(text, workspace, checks)
        )

    found = plan()
    if options.only_print:
        return _show(found, options)
    if not _agreed(found, options, f"Write these files for {_titles(clients)}?"):
        return 0
    _carry_out(root, plan)
    _tell_files(found, options, f"Workspace {workspace}, {_titles(clients)}.", workspace)
    if not options.json:
        _tell_trust(root, options)
        _tell_next(clients, options)
    elif options.allow:
        with redirect_stdout(StringIO()):  # the JSON above is the whole answer
            _allow(options)
    return _code(found)


def disconnect(options: Namespace) -> int:
    """Take out what init wrote, or show it."""
    root = _project(options)
    clients = [] if not options.client or "all" in options.client else options.client
    found = planned_removal(root, clients)
    if not found:
        if options.json:
            print_json(json.dumps(_as_json(found)))
        else:
            stdout().say("There is nothing to remove: gatepost init has written nothing here that it knows of.")
        return 0
    if options.only_print:
        return _show(found, options)
    if not _agreed(found, options, "Take out what init wrote?"):
        return 0
    _carry_out(root, lambda: planned_removal(root, clients))
    _tell_files(found, options, "Removed what gatepost init wrote.")
    if not options.json:
        stdout().say("Tasks stay in .gatepost. What you trusted here stays trusted: gatepost trust --revoke")
    return _code(found)


def _carry_out(root: str, plan: Callable[[], list[PlannedFile]]) -> None:
    try:
        with install_record.changing(root):
            carry_out(root, plan())
    except OSError as error:
        message = f"{error.filename or root} cannot be written: {error.strerror}"
        recovery = (
            "Correct that, then run it again. What was written already can be taken out: gatepost init --remove"
        )
        raise CommandError(FAULT, {"code": "DISK_REFUSED", "message": message, "recovery": recovery}) from None


def own_command() -> list[str]:
    """The words that start this Gatepost, wherever a client starts them."""
    beside = os.path.join(os.path.dirname(sys.executable), "gatepost")
    for script in (os.path.abspath(sys.argv[0]), beside, shutil.which("gatepost")):
        if script and os.path.basename(script) == "gatepost" and os.access(script, os.X_OK):
            return [os.path.abspath(script)]
    return [sys.executable, "-m", "gatepost"]


def _project(options: Namespace) -> str:
    root = root_folder(options.root)
    if not os.path.isdir(root):
        raise BadUsage(f"{root} is not a folder", "Give the project's folder: gatepost init --root DIR")
    if os.path.realpath(root) in (os.path.realpath(os.path.expanduser("~")), "/"):
        raise BadUsage(
            f"{root} is not a project, and clients would read these files everywhere",
            "Run gatepost init in your project's folder.",
        )
    return root


def _workspace(root: str) -> str:
    """The name that the project's file says, or that the store has, or one that fits."""
    _, found = in_file(root)
    if "workspace" in found:
        return found["workspace"]
    from gatepost.client.choice import client_of
    from gatepost.settings import settings

    known = settings({}, root)
    if known.is_file and os.path.isfile(known.store):
        client = client_of(known, actor="cli")
        try:
            names = client.workspaces()
        finally:
            client.close()
        if len(names) == 1:
            return names[0]
    return workspace_name(root)


def _agreed(plan: Sequence[PlannedFile], options: Namespace, question: str) -> bool:
    """Whether the changes may be made. Asks where somebody can answer."""
    changes = [file for file in plan if file.changes]
    if options.yes or not changes:
        return True
    if options.json or not _has_person():
        raise BadUsage(
            f"Not confirmed. It would change {', '.join(file.path for file in changes)}",
            "Add --yes, or use --print to see the changes.",
        )
    terminal = stdout()
    for file in changes:
        terminal.say(terminal.clean(f"  {_verb(file, future=True):<11}{file.path}"))
    if said_yes(question):
        return True
    terminal.say("Nothing was changed.")
    return False


def _show(plan: Sequence[PlannedFile], options: Namespace) -> int:
    """Show what would change, as differences."""
    changes = [file for file in plan if file.changes or file.problem]
    if options.json:
        print_json(json.dumps(_as_json(changes)))
        return _code(plan)
    terminal = stdout()
    for file in changes:
        if file.problem:
            terminal.say(terminal.clean(f"{file.path} {file.problem}, so it would stay as it is."))
        before, after = ((text or "").splitlines() for text in (file.before, file.after))
        for line in unified_diff(before, after, file.path, file.path, lineterm=""):
            terminal.say(terminal.clean(line))
    if not changes:
        terminal.say("Nothing would change.")
    return _code(plan)


def _tell_files(
    plan: Sequence[PlannedFile], options: Namespace, summary: str, workspace: str | None = None
) -> None:
    if options.json:
        named = {} if workspace is None else {"workspace": workspace}
        print_json(json.dumps(named | _as_json(plan)))
        return
    terminal = stdout()
    for file in plan:
        terminal.say(terminal.clean(f"  {_verb(file):<11}{file.path}"))
        for kept in file.kept:
            terminal.say(terminal.clean(f"             kept: {kept}"))
    for file in plan:
        if file.problem is not None:
            terminal.say(terminal.clean(f"{file.path} {file.problem}, so it stays as it is. Correct it, and run"))
            terminal.say("this again.")
    terminal.say(terminal.clean(summary))


def _tell_trust(root: str, options: Namespace) -> None:
    if options.allow:
        _allow(options)
    found = project_trust(root)
    if found.state not in ("untrusted", "changed"):
        return
    if _has_person() and not options.yes:
        try:
            require_person("trusting a folder is a person's decision")
        except CommandError:
            pass
        else:
            decide(Namespace(root=options.root, yes=False, json=False, show=False, revoke=False, allow=None))
            return
    stdout().say(f"Checks run once you trust gatepost.toml:  {joined(['trust', *same_place(options)])}")


def _allow(options: Namespace) -> None:
    decide(Namespace(root=options.root, yes=True, json=False, show=False, revoke=False, allow=options.allow))


def _tell_next(clients: Sequence[AgentClient], options: Namespace) -> None:
    terminal = stdout()
    if not clients:
        terminal.say(f"No client was found here. Name one: gatepost init --client {'|'.join(NAMES)}")
        return
    page = joined(["up", *same_place(options)])
    terminal.say("")
    terminal.say(f"Say to your agent:  {_SENTENCE}")
    terminal.say(f"Watch on the page:  {_PAGE}  (started by: {page})")


def _titles(clients: Sequence[AgentClient]) -> str:
    return ", ".join(client.title for client in clients) or "no client"


def _verb(file: PlannedFile, *, future: bool = False) -> str:
    if file.problem is not None:
        return "left alone"
    if not file.changes:
        return "unchanged"
    if file.after is None:
        return "delete" if future else "deleted"
    if file.before is None:
        return "create" if future else "created"
    return "change" if future else "changed"


def _has_person() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout is not None and sys.stdout.isatty()


def _code(plan: Sequence[PlannedFile]) -> int:
    return _LEFT_ALONE if any(file.problem for file in plan) else 0


def _as_json(plan: Sequence[PlannedFile]) -> dict[str, object]:
    return {
        "files": [
            {
                "path": file.path,
                "outcome": _verb(file),
                **({"kept": list(file.kept)} if file.kept else {}),
                **({"problem": file.problem} if file.problem else {}),
            }
            for file in plan
        ]
    }
