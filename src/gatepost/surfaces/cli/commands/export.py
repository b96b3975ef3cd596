"""`gatepost export` and `gatepost import`: workspaces, whole, from one store to another."""

from argparse import Namespace

from gatepost.surfaces.cli.parser import Parser

_ABOUT = {
    "export": """\
Write a workspace, or all of them, with its whole history, to stdout or a file
that gatepost import reads. The store can be in use meanwhile. The file has all
stored texts as they are, so keep it as safe as the store.""",
    "import": """\
Add the workspaces of an exported file to the store, and compare them with it.
Run it again if it was interrupted: it continues where it stopped. What the
store has of a workspace must be the beginning of what the file has.""",
}
_EXAMPLES = {
    "export": """\
  gatepost export acme.jsonl
  gatepost export --all all.jsonl
  gatepost export --workspace acme/repo - | gzip > acme.jsonl.gz""",
    "import": """\
  gatepost import acme.jsonl --store other.db --dry-run
  gatepost import acme.jsonl --store other.db
  cat acme.jsonl | gatepost import - --store other.db""",
}
_EXITS = {
    "export": "1 the hash chain of a workspace is broken; or a fault",
    "import": "1 the file is damaged, or the import does not match it; or a fault\n"
    "4 conflict: the store has another log of that name",
}


def declare(parser: Parser) -> None:
    """Declare arguments and help of the two commands."""
    command = parser.command
    parser.describe(_ABOUT[command], examples=_EXAMPLES[command], exits=_EXITS[command])
    if command == "export":
        parser.add_argument("file", metavar="FILE", nargs="?", default="-", help="the file to create; - is stdout")
        parser.add_argument("--all", action="store_true", help="every workspace of the store")
        parser.add_argument("--format", metavar="F", default="jsonl", help="jsonl, the only one so far")
        parser.add_argument("--force", action="store_true", help="replace FILE if it exists")
    else:
        parser.add_argument("file", metavar="FILE", help="a file that gatepost export wrote; - is stdin")
        parser.add_argument("--dry-run", action="store_true", help="check the file, and store nothing")
        parser.add_argument("--from", metavar="F", dest="form", default="auto", help="auto, or jsonl")
    parser.add_quiet("print nothing; use the exit code")
    parser.add_argument("--json", action="store_true", help=f"print what was {command}ed as JSON")
    parser.add_place(server=False)


def run(options: Namespace) -> int:
    """Export or import, and tell."""
    from gatepost.surfaces.cli import transfers

    return transfers.export_file(options) if options.command == "export" else transfers.import_file(options)
