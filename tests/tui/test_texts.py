"""Whatever a text holds, it shows and does nothing else."""

import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.style import Style

from gatepost.surfaces.terminal import PLAIN, RICH
from gatepost.surfaces.tui.filters import to_ascii, without_color
from gatepost.surfaces.tui.texts import clip, elapsed, pad, safe, width

JOINERS = "\u200c\u200d"
REORDERING = {"RLO", "LRO", "RLE", "LRE", "PDF", "RLI", "LRI", "FSI", "PDI"}
ANYTHING = st.text(st.characters(), max_size=40)


def test_no_sign_that_acts_on_a_terminal_is_left_in_a_safe_text() -> None:
    everything = (chr(code) for code in range(sys.maxunicode + 1))
    acting = [
        sign
        for sign in everything
        if unicodedata.category(sign) in ("Cc", "Zl", "Zp", "Cs")
        or unicodedata.bidirectional(sign) in REORDERING
        or sign in "\u200e\u200f\u061c\u200b\ufeff\u2060"
    ]

    assert len(acting) > 2000
    for sign in acting:
        assert sign not in safe(f"a{sign}b")
        assert len(safe(f"a{sign}b")) == 3


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]8;;http://x\x07link\x1b]8;;\x07", "␛]8;;http://x␇link␛]8;;␇"),
        ("\x9b2J", "\ufffd2J"),
        ("safe\u202egnp.exe", "safe\ufffdgnp.exe"),
        ("two\nlines\r", "two␊lines␍"),
        ("tab\there", "tab␉here"),
        ("\x7f", "␡"),
        ("日本語 👩‍💻", "日本語 👩‍💻"),
        ("[bold]not markup[/bold]", "[bold]not markup[/bold]"),
        ("half \ud83d", "half \ufffd"),
        ("a" + "\u0301" * 50, "a" + "\u0301" * 4),
    ],
)
def test_what_acts_is_shown_instead(given: str, shown: str) -> None:
    assert safe(given) == shown


def test_lines_are_kept_where_they_are_wanted() -> None:
    assert safe("one\r\ntwo\tx\n\x1b[2J", lines=True) == "one\ntwo x\n␛[2J"


@given(ANYTHING, st.integers(0, 30))
def test_a_clipped_text_never_takes_more_room_than_it_has(text: str, room: int) -> None:
    assert width(clip(safe(text), room)) <= room
    assert width(pad(safe(text), room)) == room
    assert width(clip(safe(text), room, "...")) <= room


@given(ANYTHING)
def test_a_safe_text_is_safe_already(text: str) -> None:
    assert safe(safe(text)) == safe(text)


@given(ANYTHING)
@example("👩‍💻 🇩🇪 é 日本")
def test_the_ascii_mode_lets_nothing_else_out_and_keeps_the_width(text: str) -> None:
    drawn = to_ascii(safe(text))

    assert drawn.isascii()
    assert width(drawn) == width(safe(text))


@pytest.mark.parametrize(
    ("given", "drawn"),
    [
        ("👩‍💻 done[/bold]", "?? done[/bold]"),
        ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦 end", "???? end"),
        ("e\u0301te\u0301", "ete"),
        ("日本 end", "???? end"),
        ("naïve", "na?ve"),
        ("└─ │ ─┘", "+- | -+"),
    ],
)
def test_in_ascii_nothing_is_cut_off_behind_a_sign_of_many_parts(given: str, drawn: str) -> None:
    assert to_ascii(given) == drawn


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("#f4005f on #121212", "bold"),
        ("#fd971f on #242f38", "bold"),
        ("#d17e92 on #1e1e1e", "bold"),
        ("bold #58d1eb on #121212", "bold"),
        ("#98e024 on #121212", "none"),
        ("#e0e0e0 on #242f38", "none"),
        ("#939393 on #1e1e1e", "dim"),
        ("#121212 on #e0e0e0", "reverse"),
        ("bold #e0e0e0 on #153a56", "bold reverse"),
        ("bold reverse #e0e0e0 on #153a56", "bold reverse"),
        ("strike #e0e0e0 on #121212", "strike"),
        ("underline", "underline"),
    ],
)
def test_without_colours_a_style_says_by_other_means_what_it_said(given: str, told: str) -> None:
    assert str(without_color(Style.parse(given))) == told


def test_without_colours_a_style_still_knows_what_a_click_on_it_means() -> None:
    assert without_color(Style.parse("red on black") + Style.from_meta({"row": 7})).meta == {"row": 7}


def test_the_plain_signs_are_ascii_and_no_two_states_share_one() -> None:
    for glyphs in (RICH, PLAIN):
        signs = [glyphs.done, glyphs.now, glyphs.open, glyphs.blocked, glyphs.waiting, glyphs.canceled]
        assert len(set(signs)) == len(signs)
        assert all(width(sign) == 1 for sign in signs)
    assert PLAIN.text().isascii()


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(-5, "0s"), (0, "0s"), (59.9, "59s"), (60, "1m00s"), (245, "4m05s"), (9000, "2h30m"), (273_600, "3d04h")],
)
def test_how_long_is_told_shortly(seconds: float, said: str) -> None:
    assert elapsed(seconds) == said


@given(st.integers(0, 50), st.integers(0, 50), st.integers(1, 20))
def test_a_bar_is_full_only_when_all_is_done(done: int, more: int, room: int) -> None:
    bar = PLAIN.bar(done, done + more, room)

    assert len(bar) == room
    assert (bar == PLAIN.full * room) == (more == 0 and done > 0)
