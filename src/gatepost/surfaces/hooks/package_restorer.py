"""Opens the project's store, lets the engine check and restore packages, and reports the result.

Loaded only when a package has changed since the last call.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from gatepost import wiring
from gatepost.domain.proof_refusals import NotTrusted
from gatepost.domain.refusals import Busy, StoreFault
from gatepost.engine.package_findings import PackageDefect
from gatepost.operations.package_restoration import AgentCall, PackageOutcome, keep_packages
from gatepost.settings import BadSettings, Settings, settings
from gatepost.surfaces.hooks.harnesses import HookCall
from gatepost.surfaces.hooks.package_state import PackageState
from gatepost.wire.credentials import redacted

WAY: Final = "Do not edit *.tsk packages. Read the taskdoc with recall_mind and change it with change_mind."
_QUIET: Final = ("whitespace",)


class RestoreReport(NamedTuple):
    """The message for the agent, whether its call broke the rule, and whether files were restored."""

    message: str = ""
    broke_rule: bool = False
    restored: bool = False
    busy: bool = False
    """The store was not available: the next call checks again."""


def keep(root: str, call: HookCall, then: PackageState | None, now: PackageState) -> RestoreReport:
    """Check the packages of a project after a call, by their state now and before it, if known."""
    try:
        found = settings({}, start=root)
    except BadSettings as error:
        return RestoreReport(f"Gatepost could not check the taskdoc packages after this call: {error}")
    act = AgentCall(
        actor=f"keeper:{call.agent}",
        call=redacted(call.brief)[0],
        moved=None if then is None else then.head != now.head,
        touched=lambda path: then is None or now.differs(then, path),
    )
    try:
        return _report(_restored(found, act))
    except (Busy, StoreFault, NotTrusted) as refusal:
        message = "A taskdoc package looks changed, but Gatepost could not check it:"
        return RestoreReport(f"{message} {refusal.message} {refusal.recovery}", busy=isinstance(refusal, Busy))


def _restored(found: Settings, act: AgentCall) -> list[PackageOutcome]:
    engine = wiring.engine(
        found.store,
        found.synchronous,
        found.home,
        faced=found.faced,
        secrets=found.secrets,
        tracked=found.tracked,
        policy=found.policy,
        workspace=found.own_workspace,
    )
    try:
        return [
            outcome
            for workspace in engine.workspaces_with_packages()
            for outcome in keep_packages(engine, workspace, act)
        ]
    finally:
        engine.store.close()


def _report(outcomes: list[PackageOutcome]) -> RestoreReport:
    lines = [words for outcome in outcomes if (words := _words(outcome))]
    restored = any(outcome.restored for outcome in outcomes)
    broke = any(it.kind not in _QUIET for outcome in outcomes for it in outcome.restored)
    busy = any(isinstance(outcome.refusal, Busy) for outcome in outcomes)
    return RestoreReport("\n".join([*lines, WAY] if lines else lines), broke, restored, busy)


def _words(outcome: PackageOutcome) -> str:
    """What happened to one package. Restored white space is not reported: a formatter changed it."""
    lines = []
    news = [finding for finding in outcome.restored if finding.kind not in _QUIET]
    if news:
        lines.append(
            f"This tool call changed a taskdoc package, and Gatepost restored it: {_some(news)}. "
            f"The log keeps the changed text: gatepost taskdoc history {outcome.taskdoc}"
        )
    lines += [f"{path} was moved to {place}." for path, place in outcome.moved]
    if outcome.followed:
        lines.append(
            f"This call moved git's HEAD, so Gatepost did not restore the taskdoc package: {_some(outcome.found)}. "
            f"To take the files: gatepost taskdoc adopt {outcome.taskdoc}. To keep the log's text: "
            f"gatepost taskdoc restore {outcome.taskdoc}."
        )
    elif outcome.refusal is not None:
        why = f"{outcome.refusal.message} {outcome.refusal.recovery}"
        lines.append(f"A taskdoc package was changed: {_some(outcome.found)}. Gatepost could not restore it: {why}")
    else:
        lines += [finding.sentence for finding in outcome.found if finding not in outcome.restored]
    return " ".join(lines)


def _some(findings: Iterable[PackageDefect]) -> str:
    return ", ".join(f"{finding.path} {finding.says}" for finding in findings)
