"""`gatepost digest`: a summary of a repository, made from its files, or the stored one."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

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


def run(options: Namespace) -> int:
    """Show it."""
    import msgspec

    from gatepost.surfaces.cli.errors import BadUsage
    from gatepost.surfaces.cli.invocation import ROOM, Invocation
    from gatepost.surfaces.cli.json_output import print_json
    from gatepost.surfaces.terminal import stdout

    with Invocation(options) as invocation:
        key = {} if options.key is None else {"section_key": options.key}
        if options.verb == "show":
            if options.keep:
                raise BadUsage("--keep goes with scan", "See gatepost digest --help")
            asked = {"workspace": invocation.workspace(), "max_chars": ROOM, **key}
            text = invocation.ask("workspace_digest_get", asked)
        else:
            workspace = invocation.settings.workspace or (invocation.workspace() if options.keep else "here")
            text = invocation.ask("workspace_digest_scan", {"workspace": workspace, "max_chars": ROOM})
            if options.keep:
                made = msgspec.json.decode(text)
                kept = {"workspace": workspace, "summary": made["summary"], "body": made["body"], **key}
                invocation.ask("workspace_digest_set", kept)
        if options.json:
            print_json(text)
            return 0
        reply = msgspec.json.decode(text)
        terminal = stdout()
        for part in (reply["summary"], reply["body"], reply.get("hint")):
            if part:
                terminal.say(terminal.clean(part.rstrip("\n"), lines=True))
                terminal.say()
    return 0
