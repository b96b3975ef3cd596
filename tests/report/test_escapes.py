"""Texts of others in a report are shown, and do nothing: no text changes what a document consists of."""

import re

import msgspec
import pytest
from hypothesis import given, settings

from gatepost.surfaces.report.html_page import html_page
from gatepost.surfaces.report.markdown_escapes import code, fenced, inline
from gatepost.surfaces.report.markdown_text import markdown_text
from gatepost.surfaces.report.model import Report
from gatepost.surfaces.report.texts import readable
from tests.givens import World, memory_store
from tests.report.givens import FRAGMENTS, VISIBLE_TEXTS, Page, blocks, crew, report_of, with_texts

UNSEEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]")
ATTRIBUTES = {
    "class",
    "id",
    "style",
    "href",
    "rel",
    "title",
    "role",
    "lang",
    "charset",
    "name",
    "content",
    "http-equiv",
}


def rewritten(report: Report, text: str) -> Report:
    """The same report, in which everybody wrote this text."""
    return msgspec.convert(with_texts(msgspec.to_builtins(report), text), Report)


@pytest.fixture(scope="module")
def report() -> Report:
    store = memory_store()
    world = World(store)
    found = report_of(world, crew(world))
    store.close()
    return found


@given(text=VISIBLE_TEXTS)
@settings(max_examples=60)
def test_no_text_makes_or_ends_an_element_of_the_html(report: Report, text: str) -> None:
    plain, page = Page(html_page(rewritten(report, "x"))), Page(html_page(rewritten(report, text)))

    assert page.tags == plain.tags
    assert (page.strange, page.left_open) == ([], [])
    assert {name for _, name, _ in page.attributes} <= ATTRIBUTES
    links = [value for _, name, value in page.attributes if name == "href"]
    assert all(value.startswith(("#", "https://example.org/")) for value in links)
    assert not UNSEEN.search("".join(page.texts))
    assert readable(text) in page.texts


@given(text=VISIBLE_TEXTS)
@settings(max_examples=60)
def test_no_text_changes_what_the_markdown_consists_of(report: Report, text: str) -> None:
    plain, hostile = markdown_text(rewritten(report, "x")), markdown_text(rewritten(report, text))

    assert list(blocks(hostile)) == list(blocks(plain))
    assert not UNSEEN.search(hostile)


@pytest.mark.parametrize("text", FRAGMENTS)
def test_every_fragment_alone_does_nothing_either(report: Report, text: str) -> None:
    text = f"{text}x"

    assert Page(html_page(rewritten(report, text))).tags == Page(html_page(rewritten(report, "x"))).tags
    assert list(blocks(markdown_text(rewritten(report, text)))) == list(
        blocks(markdown_text(rewritten(report, "x")))
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ask @team", "ask @&#8288;team"),
        ("fixes #12, closes acme/repo#7", "fixes #&#8288;12, closes acme/repo#&#8288;7"),
        ("resolves gh-12", "resolves gh&#8288;-12"),
        ("fixes https://github.com/a/b/issues/1", "fixes https:&#8288;//github.com/a/b/issues/1"),
        ("www.example.org", "www&#8288;.example.org"),
        ("C# and F#", "C# and F#"),
        ("a|b `c` <d> *e*", "a\\|b \\`c\\` &lt;d&gt; \\*e\\*"),
    ],
)
def test_markdown_notifies_nobody_and_closes_no_issue(text: str, shown: str) -> None:
    assert inline(text) == shown


def test_code_holds_any_number_of_backticks() -> None:
    assert code("a ``` b") == "````a ``` b````"
    assert code("`x`") == "`` `x` ``"
    assert fenced("a\n````\nb", "  ") == ["  `````text", "  a", "  ````", "  b", "  `````"]
