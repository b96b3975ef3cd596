"""Envelopes: what leads from one list to the next, applied, gives that list; and no other op would be smaller."""

import json
import re
from collections.abc import Sequence
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.domain.nodes import Node
from gatepost.domain.steps import Step
from gatepost.views import todo_payload as payload
from gatepost.views.todo_payload import Envelope, EnvelopeItem, Status, TodoScope
from gatepost.wire import json_output

SCOPE = TodoScope("main", "Main", 7)
A, B, C = (EnvelopeItem(id=name, title=name.upper(), status="todo") for name in "abc")

items = st.lists(
    st.builds(
        lambda name, title, status: EnvelopeItem(id=name, title=title, status=status),
        st.sampled_from("abcde"),
        st.sampled_from(["Sow", "Reap"]),
        st.sampled_from(get_args(Status)),
    ),
    unique_by=lambda item: item.id,
    max_size=5,
)
texts = st.lists(st.text(min_size=1, max_size=3) | st.sampled_from(["todo-1", "Sow", "[x] Sow"]), max_size=8)


def applied(rows: list[dict[str, Any]], sent: dict[str, Any]) -> list[dict[str, Any]]:
    """A list after an envelope, as plainly as the contract has it."""
    match sent["op"]:
        case "replace":
            return list(sent["items"])
        case "clear":
            return []
        case "delete":
            return [row for row in rows if row["id"] not in sent["ids"]]
        case "upsert":
            told = sent.get("items") or [{**sent["item"], **_named(sent, "position")}]
            for item in told:
                rows = _upserted(rows, item)
            return rows
        case "patch":
            new = {patch["id"]: patch for patch in sent["patches"]}
            return [row | new.get(row["id"], {}) for row in rows]
    raise AssertionError(sent)


def _upserted(rows: list[dict[str, Any]], item: dict[str, Any]) -> list[dict[str, Any]]:
    before = [row["id"] for row in rows]
    others = [row for row in rows if row["id"] != item["id"]]
    at = item.get("position", before.index(item["id"]) if item["id"] in before else len(rows))
    return [*others[:at], {name: value for name, value in item.items() if name != "position"}, *others[at:]]


def _named(sent: dict[str, Any], name: str) -> dict[str, Any]:
    return {name: sent[name]} if name in sent else {}


def sent_by(envelope: Envelope) -> dict[str, Any]:
    sent: dict[str, Any] = json.loads(json_output.text(envelope))
    return sent


def rows_of(listed: Sequence[EnvelopeItem]) -> list[dict[str, Any]]:
    return [{"id": item.id, "title": item.title, "status": item.status} for item in listed]


@given(before=items, after=items)
def test_what_leads_from_one_list_to_another_gives_exactly_that_list(
    before: list[EnvelopeItem], after: list[EnvelopeItem]
) -> None:
    sent = sent_by(payload.between(SCOPE, before, after))

    assert applied(rows_of(before), sent) == rows_of(after)
    assert (sent["op"] == "clear") == (not after)


@pytest.mark.requirement("stream.emit.envelope", "stream.emit.fields")
@given(before=items, after=items)
def test_every_envelope_says_which_list_it_is_about_and_at_which_revision(
    before: list[EnvelopeItem], after: list[EnvelopeItem]
) -> None:
    for envelope in (payload.whole(SCOPE, after), payload.between(SCOPE, before, after)):
        sent = sent_by(envelope)

        assert sent["op"] in ("replace", "clear", "patch", "upsert", "delete")
        assert (sent["revision"], sent["scopeKey"], sent["scopeLabel"]) == (7, "main", "Main")


@pytest.mark.requirement("stream.emit.order-is-replace")
@given(before=items.filter(lambda listed: len(listed) > 1), shift=st.integers(1, 4))
def test_a_list_in_another_order_is_sent_whole(before: list[EnvelopeItem], shift: int) -> None:
    turn = 1 + shift % (len(before) - 1) if len(before) > 2 else 1
    after = [*before[turn:], *before[:turn]]

    sent = sent_by(payload.between(SCOPE, before, after))

    assert sent["op"] == "replace"
    assert sent["items"] == rows_of(after)


@pytest.mark.parametrize(
    ("before", "after", "op", "body"),
    [
        ([A, B], [A, B, C], "upsert", {"item": {"id": "c", "title": "C", "status": "todo"}}),
        ([A, B, C], [B], "delete", {"ids": ["a", "c"]}),
        ([], [A], "upsert", {"item": {"id": "a", "title": "A", "status": "todo"}}),
        (
            [A, B],
            [A, EnvelopeItem(id="b", title="B", status="done")],
            "patch",
            {"patches": [{"id": "b", "status": "done"}]},
        ),
        (
            [A],
            [EnvelopeItem(id="a", title="New", status="todo")],
            "patch",
            {"patches": [{"id": "a", "title": "New"}]},
        ),
        ([A, C], [A, B, C], "replace", {"items": rows_of([A, B, C])}),
        ([A, B], [B, C], "replace", {"items": rows_of([B, C])}),
    ],
)
def test_what_one_op_can_tell_is_told_by_it_and_all_else_is_sent_whole(
    before: list[EnvelopeItem], after: list[EnvelopeItem], op: str, body: dict[str, Any]
) -> None:
    sent = sent_by(payload.between(SCOPE, before, after))

    head = {"op": op, "revision": 7, "scopeKey": "main", "scopeLabel": "Main"}
    assert sent == head | body


@pytest.mark.requirement("stream.emit.empty-is-clear")
@pytest.mark.parametrize("before", [[], [A], [A, B]])
def test_an_empty_list_is_a_clear_whatever_was_before(before: list[EnvelopeItem]) -> None:
    assert payload.between(SCOPE, before, []).op == "clear"
    assert payload.whole(SCOPE, []).op == "clear"


def test_a_revision_that_changed_nothing_is_told_as_what_is_so_anyway() -> None:
    sent = sent_by(payload.between(SCOPE, [A, B], [A, B]))

    assert (sent["op"], sent["patches"]) == ("patch", [{"id": "a", "status": "todo"}])


@pytest.mark.requirement("stream.emit.item-ids", "stream.emit.no-positional-ids")
@given(listed=texts)
def test_ids_of_a_session_s_items_are_unique_and_say_nothing_of_a_position(listed: list[str]) -> None:
    ids = [item.id for item in payload.list_items(listed)]

    assert len(set(ids)) == len(ids) == len(listed)
    assert all(ids)
    assert not any(re.fullmatch(r"todo-\d+", name) for name in ids)


@given(listed=texts.filter(bool), new=st.text(min_size=1), data=st.data())
def test_items_keep_their_ids_when_a_list_is_rewritten_around_them(
    listed: list[str], new: str, data: st.DataObject
) -> None:
    before = {item.id: item.title for item in payload.list_items(listed)}
    shuffled = data.draw(st.permutations([*listed, new]))

    after = {item.id: item.title for item in payload.list_items(shuffled)}

    assert before.items() <= after.items()


@pytest.mark.requirement("stream.projection.no-prose")
def test_words_that_look_like_a_mark_do_not_make_an_item_done() -> None:
    listed = ["[x] Sow", "DONE: reap", "- [ ] Thresh\n- [x] Bake", "~~Eat~~"]

    found = payload.list_items(listed)

    assert [(item.title, item.status) for item in found] == [(text, "todo") for text in listed]


@pytest.mark.requirement("stream.emit.statuses", "stream.emit.titles")
@pytest.mark.parametrize(
    ("member", "now", "status"),
    [
        (Step(id="S", title="T"), False, "todo"),
        (Step(id="S", title="T"), True, "in_progress"),
        (Step(id="S", title="T", blocked=True), False, "blocked"),
        (Step(id="S", title="T", done_at="2026-01-01T00:00:00.000Z"), False, "done"),
        (Node(id="S", title="T"), False, "todo"),
        (Node(id="S", title="T", status="ACTIVE"), True, "in_progress"),
        (Node(id="S", title="T", status="DONE"), False, "done"),
    ],
)
def test_a_step_is_shown_as_what_it_is(member: Step | Node, now: bool, status: Status) -> None:
    assert payload.member_item(member, now=now) == EnvelopeItem(id="S", title="T", status=status)
