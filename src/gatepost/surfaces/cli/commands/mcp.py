"""`gatepost mcp`: the Model Context Protocol on stdin and stdout. Every agent starts one, so nothing heavy here."""

from __future__ import annotations

from gatepost.surfaces.cli.parser import file_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from gatepost.surfaces.cli.parser import Parser

DEFAULT_TOOLS = "core"


def declare(parser: Parser) -> None:
    """The words of the command."""
    parser.describe(
        "Serve the operations to an agent until it hangs up, over the Model Context\nProtocol on stdin and stdout.",
        examples="""\
  gatepost mcp                              the core tools
  gatepost mcp --tools all                  every tool
  gatepost mcp --workspace acme/repo        refuse all other workspaces
  claude mcp add gatepost -- gatepost mcp   tell an agent about it""",
    )
    parser.add_argument(
        "--tools",
        metavar="SET",
        help="a tool set (core, tasks, all, …) or tools by name, with commas between (GATEPOST_TOOLS; core)",
    )
    parser.add_argument("--actor", metavar="A", help="who the log says it was (GATEPOST_ACTOR; else the client)")
    parser.add_argument("--output-schemas", action="store_true", help="list what tools answer, too; that is long")
    parser.add_place(server=False)


def run(options: Namespace) -> int:
    """Serve."""
    settings = file_settings(options)
    from gatepost.surfaces.mcp import toolbox

    return toolbox.run(settings, tools=settings.tools or DEFAULT_TOOLS, output_schemas=bool(options.output_schemas))
