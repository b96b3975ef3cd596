"""What a check prints: the same text in whatever pieces it comes, cut without splitting a credential."""

from hypothesis import given
from hypothesis import strategies as st

from gatepost.checks.output import Excerpt, Expectation, LiveLines, PlainText
from tests.wire.credentials import EVERY

SECRET = "ghp_" + "R7w2KqLz9XvB4nTfHs6YpDc1JmGa8E0uQiZx"
CUT = "bytes are left out here]"
HEAD, TAIL, MARGIN = 200, 300, 100
NOISE = b"\x1b[]P\\;m0 -/\x07\x9b\x9c\x9d\xc2\xe2\x80\xae\r\n\x00\x08az\xff"

pieces = st.lists(st.text("ab \n\xe9\U0001f600", max_size=120), max_size=30)
noise = st.lists(st.lists(st.sampled_from(NOISE), max_size=12).map(bytes), max_size=12)


@given(noise)
def test_text_is_the_same_in_whatever_pieces_it_comes(parts: list[bytes]) -> None:
    whole = PlainText().fed(b"".join(parts), last=True)

    text = PlainText()
    assert "".join(map(text.fed, parts)) + text.fed(b"", last=True) == whole


@given(noise)
def test_nothing_that_a_terminal_would_obey_is_left(parts: list[bytes]) -> None:
    text = PlainText().fed(b"".join(parts), last=True)

    assert all(sign in "\n\t" or sign.isprintable() for sign in text)


def test_an_escape_sequence_that_never_ends_is_not_held_back_for_ever() -> None:
    for opening in (b"\x1b]0;", b"\x1b[", b"\x1bP", b"\x1b ", b"\xc2\x9d"):
        text = PlainText()
        assert len(text.fed(opening + b"1" * 3_000) + text.fed(b"1" * 3_000)) >= 5_990 - 300


@given(pieces)
def test_an_excerpt_is_bounded_and_counts_what_it_leaves_out(parts: list[str]) -> None:
    whole, excerpt = "".join(parts), Excerpt(HEAD, TAIL, MARGIN)
    for part in parts:
        excerpt.fed(part)

    shown, cut = excerpt.shown()

    if len(whole) <= HEAD + TAIL:
        assert (shown, cut) == (whole, 0)
        return
    head, tail = shown.split(f"\n[{cut:,} {CUT}\n")
    assert whole.startswith(head)
    assert whole.endswith(tail)
    assert len(head) <= HEAD
    assert len(tail) <= TAIL
    assert 0 < cut < len(whole.encode())
    assert len(whole.encode()) - cut - len((head + tail).encode()) in range(HEAD)  # blank ends of the head


@given(pieces, st.integers(1, 50))
def test_an_excerpt_is_the_same_in_whatever_pieces_the_text_comes(parts: list[str], size: int) -> None:
    whole = "".join(parts) * 5
    once, often = Excerpt(HEAD, TAIL, MARGIN), Excerpt(HEAD, TAIL, MARGIN)

    once.fed(whole)
    for at in range(0, len(whole), size):
        often.fed(whole[at : at + size])

    assert once.shown() == often.shown()


@given(st.integers(0, 900), st.sampled_from(["x", "x ", "x\n"]), st.sampled_from(["", "token = ", "\n"]))
def test_no_part_of_a_credential_is_kept_wherever_a_cut_is(at: int, filler: str, name: str) -> None:
    text = (filler * 1_000)[:at] + f" {name}{SECRET} " + (filler * 1_000)[: 900 - at]
    excerpt = Excerpt(HEAD, TAIL, MARGIN)
    excerpt.fed(text)

    shown, cut = excerpt.shown()

    assert cut > 0
    assert not any(SECRET[start : start + 6] in shown for start in range(len(SECRET) - 5))


@given(st.lists(st.text("ab\n", max_size=9), max_size=20))
def test_an_expectation_is_met_by_the_same_lines_in_whatever_pieces_they_come(parts: list[str]) -> None:
    expectation = Expectation("^ab+$")
    for part in parts:
        expectation.fed(part)
    expectation.fed("", last=True)

    lines = "".join(parts).split("\n")
    assert expectation.met == any(line[:2] == "ab" and set(line[1:]) == {"b"} for line in lines)


def test_a_very_long_line_is_searched_in_pieces() -> None:
    expectation = Expectation("needle")
    for _ in range(100):
        expectation.fed("x" * 10_000)
    expectation.fed("needle")
    expectation.fed("", last=True)

    assert expectation.met


@given(st.integers(1, 200), st.sampled_from(["", "x\n", "Begins\nhere "]))
def test_live_lines_show_no_part_of_a_credential_in_whatever_pieces_they_come(size: int, before: str) -> None:
    secrets = [SECRET, EVERY["pem RSA PRIVATE KEY"]]
    text = before + "\n".join([*secrets, "the end"])
    live = LiveLines()

    parts = [live.fed(text[at : at + size]) for at in range(0, len(text), size)] + [live.fed("", last=True)]

    shown = "".join(parts)
    words = [word for secret in secrets for word in secret.split()]
    assert not any(word[start : start + 12] in shown for word in words for start in range(len(word) - 11))
    assert shown.startswith(before)
    assert shown.endswith("the end")


def test_live_lines_come_as_soon_as_they_are_complete_and_never_wait_for_ever() -> None:
    live = LiveLines()

    assert live.fed("one\ntw") == "one\n"
    assert live.fed("o\n") == "two\n"
    assert live.fed("-----BEGIN RSA PRIVATE KEY-----\nno key at all\n") == ""
    assert len(live.fed("x y\n" * 20_000)) > 75_000


def test_live_lines_keep_a_credential_whole_in_a_line_that_is_far_too_long() -> None:
    live = LiveLines()
    start, rest = SECRET[:20], SECRET[20:]

    shown = live.fed("x" * 65_500 + " " + start) + live.fed(rest + " end") + live.fed("", last=True)

    assert SECRET[4:16] not in shown
    assert shown.endswith(" end")


def test_a_private_key_that_is_not_finished_waits_though_something_else_begins() -> None:
    live = LiveLines()

    assert live.fed("-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7\n-----BEGIN CERTIFICATE-----\n") == ""
