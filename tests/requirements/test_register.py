"""The register and the tests agree, in both directions; and this check is able to fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.requirements.register import (
    RegisterError,
    Requirement,
    find_markers,
    load,
    no_longer_pending,
    summary,
    unknown_ids,
    without_a_test,
)

ENTRY = '[[requirement]]\nid = "area.subject.demand"\nsays = "It does."\nfrom = "004 Heading"\n'

EVERY_FORM = """
import pytest

pytestmark = pytest.mark.requirement("form.module.single")

ROWS = [pytest.param(1, marks=pytest.mark.requirement("form.table.param"))]


@pytest.mark.requirement("form.function.first", "form.function.second")
def test_function(): ...


@pytest.mark.requirement("form.function.first")
async def test_coroutine(): ...


@pytest.mark.parametrize("n", [pytest.param(1, marks=[pytest.mark.requirement("form.param.listed")])])
def test_rows(n): ...


@pytest.mark.requirement("form.class.whole")
class TestClass:
    pytestmark = [pytest.mark.requirement("form.class.pytestmark")]

    @pytest.mark.requirement("form.method.own")
    def test_method(self): ...
"""


@pytest.fixture(scope="module")
def requirements() -> tuple[Requirement, ...]:
    return load()


@pytest.fixture(scope="module")
def shown() -> dict[str, list[str]]:
    return find_markers()


def test_every_requirement_that_is_not_pending_has_a_test(
    requirements: tuple[Requirement, ...], shown: dict[str, list[str]]
) -> None:
    assert without_a_test(requirements, shown) == []


def test_every_id_that_a_test_carries_is_in_the_register(
    requirements: tuple[Requirement, ...], shown: dict[str, list[str]]
) -> None:
    assert unknown_ids(requirements, shown) == []


def test_a_requirement_with_a_test_is_no_longer_pending(
    requirements: tuple[Requirement, ...], shown: dict[str, list[str]]
) -> None:
    assert no_longer_pending(requirements, shown) == []


def test_every_requirement_is_one_sentence(requirements: tuple[Requirement, ...]) -> None:
    assert [r.id for r in requirements if not r.says.endswith(".") or "\n" in r.says] == []


def test_no_two_requirements_say_the_same(requirements: tuple[Requirement, ...]) -> None:
    sentences = [r.says for r in requirements]

    assert sorted(sentences) == sorted(set(sentences))


def test_a_well_formed_entry_is_read_whole(tmp_path: Path) -> None:
    write(tmp_path, ENTRY + 'pending = "part 2"\n')

    (requirement,) = load(tmp_path)

    assert requirement == Requirement(
        id="area.subject.demand", says="It does.", source="004 Heading", pending="part 2"
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param(ENTRY + ENTRY, "given twice: area.subject.demand", id="an id twice"),
        pytest.param(ENTRY.replace("area.", ""), "area.subject.demand", id="an id of two words"),
        pytest.param(ENTRY.replace("area", "Area"), "lower case", id="a capital in an id"),
        pytest.param(ENTRY.replace("says =", "tells ="), "unknown field", id="an unknown field"),
        pytest.param(ENTRY.replace('says = "It does."\n', ""), "says is missing", id="a field missing"),
        pytest.param(ENTRY.replace("It does.", " "), "says is missing or blank", id="a blank field"),
        pytest.param(ENTRY.replace("004 Heading", "hearsay"), "from names a seed", id="no known source"),
        pytest.param(ENTRY + 'pending = "part 1"\n', "pending names one of", id="pending on this part"),
        pytest.param(ENTRY + 'pending = "soon"\n', "pending names one of", id="pending on no part"),
        pytest.param("[other]\n", "only \\[\\[requirement\\]\\]", id="another table"),
    ],
)
def test_a_malformed_entry_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    write(tmp_path, text)

    with pytest.raises(RegisterError, match=complaint):
        load(tmp_path)


def test_an_empty_register_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RegisterError, match="holds no requirement"):
        load(tmp_path)


def test_a_marker_is_found_in_every_form(tmp_path: Path) -> None:
    file = f"{tmp_path.name}/sub/test_forms.py"
    write(tmp_path / "sub", EVERY_FORM, name="test_forms.py")

    found = find_markers(tmp_path)

    assert found == {
        "form.module.single": [file],
        "form.table.param": [file],
        "form.function.first": [f"{file}::test_function", f"{file}::test_coroutine"],
        "form.function.second": [f"{file}::test_function"],
        "form.param.listed": [f"{file}::test_rows"],
        "form.class.whole": [f"{file}::TestClass"],
        "form.class.pytestmark": [f"{file}::TestClass"],
        "form.method.own": [f"{file}::TestClass::test_method"],
    }


@pytest.mark.parametrize(
    ("marked", "complaint"),
    [
        ("@pytest.mark.requirement(NAME)\ndef test_it(): ...", "written out as a string"),
        ("@pytest.mark.requirement()\ndef test_it(): ...", "one id or more"),
        ("@pytest.mark.requirement(id='a.b.c')\ndef test_it(): ...", "one id or more"),
        ("@pytest.mark.requirement('a.b.c')\ndef helper(): ...", "only a test"),
    ],
)
def test_a_marker_that_shows_nothing_is_refused(tmp_path: Path, marked: str, complaint: str) -> None:
    write(tmp_path, marked, name="test_marked.py")

    with pytest.raises(RegisterError, match=complaint):
        find_markers(tmp_path)


def test_each_disagreement_between_register_and_tests_is_named() -> None:
    held, built, later = given("a.b.held"), given("a.b.built", "part 2"), given("a.b.later", "part 3")
    shown = {"a.b.built": ["test_built"], "a.b.unheard-of": ["test_it"]}

    assert without_a_test((held, built, later), shown) == ["a.b.held"]
    assert no_longer_pending((held, built, later), shown) == ["a.b.built"]
    assert unknown_ids((held, built, later), shown) == ["a.b.unheard-of (test_it)"]


def test_the_summary_counts_shown_missing_and_pending_by_part() -> None:
    requirements = (
        given("a.b.one"),
        given("a.b.two"),
        given("a.b.three", "part 2"),
        given("a.b.four", "part 3"),
    )

    before = summary(requirements, {"a.b.one": ["test_one"]})
    after = summary(requirements, {"a.b.one": ["test_one"], "a.b.two": ["test_two"]})

    assert before == "requirements: 1 shown, 1 without a test, 2 pending (part 2: 1, part 3: 1)"
    assert after == "requirements: 2 shown, 2 pending (part 2: 1, part 3: 1)"


def given(id_: str, pending: str | None = None) -> Requirement:
    return Requirement(id=id_, says=f"It does {id_}.", source="004 Heading", pending=pending)


def write(folder: Path, text: str, name: str = "source.toml") -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
