"""What the agent of this harness holds and has not closed, when it stops or its context is cut.

Claims are of MCP sessions, and a harness does not tell its hooks which these are. But it started the server that
made the claim as well as this hook, so the two have an ancestor in common.
"""

from __future__ import annotations

import json
import os

from gatepost.settings import BadSettings, settings
from gatepost.surfaces.hooks.harnesses import CLAUDE, COPILOT, CURSOR
from gatepost.surfaces.hooks.posttool import roots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from gatepost.storage.sqlite.hook_reads import OpenClaim
    from gatepost.surfaces.hooks.harnesses import HookCall

_NAMED: Final = 3
_LONGEST: Final = 120
_MOST_ANCESTORS: Final = 64


def reason_to_continue(event: HookCall) -> str:
    """Why an agent should not stop yet: what it holds. Empty if it holds nothing that is open."""
    held = _held(event)
    if not held:
        return ""
    return (
        f"You hold work that is open: {_listed(held)}. Do not stop without a word about it. Close it with"
        " tasks_close_step if it is done. If it waits for somebody, say so with tasks_block. Otherwise leave a note"
        " of where you are with tasks_note, and tell your user why you stop."
    )


def before_cut(event: HookCall) -> str:
    """What should survive a cut of the context, in the harness's format."""
    held = [] if event.harness == COPILOT else _held(event)
    if not held:
        return ""
    if event.harness == CLAUDE:
        return (
            f"Keep in the summary that you hold this open work in Gatepost: {_listed(held)}. Also keep what you"
            " tried, what you found and what is left. After the cut, first leave that as a note with tasks_note,"
            " then call tasks_radar and continue there."
        )
    words = f"The context will be cut while the agent holds {_listed(held)}. Ask it to leave a note of where it is."
    return json.dumps({"user_message" if event.harness == CURSOR else "systemMessage": words})


def own_claims(store: str, harness: str) -> list[OpenClaim]:
    """The claims on open work that servers of this harness made, in a store that is a file."""
    from gatepost.storage.sqlite.hook_reads import open_claims

    return [claim for claim in open_claims(store) if _is_own(claim, harness)]


def _held(event: HookCall) -> list[OpenClaim]:
    for root in roots(event.cwd):
        try:
            found = settings({}, start=root)
        except BadSettings:
            continue
        if found.is_file and os.path.isfile(found.store):
            return own_claims(found.store, event.harness)
    return []


def _is_own(claim: OpenClaim, harness: str) -> bool:
    """Whether the server that made a claim, or the harness that started it, is above this hook."""
    from gatepost.engine import processes

    if claim.process is None or not claim.actor.startswith("agent") or processes.gone(claim.process):
        return False
    number = processes.number_here(claim.process)
    if number is None:
        return False
    mine, its = _ancestors(os.getpid()), _ancestors(number)
    if not mine or not its:  # without /proc, the agent's name must do
        return claim.actor.startswith(f"agent:{harness}")
    return not set(mine).isdisjoint(its[:2])


def _ancestors(number: int) -> list[int]:
    """A process and those above it, the nearest first, without the one that adopts orphans."""
    chain: list[int] = []
    while number > 1 and len(chain) < _MOST_ANCESTORS:
        try:
            with open(f"/proc/{number}/stat", "rb") as file:
                parent = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            break
        chain.append(number)
        number = parent
    return chain


def _listed(held: list[OpenClaim]) -> str:
    from gatepost.domain import places

    named = [
        f"{places.root_id(it.place)} {places.path_of(it.place)}".rstrip()
        + f" “{_short(it.title)}” (workspace {it.workspace})"
        for it in held[:_NAMED]
    ]
    more = len(held) - len(named)
    return "; ".join(named) + (f"; and {more} more" if more else "")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
