"""A crew: processes that drain one plan, some of them killed at random, and what agents waste without claims."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
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
    """How a plan was drained: the whole log, the seconds that it took, and the workers that were killed, each with
    the seconds from its end until another worker claimed the step that it held."""

    events: Sequence[dict[str, Any]]
    seconds: float
    killed: Mapping[str, float]


class _Ledger:
    """The log as far as it was read, and who claimed each open step last."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        self.events: list[dict[str, Any]] = []
        self._holders: dict[str, str] = {}

    def holders(self) -> Mapping[str, str]:
        """The holders now, by step."""
        has_more = True
        while has_more:
            since = self.events[-1]["seq"] if self.events else 0
            page = json.loads(self._rig.ok("tasks_delta", since=since, limit=200, max_chars=1_000_000))
            for event in page["events"]:
                if event["type"] == "step_claimed":
                    self._holders[event["step_id"]] = event["actor"]
                elif event["type"] == "step_done":
                    self._holders.pop(event["step_id"], None)
            self.events += page["events"]
            has_more = page["has_more"]
        return self._holders

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait for what others write."""
        until, seq = time.monotonic() + _PATIENCE, self._rig.seq()
        while not holds():
            assert time.monotonic() < until, "the crew has stopped"
            self._rig.engine.store.wait(WORKSPACE, seq, _WAIT)
            seq = self._rig.seq()


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
        alone("longest that a killed worker's claim kept its step", max(crew.killed.values()), "s", _FREED),
    ]
    for agents in (2, 4, 8):
        for claim in (False, True):
            what = f"wasted work of {agents} agents, {'with' if claim else 'without'} claims"
            worked = simulate(folder / f"waste-{agents}-{claim}.db", agents, claim=claim)
            aim = Aim(sign="≤", bound=0, unit=" %") if claim else None
            figures.append(alone(what, worked.waste, "%", aim))
    return Section(name="crew", figures=tuple(figures), notes=(f"{tasks * _STEPS_EACH:,} steps",))


def drain(path: Path, *, tasks: int, workers: int, kills: int, seed: int) -> Drained:
    """Have workers claim and close every step of a plan. Kill some at random, each while it holds a step."""
    chance = random.Random(seed)
    with Rig(path, "FULL") as rig:
        plan = _planned(rig, tasks)
        ledger = _Ledger(rig)
        begun = time.perf_counter()
        crew = {f"agent:w{number}": _start(path, plan, number) for number in range(workers)}
        started = rig.seq()
        killed: dict[str, float] = {}
        for number in range(kills):
            # Each closing is three events, so a kill comes about every so many steps.
            written = started + (number + 1) * 3 * tasks * _STEPS_EACH // (2 * kills)
            ledger.until(partial(_has_grown, rig, written))
            name, step = _stopped_at_work(ledger, crew, chance)
            killed[name] = _kill(ledger, crew.pop(name), name, step)
            crew[f"agent:w{workers + number}"] = _start(path, plan, workers + number)
        for process in crew.values():
            assert process.wait(_PATIENCE) == 0, "a worker failed"
        seconds = time.perf_counter() - begun
        ledger.holders()
        return Drained(ledger.events, seconds, killed)


def _has_grown(rig: Rig, seq: int) -> bool:
    return rig.seq() >= seq


def _stopped_at_work(
    ledger: _Ledger, crew: Mapping[str, "subprocess.Popen[bytes]"], chance: random.Random
) -> tuple[str, str]:
    """A random worker that holds a step, stopped so that it cannot close it before it is killed; and the step."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        name = chance.choice([name for name, process in crew.items() if process.poll() is None])
        crew[name].send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, crew[name].pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)  # the signal takes a moment
        held = [step for step, holder in ledger.holders().items() if holder == name]
        if held:
            return name, held[0]
        crew[name].send_signal(signal.SIGCONT)
    raise AssertionError("no worker holds a step")


def _kill(ledger: _Ledger, process: "subprocess.Popen[bytes]", name: str, step: str) -> float:
    """Kill a worker. Answers the seconds until another one claimed its step."""
    process.kill()
    process.wait(_PATIENCE)
    gone = time.perf_counter()
    ledger.until(lambda: ledger.holders().get(step) != name)
    return time.perf_counter() - gone


class Worked(NamedTuple):
    """How many steps each agent closed, how often somebody worked in vain, and how many steps are still open."""

    closed: Counter[int]
    vain: int
    open: int

    @property
    def waste(self) -> float:
        """How much of the work was in vain, in percent."""
        return 100 * self.vain / (self.closed.total() + self.vain)


def simulate(path: Path, agents: int, *, claim: bool) -> Worked:
    """Agents that all look for what to do now, and work for as long as it takes. What somebody else has closed
    meanwhile was in vain."""
    chance = random.Random(agents)
    with Rig(path, "NORMAL") as rig:
        plan = _planned(rig, 6)
        busy: list[tuple[float, int, dict[str, Any]]] = []
        closed, vain = Counter[int](), 0
        for agent in range(agents):
            _look(rig, plan, agent, 0.0, busy, chance, claim=claim)
        while busy:
            now, agent, step = min(busy, key=lambda work: work[:2])
            busy.remove((now, agent, step))
            where = {"workspace": WORKSPACE, "task": step["task"], "step_id": step["step_id"]}
            reply = answer(rig.engine, "tasks_close_step", {**where, "checkpoints": CONFIRMED}, _agent(agent))
            if reply.refusal is not None or json.loads(reply.text).get("changed") is False:
                vain += 1
            else:
                closed[agent] += 1
            _look(rig, plan, agent, now, busy, chance, claim=claim)
        return Worked(closed, vain, json.loads(rig.ok("tasks_radar", plan=plan))["counts"]["open"])


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


def _rate(drained: Drained) -> float:
    closed = [event for event in drained.events if event["type"] == "step_done"]
    return len(closed) / drained.seconds


def _twice(drained: Drained) -> int:
    done = [event["step_id"] for event in drained.events if event["type"] == "step_done"]
    return len(done) - len(set(done))
