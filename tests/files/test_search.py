"""Searching lines: the answers of Python itself, in linear time, and refusals that say what is missing."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gatepost.domain.refusals import InvalidInput
from gatepost.files import search
from gatepost.files.memory import InMemoryFilesystem
from tests.files.expressing import PATTERNS, TEXTS, line_by_line

BEFORE = json.loads((Path(__file__).parent / "lines_found.json").read_text())
"""What the search by Python's expressions found before RE2 came: texts, and by pattern the lines of each."""


def found(pattern: str, text: str) -> list[tuple[int, str]]:
    """What a search finds in a text."""
    return list(search.compiled(pattern).lines(text.encode()))


def test_everyday_patterns_find_the_same_lines_as_they_did_with_python_s_own_expressions() -> None:
    differing = {
        (pattern, text)
        for pattern, lines in BEFORE["found"].items()
        for text, expected in zip(BEFORE["texts"], lines, strict=True)
        if [number for number, _ in found(pattern, text)] != expected
    }

    assert len(BEFORE["found"]) >= 150
    assert not differing


@given(pattern=PATTERNS, text=TEXTS)
@example(pattern="^$", text="\n\na\n\n")
@example(pattern=r"\Z", text="a\n")
@example(pattern=r"(?s).", text="\n")
@example(pattern=r"(?-m:^a)", text="b\na")
@example(pattern=r"a\s*b", text="a\nb\na b")
@example(pattern="x*", text="")
@example(pattern="a|b1|A", text="b\na\n1b1\nA a\n")
@example(pattern="(?i)s", text="\N{LATIN SMALL LETTER LONG S}\nS\n")
@example(pattern="(?i)\N{LATIN SMALL LETTER LONG S}", text="S\n")
@example(pattern=r"\r", text="a\r\nb\rc")
def test_a_search_finds_what_python_finds_line_by_line(pattern: str, text: str) -> None:
    try:
        expected = line_by_line(pattern, text)
    except re.error:
        return

    assert found(pattern, text) == expected


@given(
    pattern=st.builds(
        "{}{}{}".format,
        st.sampled_from(["", ".", r"\w*", "^"]),
        st.sampled_from([r"\d", r"\w", r"\s", r"\W", r"[^\W\d]", r"[\s.]", r"[\d_]", r"\D", r"[^\S ]", r"[\W\d]"]),
        st.sampled_from(["", "+", "{2}", "{8,}", "$"]),
    ),
    # What one of the two versions of Unicode does not know yet says nothing.
    text=st.text(st.characters(exclude_categories=("Cs", "Cn")), max_size=30),
)
def test_classes_mean_what_they_mean_to_python_in_any_script(pattern: str, text: str) -> None:
    text = text.replace("\0", "")

    assert found(pattern, text) == line_by_line(pattern, text)


def test_word_borders_are_those_of_python_in_ascii_lines_and_see_ascii_letters_only_in_others() -> None:
    text = "step\nsteps\na step_\n-step-\nmisstep step\n"
    for pattern in (r"\bstep\b", r"\Bstep", r"step\B", r"^\b", r"\b$", r"\B"):
        assert found(pattern, text) == line_by_line(pattern, text)

    assert [number for number, _ in found(r"\bcaf\b", "café\ncaf\n")] == [1, 2]
    for pattern in (r"\bécole", r"café\b", r"\B世"):
        with pytest.raises(InvalidInput, match="know ASCII letters only"):
            search.compiled(pattern)


CATASTROPHIC = (
    *(r"^(a?){40}a{40}$", r"(a+)+$", r"(a*)*b", r"(a|a)*b", r"(a|aa)+$", r"(x+x+)+y", r"(.*a){12}b", r"(\w+\s?)*$"),
    *(r"^(([a-z])+.)+[A-Z]([a-z])+$", r"(.*),(.*),(.*),(.*)!", "a*a*a*a*[bc]", "a?" * 30 + "a" * 30 + "[bc]"),
    *(r"\s*\s*\s*$y|z", r'"(?:[^"\\]+|\\.)*"!', r"(\d+(?:\.\d+)?)+x", r"(?i)(a+A)+b", r"(.{1,40}){1,12}x"),
)
IN_A_CHILD = """
import json, sys
from gatepost.files.memory import InMemoryFilesystem

asked = json.load(sys.stdin)
fs = InMemoryFilesystem()
for number, text in enumerate(asked["texts"]):
    fs.write(str(number), text)
assert fs.glob("**") and not {"re2", "pathspec"} & set(sys.modules), "loaded before they are needed"
print(json.dumps([len(fs.grep(pattern)) for pattern in asked["patterns"]]))
"""


def test_patterns_that_keep_a_backtracking_search_busy_for_ever_are_answered() -> None:
    texts = ["a" * 47_900 + "!", "a," * 23_900, " " * 47_900, "1" * 47_900, '"' + "a" * 47_900]

    ran = subprocess.run(
        [sys.executable, "-c", IN_A_CHILD],
        input=json.dumps({"texts": texts, "patterns": CATASTROPHIC}),
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert ran.returncode == 0, ran.stderr
    assert len(json.loads(ran.stdout)) == len(CATASTROPHIC)
    assert [line for line, _ in found(CATASTROPHIC[0], "a" * 40 + "\n" + "a" * 39 + "\n" + "a" * 81)] == [1]


@pytest.mark.parametrize(
    ("pattern", "words", "way"),
    [
        ("foo(?=bar)", r"look-ahead \(`\(\?=`\)", "pick among the lines"),
        ("foo(?!bar)", "look-ahead", "pick among the lines"),
        ("(?<=a)b", "look-behind", "pick among the lines"),
        ("(?<!a)b", "look-behind", "pick among the lines"),
        (r"(a)\1", r"a back-reference \(`\\1`\)", "Spell the repeated text out"),
        ("(?P<x>a)(?P=x)", "a back-reference", "Spell the repeated text out"),
        ("(a)?(?(1)b|c)", "a condition", r"`a\|b`"),
        ("(?>a)", "an atomic group", "never backtracks"),
        ("a++", r"repeats a repeat \(`\+\+`\)", "group the first one"),
        ("a**", "repeats a repeat", "group the first one"),
        ("(?x)a b", r"`\(\?x`, which grep does not support", "flags i, m and s"),
        (r"(?a)\w", r"`\(\?a`, which grep does not support", "flags i, m and s"),
        ("a{1001}", "more than 1,000 times", "smaller counts"),
        ("a{0,99999999999999}", "more than 1,000 times", "smaller counts"),
        ("(a{100}){100}", "more than 1,000 times", "smaller counts"),
        (r"\w{999}", "is too large", "smaller counts"),
        (r"(.{1,50}){1,20}x", "is too large", "smaller counts"),
        (r"\Qa.b\E", r"the escape `\\Q`", "Correct"),
        (r"[\q]", r"the escape `\\q`", "Correct"),
        ("(", r"a `\(` that is never closed", "Correct"),
        ("a)(b", r"a `\)` that closes nothing", "Correct"),
        ("*", "no argument for repetition", "Correct"),
        ("a[b", r"a `\[` that is never closed", "Correct"),
        ("[" + r"\u0041\p{L}" * 90, r"a `\[` that is never closed", "Correct"),
        ("[z-a]", "invalid character class range: z-a", "Correct"),
        (r"[\W-a]", "bad character range", "Correct"),
        (r"[\W[:alpha:]]", r"a class such as `\[:alpha:\]`", "Correct"),
        ("a\\", "ends with a single backslash", "Correct"),
        ("\ud800", "lone surrogate", "Correct"),
        ("x" * 1_001, "has 1,001 characters; the limit is 1,000", "Correct"),
    ],
)
def test_a_pattern_that_cannot_be_searched_for_is_refused_with_what_is_wrong_and_what_to_do(
    pattern: str, words: str, way: str
) -> None:
    fs = InMemoryFilesystem()

    with pytest.raises(InvalidInput, match=words) as refused:
        fs.grep(pattern)

    assert refused.value.details["problems"][0]["field"] == "pattern"
    assert re.search(way, refused.value.recovery)


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            r"\d+(?:\.\d+)?",
            r"(?:\w+\s+)*x",
            r"(\w+\.)*\w+@",
            r"(?#why)a",
            "x" * 1_000,
            r"[[:alpha:]]+",
            r"\p{Greek}",
        ),
        *(r"(?P<word>\w+)", r"\U0001f642|\u00e9|\xe9", r"[\u0400-\u04ff]", r"a{1", r"a{}", r"(a|b|)*", r"[\b]"),
        *(r"[\w-.]+@", r"[:\S]", r"[^\W[&&]"),
        *(r"(\S+\s+){2,6}x", r"(?:,\s*\w+)*\)", r"[\W_]+", r"\101", r"\0", "(" * 499 + ")" * 499, r"\w{1,100}"),
    ],
)
def test_an_everyday_pattern_is_taken(pattern: str) -> None:
    assert isinstance(search.compiled(pattern), search.Search)


def test_a_long_line_is_shown_up_to_2_000_characters_and_says_how_much_is_missing() -> None:
    fs = InMemoryFilesystem()
    fs.write("f", "x" * 2_000 + "\n" + "y" * 2_001 + "\n")

    exact, over = fs.grep("x|y")

    assert exact.text == "x" * 2_000
    assert over.text == "y" * 2_000 + "… (1 more characters)"
