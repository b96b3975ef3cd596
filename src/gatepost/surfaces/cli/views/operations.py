"""The operations, told from the registry."""

import json
from argparse import Namespace
from typing import Any

from gatepost.domain.refusals import Refusal
from gatepost.operations.answer import find
from gatepost.operations.catalog import OPERATIONS
from gatepost.operations.tools import tool
from gatepost.surfaces.cli.endings import Refused
from gatepost.surfaces.cli.printing import print_json
from gatepost.surfaces.cli.screen import Screen, stdout
from gatepost.surfaces.cli.tables import Cell, table
from gatepost.wire import rendering
from gatepost.wire.schemas import input_schema


def show_all(options: Namespace) -> None:
    """List every operation with what it does."""
    if options.json:
        print_json(
            json.dumps([tool(operation) for operation in OPERATIONS], ensure_ascii=False, separators=(",", ":"))
        )
        return
    screen = stdout()
    rows = [[Cell(operation.name, "bold"), Cell(operation.about)] for operation in OPERATIONS]
    for line in table(screen, rows, give=((1, 20),)):
        screen.say(line)
    screen.say()
    screen.say("What one takes:  " + screen.paint("gatepost call tasks_create --about", "bold"))


def describe(options: Namespace) -> None:
    """Tell what one operation does and takes."""
    try:
        operation = find(options.tool)
    except Refusal as refusal:
        raise Refused(rendering.refusal(refusal), refusal.family) from None
    schema = input_schema(operation.command, terse=False)
    if options.json:
        shown = {**tool(operation, outputs=True), "inputSchema": schema}
        print_json(json.dumps(shown, ensure_ascii=False, separators=(",", ":")))
        return
    screen = stdout()
    screen.say(
        screen.paint(operation.name, "bold") + ("" if operation.writes else screen.paint("  reads only", "dim"))
    )
    for line in screen.wrap(operation.about, 0):
        screen.say(line)
    screen.say()
    for line in table(screen, _fields(screen, schema, ""), give=((3, 0),)):
        screen.say(line)


def _fields(screen: Screen, schema: dict[str, Any], inside: str) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    required = schema.get("required", ())
    for name, field in schema["properties"].items():
        rows.append(
            [
                Cell(f"{inside}{name}", "bold"),
                Cell(_type(field)),
                Cell("required" if name in required else "", "yellow"),
                Cell(screen.clean(field.get("description", "")), "dim"),
            ]
        )
        inner = field.get("items", field)
        if "properties" in inner:
            mark = "[]." if inner is not field else "."
            rows += _fields(screen, inner, f"{inside}{name}{mark}")
    return rows


def _type(field: dict[str, Any]) -> str:
    if "enum" in field:
        return "|".join(field["enum"])
    kind = field.get("type", "any value")
    if kind == "array":
        return f"list of {_type(field['items'])}"
    return str({"string": "text", "integer": "number", "boolean": "true|false"}.get(kind, kind))
