"""`gatepost digest`: a summary of a repository, made from its files, or the stored one."""

from gatepost.surfaces.cli.errors import BadUsage
from gatepost.surfaces.cli.invocation import ROOM, Invocation
from gatepost.surfaces.cli.parser import Parser


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "A summary of a repository: layout, commands, caveats.\n\n"
        "  scan   create a digest from the files below the root. Nothing is executed.\n"
        "         Files that git ignores, secrets and .tsk packages are left out.\n"
        "  show   show the stored digest",
        examples="""\
  gatepost digest scan
  gatepost digest scan --keep --workspace acme/repo
  gatepost digest show""",
    )
    parser.add_argument(
        "verb", choices=("scan", "show"), metavar="scan|show", help="create a digest, or show the stored one"
    )
    parser.add_argument("--keep", action="store_true", help="with scan: store the digest")
    parser.add_argument("--key", metavar="KEY", help="which digest (default: workspace-digest)")
    parser.add_json()
    parser.add_place()


def answer(invocation: Invocation) -> None:
    """Show it."""
    from gatepost.operations.digests import GetDigest, ScanDigest, SetDigest
    from gatepost.surfaces.cli.json_output import print_json
    from gatepost.surfaces.terminal import stdout

    options = invocation.options
    key = {} if options.key is None else {"section_key": options.key}
    if options.verb == "show":
        if options.keep:
            raise BadUsage("--keep goes with scan", "See gatepost digest --help")
        text, reply = invocation.ask(GetDigest(workspace=invocation.workspace(), max_chars=ROOM, **key))
        parts = (reply.summary, reply.body, reply.hint)
    else:
        workspace = invocation.settings.workspace or (invocation.workspace() if options.keep else "here")
        text, scan = invocation.ask(ScanDigest(workspace=workspace, max_chars=ROOM))
        parts = (scan.summary, scan.body, None)
        if options.keep:
            invocation.client.do(SetDigest(workspace=workspace, summary=scan.summary, body=scan.body, **key))
    if options.json:
        print_json(text)
        return
    terminal = stdout()
    for part in filter(None, parts):
        terminal.say(terminal.clean(part.rstrip("\n"), lines=True))
        terminal.say()
