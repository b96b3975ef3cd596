"""Searching lines: the same answers as line by line, and no pattern that could take for ever."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gatepost.domain.refusals import InvalidInput
from gatepost.files import search
from gatepost.files.ambiguity import explodes
from gatepost.files.confinement import confined
from gatepost.files.expressions import words
from gatepost.files.memory import InMemoryFilesystem
from gatepost.files.rarity import begun_rarely
from tests.files.expressing import PATTERNS, TEXTS, line_by_line


@given(pattern=PATTERNS, text=TEXTS)
@example(pattern="^$", text="\n\na\n\n")
@example(pattern=r"\Z", text="a\n")
@example(pattern=r"(?s).", text="\n")
@example(pattern=r"(?-m:^a)", text="b\na")
@example(pattern=r"\B", text="a\n\nb")
@example(pattern=r"a\s*b", text="a\nb\na b")
@example(pattern="x*", text="")
@example(pattern=r"aaa\s*b|aaa\Z", text="aaa\nb\naaa  b\n\naaa")
@example(pattern="a|b1|A", text="b\na\n1b1\nA a\n")
@example(pattern="(?i)s", text="\N{LATIN SMALL LETTER LONG S}\nS\n")
@example(pattern="(?i)\N{LATIN SMALL LETTER LONG S}", text="S\n")
@example(pattern=r"\r", text="a\r\nb\rc")
def test_a_search_finds_what_a_search_line_by_line_finds(pattern: str, text: str) -> None:
    try:
        expected = line_by_line(pattern, text)
    except re.error:
        return
    if explodes(pattern):
        return

    assert list(search.compiled(pattern).lines(text)) == expected


@given(pattern=PATTERNS, text=TEXTS.map(lambda text: text.replace("\r", "")))
@example(pattern=r"a[\s,]b", text="a\nb\na b")
def test_a_confined_expression_is_found_in_the_lines_it_would_be_found_in(pattern: str, text: str) -> None:
    lines = text.split("\n")
    try:
        expected = [number for number, line in enumerate(lines) if re.search(pattern, line)]
    except re.error:
        return
    found = confined(pattern)
    if found is None or explodes(pattern):
        return

    assert sorted({text.count("\n", 0, match.start()) for match in found.finditer(text)}) == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"return\s+None", r"urn(?<=return)\s+None"),
        (r"import \w+", r"mport (?<=import )\w+"),
        (r"return+", r"ur(?<=retur)n+"),
        (r"return\.x", r"urn(?<=return)\.x"),
        (r"class \w+", r"class \w+"),
        (r"raise \w+", r"raise \w+"),
        (r"rate \w+|rate\d", r"rate \w+|rate\d"),
        (r"routing\d|routine\d", r"routing\d|routine\d"),
        (r"^return\s", r"^return\s"),
        (r"e{3}x", r"e{3}x"),
        ("", ""),
    ],
)
def test_a_pattern_begins_at_a_rarer_letter_of_its_first_word_if_nothing_else_changes(
    pattern: str, expected: str
) -> None:
    assert begun_rarely(pattern) == expected


@given(
    word=st.sampled_from(["a1", "aaab", "ab1", "sab_", "  b"]),
    pattern=PATTERNS.filter(lambda pattern: not pattern.startswith("(?")),
    text=st.lists(st.one_of(TEXTS, st.sampled_from(["a1", "aaab", "ab1", "sab_", "  b", "\n"]))).map("".join),
)
@example(word="ab1", pattern="b|ab1a", text="ab1b\nab1a\nb1a\n")
def test_a_pattern_that_begins_at_a_rarer_letter_is_found_in_the_same_lines(
    word: str, pattern: str, text: str
) -> None:
    try:
        expected = line_by_line(word + pattern, text)
    except re.error:
        return
    if explodes(word + pattern):
        return

    assert list(search.compiled(word + pattern).lines(text)) == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("word", ("word",)),
        (r"def (\w+)\(self", ("(self",)),
        (r"raise\s+\w+", ("raise",)),
        (r"import|class", ("import", "class")),
        (r"(?i)ToDo", ("todo",)),
        (r"(?:ab)+c?", ("ab",)),
        (r"(?:ab)*x", ("x",)),
        (r"(?:ab|c*)", ()),
        (r"(?!never)\d", ()),
        (r"a\nbcd", ("bcd",)),
        (r"(?i)groß", ("gro",)),
    ],
)
def test_the_words_that_no_match_can_lack_are_known(pattern: str, expected: tuple[str, ...]) -> None:
    assert words(pattern).texts == expected


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            r"(a+)+$",
            r"(a*)*b",
            r"(a|a)*b",
            r"(a?b?)*c",
            r"(x+x+)+y",
            r"(a|b|ab)*c",
            r"(\w\w|\d\d)*x",
            r"(?i)(a+A)+b",
        ),
        *(r"(.*,)*x", r"(\w+\s?)*$", r"(\s*\w*)*;", r"(\d+(?:\.\d+)?)+x", r'"(?:[^"\\]+|\\.)*"', r"(é|\w\w?)+x"),
        *(r"(?=(a+)+b)", r"(?>(a+)+b)", r"(a+){10}", r"(.{1,50}){1,50}x", r"(?:(?:a*|b*)c)*x", r"(?:(?:a?)?c)*x"),
    ],
)
def test_a_loop_whose_readings_multiply_is_refused_with_the_way_out(pattern: str) -> None:
    fs = InMemoryFilesystem()
    fs.write("f", "a" * 40_000)

    with pytest.raises(InvalidInput, match="could take for ever; let each round"):
        fs.grep(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"(?:\w+\s+)*x", r"(?:\d{1,3}\.){3}\d{1,3}", r"(?:\d{1,3}\.)*\d", r"([0-9a-f]{2})+", r"([0-9a-f]{64})*"),
        *(
            r'"(?:[^"\\]|\\.)*"',
            r"(\w+\.)*\w+@",
            r"(?:/[\w.-]*)*",
            r"(?:,\s*\w+)*\)",
            r"(?:foo|far|fox)*",
            r"(?:a+b)*",
        ),
        *(r".*foo.*bar", r"^\s*(.*)\s*=\s*(.*)\s*$", r"(?:\([^()]*\))*", r"(a++)+b", r"(?:(?>a+)|b)*", r"(?:ab?)*"),
        *(r"(?:[A-Z][a-z]+)+", r"(?:--\w+(?:=\S+)?\s+)*", r"(\S+\s+){2,6}x", r"\b(?:TODO|FIXME)\b", r"(a|b|)*"),
        *(r"([a-z]+_)*[a-z]+", r"(?:(\w)\1-)*", r"([a-z]|\w)+\d", r"^(?:    )*\w", r"(?x) a+ # words"),
    ],
)
def test_an_ordinary_pattern_is_not_taken_for_one_that_explodes(pattern: str) -> None:
    assert not explodes(pattern)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("(", "missing \\), unterminated subpattern at position 0"),
        ("a{1", None),
        ("[z-a]", "bad character range z-a at position 1"),
        ("(?P<n>a)(?P<n>b)", "redefinition of group name"),
        ("a{99999999999999}", "counts further"),
        ("(" * 499 + ")" * 499, "nested too deeply"),
        ("x" * 1_000, None),
        ("x" * 1_001, "has 1,001 characters; at most 1,000"),
    ],
)
def test_a_bad_pattern_is_refused_with_what_is_wrong_with_it(pattern: str, words: str | None) -> None:
    fs = InMemoryFilesystem()

    if words is None:
        assert fs.grep(pattern) == ()
    else:
        with pytest.raises(InvalidInput, match=words) as refused:
            fs.grep(pattern)
        assert refused.value.details["problems"][0]["field"] == "pattern"


def test_a_long_line_is_shown_up_to_2_000_characters_and_says_how_much_is_missing() -> None:
    fs = InMemoryFilesystem()
    fs.write("f", "x" * 2_000 + "\n" + "y" * 2_001 + "\n")

    exact, over = fs.grep("x|y")

    assert exact.text == "x" * 2_000
    assert over.text == "y" * 2_000 + "… (1 more characters)"
