"""Every refusal code there is, as an agent gets it with each set of tools."""

import importlib
import json
import pkgutil
from collections.abc import Callable, Iterator
from copy import copy
from typing import Any

import pytest
from msgspec.structs import replace

import gatepost
from gatepost.client.store_file import another_log
from gatepost.domain.file_refusals import FileChanged, ReadOnlyFiles
from gatepost.domain.proof_refusals import CheckFailed, NotTrusted
from gatepost.domain.refusals import Busy, DiskRefused, Refusal, SessionHeld
from gatepost.engine.caller import Caller
from gatepost.files.host import HostFilesystem
from gatepost.interchange.source_files import SourceUnreadable
from gatepost.operations.answer import answer
from gatepost.operations.catalog import BY_NAME
from gatepost.storage import faults
from gatepost.transfer.refusals import ExportDamaged, ImportConflict, ImportMismatch, NotAnExport, NothingExported
from tests.givens import CONFIRMED, WORKSPACE, memory_store
from tests.mcp.test_offers import SETS, caller, check, listed
from tests.mcp.walks import SECRET, Call
from tests.tsk.projects import Project

BATCH = [{"tool": "tasks_done", "arguments": {"task": "TASK-001", "path": "s:2"}}]
CALLED: dict[str, Call] = {
    "ALREADY_EXISTS": ("taskdoc_create", {"name": "garden"}),
    "ANSWERER_REQUIRED": ("tasks_block", {"task": "TASK-009", "path": "s:0", "blocked": False}),
    "APPROVAL_REQUIRED": ("tasks_close_step", {"task": "TASK-005", "path": "s:0", "checkpoints": CONFIRMED}),
    "ARCHIVED": ("change_mind", {"taskdoc": "old", "selector": "goals", "content": "New."}),
    "BATCH_FAILED": ("tasks_batch", {"operations": BATCH}),
    "CHECKLIST_OPEN": ("tasks_complete", {"task": "PLAN-001"}),
    "CHECKPOINTS_NOT_CONFIRMED": ("tasks_done", {"task": "TASK-001", "path": "s:2"}),
    "CHECKS_NOT_RUN": ("tasks_close_step", {"task": "TASK-006", "path": "s:0", "checkpoints": CONFIRMED}),
    "CHILDREN_OPEN": ("tasks_complete", {"task": "TASK-001"}),
    "CLAIMED": ("tasks_close_step", {"task": "TASK-008", "path": "s:0", "checkpoints": CONFIRMED}),
    "DEPENDENCY_CYCLE": ("tasks_edit", {"task": "TASK-001", "depends_on": ["TASK-002"]}),
    "EDIT_MISMATCH": ("file_edit", {"path": "a.txt", "edits": [{"old_string": "No.", "new_string": "Yes."}]}),
    "FORBIDDEN_PATH": ("file_read", {"path": "tasks/garden.tsk/goals.md"}),
    "HAS_DEPENDENTS": ("tasks_delete", {"task": "TASK-001"}),
    "HUMAN_REQUIRED": ("tasks_policy", {"task": "TASK-006", "proof": "word"}),
    "INVALID_INPUT": ("tasks_radar", {"taks": "TASK-001"}),
    "NOTHING_TO_REDO": ("tasks_redo", {"task": "TASK-001"}),
    "NOTHING_TO_UNDO": ("tasks_undo", {}),
    "NOT_A_DIRECTORY": ("file_list", {"path": "a.txt"}),
    "NOT_A_FILE": ("file_read", {"path": "folder"}),
    "NOT_EMPTY": ("file_delete", {"path": "folder"}),
    "NOT_FOUND": ("file_read", {"path": "folder/none.txt"}),
    "NOT_TEXT": ("file_read", {"path": "folder/b.bin"}),
    "PACKAGE_TAMPERED": ("change_mind", {"taskdoc": "garden", "selector": "goals", "content": "New."}),
    "PROOF_REQUIRED": ("tasks_close_step", {"task": "TASK-006", "path": "s:1", "checkpoints": CONFIRMED}),
    "REVISION_MISMATCH": ("tasks_edit", {"task": "TASK-001", "title": "T", "expected_revision": 99}),
    "SECRET_FOUND": ("tasks_note", {"task": "TASK-001", "note": SECRET}),
    "SIGNOFF_REQUIRED": ("tasks_close_step", {"task": "TASK-007", "path": "s:0", "checkpoints": CONFIRMED}),
    "STEP_BLOCKED": ("tasks_close_step", {"task": "TASK-001", "path": "s:1", "checkpoints": CONFIRMED}),
    "STEP_DONE": ("tasks_define", {"task": "TASK-001", "path": "s:0", "criteria": ["Otherwise."]}),
    "TARGET_MISMATCH": ("tasks_resume", {"task": "TASK-001", "path": "s:2"}),  # with the id of another step
    "TOO_LARGE": ("recall_mind", {"taskdoc": "long", "selector": "goals", "max_chars": 512}),
    "UNDO_CONFLICT": ("tasks_undo", {"task": "TASK-003"}),
    "UNKNOWN_ID": ("tasks_resume", {"task": "TASK-999"}),
    "UNKNOWN_TOOL": ("tasks_raddar", {}),
    "WORKSPACE_MISMATCH": ("tasks_radar", {"workspace": "acme/other"}),
}
"""Calls that the world below refuses with these codes."""

RAISED: dict[str, Refusal] = {
    "BUSY": Busy(5.0),
    "CHECK_FAILED": CheckFailed("STEP-00000001 stays open: `pytest` failed.", "Fix what it found."),
    "DISK_REFUSED": DiskRefused("`path`: a.txt cannot be read: Input/output error.", "Check the disk."),
    "EXPORT_DAMAGED": ExportDamaged("acme.jsonl", 7, "it is out of order."),
    "FILE_CHANGED": FileChanged("`path`: a.txt was changed by someone else meanwhile.", "Read the file again."),
    "IMPORT_CONFLICT": ImportConflict(
        "acme/repo continues past the end of the file.", "There is nothing to import."
    ),
    "IMPORT_MISMATCH": ImportMismatch("acme/repo is not what the file says: events 7.", "Export it again."),
    "NOT_AN_EXPORT": NotAnExport("acme.jsonl is not an export.", "Name an export."),
    "NOT_EXPORTED": NothingExported("The hash chain of acme/repo is broken.", "Run `gatepost doctor`."),
    "NOT_TRUSTED": NotTrusted("No command runs here.", "Ask the user to run the check: gatepost check."),
    "NOT_A_STORE": faults.NotAStore("gatepost.db", "it has another program's tables"),
    "READ_ONLY_FILES": ReadOnlyFiles(),
    "SESSION_HELD": SessionHeld("main", None),
    "SOURCE_UNREADABLE": SourceUnreadable("tasks.json is not text in UTF-8.", "Name a file that the tool wrote."),
    "STORE_DAMAGED": faults.StoreDamaged("gatepost.db", "database disk image is malformed"),
    "STORE_FULL": faults.StoreFull("gatepost.db"),
    "STORE_MOVED": another_log("gatepost.db", 7),
    "STORE_NEWER": faults.StoreNewer("gatepost.db", 99, 9),
    "STORE_READ_ONLY": faults.StoreReadOnly("gatepost.db"),
    "STORE_UNREACHABLE": faults.StoreUnreachable("gatepost.db", "no such folder"),
}
"""What a disk, a store or another process causes. It is raised where a call first reads."""


def codes() -> set[str]:
    """The code of every class of refusals in the sources."""
    for module in pkgutil.walk_packages(gatepost.__path__, "gatepost."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    return {kind.code for kind in kinds(Refusal)}


def kinds(above: type[Refusal]) -> Iterator[type[Refusal]]:
    for kind in above.__subclasses__():
        if kind.__module__.startswith("gatepost."):
            yield kind
        yield from kinds(kind)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """A project in which every call above is refused."""
    root = tmp_path_factory.mktemp("refusals")
    (root / "folder").mkdir()
    (root / "a.txt").write_text("One line.\n", encoding="utf-8")
    (root / "folder" / "b.bin").write_bytes(b"\xff\xfe\0")
    made = Project(memory_store(), root)
    with HostFilesystem(root) as files:
        made.engine.files = lambda: files
        filled(made)
        yield made
    made.store.close()


def filled(world: Project) -> None:
    task = world.task("Done", "Blocked", "Open")
    world.close(task, "s:0")
    world.ok("tasks_block", task=task, path="s:1", reason="The supplier has not answered.")
    world.task(depends_on=[task])
    world.ok("tasks_plan", plan=world.plan(), steps=["Pack"])
    both = [world.task(), world.task()]
    edits = [{"tool": "tasks_edit", "arguments": {"task": name, "title": "Both"}} for name in both]
    world.ok("tasks_batch", operations=edits)
    world.ok("tasks_edit", task=both[1], title="Moved on")
    plan = world.plan()
    world.task("Waits", plan=plan)
    world.ok("tasks_policy", plan=plan, approval="human")
    checked = world.task(steps=[{"title": "a", "checks": [{"run": "true"}]}, {"title": "b"}])
    world.ok("tasks_policy", task=checked, proof="note")
    world.ok("tasks_policy", task=world.task("Signed"), signoff={"tests": "human"})
    world.caller, me = Caller("agent:other"), world.caller
    world.ok("tasks_claim", task=world.task("Held"))
    world.caller = me
    asks = {"ask": "Are the bulbs in?", "for": "agent:gardener"}
    world.ok("tasks_block", task=world.task("Asked"), path="s:0", **asks)
    world.new("garden", goals="Roses by June.")
    world.file("goals", "garden").write_text("From outside.\n", encoding="utf-8")
    world.new("old", goals="Kept.")
    world.ok("taskdoc_archive", taskdoc="old")
    world.new("long", goals="Many words. " * 100)


def asked(world: Project, code: str, toolset: str) -> tuple[Call, Caller]:
    """The call that is refused with a code, and who makes it."""
    who = caller(toolset)
    if code == "WORKSPACE_MISMATCH":
        who = replace(who, bound=WORKSPACE)
    tool, given = CALLED.get(code, ("tasks_radar", {}))
    if code == "TARGET_MISMATCH":
        given = {**given, "step_id": world.step("TASK-001", "s:0")["step_id"]}
    return (tool, {"workspace": WORKSPACE, **given}), who


def raising(refusal: Refusal) -> Callable[..., Any]:
    def read(*_: object) -> Any:
        raise refusal

    return read


def test_every_code_of_a_refusal_is_walked() -> None:
    assert CALLED.keys() | RAISED.keys() == codes()


@pytest.mark.requirement("mcp.sets.closed", "call.refusal.suggestion-accepted")
@pytest.mark.parametrize("code", sorted({*CALLED, *RAISED}))
@pytest.mark.parametrize("toolset", SETS)
def test_a_refusal_names_only_tools_that_were_offered(
    world: Project, toolset: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tool, given), who = asked(world, code, toolset)
    engine, before = copy(world.engine), world.everything()
    if code in RAISED:
        monkeypatch.setattr(engine, "read", raising(RAISED[code]))

    answered = answer(engine, tool, given, who)

    body = json.loads(answered.text)["error"]
    unlisted = tool.startswith("file_") and tool not in listed(toolset)
    assert body["code"] == ("UNKNOWN_TOOL" if unlisted else code)
    assert body["message"]
    assert body["recovery"]
    check(answered.text, listed(toolset), f"{tool} {json.dumps(given)}")
    assert world.everything() == before
    for suggestion in (body.get("suggestion"), body.get("error", {}).get("suggestion")):
        if suggestion is not None and suggestion["tool"] != "tasks_check":  # it cannot be rehearsed
            assert not BY_NAME[suggestion["tool"]].destructive
            again = answer(world.engine.rehearsing(), suggestion["tool"], suggestion["arguments"], who)
            assert again.refusal is None
