"""Policies: what a confirmation must be before its step is closed, and what waits for a person.

A policy can be set on a workspace, a plan, a task or a step. Each of its fields holds where nothing nearer to the
step sets the same field.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, get_args

from msgspec import Struct

from gatepost.domain.checkpoints import CHECKPOINTS, Checkpoint, Confirmation, Provenance
from gatepost.domain.people import is_person
from gatepost.domain.value import Value

ProofLevel = Literal["word", "note", "evidence", "machine"]
Signer = Literal["anyone", "other", "human"]
Approver = Literal["none", "human"]
Ageing = Literal["tell", "reopen"]
Signoff = dict[Checkpoint, Signer]


class Policy(Value, frozen=True, kw_only=True):
    """What was set in one place, or what holds there.

    `proof` is the least that a confirmation must rest on. `signoff` says who must confirm a checkpoint: `other` is
    an actor who did not work on the step. A plan with `approval: human` waits for a person. `stale` says what
    happens to a step whose proof is stale.
    """

    proof: ProofLevel | None = None
    signoff: Signoff | None = None
    approval: Approver | None = None
    stale: Ageing | None = None

    @property
    def given(self) -> tuple[str, ...]:
        """The fields that are set."""
        return tuple(name for name in FIELDS if getattr(self, name) is not None)


FIELDS: Final[tuple[str, ...]] = Policy.__struct_fields__
NOTHING: Final = Policy()
DEFAULT: Final = Policy(proof="word", signoff={}, approval="none", stale="tell")
"""What holds where nothing is set."""

_STRICTNESS: Final[Mapping[str, tuple[str, ...]]] = {
    "proof": get_args(ProofLevel),
    "signoff": get_args(Signer),
    "approval": get_args(Approver),
    "stale": get_args(Ageing),
}
"""The values of each field, the loosest first."""
_PROVES: Final[Mapping[ProofLevel, frozenset[Provenance]]] = {
    "word": frozenset(get_args(Provenance)),
    "note": frozenset(["noted", "evidenced", "machine", "human"]),
    "evidence": frozenset(["evidenced", "machine", "human"]),
    "machine": frozenset(["machine"]),
}
"""What a confirmation may rest on. A person who confirms has looked, but only a command shows that it passed."""


def effective(policies: Iterable[Policy | None]) -> Policy:
    """What holds, given the policies from the nearest to the farthest."""
    given = [policy for policy in policies if policy is not None]
    if not given:
        return DEFAULT
    held: dict[str, Any] = {}
    signers: Signoff = {}
    for policy in given:
        for name in FIELDS:
            value = getattr(policy, name)
            if name == "signoff":
                signers = {**(value or {}), **signers}
            elif value is not None:
                held.setdefault(name, value)
    ordered = {name: signers[name] for name in CHECKPOINTS if signers.get(name, "anyone") != "anyone"}
    return Policy(
        **{name: held.get(name, getattr(DEFAULT, name)) for name in FIELDS if name != "signoff"}, signoff=ordered
    )


def changed(policy: Policy | None, changes: Mapping[str, Any]) -> Policy | None:
    """A policy with some fields set and, where null is given, cleared; none if nothing is left in it."""
    made = {name: changes.get(name, getattr(policy or NOTHING, name)) for name in FIELDS}
    made["signoff"] = {
        name: made["signoff"][name] for name in CHECKPOINTS if name in (made["signoff"] or {})
    } or None
    result = Policy(**made)
    return None if result == NOTHING else result


def loosened(before: Policy, after: Policy) -> tuple[str, ...]:
    """The fields in which one effective policy demands less than another."""
    found = []
    for name, order in _STRICTNESS.items():
        pairs = _signers(before, after) if name == "signoff" else [(getattr(before, name), getattr(after, name))]
        if any(order.index(now) < order.index(was) for was, now in pairs):
            found.append(name)
    return tuple(found)


def _signers(before: Policy, after: Policy) -> list[tuple[Signer, Signer]]:
    was, now = before.signoff or {}, after.signoff or {}
    return [(was.get(name, "anyone"), now.get(name, "anyone")) for name in CHECKPOINTS]


class Demand(Struct, frozen=True):
    """What closing a step takes: the policy that holds for it, and who worked on it."""

    policy: Policy = DEFAULT
    workers: frozenset[str] = frozenset()

    @property
    def shown(self) -> Policy | None:
        """What to say of it to the agent at the step; none if a word is enough."""
        proof = self.policy.proof if self.policy.proof != DEFAULT.proof else None
        found = Policy(proof=proof, signoff=self.policy.signoff or None)
        return None if found == NOTHING else found


NO_DEMAND: Final = Demand()


class Shortfall(Struct, frozen=True):
    """A confirmation that does not do: what it rests on, and what the policy wants instead."""

    checkpoint: Checkpoint
    has: str
    wants: str


def unproven(confirmations: Iterable[Confirmation], policy: Policy) -> list[Shortfall]:
    """The confirmations that rest on less than the policy wants."""
    wants = policy.proof or "word"
    good = _PROVES[wants]
    return [
        Shortfall(mark.checkpoint, mark.provenance, wants) for mark in confirmations if mark.provenance not in good
    ]


def unsigned(confirmations: Iterable[Confirmation], demand: Demand) -> list[Shortfall]:
    """The confirmations that the wrong actors made."""
    signers = demand.policy.signoff or {}
    return [
        Shortfall(mark.checkpoint, mark.actor, wants)
        for mark in confirmations
        if (wants := signers.get(mark.checkpoint, "anyone")) != "anyone"
        and not _is_signed(mark, wants, demand.workers)
    ]


def _is_signed(mark: Confirmation, wants: Signer, workers: frozenset[str]) -> bool:
    """Whether a person confirmed it, or an actor who did not work on the step while somebody else did."""
    actors = mark.actors
    if wants == "human":
        return any(map(is_person, actors))
    return any(workers | actors > {actor} for actor in actors - workers)
