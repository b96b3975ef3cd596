"""`gatepost restore`: a backup, back in place."""

from argparse import Namespace

from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Check a backup, then replace the store with it. An existing store is kept beside\n"
        "it under another name. First stop every program that has the store open.",
        examples="""\
  gatepost backup today.db
  gatepost restore today.db --store other.db
  gatepost restore today.db --store other.db --replace   the old one is kept""",
    )
    parser.add_argument("file", metavar="FILE", help="a file created by gatepost backup")
    parser.add_argument("--replace", action="store_true", help="replace an existing store")
    parser.add_argument("--unsound", action="store_true", help="restore it even if the doctor finds problems")
    parser.add_quiet("print nothing; use the exit code")
    parser.add_argument("--json", action="store_true", help="print what was restored as JSON")
    parser.add_place(server=False)


def run(options: Namespace) -> int:
    """Check, put in place, and tell."""
    from gatepost.surfaces.cli.backups import restore

    return restore(options)
