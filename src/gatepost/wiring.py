"""How it is put together: the one file that knows both the stores and the engine."""

from __future__ import annotations

import functools
import os

from gatepost.checks.project_checks import ProjectChecks
from gatepost.engine.clock import SystemClock
from gatepost.engine.engine import Engine, no_files
from gatepost.wire.secrets import REFUSE, Policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gatepost.domain.policies import Policy as ProofPolicy
    from gatepost.engine.packages import Packages
    from gatepost.engine.port import Store
    from gatepost.files.protocol import Filesystem
    from gatepost.notices.configuration import NotifySettings

MEMORY = "memory:"


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
) -> Engine:
    """An engine on the store at a location, for the project whose `.gatepost` folder is `home`.

    `faced` says that the store is the project's own: its taskdocs have their packages there. `tracked` says that
    git keeps them. `policy` is what new workspaces start with. `runs_checks` says that a caller may run commands
    that a person trusts. `notify` says whom to tell what waits for a person.
    """
    files = no_files if home is None else functools.cache(lambda: _files(os.path.dirname(home)))
    # A store in memory is gone in a moment: it must not leave its mark on a project's packages.
    packages = None
    if home is not None and location != MEMORY and faced:
        packages = functools.cache(lambda: _packages(os.path.dirname(home), tracked=tracked))
    checks = None if home is None else ProjectChecks(os.path.dirname(home), _file(location), runs=runs_checks)
    made = Engine(
        store(location, synchronous),
        SystemClock(),
        home,
        files=files,
        packages=packages,
        checks=checks,
        secrets=secrets,
        first_policy=_first_policy(policy),
    )
    if notify is not None:
        from gatepost.notices.sender import NoticeSender

        made.notices = NoticeSender(made, notify, os.getcwd() if home is None else os.path.dirname(home))
    return made


def _first_policy(given: Mapping[str, Any] | None) -> ProofPolicy | None:
    if not given:
        return None
    from gatepost.engine.policies import from_settings

    return from_settings(given)


def _files(root: str) -> Filesystem:
    from gatepost.files.host import HostFilesystem

    return HostFilesystem(root)


def _packages(root: str, *, tracked: bool) -> Packages:
    from gatepost.domain.taskdocs import SELECTORS
    from gatepost.tsk.packages import DiskPackages

    return DiskPackages(root, SELECTORS, tracked=tracked)


def store(location: str, synchronous: str) -> Store:
    """The store at a location: a file, `sqlite://` and an absolute path, or `memory:`."""
    from gatepost.storage.sqlite.store import SqliteStore

    file = _file(location)
    return SqliteStore(":memory:") if file is None else SqliteStore(file, synchronous)


def _file(location: str) -> str | None:
    """The file of the store at a location, unless it is in memory."""
    return None if location == MEMORY else os.path.abspath(location.removeprefix("sqlite://"))
