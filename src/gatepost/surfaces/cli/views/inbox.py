"""What waits for a person, and what to do about each."""

from argparse import Namespace
from typing import Final

from msgspec.structs import replace

from gatepost.operations.inbox import Inbox
from gatepost.replies.inbox import InboxItem
from gatepost.surfaces.cli.formats import short_time
from gatepost.surfaces.cli.invocation import ROOM, Invocation
from gatepost.surfaces.cli.suggested_commands import call_lines, next_page
from gatepost.surfaces.proof_text import basis_word
from gatepost.surfaces.terminal import Terminal, stdout

_KINDS: Final = {
    "question": "question",
    "signoff": "sign-off",
    "approval": "approval",
    "package": "edited file",
    "trust": "command to trust",
}


def show(invocation: Invocation, command: Inbox) -> None:
    """Print the inbox."""
    terminal, options = stdout(), invocation.options
    _, reply = invocation.ask(replace(command, max_chars=ROOM))
    for item in reply.items:
        for line in [_name(item)] if options.quiet else [*_lines(terminal, item, options), ""]:
            terminal.say(line)
    if options.quiet:
        return
    if not reply.items:
        terminal.say(f"Nothing waits for you in {terminal.clean(command.workspace)}.")
        for line in invocation.other_workspaces(command.workspace):
            terminal.say(line)
    if reply.has_more:
        terminal.say(next_page(terminal, options, cursor=reply.cursor))


def _lines(terminal: Terminal, item: InboxItem, options: Namespace) -> list[str]:
    kind = terminal.paint(_KINDS[item.kind], "yellow")
    head = f"{kind}  {terminal.paint(_name(item), 'bold')}  {terminal.clean(item.title)}".rstrip()
    lines = [text for said in _said(item) for text in terminal.wrap(said, 2)]
    command = [] if item.command is None else [terminal.paint(terminal.clean(item.command), "bold")]
    return [head, *(f"  {line}" for line in (*lines, *command, *_signing(terminal, item, options)))]


def _signing(terminal: Terminal, item: InboxItem, options: Namespace) -> list[str]:
    """The call with which a person closes a step after looking at it."""
    call = item.next
    if item.kind != "signoff" or call is None:
        return []
    marks = {name.partition(".")[2]: {"confirmed": True} for name in call.supply or ()}
    return call_lines(terminal, call.tool, {**call.arguments, "checkpoints": marks}, options, 2)


def _said(item: InboxItem) -> list[str]:
    """The facts about an item, and what to do, one paragraph each."""
    said = [text for text in (item.ask, item.reason, item.differs, item.run and f"$ {item.run}") if text]
    if item.options:
        said.append(f"Options: {', '.join(item.options)}")
    if item.actor is not None and item.at is not None:
        said.append(f"{item.actor}, {short_time(item.at)}" + (f", for {item.for_}" if item.for_ else ""))
    for proof in item.confirmed or ():
        note = f": {proof.note}" if proof.note else ""
        said.append(f"{proof.checkpoint}: {basis_word(proof.provenance)}, {proof.actor}{note}")
    return [*said, item.do]


def _name(item: InboxItem) -> str:
    names = (item.task, item.path) if item.task is not None else (item.plan or item.taskdoc, item.selector)
    return " ".join(filter(None, names))
