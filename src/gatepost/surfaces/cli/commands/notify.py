"""`gatepost notify`: where notices for people go, and a test of them."""

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
        "Show where Gatepost sends a notice when something waits for a person: a webhook,\n"
        "a command, or both. Set them as [notify] in a gatepost.toml that you trust, or\n"
        "with variables. Calls never wait for a notice. If one is not delivered, the item\n"
        "is still in the inbox.",
        examples="""\
  gatepost notify           where notices go, and for which events
  gatepost notify --test    send a test notice now""",
        variables="""\
  GATEPOST_NOTIFY_URL            the webhook
  GATEPOST_NOTIFY_SECRET_FILE    a file with the secret that signs its requests
  GATEPOST_NOTIFY_COMMAND        a command, such as notify-send {title} {text}
  GATEPOST_NOTIFY_EVENTS         question,signoff,plan_done,step_stuck
  GATEPOST_NOTIFY_STUCK_AFTER    when a blocked step counts as stuck (4h)""",
    )
    parser.add_argument("--test", action="store_true", help="send a test notice now, and show the result")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument(
        "--root",
        metavar="DIR",
        help="the project's folder (GATEPOST_ROOT; default: the nearest with .gatepost or .git)",
    )


def run(options: Namespace) -> int:
    """Show the settings, and with --test send a notice."""
    found = say_ignored(found_settings(options))
    if found.notify is None and options.test:
        raise NothingFound("notices are not set up", "Set [notify] in gatepost.toml. See gatepost notify --help")
    tried = {}
    if options.test and found.notify is not None:
        from gatepost.notices.delivery import NoticeDelivery

        tried = NoticeDelivery(found.notify, found.root).tried()
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
        terminal.say("Notices are not set up. Set [notify] in gatepost.toml. See gatepost notify --help")
        return
    signed = "signed" if notify.secret_file else "not signed: set secret_file"
    rows = [("webhook", f"{notify.host} ({signed})")] if notify.url else []
    rows += [("command", shlex.join(notify.command))] if notify.command else []
    rows += [("events", ", ".join(notify.events)), ("stuck", f"after {notify.stuck_after:,} s")]
    for name, value in rows:
        delivered = ": delivered" if tried.get(name, "") is None else ""
        terminal.say(terminal.clean(f"{name:8} {value}{delivered}"))
