"""Round trips to PostgreSQL, counted as libpq sees them."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

import psycopg
import pytest


class RoundTrips:
    """Counts how often this process waits for the server."""

    def __init__(self, trace: IO[str]) -> None:
        self._trace = trace

    def of(self, work: Callable[[], object]) -> int:
        """How often some work waited for the server."""
        start = self._trace.seek(0, 2)
        work()
        self._trace.seek(start)
        return sum("\tReadyForQuery" in line for line in self._trace.read().splitlines())


@contextmanager
def counting_round_trips() -> Iterator[RoundTrips]:
    """A counter for all connections that are opened meanwhile. It makes them slower."""
    connect = psycopg.connect
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryFile("w+") as trace:

        def traced_connect(**given: Any) -> Any:
            made = connect(**given)
            made.pgconn.trace(trace.fileno())
            return made

        patch.setattr(psycopg, "connect", traced_connect)
        yield RoundTrips(trace)
