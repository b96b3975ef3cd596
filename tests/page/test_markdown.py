"""`POST /v1/markdown`: markdown becomes HTML of a few tags, and nothing that runs or loads, whatever it says."""

import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatepost.surfaces.http.markdown import MOST_BYTES, MOST_TEXTS, cleaned, rendered
from tests.givens import World
from tests.http.givens import Site, site
from tests.page.injection_samples import HIT, INJECTIONS

TAGS = {
    *("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code"),
    *("em", "strong", "s", "a", "table", "thead", "tbody", "tr", "th", "td"),
}
LINK = {"href", "title", "rel", "target"}
ATTRIBUTES = {"a": LINK, "code": {"class"}, "ol": {"start"}}


@pytest.fixture
def here(one_world: World) -> Iterator[Site]:
    """A server."""
    with site(one_world) as running:
        yield running


class Judge(HTMLParser):
    """Reads HTML with a parser that is not ours, and notes what must not be there."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.wrong: list[str] = []
        self.links: list[str] = []
        self.words = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            self.wrong.append(f"<{tag}>")
        for name, value in attrs:
            if name not in ATTRIBUTES.get(tag, set()):
                self.wrong.append(f"{tag} {name}")
            if name == "class" and not re.fullmatch(r"language-[\w+#.-]+", value or "", re.ASCII):
                self.wrong.append(f"class {value}")
        if tag == "a":
            self._check_link(dict(attrs))

    def _check_link(self, given: dict[str, str | None]) -> None:
        if "href" in given:
            self.links.append(given["href"] or "")
            if urlsplit(self.links[-1]).scheme not in ("http", "https", "mailto"):
                self.wrong.append(f"link {self.links[-1]}")
        if (given.get("rel"), given.get("target")) != ("noopener noreferrer nofollow", "_blank"):
            self.wrong.append(f"a link that tells where it comes from: {given}")

    def handle_data(self, data: str) -> None:
        self.words += data

    def handle_comment(self, data: str) -> None:
        self.wrong.append(f"comment {data}")

    def handle_decl(self, decl: str) -> None:
        self.wrong.append(f"declaration {decl}")

    def handle_pi(self, data: str) -> None:
        self.wrong.append(f"instruction {data}")


def test_the_corpus_is_large_and_says_each_thing_once() -> None:
    assert len(INJECTIONS) >= 60
    assert len(set(INJECTIONS)) == len(INJECTIONS)


@pytest.mark.parametrize(
    "frame", ["{}", "Before {} after", "- {}", "> {}", "| a |\n|---|\n| {} |", "**{}**", "# {}"]
)
def test_nothing_but_allowed_tags_comes_of_an_injection(frame: str) -> None:
    for text in INJECTIONS:
        assert Judge(rendered(frame.replace("{}", text))).wrong == [], text


def test_the_second_lock_would_hold_alone() -> None:
    assert sum(bool(Judge(text).wrong) for text in INJECTIONS) > 50, "as they stand they would do harm"

    for text in INJECTIONS:
        assert Judge(cleaned(text)).wrong == [], text


parts = st.sampled_from(
    [*INJECTIONS, "\n", "\n\n", " ", "`", "```", "*", "_", "[", "](", ")", "<", ">", "&", '"', "'", "|", "~~", "\\"]
)


@settings(deadline=None, max_examples=150)
@given(st.lists(parts | st.text(max_size=8), max_size=8).map("".join))
def test_nothing_but_allowed_tags_comes_of_injections_pieced_together(text: str) -> None:
    assert Judge(rendered(text)).wrong == []


def test_markdown_is_rendered_as_people_expect_it() -> None:
    said = (
        "# Head\n\nA *b* **c** ~~d~~ `e` <https://ok.example/x>\n\n3. three\n4. four\n\n- x\n\n> q\n\n"
        "| a | b |\n|---|--:|\n| 1 | 2 |\n\n```py\nx < 1\n```\n\n---\n"
    )

    html = rendered(said)

    for piece in (
        "<h2>Head</h2>",
        "A <em>b</em> <strong>c</strong> <s>d</s> <code>e</code>",
        '<ol start="3">\n<li>three</li>',
        "<blockquote>\n<p>q</p>",
        "<th>a</th>",
        "<td>2</td>",
        '<pre><code class="language-py">x &lt; 1\n</code></pre>',
        "<hr>",
    ):
        assert piece in html
    assert Judge(html).links == ["https://ok.example/x"]


def test_a_link_leads_to_the_web_or_to_mail_and_others_are_their_words() -> None:
    kept = Judge(rendered("[a](https://ok.example/?q=1&r) [b](HTTP://ok.example) [c](mailto:a@ok.example)"))
    dropped = Judge(
        rendered(f"[one](javascript:{HIT}) [two](/v1/events) [*three*](docs/x.md) <ftp://x.example> end")
    )

    assert kept.links == ["https://ok.example/?q=1&r", "HTTP://ok.example", "mailto:a@ok.example"]
    assert (dropped.links, dropped.words.strip()) == ([], "one two three ftp://x.example end")


def test_an_image_is_its_words() -> None:
    judged = Judge(rendered("![the *plan* <b>](https://evil.example/x.png) and ![local](a.png)"))

    assert judged.words.strip() == "the plan <b> and local"


def test_html_is_shown_as_it_was_written() -> None:
    assert Judge(rendered("a <b onclick=x>bold</b> &lt;i&gt;")).words.strip() == "a <b onclick=x>bold</b> <i>"


def test_each_text_is_answered_in_its_order(here: Site) -> None:
    answered = here.client.post("/v1/markdown", json={"texts": ["*a*", "", "b\n\nc"]})

    assert (answered.status_code, answered.headers["content-type"]) == (200, "application/json")
    assert answered.json() == {"html": ["<p><em>a</em></p>\n", "", "<p>b</p>\n<p>c</p>\n"]}
    assert here.client.post("/v1/markdown", json={"texts": []}).json() == {"html": []}


@pytest.mark.parametrize(
    ("given", "status", "named"),
    [
        ({}, 400, "texts"),
        ({"texts": "one"}, 400, "texts"),
        ({"texts": [1]}, 400, "texts[0]"),
        ({"texts": None}, 400, "texts"),
        ({"texts": ["x"], "safe": False}, 400, "safe"),
        ({"texts": ["x"] * (MOST_TEXTS + 1)}, 400, "texts"),
        ({"texts": ["x" * (MOST_BYTES // 2), "\u00e4" * (MOST_BYTES // 2)]}, 413, "texts"),
    ],
)
def test_what_cannot_be_rendered_is_refused_by_name(here: Site, given: object, status: int, named: str) -> None:
    refused = here.client.post("/v1/markdown", json=given)

    assert refused.status_code == status
    assert f"`{named}`" in refused.json()["message"]
    assert refused.json()["recovery"]


def test_only_json_from_who_may_ask_is_rendered(one_world: World) -> None:
    with site(one_world, token="a-token-" * 3) as here:
        assert here.client.post("/v1/markdown", json={"texts": ["x"]}).status_code == 401
        let_in = {"authorization": f"Bearer {'a-token-' * 3}"}
        assert here.client.post("/v1/markdown", json={"texts": ["x"]}, headers=let_in).status_code == 200
        assert here.client.post("/v1/markdown", content=b"{}", headers=let_in).status_code == 415
        assert here.client.get("/v1/markdown", headers=let_in).status_code == 405


def test_a_server_that_renders_nothing_loads_no_renderer() -> None:
    program = """
import sys
import gatepost.surfaces.http.app
print(sorted({"markdown_it", "nh3"} & set(sys.modules)))
from gatepost.surfaces.http.markdown import rendered
rendered("x")
print(sorted({"markdown_it", "nh3"} & set(sys.modules)))
"""

    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == ["[]", "['markdown_it', 'nh3']"]


@pytest.mark.parametrize("times", [1, 4, 40])
def test_a_small_text_does_not_become_a_huge_page(times: int) -> None:
    wide = "a|" * 255 + "a\n" + "-|" * 255 + "-\n" + "a\n" * 256

    made = rendered(f"{wide}\n" * times)

    assert len(made) < 50 * len(wide) + 2 * times * len(wide)
