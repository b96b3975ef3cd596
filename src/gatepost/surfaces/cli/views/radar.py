"""The radar on one terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gatepost.domain.checkpoints import ALWAYS
from gatepost.surfaces.cli.formats import checklist, claim_words, heading, moment_lines
from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.note_text import answer_lines, note_lines
from gatepost.surfaces.cli.tables import paragraph
from gatepost.surfaces.proof_text import basis_word, lamp, lamp_style
from gatepost.surfaces.terminal import Terminal, stdout

INDENT: Final = 10

if TYPE_CHECKING:
    from gatepost.operations.radar import Radar
    from gatepost.replies.handoff import HandoffReply
    from gatepost.replies.radar import Blocker, RadarReply
    from gatepost.replies.reply import SuggestedCall

    Report = RadarReply | HandoffReply


def show(invocation: Invocation, command: Radar) -> None:
    """Print a radar's reply."""
    terminal = stdout()
    reply = invocation.client.do(command)
    say_parts(terminal, head(terminal, invocation, command.workspace, reply), core(terminal, invocation, reply))


def core(terminal: Terminal, invocation: Invocation, reply: Report) -> list[tuple[str, list[str]]]:
    """What a radar says, part by part."""
    return [
        ("Now", _now(terminal, reply)),
        ("Why", _why(terminal, reply)),
        ("Verify", _verify(terminal, reply)),
        ("Next", [] if reply.next is None else _next(terminal, invocation, reply, reply.next)),
        ("Blockers", _blockers(terminal, reply)),
        ("Held", _held(terminal, reply)),
        ("Checklist", checklist(terminal, None if reply.target is None else reply.target.checklist, INDENT)),
    ]


def _next(terminal: Terminal, invocation: Invocation, reply: Report, call: SuggestedCall) -> list[str]:
    from gatepost.surfaces.cli.suggested_commands import call_lines, supplied

    arguments, now, supply = dict(call.arguments), reply.now, call.supply or ()
    if now is not None and now.path and now.step_id == arguments.get("step_id"):
        arguments = {name: value for name, value in arguments.items() if name != "step_id"} | {"path": now.path}
    if call.target is not None:
        arguments, supply = arguments | {"task": call.target}, ()
    lines = call_lines(terminal, call.tool, arguments, invocation.options, INDENT)
    if supply:
        lines += terminal.wrap(f"Add to it: {supplied(supply)}", INDENT)
    return [*terminal.wrap(call.because or "", INDENT), *lines]


def say_parts(terminal: Terminal, first: list[str], parts: list[tuple[str, list[str]]]) -> None:
    """Print labelled parts below a heading; those that say nothing are left out."""
    lines = [*first, ""]
    for label, part in parts:
        if part:
            lines += [*paragraph(terminal, label, part, INDENT), ""]
    for line in lines[:-1]:
        terminal.say(line)


def head(terminal: Terminal, invocation: Invocation, workspace: str, reply: Report) -> list[str]:
    """What the report is about, and of which moment."""
    return [*moment_lines(terminal, reply.at), *_head(terminal, invocation, workspace, reply)]


def _head(terminal: Terminal, invocation: Invocation, workspace: str, reply: Report) -> list[str]:
    target = reply.target
    if target is None and reply.at is not None:
        return [f"There was nothing to do in {terminal.paint(terminal.clean(workspace), 'bold')}."]
    if target is None:
        return [
            f"Nothing to do in {terminal.paint(terminal.clean(workspace), 'bold')}.",
            *invocation.other_workspaces(workspace),
        ]
    under = filter(None, (terminal.clean(workspace), target.plan, f"revision {target.revision}"))
    return heading(terminal, target, reply.counts, list(under))


def _now(terminal: Terminal, reply: Report) -> list[str]:
    now = reply.now
    if now is None or reply.target is None:
        nothing = "nothing can be worked on now" if reply.at is None else "nothing could be worked on"
        return [terminal.paint(nothing, "dim")] if reply.target is not None else []
    title, *rest = terminal.wrap(now.title, INDENT + 2)
    task = "" if now.task == reply.target.id else f"{now.task} "
    name = f"{task}{now.path} {terminal.glyphs.dot} {now.step_id}"
    found = [terminal.paint(f"{terminal.glyphs.now} {title}", "now"), *(f"  {line}" for line in rest)]
    found.append(f"  {terminal.paint(name, 'dim')}")
    found += [f"  beware: {line}" for note in now.blockers or () for line in terminal.wrap(note, INDENT + 10)]
    return [*found, *answer_lines(terminal, now.answer, INDENT), *note_lines(terminal, now.notes, INDENT)]


def _why(terminal: Terminal, reply: Report) -> list[str]:
    why = reply.why
    if why is None:
        return []
    lines = terminal.wrap(why.text, INDENT)
    if len(lines) > 6:
        lines = [*lines[:5], terminal.glyphs.ellipsis]
    own = reply.target is not None and why.source == reply.target.id
    return lines if own else [*lines, terminal.paint(f"from {why.source}", "dim")]


def _verify(terminal: Terminal, reply: Report) -> list[str]:
    verify = reply.verify
    if verify is None:
        return []
    texts = {"criteria": verify.criteria, "tests": verify.tests}
    found: list[str] = []
    for name in dict.fromkeys((*ALWAYS, *verify.required, *verify.unconfirmed)):
        kind, stale = (verify.confirmed or {}).get(name), name in (verify.stale or ())
        sign = terminal.paint(f"{lamp(terminal.glyphs, kind, stale=stale)} {name}", lamp_style(kind, stale=stale))
        word = "" if kind is None else f" {basis_word(kind)}{', stale' if stale else ''}"
        found.append(sign + terminal.paint(word, "dim"))
        for check in verify.checks or ():
            if check.checkpoint == name:
                found += [f"  {line}" for line in terminal.wrap(f"$ {check.line}", INDENT + 2)]
        for text in texts.get(name, ()):
            first, *rest = terminal.wrap(text, INDENT + 4)
            found += [f"  {terminal.glyphs.dot} {first}", *(f"    {line}" for line in rest)]
    return found


def _blockers(terminal: Terminal, reply: Report) -> list[str]:
    found: list[str] = []
    for blocker in reply.blockers:
        style = "red" if blocker.depends_on is None else "yellow"
        first, *rest = terminal.wrap(_blocker(terminal, reply, blocker), INDENT + 2)
        found += [terminal.paint(first, style), *(f"  {line}" for line in rest)]
    return found


def _held(terminal: Terminal, reply: Report) -> list[str]:
    """What others work on."""
    found: list[str] = []
    for held in reply.held or ():
        own = reply.target is not None and held.task == reply.target.id and held.path is not None
        name = " ".join(filter(None, ("" if own else held.task, held.path)))
        found += terminal.wrap(f"{name}  {held.title}: {claim_words(held)}", INDENT)
    return found


def _blocker(terminal: Terminal, reply: Report, blocker: Blocker) -> str:
    if blocker.approval is not None:
        return f"{terminal.glyphs.waiting} {blocker.task} waits for a person's approval  {blocker.title}"
    if blocker.depends_on is not None:
        waits = f"{blocker.task} waits for {blocker.depends_on}"
        return f"{terminal.glyphs.waiting} {waits}  {blocker.title} ({blocker.status})"
    task = "" if reply.target is not None and blocker.task == reply.target.id else f"{blocker.task} "
    reason = f": {' '.join(blocker.reason.split())}" if blocker.reason else ""
    return f"{terminal.glyphs.blocked} {task}{blocker.path}  {blocker.title}{reason}"
