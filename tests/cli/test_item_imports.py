"""`gatepost import` of other tools' files, and `gatepost export` as a document: what they say, and how they end."""

import csv
import json
from io import StringIO
from pathlib import Path

import pytest

from tests.cli.givens import WORKSPACE, Desk
from tests.imports.givens import RECORDED, WRITTEN, claims

TASK_MASTER = str(RECORDED / "task-master")


def test_an_import_says_what_came_what_rests_on_a_word_and_what_did_not_come(desk: Desk) -> None:
    before = desk.world.everything()
    dry = desk.here("import", TASK_MASTER, "--workspace", WORKSPACE, "--dry-run")
    assert desk.world.everything() == before

    ran = desk.here("import", TASK_MASTER, "--workspace", WORKSPACE)
    again = desk.here("import", f"{TASK_MASTER}/tasks.json")

    lost = (
        "Not kept:\n"
        "  cancelled items: 1 (master/5 Fax receipts)\n"
        "  steps in progress (they are open here): 1 (master/2: 3-D Secure)\n"
    )
    told = (
        "closed on the word of Task Master alone: 3 steps and 1 task or plan. Nothing is proven: see gatepost lint"
    )
    assert dry.out == (
        f"Would import from Task Master into {WORKSPACE}: 2 plans, 6 tasks with 9 steps.\n"
        f"Would be {told} with a plan or task.\n{lost}"
    )
    assert ran.out == (
        f"Imported from Task Master into {WORKSPACE}: 2 plans, 6 tasks with 9 steps.\n"
        f"C{told[1:]} with a plan or task.\n{lost}"
    )
    assert again.out == (
        f"Task Master: nothing new for {WORKSPACE}.\n"
        "Already here, and left as they are: 8 plans and tasks.\n"
        "Not kept:\n  cancelled items: 1 (master/5 Fax receipts)\n"
    )
    assert (dry.code, ran.code, again.code) == (0, 0, 0)


@pytest.mark.requirement("proof.provenance.no-forgery")
def test_a_person_who_imports_confirms_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEPOST_ACTOR", "human:ann")

    ran = desk.here("import", TASK_MASTER, "--workspace", WORKSPACE)

    assert ran.code == 0
    assert claims(desk.world) == set()
    assert {event["actor"] for event in desk.world.ok("tasks_delta", limit=200)["events"]} == {"import:task-master"}


def test_a_program_gets_the_report_as_json_and_a_pipe_will_do(desk: Desk) -> None:
    issues = (WRITTEN / "github" / "issues.json").read_text(encoding="utf-8")

    ran = desk.apart("import", "-", "--from", "github", "--workspace", WORKSPACE, "--json", stdin=issues)

    report = json.loads(ran.out)
    assert (ran.code, ran.err, report["source"]) == (0, "", "github")
    assert (report["tasks"], report["steps"], report["closed"]) == (2, 3, 2)
    assert ["assignees", "#7: ann"] in report["losses"]


UNCLEAR = [
    (["no.json"], 2, "cannot read no.json"),
    (["x.bin"], 2, "x.bin is not text in UTF-8"),
    (["x.txt"], 2, "x.txt is not an export of Gatepost"),
    (["x.txt", "--from", "beads"], 2, "x.txt, line 1, is not JSON"),
    (["."], 2, "has no files of any tool"),
    (["TODO.md", "--workspace", "../x"], 2, "workspace"),
]


@pytest.mark.parametrize("case", UNCLEAR, ids=lambda case: " ".join(case[0]))
def test_what_cannot_be_imported_is_refused_in_words(case: tuple[list[str], int, str], desk: Desk) -> None:
    words, code, said = case
    Path("x.txt").write_text("Milk, eggs\n", encoding="utf-8")
    Path("x.bin").write_bytes(b"\xff\xfe\x00")
    if "TODO.md" in words:
        Path("TODO.md").write_text("- [ ] a\n", encoding="utf-8")
    before = desk.world.everything()

    ran = desk.here("import", *words)

    assert (ran.code, said in ran.err, "Traceback" in ran.err) == (code, True, False), ran
    assert desk.world.everything() == before


def test_documents_show_every_plan_task_and_step_and_texts_cannot_break_out(desk: Desk) -> None:
    world = desk.world
    plan = world.ok("tasks_create", kind="plan", title="Release")["id"]
    hostile = '"]:::done end `x` <b>\\ | # [x](y)'
    under = [{"title": "B", "criteria": ["b, c\nd"]}]
    given = {"plan": plan, "description": "- [ ] no box\n# no heading"}
    task = world.task(title=hostile, steps=[{"title": "A", "steps": under}, {"title": "end"}], **given)
    world.close(task, "s:0.s:0")
    world.ok("tasks_block", task=task, path="s:1", reason="No disk.")
    many = world.task(title="Many", steps=[{"title": f"step {n}"} for n in range(120)])
    world.ok("tasks_edit", task=many, depends_on=[task])

    md, table, chart = (desk.here("export", "--format", form) for form in ("md", "csv", "mermaid"))
    kept = desk.here("export", "--format", "csv", "all.csv")

    assert (md.code, table.code, chart.code, kept.code) == (0, 0, 0, 0)
    assert md.err == f"Exported 3 plans and tasks of {WORKSPACE} as md.\n"
    assert "\n  - [x] B (s:0.s:0; criteria noted; tests noted)\n    - Criterion: b, c d\n" in md.out
    assert "\n- [ ] end (s:1; blocked: No disk.)\n" in md.out
    assert "\n> \\- \\[ \\] no box\n> \\# no heading\n" in md.out
    found = list(csv.DictReader(StringIO(table.out)))
    assert [row["title"] for row in found[:4]] == ["Release", hostile, "A", "B"]
    assert [row["kind"] for row in found].count("step") == 123
    assert (found[3]["criteria"], found[3]["proofs"]) == ("b, c\nd", "criteria:noted tests:noted")
    assert Path("all.csv").read_text(encoding="utf-8") == table.out
    labels = [line for line in chart.out.splitlines() if '["' in line]
    assert [line.count('"') for line in labels] == [2] * len(labels)
    assert chart.out.count("subgraph") == chart.out.count("  end\n") == 3
    assert f"{task.replace('-', '_')} --> {many.replace('-', '_')}" in chart.out


def test_an_export_to_read_can_be_imported_as_a_checklist(desk: Desk, tmp_path: Path) -> None:
    desk.passkeys()
    desk.here("export", "--format", "md", "plans.md")

    ran = desk.here("import", "plans.md", "--workspace", "acme/copy", "--json")

    assert json.loads(ran.out)["steps"] == 5
