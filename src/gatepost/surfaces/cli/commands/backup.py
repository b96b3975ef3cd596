"""`gatepost backup`: the store as one file, while others go on writing."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """The words of the command."""
    parser.describe(
        "Copy the store to FILE while it is in use. The copy holds one moment, with all\n"
        "that was acknowledged before, and is checked before it gets its name. Do not\n"
        "copy the database by hand: its newest writes are in the -wal file beside it.",
        examples="""\
  gatepost backup today.db
  gatepost backup --force today.db   replace an older backup""",
        exits="0 the backup is made and sound\n1 it is made, but the doctor found something; or a fault",
    )
    parser.add_argument("file", metavar="FILE", help="the file to make")
    parser.add_argument("--force", action="store_true", help="replace FILE if it exists")
    parser.add_quiet("print nothing: the exit code tells")
    parser.add_argument("--json", action="store_true", help="print what was copied as JSON")
    parser.add_place(server=False)


def run(options: Namespace) -> int:
    """Copy, check, and tell."""
    from gatepost.surfaces.cli.backups import back_up

    return back_up(options)
