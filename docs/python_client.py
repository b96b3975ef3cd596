"""Write the typed Python client from the registry: one method for each operation, with its signature and words."""

import re
import textwrap
from collections.abc import Iterator
from enum import Enum
from keyword import iskeyword
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec.structs import FieldInfo, fields

from gatepost.operations.catalog import OPERATIONS
from gatepost.operations.registry import Operation

CLIENT = Path(__file__).parent.parent / "src/gatepost/client"
SYNC = CLIENT / "workspaces.py"
ASYNC = CLIENT / "async_workspaces.py"

WIDTH = 110
NOUNS = {
    "Tasks": "Plans, tasks and their steps.",
    "Todo": "The todo lists of sessions.",
    "Taskdocs": "Taskdocs: goals, plans and what was decided, in sections.",
    "Digest": "The workspace digest: what the repository is like.",
    "Sessions": "The history of durable sessions.",
    "Files": "Files below the project's root. Only on a store in this process.",
}
_PREFIXES = {
    "tasks_": "Tasks",
    "todo_": "Todo",
    "taskdoc_": "Taskdocs",
    "workspace_digest_": "Digest",
    "session_": "Sessions",
    "file_": "Files",
}
_MINDS = ("recall_mind", "change_mind", "clear_mind")
_FACE_DEFAULTS = {("tasks_create", "kind"): '"task"'}
"""Defaults that only the Python client has."""
_LAST = ("expected_revision", "request_id")
"""Parameters that every write has come after its own."""


class Method(NamedTuple):
    """An operation as a method of a noun."""

    noun: str
    name: str
    operation: Operation


def files() -> dict[Path, str]:
    """The generated modules and what they must hold."""
    methods = [_method(operation) for operation in OPERATIONS]
    structs = _structs(methods)
    shapes = "\n\n\n".join(map(_typed_dict, structs))
    return {
        SYNC: f"{_head(methods, is_async=False)}\n\n{shapes}\n\n\n{_classes(methods, is_async=False)}",
        ASYNC: f"{_head(methods, is_async=True, shapes=structs)}\n\n{_classes(methods, is_async=True)}",
    }


def _method(operation: Operation) -> Method:
    if operation.name in _MINDS:
        return Method("Taskdocs", operation.name, operation)
    for prefix, noun in _PREFIXES.items():
        if operation.name.startswith(prefix):
            return Method(noun, operation.name.removeprefix(prefix), operation)
    return Method("Workspace", operation.name.removeprefix("workspace_"), operation)


def _head(methods: list[Method], *, is_async: bool, shapes: list[type] | None = None) -> str:
    kind = "awaited methods" if is_async else "methods"
    lines = [
        f'"""A workspace with typed {kind} for every operation.',
        "",
        "Generated from the registry by `python -m docs.generate`. Do not edit.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "from collections.abc import Mapping, Sequence",
        f"from typing import Any, Literal{'' if is_async else ', NotRequired, TypedDict'}",
        "",
        "from msgspec import UNSET, UnsetType",
        "",
        f"from gatepost.client.requests import {'AsyncCallSender' if is_async else 'CallSender'}",
    ]
    if shapes is not None:
        lines += _imported("gatepost.client.workspaces", sorted(shape.__name__ for shape in shapes))
    by_module: dict[str, set[str]] = {}
    for method in methods:
        by_module.setdefault(method.operation.reply.__module__, set()).add(method.operation.reply.__name__)
    for module in sorted(by_module):
        lines += _imported(module, sorted(by_module[module]))
    return "\n".join([*lines, ""])


def _imported(module: str, names: list[str]) -> list[str]:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= WIDTH:
        return [line]
    return [f"from {module} import (", *(f"    {name}," for name in names), ")"]


def _classes(methods: list[Method], *, is_async: bool) -> str:
    """The nouns, then the workspace that has them."""
    request = "AsyncCallSender" if is_async else "CallSender"
    prefix = "Async" if is_async else ""
    parts = []
    for noun, about in NOUNS.items():
        head = f'class {prefix}{noun}:\n    """{about}"""\n\n    def __init__(self, request: {request}) -> None:\n'
        body = [_rendered(method, is_async=is_async) for method in methods if method.noun == noun]
        parts.append("\n\n".join([f"{head}        self._request = request", *body]))
    nouns = "\n".join(f"        self.{noun.lower()} = {prefix}{noun}(request)" for noun in NOUNS)
    head = (
        f'class {prefix}Workspace:\n    """One workspace. Every operation is a method of one of its parts."""\n\n'
        f"    def __init__(self, name: str, request: {request}) -> None:\n        self.name = name\n"
        f"        self._request = request\n{nouns}"
    )
    own = [_rendered(method, is_async=is_async) for method in methods if method.noun == "Workspace"]
    parts.append("\n\n".join([head, *own]))
    return "\n\n\n".join(parts) + "\n"


def _rendered(method: Method, *, is_async: bool) -> str:
    operation = method.operation
    required, optional = _parameters(operation)
    positional = required if len(required) == 1 else []
    named = [text for _, text in (*required, *optional)[len(positional) :]]
    listed = [*(text for _, text in positional), *(["*", *named] if named else [])]
    reply = operation.reply.__name__
    head = f"    {'async ' if is_async else ''}def {method.name}("
    line = f"{head}{', '.join(['self', *listed])}) -> {reply}:"
    if len(line) > WIDTH:
        line = "\n".join([head, "        self,", *(f"        {text}," for text in listed), f"    ) -> {reply}:"])
    return "\n".join([line, _docstring(operation, brief=is_async), *_body(operation, is_async=is_async)])


def _parameters(operation: Operation) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Names and spellings of what must be given, and of what may be."""
    required, optional = [], []
    for field, kind in _fields(operation.command):
        default = _FACE_DEFAULTS.get((operation.name, field.name)) or _default(field)
        spelled = f"{_safe(field.name)}: {_spelled(kind, unset=field.default is msgspec.UNSET)}"
        if default is None:
            required.append((field.name, spelled))
        else:
            optional.append((field.name, f"{spelled} = {default}"))
    optional.sort(key=lambda named: _LAST.index(named[0]) if named[0] in _LAST else -1)
    return required, optional


def _body(operation: Operation, *, is_async: bool) -> Iterator[str]:
    plain: list[str] = []
    nullable: list[str] = []
    for field, _ in _fields(operation.command):
        entry = f'"{field.encode_name}": {_safe(field.name)}'
        (nullable if field.default is msgspec.UNSET else plain).append(entry)
    dicts = [plain, nullable] if nullable else [plain]
    start = f"        return {'await ' if is_async else ''}self._request("
    line = f'{start}"{operation.name}", {operation.reply.__name__}, ' + ", ".join(
        f"{{{', '.join(entries)}}}" for entries in dicts
    )
    if len(line) < WIDTH:
        yield f"{line})"
        return
    yield start
    yield f'            "{operation.name}",'
    yield f"            {operation.reply.__name__},"
    for entries in dicts:
        yield "            {"
        yield from (f"                {entry}," for entry in entries)
        yield "            },"
    yield "        )"


def _docstring(operation: Operation, *, brief: bool) -> str:
    """The operation's words, then what is known of its arguments; `brief` leaves those to the other client."""
    texts = [
        f"{_safe(field.name)}: {words}"
        for field, kind in _fields(operation.command)
        if not brief and (words := _description(kind)) is not None
    ]
    lines = textwrap.wrap(operation.about, WIDTH - 11)
    for text in texts:
        lines += textwrap.wrap(text, WIDTH - 8, initial_indent="    ", subsequent_indent="        ")
    if texts:
        lines.insert(len(textwrap.wrap(operation.about, WIDTH - 11)), "")
    said = [line.replace("\\", "\\\\") for line in lines]
    if len(said) == 1:
        return f'        """{said[0]}"""'
    return "\n".join([f'        """{said[0]}', *(f"        {line}".rstrip() for line in said[1:]), '        """'])


def _description(kind: Any) -> str | None:
    """What a field's type says about it, wherever in the type it says it."""
    if get_origin(kind) is Annotated:
        found = [meta.description for meta in get_args(kind)[1:] if isinstance(meta, msgspec.Meta)]
        return next((words for words in found if words), None) or _description(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return next((words for part in get_args(kind) if (words := _description(part))), None)
    return None


def _fields(struct: type) -> Iterator[tuple[FieldInfo, Any]]:
    """The fields of a struct with their types, but for the workspace."""
    hints = get_type_hints(struct, include_extras=True)
    for field in fields(struct):
        if field.name != "workspace":
            yield field, hints[field.name]


def _default(field: FieldInfo) -> str | None:
    """A field's default as it is written; nothing where there is none."""
    if field.default_factory is not msgspec.NODEFAULT:
        return "()"
    if field.default is msgspec.NODEFAULT:
        return None
    if field.default is msgspec.UNSET:
        return "UNSET"
    value = field.default.value if isinstance(field.default, Enum) else field.default
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _spelled(kind: Any, *, unset: bool = False) -> str:
    """A type as it is written."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _spelled(arguments[0], unset=unset)
    if origin in (Union, UnionType):
        parts = dict.fromkeys(_spelled(part) for part in arguments if part not in (NoneType, msgspec.UnsetType))
        ends = ["None"] if NoneType in arguments else []
        return " | ".join([*parts, *ends, *(["UnsetType"] if unset else [])])
    if origin is Literal:
        return f"Literal[{', '.join(_quoted(value) for value in arguments)}]"
    if origin in (tuple, list, frozenset, set):
        return f"Sequence[{_spelled(arguments[0])}]"
    if origin is dict:
        return f"Mapping[{_spelled(arguments[0])}, {_spelled(arguments[1])}]"
    if isinstance(kind, type) and issubclass(kind, Enum):
        return f"Literal[{', '.join(_quoted(member.value) for member in kind)}]"
    return "Any" if kind is Any or kind is msgspec.Raw else str(kind.__name__)


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _structs(methods: list[Method]) -> list[type]:
    """Every struct that an argument is made of, each after those that it uses."""
    found: dict[type, None] = {}

    def visit(kind: Any) -> None:
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            if kind not in found:
                found[kind] = None
                for _, part in _fields(kind):
                    visit(part)
            return
        for part in get_args(kind):
            visit(part)

    for method in methods:
        for _, kind in _fields(method.operation.command):
            visit(kind)
    names = [struct.__name__ for struct in found]
    clash = {method.operation.reply.__name__ for method in methods} & set(names)
    if clash or len(set(names)) != len(names):
        raise ValueError(f"two things of one name: {clash or names}")
    return list(found)


def _typed_dict(struct: type) -> str:
    about = re.sub(r"\s+", " ", (struct.__doc__ or "").partition("\n\n")[0]).strip()
    fields: dict[str, str] = {}
    for field, kind in _fields(struct):
        spelled = _spelled(kind)
        optional = field.default is not msgspec.NODEFAULT or field.default_factory is not msgspec.NODEFAULT
        fields[field.encode_name] = f"NotRequired[{spelled}]" if optional else spelled
    if any(map(iskeyword, fields)):  # a class cannot have such a field
        lines = [f'    "{name}": {spelled},' for name, spelled in fields.items()]
        call = [
            f"{struct.__name__} = TypedDict(",
            f'    "{struct.__name__}",',
            "    {",
            *(f"    {line}" for line in lines),
        ]
        return "\n".join([*call, "    },", ")", f'"""{about}"""'])
    lines = [f"    {name}: {spelled}" for name, spelled in fields.items()]
    return "\n".join([f"class {struct.__name__}(TypedDict):", f'    """{about}"""', "", *lines])


def _safe(name: str) -> str:
    return f"{name}_" if iskeyword(name) else name
