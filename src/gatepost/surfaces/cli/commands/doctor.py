"""`gatepost doctor`: does the store hold what its own history says?"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """The words of the command."""
    parser.describe(
        "Check the store: its file, the chain of hashes over its log, and that documents,\n"
        "counts and index are what the log makes of them. Shows the end of each log.",
        examples="""\
  gatepost doctor                         every workspace of the store
  gatepost doctor --workspace acme/repo   one of them
  gatepost doctor --repair                write it again from its log
  gatepost doctor --quiet || echo unwell""",
        exits="0 all is well\n1 something was found, or a fault",
    )
    parser.add_argument(
        "--repair", action="store_true", help="write the store again from what can be read; keeps a copy of the old"
    )
    parser.add_argument(
        "--remove-foreign", action="store_true", help="with --repair: leave out what others put into the file"
    )
    parser.add_quiet("print nothing: the exit code tells")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.add_place(server=False)


def run(options: Namespace) -> int:
    """Examine, mend if asked to, and tell."""
    from gatepost.surfaces.cli.views.doctor import check_up

    return check_up(options)
