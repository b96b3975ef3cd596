"""The pages of the site: Markdown for GitHub becomes Markdown for MkDocs, and nothing is loaded from elsewhere."""

import re
from pathlib import Path

from docs import check, site

REPOSITORY = "https://example.com/gatepost"


def test_links_lead_within_the_site_or_to_the_repository() -> None:
    known = {"README.md": "index.md", "docs/a.md": "a.md", "docs/howto/b.md": "howto/b.md"}
    text = "[a](../a.md#x) [home](../../README.md) [code](../../bench/job.py) [there](https://x.org/y) [top](#top)"

    moved = site.linked(f"{text}\n```\n[a](../a.md)\n```", "docs/howto/b.md", known, REPOSITORY)

    assert moved.split("\n") == [
        (
            f"[a](../a.md#x) [home](../index.md) [code]({REPOSITORY}/blob/main/bench/job.py)"
            " [there](https://x.org/y) [top](#top)"
        ),
        "```",
        "[a](../a.md)",
        "```",
    ]


def test_what_belongs_to_a_list_item_is_indented_by_four() -> None:
    text = "Text:\n- one\n  more\n\n  ```sh\n  ls\n    -l\n  ```\n1. two\n   | a `x\\|y` |\n\nEnd"

    assert site.indented(text).split("\n") == [
        "Text:",
        "",
        "-   one",
        "    more",
        "",
        "    ```sh",
        "    ls",
        "      -l",
        "    ```",
        "1.  two",
        "    | a `x|y` |",
        "",
        "End",
    ]


def test_every_page_of_the_repository_becomes_one_page_of_the_site() -> None:
    pages = dict(site.pages())

    assert {"index.md", "tutorial.md", "howto/ci.md", "decisions/index.md", "changelog.md"} <= pages.keys()
    assert not [name for name, text in pages.items() if re.search(r"\]\((\.\./)*(docs|src|bench)/", text)]


def test_a_part_that_a_browser_would_load_from_elsewhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "own.html").write_text('<a href="https://x.org"><script src="/own.js"></script>', encoding="utf-8")
    (tmp_path / "cdn.html").write_text('<script async src="https://cdn.x.org/a.js">', encoding="utf-8")
    (tmp_path / "font.css").write_text("@import url(//fonts.x.org/a);", encoding="utf-8")

    assert [line.partition(" ")[0] for line in site.remote_parts(tmp_path)] == ["cdn.html", "font.css"]


def test_a_link_to_a_heading_that_is_gone_is_a_problem(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One `two`, three\n\n```\n# no heading\n```\n\n## [Linked](x.md) & more\n", encoding="utf-8")

    assert check.anchors(page) == {"one-two-three", "linked--more"}
