"""Searching lines: the same answers as line by line, and no pattern that could take for ever."""

import re
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gatepost.domain.refusals import InvalidInput
from gatepost.files import search
from gatepost.files.ambiguity import explodes
from gatepost.files.confinement import sweep
from gatepost.files.expressions import name_of, parsed, words
from gatepost.files.memory import InMemoryFilesystem
from gatepost.files.rarity import begun_rarely
from gatepost.files.rows import row
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
@example(pattern="x*", text="\n\na")
@example(pattern=r"a[\s,]b", text="a\nb\na b")
@example(pattern="^x*", text="\n\na\n")
@example(pattern="$", text="a\n\nb")
@example(pattern="^(?<!a)b?", text="a\nb")
@example(pattern=r"(a)(b)?\1|^c", text="abab\naa\nc\n")
@example(pattern=r"\b(?=(a))\1", text="a\nba")
@example(pattern="b(a)", text="xba\nab")
@example(pattern="(?=(a)b)|(?(1)a|c)", text="a\nab\nc")
@example(pattern=r"(?:(?=(a)x)|\1)z?", text="a\nax")
@example(pattern=r"(?P<one>a|(b))(?P=one)(?(2)c|d)", text="aad\nbbc\nbbd")
def test_a_sweep_finds_each_line_once_wherever_it_is_taken(pattern: str, text: str) -> None:
    try:
        expected = line_by_line(pattern, text)
    except re.error:
        return
    found = sweep(pattern)
    if found is None or explodes(pattern):
        return

    assert list(search._swept(found, text)) == expected


@given(pattern=PATTERNS, text=TEXTS, size=st.integers(1, 30))
@example(pattern="a", text="a\nb\r\na\naaaaaaaaaaaaaa\n\na", size=4)
@example(pattern=r"\B", text="a\nb\r\na\naaaaaaaaaaaaaa\n\na", size=4)
@example(pattern="^$", text="\n\na\n\n", size=1)
def test_a_text_that_is_searched_in_pieces_has_the_lines_of_the_whole(pattern: str, text: str, size: int) -> None:
    try:
        expected = line_by_line(pattern, text)
    except re.error:
        return
    if explodes(pattern):
        return

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_AT_ONCE", size)
        found = list(search.Search(pattern).lines(text))

    assert found == expected


def test_a_long_text_with_long_lines_in_it_has_the_lines_it_has_line_by_line() -> None:
    text = "".join(f"line {number} {'x' * (number % 500)}\n" for number in range(1_500)) + "y" * 150_000 + "\nend 7"

    for pattern in ("x{499}$", r"^line 1?\d{2} x", "(?i)END", r"\d$", "7|y", r"(\d)\1\1 ", "never", r"\By$"):
        assert list(search.compiled(pattern).lines(text)) == line_by_line(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "begin"),
    [
        (r"return\s+None", "urn"),
        (r"import \w+", "mport "),
        (r"return+", "ur"),
        (r"return\.x", "urn.x"),
        (r"class \w+", "class "),
        (r"raise \w+", "raise "),
        (r"routing\d|routine\d", "utin"),
        (r"\bself\b", "lf"),
        (r"(?<!\w)(?=s)step", "step"),
        (r"(?<!(\w))step", ""),
        (r"\Bself", ""),
        (r"^return\s", ""),
        (r"e{3}x", ""),
        ("", ""),
    ],
)
def test_a_pattern_begins_at_a_rarer_letter_of_its_first_word(pattern: str, begin: str) -> None:
    found = begun_rarely(parsed(pattern))

    spelt = [chr(value) if name_of(code) == "LITERAL" else "\0" for code, value in found]
    assert "".join(spelt).partition("\0")[0] == begin


@given(
    before=st.sampled_from(["", "", r"\b", "(?<!a)", "(?<=[ab])", "(?=a)", r"(?!ab1\b)", r"\b(?=\w)"]),
    word=st.sampled_from(["a1", "aaab", "ab1", "sab_", "  b"]),
    pattern=PATTERNS.filter(lambda pattern: not pattern.startswith("(?")),
    text=st.lists(st.one_of(TEXTS, st.sampled_from(["a1", "aaab", "ab1", "sab_", "  b", "\n"]))).map("".join),
)
@example(before="", word="ab1", pattern="b|ab1a", text="ab1b\nab1a\nb1a\n")
@example(before=r"\b", word="ab1", pattern="", text="xab1\nab1\n\nb1")
def test_a_pattern_that_begins_at_a_rarer_letter_is_found_in_the_same_lines(
    before: str, word: str, pattern: str, text: str
) -> None:
    try:
        expected = line_by_line(before + word + pattern, text)
    except re.error:
        return
    if explodes(before + word + pattern):
        return

    assert list(search.compiled(before + word + pattern).lines(text)) == expected


@pytest.mark.parametrize(
    ("pattern", "sought"),
    [
        (r"\d{3,}", "\1\1\1"),
        (r"x?[A-Z]{2}\d{4}", "\1\1\1\1"),
        (r"\s+$", "\1$"),
        (r"[^\x00-\x7f]", "\1"),
        (r"\w{20}", "\1" * 8),
        (r"\w{7}", None),
        (r"\w+$", None),
        (r"\s+", None),
        (r"\d*", None),
        (r"(?:\d\d)+", None),
        (r"(?i)[A-F]{3}", None),
    ],
)
def test_a_row_is_known_where_it_is_of_what_does_not_stand_everywhere(pattern: str, sought: str | None) -> None:
    found = row(pattern)

    assert (found and found.sought) == sought


@given(
    pattern=st.builds(
        "{}{}{}{}{}".format,
        st.sampled_from(["", "(?i)", "(?a)"]),
        st.sampled_from(["", r"\b", ".", r"\w*", "(?<!1)"]),
        st.sampled_from([r"\d", "[A-C]", "[^ -~]", r"[\s.]", r"[\d_]", "[^a-z ]", r"\D", r"[1-9\n]"]),
        st.sampled_from(["", "+", "{2}", "{2,3}", "{3,}?", "{8,}", "++"]),
        st.sampled_from(["", "$", r"\b", r"\Z", r".?$", r"\s", r"(?!\d)"]),
    ),
    text=st.lists(st.sampled_from([*"1A_. \n\r\x0c\x1ca", "11", "AAA", "1" * 8, "\r\n", " \n"]), max_size=25).map(
        "".join
    ),
    other=st.sampled_from(["", "", "é", "?é", "٣٣٣", "\u3000\n"]),
)
@example(pattern=r"\d{3,}", text="a\n", other="٣٣٣")
@example(pattern="[^ -~]", text="a?\n", other="é\n?")
def test_a_search_for_rows_finds_what_a_search_line_by_line_finds(pattern: str, text: str, other: str) -> None:
    assert list(search.compiled(pattern).lines(text + other)) == line_by_line(pattern, text + other)


def test_the_signs_beyond_ascii_that_stand_for_ascii_ones_in_any_case_are_known() -> None:
    ascii_in_any_case = re.compile(r"(?i)[\x00-\x7f]")

    found = [sign for sign in map(chr, range(128, sys.maxunicode + 1)) if ascii_in_any_case.match(sign)]

    assert found == list(search._FOLDED)


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
