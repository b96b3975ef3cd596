"""Windows of lines, also of files that are longer than one answer may be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.domain.refusals import InvalidInput
from gatepost.files.protocol import MAX_CONTENT
from gatepost.files.text_window import line_count, window


@given(
    text=st.text("ab\n\r\u2028", max_size=40),
    offset=st.integers(min_value=0, max_value=12),
    limit=st.none() | st.integers(min_value=0, max_value=12),
)
def test_a_window_is_a_slice_of_the_lines(text: str, offset: int, limit: int | None) -> None:
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    lines = lines if lines[-1] else lines[:-1]
    wanted = lines[offset:] if limit is None else lines[offset : offset + limit]

    found = window("f", [text], 7, offset, limit)

    assert (found.content, found.lines, found.total_lines) == ("".join(wanted), len(wanted), len(lines))
    assert found.total_lines == line_count(text)
    assert found.offset == min(offset, len(lines))
    assert found.truncated == (found.offset + found.lines < len(lines))
    assert (found.path, found.size) == ("f", 7)


@pytest.mark.parametrize("width", [1, 100, 999, 47_998, 47_999, 48_000])
def test_a_file_longer_than_an_answer_is_read_in_whole_lines_to_its_end(width: int) -> None:
    text = ("x" * (width - 1) + "\n") * (2 * MAX_CONTENT // width) + "end"
    found, at = "", 0

    while (part := window("f", [text], 0, at, None)).lines:
        assert len(part.content) <= MAX_CONTENT
        assert part.truncated == (len(found) + len(part.content) < len(text))
        found, at = found + part.content, at + part.lines

    assert found == text


def test_only_a_line_longer_than_an_answer_is_cut_and_goes_on_at_its_column() -> None:
    text = "short\n" + "x" * (MAX_CONTENT + 5) + "\nlast\n"

    first, long, rest = (
        window("f", [text], 0, 0, None),
        window("f", [text], 0, 1, None),
        window("f", [text], 0, 1, None, 47_999),
    )

    assert (first.content, first.lines, first.truncated) == ("short\n", 1, True)
    assert (first.next_offset, first.next_column) == (1, 0)
    assert (long.content, long.lines, long.truncated) == ("x" * MAX_CONTENT, 1, True)
    assert (long.next_offset, long.next_column) == (1, MAX_CONTENT)
    assert (rest.content, rest.lines, rest.column, rest.truncated) == ("x" * 6 + "\nlast\n", 2, 47_999, False)


@given(
    text=st.text("ab\n", max_size=40),
    sizes=st.lists(st.integers(min_value=1, max_value=9), min_size=1),
    offset=st.integers(min_value=0, max_value=9),
    column=st.integers(min_value=0, max_value=9),
    limit=st.none() | st.integers(min_value=0, max_value=4),
)
def test_the_parts_that_a_text_comes_in_make_no_difference(
    text: str, sizes: list[int], offset: int, column: int, limit: int | None
) -> None:
    parts, rest = [], text
    for size in sizes:
        parts.append(rest[:size])
        rest = rest[size:]

    found = window("f", [*parts, rest], 7, offset, limit, column)

    assert found == window("f", [text], 7, offset, limit, column)
    begin = min(len(text), sum(len(line) + 1 for line in text.split("\n")[: found.offset]) + found.column)
    assert text.startswith(found.content, begin)
    assert found.truncated == (begin + len(found.content) < len(text))


def test_a_negative_column_is_refused() -> None:
    with pytest.raises(InvalidInput, match="column"):
        window("f", ["a"], 1, 0, None, -1)
