"""`gatepost backup`: the store as one file, while others go on writing."""

from argparse import Namespace

from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Copy the store to FILE while it is in use. The copy is a consistent snapshot\n"
        "with every acknowledged write, and is checked before it gets its name. Do not\n"
        "copy the database by hand: its newest writes are in the -wal file beside it.",
        examples="""\
  gatepost backup today.db
  gatepost backup --force today.db   replace an older backup""",
        exits="0 done, and no problems found\n1 done, but the doctor found problems; or a fault",
    )
    parser.add_argument("file", metavar="FILE", help="the file to create")
    parser.add_argument("--force", action="store_true", help="replace FILE if it exists")
    parser.add_quiet("print nothing; use the exit code")
    parser.add_argument("--json", action="store_true", help="print what was copied as JSON")
    parser.add_place(server=False)


def run(options: Namespace) -> int:
    """Copy, check, and tell."""
    from gatepost.surfaces.cli.backups import back_up

    return back_up(options)
