"""Which policy holds where, and whether a draft loosens one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import asdict

from gatepost.domain import places, policies
from gatepost.domain.documents import Document, WorkspacePolicy
from gatepost.domain.refusals import InvalidInput
from gatepost.domain.roots import Plan, Task
from gatepost.domain.steps import Step

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gatepost.domain.policies import Policy
    from gatepost.domain.proof_refusals import HumanRequired
    from gatepost.engine.reader import Reader


_NO_CHANGES: Final[Mapping[str, Document | None]] = {}


def policy_of(document: Document | None) -> Policy | None:
    """The policy that is set in a document."""
    return document.policy if isinstance(document, Plan | Task | Step | WorkspacePolicy) else None


def effective(reader: Reader, place: str) -> Policy:
    """The policy that holds at a place."""
    return policies.effective(_policies(reader, [place, *_over(reader, place)]))


def loosened(reader: Reader, place: str, before: Policy | None, after: Policy | None) -> tuple[str, ...]:
    """The fields in which a new policy at a place demands less there than the one before."""
    if before == after:
        return ()
    over = _policies(reader, _over(reader, place))
    weaker = policies.loosened(policies.effective([before, *over]), policies.effective([after, *over]))
    # A plan waits by its own policy alone, whatever the workspace says.
    was, now = ((policy or policies.NOTHING).approval == "human" for policy in (before, after))
    return (*weaker, "approval") if was and not now and "approval" not in weaker else weaker


class Holding(Struct, frozen=True):
    """The policy that holds at a place, and whether the plan there has to be approved by a person."""

    policy: Policy
    approval: bool


def holding(reader: Reader, place: str, before: Mapping[str, Document | None] = _NO_CHANGES) -> Holding:
    """What holds at a place; or what held there, given the documents `before` some changes."""

    def look(at: str) -> Document | None:
        return before[at] if at in before else _value(reader, at)

    root = look(places.root_of(place))
    plan = None if not isinstance(root, Task) or root.plan is None else look(places.at_id(root.plan))
    nearest_first = [*map(look, (place, *places.above(place))), plan, look(places.POLICY)]
    own = policy_of(plan) or policies.NOTHING
    return Holding(policies.effective(map(policy_of, nearest_first)), own.approval == "human")


def looser(before: Holding, after: Holding) -> tuple[str, ...]:
    """The policy fields that demand less at the new place than at the old one."""
    weaker = policies.loosened(before.policy, after.policy)
    # A plan waits by its own policy alone, whatever the workspace says.
    released = before.approval and not after.approval and "approval" not in weaker
    return (*weaker, "approval") if released else weaker


def needs_person(place: str, fields: tuple[str, ...]) -> HumanRequired:
    """The refusal of a change that makes a policy demand less."""
    from gatepost.domain.proof_refusals import HumanRequired

    names, where = " and ".join(fields), "the workspace" if place == places.POLICY else places.shown(place)
    target = f" {places.root_id(place)}" if places.in_tree(place) else ""
    return HumanRequired(
        f"This loosens the policy of {where} ({names}), and only a person may do that.",
        f"gatepost policy{target}",
        loosened=list(fields),
    )


def from_settings(given: Mapping[str, Any]) -> Policy | None:
    """The policy of a settings file, or a refusal that names what is wrong with it."""
    from gatepost.wire import json_input

    try:
        made = json_input.command(policies.Policy, given, frozenset())
    except InvalidInput as refusal:
        problems = [(f"policy.{found['field']}", found["problem"]) for found in refusal.details["problems"]]
        raise InvalidInput(problems, "Correct the table [policy] in gatepost.toml.") from None
    return policies.changed(None, asdict(made))


def _over(reader: Reader, place: str) -> list[str]:
    """Where policies can be set farther away than at a place, the nearest first."""
    if place == places.POLICY:
        return []
    root = _value(reader, places.root_of(place))
    plan = [places.at_id(root.plan)] if isinstance(root, Task) and root.plan is not None else []
    return [*places.above(place), *plan, places.POLICY]


def _policies(reader: Reader, nearest_first: list[str]) -> list[Policy | None]:
    return [policy_of(value) for value in reader.values(nearest_first)]


def _value(reader: Reader, place: str) -> Document | None:
    return next(iter(reader.values([place])), None)
