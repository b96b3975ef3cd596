"""What Gatepost has to do, and which tests show it.

The TOML files beside this one hold the demands; `@pytest.mark.requirement("id", …)` ties a test to them.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TESTS = HERE.parent
PARTS = tuple(f"part {number}" for number in range(2, 8))

_FIELDS = frozenset({"id", "says", "from", "pending"})
_ID = re.compile(r"[a-z][a-z0-9-]*(\.[a-z0-9]+(-[a-z0-9]+)*){2}")
_SOURCE = re.compile(r"(00[0-4]|ruling [0-8](\.[0-9])?) \S.*")

Shown = Mapping[str, list[str]]


class RegisterError(Exception):
    """The register, or a marker in a test, is not in the form that the README asks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One demand, in one sentence. Without `pending` it holds today and a test shows it."""

    id: str
    says: str
    source: str
    pending: str | None


def load(folder: Path = HERE) -> tuple[Requirement, ...]:
    """Every requirement of the folder's TOML files; raises RegisterError on the first malformed one."""
    requirements = tuple(
        requirement for file in sorted(folder.glob("*.toml")) for requirement in _requirements_of(file)
    )
    if not requirements:
        raise RegisterError(f"{folder} holds no requirement")
    twice = [id_ for id_, count in Counter(r.id for r in requirements).items() if count > 1]
    if twice:
        raise RegisterError(f"ids given twice: {', '.join(twice)}")
    return requirements


def find_markers(folder: Path = TESTS) -> dict[str, list[str]]:
    """For each id that a test in the folder is marked with, the names of those tests.

    Read from the source, so that the answer is the same whichever tests are being run.
    """
    found: dict[str, list[str]] = {}
    for file in sorted(folder.rglob("*.py")):
        module = ast.parse(file.read_text(encoding="utf-8"), filename=str(file))
        for id_, node_name in _marks_in(module.body, file.relative_to(folder.parent).as_posix()):
            names = found.setdefault(id_, [])
            if node_name not in names:
                names.append(node_name)
    return found


def without_a_test(requirements: Iterable[Requirement], shown: Shown) -> list[str]:
    """The ids that should hold today and that no test carries."""
    return [r.id for r in requirements if r.pending is None and r.id not in shown]


def no_longer_pending(requirements: Iterable[Requirement], shown: Shown) -> list[str]:
    """The ids that a test carries although they are still listed as pending."""
    return [r.id for r in requirements if r.pending is not None and r.id in shown]


def unknown_ids(requirements: Iterable[Requirement], shown: Shown) -> list[str]:
    """The ids that tests carry and the register lacks, each with the tests that carry it."""
    known = {r.id for r in requirements}
    return [f"{id_} ({', '.join(names)})" for id_, names in shown.items() if id_ not in known]


def summary(requirements: Iterable[Requirement], shown: Shown) -> str:
    """One line for the end of a test run: how many are shown, missing, and pending by part."""
    requirements = tuple(requirements)
    missing = without_a_test(requirements, shown)
    pending = Counter(r.pending for r in requirements if r.pending is not None)
    counts = [f"{len(requirements) - pending.total() - len(missing)} shown"]
    if missing:
        counts.append(f"{len(missing)} without a test")
    by_part = ", ".join(f"{part}: {pending[part]}" for part in sorted(pending))
    counts.append(f"{pending.total()} pending" + (f" ({by_part})" if by_part else ""))
    return f"requirements: {', '.join(counts)}"


def _requirements_of(file: Path) -> Iterator[Requirement]:
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    if set(table) != {"requirement"}:
        raise RegisterError(f"{file.name}: only [[requirement]] tables belong here, not {sorted(table)}")
    for entry in table["requirement"]:
        yield _requirement(entry, file.name)


def _requirement(entry: Mapping[str, Any], file: str) -> Requirement:
    where = f"{file}: {entry.get('id', entry)}"
    if unknown := entry.keys() - _FIELDS:
        raise RegisterError(f"{where}: unknown field {sorted(unknown)}")
    for field in ("id", "says", "from"):
        if not isinstance(entry.get(field), str) or not entry[field].strip():
            raise RegisterError(f"{where}: {field} is missing or blank")
    if not _ID.fullmatch(entry["id"]):
        raise RegisterError(f"{where}: an id reads area.subject.demand, in lower case")
    if not _SOURCE.fullmatch(entry["from"]):
        raise RegisterError(f"{where}: from names a seed or a ruling, not {entry['from']!r}")
    pending = entry.get("pending")
    if pending is not None and pending not in PARTS:
        raise RegisterError(f"{where}: pending names one of {', '.join(PARTS)}, not {pending!r}")
    return Requirement(id=entry["id"], says=entry["says"], source=entry["from"], pending=pending)


def _marks_in(body: Iterable[ast.stmt], owner: str) -> Iterator[tuple[str, str]]:
    """Each id with what carries it: `file`, `file::TestClass` or `file::TestClass::test`."""
    for statement in body:
        if not isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            # `pytestmark = …`, or a table of pytest.param(…) that stands apart from its test.
            yield from ((id_, owner) for id_ in _ids_in(statement, owner))
            continue
        name = f"{owner}::{statement.name}"
        for decorator in statement.decorator_list:
            for id_ in _ids_in(decorator, name):
                _must_be_a_test(statement.name, name)
                yield id_, name
        if isinstance(statement, ast.ClassDef):
            yield from _marks_in(statement.body, name)


def _must_be_a_test(name: str, where: str) -> None:
    """Refuse a marker on a fixture or helper: pytest would not run it, so it would show nothing."""
    if not name.startswith(("test", "Test")):
        raise RegisterError(f"{where}: only a test can carry a requirement")


def _ids_in(tree: ast.AST, where: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.requirement"):
            yield from _ids_of_marker(node, where)


def _ids_of_marker(marker: ast.Call, where: str) -> Iterator[str]:
    if not marker.args or marker.keywords:
        raise RegisterError(f"{where}: a requirement marker takes one id or more, and nothing else")
    for argument in marker.args:
        if not isinstance(argument, ast.Constant) or not isinstance(argument.value, str):
            raise RegisterError(f"{where}: an id is written out as a string, not {ast.unparse(argument)}")
        yield argument.value
