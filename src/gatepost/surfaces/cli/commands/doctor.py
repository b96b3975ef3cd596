"""`gatepost doctor`: check that the store is what its log says."""

from argparse import Namespace

from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Check the store: its file, the hash chain of its log, and that documents, counts\n"
        "and indexes match the log. Shows the end of each log.",
        examples="""\
  gatepost doctor                         every workspace of the store
  gatepost doctor --workspace acme/repo   one of them
  gatepost doctor --repair                rebuild the store from its log
  gatepost doctor --report                what a bug report needs
  gatepost doctor --quiet || echo damaged""",
        exits="0 no problems\n1 problems were found, or a fault",
    )
    parser.add_argument(
        "--repair", action="store_true", help="rebuild the store from what can be read; keeps a copy of the old one"
    )
    parser.add_argument(
        "--remove-foreign",
        action="store_true",
        help="with --repair: leave out what other programs put into the file",
    )
    parser.add_argument(
        "--report",
        action="store_true",
        help="print versions, counts and codes to paste into a bug report: no names, paths, texts or values",
    )
    parser.add_quiet("print nothing; use the exit code")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.add_place(server=False)


def run(options: Namespace) -> int:
    """Examine, mend if asked to, and tell."""
    if options.report:
        from gatepost.surfaces.cli.views.bug_report import print_report

        return print_report(options)
    from gatepost.surfaces.cli.views.doctor import check_up

    return check_up(options)
