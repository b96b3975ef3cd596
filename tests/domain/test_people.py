"""Who is a person, and which names only look like it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.domain.people import is_person, not_a_person, seems_person
from gatepost.domain.proof_refusals import HumanRequired
from tests.look_alikes import LOOK_ALIKES

OTHERS = (
    "cli",
    "agent:human",
    "agent:claude-code/3f2a",
    "http:human:boss",
    "humanoid:x",
    "humanity",
    "Zoë",
    "李明",
    "",
)


def test_a_person_is_an_actor_whose_name_starts_with_human() -> None:
    assert is_person("human:boss")
    assert not any(map(is_person, (*OTHERS, "Human:boss", " human:boss", "human")))


@pytest.mark.parametrize("name", LOOK_ALIKES, ids=ascii)
def test_a_name_that_reads_like_a_persons_is_known(name: str) -> None:
    assert seems_person(name)
    assert not seems_person(not_a_person(name, "http"))
    assert not_a_person(name, "http") == f"http:{name}"


@pytest.mark.parametrize("name", OTHERS, ids=ascii)
def test_other_names_stay_as_they_are(name: str) -> None:
    assert not_a_person(name, "http") == name


@given(st.text(), st.sampled_from(("http", "agent")))
def test_no_text_makes_a_person_of_one_who_is_none(name: str, kind: str) -> None:
    named = not_a_person(name, kind)

    assert not is_person(named)
    assert not seems_person(named)
    assert named.endswith(name)


def test_what_needs_a_person_says_how_a_person_does_it() -> None:
    no = HumanRequired("Approving PLAN-001 needs a person.", "gatepost approve PLAN-001", plan="PLAN-001")

    assert (no.code, no.family, no.details) == ("HUMAN_REQUIRED", "forbidden", {"plan": "PLAN-001"})
    assert no.message == "Approving PLAN-001 needs a person."
    assert "on the page" in no.recovery
    assert "`gatepost approve PLAN-001`" in no.recovery
