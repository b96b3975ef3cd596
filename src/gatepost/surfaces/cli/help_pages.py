"""Help texts: the overview, and the end of every command's help. Imported only when somebody asks for help."""

SUMMARY = """\
Gatepost keeps the task state of AI agents: gated, durable, observable.

  gatepost init               connect the agents of this project
  gatepost radar              what to do now, why, and how to verify it
  gatepost ls                 list plans and tasks
  gatepost add 'Login page'   create a task
  gatepost show 1             show one in full, with its steps
  gatepost close 1            close a step; asks what you verified
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

start:
  init                 connect this project's agents: MCP, hooks, instructions

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
  add TITLE            create a task with its steps, or a plan
  step TASK TITLE      add steps to a task
  close TASK STEP      close a step, and confirm what you verified
  note TASK TEXT       tell those who work on a task or step what they must know
  done TASK            complete a task or plan
  reopen TASK [STEP]   open a step, task or plan again
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
  hook post-tool       restore what those tools changed there anyway
  hook session-start   show an agent what to work on and what waits
  hook pre-compact     ask for a note before an agent's context is cut
  hook stop            keep an agent, once, that stops with a step open

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

See gatepost COMMAND --help for one of them, and gatepost help TOPIC for:
  names                how to type ids, steps and priorities
  settings             --store, --workspace, --actor, variables, gatepost.toml
  exit-codes           what a script can rely on

examples:
  gatepost add 'Login page' --step Form --test 'pytest -k form' --step API
  gatepost radar
  gatepost close 1 form --criteria 'All fields are labelled.' --tests
  gatepost ls --ready --json | jq -r '.items[].id'
"""

_MORE = "gatepost help settings"


def end(shared: list[str], exits: str, variables: str, examples: str) -> str:
    """The end of a command's help: what it alone has to say, and where the rest is."""
    own = {"exit codes": (_read(exits), 5), "environment": (_read(variables), 23)}
    parts = [f"{title}:\n{_columns(rows, width)}" for title, (rows, width) in own.items() if rows]
    if shared:
        parts.append(f"shared options (see {_MORE}):\n  {', '.join(shared)}")
    parts.append(f"examples:\n{examples}")
    return "\n" + "\n\n".join(parts) + "\n"


def _read(lines: str) -> dict[str, str]:
    """What a command says itself: a name and what it means, a line each."""
    return {name: about.strip() for name, _, about in (line.strip().partition(" ") for line in lines.splitlines())}


def _columns(rows: dict[str, str], least: int) -> str:
    width = max([least, *(len(name) + 2 for name in rows)])
    return "\n".join(f"  {name:<{width}}{about}" for name, about in rows.items())
