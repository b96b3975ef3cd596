"""Regular expressions that both Python and RE2 know, texts for them, and the lines that Python finds."""

import re

from hypothesis import strategies as st

SIGNS = "aAb1_ .,?sK\t\r\n\x0b\x0c\x1c\x85é\u017f\u212a"
ATOMS = st.sampled_from(
    [
        *("a", "b", "1", " ", "s", "K", "as", r"\?", "aa", "aaa", "ab1", "é", r"\.", ".", r"\n", r"\r", r"\t"),
        *(r"\s", r"\S", r"\w", r"\W", r"\d", r"\D", "^", "$", r"\A", r"\Z"),
        *("[ab]", "[^a]", r"[^a\n]", r"[\s,]", r"[^\s]", r"[\s\S]", r"[^\W]", r"[\x00-\x20]", r"[\D1]", r"[^\W_]"),
        *(r"\d{2,}", "[A1]{2}", r"\s+$", r"[^\x00-\x7f]", "[b_]+?", "^aaa", r"^\s*a", "a.*b", "^$", "a{,2}b"),
    ]
)


def extended(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Patterns made of patterns. Quantifiers are small where they nest: Python must come to an end."""
    return st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("(?:{0[0]}|{0[1]})".format),
        st.tuples(inner, st.sampled_from(["?", "*", "+", "{2}", "{0,2}", "{,2}", "*?", "+?"])).map(
            "(?:{0[0]}){0[1]}".format
        ),
        inner.map("({})".format),
        inner.map("(?s:{})".format),
        inner.map("(?i:{})".format),
        inner.map("(?m:{})".format),
        inner.map("(?-s:{})".format),
    )


PATTERNS = st.builds(
    "{}{}".format,
    st.sampled_from(["", "", "", "(?s)", "(?m)", "(?i)"]),
    st.lists(st.recursive(ATOMS, extended, max_leaves=6), min_size=1, max_size=3).map("|".join),
)
TEXTS = st.lists(st.sampled_from([*SIGNS, "aaa", "ab1", "11", "\r\n", "\n"]), max_size=25).map("".join)


def line_by_line(pattern: str, text: str) -> list[tuple[int, str]]:
    """What a search has to find: `re.search`, asked about one line after another."""
    sought = re.compile(pattern)
    lines = re.split("\r?\n", text)
    if lines[-1] == "":
        lines.pop()
    return [(number, line) for number, line in enumerate(lines, 1) if sought.search(line)]
