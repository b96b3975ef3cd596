"""A summary for an agent of what waits in a project's store, in a few hundred characters."""

from typing import Final

from gatepost import wiring
from gatepost.domain import places, terms
from gatepost.domain.documents import claim_of
from gatepost.domain.proof_refusals import NotTrusted
from gatepost.domain.questions import names_of
from gatepost.domain.refusals import Busy, StoreFault
from gatepost.engine.caller import Caller
from gatepost.engine.reader import Reader
from gatepost.engine.rows import LAST_PLACE
from gatepost.operations.inbox import counts
from gatepost.operations.radar import Radar, look
from gatepost.operations.re_entry import re_entry
from gatepost.replies.radar import RadarReply
from gatepost.settings import Settings
from gatepost.surfaces.hooks.harnesses import HookCall, begins_session
from gatepost.surfaces.hooks.held_work import own_claims

_READER: Final = Caller("hook")
_WORKSPACES: Final = 3
_ROWS: Final = 2
_LOOKED_AT: Final = 50
_ANSWERED: Final = 500
"""How many steps with an answer are looked at for the newest ones."""
_LONGEST: Final = 120
_LEFT: Final = 240
"""How much is shown of what the last round left, and of the goals."""
_MOST: Final = 1_000
_KINDS: Final = (
    ("question", "question", "questions"),
    ("signoff", "step to sign off", "steps to sign off"),
    ("approval", "plan to approve", "plans to approve"),
    ("package", "edited taskdoc", "edited taskdocs"),
    ("trust", "command to trust", "commands to trust"),
)


def work_summary(found: Settings, event: HookCall) -> str:
    """What waits, workspace by workspace. Empty if nothing waits or the store cannot be read now."""
    try:
        engine = wiring.engine(found.store, found.synchronous, found.home, faced=found.faced, tracked=found.tracked)
    except (StoreFault, NotTrusted):
        return ""
    try:
        names = [found.workspace] if found.workspace is not None else engine.store.workspaces()[:_WORKSPACES]
        said = engine.read_each(names, _READER, lambda it: _lines(it, event.harness))
        if begins_session(event):
            was_cut = _field(event, "source") == "compact"
            work = engine.read_each(names, _caller(found, event), lambda it: _work(it, was_cut=was_cut))
        else:
            work = [[] for _ in names]
        text = "\n".join(map(_section, names, said, work)).strip()
        return text if len(text) <= _MOST else f"{text[: _MOST - 1]}…"
    except (Busy, StoreFault, NotTrusted):
        return ""
    finally:
        engine.store.close()


def _caller(found: Settings, event: HookCall) -> Caller:
    """The agent's session if it holds something: then the radar shows that."""
    for claim in own_claims(found.store, event.harness) if found.is_file else ():
        return Caller(claim.actor, session=claim.session)
    return Caller(f"agent:{event.harness}")


def _section(workspace: str, said: list[str], work: list[str]) -> str:
    lines = [*said, *work]
    return "\n".join([f"Gatepost, workspace {workspace}:", *lines]) if lines else ""


def _lines(reader: Reader, harness: str) -> list[str]:
    return [*_inbox(reader), *_asked(reader, harness), *_answers(reader), *_claims(reader, harness)]


def _field(event: HookCall, name: str) -> object:
    return event.input.get(name) if isinstance(event.input, dict) else None


def _work(reader: Reader, *, was_cut: bool) -> list[str]:
    """What to work on, what it is for, its notes, and what the last round left."""
    reply: RadarReply = look.handler(reader, Radar(workspace=reader.workspace)).reply
    left = re_entry(reader, None if reply.target is None else reply.target.id, named=False)
    lines = [f"From the last round, by {left.actor}: {_short(left.reminder_content, _LEFT)}"] if left else []
    return [*lines, *_now(reply, was_cut=was_cut)]


def _now(reply: RadarReply, *, was_cut: bool) -> list[str]:
    step = reply.now
    if step is None or reply.target is None:
        return []
    lines = [f"To work on: {step.task} {step.path} “{_short(step.title)}”. Start with tasks_radar."]
    if was_cut:
        lines.append("Your context was cut. Leave a note of where you are with tasks_note before you continue.")
    if reply.why is not None:
        lines.append(f"What it is for, says {reply.why.source}: {_short(reply.why.text, _LEFT)}")
    return lines + [f"Note by {note.actor}: {_short(note.note)}" for note in (step.notes or ())[:_ROWS]]


def _inbox(reader: Reader) -> list[str]:
    found = counts(reader)
    said = [
        f"{number} {one if number == 1 else many}" for kind, one, many in _KINDS if (number := getattr(found, kind))
    ]
    return [f"Waiting for a person: {', '.join(said)}. Your user sees them with `gatepost inbox`."] if said else []


def _asked(reader: Reader, harness: str) -> list[str]:
    found = reader.postings(((terms.asked(f"agent:{harness}"),),), "", LAST_PLACE, _ROWS)
    return [
        f"{asked.actor} asks you, {_name(step.place)}: {_short(asked.ask)}"
        for step in reader.steps(found)
        if (asked := step.value.question) is not None
    ]


def _answers(reader: Reader) -> list[str]:
    """The newest answers. Older ones of steps that are still open may have been read long ago."""
    found = reader.steps(reader.postings(((terms.ANSWERED,),), "", LAST_PLACE, _ANSWERED))
    answers = [(said, step) for step in found if (said := step.value.answer) is not None]
    newest = sorted(answers, key=lambda it: it[0].at, reverse=True)[:_ROWS]
    lines = [
        f"Answered, {_name(step.place)} “{_short(step.value.title)}”: {_short(said.answer)} ({said.actor})"
        for said, step in newest
    ]
    more = len(answers) - len(lines)
    return [*lines, f"Answered earlier: {more} more, each with its step."] if more else lines


def _claims(reader: Reader, harness: str) -> list[str]:
    """What sessions of this agent hold: after a restart, the new session can take it over."""
    lines = []
    for found in reader.all_at(reader.postings(((terms.CLAIMED,),), "", LAST_PLACE, _LOOKED_AT)):
        claim = claim_of(found.value)
        if claim is not None and f"agent:{harness}" in names_of(claim.actor) and reader.claims.lives(claim):
            lines.append(f"Held by {claim.actor} since {claim.at}: {_name(found.place)}")
    return lines[:_ROWS]


def _name(place: str) -> str:
    return f"{places.root_id(place)} {places.path_of(place)}".rstrip()


def _short(text: str, longest: int = _LONGEST) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
