"""The house rules that a linter does not know."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import gatepost
from docs import check
from docs.generate import SCHEMAS, generated
from gatepost.operations.catalog import OPERATIONS

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/gatepost"
LONGEST_FILE = 400
LONGEST_FUNCTION = 40
BANNED_NAMES = {"utils", "util", "helpers", "common", "base", "manager", "misc"}


def python_files(folder: Path) -> list[Path]:
    """Every Python file below a folder, but for generated ones."""
    return sorted(set(folder.rglob("*.py")) - generated().keys())


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function in a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


@pytest.mark.parametrize("folder", ["src", "tests", "bench", "docs", "examples"])
def test_no_file_and_no_function_is_longer_than_one_can_read(folder: str) -> None:
    long_files = [
        str(path.relative_to(ROOT))
        for path in python_files(ROOT / folder)
        if len(path.read_text(encoding="utf-8").splitlines()) > LONGEST_FILE
    ]
    long_functions = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in python_files(ROOT / folder)
        for node in functions(path)
        if (node.end_lineno or node.lineno) - node.lineno + 1 > LONGEST_FUNCTION
    ]

    assert long_files == []
    assert long_functions == []


def test_modules_are_named_after_what_they_hold() -> None:
    modules = [path for path in python_files(SOURCE) if path.stem in BANNED_NAMES or path.stem.endswith("ing")]

    assert [str(path.relative_to(SOURCE)) for path in modules] == ["wiring.py"]


def test_a_public_class_name_means_one_thing() -> None:
    """Generated classes take the name of the struct that they describe, so they do not count."""
    homes: dict[str, set[str]] = {}
    for path in python_files(SOURCE):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, set()).add(str(path.relative_to(SOURCE)))

    assert {name: sorted(files) for name, files in homes.items() if len(files) > 1} == {}


def test_types_are_decoded_only_once_they_are_prepared_for_threads() -> None:
    """`domain/value.py` says why: msgspec crashes if two threads meet a type for the first time."""
    loose = re.compile(r"json\.Decoder\(|(?:type=|\bconvert\([\w.]+, )(?!prepared\()\w")
    found = [
        f"{path.relative_to(SOURCE)}: {line.strip()}"
        for path in python_files(SOURCE)
        for line in path.read_text(encoding="utf-8").splitlines()
        if ("msgspec." in line or "json.Decoder(" in line) and loose.search(line)
    ]

    assert found == ["domain/value.py: return json.Decoder(kind)"]


def test_faults_are_caught_only_at_a_surface_s_edge() -> None:
    """Elsewhere one may clean up on the way, and then passes the fault on as it is."""
    broad = [
        str(path.relative_to(SOURCE))
        for path in python_files(SOURCE)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ExceptHandler) and _is_broad(node) and not _passes_on(node)
    ]

    # A client's threads are edges too: they hand the fault to whoever listens or awaits. So is that of notices: no
    # call may fail with it.
    threads = ("local_subscription", "remote_subscription", "asynchronous")
    edges = ("surfaces/", "notices/sender.py", *(f"client/{name}.py" for name in threads))
    assert all(name.startswith(edges) for name in broad), broad


def _is_broad(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or re.search(r"\b(Base)?Exception\b", ast.unparse(handler.type)) is not None


def _passes_on(handler: ast.ExceptHandler) -> bool:
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def test_pure_layers_know_neither_clock_nor_chance_nor_files() -> None:
    impure = {"time", "random", "os", "socket", "threading", "subprocess", "apsw", "datetime", "secrets"}
    for layer in ("domain", "views"):
        for path in python_files(SOURCE / layer):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
            names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
            assert not names & impure, path


@pytest.mark.requirement("mcp.schemas.published")
def test_generated_files_are_what_the_registry_says() -> None:
    assert list(check.problems()) == []
    assert {SCHEMAS / f"{operation.name}.json" for operation in OPERATIONS} <= generated().keys()


def test_the_version_is_one() -> None:
    declared = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)

    assert declared is not None
    assert declared[1] == gatepost.__version__
    assert f"## {declared[1]}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_starting_a_server_loads_nothing_it_does_not_need() -> None:
    program = """
import sys
from gatepost.settings import settings
from gatepost.surfaces.mcp import toolbox
toolbox.GatepostTools(settings({"store": "memory:"}), "core", output_schemas=False).tools()
heavy = {"msgspec", "apsw", "typing", "dataclasses", "pathlib", "logging", "asyncio", "tomllib", "inspect"}
print(sorted(heavy & set(sys.modules)))
"""

    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_a_process_that_only_reads_does_without_openssl(tmp_path: Path) -> None:
    store = str(tmp_path / "a.db")
    with gatepost.connect(store) as gp:
        gp.call("tasks_create", workspace="acme/shop", kind="task", title="A task")
    program = f"""
import sys
import gatepost
with gatepost.connect({store!r}) as gp:
    gp.call("tasks_radar", workspace="acme/shop")
    gp.call("tasks_context", workspace="acme/shop", text="task")
print("_hashlib" in sys.modules)
"""

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"


def test_views_without_proofs_load_nothing_that_runs_checks_or_looks_at_the_source_tree(tmp_path: Path) -> None:
    (tmp_path / ".gatepost").mkdir()
    program = """
import sys
import gatepost
with gatepost.connect() as gp:
    step = {"task": "TASK-001", "path": "s:0", "workspace": "acme/shop"}
    gp.call("tasks_create", workspace="acme/shop", kind="task", title="A task", steps=[{"title": "a"}])
    gp.call("tasks_close_step", **step, checkpoints={name: {"confirmed": True} for name in ("criteria", "tests")})
    for view in ("tasks_radar", "tasks_resume", "tasks_handoff", "tasks_mirror", "tasks_lint"):
        gp.call(view, workspace="acme/shop", task="TASK-001")
tools = {"runner", "supervision", "source_tree", "working_files", "git_files", "trust"}
unwanted = {"gatepost.engine.checks", "gatepost.engine.watched_checks", "subprocess"}
print(sorted((unwanted | {f"gatepost.checks.{name}" for name in tools}) & set(sys.modules)))
"""

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path)

    assert done.stdout.strip() == "[]"
