"""Check the docs: generated files are fresh, links lead somewhere, and no page is left out of the index."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from docs.generate import ROOT, SCHEMAS, generated

PAGES = [ROOT / name for name in ("README.md", "AGENTS.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")]
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


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


def _dead_links(page: Path) -> Iterator[str]:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in target and not (page.parent / target).exists():
            yield f"{page.relative_to(ROOT)} links to {target}, which is not there"


def main() -> int:
    """Print what is wrong."""
    found = list(problems())
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
