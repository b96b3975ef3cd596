"""What all commands have in common, by topic. Imported only when somebody asks for it."""

_NAMES = """\
How to type names

  task       TASK-001, task-1 or 1
  plan       PLAN-001 or plan-1; also 1 where only a plan is possible: --plan 1
  step       its path      s:0.s:2
             its numbers   0.2, which is the same path
             its id        STEP-0A1B2C3D or step-0a1b2c3d
             its title     or how it begins, if no other step of the task begins
                           like that: gatepost close 1 form
  priority   low, medium, high or critical, in upper or lower case
  status     todo, active or done, in upper or lower case

The numbers of a path count from 0 and never change, even if steps are deleted.
A step whose title is only a number must be named by its path or id.

If you leave out the task, the step or a text in a terminal, the command asks
for it. It never asks with --json, in a pipe, or in the shell of an agent.

For longer texts, --edit opens your editor (VISUAL, EDITOR), and - reads stdin.

gatepost call and gatepost batch take exact names: TASK-001, s:0, HIGH.
"""

_SETTINGS = """\
Settings, each from the first place that has it

  flag              variable               in gatepost.toml
  --store URL       GATEPOST_STORE         store
  --root DIR        GATEPOST_ROOT
  --workspace W     GATEPOST_WORKSPACE     workspace
  --actor A         GATEPOST_ACTOR         actor
  --tools T         GATEPOST_TOOLS         tools (gatepost mcp)
  --token-file F    GATEPOST_TOKEN         (the variable is the token itself)
                    GATEPOST_SYNCHRONOUS   synchronous: FULL or NORMAL
                    GATEPOST_SECRETS       secrets: refuse, redact or allow
                    GATEPOST_TASKDOCS      taskdocs: ignored or tracked
                    GATEPOST_NOTIFY_…      [notify]
                                           [checks], [policy]

  store       a file, sqlite:///path, postgresql://host/database, or a server:
              http://host:port (also --url). Default: ROOT/.gatepost/gatepost.db
  root        the project's folder. Default: the nearest folder upwards with
              .gatepost or .git
  workspace   for example acme/repo. Default: the only workspace in the store
  actor       your name in the log. Default: human: and your login in a
              terminal, otherwise cli
  token       what a server needs, in a file (--token-file) or a variable

  --json      print the reply as JSON, unchanged; refusals too, on stdout
  --quiet     print only ids, or nothing
  VISUAL or EDITOR is the editor for --edit and gatepost taskdoc edit.
  NO_COLOR, FORCE_COLOR turn colors off and on; COLUMNS sets the width. In a
  locale without UTF-8, output is ASCII. GATEPOST_DEBUG=1 shows the traceback of
  a fault.

Parts of gatepost.toml apply only after gatepost trust.
"""

_EXIT_CODES = """\
Exit codes

  0    done
  1    a fault, or the store cannot be used; lint, doctor: problems found
  2    bad usage or invalid input
  3    unknown target
  4    conflict: revision, gate, undo; a check failed
  5    forbidden
  6    busy: try again
  130  interrupted
  141  the program that read the output has ended
"""

TOPICS = {"names": _NAMES, "settings": _SETTINGS, "exit-codes": _EXIT_CODES}
