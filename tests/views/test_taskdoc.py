"""The effective taskdoc: its framing, its budget, and what agents are told."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.views.taskdoc import GUIDANCE, RE_ENTRY, RESTRICTION, effective

GOLDEN = Path(__file__).parent / "golden"
PLAIN = st.text(alphabet="ab -.\n", max_size=60)


def written(name: str) -> str:
    """A golden file, line ends as they are."""
    return (GOLDEN / name).read_bytes().decode()


@pytest.mark.requirement(
    "taskdoc.effective.heading", "taskdoc.effective.sections-in-order", "taskdoc.effective.deterministic"
)
@pytest.mark.parametrize("name", ["plain", "headings", "open_blocks", "empty"])
def test_the_effective_taskdoc_is_its_golden_file_byte_for_byte(name: str) -> None:
    goals, constraints, progress = (written(f"{name}.{part}.md") for part in ("goals", "constraints", "progress"))

    shown = effective("ship-it", goals, constraints, progress)

    assert shown == written(f"{name}.effective.md")


@pytest.mark.requirement("taskdoc.effective.no-reformatting")
@given(goals=PLAIN.map("a".__add__), constraints=PLAIN.map("b".__add__), progress=PLAIN.map("c".__add__))
def test_bodies_without_headings_stand_in_the_framing_unchanged(
    goals: str, constraints: str, progress: str
) -> None:
    goals, constraints, progress = (body.replace("-", "") for body in (goals, constraints, progress))

    shown = effective("n", goals, constraints, progress)

    ended = [body if body.endswith("\n") else body + "\n" for body in (goals, constraints, progress)]
    assert shown == "# Taskdoc: n\n\n## Goals\n\n{}\n## Constraints\n\n{}\n## Progress\n\n{}".format(*ended)


@pytest.mark.parametrize("kept", ["goals", "constraints", "progress", "none"])
def test_an_empty_section_keeps_its_heading_with_nothing_below(kept: str) -> None:
    bodies = {name: "x\n" if name == kept else "" for name in ("goals", "constraints", "progress")}

    shown = effective("n", bodies["goals"], bodies["constraints"], bodies["progress"])

    full = {name: f"\n{body}" if body else "" for name, body in bodies.items()}
    assert (
        shown
        == "# Taskdoc: n\n\n## Goals\n{goals}\n## Constraints\n{constraints}\n## Progress\n{progress}".format(
            **full
        )
    )


@pytest.mark.requirement("taskdoc.effective.goals-constraints-whole", "taskdoc.effective.progress-clipped")
@given(
    bodies=st.tuples(*[st.text(alphabet="a#`<!-> \n\r", max_size=80)] * 3),
    max_chars=st.integers(0, 400),
)
def test_whatever_the_budget_all_above_progress_is_whole(bodies: tuple[str, str, str], max_chars: int) -> None:
    goals, constraints, progress = bodies
    above = effective("n", goals, constraints, "")
    whole = effective("n", goals, constraints, progress)

    shown = effective("n", goals, constraints, progress, max_chars=max_chars)

    assert shown.startswith(above)
    assert shown == whole or (len(whole) > max_chars and "characters of progress left out" in shown)
    assert len(shown) <= max(max_chars, min(len(whole), len(above) + 100))


@pytest.mark.requirement("taskdoc.effective.progress-clipped")
def test_clipped_progress_ends_at_a_line_and_says_how_much_is_missing() -> None:
    progress = "".join(f"{number:03} of the log\n" for number in range(100))

    shown = effective("n", "g\n", "c\n", progress, max_chars=260)

    body = shown.partition("## Progress\n\n")[2]
    kept, _, notice = body.partition("\n\n")
    count = len(kept) + 1
    assert progress.startswith(f"{kept}\n")
    assert len(shown) <= 260 < len(shown) + len("000 of the log\n")
    assert (
        notice == f"… ({1500 - count:,} of 1,500 characters of progress left out; read `progress` for all of it)\n"
    )


@pytest.mark.requirement("taskdoc.effective.goals-constraints-whole", "taskdoc.effective.progress-clipped")
def test_goals_larger_than_the_budget_leave_of_progress_the_notice_alone() -> None:
    shown = effective("n", "g" * 500, "c" * 500, "line\n" * 100, max_chars=10)

    assert "g" * 500 in shown
    assert "c" * 500 in shown
    assert shown.endswith(
        "## Progress\n\n… (500 of 500 characters of progress left out; read `progress` for all of it)\n"
    )


def test_progress_that_is_shorter_than_the_notice_is_never_clipped() -> None:
    assert effective("n", "g", "c", "short\n", max_chars=0).endswith("## Progress\n\nshort\n")


def test_a_fence_that_the_clipping_cuts_open_is_closed_before_the_notice() -> None:
    progress = "~~~~\n" + "code\n" * 100 + "~~~~\n"

    shown = effective("n", "", "", progress, max_chars=200)

    assert "code\n~~~~\n\n… (" in shown


@pytest.mark.requirement("taskdoc.goals.guidance-outcomes", "taskdoc.goals.guidance-stable")
def test_the_guidance_for_goals_asks_for_stable_outcomes() -> None:
    assert "Outcomes" in GUIDANCE["goals"]
    assert "stable" in GUIDANCE["goals"]
    assert "daily churn goes to progress" in GUIDANCE["goals"]


@pytest.mark.requirement("taskdoc.constraints.guidance-complete", "taskdoc.constraints.guidance-crisp")
def test_the_guidance_for_constraints_asks_for_every_rule_in_testable_words() -> None:
    words = (
        "Every",
        "policy",
        "safety",
        "format",
        "scope",
        "invariant",
        "crisp",
        "testable",
        "MUST,",
        "SHOULD",
        "MUST NOT",
    )

    assert [word for word in words if word not in GUIDANCE["constraints"]] == []


@pytest.mark.requirement("taskdoc.progress.guidance-distilled")
def test_the_guidance_for_progress_asks_for_the_state_and_not_the_conversation() -> None:
    words = ("distilled", "decisions", "what remains", "not the conversation again", "update often")

    assert [word for word in words if word not in GUIDANCE["progress"]] == []


def test_the_texts_for_prompts_name_the_ways_in_and_the_re_entry_package() -> None:
    assert "short, scannable re-entry package" in RE_ENTRY
    assert [
        word for word in ("`*.tsk/`", "closed", "shells", "recall_mind", "change_mind") if word not in RESTRICTION
    ] == []
    assert all(len(text) <= 250 for text in (*GUIDANCE.values(), RE_ENTRY, RESTRICTION))
