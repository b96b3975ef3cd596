"""What a history is made of: strategies for the arguments of calls, small so that calls meet one another."""

from typing import Any

from hypothesis import strategies as st

Drawn = st.SearchStrategy[Any]

pick = st.integers(0, 30)
"""Chooses one of what exists, whatever that is by then."""

words = st.sampled_from(["sow", "reap", "Ωmega", "漢字", "naïve plan", "🌱", "a\u200fb", "x" * 40])
blocking_words = st.dictionaries(st.sampled_from(["reason", "ask"]), words, max_size=2)
lines = st.lists(words, max_size=2)
tags = st.lists(st.sampled_from(["red", "blue"]), max_size=2)
priorities = st.sampled_from(["LOW", "MEDIUM", "HIGH", "CRITICAL"])
required = st.lists(st.sampled_from(["security", "perf", "docs"]), max_size=2)
selectors = st.sampled_from(
    ["path", "step_id", "both", "step_id", "path", "both", "path", "step_id", "torn", "none"]
)
revisions = st.sampled_from(["any", "any", "right", "right", "any", "right", "any", "stale"])
checkpoints = st.dictionaries(
    st.sampled_from(["criteria", "tests", "criteria", "tests", "security", "docs"]),
    st.fixed_dictionaries({"confirmed": st.sampled_from([True, True, True, False])}, optional={"note": words}),
    max_size=3,
)

new_step: Drawn = st.recursive(
    st.fixed_dictionaries({"title": words}, optional={"criteria": lines, "required": required}),
    lambda below: st.fixed_dictionaries({"title": words, "steps": st.lists(below, min_size=1, max_size=2)}),
    max_leaves=3,
)
new_steps = st.lists(new_step, min_size=1, max_size=3)

checks = st.lists(
    st.fixed_dictionaries(
        {"run": st.sampled_from(["true", "true -q", "true --all", "false"])},
        optional={"for": st.sampled_from(["tests", "docs"])},
    ),
    max_size=2,
)
checked_steps = new_steps | st.lists(
    st.fixed_dictionaries({"title": words, "checks": checks}), min_size=1, max_size=2
)
"""For histories that are not undone step by step: a run is a record, which changes the step that it is about."""

root_fields = st.fixed_dictionaries(
    {},
    optional={
        "description": words,
        "context": words,
        "priority": priorities,
        "tags": tags,
        "domain": st.sampled_from(["ui", "db"]),
    },
)
scaffolds = st.fixed_dictionaries(
    {"template": st.sampled_from(["bugfix", "research", "nowhere"]), "title": words},
    optional={"kind": st.sampled_from(["plan", "task"]), "values": st.dictionaries(words, words, max_size=1)},
)
edits = st.fixed_dictionaries(
    {},
    optional={
        "title": words,
        "description": st.none() | words,
        "priority": st.none() | priorities,
        "new_domain": st.none() | st.sampled_from(["ui", "db"]),
        "tags": st.none() | tags,
        "contract": st.none() | words,
        "contract_data": st.none() | st.dictionaries(words, st.integers(0, 3) | words, max_size=2),
    },
).filter(bool)
definitions = st.fixed_dictionaries(
    {},
    optional={
        "title": words,
        "criteria": st.none() | lines,
        "tests": st.none() | lines,
        "blockers": st.none() | lines,
        "required": st.none() | required,
        "checks": st.none() | checks,
    },
).filter(bool)
reads: Drawn = st.one_of(
    st.tuples(st.just("tasks_radar"), st.fixed_dictionaries({}, optional={"max_chars": st.integers(512, 900)})),
    st.tuples(
        st.just("tasks_context"),
        st.fixed_dictionaries(
            {},
            optional={
                "kind": st.sampled_from(["plan", "task"]),
                "status": st.sampled_from(["TODO", "ACTIVE", "DONE"]),
                "tag": st.sampled_from(["red", "blue"]),
                "text": st.sampled_from(["so", "reap", "漢", "nowhere"]),
                "ready": st.booleans(),
                "limit": st.integers(1, 3),
            },
        ),
    ),
    st.tuples(
        st.just("tasks_resume"),
        st.fixed_dictionaries({}, optional={"events_limit": st.integers(0, 5), "limit": st.integers(1, 4)}),
    ),
    st.tuples(
        st.just("tasks_delta"),
        st.fixed_dictionaries({"since": st.integers(0, 30)}, optional={"limit": st.integers(1, 5)}),
    ),
    st.tuples(
        st.sampled_from(["tasks_handoff", "tasks_mirror", "tasks_lint"]),
        st.fixed_dictionaries({}, optional={"limit": st.integers(1, 4), "max_chars": st.integers(512, 900)}),
    ),
    st.tuples(
        st.just("tasks_context_pack"), st.fixed_dictionaries({}, optional={"delta_limit": st.integers(0, 5)})
    ),
    st.tuples(st.just("tasks_focus_get"), st.just({})),
)

ALL_CONFIRMED = {name: {"confirmed": True} for name in ("criteria", "tests", "security", "perf", "docs")}


Aimed = tuple[str, str, dict[str, Drawn]]
"""A call, what kind of thing it is aimed at (nothing: the workspace), and its arguments."""

_patch = st.just([{"op": "append", "field": "tags", "value": "red"}])
_yes: Drawn = st.just(True)
_taskdocs = st.sampled_from(["one", "two"])
_selectors = st.sampled_from(["goals", "constraints", "progress"])
_sessions = st.sampled_from(["main", "a.b:c"])
_policies: dict[str, Drawn] = {
    "proof": st.sampled_from([None, "word", "note", "evidence"]),
    "signoff": st.sampled_from([None, {"criteria": "other"}, {"tests": "human"}]),
}
_statuses = st.sampled_from(["DONE", "DONE", "ACTIVE", "TODO"])

CHANGES: tuple[Aimed, ...] = (
    ("tasks_create", "", {"kind": st.just("plan"), "title": words}),
    ("tasks_create", "plan", {"kind": st.just("task"), "title": words, "steps": new_steps}),
    ("tasks_create", "", {"kind": st.just("task"), "title": words, "depends_on": st.lists(pick, max_size=2)}),
    ("tasks_scaffold", "", {"template": st.sampled_from(["bugfix", "release"]), "title": words}),
    ("tasks_edit", "root", {"title": words}),
    ("tasks_edit", "root", {"depends_on": st.lists(pick, max_size=2)}),
    ("tasks_patch", "root", {"ops": _patch}),
    ("tasks_decompose", "task", {"steps": new_steps}),
    ("tasks_decompose", "member", {"steps": new_steps}),
    ("tasks_define", "step", {"criteria": lines}),
    ("tasks_verify", "step", {"checkpoints": checkpoints}),
    ("tasks_done", "step", {}),
    ("tasks_close_step", "ready", {"checkpoints": st.just(ALL_CONFIRMED)}),
    ("tasks_close_step", "ready", {"checkpoints": st.just(ALL_CONFIRMED)}),
    ("tasks_progress", "ready", {"completed": _yes, "force": _yes, "reason": words}),
    ("tasks_progress", "step", {"completed": st.just(False)}),
    ("tasks_verify", "unproven", {"checkpoints": st.just(ALL_CONFIRMED)}),
    ("tasks_delete", "unproven", {}),
    ("tasks_block", "step", {"blocked": st.booleans()}),
    ("tasks_block", "step", {"ask": words, "for": st.sampled_from(["human", "agent:codex"])}),
    ("tasks_complete", "root", {"status": _statuses}),
    ("tasks_close_task", "root", {"apply": st.booleans(), "patches": _patch.map(lambda ops: [{"ops": ops}])}),
    ("tasks_delete", "root", {"force": _yes, "reason": words}),
    ("tasks_delete", "member", {}),
    ("tasks_move", "task", {"plan": st.none() | pick}),
    ("tasks_move", "member", {"parent": st.none() | pick}),
    ("tasks_move", "member", {"parent": pick}),
    ("tasks_plan", "plan", {"steps": lines}),
    ("tasks_plan", "plan", {"advance": _yes}),
    ("tasks_contract", "plan", {"current": words}),
    ("tasks_policy", "root", _policies),
    ("tasks_policy", "plan", {"approval": st.sampled_from(["human", "none"])}),
    (
        "tasks_define",
        "step",
        {"policy": st.sampled_from([None, {"proof": "note"}, {"signoff": {"tests": "other"}}])},
    ),
    ("tasks_approve", "plan", {}),
    ("tasks_task_add", "parent", {"title": words}),
    ("tasks_task_define", "node", {"status": _statuses}),
    ("tasks_task_delete", "node", {}),
    ("tasks_focus_set", "root", {}),
    ("tasks_focus_clear", "", {}),
    ("todo_write", "", {"items": lines, "session": _sessions}),
    ("workspace_digest_set", "", {"summary": words, "body": words}),
    ("taskdoc_create", "", {"name": _taskdocs}),
    ("taskdoc_bind", "plan", {"taskdoc": _taskdocs}),
    ("taskdoc_rename", "", {"taskdoc": _taskdocs, "name": st.sampled_from(["one", "two", "three"])}),
    ("taskdoc_archive", "", {"taskdoc": _taskdocs, "archived": st.booleans()}),
    ("change_mind", "", {"taskdoc": _taskdocs, "selector": _selectors, "content": words}),
    ("change_mind", "", {"taskdoc": _taskdocs, "selector": _selectors, "clear": _yes}),
    ("taskdoc_restore", "", {"taskdoc": _taskdocs, "selector": _selectors, "revision": st.integers(0, 2)}),
)
RECORDS: tuple[Aimed, ...] = (
    ("tasks_note", "root", {"note": words}),
    ("tasks_note", "step", {"note": words}),
    ("clear_mind", "", {"reminder_content": words}),
    ("tasks_policy", "", _policies),
    ("clear_mind", "root", {"reminder_content": words}),
    ("tasks_evidence_capture", "step", {"items": st.just([{"kind": "note", "content": "Seen."}])}),
    ("tasks_claim", "", {}),
    ("tasks_claim", "member", {}),
    ("tasks_claim", "task", {"whole": _yes}),
    ("tasks_release", "member", {}),
    ("tasks_release", "task", {}),
)


def _drawn(aimed: Aimed) -> Drawn:
    tool, at, given = aimed
    return st.tuples(st.just(tool), st.just(at), pick, st.fixed_dictionaries(given))


_OF_UNPROVEN = [aimed for aimed in CHANGES if aimed[1] == "unproven"]
_OF_STEPS = [*_OF_UNPROVEN, *(aimed for aimed in CHANGES if aimed[1] in ("step", "ready", "unproven", "member"))]

of_steps: Drawn = st.sampled_from(_OF_STEPS).flatmap(_drawn)
"""What opens, closes, proves, adds and deletes steps."""

_MOVES = [aimed for aimed in CHANGES if aimed[0] == "tasks_move"]
_BESIDE_MOVES = [aimed for aimed in CHANGES if aimed[0] in ("tasks_decompose", "tasks_task_add", "tasks_define")]

rearranging: Drawn = st.sampled_from([*_MOVES, *_MOVES, *_BESIDE_MOVES, *_OF_STEPS]).flatmap(_drawn)
"""What moves steps and tasks about, and what happens to them meanwhile."""

changes: Drawn = st.sampled_from(CHANGES).flatmap(_drawn)
records: Drawn = st.sampled_from(RECORDS).flatmap(_drawn)
