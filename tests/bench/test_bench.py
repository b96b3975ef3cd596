"""The benchmarks run and say what they promise. Not how long anything takes: that is no test's business."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bench import peers
from bench.__main__ import SECTIONS, keep, main, measure
from bench.figures import Aim, Section, alone, compared, report, table
from bench.managers import OTHERS
from bench.peers import PEERS
from bench.scale import QUICK

TINY = replace(QUICK, sizes=(1_000, 2_000), one_task=2_000, bulk=(10, 40), bulk_rounds=1, rounds=3, seconds=0.5)


def test_the_store_is_compared_with_a_bare_transaction_for_each_kind_of_durability() -> None:
    (section,) = measure(TINY, ["store"])

    assert [(figure.what, figure.aim) for figure in section.figures] == [
        ("bare one-row transaction, FULL", None),
        ("close a step, FULL", "≤ 2\N{MULTIPLICATION SIGN}"),
        ("bare one-row transaction, NORMAL", None),
        ("close a step, NORMAL", "≤ 16\N{MULTIPLICATION SIGN}"),
    ]
    check_figures(section)


def test_judging_is_compared_with_a_write_that_is_not_judged_and_with_shorter_texts() -> None:
    (section,) = measure(TINY, ["secrets"])

    assert [figure.aim for figure in section.figures] == [None, "≤ 1.5\N{MULTIPLICATION SIGN}"] + 2 * [
        None,
        "≤ 15\N{MULTIPLICATION SIGN}",
    ]
    check_figures(section)


def test_proof_costs_nothing_where_there_is_none_and_git_is_asked_once() -> None:
    (section,) = measure(TINY, ["proofs"])

    aims = {figure.what: (figure.aim, figure.value) for figure in section.figures if figure.aim is not None}
    assert [aim for aim, _ in aims.values()] == ["≤ 1.1\N{MULTIPLICATION SIGN}", "≤ 1 calls"]
    assert aims["calls of git for a handoff of 40 proofs"][1] == 1
    assert all(figure.value > 0 for figure in section.figures)


def test_every_call_is_compared_between_a_small_store_and_each_larger_one() -> None:
    (section,) = measure(TINY, ["flat"])

    calls = ("close, NORMAL", "close, FULL", "radar", "delta", "context", "resume")
    grounds = ("1,000 steps", "2,000 steps", "one task of 2,000 steps")
    expected = [f"{call}: {ground}" for call in calls for ground in grounds]
    for how in ("done", "blocked"):
        expected += [f"radar: task of 1,000, first 990 {how}", f"radar: task of 2,000, first 1,990 {how}"]
    assert [figure.what for figure in section.figures] == expected
    assert len(section.notes) == len(grounds) + 4
    check_figures(section)


def test_every_call_on_many_documents_is_compared_with_the_same_call_on_few() -> None:
    (section,) = measure(TINY, ["bulk"])

    things = ("a plan of tasks", "a task of steps", "a task with dependents")
    expected = [
        f"{call}, {thing}: each of {size}"
        for thing in things
        for size in TINY.bulk
        for call in ("tasks_delete", "tasks_undo", "tasks_redo")
    ]
    assert [figure.what for figure in section.figures][: len(expected)] == expected
    assert len(section.notes) == 3 * len(things)
    check_figures(section)


def test_every_page_of_the_queue_is_compared_with_the_same_one_of_few_tasks() -> None:
    (section,) = measure(replace(TINY, sizes=(400, 800)), ["queue"])

    assert len(section.figures) == 2 * 7
    assert [figure.aim for figure in section.figures] == 7 * [None, "≤ 2\N{MULTIPLICATION SIGN}"]
    check_figures(section)


def test_every_question_of_words_is_compared_with_the_same_one_to_few_tasks() -> None:
    (section,) = measure(replace(TINY, sizes=(40, 80)), ["words"])

    assert len(section.figures) == 3 * 8
    assert [figure.what for figure in section.figures][:3] == [
        f"a word in every title: {place}" for place in ("40 tasks", "80 tasks", "40 tasks beside 80")
    ]
    check_figures(section)


def test_a_store_that_takes_too_long_to_make_is_left_out_and_named() -> None:
    (section,) = measure(replace(TINY, seeding=0.0), ["flat"])

    assert not section.figures
    assert [note for note in section.notes if "left out" in note and "one task of 2,000" in note]


def test_the_job_of_an_agent_is_counted_for_each_server_and_a_missing_one_is_named() -> None:
    (section,) = measure(TINY, ["loop"])

    ours, others = section.figures[:4], section.figures[4:]
    assert [figure.what for figure in ours if figure.holds] == [
        "calls for the job",
        "characters that the agent reads",
        "characters of the tool list",
    ]
    for peer in PEERS:
        said = [figure.what for figure in others if figure.what.startswith(peer.name)]
        named = [note for note in section.notes if note.startswith(f"{peer.name} is not compared: ")]
        assert (len(said), len(named)) in ((4, 0), (0, 1))


def test_each_job_is_timed_and_its_replies_are_counted_and_a_missing_manager_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "_INSTALLED", tmp_path)

    (section,) = measure(replace(TINY, managed=(20,), contested=5), ["peers"])

    jobs = ("add", "done", "list", "next")
    expected = {f"Gatepost: {job}{what}, 20 tasks" for job in jobs for what in ("", ": characters to read")}
    assert expected < {figure.what for figure in section.figures}
    assert all(figure.value > 0 for figure in section.figures)
    assert section.figures[-1].holds, "what was accepted from two writers is there"
    assert "Gatepost: two writers added 10, 10 accepted, 10 there" in section.notes
    for manager in OTHERS:
        assert any(note.startswith(f"{manager.name} is not compared: not installed") for note in section.notes)


def test_what_does_not_hold_is_said_plainly() -> None:
    at_most = Aim(sign="≤", bound=2)
    section = Section(
        name="made-up",
        figures=[
            compared("quick", 150, "µs", 100, at_most),
            compared("slow", 250, "µs", 100, at_most),
            alone("free", 1.5, "ms"),
        ],
        notes=["said beside"],
    )

    shown = table([section])

    assert "1 of 2 aims do NOT hold:\n  slow: 2.50\N{MULTIPLICATION SIGN}, should be ≤ 2" in shown
    assert "made-up: said beside" in shown


def test_results_are_kept_with_the_machine_they_were_measured_on(tmp_path: Path) -> None:
    section = Section(name="store", figures=[alone("free", 1.5, "ms")])

    kept = keep([section], TINY, ["store"], tmp_path)

    assert kept.name == "quick-store.json"
    read = json.loads(kept.read_text())
    assert read["sections"] == json.loads(json.dumps(report([section], "quick")["sections"]))
    assert read["machine"].keys() >= {"cores", "python", "sqlite"}


def test_an_unknown_section_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--only", "store,speed"])

    assert f"speed: not among {', '.join(SECTIONS)}" in capsys.readouterr().err


def check_figures(section: Section) -> None:
    for figure in section.figures:
        assert figure.value > 0
        assert (figure.aim is None) == (figure.holds is None)
        assert figure.aim is None or figure.ratio is not None
