"""Phrases that a reader has to read twice do not come back: `docs/style.md` has the words to use instead."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/gatepost"
BANNED = re.compile(
    r"\b(?:whoever|anew|stands|(?:is|are) told|cannot be had|so many|called so|go(?:es)? on|from outside"
    r"|put back by|of yours|to be made|nobody who|let go of|opening…)(?!\w)",
    re.IGNORECASE,
)
_JS_COMMENT = re.compile(r"/\*.*?\*/|^\s*//[^\n]*", re.DOTALL | re.MULTILINE)
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def test_texts_that_people_read_are_in_plain_words() -> None:
    found = [f"{where}: …{_around(text, match)}…" for where, text in texts() for match in BANNED.finditer(text)]

    assert found == []


def texts() -> Iterator[tuple[str, str]]:
    """What users read: the documentation, and the literals of the code and the page."""
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "docs/howto").glob("*.md")):
        if path.name not in ("style.md", "CHANGELOG.md"):  # one lists these phrases, the other is history
            yield path.name, path.read_text(encoding="utf-8")
    for path in SOURCE.rglob("*.py"):
        for text in _literals(ast.parse(path.read_text(encoding="utf-8"))):
            yield path.name, text
    for path in (SOURCE / "surfaces/page").rglob("*"):
        if path.suffix in (".js", ".html"):
            yield path.name, _JS_COMMENT.sub("", path.read_text(encoding="utf-8"))


def _literals(tree: ast.Module) -> Iterator[str]:
    """The strings of a module, without docstrings and the notes below constants."""
    notes = {
        id(statement.value)
        for node in ast.walk(tree)
        if isinstance(node, _DOCUMENTED)
        for statement in node.body
        if isinstance(statement, ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in notes:
            yield node.value


def _around(text: str, match: re.Match[str]) -> str:
    return " ".join(text[max(match.start() - 30, 0) : match.end() + 30].split())
