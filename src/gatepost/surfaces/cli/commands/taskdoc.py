"""`gatepost taskdoc`: a task's goals, constraints and progress."""

from argparse import Namespace

from gatepost.surfaces.cli.errors import BadUsage
from gatepost.surfaces.cli.invocation import Invocation
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
A task's goals, constraints and progress. Each section is replaced as a whole
and has its own revisions; the log records who changed it and when. The log
holds the text; tasks/NAME.tsk mirrors it on disk and is not for editing.

  show [NAME] [SECTION]          the text as agents read it
  edit [NAME] SECTION            open it in your editor: VISUAL or EDITOR
  history [NAME] [SECTION]       each change: revision, time, actor, size
  diff [NAME] SECTION FROM [TO]  what changed between revisions, or since FROM
  restore [NAME] [SECTION] [REV] an earlier text; without REV, the text on disk
  adopt [NAME] [SECTION]         accept what was edited on disk, or by git
  create NAME                    create one with three empty sections
  bind NAME PLAN                 bind it to a plan; --none: to no plan
  rename NAME NEW                rename it and its package; NAME still works
  archive [NAME]                 put it away; --undo; without NAME, list those
  migrate FILE.md                create one from a single file, which stays

SECTION is goals, constraints or progress. You can leave out [NAME] if there is
only one taskdoc. restore, adopt and migrate ask first, or need --yes."""
_EXAMPLES = """\
  gatepost taskdoc create login
  gatepost taskdoc edit login goals
  EDITOR='code --wait' gatepost taskdoc edit login progress
  gatepost taskdoc show login constraints > constraints.md
  gatepost taskdoc migrate docs/login-task.md --name signup --dry-run"""


def declare(parser: Parser) -> None:
    """Declare arguments and help."""
    parser.describe(_ABOUT, examples=_EXAMPLES)
    parser.add_argument("verb", choices=VERBS, metavar="VERB", help="one of these verbs")
    parser.add_argument("words", metavar="WORD", nargs="*", help="its arguments")
    _declare_flags(parser)
    parser.add_actor()
    parser.add_json()
    parser.add_place()


def _declare_flags(parser: Parser) -> None:
    parser.add_argument("--clear", action="store_true", help="edit: empty the section without an editor")
    parser.add_argument("--limit", metavar="N", type=int, help="history: at most N changes")
    parser.add_argument("--cursor", metavar="C", help="history: continue an earlier page")
    parser.add_argument("--none", action="store_true", help="bind: to no plan")
    parser.add_argument("--undo", action="store_true", help="archive: reverse it")
    parser.add_argument(
        "--name", metavar="NAME", help="migrate: the taskdoc's name (default: from the file's name)"
    )
    parser.add_argument("--yes", "-y", action="store_true", help="restore, adopt, migrate: do not ask")
    parser.add_quiet("commands that change something: print nothing when done")
    parser.add_argument(
        "--dry-run", action="store_true", help="restore, adopt, migrate: only show what would happen"
    )


def answer(invocation: Invocation) -> None:
    """Do what the verb says."""
    _refuse_foreign_flags(invocation.options)
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
    handlers[invocation.options.verb](invocation)


def _refuse_foreign_flags(options: Namespace) -> None:
    for name, verbs in _VERBS_OF_FLAG.items():
        if getattr(options, name) not in (None, False) and options.verb not in verbs:
            flag = f"--{name.replace('_', '-')}"
            raise BadUsage(f"{flag} goes with {', '.join(verbs)}", "See gatepost taskdoc --help")
