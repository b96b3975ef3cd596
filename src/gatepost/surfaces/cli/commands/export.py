"""`gatepost export` and `gatepost import`: whole workspaces, the tasks of other tools, and documents to read."""

from argparse import Namespace

from gatepost.surfaces.cli.parser import Parser
from gatepost.surfaces.cli.transfer_formats import EXPORT, IMPORT

_ABOUT = {
    "export": """\
Write a workspace to stdout or a file. As jsonl: one or all, with the whole
history, for gatepost import. Others can keep writing. The file has all stored
texts as they are, so keep it as safe as the store. As md, csv or mermaid: what
plans, tasks and steps are now, to read. This works on a server, too.""",
    "import": """\
Add workspaces that gatepost export wrote, or the tasks of another tool: name
its file or its folder. If the import was interrupted, run it again: it
continues, and nothing comes twice. What another tool calls done is closed on
its word alone, which proves nothing. With --leave-open it stays open.""",
}
_EXAMPLES = {
    "export": """\
  gatepost export acme.jsonl
  gatepost export --all all.jsonl
  gatepost export --workspace acme/repo - | gzip > acme.jsonl.gz
  gatepost export --format md plans.md
  gatepost export --format mermaid | head""",
    "import": """\
  gatepost import acme.jsonl --store other.db --dry-run
  gatepost import acme.jsonl --store other.db
  cat acme.jsonl | gatepost import - --store other.db
  gatepost import .taskmaster/tasks/tasks.json --dry-run
  gatepost import TODO.md --workspace acme/repo
  gatepost import issues.json --from github""",
}
_EXITS = {
    "export": "1 the hash chain of a workspace is broken; or a fault",
    "import": "1 the file is damaged, does not match, or has refused items; or a fault\n"
    "4 conflict: the store has another log of that name",
}


def declare(parser: Parser) -> None:
    """Declare arguments and help of the two commands."""
    command = parser.command
    parser.describe(_ABOUT[command], examples=_EXAMPLES[command], exits=_EXITS[command])
    if command == "export":
        parser.add_argument("file", metavar="FILE", nargs="?", default="-", help="the file to create; - is stdout")
        parser.add_argument("--all", action="store_true", help="every workspace of the store (jsonl)")
        parser.add_argument("--format", metavar="F", default="jsonl", help=_listed(EXPORT, "jsonl"))
        parser.add_argument("--force", action="store_true", help="replace FILE if it exists")
    else:
        parser.add_argument("file", metavar="FILE", help="the file or folder to import; - is stdin")
        parser.add_argument("--dry-run", action="store_true", help="say what would be imported, and store nothing")
        parser.add_argument("--from", metavar="F", dest="form", default="auto", help=_listed(IMPORT, "auto"))
        parser.add_argument("--leave-open", action="store_true", help="leave open what another tool calls done")
    parser.add_quiet("print nothing; use the exit code")
    parser.add_argument("--json", action="store_true", help=f"print what was {command}ed as JSON")
    parser.add_place()


def run(options: Namespace) -> int:
    """Export or import, and tell."""
    from gatepost.surfaces.cli import transfers

    return transfers.export_file(options) if options.command == "export" else transfers.import_file(options)


def _listed(names: tuple[str, ...], default: str) -> str:
    return f"the format: {', '.join(names)} (default {default})"
