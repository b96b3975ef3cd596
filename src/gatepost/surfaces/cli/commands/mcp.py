"""`gatepost mcp`: the Model Context Protocol on stdin and stdout. Every agent starts one, so nothing heavy here."""

from argparse import Namespace

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
        "--actor", metavar="A", help="the name in the log (GATEPOST_ACTOR; default: the client's name)"
    )
    parser.add_argument("--output-schemas", action="store_true", help="also list output schemas, which are long")
    parser.add_place(server=False)


def run(options: Namespace) -> int:
    """Serve."""
    settings = file_settings(options)
    from gatepost.surfaces.mcp import toolbox

    return toolbox.run(settings, tools=settings.tools or DEFAULT_TOOLS, output_schemas=bool(options.output_schemas))
