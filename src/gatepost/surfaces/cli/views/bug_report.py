"""`gatepost doctor --report`: what a bug report needs, and nothing that anybody wrote.

Only what is named here is shown: versions, kinds, counts, codes and the names of settings. No names of workspaces,
paths, addresses or values of settings, so that a report can be posted as it is.
"""

import os
import platform
import re
import sys
from argparse import Namespace
from collections import Counter
from contextlib import suppress
from importlib import metadata
from typing import Any, Final

import msgspec

from gatepost import __version__
from gatepost.client.connect import Gatepost
from gatepost.domain.refusals import StoreFault
from gatepost.engine import doctor
from gatepost.engine.doctor import DoctorFinding
from gatepost.engine.engine import Engine
from gatepost.settings import FILE, NAMES, NOTIFY, TABLES, in_file
from gatepost.spans import state as tracing_state
from gatepost.surfaces.cli.errors import BadUsage
from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.json_output import print_json
from gatepost.surfaces.cli.parser import refuse_server
from gatepost.surfaces.cli.views.trust import project_trust
from gatepost.surfaces.terminal import stdout

_PACKAGE: Final = "gatepost"
_UNITS: Final = ("B", "KiB", "MiB", "GiB", "TiB")
_STEP: Final = 1024
_WIDTH: Final = 12
_FLAGS: Final = ("store", "root", "workspace")
_RECEIPTS: Final = {"pipx_metadata.json": "by pipx", "uv-receipt.toml": "by uv tool"}
"""What installers leave in the environments that they make."""
_requirement = re.compile(r"^[A-Za-z0-9._-]+", re.MULTILINE)


def print_report(options: Namespace) -> int:
    """Print the report; the exit code. That something was found is no failure of a report."""
    if options.repair or options.remove_foreign or options.quiet:
        raise BadUsage("--report only reads and prints", "Give it alone, or with --json and the store's place.")
    with Invocation(options) as invocation:
        refuse_server(options, invocation.settings)
        found = bug_report(invocation)
        if options.json:
            print_json(msgspec.json.encode(found).decode())
        else:
            terminal = stdout()
            for line in lines(found):
                terminal.say(terminal.clean(line))
    return 0


def bug_report(invocation: Invocation) -> dict[str, Any]:
    """The report: each part as plain data."""
    return {
        "gatepost": __version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "installed": _installer(),
        "packages": _packages(),
        "tracing": tracing_state(),
        "trust": project_trust(invocation.settings.root).state,
        "settings": _origins(invocation.options, invocation.settings.root),
        **(
            _examined(Gatepost(invocation.client).engine) if invocation.has_store() else {"store": {"kind": "none"}}
        ),
    }


def lines(report: dict[str, Any]) -> list[str]:
    """The report as text to paste."""
    shown = []
    for name, part in report.items():
        rows = part if isinstance(part, list) else [part]
        for number, row in enumerate(rows or ["none"], start=1):
            label = f"{name} {number}" if len(rows) > 1 else name
            shown.append(f"{label:<{_WIDTH}}  {_in_words(row)}")
    return shown


def _in_words(row: Any) -> str:
    if isinstance(row, dict):
        return ", ".join(f"{name} {_in_words(value)}" for name, value in row.items()) or "none"
    return f"{row:,}" if isinstance(row, int) else str(row)


def _installer() -> str:
    """How Gatepost was installed, as far as the folder tells; never the folder itself."""
    if "site-packages" not in __file__.split(os.sep):
        return "from a clone"
    found = [name for receipt, name in _RECEIPTS.items() if os.path.exists(os.path.join(sys.prefix, receipt))]
    return found[0] if found else "in a virtual environment" if sys.prefix != sys.base_prefix else "by pip"


def _packages() -> dict[str, str]:
    """The versions of what Gatepost requires, as far as it is installed."""
    found = {}
    for name in _requirement.findall("\n".join(metadata.requires(_PACKAGE) or ())):
        with suppress(metadata.PackageNotFoundError):  # an extra that is not installed
            found[name] = metadata.version(name)
    return found


def _origins(options: Namespace, root: str) -> dict[str, str]:
    """The names of the settings that are set, and where. What is not named here is at its default."""
    _, in_project = in_file(root)
    file, found = _tables(root), {}
    for name in dict.fromkeys((*_FLAGS, *NAMES)):
        if getattr(options, name, None) is not None:
            found[name] = f"--{name}"
        elif os.environ.get(variable := f"GATEPOST_{name.upper()}"):
            found[name] = variable
        elif name in in_project:
            found[name] = FILE
    found |= dict.fromkeys(file, FILE)
    for name in NOTIFY:
        if os.environ.get(variable := f"GATEPOST_NOTIFY_{name.upper()}"):
            found[f"notify.{name}"] = variable
    return found


def _tables(root: str) -> list[str]:
    """The tables that the project's file has, with the settings in them."""
    file, _ = in_file(root)
    values = {} if file is None else file.values
    return [f"{name}.{key}" for name, known in TABLES.items() for key in known if key in values.get(name, {})]


def _examined(engine: Engine) -> dict[str, Any]:
    """The store and what the doctor finds in it."""
    kind = engine.store.describe()["kind"]
    try:
        with engine.store.inspecting() as inspection:
            measures = inspection.measures()
        checkup = doctor.check_store(engine.store, engine.packages)
    except StoreFault as fault:
        return {"store": {"kind": kind, "refused": fault.code}}
    size = "unknown" if measures.size is None else _size(measures.size)
    schema = "unknown" if measures.schema is None else str(measures.schema)
    return {
        "store": {"kind": kind, "engine": measures.engine, "size": size, "schema": schema},
        "workspace": [
            {**report.checked, "findings": len(report.findings), "notes": len(report.notes)}
            for report in checkup.workspaces
        ],
        "findings": _by_code(checkup.findings),
        "notes": _by_code([note for report in checkup.workspaces for note in report.notes]),
    }


def _by_code(findings: list[DoctorFinding]) -> dict[str, int]:
    return dict(sorted(Counter(finding.code for finding in findings).items()))


def _size(count: float) -> str:
    power = 0
    while count >= _STEP and power < len(_UNITS) - 1:
        count, power = count / _STEP, power + 1
    return f"{count:.1f} {_UNITS[power]}"
