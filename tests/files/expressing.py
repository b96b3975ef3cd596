"""Regular expressions of every kind, texts for them, and what a search must find: its own answer is not asked."""

import re

from hypothesis import strategies as st

SIGNS = "aAb1_ .,\t\r\n\x0b\x85é"
ATOMS = st.sampled_from(
    [
        *("a", "b", "1", " ", "aa", "aaa", "ab1", "é", r"\.", ".", r"\n", r"\r", r"\t"),
        *(r"\s", r"\S", r"\w", r"\W", r"\d", r"\D", r"\b", r"\B", "^", "$", r"\A", r"\Z"),
        *("[ab]", "[^a]", r"[^a\n]", r"[\s,]", r"[^\s]", r"[\s\S]", r"[^\W]", r"[\x00-\x20]", r"[\D1]"),
    ]
)


def extended(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Patterns made of patterns. Quantifiers are small where they nest: the reference must come to an end."""
    return st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("(?:{0[0]}|{0[1]})".format),
        st.tuples(inner, st.sampled_from(["?", "*", "+", "{2}", "{0,2}", "*?", "+?", "?+", "*+"])).map(
            "(?:{0[0]}){0[1]}".format
        ),
        inner.map("({})".format),
        inner.map("(?={})".format),
        inner.map("(?!{})".format),
        inner.map("(?>{})".format),
        inner.map("(?s:{})".format),
        inner.map("(?i:{})".format),
        inner.map("(?m:{})".format),
        inner.map("(?-s:{})".format),
        ATOMS.map("(?<={})".format),
        ATOMS.map("(?<!{})".format),
        inner.map(r"({})?(?(1)a|b)".format),
    )


PATTERNS = st.builds(
    "{}{}".format,
    st.sampled_from(["", "", "", "(?s)", "(?m)", "(?i)", "(?a)"]),
    st.recursive(ATOMS, extended, max_leaves=6),
)
TEXTS = st.lists(st.sampled_from([*SIGNS, "aaa"]), max_size=25).map("".join)


def line_by_line(pattern: str, text: str) -> list[tuple[int, str]]:
    """What a search has to find: `re.search`, asked about one line after another."""
    lines = re.split("\r?\n", text)
    if lines[-1] == "":
        lines.pop()
    return [(number, line) for number, line in enumerate(lines, 1) if re.search(pattern, line)]
