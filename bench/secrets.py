"""The price of judging: a write with and without it, and a text against one of a tenth of its length."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from bench.figures import Aim, Figure, Section, alone, compared, median
from bench.scale import Scale
from bench.timing import Turn, take_turns
from gatepost import wiring
from gatepost.engine.caller import Caller
from gatepost.operations.answer import answer
from gatepost.wire.credentials import find
from gatepost.wire.secret_policy import ALLOW, REFUSE, Policy

_PROSE: Final = "Waiting for the review of the second part; the tests pass on both machines. "
_CODE: Final = "    token_count = self.tokenizer.count_tokens(request.messages, model=configuration.model_name)\n"
_SHORT: Final = 6_000
_LONG: Final = 60_000
_BATCH: Final = 20
_JUDGED: Final = Aim(sign="≤", bound=1.5)
_LINEAR: Final = Aim(sign="≤", bound=15)


def measure(scale: Scale, folder: Path) -> Section:
    """Writes in turns with and without judging, and the search alone at two lengths."""
    turns: dict[str, Turn] = {}
    for policy in (ALLOW, REFUSE):
        turns[f"note of 2,000 characters, {policy}"] = _writes(folder, policy)
    for what, text in (("prose", _PROSE), ("code", _CODE)):
        for length in (_SHORT, _LONG):
            turns[f"{what} of {length:,} characters"] = _searches((text * length)[:length])
    times = take_turns(turns, rounds=scale.rounds, seconds=scale.seconds)
    medians = {what: median(spent, "µs") / _BATCH for what, spent in times.items()}
    return Section(name="secrets", figures=_figures(medians), notes=[])


def _figures(times: dict[str, float]) -> list[Figure]:
    figures = []
    for one, other, aim in (
        (f"note of 2,000 characters, {ALLOW}", f"note of 2,000 characters, {REFUSE}", _JUDGED),
        *(
            (f"{what} of {_SHORT:,} characters", f"{what} of {_LONG:,} characters", _LINEAR)
            for what in ("prose", "code")
        ),
    ):
        figures += [alone(one, times[one], "µs"), compared(other, times[other], "µs", times[one], aim)]
    return figures


def _writes(folder: Path, policy: Policy) -> Turn:
    engine = wiring.engine(str(folder / f"{policy}.db"), "NORMAL", secrets=policy)
    who, place = Caller("bench"), {"workspace": "bench"}
    made = answer(engine, "tasks_create", {**place, "kind": "task", "title": "Bench"}, who)
    arguments = {**place, "task": json.loads(made.text)["id"], "note": (_CODE * 30)[:2_000]}
    return _timed(lambda: answer(engine, "tasks_note", arguments, who))


def _searches(text: str) -> Turn:
    return _timed(lambda: find(text))


def _timed(work: Callable[[], object]) -> Turn:
    """The processor's time: judging waits for nothing, and what others do meanwhile is not its price."""

    def several() -> float:
        begun = time.thread_time()
        for _ in range(_BATCH):
            work()
        return time.thread_time() - begun

    return several
