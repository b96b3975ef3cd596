"""The splitting of a single-file taskdoc: everything goes somewhere, and the reason is told."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gatepost.domain.taskdoc_migration import Piece, Split, split

TITLES = ("# Goals", "## Constraints ##", "### Progress", "Status", "Goals", "## Anything", "# Rules", "#")
OTHERS = ("===", "---", "text", "", "```", "~~~", "<!--", "-->", "- item", "    # code", "1. a", "#### Notes on x")
LINE = st.sampled_from((*TITLES, *OTHERS))
TEXT = st.lists(st.tuples(LINE, st.sampled_from(["\n", "\r\n", "\r"])), max_size=25).map(
    lambda lines: "".join(line + end for line, end in lines)
)


def section(result: Split, piece: Piece) -> str:
    """The text of the section a piece went to."""
    return {"goals": result.goals, "constraints": result.constraints, "progress": result.progress}[piece.selector]


@pytest.mark.requirement("taskdoc.migrate.splits", "taskdoc.migrate.shows")
def test_a_taskdoc_with_the_three_headings_becomes_three_sections() -> None:
    text = "## Goals\n\n- ship\n\n## Constraints\nMUST be small\n\n## Progress\n- begun\n"

    result = split(text)

    assert (result.goals, result.constraints, result.progress) == ("- ship\n\n", "MUST be small\n\n", "- begun\n")
    assert [(piece.selector, piece.title, piece.first_line, piece.last_line) for piece in result.pieces] == [
        ("goals", "Goals", 1, 4),
        ("constraints", "Constraints", 5, 7),
        ("progress", "Progress", 8, 9),
    ]
    assert all(piece.why for piece in result.pieces)


@pytest.mark.requirement("taskdoc.migrate.splits", "taskdoc.migrate.shows")
@settings(max_examples=400)
@given(text=TEXT, cut=st.booleans())
@example(text="Goals\n-->\n===\n", cut=False)
def test_every_line_is_in_one_section_in_order_but_for_titles_that_only_name_it(text: str, cut: bool) -> None:
    text = text.rstrip("\r\n") if cut else text
    lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z", text)

    result = split(text)

    rest = {"goals": result.goals, "constraints": result.constraints, "progress": result.progress}
    assert [piece.first_line for piece in result.pieces] == [1, *(p.last_line + 1 for p in result.pieces)][
        : len(result.pieces)
    ]
    assert sum(piece.last_line - piece.first_line + 1 for piece in result.pieces) == len(lines)
    for piece in result.pieces:
        part = "".join(lines[piece.first_line - 1 : piece.last_line])
        if rest[piece.selector] == section(result, piece) and (piece.title or "").lower() in rest:
            part = re.sub(r"\A(?:#[^\r\n]*|[^\r\n]*(?:\r\n|\r|\n)(?:===|---))[\r\n]*", "", part)
        assert rest[piece.selector].startswith(part)
        rest[piece.selector] = rest[piece.selector][len(part) :]
    assert set(rest.values()) == {""}


@pytest.mark.parametrize(
    ("title", "selector"),
    [
        ("# Goals", "goals"),
        ("###### OBJECTIVES:", "goals"),
        ("## 1. Project goals", "goals"),
        ("## **Success criteria**", "goals"),
        ("## What we want", "goals"),
        ("## Goals and constraints", "goals"),
        ("## Non-goals", "constraints"),
        ("## Hard requirements", "constraints"),
        ("## MUST NOT", "constraints"),
        ("## Do's and don\u2019ts", "constraints"),
        ("## Current status ##", "progress"),
        ("## Next steps", "progress"),
        ("## TODO", "progress"),
        ("Rules\n=====", "constraints"),
        ("Purpose\n---", "goals"),
        ("# Rules engine rewrite", "goals"),
        ("#", "goals"),
    ],
)
def test_a_title_goes_to_the_section_its_words_speak_of(title: str, selector: str) -> None:
    (piece,) = split(f"{title}\ntext\n").pieces

    assert piece.selector == selector


def test_an_unknown_heading_goes_with_the_known_one_it_stands_under() -> None:
    text = "# Parser\nx\n## Rules\n### Style\na\n#### Depth\nb\n## Other\nc\n"

    pieces = split(text).pieces

    assert [(piece.title, piece.selector, piece.why) for piece in pieces] == [
        ("Parser", "goals", "the title and the text below it: describes the task"),
        ("Rules", "constraints", "the heading is about constraints"),
        ("Style", "constraints", "under `Rules`"),
        ("Depth", "constraints", "under `Rules`"),
        ("Other", "progress", "an unknown heading, not under a known one"),
    ]


@pytest.mark.parametrize(
    "text", ["Make it fast.\nThen small.\n", "```\n# Progress\n```\n", "<!--\n# Rules\n-->\n", "    # Rules"]
)
def test_a_text_without_headings_describes_the_task_and_is_its_goals(text: str) -> None:
    result = split(text)

    assert (result.goals, result.constraints, result.progress) == (text, "", "")
    assert result.pieces[0].why == "no headings: describes the task"


def test_text_before_the_first_heading_is_goals_and_a_title_below_it_stays() -> None:
    result = split("We do this.\n\n## Goals\n- a\n")

    assert result.goals == "We do this.\n\n## Goals\n- a\n"


def test_a_title_that_says_more_than_the_section_s_name_is_kept() -> None:
    assert split("## Success criteria\n- fast\n").goals == "## Success criteria\n- fast\n"


def test_an_empty_file_has_no_pieces() -> None:
    assert split("") == Split(goals="", constraints="", progress="", pieces=())
