"""Headings inside a body cannot be mistaken for the headings around it."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from gatepost.views.headings import demoted
from gatepost.views.taskdoc import effective

OURS = [("h1", 0, "Taskdoc: n"), ("h2", 0, "Goals"), ("h2", 0, "Constraints"), ("h2", 0, "Progress")]
JUDGE = MarkdownIt("commonmark", {"maxNesting": 1_000})

SIGNS = (
    [
        "# ",
        "## ",
        "### ",
        "#",
        "######",
        " ",
        "  ",
        "    ",
        "\t",
        "> ",
        ">",
        "- ",
        "-",
        "* ",
        "1. ",
        "2. ",
        "1) ",
        "+ ",
    ]
    + ["```", "````", "~~~", "~~~ py", "`", "===", "---", "=", "--", "***", "_ _ _", "\\", "x #", "a", "b c", "é"]
    + [
        "<!--",
        "-->",
        "<div>",
        "</div>",
        "<pre>",
        "</pre>",
        "<?",
        "?>",
        "<!X",
        "<![CDATA[",
        "]]>",
        "<a>",
        "<script>",
    ]
    + ["[a]: /u", "[a]:", "/u", '"t"', "\x0c", "\x85", "\u2028", "## Goals", "## Constraints", "# Taskdoc: n"]
    + ["\n"] * 12
    + ["\n\n", "\r\n", "\r"]
)
BODY = st.lists(st.sampled_from(SIGNS), max_size=14).map("".join)


def headings(text: str) -> list[tuple[str, int, str]]:
    """Tag, depth and text of every heading, as the judge reads them."""
    tokens = JUDGE.parse(text)
    return [
        (token.tag, token.level, tokens[at + 1].content)
        for at, token in enumerate(tokens)
        if token.type == "heading_open"
    ]


def shown(body: str) -> str:
    """A body with its headings demoted."""
    return "".join(unit.shown for unit in demoted(body))


@pytest.mark.requirement("taskdoc.effective.headings-demoted", "taskdoc.effective.sections-in-order")
@settings(max_examples=150)
@given(bodies=st.tuples(BODY, BODY, BODY), max_chars=st.none() | st.integers(0, 300))
@example(bodies=(">\r    ># x", "2. [a]:-->\nx\r\n+ \r===", "[a]: /u\n2. # x"), max_chars=None)
@example(bodies=("```\n# x", "<!--\n", "> ~~~\n# y"), max_chars=None)
def test_the_only_headings_above_level_3_are_ours(bodies: tuple[str, str, str], max_chars: int | None) -> None:
    text = effective("n", *bodies, max_chars=max_chars)

    found = headings(text)

    assert [heading for heading in found if heading[0] in ("h1", "h2")] == OURS


@pytest.mark.requirement("taskdoc.effective.headings-demoted")
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("# a\n", "### a\n"),
        ("   ## a ##\n", "   ### a ##\n"),
        ("#\ta\n", "###\ta\n"),
        ("#\n", "###\n"),
        ("# a\n## b\n#### c\n##### d\n###### e\n", "### a\n#### b\n###### c\n###### d\n###### e\n"),
        ("## a\n### b\n", "### a\n#### b\n"),
        ("### a\n###### b\n", "### a\n###### b\n"),
        ("a\n===\n", "### a\n"),
        ("a\n---\n", "### a\n"),
        ("a\n===\nb\n---\n", "### a\n#### b\n"),
        ("a\nb  \n  c\n =====  \r\nd", "### a b c\r\nd"),
        ("a #\n===\n", "### a # ###\n"),
        ("> # a\n> b\n> ---\n", "> ### a\n> #### b\n"),
        ("- # a\n\n  b\n  ===\n", "- ### a\n\n  ### b\n"),
        ("1.\t> - # a\n", "1.\t> - ### a\n"),
        ("[a]: /u\nb\n===\n", "[a]: /u\n### b\n"),
        ("<div>\n# a\n</div>\n", "<div>\n### a\n</div>\n"),
        ("# a\r# b", "### a\r### b"),
    ],
)
def test_a_heading_of_any_kind_goes_below_ours_and_keeps_its_distance(body: str, expected: str) -> None:
    assert shown(body) == expected
    assert min(tag for tag, *_ in headings(expected) or [("h3", 0, "")]) == "h3"


@pytest.mark.requirement("taskdoc.effective.no-reformatting")
@pytest.mark.parametrize(
    "body",
    [
        "```sh\n# a\n```\n",
        "````\n```\n# a\n````\n",
        "~~~ py `x`\n# a\n~~~\n",
        "- ```\n  # a\n  ```\n",
        "> ~~~\n> # a\n",
        "    # a\n",
        "\t# a\n",
        "#a\n####### b\n\\# c\n",
        "a\n\n---\n\nb\n",
        "- a\n---\n",
        "> a\n===\n",
        "a\x0c# b\u2028# c\x85# d\n",
        "| a |\n|---|\n| b |\n",
    ],
)
def test_what_is_no_heading_is_left_alone(body: str) -> None:
    assert shown(body) == body


@pytest.mark.parametrize(
    ("body", "closing"),
    [
        ("```\nx", "```\n"),
        ("~~~~~ py\n~~~\n", "~~~~~\n"),
        ("<!-- a\n\nb\n", "-->\n"),
        ("<PRE>\n\n", "</pre>\n"),
        ("<?php\n\n", "?>\n"),
        ("<![CDATA[\n", "]]>\n"),
        ("<!DOCTYPE\n", ">\n"),
        ("<div>\n", ""),
        ("- ```\n", ""),
        ("```\n```\n", ""),
    ],
)
def test_a_block_that_a_body_leaves_open_is_closed_before_our_next_heading(body: str, closing: str) -> None:
    text = effective("n", body, "", "")

    line_end = "" if body.endswith("\n") else "\n"
    assert text == f"# Taskdoc: n\n\n## Goals\n\n{body}{line_end}{closing}\n## Constraints\n\n## Progress\n"
    assert headings(text) == OURS


@settings(max_examples=100)
@given(body=BODY)
def test_every_line_is_there_once_whatever_becomes_of_its_heading(body: str) -> None:
    units = demoted(body)

    assert "".join(unit.source for unit in units) == body
    assert all(unit.source.count("\n") >= 1 or unit.source.count("\r") >= 1 for unit in units[:-1])


@settings(max_examples=100)
@given(body=BODY)
def test_demoting_again_changes_nothing(body: str) -> None:
    once = shown(body)

    assert shown(once) == once
