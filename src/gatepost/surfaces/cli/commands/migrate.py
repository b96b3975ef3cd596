"""`gatepost migrate`: bring the store's schema up to date."""

from argparse import Namespace

from gatepost.surfaces.cli.parser import Parser, file_settings


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Bring the store's schema up to date. Every command does this by itself where it\n"
        "may; use this one where only the owner of a database can change its schema.\n"
        "Safe while others use the store, and when several processes run it at once.",
        examples="""\
  gatepost migrate
  gatepost migrate --json   the schema's number before and after""",
    )
    parser.add_quiet("print nothing; use the exit code")
    parser.add_argument("--json", action="store_true", help="print the schema's numbers as JSON")
    parser.add_place(server=False)


def run(options: Namespace) -> int:
    """Upgrade, and say from which schema to which."""
    from contextlib import closing

    from gatepost import wiring
    from gatepost.surfaces.cli.json_output import print_json
    from gatepost.surfaces.terminal import stdout

    found = file_settings(options)
    with closing(wiring.store(found.store, found.synchronous)) as store:
        before, after = store.migrate()
    if options.json:
        print_json(f'{{"before":{before},"after":{after}}}')
    elif not options.quiet:
        terminal = stdout()
        if before == after:
            said = f"{found.place} has schema {after}, which is current."
        elif before:
            said = f"Upgraded {found.place} from schema {before} to {after}."
        else:
            said = f"Created schema {after} in {found.place}."
        terminal.say(terminal.clean(said))
    return 0
