"""`gatepost policy`: what closing a step takes, in the workspace, a plan or a task."""

from __future__ import annotations

from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.parser import Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    from gatepost.replies.policies import PolicyFields

_FIELDS = ("proof", "signoff", "approval", "stale")


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Show what closing a step takes, or set it: for the workspace, a plan or a task.\n"
        "The nearest policy applies, field by field. Only people can loosen a policy.",
        examples="""\
  gatepost policy                                  what applies in the workspace
  gatepost policy PLAN-001 --proof machine         only checks prove its steps
  gatepost policy --signoff security=human         a person confirms security
  gatepost policy PLAN-001 --approval human        a person approves it first
  gatepost policy PLAN-001 --clear proof           use the workspace's""",
    )
    parser.add_target("TARGET", optional=True, about="a plan or task (default: the workspace)")
    parser.add_argument("--proof", choices=("word", "note", "evidence", "machine"), help="what proves a checkpoint")
    who = "who confirms it: anyone, other or human; repeatable"
    parser.add_argument("--signoff", metavar="POINT=WHO", action="append", help=who)
    parser.add_argument("--approval", choices=("none", "human"), help="whether a plan waits for a person")
    parser.add_argument("--stale", choices=("tell", "reopen"), help="what happens to a step whose proof is stale")
    parser.add_argument("--clear", choices=_FIELDS, action="append", help="remove a field; repeatable")
    parser.add_actor()
    parser.add_json()
    parser.add_place()


def answer(invocation: Invocation) -> None:
    """Set what is given, and show what holds."""
    from gatepost.operations.policies import SetPolicy
    from gatepost.surfaces.cli.json_output import print_json
    from gatepost.surfaces.terminal import stdout

    options = invocation.options
    given: dict[str, Any] = {name: getattr(options, name) for name in _FIELDS if getattr(options, name) is not None}
    if options.signoff:
        given["signoff"] = _signers(options)
    given |= dict.fromkeys(options.clear or ())
    text, reply = invocation.ask(SetPolicy(workspace=invocation.workspace(), task=options.target, **given))
    if options.json:
        print_json(text)
        return
    where = reply.task or reply.plan or "the workspace"
    stdout().say(f"Set on {where}: {_said(reply.set)}.")
    stdout().say(f"In effect: {_said(reply.holds)}.")


def _signers(options: Namespace) -> dict[str, str]:
    from gatepost.domain.checkpoints import CHECKPOINTS
    from gatepost.surfaces.cli.errors import BadUsage

    made = {}
    for item in options.signoff:
        name, _, who = item.partition("=")
        if name not in CHECKPOINTS or who not in ("anyone", "other", "human"):
            raise BadUsage(
                f"--signoff {item} is not a checkpoint and who confirms it.",
                f"Write one of {', '.join(CHECKPOINTS)}, then = and anyone, other or human: --signoff tests=human",
            )
        made[name] = who
    return made


def _said(policy: PolicyFields) -> str:
    """A policy on one line."""
    fields = [f"{name} {value}" for name in _FIELDS if isinstance(value := getattr(policy, name), str)]
    signers = [f"{name} signed off by {who}" for name, who in (policy.signoff or {}).items()]
    return ", ".join([*fields, *signers]) or "nothing"
