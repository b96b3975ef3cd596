"""`gatepost doctor`: does the store hold what its own history says?"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from gatepost.surfaces.cli.parsing import Parser


def declare(parser: Parser) -> None:
    """The words of the command."""
    parser.tell(
        "Check the store: that every document is what its history made it, that the log\n"
        "has no gaps, and that all counts and the index are right.",
        examples="""\
  gatepost doctor                         every workspace of the store
  gatepost doctor --workspace acme/repo   one of them
  gatepost doctor --repair                count and index anew, then check again
  gatepost doctor --quiet || echo unwell""",
        exits="0 all is well\n1 something was found, or a fault",
    )
    parser.add_argument(
        "--repair", action="store_true", help="mend what follows from the documents: counts and index"
    )
    parser.add_quiet("print nothing: the exit code tells")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.add_place()


def run(options: Namespace) -> int:
    """Examine, mend if asked to, and tell."""
    from gatepost.surfaces.cli.views.doctor import check_up

    return check_up(options)
