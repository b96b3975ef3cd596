"""How it is put together: the one file that knows both the stores and the engine."""

from __future__ import annotations

import functools
import os

from gatepost.checks.project_checks import ProjectChecks
from gatepost.engine.clock import SystemClock
from gatepost.engine.engine import Engine, no_files
from gatepost.wire.locations import DATABASES, shown
from gatepost.wire.secret_policy import REFUSE, Policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gatepost.domain.policies import Policy as ProofPolicy
    from gatepost.engine.commits import Notices
    from gatepost.engine.packages import Packages
    from gatepost.engine.port import Store
    from gatepost.files.protocol import Filesystem
    from gatepost.notices.configuration import NotifySettings
    from gatepost.spans import CallTracer

MEMORY = "memory:"
_TRACING = ("OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""The variables that ask for spans."""


def engine(
    location: str,
    synchronous: str = "FULL",
    home: str | None = None,
    *,
    faced: bool = True,
    secrets: Policy = REFUSE,
    tracked: bool = False,
    policy: Mapping[str, Any] | None = None,
    runs_checks: bool = True,
    notify: NotifySettings | None = None,
    workspace: str | None = None,
) -> Engine:
    """An engine on the store at a location, for the project whose `.gatepost` folder is `home`.

    `faced` says that the store is the project's own: its taskdocs have their packages there. `tracked` says that
    git keeps them. `policy` is what new workspaces start with. `runs_checks` says that a caller may run commands
    that a person trusts. `notify` says where to send notices of what waits for a person. `workspace` is the
    project's own: a database has those of many projects, and only this one's taskdocs have packages here.
    """
    root = None if home is None else os.path.dirname(home)
    packages = None
    if _has_packages(location, workspace) and root is not None and faced:
        shared = location.startswith(DATABASES)
        packages = functools.cache(lambda: _packages(root, tracked=tracked, shared=shared))
    kept = store(location, synchronous)
    made = Engine(
        kept,
        getattr(kept, "clock", None) or SystemClock(),  # all machines that use a database go by its clock
        home,
        files=no_files if root is None else functools.cache(lambda: _files(root)),
        packages=packages,
        checks=None if root is None else ProjectChecks(root, _file(location), runs=runs_checks),
        secrets=secrets,
        first_policy=_first_policy(policy),
    )
    made.own_workspace = workspace if location.startswith(DATABASES) else None
    made.notices = None if notify is None else _sender(made, notify, root or os.getcwd())
    made.tracer = _tracer()
    return made


def _tracer() -> CallTracer | None:
    if not any(os.environ.get(name) for name in _TRACING):
        return None
    from gatepost.spans import call_tracer

    return call_tracer()


def _has_packages(location: str, workspace: str | None) -> bool:
    """Whether taskdocs in a store may have packages on disk. A store in memory must not leave its mark there."""
    return location != MEMORY and not (location.startswith(DATABASES) and workspace is None)


def _sender(engine: Engine, notify: NotifySettings, root: str) -> Notices:
    from gatepost.notices.sender import NoticeSender

    return NoticeSender(engine, notify, root)


def _first_policy(given: Mapping[str, Any] | None) -> ProofPolicy | None:
    if not given:
        return None
    from gatepost.engine.policies import from_settings

    return from_settings(given)


def _files(root: str) -> Filesystem:
    from gatepost.files.host import HostFilesystem

    return HostFilesystem(root)


def _packages(root: str, *, tracked: bool, shared: bool) -> Packages:
    from gatepost.domain.taskdocs import SELECTORS
    from gatepost.tsk.packages import DiskPackages

    machine = None
    if shared:
        from gatepost.engine import processes

        machine = processes.machine()
    return DiskPackages(root, SELECTORS, tracked=tracked, machine=machine)


def store(location: str, synchronous: str) -> Store:
    """The store at a location: a file, `sqlite://` and an absolute path, a database's address, or `memory:`."""
    if location.startswith(DATABASES):
        return _database(location, synchronous)
    from gatepost.storage.sqlite.store import SqliteStore

    file = _file(location)
    return SqliteStore(":memory:") if file is None else SqliteStore(file, synchronous)


def _database(location: str, synchronous: str) -> Store:
    try:
        from gatepost.storage.postgres.address import Address
        from gatepost.storage.postgres.store import PostgresStore
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "psycopg":
            raise
        from gatepost.storage.faults import StoreUnreachable

        raise StoreUnreachable(
            shown(location), "the PostgreSQL driver is not installed", "Run: pip install 'gatepost[postgres]'"
        ) from None
    return PostgresStore(Address(location), synchronous)


def _file(location: str) -> str | None:
    """The file of the store at a location, if it is one."""
    if location == MEMORY or location.startswith(DATABASES):
        return None
    return os.path.abspath(location.removeprefix("sqlite://"))
