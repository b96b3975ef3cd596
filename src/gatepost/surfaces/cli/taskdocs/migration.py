"""Making a taskdoc out of a single file: shown, agreed to, all or nothing; the file stays as it is."""

import os
import re
import stat
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from gatepost.domain.protected_names import closed
from gatepost.domain.refusals import Refusal
from gatepost.domain.taskdoc_migration import Split, split
from gatepost.domain.taskdocs import SELECTORS
from gatepost.operations.batch import Batch, BatchedCall
from gatepost.replies.batch import Batched
from gatepost.surfaces.cli.errors import EXIT_OF_FAMILY, BadUsage, CommandError, NothingFound
from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.json_output import print_json
from gatepost.surfaces.cli.prompt import agreed
from gatepost.surfaces.cli.taskdocs.packages import is_silent, writing_workspace
from gatepost.surfaces.cli.taskdocs.targets import HELP, taskdoc_name
from gatepost.surfaces.cli.views import taskdoc as views

_MOST_BYTES: Final = 1_000_000
"""Of a file that is looked at; three full sections are far less."""

_LONGEST: Final = 64
_FOREIGN: Final = re.compile(r"[^a-z0-9_-]+")


class _Migration(NamedTuple):
    """What a file becomes: the calls of one batch, and the section that each is about."""

    file: str
    name: str
    parts: Split
    filled: Sequence[str]
    batch: Batch


def migrate(invocation: Invocation) -> None:
    """Split a file into a new taskdoc, after showing what goes where."""
    options = invocation.options
    plan = _planned(invocation)
    text, reply = _sent(invocation.rehearse, plan)
    if not options.json and not is_silent(options):
        views.say(f"{plan.file} as the taskdoc {plan.name}:")
        views.division(plan.parts)
    if not options.dry_run:
        if not agreed(
            [f"{plan.name} would be created; {plan.file} stays unchanged"], yes=options.yes, what="Migrate"
        ):
            return
        text, reply = _sent(invocation.ask, plan)
    if options.json:
        print_json(text)
    elif not options.quiet or options.dry_run:
        created = "Would create" if options.dry_run else "Created"
        path = reply.results[0]["path"]
        views.say(f"{created} {plan.name}, with its package {path}; {plan.file} stays unchanged and is not used")


def _planned(invocation: Invocation) -> _Migration:
    words = invocation.options.words
    if len(words) != 1:
        raise BadUsage("migrate takes one file", HELP)
    (file,) = words
    parts = split(_read(file))
    name = taskdoc_name(invocation.options.name) if invocation.options.name is not None else _name_of(file)
    contents = {selector: getattr(parts, selector) for selector in SELECTORS}
    filled = [selector for selector, content in contents.items() if content.strip()]
    if not filled:
        raise BadUsage(
            f"{file} contains no text", f"Create an empty taskdoc instead: gatepost taskdoc create {name}"
        )
    calls = [BatchedCall(tool="taskdoc_create", arguments={"name": name})]
    for selector in filled:
        arguments = {"taskdoc": name, "selector": selector, "content": contents[selector]}
        calls.append(BatchedCall(tool="change_mind", arguments=arguments))
    batch = Batch(workspace=writing_workspace(invocation), operations=tuple(calls))
    return _Migration(file, name, parts, filled, batch)


def _sent(send: Callable[[Batch], tuple[str, Batched]], plan: _Migration) -> tuple[str, Batched]:
    """The batch's reply. A refusal of one call is raised as such: people did not ask for a batch."""
    try:
        return send(plan.batch)
    except Refusal as refusal:
        if "operation_index" not in refusal.details:
            raise
        inner, index = refusal.details["error"], refusal.details["operation_index"]
        about = f"{plan.filled[index - 1]} of {plan.name}: " if index else ""
        error = {**inner, "message": f"nothing was created. {about}{inner['message']}"}
        raise CommandError(EXIT_OF_FAMILY[refusal.family], error) from None


def _name_of(file: str) -> str:
    """The taskdoc's name by the file's."""
    stem = os.path.splitext(os.path.basename(file))[0]
    name = _FOREIGN.sub("-", stem.casefold()).strip("-_")[:_LONGEST]
    if not name or name in SELECTORS:
        raise BadUsage(f"cannot derive a taskdoc name from {file}", "Give one, for example --name login")
    return name


def _read(file: str) -> str:
    """A file's text. It is opened once, and looked at as what it is then."""
    if any(map(closed, os.path.realpath(file).split(os.sep))):
        raise BadUsage(
            f"{file} is a taskdoc's package, or in one, or Gatepost's own",
            "To accept an edit in a package, use gatepost taskdoc adopt; a single file is named FILE.md.",
        )
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise NothingFound(
            f"there is no file {file}", "Name a single-file taskdoc, for example docs/task.md"
        ) from None
    except (OSError, ValueError) as error:
        raise BadUsage(f"{file} cannot be read: {getattr(error, 'strerror', error)}", HELP) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise BadUsage(f"{file} is not a file", "Name a single-file taskdoc, for example docs/task.md")
    with open(descriptor, "rb") as opened:
        data = opened.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise BadUsage(f"{file} has more than {_MOST_BYTES:,} bytes", "Shorten it: a section can have 65,536.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadUsage(f"{file} is not UTF-8 (at byte {error.start})", "Convert it to UTF-8 first.") from None
