"""Glob patterns: what they match, what they refuse, and that none of them takes long."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.domain.refusals import InvalidInput
from gatepost.files import patterns
from gatepost.files.memory import InMemoryFilesystem


def matches(pattern: str, path: str) -> bool:
    """Whether a path matches, asked segment by segment as a walk does."""
    glob = patterns.compiled(pattern)
    for name in path.split("/"):
        glob = glob.step(name)
    return glob.matches


def by_the_book(pattern: str, path: str) -> bool:
    """The same by one naive expression over the whole path."""
    text = re.escape(f"{pattern}/").replace(r"\*\*/", "(?:[^/]+/)*").replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
    return re.fullmatch(text, f"{path}/") is not None


NAMES = st.text("ab.", min_size=1, max_size=4).filter(lambda name: name.strip("."))
PARTS = st.one_of(
    st.just("**"),
    st.text("ab.*?", min_size=1, max_size=4).filter(lambda part: part.strip(".") and "**" not in part),
)


@pytest.mark.requirement("files.glob.star", "files.glob.double-star")
@given(
    pattern=st.lists(PARTS, min_size=1, max_size=5).map("/".join),
    path=st.lists(NAMES, min_size=1, max_size=5).map("/".join),
)
def test_a_path_matches_exactly_if_it_does_by_the_book(pattern: str, path: str) -> None:
    assert matches(pattern, path) == by_the_book(pattern, path)


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("[abc].py", "b.py", "d.py"),
        ("[!a-c].py", "d.py", "b.py"),
        ("[a-cx-z].py", "y.py", "m.py"),
        ("[]x].py", "].py", "a.py"),
        ("[!]].py", "a.py", "].py"),
        ("[a-].py", "-.py", "b.py"),
        ("[^a].py", "^.py", "b.py"),
        ("[*?].py", "*.py", "x.py"),
        ("[unclosed", "[unclosed", "u"),
        ("a**b", "axxb", "a/b"),
        ("{a,b/c}.py", "b/c.py", "b.py"),
        ("{a,{b,c}x}.py", "cx.py", "c.py"),
        ("a{,s}.py", "a.py", "ab.py"),
        ("{one}.py", "{one}.py", "one.py"),
        ("{a,{one}}.py", "{one}.py", "one.py"),
        ("{a,{b,c}", "{a,c", "c"),
        ("{a,b", "{a,b", "a"),
        ("./a//b", "a/b", "a"),
        (".*", ".hidden", "x"),
        ("*", ".hidden", "a/b"),
        ("A", "A", "a"),
        ("a.b", "a.b", "axb"),
        ("**/**/x", "x", "y"),
        ("a/**", "a/b/c", "b"),
    ],
)
def test_every_sign_means_what_it_says(pattern: str, yes: str, no: str) -> None:
    assert matches(pattern, yes)
    assert not matches(pattern, no)


@pytest.mark.parametrize(
    "pattern", ["", "/", "/a", ".", "./", "..", "a/../b", "{a,..}/b", "{a,/b}", "x" * 201, "{a,b}" * 7]
)
def test_a_pattern_that_leads_out_or_is_none_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        patterns.compiled(pattern)

    assert refused.value.details["problems"][0]["field"] == "pattern"


def test_patterns_of_200_characters_and_64_choices_are_taken() -> None:
    assert matches("x" * 200, "x" * 200)
    assert matches("{a,b}" * 6, "ababab")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("**/" * 66 + "x", "/".join("d" * 16)),
        ("**/*/" * 39 + "x", "/".join("d" * 16)),
        ("*a" * 60 + "*b", "a" * 80),
        ("*" * 199 + "b", "a" * 80),
        ("?*" * 70 + "b", "a" * 80),
        ("*[a-z]" * 30 + "0", "a" * 80),
        ("{*a*a*a*a,*b*b}{*a,*b}*c", "ab" * 40),
        ("{" * 200, "{"),
    ],
)
def test_a_nasty_pattern_comes_to_its_end(pattern: str, path: str) -> None:
    # Tried one way after the other, each of these would take longer than anybody waits.
    assert not matches(pattern, path)


def test_a_trailing_slash_says_nothing() -> None:
    fs = InMemoryFilesystem()
    fs.write("a/b", "x")

    assert fs.glob("a/") == ("a",)
