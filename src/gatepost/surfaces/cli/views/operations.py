"""The list of operations, from the registry."""

from argparse import Namespace
from typing import Any

import msgspec

from gatepost.operations.answer import find
from gatepost.operations.catalog import OPERATIONS
from gatepost.operations.tools import tool
from gatepost.surfaces.cli.json_output import print_json
from gatepost.surfaces.cli.tables import Cell, table
from gatepost.surfaces.terminal import Terminal, stdout
from gatepost.wire.schemas import input_schema


def show_all(options: Namespace) -> None:
    """List every operation with what it does."""
    if options.json:
        print_json(msgspec.json.encode([tool(operation) for operation in OPERATIONS]).decode())
        return
    terminal = stdout()
    rows = [[Cell(operation.name, "bold"), Cell(operation.about)] for operation in OPERATIONS]
    for line in table(terminal, rows, give=((1, 20),)):
        terminal.say(line)
    terminal.say()
    terminal.say("Arguments of one:  " + terminal.paint("gatepost call tasks_create --about", "bold"))


def describe(options: Namespace) -> None:
    """Tell what one operation does and takes."""
    operation = find(options.tool)
    schema = input_schema(operation.command, terse=False)
    if options.json:
        shown = {**tool(operation, outputs=True), "inputSchema": schema}
        print_json(msgspec.json.encode(shown).decode())
        return
    terminal = stdout()
    terminal.say(
        terminal.paint(operation.name, "bold") + ("" if operation.writes else terminal.paint("  reads only", "dim"))
    )
    for line in terminal.wrap(operation.about, 0):
        terminal.say(line)
    terminal.say()
    for line in table(terminal, _fields(terminal, schema, ""), give=((3, 0),)):
        terminal.say(line)


def _fields(terminal: Terminal, schema: dict[str, Any], inside: str) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    required = schema.get("required", ())
    for name, field in schema["properties"].items():
        rows.append(
            [
                Cell(f"{inside}{name}", "bold"),
                Cell(_type(field)),
                Cell("required" if name in required else "", "yellow"),
                Cell(terminal.clean(field.get("description", "")), "dim"),
            ]
        )
        inner = field.get("items", field)
        if "properties" in inner:
            mark = "[]." if inner is not field else "."
            rows += _fields(terminal, inner, f"{inside}{name}{mark}")
    return rows


def _type(field: dict[str, Any]) -> str:
    if "anyOf" in field:
        return " or ".join(map(_type, field["anyOf"]))
    if "enum" in field:
        return "|".join(field["enum"])
    kind = field.get("type", "any value")
    if kind == "array":
        return f"list of {_type(field['items'])}"
    return str({"string": "text", "integer": "number", "boolean": "true|false"}.get(kind, kind))
