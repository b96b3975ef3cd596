"""`gatepost init`: connect the agents of a project, and take that back."""

from argparse import Namespace

from gatepost.surfaces.cli.parser import Parser

_CLIENTS = ("claude", "codex", "cursor", "vscode", "gemini", "copilot", "all")


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Connect the agents of this project: write gatepost.toml, and for each client\n"
        "the MCP server, the hooks, a block of instructions in AGENTS.md, CLAUDE.md or\n"
        "GEMINI.md, and the client's own rules for *.tsk folders.\n\n"
        "Existing files keep their text, comments and order; only what is missing is\n"
        "added. Run it again after an upgrade or a move. --remove restores what init\n"
        "changed.",
        examples="""\
  gatepost init --print                show what it would write
  gatepost init --client claude --yes
  gatepost init --client all --yes --allow pytest
  gatepost init --remove --yes""",
        exits="4 some file cannot be edited safely, and was left as it is",
    )
    parser.add_argument(
        "--client",
        metavar="C",
        action="append",
        choices=_CLIENTS,
        help=f"{', '.join(_CLIENTS[:-1])} or all; can be repeated (default: those that are found here)",
    )
    parser.add_argument("--print", action="store_true", dest="only_print", help="show the changes, write nothing")
    parser.add_argument("--remove", action="store_true", help="take out what init wrote")
    parser.add_argument(
        "--allow", metavar="CMD", action="append", help="also trust commands that begin with these words as checks"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask; needed where there is no terminal")
    parser.add_argument("--json", action="store_true", help="print the outcome as JSON")
    parser.add_argument(
        "--root",
        metavar="DIR",
        help="the project's folder (GATEPOST_ROOT; default: the nearest with .gatepost or .git)",
    )


def run(options: Namespace) -> int:
    """Write, show or remove."""
    from gatepost.surfaces.cli.views.init import connect, disconnect

    return disconnect(options) if options.remove else connect(options)
