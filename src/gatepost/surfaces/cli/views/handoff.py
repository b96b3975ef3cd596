"""The handoff report: what is done, what remains, what is at risk, and the radar below."""

from collections.abc import Sequence

from gatepost.operations.handoff import Handoff
from gatepost.replies.handoff import OpenQuestion, Proof, WorkItem
from gatepost.replies.lint import Risk
from gatepost.surfaces.cli.formats import claim_words, short_time
from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.note_text import note_lines
from gatepost.surfaces.cli.views.radar import INDENT, core, head, say_parts
from gatepost.surfaces.proof_text import lamp, proof_words
from gatepost.surfaces.terminal import Terminal, stdout


def show(invocation: Invocation, command: Handoff) -> None:
    """Print a handoff's reply."""
    terminal = stdout()
    reply = invocation.client.do(command)
    parts: list[tuple[str, list[str]]] = []
    if reply.target is not None:
        done = [line for item in reply.done.items for line in _done(terminal, item)]
        remaining = [line for item in reply.remaining.items for line in _remaining(terminal, item)]
        risks = [line for item in reply.risks.items for line in _risk(terminal, item)]
        parts = [
            (
                "Step",
                [] if reply.step is None else [f"{reply.step.path}  {terminal.clean(reply.step.title or '')}"],
            ),
            ("Done", _counted(terminal, reply.done.count, reply.done.items, done)),
            ("Remaining", _counted(terminal, reply.remaining.count, reply.remaining.items, remaining)),
            ("Questions", [line for item in reply.questions or () for line in _question(terminal, item)]),
            ("Risks", _counted(terminal, reply.risks.count, reply.risks.items, risks) if risks else []),
            ("Notes", note_lines(terminal, reply.notes, INDENT)),
            *core(terminal, invocation, reply),
        ]
    say_parts(terminal, head(terminal, invocation, command.workspace, reply), parts)


def _done(terminal: Terminal, item: WorkItem) -> list[str]:
    closed = ", ".join(filter(None, (item.actor, None if item.at is None else short_time(item.at))))
    lines = _item(terminal, terminal.glyphs.done, _named(terminal, item))
    for text in filter(
        None,
        (
            f"closed by {closed}" if closed else "",
            _forced(item),
            *(_proof(terminal, one) for one in item.proof or ()),
        ),
    ):
        lines += [f"  {terminal.paint(line, 'dim')}" for line in terminal.wrap(text, INDENT + 2)]
    return lines


def _forced(item: WorkItem) -> str:
    if not item.forced:
        return item.reason or ""
    still = f", still without {' and '.join(item.unconfirmed)}" if item.unconfirmed else ""
    return f"forced: {item.reason}{still}"


def _proof(terminal: Terminal, proof: Proof) -> str:
    sign = lamp(terminal.glyphs, proof.provenance, stale=proof.stale)
    return f"{sign} {proof.checkpoint} {proof_words(proof, proof.actor)}"


def _remaining(terminal: Terminal, item: WorkItem) -> list[str]:
    sign = terminal.glyphs.blocked if item.blocked else terminal.glyphs.open
    waits = f" (waits for {', '.join(item.waits_for)})" if item.waits_for else ""
    why = f": {item.reason}" if item.reason else ""
    held = f" ({terminal.clean(claim_words(item.claim))})" if item.claim is not None else ""
    return _item(terminal, sign, _named(terminal, item) + waits + why + held)


def _question(terminal: Terminal, item: OpenQuestion) -> list[str]:
    asked = ", ".join(filter(None, (item.actor, None if item.at is None else short_time(item.at))))
    return _item(terminal, "?", f"{item.task} {item.path}  {item.question}" + (f" ({asked})" if asked else ""))


def _risk(terminal: Terminal, item: Risk) -> list[str]:
    problem = f"no {' or '.join(item.lacks)}" if item.lacks else item.code.replace("_", " ").lower()
    detail = item.reason or ", ".join(item.unconfirmed or item.asserted or item.stale or item.paths or ())
    line = f"{_named(terminal, item)}: {problem}" + (f" ({detail})" if detail else "")
    first, *rest = _item(terminal, "!", line)
    return [terminal.paint(first, "yellow"), *rest]


def _item(terminal: Terminal, sign: str, text: str) -> list[str]:
    """A text behind its sign, in as many lines as it takes."""
    first, *rest = terminal.wrap(text, INDENT + 2)
    return [f"{sign} {first}", *(f"  {line}" for line in rest)]


def _counted(terminal: Terminal, count: int, items: Sequence[object], rows: list[str]) -> list[str]:
    """The rows, and how many more items there are."""
    left = count - len(items)
    if not count:
        return [terminal.paint("nothing", "dim")]
    return [*rows, terminal.paint(f"{terminal.glyphs.more} and {left} more", "dim")] if left > 0 else rows


def _named(terminal: Terminal, item: WorkItem | Risk) -> str:
    name = " ".join(filter(None, (item.task, item.path)))
    return terminal.clean(f"{name}  {item.title or ''}".strip())
