"""`gatepost mcp`: the Model Context Protocol on stdin and stdout. Every agent starts one, so nothing heavy here."""

import sys
from argparse import Namespace

from gatepost.domain.people import seems_person
from gatepost.surfaces.cli.errors import BadUsage
from gatepost.surfaces.cli.parser import Parser, file_settings

DEFAULT_TOOLS = "core"


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Serve the operations to an agent over the Model Context Protocol on stdin and\n"
        "stdout, until it disconnects.",
        examples="""\
  gatepost mcp                              the core tools
  gatepost mcp --tools all                  every tool except the file tools
  gatepost mcp --workspace acme/repo        refuse all other workspaces
  claude mcp add gatepost -- gatepost mcp   connect an agent""",
    )
    parser.add_argument(
        "--tools",
        metavar="SET",
        help="a tool set (core, tasks, all, …) or tool names, separated by commas (GATEPOST_TOOLS; default: core)",
    )
    parser.add_argument(
        "--actor",
        metavar="A",
        help="the name in the log, not a person's (GATEPOST_ACTOR; default: the client's name)",
    )
    parser.add_argument("--output-schemas", action="store_true", help="also list output schemas, which are long")
    parser.add_place(server=False)


def run(options: Namespace) -> int:
    """Serve."""
    settings = file_settings(options)
    if seems_person(options.actor or ""):
        raise BadUsage(
            f"--actor {options.actor} is a person's name, and MCP callers cannot act as a person",
            "Leave --actor out, or give an agent's name, for example --actor agent:builder",
        )
    if seems_person(settings.actor or ""):
        print(
            f"gatepost mcp: the actor {settings.actor!a} is a person's name, and MCP callers cannot act as a"
            " person. The client's own name is used.",
            file=sys.stderr,
        )
    from gatepost.surfaces.mcp import toolbox

    return toolbox.run(settings, tools=settings.tools or DEFAULT_TOOLS, output_schemas=bool(options.output_schemas))
