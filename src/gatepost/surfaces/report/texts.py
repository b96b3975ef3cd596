"""The words of a report, and texts of others made fit for it."""

from typing import Final, NamedTuple

from gatepost.domain.checkpoints import Provenance
from gatepost.replies.events import LoggedEvent
from gatepost.replies.evidence import KeptEvidence
from gatepost.replies.lint import Risk
from gatepost.replies.step_details import StepProof
from gatepost.surfaces.proof_text import lamp, need_words, policy_words
from gatepost.surfaces.report.model import Report, StepReport
from gatepost.surfaces.terminal import RICH, spelled_out

LONGEST_TEXT: Final = 2_000
LISTED: Final = 20
"""How many steps a list in the summary names."""


class Meaning(NamedTuple):
    """A provenance: its sign, which tells without colour, and what it means."""

    sign: str
    says: str


_SAYS: Final[dict[Provenance, str]] = {
    "machine": "Gatepost ran a check, and it passed",
    "human": "a person confirmed it",
    "evidenced": "evidence was captured for it",
    "noted": "a note says why",
    "asserted": "a word alone",
}
MEANINGS: Final = {name: Meaning(lamp(RICH, name), says) for name, says in _SAYS.items()}


class OutputRoom:
    """How many characters of captured output a document still has room for."""

    def __init__(self, room: int, longest: int) -> None:
        self._room, self._longest = room, longest

    def taken(self, text: str) -> str | None:
        """As much of an output as a document shows; none if the document is full."""
        shown = excerpt(readable(text).strip("\n"), self._longest)
        if len(shown) > self._room:
            return None
        self._room -= len(shown)
        return shown


def readable(text: str) -> str:
    """A text in which nothing acts: control characters and those that reorder text are spelled out."""
    return spelled_out(text.replace("\r\n", "\n").expandtabs(4), lines=True)


def one_line(text: str, most: int = LONGEST_TEXT) -> str:
    """A text as one line."""
    line = " ".join(readable(text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def clipped(text: str, most: int = LONGEST_TEXT) -> str:
    """The beginning of a text."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def excerpt(text: str, most: int) -> str:
    """A text without its middle, if it is longer than that."""
    if len(text) <= most:
        return text
    head, tail = text[: most // 3], text[len(text) - (most - most // 3) :]
    return f"{head}\n[{len(text) - most:,} characters are left out here]\n{tail}"


def when(at: str) -> str:
    """A time as readers anywhere understand it."""
    return f"{at[:10]} {at[11:16]} UTC"


def listed(names: tuple[str, ...] | list[str]) -> str:
    """Names as a sentence has them."""
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else "".join(names)


def counted(count: int, one: str, many: str | None = None) -> str:
    """A number of things."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def proof_facts(proof: StepProof) -> list[str]:
    """By whom a proof was made, when, on which commit, and who signed it."""
    facts = [f"{'run by' if proof.provenance == 'machine' else 'by'} {proof.actor}", when(proof.at)]
    if proof.commit is not None:
        facts.append(f"on {proof.commit[:12]}{' with uncommitted changes' if proof.dirty else ''}")
    if proof.worktree is not None:
        facts.append(f"in worktree {proof.worktree}")
    if proof.signed is not None:
        signed = proof.signed
        said = "" if signed.note is None else f": {one_line(signed.note)}"
        facts.append(f"signed by {signed.actor}, {when(signed.at)}{said}")
    return facts


def closing_facts(step: StepReport) -> list[str]:
    """By whom a step was closed and when; and that it was forced, with the reason."""
    closed, facts = step.closed, []
    if closed is not None:
        facts.append(f"closed by {closed.actor}, {when(closed.at)}")
    elif step.step.done_at is not None:
        facts.append(f"closed {when(step.step.done_at)}")
    if step.forced:
        why = "" if closed is None or closed.reason is None else f": {one_line(closed.reason)}"
        facts.append(f"forced without {listed(list(step.step.unconfirmed or ()))}{why}")
    elif closed is not None and closed.reason is not None:
        facts.append(one_line(closed.reason))
    return facts


def open_because(step: StepReport) -> str:
    """Why a step is open."""
    row = step.step
    if row.blocked is not None:
        return "blocked" if row.blocked is True else f"blocked: {one_line(str(row.blocked))}"
    if row.counts is not None and row.counts.open:
        return f"{counted(row.counts.open, 'step')} below it {'is' if row.counts.open == 1 else 'are'} open"
    if row.status is not None:
        return "not set to done"
    wanted = [f"needs {listed(list(row.unconfirmed))}"] if row.unconfirmed else []
    return ", ".join((*wanted, *map(need_words, row.needs or ()))) or "confirmed, but not closed"


def evidence_title(piece: KeptEvidence) -> str:
    """What a piece of evidence is, in a line."""
    named = piece.title or piece.command or piece.path or piece.url
    return one_line(named, 200) if named else (piece.kind or piece.form).replace("_", " ")


def evidence_facts(piece: KeptEvidence, captured: LoggedEvent | None) -> list[str]:
    """How a piece of evidence came out, by whom and when it was captured, and on which commit."""
    facts = []
    if piece.passed is not None:
        facts.append("passed" if piece.passed else "failed")
    if piece.exit_code is not None:
        facts.append(f"exit code {piece.exit_code}")
    if piece.seconds is not None:
        facts.append(f"{piece.seconds:,.1f} s")
    if piece.commit is not None:
        facts.append(f"on {piece.commit[:12]}{' with uncommitted changes' if piece.dirty else ''}")
    if piece.worktree is not None:
        facts.append(f"in worktree {piece.worktree}")
    if captured is not None:
        facts.append(f"{captured.actor}, {when(captured.at)}")
    if piece.redacted:
        facts.append(counted(piece.redacted, "credential") + " redacted")
    return facts


def risk_line(risk: Risk) -> str:
    """A risk in a line."""
    where, title = " ".join(filter(None, (risk.task, risk.path))), one_line(risk.title or "")
    if risk.depends_on is not None:
        waits = "waits for" if risk.code == "WAITS" else "is done, but depends on"
        return f"{where} {waits} {risk.depends_on}: {title}"
    problem = f"no {' or '.join(risk.lacks)}" if risk.lacks else risk.code.replace("_", " ").lower()
    return f"{where} {title}: {problem}"


def first_thing(report: Report) -> tuple[str, str]:
    """The first thing to do: a sentence, and the command that shows it."""
    now = report.handoff.now
    if now is not None:
        missing = () if report.handoff.verify is None else report.handoff.verify.unconfirmed
        proves = f". It needs {listed(list(missing))}" if missing else ""
        said = f"Work on {now.task} {now.path}: {one_line(now.title)}{proves}."
        return said, f"gatepost show {now.task} {now.path}"
    waits = next((blocker.task for blocker in report.handoff.blockers if blocker.approval is not None), None)
    if waits is not None:
        return f"A person approves {waits}. Nothing in it can be worked on before.", f"gatepost show {waits}"
    if report.handoff.questions:
        return "Answer the questions below: nothing can be worked on before that.", "gatepost radar"
    if report.open:
        return "Nothing can be worked on now. See what is open, and why.", f"gatepost radar {report.root.id}"
    if report.root.status == "DONE":
        return "Nothing: it is done.", ""
    return "Every step is done. Complete it.", f"gatepost radar {report.root.id}"


def headline(report: Report) -> str:
    """How far it is."""
    counts, parts = report.root.counts, []
    if counts.tasks is not None:
        parts.append(f"{counts.tasks.done:,} of {counted(counts.tasks.total, 'task')}")
    parts.append(f"{counts.done:,} of {counted(counts.total, 'step')}")
    if counts.checklist is not None:
        parts.append(f"{counts.checklist.done:,} of {counted(counts.checklist.total, 'checklist item')}")
    return f"{listed(parts)} done" + (f", {counts.blocked:,} blocked" if counts.blocked else "")


def terms(report: Report) -> list[str]:
    """What the policy wants, and who approved the plan."""
    found, approved = [] if report.holds is None else policy_words(report.holds), report.root.approved
    if approved is not None:
        note = "" if approved.note is None else f": {one_line(approved.note)}"
        found.append(f"Approved by {approved.actor}, {when(approved.at)}{note}")
    return found


def origin(report: Report) -> str:
    """What made the report, when, and the end of the log that it was made from."""
    from gatepost import __version__

    log = report.handoff.log
    moved = (
        " The log changed while this report was written, so parts of it may be newer than others."
        if report.moved
        else ""
    )
    end = f"Log of {report.workspace} up to event {log.seq:,}, hash {log.hash[:16]}."
    return f"Created by Gatepost {__version__} on {when(report.made_at)}. {end}{moved}"
