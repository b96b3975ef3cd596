"""What happened while somebody was away."""

from collections.abc import Sequence

from gatepost.operations.away import Away
from gatepost.replies.away import AskedQuestion, AwayReply, FinishedStep, StuckStep
from gatepost.surfaces.cli.formats import short_time
from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.views.radar import INDENT, say_parts
from gatepost.surfaces.proof_text import basis_word
from gatepost.surfaces.terminal import Terminal, stdout


def show(invocation: Invocation, command: Away) -> None:
    """Print a digest."""
    terminal = stdout()
    reply = invocation.client.do(command)
    say_parts(terminal, [terminal.paint(_heading(reply), "dim")], _parts(terminal, reply))


def _heading(reply: AwayReply) -> str:
    since = short_time(reply.since.at) if reply.since.seq else "the beginning"
    return f"Since {since} (seq {reply.since.seq})" + (": only the newest events" if reply.partial else "")


def _parts(terminal: Terminal, reply: AwayReply) -> list[tuple[str, list[str]]]:
    finished, done, asked, stuck = reply.finished, reply.completed, reply.questions, reply.blocked
    dim = [
        terminal.paint(text, "dim")
        for text in (
            _proven(reply),
            _counted(done.plans, "plan") + " and " + _counted(done.tasks, "task") if done.items else "",
            f"{asked.waiting} without an answer" if asked.waiting else "",
        )
    ]
    parts = [
        ("Finished", dim[0], finished.count, [_finished(terminal, step) for step in finished.items]),
        (
            "Completed",
            dim[1],
            done.plans + done.tasks,
            [
                _item(terminal, terminal.glyphs.done, f"{it.id}  {it.title}", f"{it.actor}, {short_time(it.at)}")
                for it in done.items
            ],
        ),
        ("Questions", dim[2], asked.count, [_asked(terminal, it) for it in asked.items]),
        ("Blocked", "", stuck.count, [_stuck(terminal, it) for it in stuck.items]),
    ]
    shown = [(label, _listed(terminal, first, count, items)) for label, first, count, items in parts if count]
    created = [_counted(reply.created.plans, "plan"), _counted(reply.created.tasks, "task")]
    new = " and ".join(text for text in created if not text.startswith("0"))
    workers = [
        terminal.clean(f"{it.actor}: {_counted(it.operations, 'operation')}, {_counted(it.closed, 'step')} closed")
        for it in reply.workers
    ]
    found = [*shown, ("New", [new] if new else []), ("Who", workers)]
    return found if any(lines for _, lines in found) else [("", ["Nothing happened."])]


def _listed(terminal: Terminal, first: str, count: int, items: Sequence[list[str]]) -> list[str]:
    lines = [line for item in items for line in item]
    left = count - len(items)
    more = [terminal.paint(f"{terminal.glyphs.more} and {left} more", "dim")] if left > 0 else []
    return [*([first] if first else []), *lines, *more]


def _proven(reply: AwayReply) -> str:
    """How many steps, on which proof."""
    words = [
        f"{count} {'not proven' if kind == 'unproven' else basis_word(kind)}"
        for kind, count in reply.finished.proven.items()
    ]
    return f"{_counted(reply.finished.count, 'step')}: {', '.join(words)}"


def _finished(terminal: Terminal, step: FinishedStep) -> list[str]:
    lacks = f", without {' and '.join(step.unconfirmed)}" if step.unconfirmed else ""
    said = f"{step.actor}, {short_time(step.at)}{lacks}"
    return _item(terminal, terminal.glyphs.done, f"{step.task} {step.path}  {step.title}", said)


def _asked(terminal: Terminal, asked: AskedQuestion) -> list[str]:
    by = "" if asked.actor is None else f" ({asked.actor})"
    said = f"{asked.task} {asked.path}  {asked.ask or asked.title}{by}"
    answer = None if asked.answered_at is None else f"{asked.answer or 'unblocked'} ({asked.answered_by})"
    return _item(terminal, "?", said, answer)


def _stuck(terminal: Terminal, step: StuckStep) -> list[str]:
    return _item(terminal, terminal.glyphs.blocked, f"{step.task} {step.path}  {step.title}", step.waits_for)


def _item(terminal: Terminal, sign: str, text: str, below: str | None) -> list[str]:
    first, *rest = terminal.wrap(text, INDENT + 2)
    more = [] if below is None else [terminal.paint(line, "dim") for line in terminal.wrap(below, INDENT + 2)]
    return [f"{sign} {first}", *(f"  {line}" for line in (*rest, *more))]


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
