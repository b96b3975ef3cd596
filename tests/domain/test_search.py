"""Words, passages and snippets: what search finds, and how it shows it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.domain import search
from gatepost.domain.search import Passage


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Fix the Parser", ("fix", "the", "parser")),
        ("fix FIX Fix", ("fix",)),
        ("snake_case and kebab-case", ("snake_case", "and", "kebab", "case")),
        ("Straße", ("strasse",)),
        ("ÉCLAIR éclair", ("éclair",)),
        ("  ...  !", ()),
        ("v1.2 (beta)", ("v1", "2", "beta")),
        ("日本語 текст", ("日本語", "текст")),
    ],
)
def test_a_text_falls_into_its_distinct_words_without_case(text: str, words: tuple[str, ...]) -> None:
    assert search.words(text) == words


@given(st.text(max_size=200))
def test_words_are_the_same_whatever_the_case_of_the_text(text: str) -> None:
    assert search.words(text.casefold()) == search.words(text)


@given(st.text(max_size=200))
def test_words_are_distinct_and_each_is_its_own_only_word(text: str) -> None:
    found = search.words(text)

    assert len(set(found)) == len(found)
    assert all(search.words(word) == (word,) for word in found)


def test_a_very_long_word_is_sought_by_the_same_beginning_it_is_indexed_by() -> None:
    word = "a" * 500

    (indexed,) = search.words(f"before {word} after")[1:2]

    assert search.words(word) == (indexed,)


def test_a_run_of_letters_without_spaces_is_one_word_and_signs_are_none() -> None:
    assert search.words("数据库迁移 🚀 v2") == ("数据库迁移", "v2")


@given(st.text(max_size=400), st.data())
def test_a_snippet_is_an_exact_excerpt_that_holds_the_hit(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))

    shown = search.snippet(text, at)

    cut = text != shown
    bare = shown.removeprefix(search.ELLIPSIS).removesuffix(search.ELLIPSIS) if cut else shown
    assert bare in text
    assert len(bare) <= search.SNIPPET
    assert cut is (len(text) > search.SNIPPET)
    assert text[at : at + 1] in bare


def test_a_snippet_is_cut_between_words_and_says_where() -> None:
    text = "before " * 100 + "needle" + " after" * 100

    shown = search.snippet(text, text.index("needle"))

    assert shown.startswith("…before ")
    assert " needle after" in shown
    assert shown.endswith(" after…")


def test_the_passage_with_the_most_words_is_shown_and_the_first_of_equals() -> None:
    passages = [Passage("title", "Login"), Passage("criteria", "the login form"), Passage("tests", "form of login")]

    assert search.best(passages, ("login", "form")) == (passages[1], 4)
    assert search.best(passages, ("log",)) == (passages[0], 0)
    assert search.best(passages, ("nowhere",)) is None


@given(st.text(max_size=100))
def test_every_word_of_a_text_is_found_in_it_by_any_beginning(text: str) -> None:
    for word in search.words(text):
        assert search.best([Passage("note", text)], (word[:2],)) is not None


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ('{"type":"step_noted","note":"a"}', [("note", "a")]),
        ('{"type":"step_done","forced":true,"reason":"b"}', [("reason", "b")]),
        ('{"type":"step_blocked","reason":null}', []),
        (
            '{"type":"step_verified","checkpoints":{"tests":{"confirmed":true,"note":"c"},"docs":{"confirmed":true}}}',
            [("confirmation", "c")],
        ),
        (
            '{"type":"evidence_captured","items":["diff: d"],"checks":["e"],"attachments":["f"]}',
            [("evidence", "diff: d"), ("evidence", "e"), ("evidence", "f")],
        ),
        ('{"type":"task_edited","fields":["title"]}', []),
        ('{"type":"todo_written","items":["g"]}', []),
    ],
)
def test_an_event_says_its_note_its_reason_and_the_titles_of_evidence(
    body: str, found: list[tuple[str, str]]
) -> None:
    assert [(passage.field, passage.text) for passage in search.of_event(body)] == found
