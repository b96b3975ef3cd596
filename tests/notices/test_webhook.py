"""The webhook: what it gets, how it is signed, and what happens when it does not take it."""

import hmac
import os
import re
import socket
import subprocess
import sys
import textwrap
import threading
import tomllib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from gatepost.client.connect import Gatepost
from gatepost.domain.questions import Question
from gatepost.domain.steps import Step
from gatepost.notices import news, sender, webhook
from gatepost.notices.configuration import KINDS, parsed
from gatepost.notices.notice import NotDelivered, Notice
from tests.notices.givens import BOTH, W, finish_plan, task
from tests.notices.receiver import PATIENCE, Receiver

Opened = Callable[..., Gatepost]
SECRET = "a secret of at least sixteen characters"  # noqa: S105 - of these tests


@pytest.fixture
def secret_file(tmp_path: Path) -> Path:
    """A file with a secret, for its owner alone."""
    file = tmp_path / "secret"
    file.write_text(f"{SECRET}\n", encoding="ascii")
    file.chmod(0o600)
    return file


def test_a_plan_that_is_done_is_told_once_and_signed(opened: Opened, receiver: Receiver, secret_file: Path) -> None:
    gp = opened(url=receiver.url, secret_file=str(secret_file))

    plan = finish_plan(gp)
    got = receiver.next()
    gp.close()

    assert got.path == "/hook?key=in-the-path"
    told = got.notice
    assert (told["kind"], told["workspace"], told["plan"], told["root_title"]) == ("plan_done", W, plan, "Shop")
    assert told["text"] == f"{plan} “Shop” is done."
    assert told["actor"] == "agent:tester"
    at, mark = (part.partition("=")[2] for part in got.headers["Gatepost-Signature"].split(","))
    assert mark == hmac.new(SECRET.encode(), f"{at}.".encode() + got.body, sha256).hexdigest()
    assert receiver.rest() == []


def test_what_the_docs_say_works(opened: Opened, receiver: Receiver, secret_file: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "people.md").read_text("utf-8")
    [snippet] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    [table] = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    read: dict[str, Any] = {}
    exec(textwrap.dedent(snippet), read)  # noqa: S102 - our own page
    gp = opened(url=receiver.url, secret_file=str(secret_file))

    finish_plan(gp)
    got = receiver.next()
    gp.close()

    header = got.headers["Gatepost-Signature"]
    assert read["is_genuine"](header, got.body, SECRET.encode())
    assert not read["is_genuine"](header, got.body + b" ", SECRET.encode())
    found = parsed(tomllib.loads(table)["notify"], "/", "people.md")
    assert found is not None
    assert (found.events, found.stuck_after) == (KINDS, 4 * 3600)


def test_a_step_that_only_lacks_a_persons_sign_off_is_told_when_it_comes_to_that(
    opened: Opened, receiver: Receiver
) -> None:
    gp = opened(url=receiver.url)
    made = task(gp)
    gp.call("tasks_policy", workspace=W, task=made, signoff={"tests": "human"})

    gp.call("tasks_verify", workspace=W, task=made, path="s:0", checkpoints={"criteria": {"confirmed": True}})
    gp.call("tasks_verify", workspace=W, task=made, path="s:0", checkpoints={"tests": {"confirmed": True}})
    gp.call(
        "tasks_verify", workspace=W, task=made, path="s:0", checkpoints={"tests": {"confirmed": True, "note": "n"}}
    )
    gp.close()

    [got] = receiver.rest()
    assert (got.notice["kind"], got.notice["task"], got.notice["checkpoints"]) == ("signoff", made, ["tests"])
    assert got.notice["step"]["path"] == "s:0"
    assert got.notice["text"] == f"{made} s:0 “Rotate” waits for a person to sign off tests."


def test_a_question_is_told_once_with_what_can_be_answered(opened: Opened, receiver: Receiver) -> None:
    gp = opened(url=receiver.url)
    made = task(gp)
    asked = {"ask": "Which port?", "options": ["4870", "8080"], "for": "human"}

    gp.call("tasks_block", workspace=W, task=made, path="s:0", **asked)
    gp.call("tasks_block", workspace=W, task=made, path="s:0", **asked)
    gp.call("tasks_note", workspace=W, task=made, path="s:0", note="Waiting.")
    gp.close()

    [got] = receiver.rest()
    told = got.notice
    assert {name: told[name] for name in asked} == asked
    assert (told["kind"], told["task"], told["root_title"], told["step"]["title"]) == (
        "question",
        made,
        "Keys",
        "Rotate",
    )
    assert told["text"] == f"{made} s:0 “Rotate” asks: Which port? (4870, 8080)"


def test_a_question_for_another_agent_is_not_told_to_people(opened: Opened, receiver: Receiver) -> None:
    gp = opened(url=receiver.url)
    made = task(gp)

    gp.call("tasks_block", workspace=W, task=made, path="s:0", ask="Done?", **{"for": "agent:reviewer"})
    gp.close()

    assert receiver.rest() == []


def test_a_step_that_is_moved_with_its_question_is_no_news() -> None:
    asked = Question(ask="Who?", actor="agent:a", at="2026-11-16T12:00:00.000Z")
    step = Step(id="STEP-0A1B2C3D", title="A", blocked=True, question=asked)

    assert news.news_in([("ta1.sa0", None, step)])
    assert news.news_in([("ta1.sa0", step, None), ("ta1.sa1.sa0", None, step)]) == []


def test_what_people_need_not_know_is_not_told(opened: Opened, receiver: Receiver) -> None:
    gp = opened(url=receiver.url)
    made = task(gp)

    gp.call("tasks_note", workspace=W, task=made, path="s:0", note="half way")
    gp.call("tasks_block", workspace=W, task=made, path="s:0", reason="no key")
    gp.call("tasks_block", workspace=W, task=made, path="s:0", blocked=False)
    gp.call("tasks_close_step", workspace=W, task=made, path="s:0", checkpoints=BOTH)
    gp.call("tasks_complete", workspace=W, task=made)
    gp.close()

    assert receiver.rest() == []


def test_only_the_chosen_events_are_told(opened: Opened, receiver: Receiver) -> None:
    gp = opened(url=receiver.url, events="signoff,step_stuck")

    finish_plan(gp)
    gp.close()

    assert receiver.rest() == []


def test_a_change_that_is_refused_or_rehearsed_is_not_told(opened: Opened, receiver: Receiver) -> None:
    gp = opened(url=receiver.url)
    plan = gp.call("tasks_create", workspace=W, kind="plan", title="P")["id"]

    gp.client.rehearse("tasks_complete", {"workspace": W, "task": plan})
    gp.close()

    assert receiver.rest() == []


def test_a_receiver_that_is_busy_gets_the_same_notice_again(
    opened: Opened, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sender, "PAUSES", (0.0,) * 4)
    receiver.statuses = [503, 429, 500, 502]
    gp = opened(url=receiver.url)

    finish_plan(gp)
    bodies = [receiver.next().body for _ in range(5)]
    gp.close()

    assert len(set(bodies)) == 1
    assert receiver.rest() == []


@pytest.mark.parametrize("status", [302, 400, 404, 410])
def test_a_receiver_that_says_no_is_not_asked_again_and_redirects_are_not_followed(
    opened: Opened, receiver: Receiver, capfd: pytest.CaptureFixture[str], status: int
) -> None:
    receiver.statuses = [status]
    gp = opened(url=receiver.url)

    plan = finish_plan(gp)
    gp.close()

    assert [got.path for got in receiver.rest()] == ["/hook?key=in-the-path"]
    said = capfd.readouterr().err
    assert f"{plan} “Shop” is done. This notice was not delivered: http://127.0.0.1:" in said
    assert f"it answered {status}." in said
    assert "in-the-path" not in said


def test_after_five_attempts_the_next_notice_has_its_turn(
    opened: Opened, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sender, "PAUSES", (0.0,) * 4)
    receiver.statuses = [500] * 5
    gp = opened(url=receiver.url)

    finish_plan(gp, "First")
    finish_plan(gp, "Second")
    titles = [receiver.next().notice["root_title"] for _ in range(6)]
    gp.close()

    assert titles == [*["First"] * 5, "Second"]
    assert "“First” is done. This notice was not delivered" in capfd.readouterr().err


def test_a_receiver_that_is_not_there_fails_no_call(
    opened: Opened, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sender, "AT_CLOSE", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    gp = opened(url=f"http://127.0.0.1:{port}/")

    plan = finish_plan(gp)
    gp.close()

    assert "This notice was not delivered: http://127.0.0.1:" in capfd.readouterr().err
    assert gp.call("tasks_resume", workspace=W, plan=plan)["target"]["status"] == "DONE"


def test_a_sender_that_crashes_fails_no_call_and_tells_the_next_news(
    opened: Opened, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    gp = opened(url=receiver.url)
    with monkeypatch.context() as broken:
        broken.setattr(news, "_TITLES", {})
        first = finish_plan(gp, "First")
        gp.close()
    second = finish_plan(gp, "Second")

    assert receiver.next().notice["plan"] == second
    assert "A notice failed" in capfd.readouterr().err
    assert gp.call("tasks_resume", workspace=W, plan=first)["target"]["status"] == "DONE"


def test_a_process_that_can_start_no_thread_fails_no_call(
    opened: Opened, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    gp = opened(url=receiver.url)
    with monkeypatch.context() as crowded:
        crowded.setattr(threading.Thread, "start", full)
        finish_plan(gp, "First")
    finish_plan(gp, "Second")

    assert receiver.next().notice["root_title"] == "Second"


def test_a_program_that_closes_nothing_tells_before_it_ends(project: Path, receiver: Receiver) -> None:
    program = """
import gatepost
gp = gatepost.connect()
plan = gp.call("tasks_create", workspace="a/b", kind="plan", title="Shop")["id"]
gp.call("tasks_complete", workspace="a/b", task=plan)
"""
    environment = {**os.environ, "GATEPOST_NOTIFY_URL": receiver.url}

    subprocess.run([sys.executable, "-c", program], cwd=project, env=environment, timeout=PATIENCE, check=True)

    assert len(receiver.rest()) == 1


def test_a_receiver_that_answers_a_byte_at_a_time_is_cut_off() -> None:
    stop = threading.Event()

    def drip() -> None:
        connection, _ = server.accept()
        with connection:
            while not stop.wait(0.01):
                try:
                    connection.sendall(b"H")
                except OSError:
                    return

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        with pytest.raises(NotDelivered) as failed:
            webhook.post(f"http://127.0.0.1:{server.getsockname()[1]}/", b"{}", None, 0.5)
        stop.set()
        thread.join(PATIENCE)

    assert failed.value.again


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda file: file.chmod(0o644), "others can read the secret file"),
        (lambda file: file.unlink(), "cannot be read: No such file"),
        (lambda file: file.write_text("short", encoding="ascii"), "fewer than 16 characters"),
        (lambda file: (file.unlink(), file.mkdir(mode=0o700)), "cannot be read"),
    ],
)
def test_nothing_is_sent_without_the_signature_that_was_asked_for(
    receiver: Receiver, secret_file: Path, spoil: Callable[[Path], object], why: str
) -> None:
    spoil(secret_file)

    with pytest.raises(NotDelivered, match=why):
        webhook.post(receiver.url, b"{}", str(secret_file), PATIENCE)

    assert receiver.rest() == []


def test_a_notice_has_no_credentials_and_no_endless_texts() -> None:
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    made = Notice(
        kind="question",
        id="1",
        workspace=W,
        at="now",
        title="T",
        text=f"use {token}",
        ask="x" * 5_000,
        options=(token,),
    )

    body = made.body().decode()

    assert token not in body
    assert token not in made.words()["text"]
    assert len(body) < 2_500
