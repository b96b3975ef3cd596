"""`gatepost taskdoc`: a task's goals, constraints and progress."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from gatepost.surfaces.cli.parser import Parser

VERBS = ("show", "edit", "history", "diff", "restore", "adopt", "create", "bind", "rename", "archive", "migrate")

_ASKING = ("restore", "adopt", "migrate")
_VERBS_OF_FLAG = {
    "clear": ("edit",),
    "limit": ("history",),
    "cursor": ("history",),
    "none": ("bind",),
    "name": ("migrate",),
    "undo": ("archive",),
    "yes": _ASKING,
    "dry_run": _ASKING,
    "quiet": ("edit", "restore", "adopt", "create", "bind", "rename", "archive", "migrate"),
}

_ABOUT = """\
A task's goals, constraints and progress. Each of these sections is replaced as
a whole, has revisions of its own, and every change of it has a name and a time.
The log has the text; tasks/NAME.tsk shows it on disk and is not for editing.

  show [NAME] [SECTION]          all as agents read it, or one section; into a
                                 pipe as it is, byte for byte
  edit [NAME] SECTION            in $VISUAL, $EDITOR or vi; saved only if nobody
                                 else changed it meanwhile, and never lost
  history [NAME] [SECTION]       each change: revision, time, who, how large
  diff [NAME] SECTION FROM [TO]  what changed from one revision to another, or
                                 to the present one
  restore [NAME] SECTION [REV]   bring back the text of an earlier revision;
                                 without one, write the log's text to the
                                 package, over what was edited there
  restore [NAME]                 write every file of the package again
  adopt [NAME] [SECTION]         take what was edited in the package, or what
                                 git brought with another commit
  create NAME                    make one, of three empty sections
  bind NAME PLAN                 make it the taskdoc of a plan; --none: of none
  rename NAME NEW                call it NEW, and its package too; NAME still
                                 leads to it
  archive [NAME]                 unbind it, remove its package and leave it out
                                 of lists; --undo brings it back; without NAME,
                                 list the archived ones
  migrate FILE.md                make one out of a single-file taskdoc, which is
                                 not used as it is; the file stays untouched

SECTION is goals, constraints or progress. From show to adopt, NAME can be left
out where the workspace has a single taskdoc. restore, adopt and migrate show
what they would do and ask; away from a terminal they need --yes."""
_EXAMPLES = """\
  gatepost taskdoc create login --workspace acme/repo
  gatepost taskdoc edit login goals
  EDITOR='code --wait' gatepost taskdoc edit login progress
  gatepost taskdoc show login constraints > constraints.md
  gatepost taskdoc diff login goals 1
  gatepost taskdoc rename login sign-in
  gatepost taskdoc archive sign-in
  gatepost taskdoc migrate docs/login-task.md --name signup --dry-run"""


def declare(parser: Parser) -> None:
    """The words of the command."""
    parser.describe(
        _ABOUT,
        examples=_EXAMPLES,
        variables="VISUAL the editor\nEDITOR the editor, where VISUAL is not set",
    )
    parser.add_argument("verb", choices=VERBS, metavar="VERB", help="what to do, as above")
    parser.add_argument("words", metavar="WORD", nargs="*", help="what it is done to, as above")
    _declare_flags(parser)
    parser.add_argument("--actor", metavar="A", help="who the log says it was (GATEPOST_ACTOR; else cli)")
    parser.add_json()
    parser.add_place()


def _declare_flags(parser: Parser) -> None:
    parser.add_argument("--clear", action="store_true", help="edit: empty the section; no editor is opened")
    parser.add_argument("--limit", metavar="N", type=int, help="history: at most so many changes")
    parser.add_argument("--cursor", metavar="C", help="history: go on where an earlier page stopped")
    parser.add_argument("--none", action="store_true", help="bind: to no plan")
    parser.add_argument("--undo", action="store_true", help="archive: bring it back")
    parser.add_argument("--name", metavar="NAME", help="migrate: what to call it (else by the file's name)")
    parser.add_argument("--yes", "-y", action="store_true", help="restore, adopt, migrate: do not ask")
    parser.add_quiet("all that change something: print nothing once it is done")
    parser.add_argument(
        "--dry-run", action="store_true", help="restore, adopt, migrate: only say what would happen"
    )


def run(options: Namespace) -> int:
    """Do what the verb says."""
    _refuse_foreign_flags(options)
    from gatepost.surfaces.cli.invocation import Invocation
    from gatepost.surfaces.cli.taskdocs import editor, lifecycle, migration, packages, queries

    handlers = {
        "show": queries.show,
        "edit": editor.edit,
        "history": queries.history,
        "diff": queries.diff,
        "restore": packages.restore,
        "adopt": packages.adopt,
        "create": lifecycle.create,
        "bind": lifecycle.bind,
        "rename": lifecycle.rename,
        "archive": lifecycle.archive,
        "migrate": migration.migrate,
    }
    with Invocation(options) as invocation:
        handlers[options.verb](invocation)
    return 0


def _refuse_foreign_flags(options: Namespace) -> None:
    from gatepost.surfaces.cli.errors import BadUsage

    for name, verbs in _VERBS_OF_FLAG.items():
        if getattr(options, name) not in (None, False) and options.verb not in verbs:
            flag = f"--{name.replace('_', '-')}"
            raise BadUsage(f"{flag} goes with {', '.join(verbs)}", "See gatepost taskdoc --help")
