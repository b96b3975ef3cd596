"""Workspace digests: kept by section key, and resolved the same way on every path to them."""

import logging
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest

from gatepost.runtime import Session
from gatepost.tools import (
    InMemoryPromptOverridesStore,
    ToolValidationError,
    WorkspaceDigest,
    WorkspaceDigestSection,
    latest_workspace_digest,
    set_workspace_digest,
)

KEY = "workspace-digest"
BLANKS = ("", "   ", "\n\t", "\u00a0")
PATHS: dict[str, Callable[[WorkspaceDigestSection], str]] = {
    "render": lambda section: section.render(),
    "digest": lambda section: section.digest().body,
    "summary": lambda section: section.summary(),
    "tool": lambda section: section.tools[0].call({}).render(),
}

every_path = pytest.mark.parametrize("ask", PATHS.values(), ids=PATHS.keys())


class OthersStore(dict[str, str]):
    """Someone else's store: it hands out whatever it was given."""

    def set(self, key: str, text: str) -> None:
        self[key] = text

    def delete(self, key: str) -> None:
        del self[key]


def overrides(**texts: str) -> InMemoryPromptOverridesStore:
    """A store that holds these, underscores in keys read as dashes."""
    store = InMemoryPromptOverridesStore()
    for key, text in texts.items():
        store.set(key.replace("_", "-"), text)
    return store


@pytest.mark.requirement("workspace.digest.fields")
def test_a_digest_is_frozen_with_its_key_summary_and_body() -> None:
    digest = WorkspaceDigest(section_key="k", summary="short", body="long")

    assert [field.name for field in fields(digest)] == ["section_key", "summary", "body"]
    with pytest.raises(FrozenInstanceError):
        digest.body = "other"  # type: ignore[misc]  # that is the test


@pytest.mark.requirement("workspace.digest.set", "workspace.digest.latest")
def test_the_newest_digest_of_a_key_is_stored_and_found_again() -> None:
    session = Session()

    set_workspace_digest(session, section_key=KEY, body="old", summary="o")
    stored = set_workspace_digest(session, section_key=KEY, body="new", summary="n")

    assert latest_workspace_digest(session, KEY) is stored
    assert stored == WorkspaceDigest(KEY, "n", "new")
    assert session[WorkspaceDigest].all() == (stored,)


@pytest.mark.requirement("workspace.digest.latest")
def test_where_nothing_was_set_there_is_no_digest() -> None:
    assert latest_workspace_digest(Session(), KEY) is None


@pytest.mark.requirement("workspace.digest.keys-apart")
def test_digests_of_different_keys_do_not_touch_one_another() -> None:
    session = Session()

    set_workspace_digest(session, section_key="a", body="of a")
    set_workspace_digest(session, section_key="b", body="of b")
    set_workspace_digest(session, section_key="a", body="of a again")

    assert {digest.section_key: digest.body for digest in session[WorkspaceDigest].all()} == {
        "a": "of a again",
        "b": "of b",
    }
    assert WorkspaceDigestSection(session=session, key="b").render() == "of b"
    assert latest_workspace_digest(session, "c") is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("section_key", " "),
        ("section_key", None),
        ("body", 3),
        ("body", "\ud800"),
        ("summary", "\x00"),
        ("summary", None),
    ],
)
def test_what_is_no_text_is_refused_by_its_name_and_nothing_is_stored(field: str, value: Any) -> None:
    session = Session()

    with pytest.raises(ToolValidationError, match=f"`{field}` must"):
        set_workspace_digest(session, **{"section_key": KEY, "body": "b", "summary": "s", field: value})

    assert session[WorkspaceDigest].all() == ()


@pytest.mark.requirement("workspace.digest.rendered")
def test_the_prompt_gets_the_summary_and_the_tool_gives_the_body() -> None:
    session = Session()
    section = WorkspaceDigestSection(session=session)

    set_workspace_digest(session, section_key=KEY, body="## Layout\nsrc", summary=" A web app. ")

    (tool,) = section.tools
    assert section.render().startswith("A web app.\n\n")
    assert f"`{tool.name}`" in section.render()
    assert "src" not in section.render()
    assert section.summary() == "A web app."
    assert tool.call({}).render() == "A web app.\n\n## Layout\nsrc"


@pytest.mark.requirement("workspace.digest.rendered")
def test_a_digest_without_summary_is_rendered_whole_while_it_is_short_and_by_its_first_lines_beyond() -> None:
    session = Session()
    section = WorkspaceDigestSection(session=session)

    set_workspace_digest(session, section_key=KEY, body="First line.\nSecond.")
    short = section.render(), section.summary()
    long = "".join(f"Line {number}.\n" for number in range(5_000))
    set_workspace_digest(session, section_key=KEY, body=long)

    assert short == ("First line.\nSecond.", "First line.")
    assert section.render().startswith("Line 0.\nLine 1.\n")
    assert len(section.render()) < 1_200
    assert f"`{section.tools[0].name}`" in section.render()
    assert section.tools[0].call({}).render() == long


def test_a_clone_s_tool_reads_the_digest_of_the_new_session() -> None:
    old, new = Session(), Session()
    section = WorkspaceDigestSection(session=old, placeholder="placeholder")
    set_workspace_digest(old, section_key=KEY, body="old")

    clone = section.clone(session=new)
    set_workspace_digest(new, section_key=KEY, body="new")

    assert [held.tools[0].call({}).render() for held in (section, clone)] == ["old", "new"]
    assert clone.tools[0].session_id == new.id


@pytest.mark.requirement("workspace.digest.session-first", "workspace.digest.every-path")
@every_path
def test_a_digest_in_the_session_goes_before_an_override(
    ask: Callable[[WorkspaceDigestSection], str], caplog: pytest.LogCaptureFixture
) -> None:
    session = Session()
    section = WorkspaceDigestSection(session=session, overrides=overrides(workspace_digest="override"))

    set_workspace_digest(session, section_key=KEY, body="digest")

    assert ask(section) == "digest"
    assert caplog.records == []


@pytest.mark.requirement("workspace.digest.override-second", "workspace.digest.every-path")
@every_path
def test_without_a_digest_the_override_of_the_key_is_used(
    ask: Callable[[WorkspaceDigestSection], str], caplog: pytest.LogCaptureFixture
) -> None:
    store = overrides(workspace_digest="override", another="of another key")
    section = WorkspaceDigestSection(session=Session(), overrides=store, placeholder="placeholder")

    assert ask(section) == "override"
    assert caplog.records == []


@pytest.mark.requirement("workspace.digest.placeholder-last", "workspace.digest.every-path")
@every_path
def test_the_placeholder_comes_last_with_a_warning_each_time(
    ask: Callable[[WorkspaceDigestSection], str], caplog: pytest.LogCaptureFixture
) -> None:
    section = WorkspaceDigestSection(
        session=Session(id="s-1"), overrides=overrides(another="of another key"), placeholder="placeholder"
    )

    assert [ask(section), ask(section)] == ["placeholder", "placeholder"]
    assert [(record.name, record.levelno) for record in caplog.records] == [("gatepost.tools", logging.WARNING)] * 2
    assert "s-1" in caplog.text
    assert KEY in caplog.text


@pytest.mark.requirement("workspace.digest.blank-is-absent", "workspace.digest.every-path")
@every_path
@pytest.mark.parametrize("blank", BLANKS)
def test_a_blank_digest_or_override_counts_as_absent(
    ask: Callable[[WorkspaceDigestSection], str], blank: str
) -> None:
    session, store = Session(), overrides(workspace_digest="override")
    section = WorkspaceDigestSection(session=session, overrides=store, placeholder="placeholder")
    set_workspace_digest(session, section_key=KEY, body="older", summary="older")

    set_workspace_digest(session, section_key=KEY, body=blank, summary=blank)
    without_digest = ask(section)
    store.set(KEY, blank)
    without_both = ask(section)

    assert latest_workspace_digest(session, KEY) is None
    assert (without_digest, without_both) == ("override", "placeholder")


@pytest.mark.requirement("workspace.digest.blank-is-absent")
@every_path
@pytest.mark.parametrize("blank", BLANKS)
def test_a_blank_override_of_a_store_of_others_counts_as_absent(
    ask: Callable[[WorkspaceDigestSection], str], blank: str
) -> None:
    store = OthersStore({KEY: blank})
    section = WorkspaceDigestSection(session=Session(), overrides=store, placeholder="placeholder")

    assert ask(section) == "placeholder"


@pytest.mark.requirement("workspace.digest.override-by-key")
def test_rewording_the_placeholder_does_not_drop_the_override() -> None:
    store = overrides(workspace_digest="override")

    rendered = [
        WorkspaceDigestSection(session=Session(), placeholder=words, overrides=store).render()
        for words in ("as it was", "reworded")
    ]

    assert rendered == ["override", "override"]


@pytest.mark.requirement("workspace.digest.override-by-key", "workspace.digest.every-path")
def test_an_override_or_digest_that_comes_later_is_seen_at_the_next_look() -> None:
    session, store = Session(), overrides()
    section = WorkspaceDigestSection(session=session, overrides=store, placeholder="placeholder")

    looks = [section.render()]
    store.set(KEY, "override")
    looks.append(section.render())
    set_workspace_digest(session, section_key=KEY, body="digest")
    looks.append(section.render())
    store.delete(KEY)
    looks.append(section.render())

    assert looks == ["placeholder", "override", "digest", "digest"]


@pytest.mark.requirement("workspace.state.dies-with-session")
def test_a_session_s_end_takes_its_digests_with_it() -> None:
    session = Session()
    section = WorkspaceDigestSection(session=session, placeholder="placeholder")
    set_workspace_digest(session, section_key=KEY, body="digest")

    session.end()

    assert latest_workspace_digest(session, KEY) is None
    assert section.render() == "placeholder"


def test_a_snapshot_brings_the_digest_of_its_time_back() -> None:
    session = Session()
    set_workspace_digest(session, section_key=KEY, body="then")
    snapshot = session.snapshot()

    set_workspace_digest(session, section_key=KEY, body="now")
    session.restore(snapshot)

    assert WorkspaceDigestSection(session=session).render() == "then"
