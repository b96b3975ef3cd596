"""Names: ids that are given once."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.domain import names


@pytest.mark.requirement("tasks.names.step")
@given(workspace=st.from_regex(names.WORKSPACE, fullmatch=True), number=st.integers(1, 2**32 - 1))
def test_every_step_id_is_step_and_eight_hexadecimal_digits(workspace: str, number: int) -> None:
    name = names.node_id(workspace, number)

    assert re.fullmatch(r"STEP-[0-9A-F]{8}", name)
    assert re.match(names.NODE_ID, name)


@pytest.mark.parametrize("workspace", ["acme/repo", "a"])
def test_no_two_of_200_000_numbers_share_an_id(workspace: str) -> None:
    numbers = range(1, 200_001)

    given_out = {names.node_id(workspace, number) for number in numbers}

    assert len(given_out) == len(numbers)


def test_another_workspace_s_ids_are_unknown_here() -> None:
    numbers = range(1, 2_001)

    mine = {names.node_id("acme/repo", number) for number in numbers}
    others = {names.node_id("acme/other", number) for number in numbers}

    assert not mine & others


def test_the_same_step_of_the_same_workspace_always_has_the_same_id() -> None:
    first = [names.node_id("acme/repo", number) for number in range(1, 50)]

    again = [names.node_id("acme/repo", number) for number in range(1, 50)]

    assert again == first


def test_a_mistyped_digit_of_an_id_hits_no_other_of_a_thousand_steps() -> None:
    given_out = {names.node_id("acme/repo", number) for number in range(1, 1_001)}
    meant = names.node_id("acme/repo", 500)

    mistyped = {
        meant[:at] + digit + meant[at + 1 :]
        for at in range(5, 13)
        for digit in "0123456789ABCDEF"
        if digit != meant[at]
    }

    assert not mistyped & given_out


@pytest.mark.parametrize("good", ["a", "acme/repo", "A.b_c-d/e", "0", "x" * 128, "a.b.c"])
def test_a_workspace_name_of_the_right_form_is_taken(good: str) -> None:
    assert re.match(names.WORKSPACE, good)


@pytest.mark.parametrize("bad", ["", "/a", ".a", "-a", "a..b", "a b", "a\n", "x" * 129, "ä", "a\\b"])
def test_a_workspace_name_of_another_form_is_not(bad: str) -> None:
    assert not re.match(names.WORKSPACE, bad)
