"""A crew: processes that drain one plan, some of them killed at random, and what agents waste without claims."""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import gatepost
from bench.figures import Aim, Section, alone, compared
from bench.rig import CONFIRMED, WORKSPACE, Rig
from bench.scale import QUICK, Scale
from gatepost.engine.caller import Caller
from gatepost.operations.answer import answer

WORKERS: Final = 20
_STEPS_EACH: Final = 10
_WAIT: Final = 0.2
_PATIENCE: Final = 300.0
_FREED: Final = Aim(sign="≤", bound=5, unit=" s")
"""Its process is gone, so nobody waits for the four hours of its term."""


class Drained(NamedTuple):
    """How a plan was drained: the whole log, the seconds that it took, and the workers that were killed, with when
    each was gone."""

    events: Sequence[dict[str, Any]]
    seconds: float
    killed: Mapping[str, datetime]


def measure(scale: Scale, folder: Path) -> Section:
    """One worker, then a crew of the same store's kind with kills; then agents that go by the radar."""
    tasks = 200 if scale.sizes[-1] > QUICK.sizes[-1] else 20
    single = drain(folder / "one.db", tasks=tasks // 10, workers=1, kills=0, seed=1)
    crew = drain(folder / "crew.db", tasks=tasks, workers=WORKERS, kills=WORKERS, seed=2)
    figures = [
        alone("one worker claims and closes", _rate(single), "calls/s"),
        compared(f"{WORKERS} workers, {len(crew.killed)} killed", _rate(crew), "calls/s", _rate(single)),
        alone("steps closed twice", _twice(crew), "calls", Aim(sign="≤", bound=0, unit=" calls")),
        alone("work on what another holds", trespasses(crew), "calls", Aim(sign="≤", bound=0, unit=" calls")),
        alone("longest that a killed worker's claim kept its step", longest_kept(crew), "s", _FREED),
    ]
    for agents in (2, 4, 8):
        for claim in (False, True):
            what = f"wasted work of {agents} agents, {'with' if claim else 'without'} claims"
            path = folder / f"waste-{agents}-{claim}.db"
            aim = Aim(sign="≤", bound=0, unit=" %") if claim else None
            figures.append(alone(what, waste(path, agents, claim=claim), "%", aim))
    return Section(name="crew", figures=tuple(figures), notes=(f"{tasks * _STEPS_EACH:,} steps",))


def drain(path: Path, *, tasks: int, workers: int, kills: int, seed: int) -> Drained:
    """Have workers claim and close every step of a plan. Kill some, each in the middle of its work."""
    chance = random.Random(seed)
    with Rig(path, "FULL") as rig:
        plan = _planned(rig, tasks)
        begun = time.perf_counter()
        crew = {f"agent:w{number}": _start(path, plan, number) for number in range(workers)}
        started = rig.seq()
        killed: dict[str, datetime] = {}
        for number in range(kills):
            # Each closing is three events, so a kill comes about every so many steps.
            _wait(rig, started + (number + 1) * 3 * tasks * _STEPS_EACH // (2 * kills))
            name = chance.choice([name for name, process in crew.items() if process.poll() is None])
            gone = crew.pop(name)
            gone.kill()
            gone.wait(_PATIENCE)
            killed[name] = datetime.now(UTC)
            crew[f"agent:w{workers + number}"] = _start(path, plan, workers + number)
        for process in crew.values():
            assert process.wait(_PATIENCE) == 0, "a worker failed"
        seconds = time.perf_counter() - begun
        return Drained(_log(rig), seconds, killed)


def waste(path: Path, agents: int, *, claim: bool) -> float:
    """How much of their work agents do in vain, in percent: all look for what to do now, and work for as long as it
    takes; what somebody else has closed meanwhile was in vain."""
    chance = random.Random(agents)
    with Rig(path, "NORMAL") as rig:
        plan = _planned(rig, 6)
        busy: list[tuple[float, int, dict[str, Any]]] = []
        done = vain = 0
        for agent in range(agents):
            _look(rig, plan, agent, 0.0, busy, chance, claim=claim)
        while busy:
            now, agent, step = min(busy, key=lambda work: work[:2])
            busy.remove((now, agent, step))
            where = {"workspace": WORKSPACE, "task": step["task"], "step_id": step["step_id"]}
            closed = answer(rig.engine, "tasks_close_step", {**where, "checkpoints": CONFIRMED}, _agent(agent))
            in_vain = closed.refusal is not None or json.loads(closed.text).get("changed") is False
            done, vain = done + 1, vain + in_vain
            _look(rig, plan, agent, now, busy, chance, claim=claim)
        return 100 * vain / done


def _look(
    rig: Rig,
    plan: str,
    agent: int,
    now: float,
    busy: list[tuple[float, int, dict[str, Any]]],
    chance: random.Random,
    *,
    claim: bool,
) -> None:
    asked = {"workspace": WORKSPACE, "plan": plan, **({"claim": True} if claim else {})}
    step = json.loads(answer(rig.engine, "tasks_radar", asked, _agent(agent)).text)["now"]
    if step is not None:
        busy.append((now + chance.uniform(0.5, 1.5), agent, step))


def _agent(number: int) -> Caller:
    return Caller("agent:crew", session=f"session-{number}")


def work(path: str, plan: str, number: int) -> None:
    """One worker: claims, closes, and goes on until the plan has no open step."""
    with gatepost.connect(path, actor=f"agent:w{number}", workspace=WORKSPACE) as gp:
        while True:
            claimed = gp.call("tasks_claim", plan=plan)
            if claimed["step"] is not None:
                step = {"task": claimed["task"], "step_id": claimed["step"]["step_id"]}
                gp.call("tasks_close_step", **step, checkpoints=CONFIRMED)
            elif not gp.call("tasks_radar", plan=plan)["counts"]["open"]:
                return
            else:  # others hold the rest: wait for news, or for one of them to die without any
                _wait_for_news(gp)


def _wait_for_news(gp: gatepost.Gatepost) -> None:
    with gp.engine.store.reading(WORKSPACE) as snapshot:
        seq = snapshot.head().seq
    gp.engine.store.wait(WORKSPACE, seq, _WAIT)


def _start(path: Path, plan: str, number: int) -> "subprocess.Popen[bytes]":
    script = f"from bench.crew import work; work({str(path)!r}, {plan!r}, {number})"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    return subprocess.Popen([sys.executable, "-c", script], env=environment)


def _planned(rig: Rig, tasks: int) -> str:
    plan: str = json.loads(rig.ok("tasks_create", kind="plan", title="A plan"))["id"]
    steps = [{"title": f"Step {number}"} for number in range(_STEPS_EACH)]
    for number in range(tasks):
        rig.ok("tasks_create", kind="task", title=f"Task {number}", plan=plan, steps=steps)
    return plan


def _wait(rig: Rig, seq: int) -> None:
    """Wait until the log has grown to a `seq`."""
    until = time.monotonic() + _PATIENCE
    while rig.seq() < seq:
        assert time.monotonic() < until, "the crew has stopped"
        rig.engine.store.wait(WORKSPACE, seq - 1, _WAIT)


def _log(rig: Rig) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while True:
        since = found[-1]["seq"] if found else 0
        page = json.loads(rig.ok("tasks_delta", since=since, limit=200, max_chars=1_000_000))
        found += page["events"]
        if not page["has_more"]:
            return found


def trespasses(drained: Drained) -> int:
    """How often somebody closed what another holds, or claimed it from a worker that was not killed."""
    holders: dict[str, str] = {}
    found = 0
    for event in drained.events:
        if event["type"] == "step_claimed":
            before = holders.get(event["step_id"])
            found += before is not None and before not in drained.killed
            holders[event["step_id"]] = event["actor"]
        elif event["type"] == "step_done":
            found += holders.get(event["step_id"]) != event["actor"]
    return found


def longest_kept(drained: Drained) -> float:
    """The most seconds from the end of a killed worker until another one claimed what it held."""
    holders: dict[str, str] = {}
    longest = 0.0
    for event in drained.events:
        if event["type"] == "step_claimed":
            gone = drained.killed.get(holders.get(event["step_id"], ""))
            if gone is not None:
                longest = max(longest, (datetime.fromisoformat(event["at"]) - gone).total_seconds())
            holders[event["step_id"]] = event["actor"]
    return longest


def _rate(drained: Drained) -> float:
    closed = [event for event in drained.events if event["type"] == "step_done"]
    return len(closed) / drained.seconds


def _twice(drained: Drained) -> int:
    done = [event["step_id"] for event in drained.events if event["type"] == "step_done"]
    return len(done) - len(set(done))
