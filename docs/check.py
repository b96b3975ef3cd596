"""Check the docs: generated files are fresh, links and anchors exist, and every page is in the site's menu."""

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from docs.generate import ROOT, SCHEMAS, generated
from docs.site import AT_THE_TOP, LINK, sources, with_fences

PAGES = [*(ROOT / name for name in AT_THE_TOP), ROOT / "AGENTS.md"]
_HEADING = re.compile(r"#{1,6} +(.+?)\s*$")
_LINKED = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_IN_THE_MENU = re.compile(r"[\w./-]+\.md\b")


def problems() -> Iterator[str]:
    """Everything that is wrong, one line each."""
    files = generated()
    for path, text in files.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield f"{path.relative_to(ROOT)} is not what the registry says: run `make generate`"
    for stale in set(SCHEMAS.glob("*.json")) - files.keys():
        yield f"{stale.relative_to(ROOT)} describes an operation that is gone: run `make generate`"
    for page in [*PAGES, *sorted((ROOT / "docs").rglob("*.md"))]:
        yield from _dead_links(page)
    yield from _menu()


def _dead_links(page: Path) -> Iterator[str]:
    text = page.read_text(encoding="utf-8")
    for line, is_code in with_fences(text.split("\n")):
        for found in [] if is_code else LINK.finditer(line):
            target, anchor = found["target"], (found["anchor"] or "")[1:]
            there = page.parent / target if target else page
            if "://" in target or target.startswith("mailto:"):
                continue
            if not there.exists():
                yield f"{page.relative_to(ROOT)} links to {target}, which is not there"
            elif anchor and there.suffix == ".md" and anchor not in anchors(there.resolve()):
                yield f"{page.relative_to(ROOT)} links to {target}#{anchor}, and that page has no such heading"


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as GitHub and the site name them."""
    lines = with_fences(page.read_text(encoding="utf-8").split("\n"))
    headings = [found[1] for line, is_code in lines if not is_code and (found := _HEADING.match(line))]
    return frozenset(
        re.sub(r"[^\w\- ]", "", _LINKED.sub(r"\1", heading)).strip().lower().replace(" ", "-")
        for heading in headings
    )


def _menu() -> Iterator[str]:
    """The decisions have an index of their own."""
    listed = set(_IN_THE_MENU.findall((ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]))
    pages = {page for page in sources().values() if not page.startswith("decisions/0")}
    for page in sorted(pages - listed):
        yield f"{page} is not in the menu of the site: add it to `nav` in mkdocs.yml"
    for page in sorted(listed - pages):
        yield f"mkdocs.yml lists {page}, which is not there"


def main() -> int:
    """Print what is wrong."""
    found = list(problems())
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
