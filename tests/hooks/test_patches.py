"""The hook and patches: the files they name are judged, the lines they carry are not."""

import pytest

from gatepost.surfaces.hooks.pretool import CLOSED
from tests.hooks.givens import Project

ENVELOPE = "*** Begin Patch\n{}\n*** End Patch"

DENIED = [
    ENVELOPE.format("*** Update File: tasks/plan.tsk/goals.md\n@@\n-a\n+b"),
    ENVELOPE.format("*** Add File: a.tsk/goals.md\n+hello"),
    ENVELOPE.format("*** Delete File: a.tsk/goals.md"),
    ENVELOPE.format("*** Update File: docs/a.md\n*** Move to: a.tsk/goals.md\n@@\n-a\n+b"),
    ENVELOPE.format("*** Update File: docs/a.md\n@@\n-a\n+b\n*** Update File: link/goals.md\n@@\n-a\n+b"),
    ENVELOPE.format("*** Update File: deep/er/up/goals.md\n@@\n-a\n+b"),
    ENVELOPE.format("  *** Update File:   a.TSK/goals.md  \n@@\n-a\n+b"),
    "--- a/a.tsk/goals.md\n+++ b/a.tsk/goals.md\n@@ -1 +1 @@\n-a\n+b\n",
    "--- /dev/null\n+++ b/a.tsk/goals.md\t2026-11-15\n@@ -0,0 +1 @@\n+b\n",
    "--- docs/a.md\n+++ link/goals.md\n@@ -1 +1 @@\n-a\n+b\n",
    "--- a/link/goals.md\n+++ b/link/goals.md\n@@ -1 +1 @@\n-a\n+b\n",
    "diff --git a/docs/a.md b/a.tsk/goals.md\nsimilarity index 100%\n",
    "similarity index 100%\nrename from docs/a.md\nrename to a.tsk/goals.md\n",
    "diff --git a/my task.tsk/goals.md b/my task.tsk/goals.md\nnew file mode 100644\n",
    '--- "a/a.t\\163k/goals.md"\n+++ "b/a.t\\163k/goals.md"\n@@ -1 +1 @@\n-a\n+b\n',
    "Index: a.tsk/goals.md\n",
    "*** a.tsk/goals.md\n--- docs/a.md\n***************\n",
]
ALLOWED = [
    ENVELOPE.format("*** Update File: docs/a.md\n@@\n-see a.tsk\n+see a.tsk/goals.md"),
    ENVELOPE.format("*** Add File: docs/a.md\n+*** Update File: a.tsk/goals.md\n+--- a/a.tsk/x\n++++ b/a.tsk/x"),
    ENVELOPE.format("*** Update File: docs/a.md\n@@ class a.tsk/goals.md\n a.tsk/goals.md"),
    "--- a/docs/a.md\n+++ b/docs/a.md\n@@ -1,2 +1 @@\n--- a.tsk/goals.md\n-x\n a.tsk/goals.md\n+a.tsk/goals.md\n",
    "diff --git a/docs/a.md b/docs/a.md\n--- a/docs/a.md\n+++ b/docs/a.md\n@@ -1 +1 @@ a.tsk/goals.md\n-a\n+b\n",
    "",
]


@pytest.mark.requirement("guard.hook.patches")
@pytest.mark.parametrize("patch", DENIED)
def test_a_patch_that_names_a_file_of_a_package_is_denied_however_it_comes(project: Project, patch: str) -> None:
    ways: list[tuple[str, object]] = [
        ("apply_patch", {"command": patch}),
        ("apply_patch", {"input": patch}),
        ("apply_patch", {"command": ["apply_patch", patch]}),
        ("apply_patch", patch),
        ("functions.apply_patch", {"patch": patch}),
        ("ApplyPatch", {"patch": patch}),
        ("shell", {"command": ["apply_patch", patch]}),
        ("Bash", {"command": f"apply_patch <<'EOF'\n{patch}\nEOF"}),
        ("Bash", {"command": f"git apply - <<'EOF'\n{patch}\nEOF"}),
        ("Bash", {"command": f"patch -p1 <<'EOF'\n{patch}\nEOF"}),
    ]

    assert [project.asks(tool, given) for tool, given in ways] == [CLOSED] * len(ways)


@pytest.mark.requirement("guard.hook.patches", "guard.hook.mere-text")
@pytest.mark.parametrize("patch", ALLOWED)
def test_a_patch_whose_lines_speak_of_a_package_meets_no_objection(project: Project, patch: str) -> None:
    assert project.asks("apply_patch", {"command": patch}) is None
    assert project.runs(f"apply_patch <<'EOF'\n{patch}\nEOF") is None
    assert project.runs(f"git apply <<'EOF'\n{patch}\nEOF") is None


@pytest.mark.requirement("guard.hook.patches")
def test_a_patch_counts_from_the_directory_it_is_applied_in(project: Project) -> None:
    patch = ENVELOPE.format("*** Update File: goals.md\n@@\n-a\n+b")

    assert project.asks("apply_patch", {"command": patch, "workdir": "tasks/plan.tsk"}) == CLOSED
    assert project.asks("apply_patch", {"command": patch}, cwd=str(project.root / "link")) == CLOSED
    assert project.asks("apply_patch", {"command": patch, "workdir": "src"}) is None
