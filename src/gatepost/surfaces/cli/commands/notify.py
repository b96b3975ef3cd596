"""`gatepost notify`: who is told what waits for a person, and a try."""

from __future__ import annotations

from argparse import Namespace

from gatepost.surfaces.cli.errors import FAULT, CommandError, NothingFound
from gatepost.surfaces.cli.parser import Parser, found_settings, say_ignored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatepost.notices.configuration import NotifySettings


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(
        "Show who is told when something waits for a person: a webhook or a command, set\n"
        "as [notify] in a gatepost.toml that you trust, or by variables. Calls never wait\n"
        "for it. What nobody was told of is still in the inbox.",
        examples="""\
  gatepost notify           who is told, and of what
  gatepost notify --test    tell them something now""",
        variables="""\
  GATEPOST_NOTIFY_URL            the webhook
  GATEPOST_NOTIFY_SECRET_FILE    a file with the secret that signs what it gets
  GATEPOST_NOTIFY_COMMAND        a command, such as notify-send {title} {text}
  GATEPOST_NOTIFY_EVENTS         question,signoff,plan_done,step_stuck
  GATEPOST_NOTIFY_STUCK_AFTER    when a blocked step is stuck (4h)""",
    )
    parser.add_argument("--test", action="store_true", help="send a notice now, and say what became of it")
    parser.add_argument("--json", action="store_true", help="print the outcome as JSON")
    parser.add_argument(
        "--root",
        metavar="DIR",
        help="the project's folder (GATEPOST_ROOT; default: the nearest with .gatepost or .git)",
    )


def run(options: Namespace) -> int:
    """Show, and try if that was asked for."""
    found = say_ignored(found_settings(options))
    if found.notify is None and options.test:
        raise NothingFound("nobody is told anything", "Set [notify] in gatepost.toml. See gatepost notify --help")
    tried = {}
    if options.test and found.notify is not None:
        from gatepost.notices.delivery import Delivery

        tried = Delivery(found.notify, found.root).tried()
    _tell(found.notify, tried, options)
    failures = [f"{way}: {why}" for way, why in tried.items() if why is not None]
    if failures:
        recovery = "Correct the settings, then try again. See gatepost notify --help"
        raise CommandError(FAULT, {"code": "NOT_DELIVERED", "message": ". ".join(failures), "recovery": recovery})
    return 0


def _tell(notify: NotifySettings | None, tried: dict[str, str | None], options: Namespace) -> None:
    import json
    import shlex

    from gatepost.surfaces.cli.json_output import print_json
    from gatepost.surfaces.terminal import stdout

    terminal = stdout()
    if options.json:
        shown = None if notify is None else {**notify._asdict(), "url": notify.url and notify.host}
        print_json(json.dumps({"notify": shown, "tried": tried}))
        return
    if notify is None:
        terminal.say("Nobody is told. Set [notify] in gatepost.toml. See gatepost notify --help")
        return
    signed = "signed" if notify.secret_file else "not signed: set secret_file"
    rows = [("webhook", f"{notify.host} ({signed})")] if notify.url else []
    rows += [("command", shlex.join(notify.command))] if notify.command else []
    rows += [("of", ", ".join(notify.events)), ("stuck", f"after {notify.stuck_after:,} s")]
    for name, value in rows:
        delivered = ": delivered" if tried.get(name, "") is None else ""
        terminal.say(terminal.clean(f"{name:8} {value}{delivered}"))
