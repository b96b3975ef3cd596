"""`gatepost restore`: a backup, back in place."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """The words of the command."""
    parser.describe(
        "Put a backup in place of the store, after checking it. A store that is there\n"
        "already is kept beside it under another name. Stop everything that has the\n"
        "store open first.",
        examples="""\
  gatepost backup today.db
  gatepost restore today.db --store other.db
  gatepost restore today.db --store other.db --replace   the old one is kept""",
    )
    parser.add_argument("file", metavar="FILE", help="a file that gatepost backup made")
    parser.add_argument("--replace", action="store_true", help="put it in place of the store that is there")
    parser.add_argument("--unsound", action="store_true", help="restore it even if the doctor finds problems in it")
    parser.add_quiet("print nothing: the exit code tells")
    parser.add_argument("--json", action="store_true", help="print what was restored as JSON")
    parser.add_place(server=False)


def run(options: Namespace) -> int:
    """Check, put in place, and tell."""
    from gatepost.surfaces.cli.backups import restore

    return restore(options)
