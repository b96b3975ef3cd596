"""Inputs made from a command's own type: such as would fit, and such as would not in any way one can think of."""

import math
from typing import Any

from hypothesis import strategies as st
from msgspec import inspect

from gatepost.domain.names import NODE_ID, SECTION_KEY, SESSION, WORKSPACE
from gatepost.domain.places import PATH, PLAN_ID, ROOT_ID
from gatepost.domain.taskdocs import NAME as TASKDOC_NAME
from gatepost.domain.templates import GAP_NAME, NAME
from gatepost.wire.texts import CURSOR

Drawn = st.SearchStrategy[Any]

ODD_TEXTS = (
    "",
    " ",
    "\0",
    "a\0b",
    "\ud800",
    "x\udfffy",
    "\u202egnol",
    "\x1b[31mred\x07",
    "line\nline\u2028line",
    "🌱" * 400,
    "x" * 1_000_000,
    "..",
    "../../etc/passwd",
    "'; DROP TABLE documents; --",
    "TASK-000",
    "TASK-1",
    "STEP-00000000",
    "s:00",
    "s:0.s:" + "9" * 300,
)
ODD_NUMBERS = (-1, 0, 2**53 + 1, 2**63, 2**64, -(2**70), 10**5000, 1.5, 3.0, math.nan, math.inf, -math.inf)


def nested(depth: int, *, in_lists: bool = False) -> Any:
    """Something of no use, many levels deep."""
    found: Any = "at last"
    for _ in range(depth):
        found = [found] if in_lists else {"steps": found}
    return found


odd: Drawn = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from(ODD_NUMBERS),
    st.sampled_from(ODD_TEXTS),
    st.text(max_size=5),
    st.builds(list),  # a new one each time: it may be spoiled
    st.builds(dict),
    st.lists(st.sampled_from(ODD_TEXTS) | st.integers(), max_size=3),
    st.dictionaries(st.sampled_from(ODD_TEXTS) | st.text(max_size=3), st.none() | st.integers(), max_size=2),
    st.sampled_from([5, 60, 300, 3_000]).map(nested),
    st.sampled_from([60, 3_000]).map(lambda depth: nested(depth, in_lists=True)),
)

KNOWN_FORMS: dict[str | None, tuple[str, ...]] = {
    WORKSPACE: ("acme/repo",),
    ROOT_ID: ("TASK-001", "TASK-002", "PLAN-001", "TASK-003", "TASK-999", "TASK-1000"),
    PLAN_ID: ("PLAN-001", "PLAN-002", "PLAN-999"),
    PATH: ("s:0", "s:1", "s:0.s:0", "s:0.t:0", "s:99", ".".join(["s:0"] * 17)),
    CURSOR: ("dGEx", "dGEx-_", "x", "cGEx"),
    SESSION: ("main", "a.b:c", "TASK-001", "__proto__"),
    SECTION_KEY: ("workspace-digest", "a:b"),
    TASKDOC_NAME: ("garden", "orchard", "nowhere"),
    NAME: ("bugfix", "release", "nowhere"),
    GAP_NAME: ("suite", "version"),
}


def fitting(kind: inspect.Type, ids: tuple[str, ...] = ()) -> Drawn:
    """Values that the type allows, or nearly."""
    if isinstance(kind, inspect.Metadata):
        return fitting(kind.type, ids)
    if isinstance(kind, inspect.UnionType):
        return st.one_of([fitting(member, ids) for member in kind.types])
    if isinstance(kind, inspect.StructType):
        return _fitting_object(kind, ids)
    if isinstance(kind, inspect.VarTupleType | inspect.ListType):
        return st.lists(fitting(kind.item_type, ids), max_size=2)
    if isinstance(kind, inspect.StrType):
        if kind.pattern == NODE_ID and ids:
            return st.sampled_from(ids)
        return st.sampled_from(KNOWN_FORMS.get(kind.pattern, ("a text", "naïve 漢字", "x" * 64)))
    if isinstance(kind, inspect.IntType):
        return st.integers(kind.ge or 0, 1_000)
    if isinstance(kind, inspect.LiteralType):
        return st.sampled_from(kind.values)
    return _fitting_rest(kind)


def _fitting_rest(kind: inspect.Type) -> Drawn:
    if isinstance(kind, inspect.BoolType):
        return st.booleans()
    if isinstance(kind, inspect.DictType):
        return st.dictionaries(st.text("ab", min_size=1), st.integers() | st.text(max_size=3), max_size=2)
    if isinstance(kind, inspect.AnyType):
        return st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.lists(st.text(max_size=3))
    assert isinstance(kind, inspect.NoneType), f"no values for {kind}"
    return st.none()


_objects: dict[tuple[type, tuple[str, ...]], Drawn] = {}
"""One strategy for each type of object: steps hold steps."""


def _fitting_object(kind: inspect.StructType, ids: tuple[str, ...]) -> Drawn:
    key = kind.cls, ids
    if key not in _objects:
        _objects[key] = st.deferred(lambda: _fields(kind, ids))
    return _objects[key]


def _fields(kind: inspect.StructType, ids: tuple[str, ...]) -> Drawn:
    fields = {field.encode_name: fitting(field.type, ids) for field in kind.fields}
    needed = {field.encode_name for field in kind.fields if field.required}
    return st.fixed_dictionaries(
        {name: fields[name] for name in fields if name in needed},
        optional={name: fields[name] for name in fields if name not in needed},
    )


@st.composite
def arguments(draw: st.DrawFn, command: type, ids: tuple[str, ...] = ()) -> dict[str, Any]:
    """A call's arguments with up to three things wrong with them."""
    given: dict[str, Any] = dict(draw(fitting(inspect.type_info(command), ids)))
    names = [field.encode_name for field in inspect.type_info(command).fields]  # type: ignore[attr-defined]
    for way in draw(st.lists(st.sampled_from(["replace", "replace", "drop", "add", "null", "inside"]), max_size=3)):
        name = draw(st.sampled_from(names))
        if way == "replace":
            given[name] = draw(odd)
        elif way == "drop":
            given.pop(name, None)
        elif way == "null":
            given[name] = None
        elif way == "add":
            given[draw(st.sampled_from([*ODD_TEXTS, f"{name}s", name.upper()]))] = draw(odd)
        else:
            spoil(draw, given.get(name))
    return given


def spoil(draw: st.DrawFn, held: Any) -> None:
    """Put something odd into an object or a list."""
    if isinstance(held, dict):
        held[draw(st.sampled_from([*held, "extra", "\ud800"]))] = draw(odd)
    elif isinstance(held, list):
        held.append(draw(odd))
        if isinstance(held[0], dict):
            spoil(draw, held[0])
