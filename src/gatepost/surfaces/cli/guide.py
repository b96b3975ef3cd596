"""The first things people read."""

BRIEF = """\
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

MANUAL = """\
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
