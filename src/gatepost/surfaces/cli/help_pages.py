"""Help texts: the overview, and the end of every command's help. Imported only when somebody asks for help."""

from collections.abc import Iterable

SUMMARY = """\
Gatepost keeps the task state of AI agents: gated, durable, observable.

  gatepost radar              what to do now, why, and how to verify it
  gatepost ls                 list plans and tasks
  gatepost show TASK-001      show one in full, with its steps
  gatepost watch              watch todo lists change
  gatepost tui                everything, on the full screen
  gatepost log --follow       events as they happen
  gatepost mcp                serve an agent over MCP

See gatepost --help for all commands.
"""

OVERVIEW = """\
usage: gatepost COMMAND [OPTIONS]

The task state of AI agents: what to do, what is done, what proves it, and who
changed it.

read:
  inbox                what waits for you: questions, sign-offs, approvals, …
  radar [TARGET]       what to do now, why, how to verify it, what comes next
  ls                   list plans and tasks, by status, plan, tag, words, …
  show TARGET [STEP]   show a plan, a task with its steps, or one step
  log [TARGET]         past events; with --follow, new ones as they happen
  away                 what happened since yesterday, or --since a moment
  diff [TARGET]        what changed since then; or by one --operation
  blame TARGET [STEP]  who set each field, and what it was before
  watch                live todo lists in a few lines, updated in place
  tui                  everything, live, on the full screen
  handoff [TARGET]     a handoff report: done, remaining, risks
  lint [TARGET]        find problems, with the call that fixes each
  taskdoc show NAME    goals, constraints, progress; also edit, history, diff, …
  digest scan|show     a summary of the repository: layout, commands, caveats

change and serve:
  answer TASK STEP A   answer the question that a step waits for
  block TASK STEP      say why a step cannot continue, or ask a question
  unblock TASK STEP    let it continue
  claim [TASK] [STEP]  hold a step, so that nobody else works on it
  release TASK [STEP]  release it again
  move TASK [STEP]     move a step below another one, or a task to a plan
  check TASK [STEP]    run the checks that prove steps, and confirm what passes
  call TOOL [JSON]     call any operation; without TOOL, list them
  batch FILE           make several calls at once, all or none
  undo, redo [TARGET]  undo the last operation, or redo it
  mcp                  serve one agent: the Model Context Protocol on stdio
  up [--demo]          start a server: a live page, HTTP, streams, MCP at /mcp
  hook pre-tool        keep an agent's own tools out of .tsk packages
  hook session-start   show an agent what waits when it starts
  hook post-tool       restore what those tools changed there anyway

maintain:
  doctor [--repair]    check the store, and repair what the log can restore
  backup FILE          copy the store to a file while it is in use
  restore FILE         replace the store with a backup
  migrate              bring the store's schema up to date
  export [FILE]        write workspaces to a file: to move them, or to read
  import FILE          add what such a file has, or another tool's tasks
  policy [TARGET]      show or set what closing a step takes
  trust                decide what this project may make Gatepost do
  approve PLAN         allow work on a plan that waits for you
  notify [--test]      show where notices for people go, or send a test
  completion SHELL     completion for bash, zsh or fish

See gatepost COMMAND --help for each command. Commands that use a store take
--store, --root and --workspace. A store can be a server: --store http://h:4870.
Most take --json, which prints the reply unchanged, and --quiet (-q), which
prints only ids, or nothing.

settings, each from the first place that sets it:
  flags                --store, --root, --workspace, --actor, --tools
  variables            GATEPOST_STORE, GATEPOST_ROOT, GATEPOST_WORKSPACE,
                       GATEPOST_ACTOR, GATEPOST_TOOLS, GATEPOST_SYNCHRONOUS,
                       GATEPOST_SECRETS, GATEPOST_TASKDOCS, GATEPOST_NOTIFY_…
  ROOT/gatepost.toml   store, workspace, actor, tools, synchronous, secrets,
                       taskdocs, [checks], [policy], [notify]; see gatepost
                       trust
  defaults             the root is the nearest folder upwards with .gatepost or
                       .git; the store is ROOT/.gatepost/gatepost.db; commands
                       that read use the only workspace there is

exit codes:
  0  done                                4  conflict: revision, gate
  1  fault, or the doctor found problems 5  forbidden
  2  bad usage or invalid input          6  busy: try again
  3  unknown target                      130, 141  interrupted; output closed

NO_COLOR and FORCE_COLOR turn colors off and on; COLUMNS sets the width. In a
locale without UTF-8, output is ASCII. GATEPOST_DEBUG=1 shows the traceback of a
fault.

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
    "1": "a fault, or the store cannot be used",
    "2": "bad usage or invalid input",
    "3": "unknown target",
    "4": "conflict: revision, gate, undo; a check failed",
    "5": "forbidden",
    "6": "busy: try again",
    "130": "interrupted",
    "141": "the program that read the output has ended",
}
_VARIABLES = (
    ("--store", "GATEPOST_STORE", "the store, unless --store is given"),
    ("--url", "GATEPOST_TOKEN", "the token for a server, unless --token-file is given"),
    ("--root", "GATEPOST_ROOT", "the project's folder, unless --root is given"),
    ("--workspace", "GATEPOST_WORKSPACE", "the workspace, unless --workspace is given"),
    ("--actor", "GATEPOST_ACTOR", "the name in the log, unless --actor is given"),
    ("--tools", "GATEPOST_TOOLS", "the tools, unless --tools is given"),
    ("--json", "NO_COLOR, FORCE_COLOR", "no colors; always colors"),
    ("--json", "COLUMNS", "the width to use on a terminal"),
    ("--help", "GATEPOST_DEBUG=1", "show the traceback of a fault"),
)


def end(options: Iterable[str], exits: str, variables: str, examples: str) -> str:
    """The end of a command's help, given the names of its options and what it alone has to say."""
    known = set(options)
    codes = dict(sorted({**_EXITS, **_read(exits)}.items(), key=lambda code: int(code[0])))
    own = _read(variables)
    shared = [(name, about) for option, name, about in _VARIABLES if option in known]
    return "\n\n".join(
        (
            "exit codes:\n" + _columns(codes.items(), 5),
            "environment:\n" + _columns([*own.items(), *shared], max([23, *(len(name) + 2 for name in own)])),
            f"examples:\n{examples}",
        )
    )


def _read(lines: str) -> dict[str, str]:
    """What a command says itself: a name and what it means, a line each."""
    return {name: about.strip() for name, _, about in (line.strip().partition(" ") for line in lines.splitlines())}


def _columns(rows: Iterable[tuple[str, str]], width: int) -> str:
    return "\n".join(f"  {name:<{width}}{about}" for name, about in rows)
