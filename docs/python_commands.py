"""Write `gatepost.commands` from the registry: every command and reply, and every object inside them."""

from collections import defaultdict
from pathlib import Path
from typing import Any

from msgspec import inspect

from gatepost.operations.catalog import OPERATIONS

COMMANDS = Path(__file__).parent.parent / "src/gatepost/commands.py"

WIDTH = 116
HEAD = '''\
"""Typed commands and replies, for `Gatepost.do`, with the objects inside them.

Generated from the registry by `python -m docs.generate`. Do not edit.
"""

'''


def files() -> dict[Path, str]:
    """The generated module and what it must hold."""
    found: set[type] = set()
    for operation in OPERATIONS:
        if not operation.files:
            _collect(inspect.type_info(operation.command), found)
            _collect(inspect.type_info(operation.reply), found)
    modules: dict[str, list[str]] = defaultdict(list)
    for struct in found:
        modules[struct.__module__].append(struct.__name__)
    imports = "\n".join(_import(module, sorted(modules[module], key=str.lower)) for module in sorted(modules))
    names = "".join(f'    "{name}",\n' for name in sorted(struct.__name__ for struct in found))
    return {COMMANDS: f"{HEAD}{imports}\n\n__all__ = [\n{names}]\n"}


def _collect(kind: Any, found: set[type]) -> None:
    match kind:
        case inspect.StructType(cls=struct, fields=fields) if struct not in found:
            found.add(struct)
            for field in fields:
                _collect(field.type, found)
        case inspect.Metadata(type=inner) | inspect.DictType(value_type=inner):
            _collect(inner, found)
        case inspect.VarTupleType(item_type=inner) | inspect.ListType(item_type=inner):
            _collect(inner, found)
        case inspect.UnionType(types=members):
            for member in members:
                _collect(member, found)


def _import(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= WIDTH:
        return line
    return f"from {module} import (\n" + "".join(f"    {name},\n" for name in names) + ")"
