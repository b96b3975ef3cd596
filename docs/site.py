"""Build the documentation site: the pages as MkDocs wants them, then MkDocs, then a look at what it made.

The Markdown in this repository is written for GitHub. MkDocs reads another dialect and sees only one folder, so the
pages are rewritten first: links to files outside the site lead to the repository, and lists get the indentation
that Python-Markdown needs. Run `make site`.
"""

import os
import posixpath
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
BUILD: Final = ROOT / ".site"
SITE: Final = ROOT / "site"
AT_THE_TOP: Final = {"README.md": "index.md"} | {
    name: name.lower() for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
}
"""Pages outside `docs/`, and what they are called in the site."""
_COPIED: Final = ("images", "contracts")
"""Folders of `docs/` with files that pages show or link to."""
_LOOKS: Final = {"gatepost.svg": "src/gatepost/surfaces/page/favicon.svg", "site.css": "docs/site.css"}
"""What the theme shows, and where it is kept."""

LINK: Final = re.compile(r"(?P<before>\]\(|\b(?:src|srcset|href)=\")(?P<target>[^)\s\"#]*)(?P<anchor>#[^)\s\"]*)?")
FENCE: Final = re.compile(r" *(```+|~~~+)")
_MARKER: Final = re.compile(r"( *)([-*+]|\d+[.)]) +")
_CODE_SPAN: Final = re.compile(r"`[^`]+`")
_REMOTE: Final = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*\b(?:src|srcset)=\"?(?:https?:)?//"
    r"|<link\b(?=[^>]*\brel=\"?(?:stylesheet|preconnect|preload|icon))[^>]*\bhref=\"?(?:https?:)?//"
    r"|(?:@import|url\()\s*[\"']?(?:https?:)?//"
)


def sources() -> dict[str, str]:
    """Every page: its path in the repository, and its path in the site."""
    docs = ROOT / "docs"
    pages = dict(AT_THE_TOP)
    for path in sorted(docs.rglob("*.md")):
        inside = path.relative_to(docs).as_posix()
        pages[f"docs/{inside}"] = (
            posixpath.join(posixpath.dirname(inside), "index.md") if (path.name == "README.md") else inside
        )
    return pages


def pages() -> Iterator[tuple[str, str]]:
    """Each page's path in the site, and its text for MkDocs."""
    known = sources()
    repository = _repository()
    for source, target in known.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        yield target, indented(linked(text, source, known, repository))


def linked(text: str, source: str, known: Mapping[str, str], repository: str) -> str:
    """The text with its relative links as the site needs them."""
    here = posixpath.dirname(known[source])

    def led(found: re.Match[str]) -> str:
        target, anchor = found["target"], found["anchor"] or ""
        if not target or "://" in target or target.startswith("mailto:"):
            return found[0]
        there = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if there in known:
            return f"{found['before']}{posixpath.relpath(known[there], here)}{anchor}"
        inside = there.removeprefix("docs/")
        if inside != there and inside.startswith(tuple(f"{name}/" for name in _COPIED)) and "." in inside:
            return f"{found['before']}{posixpath.relpath(inside, here)}{anchor}"
        kind = "tree" if (ROOT / there).is_dir() else "blob"
        return f"{found['before']}{repository}/{kind}/main/{there}{anchor}"

    return "\n".join(line if is_code else LINK.sub(led, line) for line, is_code in with_fences(text.split("\n")))


def indented(text: str) -> str:
    """The text with what belongs to a list item indented by four, and a blank line before each list."""
    done: list[str] = []
    inside: list[int] = []  # the columns at which the text of each open list item begins
    for line, is_code in with_fences(text.split("\n")):
        body = line.lstrip(" ")
        if not body:
            done.append("")
            continue
        column = len(line) - len(body)
        while inside and column < inside[-1] and not (is_code and not FENCE.match(line)):
            inside.pop()
        start = "    " * len(inside)
        rest = line[inside[-1] if inside else 0 :]
        marker = None if is_code else _MARKER.match(rest)
        if marker is not None:
            if done and done[-1] and not inside and not _MARKER.match(done[-1]) and not done[-1].startswith("    "):
                done.append("")
            inside.append((inside[-1] if inside else 0) + marker.end())
            rest = f"{marker[2]} ".ljust(4) + rest[marker.end() :]
        elif body.startswith("|") and not is_code:
            rest = _CODE_SPAN.sub(lambda found: found[0].replace(r"\|", "|"), rest)
        done.append(start + rest)
    return "\n".join(done)


def with_fences(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it is part of a fenced block; the fences themselves are."""
    fence = ""
    for line in lines:
        found = FENCE.match(line)
        if fence:
            yield line, True
            fence = "" if found and line.strip() == fence else fence
        elif found:
            fence = found[1]
            yield line, True
        else:
            yield line, False


def remote_parts(site: Path) -> Iterator[str]:
    """What a browser would load from elsewhere, one line each: the site must work without the internet."""
    for path in sorted(site.rglob("*")):
        if path.suffix in (".html", ".css"):
            for found in _REMOTE.finditer(path.read_text(encoding="utf-8")):
                yield f"{path.relative_to(site)} loads from elsewhere: {found[0]}"


def _repository() -> str:
    with (ROOT / "pyproject.toml").open("rb") as file:
        address: str = tomllib.load(file)["project"]["urls"]["Repository"]
    return address


def _write() -> None:
    place = BUILD / "pages"
    shutil.rmtree(place, ignore_errors=True)
    for target, text in pages():
        path = place / target
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name in _COPIED:
        shutil.copytree(ROOT / "docs" / name, place / name)
    for name, source in _LOOKS.items():
        shutil.copy(ROOT / source, place / name)


def main() -> int:
    """Build the site into `site/`. Anything that MkDocs warns of is an error."""
    _write()
    mkdocs = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean"]
    without_news = os.environ | {"NO_MKDOCS_2_WARNING": "true"}
    built = subprocess.run(mkdocs, cwd=ROOT, env=without_news, check=False)  # noqa: S603 - our own words
    if built.returncode:
        return built.returncode
    remote = list(remote_parts(SITE))
    for line in remote:
        print(line, file=sys.stderr)
    if not remote:
        print(f"The site is in {SITE}. Open {SITE / 'index.html'}, or serve the folder with any web server.")
    return 1 if remote else 0


if __name__ == "__main__":
    sys.exit(main())
