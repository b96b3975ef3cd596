"""The first things people read."""

BRIEF = """\
gatepost keeps the task state of AI agents: gated, durable, observable.

  gatepost radar              what to do now, why, and what proves it
  gatepost ls                 plans and tasks
  gatepost show TASK-001      one of them in full, with its steps
  gatepost log --follow       what happens, as it happens
  gatepost mcp                serve an agent over MCP

gatepost --help tells the rest.
"""

MANUAL = """\
usage: gatepost COMMAND [OPTIONS]

The task state of AI agents: what is to be done, what is done, what proves it, and who changed it.

to look:
  radar [TARGET]         what to do now, why, what proves it, what comes next
  ls                     plans and tasks, by status, plan, tag, words, …
  show TARGET [STEP]     a plan, a task with the tree of its steps, or one step
  log [TARGET]           what happened; --follow for what happens

to act:
  call TOOL [JSON]       any operation; without TOOL, the list of them
  mcp                    serve an agent: the Model Context Protocol on stdin and stdout

to look after:
  doctor [--repair]      check the store, and mend what can be derived

gatepost COMMAND --help tells more of each. All of them take --store, --root and --workspace; all but mcp
take --json, which prints the operation's reply as it is.

settings, the first that is there:
  flags                  --store, --root, --workspace, --actor
  variables              GATEPOST_STORE, GATEPOST_ROOT, GATEPOST_WORKSPACE, GATEPOST_ACTOR, GATEPOST_TOOLS,
                         GATEPOST_SYNCHRONOUS
  gatepost.toml          in the root: store, workspace, actor, tools, synchronous
  else                   the store is ROOT/.gatepost/gatepost.db; the root is the nearest folder upwards that
                         has .gatepost or .git; the workspace, for reading, the only one there is

exit codes:
  0 done   1 fault   2 bad usage or invalid input   3 unknown target   4 conflict (revision, gate)
  5 forbidden   6 busy

also: NO_COLOR and FORCE_COLOR decide about colours; GATEPOST_DEBUG=1 shows tracebacks of faults.

examples:
  gatepost call tasks_create '{"kind": "task", "title": "Login page", "steps": [{"title": "Form"}]}' \\
      --workspace acme/repo
  gatepost radar
  gatepost show TASK-001 s:0
  gatepost log --follow --type step_done
  gatepost ls --ready --json | jq -r '.items[].id'
"""
