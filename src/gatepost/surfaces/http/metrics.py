"""Metrics in the text format of Prometheus. Only used in the event loop's thread."""

from bisect import bisect_left
from collections import Counter, defaultdict
from typing import Final

from gatepost import __version__

MEDIA_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

_CUT: Final = "Streams closed because the client was too slow."
_SNAPSHOTS: Final = "Lists rendered for streams."


class Metrics:
    """Requests by operation and outcome, their duration, and open streams."""

    def __init__(self) -> None:
        self.open_streams = 0
        self.cut_streams = 0
        self.made_snapshots = 0
        self._requests: Counter[tuple[str, str]] = Counter()
        self._seconds: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(BOUNDS) + 1))
        self._sums: defaultdict[str, float] = defaultdict(float)

    def served(self, operation: str, outcome: str, seconds: float) -> None:
        """Count one request. Both labels must come from closed lists, or clients could grow them without limit."""
        self._requests[operation, outcome] += 1
        self._seconds[operation][bisect_left(BOUNDS, seconds)] += 1
        self._sums[operation] += seconds

    def text(self) -> str:
        """All metrics."""
        lines = [
            *_family("gatepost_info", "gauge", "The running version.", [f'{{version="{__version__}"}} 1']),
            *_family("gatepost_requests_total", "counter", "Requests by operation and outcome.", self._counts()),
            *_family("gatepost_open_streams", "gauge", "Event streams open now.", [f" {self.open_streams}"]),
            *_family("gatepost_cut_streams_total", "counter", _CUT, [f" {self.cut_streams}"]),
            *_family("gatepost_todo_snapshots_total", "counter", _SNAPSHOTS, [f" {self.made_snapshots}"]),
            *_family("gatepost_request_seconds", "histogram", "Duration of requests, without streams.", []),
        ]
        lines += [line for operation in sorted(self._seconds) for line in self._histogram(operation)]
        return "\n".join(lines) + "\n"

    def _counts(self) -> list[str]:
        return [
            f'{{operation="{operation}",outcome="{outcome}"}} {count}'
            for (operation, outcome), count in sorted(self._requests.items())
        ]

    def _histogram(self, operation: str) -> list[str]:
        name, label = "gatepost_request_seconds", f'operation="{operation}"'
        lines, total = [], 0
        for bound, count in zip((*map(str, BOUNDS), "+Inf"), self._seconds[operation], strict=True):
            total += count
            lines.append(f'{name}_bucket{{{label},le="{bound}"}} {total}')
        return [*lines, f"{name}_sum{{{label}}} {self._sums[operation]:.6f}", f"{name}_count{{{label}}} {total}"]


def _family(name: str, kind: str, about: str, samples: list[str]) -> list[str]:
    return [f"# HELP {name} {about}", f"# TYPE {name} {kind}", *(f"{name}{sample}" for sample in samples)]
