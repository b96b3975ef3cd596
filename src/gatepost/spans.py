"""OpenTelemetry spans of calls, where the environment asks for them and the extra `otel` is installed.

A span says which operation was called, in which workspace, how it ended and how long it took: nothing that anybody
wrote. The standard `OTEL_*` variables say where spans go. Without them nothing of OpenTelemetry is imported.
"""

from __future__ import annotations

import functools
import os
import sys
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter

R = TypeVar("R")

_NAME: Final = "gatepost"
_EXPORTER: Final = "OTEL_TRACES_EXPORTER"
_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
FAULT: Final = "FAULT"
_PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_PROTOCOL: Final = "http/protobuf"
_OTLP, _CONSOLE = "otlp", "console"
_OFF, _ON = "off", "on"
_PATIENCE: Final = 1.0
"""Seconds that a process waits for its last spans when it ends."""


class TracedCall(NamedTuple):
    """What a span says about a call before it has ended. `workspace` is none if its name is not valid."""

    operation: str
    workspace: str | None


class CallTracer:
    """Makes a span of each call."""

    def __init__(self, provider: TracerProvider) -> None:
        from importlib.metadata import version

        from opentelemetry.trace import SpanKind, StatusCode

        self._provider = provider
        self._tracer = provider.get_tracer(_NAME, version(_NAME))
        self._kind = SpanKind.SERVER
        self._failed = StatusCode.ERROR

    def traced(self, call: TracedCall, run: Callable[[], tuple[R, str]]) -> R:
        """What `run` answers. It also says how the call ended: `ok`, or the code of a refusal.

        Messages of errors can quote what somebody wrote, so a fault is only said to be one.
        """
        with self._tracer.start_as_current_span(
            call.operation, kind=self._kind, record_exception=False, set_status_on_exception=False
        ) as span:
            span.set_attribute("gatepost.operation", call.operation)
            if call.workspace is not None:
                span.set_attribute("gatepost.workspace", call.workspace)
            outcome = FAULT
            try:
                answered, outcome = run()
            finally:
                span.set_attribute("gatepost.outcome", outcome)
                if outcome == FAULT:
                    span.set_status(self._failed)
            return answered

    def flush(self) -> None:
        """Send what is left, but keep nobody waiting for a collector that does not answer."""
        from threading import Thread

        sending = Thread(target=self._provider.force_flush, name="last spans", daemon=True)
        sending.start()
        sending.join(_PATIENCE)


@functools.cache
def call_tracer() -> CallTracer | None:
    """The process's tracer; none if nobody asks for one, or what it needs is not installed."""
    if state() != _ON:
        return None
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=_resource(), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(_exporter()))
    return CallTracer(provider)


def state() -> str:
    """Whether calls are traced, or why not, in words that name no value but the protocol's."""
    if os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true" or _kind() is None:
        return _OFF
    protocol = next(filter(None, map(os.environ.get, _PROTOCOLS)), _PROTOCOL)
    if _kind() == _OTLP and protocol != _PROTOCOL:
        return f"{_OFF}: only {_PROTOCOL} is supported, see {' and '.join(_PROTOCOLS)}"
    from importlib.util import find_spec

    needed = (
        "opentelemetry",
        "opentelemetry.sdk",
        "opentelemetry.exporter",
        "opentelemetry.exporter.otlp.proto.http",
    )
    try:
        installed = all(find_spec(name) is not None for name in needed)
    except ModuleNotFoundError:
        installed = False
    return _ON if installed else f"{_OFF}: run pip install 'gatepost[otel]'"


def _kind() -> str | None:
    """The exporter that the environment asks for, of those that are known here."""
    named = os.environ.get(_EXPORTER, "").strip().lower()
    if not named and any(os.environ.get(name) for name in _ENDPOINTS):
        return _OTLP
    return named if named in (_OTLP, _CONSOLE) else None


def _exporter() -> SpanExporter:
    if _kind() == _CONSOLE:
        from opentelemetry.sdk.trace.export import ConsoleSpanExporter

        return ConsoleSpanExporter(out=sys.stderr)  # stdout belongs to replies, and on stdio to the protocol
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return OTLPSpanExporter()


def _resource() -> Resource:
    """The service's name, if the environment gives no other."""
    from opentelemetry.sdk.resources import Resource

    named = os.environ.get("OTEL_SERVICE_NAME") or "service.name=" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    return Resource.create({} if named else {"service.name": _NAME})
