"""OpenTelemetry: spans of calls arrive at a collector, and carry nothing that anybody wrote."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

MARK = "zanzibar"
CALLS = f"""
import contextlib, sys
import gatepost
from gatepost import wiring
with gatepost.connect("t.db") as gp:
    def call(tool, **arguments):
        with contextlib.suppress(gatepost.Refusal):
            gp.call(tool, **arguments)
    call("tasks_create", workspace="acme/shop", kind="task", title="{MARK}")
    call("tasks_resume", workspace="acme/shop", task="TASK-404")
    call("tasks_note", workspace="acme/shop", task="TASK-001", note="{MARK}", path="s:{MARK}")
    call("{MARK}", workspace="acme/shop")
    call("tasks_radar", workspace="{MARK} is no name")
    def broken(*_):
        raise RuntimeError("{MARK}")
    gp.engine.store.reading, kept = broken, gp.engine.store.reading
    with contextlib.suppress(RuntimeError):
        gp.call("tasks_radar", workspace="acme/shop")
    gp.engine.store.reading = kept
print(sorted(name for name in sys.modules if name.startswith("opentelemetry.sdk")) != [])
"""


class _Collector(BaseHTTPRequestHandler):
    """Keeps what is posted."""

    posted: list[tuple[str, bytes]]

    def do_POST(self) -> None:
        """Accept spans."""
        self.posted.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def collecting() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """A collector's address, and what it received."""
    posted: list[tuple[str, bytes]] = []
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Collector", (_Collector,), {"posted": posted})) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", posted
        server.shutdown()


def ran(folder: Path, **variables: str) -> str:
    """What a program prints that calls and is refused and fails."""
    around = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    done = subprocess.run(
        [sys.executable, "-c", CALLS], capture_output=True, text=True, cwd=folder, env={**around, **variables}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_each_call_is_a_span_with_its_operation_workspace_and_outcome_and_no_word_of_the_user(
    tmp_path: Path,
) -> None:
    with collecting() as (address, posted):
        assert ran(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=address, OTEL_RESOURCE_ATTRIBUTES="team=red") == "True"

    assert {path for path, _ in posted} == {"/v1/traces"}
    assert not any(MARK.encode() in body for _, body in posted)
    groups = [group for _, body in posted for group in ExportTraceServiceRequest.FromString(body).resource_spans]
    spans = [span for group in groups for scope in group.scope_spans for span in scope.spans]
    told = [{pair.key: pair.value.string_value for pair in span.attributes} for span in spans]
    found = [
        (span.name, known.get("gatepost.workspace"), known["gatepost.outcome"])
        for span, known in zip(spans, told, strict=True)
    ]
    assert found == [
        ("tasks_create", "acme/shop", "ok"),
        ("tasks_resume", "acme/shop", "UNKNOWN_ID"),
        ("tasks_note", "acme/shop", "INVALID_INPUT"),
        ("unknown", "acme/shop", "UNKNOWN_TOOL"),
        ("tasks_radar", None, "INVALID_INPUT"),
        ("tasks_radar", "acme/shop", "FAULT"),
    ]
    assert all(span.end_time_unix_nano > span.start_time_unix_nano for span in spans)
    named = {pair.key: pair.value.string_value for pair in groups[0].resource.attributes}
    assert (named["service.name"], named["team"]) == ("gatepost", "red")


def test_where_nobody_asks_for_spans_nothing_of_opentelemetry_is_imported(tmp_path: Path) -> None:
    assert ran(tmp_path) == "False"
