"""`gatepost trust`: what a project may make Gatepost do, decided by a person."""

from argparse import Namespace

from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Show what this project's gatepost.toml asks for, and trust it. Until then no\n"
        "command runs as a check, a store outside the project is refused, and settings\n"
        "such as actor are ignored. A changed file or a moved folder asks again.\n\n"
        "An allowed command runs the project's own code with your rights.",
        examples="""\
  gatepost trust                                     look at it, then decide
  gatepost trust --show
  gatepost trust --yes --allow pytest --allow 'npm test'
  gatepost trust --revoke""",
    )
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument(
        "--allow",
        metavar="CMD",
        action="append",
        help="allow commands that begin with these words, whatever gatepost.toml says",
    )
    choice.add_argument("--show", action="store_true", help="only show what is asked for and what is allowed")
    choice.add_argument(
        "--revoke", action="store_true", help="forget every decision about this folder, --allow too"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask; needed where there is no terminal")
    parser.add_argument("--json", action="store_true", help="print the outcome as JSON")
    parser.add_argument(
        "--root",
        metavar="DIR",
        help="the project's folder (GATEPOST_ROOT; default: the nearest with .gatepost or .git)",
    )


def run(options: Namespace) -> int:
    """Show, ask and keep the decision."""
    from gatepost.surfaces.cli.actors import require_person
    from gatepost.surfaces.cli.views.trust import decide

    if not options.show:
        require_person("trusting a folder is a person's decision")
    return decide(options)
