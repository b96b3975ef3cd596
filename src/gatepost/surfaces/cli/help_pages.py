"""Help texts: the overview, and the end of every command's help. Imported only when somebody asks for help."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

SUMMARY = """\
gatepost keeps the task state of AI agents: gated, durable, observable.

  gatepost radar              what to do now, why, and what proves it
  gatepost ls                 plans and tasks
  gatepost show TASK-001      one of them in full, with its steps
  gatepost watch              the live lists
  gatepost tui                everything, on the whole screen
  gatepost log --follow       what happens, as it happens
  gatepost mcp                serve an agent over MCP

gatepost --help tells the rest.
"""

OVERVIEW = """\
usage: gatepost COMMAND [OPTIONS]

The task state of AI agents: what is to be done, what is done, what proves it,
and who changed it.

to look:
  radar [TARGET]       what to do now, why, what proves it, what comes next
  ls                   plans and tasks, by status, plan, tag, words, …
  show TARGET [STEP]   a plan, a task with the tree of its steps, or one step
  log [TARGET]         what happened; with --follow, what happens
  watch                the live lists, in a few lines rewritten in place
  tui                  everything, live, on the whole screen
  handoff [TARGET]     a shift report: done, remaining, risks
  lint [TARGET]        what is amiss, and the call that mends it
  taskdoc show NAME    goals, constraints, progress; also edit, history, diff, …
  digest scan|show     what the repository is like: layout, commands, caveats

to act:
  call TOOL [JSON]     any operation; without TOOL, the list of them
  batch FILE           several calls at once, all or nothing
  undo, redo [TARGET]  take back what was done last, and bring it back
  mcp                  serve an agent: the Model Context Protocol on stdio
  up [--demo]          serve everyone: a live page, HTTP, streams, MCP at /mcp
  hook pre-tool        for an agent's own tools: keep them out of .tsk packages
  hook post-tool       … and restore what they changed there all the same

to look after:
  doctor [--repair]    check the store, and mend what can be derived
  backup FILE          copy the store to a file, while it is in use
  restore FILE         put a backup in place of the store
  completion SHELL     let bash, zsh or fish complete what you type

gatepost COMMAND --help tells more of each. What looks at a store takes --store,
--root and --workspace; what answers takes --json, which prints the reply as it
is, and most of it --quiet (-q), which prints ids alone, or nothing.

settings, each from the first place that has it:
  flags                --store, --root, --workspace, --actor, --tools
  variables            GATEPOST_STORE, GATEPOST_ROOT, GATEPOST_WORKSPACE,
                       GATEPOST_ACTOR, GATEPOST_TOOLS, GATEPOST_SYNCHRONOUS,
                       GATEPOST_SECRETS, GATEPOST_TASKDOCS
  ROOT/gatepost.toml   store, workspace, actor, tools, synchronous, secrets,
                       taskdocs
  defaults             the root is the nearest folder upwards with .gatepost or
                       .git; the store is ROOT/.gatepost/gatepost.db; what reads
                       takes the only workspace there is

exit codes:
  0  done                                4  conflict: revision, gate
  1  fault, or findings of the doctor    5  forbidden
  2  bad usage or invalid input          6  busy: try again
  3  unknown target                      130, 141  interrupted; nobody reads

NO_COLOR and FORCE_COLOR decide about colours, COLUMNS about the width; in a
locale without UTF-8 all signs are ASCII. GATEPOST_DEBUG=1 shows the tracebacks
of faults.

examples:
  gatepost call tasks_create '{"workspace": "acme/repo", "kind": "task",
      "title": "Login page", "steps": [{"title": "Form"}, {"title": "API"}]}'
  gatepost radar
  gatepost show TASK-001 s:0
  gatepost log --follow --type step_done
  gatepost ls --ready --json | jq -r '.items[].id'
"""

_EXITS = {
    "0": "done",
    "1": "a fault, or a store that cannot be used",
    "2": "bad usage or invalid input",
    "3": "unknown target",
    "4": "conflict: revision, gate, undo",
    "5": "forbidden",
    "6": "busy: try again",
    "130": "interrupted",
    "141": "nobody reads the output any more",
}
_VARIABLES = (
    ("--store", "GATEPOST_STORE", "the store, unless --store says it"),
    ("--url", "GATEPOST_TOKEN", "the token for a server, unless --token-file is given"),
    ("--root", "GATEPOST_ROOT", "the project's folder, unless --root says it"),
    ("--workspace", "GATEPOST_WORKSPACE", "the workspace, unless --workspace says it"),
    ("--actor", "GATEPOST_ACTOR", "who the log says it was, unless --actor says it"),
    ("--tools", "GATEPOST_TOOLS", "the tools, unless --tools says it"),
    ("--json", "NO_COLOR, FORCE_COLOR", "never colours; always colours"),
    ("--json", "COLUMNS", "how wide to write on a terminal"),
    ("--help", "GATEPOST_DEBUG=1", "show the traceback of a fault"),
)


def end(options: Iterable[str], exits: str, variables: str, examples: str) -> str:
    """The end of a command's help, given the names of its options and what it alone has to say."""
    known = set(options)
    codes = dict(sorted({**_EXITS, **_told(exits)}.items(), key=lambda code: int(code[0])))
    read = [(name, about) for option, name, about in _VARIABLES if option in known]
    read = [*_told(variables).items(), *read]
    return "\n\n".join(
        (
            "exit codes:\n" + _columns(codes.items(), 5),
            "environment:\n" + _columns(read, 23),
            f"examples:\n{examples}",
        )
    )


def _told(lines: str) -> dict[str, str]:
    """What a command says itself: a name and what it means, a line each."""
    return {name: about.strip() for name, _, about in (line.strip().partition(" ") for line in lines.splitlines())}


def _columns(rows: Iterable[tuple[str, str]], width: int) -> str:
    return "\n".join(f"  {name:<{width}}{about}" for name, about in rows)
