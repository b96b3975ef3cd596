"""What the documents promise of the guard."""

from pathlib import Path

import pytest

TASKDOCS = (Path(__file__).parents[2] / "docs" / "taskdocs.md").read_text(encoding="utf-8")


@pytest.mark.requirement("guard.docs.enforced-or-detected")
def test_the_documents_say_what_is_enforced_watched_restored_and_only_detected() -> None:
    whose = TASKDOCS.partition("## Who may touch `.tsk`")[2].partition("\n## ")[0]
    parts = whose.split("\n\n**")

    assert [part.partition("**")[0] for part in parts[1:]] == ["Enforced", "Watched", "Restored", "Only detected"]
    assert "This is not a sandbox: a script that builds the path itself passes" in whose
    assert "gatepost hook pre-tool" in whose
    assert "gatepost hook post-tool" in whose
