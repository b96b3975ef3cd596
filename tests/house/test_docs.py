"""What the documents promise of the guard, and say of the storage port."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TASKDOCS = (ROOT / "docs/taskdocs.md").read_text(encoding="utf-8")


@pytest.mark.requirement("guard.docs.enforced-or-detected")
def test_the_documents_say_what_is_enforced_watched_restored_and_only_detected() -> None:
    whose = TASKDOCS.partition("## Who may touch `.tsk`")[2].partition("\n## ")[0]
    parts = whose.split("\n\n**")

    assert [part.partition("**")[0] for part in parts[1:]] == ["Enforced", "Watched", "Restored", "Only detected"]
    assert "This is not a sandbox: a script that builds the path itself passes" in whose
    assert "gatepost hook pre-tool" in whose
    assert "gatepost hook post-tool" in whose


def test_every_module_that_the_architecture_names_is_there() -> None:
    architecture = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    source = ROOT / "src/gatepost"
    layers = "|".join(sorted(path.name for path in source.iterdir() if path.is_dir()))
    named = {name.removesuffix(".py") for name in re.findall(rf"\b(?:{layers})/[a-z_/]+(?:\.py)?", architecture)}

    missing = {name for name in named if not (source / name).is_dir() and not (source / f"{name}.py").exists()}

    assert missing == {"tools/call", "tools/list"}  # methods of MCP


def test_the_architecture_tells_how_large_the_port_is() -> None:
    tree = ast.parse((ROOT / "src/gatepost/engine/port.py").read_text(encoding="utf-8"))
    methods: dict[str, set[str]] = {}
    for part in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        methods[part.name] = {node.name for node in part.body if isinstance(node, ast.FunctionDef)}
    reads = methods["Tables"] | methods["WorkspaceSnapshot"] | methods["StoreSnapshot"]
    counts = [len(methods["Store"]), len(reads), len(methods["StoreTransaction"]), len(methods["Inspection"])]

    told = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")

    assert f"`Store` ({counts[0]} methods" in told
    assert f"`StoreSnapshot` ({counts[1]} reads" in told
    assert f"`Inspection` has {counts[3]}. Together {sum(counts)} methods" in told
