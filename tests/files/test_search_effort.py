"""Searching long lines: no pattern keeps a search busy for ever, and what is found is what `re` finds."""

import json
import re
import sys
from subprocess import run

import pytest
from hypothesis import example, given

from gatepost.domain.refusals import InvalidInput
from gatepost.files import automaton, search
from gatepost.files.ambiguity import effort, explodes
from gatepost.files.expressions import words
from gatepost.files.memory import InMemoryFilesystem
from tests.files.expressing import PATTERNS, TEXTS, line_by_line

IN_A_CHILD = """
import json, sys
from gatepost.files.memory import InMemoryFilesystem

asked = json.load(sys.stdin)
fs = InMemoryFilesystem()
fs.write("f", asked["text"])
print(json.dumps([[match.line for match in fs.grep(pattern)] for pattern in asked["patterns"]]))
"""
MINIFIED = "function f(a,b){return this.foo(a,b)};" * 1_200
FRIENDLY = "const foo = (a, b) => bar(a, { baz: b }) // test it\t'foo' qux;" * 31


@pytest.mark.parametrize(
    ("line", "patterns"),
    [
        (
            MINIFIED,
            [
                *("function.*return.*this.*bar", "(?i)Function.*return.*foo.*[xyz]", "function.*return.*foo.*};x"),
                *(
                    "(.*),(.*),(.*),(.*)!",
                    ".*?,.*?,.*?,.*?[!?]",
                    r"\w+\(.*\).*:$",
                    r"\b.*\(.*\B,.*=",
                    "return.*foo.*;$x",
                ),
            ],
        ),
        (
            "a" * 47_900,
            ["a*a*a*a*[bc]", "a?" * 30 + "a" * 30 + "[bc]", "a{0,4}" * 20 + "[bc]", "(a?a?){4}a*a*[bc]"],
        ),
        (" " * 47_900, [r"\s*\s*\s*$y|z", r"^\s+\s+\s+[xz]", r"(?<=\s)\s*\s+\s*(?!\s)[xz]"]),
    ],
)
def test_patterns_whose_repeats_multiply_come_to_an_end_over_a_long_line(line: str, patterns: list[str]) -> None:
    # Some lines lack a word that every match needs; others only one of a set, which no word tells beforehand.
    asked = {"text": f"{line}\nthe end", "patterns": patterns}

    ran = run(
        [sys.executable, "-c", IN_A_CHILD], input=json.dumps(asked), capture_output=True, text=True, timeout=60
    )

    assert ran.returncode == 0, ran.stderr
    assert all(1 not in found for found in json.loads(ran.stdout))


@given(pattern=PATTERNS, text=TEXTS)
@example(pattern=r"\Ba|a\b", text="aa\na a")
@example(pattern=r"(?i:a(?-i:b))c?$", text="Ab\nab\nAB")
@example(pattern=r"(?a:\w\b)|(?u:\b1)", text="é\né1\n1")
@example(pattern=r"(?<!a)b(?![\s,])", text="ab\nb,\n.b")
@example(pattern=r"(?s:.)(?-s:.)\Z", text="a\r\nab")
@example(pattern=r"(?:^a|b){2,3}1", text="ab1\nba1\nbb1")
def test_going_through_a_line_sign_by_sign_finds_what_re_finds(pattern: str, text: str) -> None:
    try:
        expected = line_by_line(pattern, text)
    except re.error:
        return
    if explodes(pattern):
        return

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_TRIALS_PER_SIGN", -1)
        patch.setattr(search, "_TRIALS_AT_ONCE", -1)
        found = list(search.Search(pattern).lines(text))

    assert found == expected


def test_a_line_too_long_for_a_pattern_is_refused_with_its_length_and_the_way_out() -> None:
    fs = InMemoryFilesystem()
    fs.write("lib/min.js", MINIFIED)
    fs.write("lib/plain.js", "return this.foo; return this.foo;x\n")

    with pytest.raises(InvalidInput) as refused:
        fs.grep(r"(return).*\1.*foo.*x|foo.*\1.*x")

    assert "a line of 45,600 characters in lib/min.js" in refused.value.message
    assert "several repeats" in refused.value.message
    assert "`^`" in refused.value.recovery
    assert refused.value.details["problems"][0]["field"] == "pattern"
    assert len(fs.grep(r"(return).*\1.*foo.*x|foo.*\1.*x", glob="**/plain.js")) == 1


def test_a_line_too_long_for_a_pattern_is_refused_though_it_lacks_the_row_that_a_match_needs() -> None:
    sought = search.compiled(r"[A-Z]{2}.*(\w)\1.*\1")

    with pytest.raises(InvalidInput, match="a line of 45,600 characters"):
        list(sought.lines(MINIFIED))
    assert list(sought.lines("AB aa a\nab aa a\n")) == [(1, "AB aa a")]


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            r"foo.*bar",
            r"foo.*bar.*baz.*qux",
            r"\bfoo\b.*\bbar\b.*never",
            r"^\s*(.*)\s*=\s*(.*)\s*$",
            r"\w+\s*=\s*\w+",
        ),
        *(r"(?=.*foo)(?=.*never)", r"^(?!.*test).*foo.*bar", r"(?<!\w)foo.*bar.*baz.*nix", r"(['\"])\w*\1.*never"),
        *(r"(\w+)\s+\1", r"const\s+(\w+)\s*=\s*\(.*\)\s*=>", r"//.*test.*$", r"(?i)TODO.*:.*$", r"(?>\w+)\s.*nix"),
    ],
)
def test_an_ordinary_pattern_is_not_refused_over_a_line_of_nearly_2_000_characters(pattern: str) -> None:
    assert 1_900 < len(FRIENDLY) <= 2_000

    assert list(search.compiled(pattern).lines(FRIENDLY)) == line_by_line(pattern, FRIENDLY)


def test_where_even_sign_by_sign_is_too_much_re_is_asked_as_far_as_it_can_bear(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(automaton, "_MOST_VISITS", 0)
    sought = search.Search("[ab].*[bc].*d")
    short, long = "a" * 500 + "bd", "a" * 5_000 + "bd"

    assert list(sought.lines(short)) == [(1, short)]
    with pytest.raises(InvalidInput, match="a line of 5,002 characters"):
        list(sought.lines(long))


def test_what_has_been_seen_is_forgotten_before_it_is_too_much_and_the_answers_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(automaton, "_MOST_KEPT", 3)
    monkeypatch.setattr(search, "_TRIALS_PER_SIGN", -1)
    sought = search.Search("^a.*b.*[cd]e$")

    answers = [[number for number, _ in sought.lines(text)] for text in ("axbxce", "axbxc", "xabce", "abde\nabdf")]

    assert answers == [[1], [], [], [1]]


@pytest.mark.parametrize(
    ("pattern", "degree"),
    [
        ("word", 1),
        ("^word", 0),
        (r"\w+\s*=\s*\w+", 2),
        (r"foo.*bar", 2),
        (r"^foo.*bar", 1),
        (r"foo.*bar.*baz", 3),
        (r"function.*return.*this.*bar", 4),
        (r"a*a*a*b", 4),
        (r"\s*$", 2),
        (r'"[^"]*"', 1),
        (r"(?=.*foo)(?=.*bar)", 2),
        (r"(?>.*x.*y)", 3),
        (r"(?=\w*)x", 2),
        (r"(.*)\1b", 3),
        (r"(?:,\s*\w+)*\)", 2),
        (r"(?:.*a|.*b.*c)x", 3),
        (r"import .* as .*", 2),
        (r"class \w+\(", 1),
        (r"def \w*close\w*\(", 2),
        (r"(?i)def \w+(?=.*x)", 3),
        (r".*[^\s\S]", 2),
    ],
)
def test_the_power_of_a_line_s_length_that_a_pattern_can_cost_is_known(pattern: str, degree: int) -> None:
    assert effort(pattern).degree == degree


def test_ways_that_do_not_grow_with_the_text_are_counted_too() -> None:
    assert effort("a?" * 30 + "a").over(30) > 2**30
    assert effort(r"(?:\d{1,3}\.){3}\d{1,3}").over(30) < 100


@pytest.mark.parametrize(
    ("pattern", "others"),
    [
        ("word", ()),
        ("function.*return.*bar", (("return",), ("bar",))),
        (r"import .*(?:one|two)", (("one", "two"),)),
        (r"import .*(?:one)?", ()),
        (r"import .*(?:one)+(?!two)", (("one",),)),
    ],
)
def test_all_words_that_a_match_needs_are_known_not_the_best_alone(
    pattern: str, others: tuple[tuple[str, ...], ...]
) -> None:
    assert words(pattern).others == others
