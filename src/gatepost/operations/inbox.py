"""The inbox: everything that waits for a person. It is found by terms, so the cost depends on what it shows."""

from collections.abc import Callable, Iterator, Mapping
from itertools import chain, islice
from typing import Any, Final, get_args

from msgspec import Struct

from gatepost.domain import places, terms
from gatepost.domain.checkpoints import Checkpoint
from gatepost.domain.people import is_person
from gatepost.domain.proof_refusals import NotTrusted
from gatepost.domain.questions import HUMAN, Question, may_answer, names_of
from gatepost.domain.steps import Step
from gatepost.engine.reader import Found, Reader, address
from gatepost.engine.rows import LAST_PLACE, Clause
from gatepost.operations import cursors
from gatepost.operations.demands import needs
from gatepost.operations.fields import Cursor, Limit, MaxChars
from gatepost.operations.registry import Command, operation
from gatepost.replies.inbox import InboxCounts, InboxItem, InboxKind, InboxReply
from gatepost.replies.reply import SuggestedCall
from gatepost.views.budget import Body, Cut, View, clipped, only, rows, without
from gatepost.views.offers import offered
from gatepost.views.proofs import proofs

KINDS: Final[tuple[InboxKind, ...]] = get_args(InboxKind)
_PAGE: Final = 50
_COUNTED: Final = 100
"""Counting stops here."""
_LOOKED_AT: Final = 100
"""The most taskdocs, and steps with checks, that are looked at: files on disk have no terms."""


class Inbox(Command[InboxReply], frozen=True, kw_only=True):
    """Ask what waits for a person."""

    limit: Limit = 50
    cursor: Cursor | None = None
    max_chars: MaxChars | None = None


class Waiting(Struct, frozen=True):
    """An item, and where it was found: the next page continues after that."""

    place: str
    item: InboxItem


@operation("tasks_inbox", "tasks")
def inbox(reader: Reader, command: Inbox) -> View[InboxReply]:
    """What waits for a person: questions, sign-offs, plans to approve, taskdoc files edited directly, commands to
    trust. Each item says what to do."""
    kind, after = cursors.inbox_position(command.cursor)
    rest = KINDS[kind:]
    found = list(
        islice(
            chain.from_iterable(
                ((name, one) for one in _FOUND[name](reader, after if name == rest[0] else "")) for name in rest
            ),
            command.limit + 1,
        )
    )
    page, more = found[: command.limit], len(found) > command.limit
    reply = InboxReply(
        items=tuple(one.item for _, one in page),
        counts=counts(reader),
        has_more=more,
        cursor=cursors.inbox_cursor(KINDS.index(page[-1][0]), page[-1][1].place) if more else None,
    )
    marks = [cursors.inbox_cursor(KINDS.index(name), one.place) for name, one in page]
    view = View(reply, _cuts(marks), command.max_chars)
    if page:
        return view
    from gatepost.operations.elsewhere import elsewhere

    return elsewhere(reader, "tasks_inbox", view)


def questions(reader: Reader, after: str = "") -> Iterator[Waiting]:
    """The steps that wait for an answer from a person or, if the caller is an agent, from that agent."""
    for step in _steps(reader, _asked(reader), after):
        asked = step.value.question
        if asked is not None:
            yield Waiting(step.place, _question(reader, step, asked))


def signoffs(reader: Reader, after: str = "") -> Iterator[Waiting]:
    """The steps that lack only the sign-off of a person, which their policy requires."""
    for step in _steps(reader, (terms.UNSIGNED,), after):
        wanted = _wanted(reader, step)
        if wanted:
            yield Waiting(step.place, _signoff(reader, step, wanted))


def approvals(reader: Reader, after: str = "") -> Iterator[Waiting]:
    """The plans that wait for approval."""
    for found in (root for page in _pages(reader, (terms.UNAPPROVED,), after) for root in reader.roots(page)):
        plan = found.value
        yield Waiting(
            found.place,
            InboxItem(
                kind="approval",
                plan=plan.id,
                title=plan.title,
                revision=found.tally.revision,
                do="Approve the plan, so that its tasks can be worked on.",
                command=f"gatepost approve {plan.id}",
                next=_call(reader, "tasks_approve", {"plan": plan.id}),
            ),
        )


def packages(reader: Reader, after: str = "") -> Iterator[Waiting]:
    """The taskdocs whose files differ from the log, so that a person must choose."""
    if reader.packages is None:
        return
    from gatepost.domain.taskdoc_refusals import settled_by
    from gatepost.engine.package_findings import findings

    for place in reader.postings(((terms.TASKDOC,),), after, LAST_PLACE, _LOOKED_AT):
        found = [it for it in findings(reader, places.name_of(place)) if it.blocking]
        if not found:
            continue
        name, selectors = reader.called(places.name_of(place)), {it.selector for it in found}
        section = next(iter(selectors)) if len(selectors) == 1 else None
        verb = "adopt" if any(it.edit is not None for it in found) else "restore"
        named = {"taskdoc": name} if section is None else {"taskdoc": name, "selector": section}
        yield Waiting(
            place,
            InboxItem(
                kind="package",
                taskdoc=name,
                selector=section,
                differs=" ".join(it.sentence for it in found),
                do=settled_by(found[0].kind),
                command=f"gatepost taskdoc {verb} {' '.join(named.values())}",
                next=_call(reader, "recall_mind", named),
            ),
        )


def commands(reader: Reader, after: str = "") -> Iterator[Waiting]:
    """The steps whose checks would run next with a command that nobody trusts here. No command is listed twice."""
    if reader.checks is None:
        return
    seen: set[tuple[str, ...]] = set()
    for step in reader.steps(reader.postings(((terms.TO_CHECK,),), "", LAST_PLACE, _LOOKED_AT)):
        for check in step.value.checks:
            if check.run in seen:
                continue
            seen.add(check.run)
            refusal = reader.checks.refused(check)
            if isinstance(refusal, NotTrusted) and refusal.command is not None:
                if step.place >= after:
                    yield Waiting(step.place, _command(step, check.line, refusal))
                break  # one for a step: a page continues after the step


_FOUND: Final[Mapping[InboxKind, Callable[[Reader, str], Iterator[Waiting]]]] = {
    "question": questions,
    "signoff": signoffs,
    "approval": approvals,
    "package": packages,
    "trust": commands,
}


def _question(reader: Reader, step: Found[Step], asked: Question) -> InboxItem:
    where = address(step)
    lift = {**where.selector, "blocked": False}
    open_to = may_answer(asked, reader.caller.actor)
    return InboxItem(
        kind="question",
        task=where.task,
        step_id=where.step_id,
        path=where.path,
        revision=step.tally.step_revision,
        title=step.value.title,
        ask=asked.ask,
        options=asked.options or None,
        for_=asked.for_,
        reason=step.value.reason,
        actor=asked.actor,
        at=asked.at,
        do="Choose one of the options, or answer in your own words." if asked.options else "Answer the question.",
        command=f"gatepost answer {where.task} {where.path} '…'",
        next=_call(reader, "tasks_block", lift, "answer") if open_to else None,
    )


def _signoff(reader: Reader, step: Found[Step], wanted: tuple[Checkpoint, ...]) -> InboxItem:
    where, names = address(step), " and ".join(wanted)
    marks = wanted if {"criteria", "tests"} & set(wanted) else ("criteria", *wanted)
    return InboxItem(
        kind="signoff",
        task=where.task,
        step_id=where.step_id,
        path=where.path,
        revision=step.tally.step_revision,
        title=step.value.title,
        signoff=wanted,
        confirmed=proofs(step.value, reader.is_stale),
        do=f"Look at the work. If it is good, close the step and confirm {names}.",
        command=f"gatepost show {where.task} {where.path}",
        next=_call(reader, "tasks_close_step", where.selector, *(f"checkpoints.{name}" for name in marks)),
    )


def _command(step: Found[Step], line: str, refusal: NotTrusted) -> InboxItem:
    where = address(step)
    return InboxItem(
        kind="trust",
        task=where.task,
        step_id=where.step_id,
        path=where.path,
        title=step.value.title,
        run=line,
        do="Allow the command to run here, if you trust it. Until then, the step cannot be proven.",
        command=refusal.command,
    )


def _wanted(reader: Reader, step: Found[Step]) -> tuple[Checkpoint, ...]:
    """The checkpoints that a person must confirm."""
    return tuple(need.checkpoint for need in needs(reader, step) if need.signoff == HUMAN)


def _call(reader: Reader, tool: str, arguments: Mapping[str, Any], *supply: str) -> SuggestedCall | None:
    """A call for a person, or for an agent that was asked. None for others, who would be refused."""
    if tool not in ("tasks_block", "recall_mind") and not is_person(reader.caller.actor):
        return None
    named = {"workspace": reader.workspace, **arguments}
    call = offered(reader.caller.offer, SuggestedCall(tool=tool, arguments=named, supply=supply or None))
    return call if call is not None and call.tool == tool else None


def counts(reader: Reader) -> InboxCounts:
    """How many items of each kind wait. Counting stops at a limit."""
    counted = {
        "question": len(reader.postings((_asked(reader),), "", LAST_PLACE, _COUNTED)),
        "approval": len(reader.postings(((terms.UNAPPROVED,),), "", LAST_PLACE, _COUNTED)),
        "package": sum(1 for _ in packages(reader)),
        "trust": sum(1 for _ in commands(reader)),
    }
    unsigned = reader.postings(((terms.UNSIGNED,),), "", LAST_PLACE, _COUNTED)
    signoff = sum(bool(_wanted(reader, step)) for step in reader.steps(unsigned))
    at_least = _COUNTED in (len(unsigned), *counted.values())
    return InboxCounts(**counted, signoff=signoff, at_least=at_least)


def _asked(reader: Reader) -> Clause:
    return tuple({terms.asked(name) for name in (None, *names_of(reader.caller.actor))})


def _steps(reader: Reader, clause: Clause, after: str) -> Iterator[Found[Step]]:
    for page in _pages(reader, clause, after):
        yield from reader.steps(page)


def _pages(reader: Reader, clause: Clause, after: str) -> Iterator[list[str]]:
    while page := reader.postings((clause,), after, LAST_PLACE, _PAGE):
        yield page
        after = page[-1] + "\0"


def _cuts(marks: list[str]) -> tuple[Cut, ...]:
    """`marks` are the cursors that continue after each item."""

    def stop(body: Body) -> None:
        body["has_more"] = True
        if body["items"]:
            body["cursor"] = marks[len(body["items"]) - 1]

    return (
        Cut("confirmed", without("items", "confirmed")),
        Cut("texts", clipped("items", 400)),
        Cut("items", rows("items", least=1, after=stop)),
        Cut("fields", without("items", "options", "reason", "do", "command")),
        Cut("texts", clipped("items", 80)),
        Cut("fields", only("items", "kind", "task", "plan", "step_id", "taskdoc")),
    )
