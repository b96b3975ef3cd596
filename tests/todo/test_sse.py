"""Server-sent events, however the bytes are cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.todo.sse import EventStreamParser, Message


def parsed(stream: bytes, *, most_bytes: int = 10_000) -> list[Message]:
    """The events of a stream that comes in one piece."""
    return list(EventStreamParser(most_bytes=most_bytes).feed(stream))


def test_an_event_has_its_data_type_and_id() -> None:
    stream = b"id: 7\nevent: tool_result\ndata: one\ndata:two\ndata\n\ndata: x\n\n"

    assert parsed(stream) == [
        Message(data="one\ntwo\n", event="tool_result", id="7"),
        Message(data="x", event="message", id="7"),
    ]


def test_comments_unknown_fields_and_events_without_data_give_nothing() -> None:
    assert parsed(b": heartbeat\n\nfoo: bar\n\nevent: x\n\n: data: x\n\n") == []


def test_an_id_counts_only_once_its_event_is_whole() -> None:
    parser = EventStreamParser()

    events = list(parser.feed(b"id: 1\ndata: a\n\nid: 2\ndata: b\n"))

    assert [event.id for event in events] == ["1"]
    assert parser.last_id == "1"


def test_an_id_without_data_moves_on_and_an_empty_one_resets() -> None:
    parser = EventStreamParser()

    list(parser.feed(b"id: 5\n\n"))
    moved = parser.last_id
    list(parser.feed(b"id\n\n"))

    assert (moved, parser.last_id) == ("5", "")


def test_an_id_with_a_null_is_no_id() -> None:
    assert parsed(b"id: a\x00b\ndata: x\n\n") == [Message(data="x")]


@pytest.mark.parametrize(
    ("given", "read"), [(b"250", 250), (b"-1", None), (b"1.5", None), (b"", None), ("٣".encode(), None)]
)
def test_retry_is_a_plain_number(given: bytes, read: int | None) -> None:
    parser = EventStreamParser()

    list(parser.feed(b"retry: " + given + b"\n"))

    assert parser.retry_ms == read


def test_a_byte_order_mark_is_dropped_at_the_start_only() -> None:
    mark = b"\xef\xbb\xbf"

    assert parsed(mark + b"data: a\n\n" + mark + b"data: b\n\n") == [Message(data="a")]


def test_broken_utf8_is_replaced() -> None:
    assert parsed(b"data: \xff\n\n") == [Message(data="\ufffd")]


@pytest.mark.parametrize("long", [b"data: " + b"x" * 200 + b"\n\n", b"data: yyyyyyyyyy\n" * 20 + b"\n"])
@pytest.mark.parametrize("size", [1, 7, 500])
def test_an_event_beyond_the_bound_is_passed_over_whole_and_the_stream_goes_on(long: bytes, size: int) -> None:
    parser = EventStreamParser(most_bytes=100)
    stream = b"id: 1\n" + long + b": " + b"c" * 90 + b"\n" * 2 + b"id: 2\ndata: after\n\n"

    events = [event for at in range(0, len(stream), size) for event in parser.feed(stream[at : at + size])]

    assert events == [Message(data="after", id="2")]


def test_comments_within_an_event_do_not_count_towards_its_bound() -> None:
    assert parsed(b"data: x\n" + b": still here\n" * 50 + b"\n", most_bytes=100) == [Message(data="x")]


LINES = st.lists(
    st.sampled_from(
        ["data: ä", "data:", "data", "id: 3", "id: 4", "event: e", ": c", "", "", "retry: 5", "x", "\ufeffdata: b"]
    ),
    max_size=12,
)


@given(LINES, st.data())
def test_line_ends_and_cuts_make_no_difference(lines: list[str], data: st.DataObject) -> None:
    plain = "".join(f"{line}\n" for line in lines).encode()
    ends = data.draw(st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=len(lines), max_size=len(lines)))
    # A blank line's LF behind a CR would be read as one line's end.
    mixed = "".join(line + (end if line else "\r\n") for line, end in zip(lines, ends, strict=True)).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(mixed)), max_size=6)))
    parser = EventStreamParser()

    pieces = [mixed[start:end] for start, end in zip([0, *cuts], [*cuts, len(mixed)], strict=True)]
    events = [event for piece in pieces for event in parser.feed(piece)]

    assert events == parsed(plain)
