"""The command: its words, what it reads, and its limits."""

import io
import json
import os
import select
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gatepost.client.connect import Gatepost
from gatepost.notices import command, sender
from gatepost.notices.notice import NotDelivered, Notice
from tests.notices.givens import finish_plan
from tests.notices.receiver import PATIENCE, Receiver

WRITES = """
import json, os, sys
with open(sys.argv[1], "w") as file:
    json.dump([sys.argv[2:], json.load(sys.stdin), dict(os.environ), os.getcwd()], file)
"""
NOTICE = Notice(
    kind="question", id="1", workspace="acme/shop", at="now", title="Title", text="TASK-001 asks {title}"
)


def test_a_command_gets_the_notice_as_words_and_on_stdin_without_a_shell(
    opened: Callable[..., Gatepost], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISPLAY", ":7")
    monkeypatch.setenv("MY_TOKEN", "secret")
    (project / "write.py").write_text(WRITES, encoding="utf-8")
    out = project / "told.json"
    gp = opened(command=f"{sys.executable} write.py {out} '{{title}}' '{{text}}; touch hacked' $HOME")

    plan = finish_plan(gp, "$(touch hacked) `touch hacked` {title}")
    gp.close()

    words, notice, environment, folder = json.loads(out.read_text("utf-8"))
    text = f"{plan} “$(touch hacked) `touch hacked` {{title}}” is done."
    assert words == ["Gatepost: plan done in acme/shop", f"{text}; touch hacked", "$HOME"]
    assert (notice["kind"], notice["text"]) == ("plan_done", text)
    assert (environment["DISPLAY"], "MY_TOKEN" in environment) == (":7", False)
    assert not [name for name in environment if name.startswith("GATEPOST_NOTIFY")]
    assert folder == str(project)
    assert not (project / "hacked").exists()


def test_a_command_that_takes_too_long_is_ended_with_what_it_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    words = ["sh", "-c", f"sleep 600 & echo $! $$ > {pids}; wait"]

    with pytest.raises(NotDelivered, match="ran longer than 1 s and was stopped"):
        command.run(words, NOTICE, str(tmp_path), 1.0)

    until = time.monotonic() + PATIENCE
    while left := [pid for pid in map(int, pids.read_text("ascii").split()) if _runs(pid)]:
        assert time.monotonic() < until, left  # they have got SIGKILL, and the system takes a moment


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["no-such-program-here"], "could not be started"),
        (["false"], "ended with exit code 1"),
        (["true\0"], "could not be started"),
    ],
)
def test_a_command_that_fails_says_why(tmp_path: Path, words: list[str], why: str) -> None:
    with pytest.raises(NotDelivered, match=why) as failed:
        command.run(words, NOTICE, str(tmp_path), 10.0)

    assert not failed.value.again


def test_a_command_that_reads_nothing_is_fine(tmp_path: Path) -> None:
    command.run(["true"], NOTICE, str(tmp_path), 10.0)


def test_a_failing_command_does_not_keep_the_webhook_from_being_told(
    opened: Callable[..., Gatepost], receiver: Receiver, capfd: pytest.CaptureFixture[str]
) -> None:
    gp = opened(command="false", url=receiver.url)

    finish_plan(gp)
    gp.close()

    assert receiver.next().notice["kind"] == "plan_done"
    assert "This notice was not delivered: `false` ended with exit code 1." in capfd.readouterr().err


def test_a_receiver_that_is_down_does_not_keep_the_command_waiting(
    opened: Callable[..., Gatepost], receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sender, "PAUSES", (0.0, 3600.0))
    monkeypatch.setattr(sender, "AT_CLOSE", 0.2)
    told = tmp_path / "told"
    os.mkfifo(told)
    receiver.statuses = [500] * 50
    gp = opened(command=f"sh -c 'cat > {told}'", url=receiver.url)

    with told.open("r+b", buffering=0) as pipe:
        finish_plan(gp, "First")
        assert _read(pipe)["root_title"] == "First"
        assert [receiver.next().notice["root_title"] for _ in range(2)] == ["First", "First"]
        finish_plan(gp, "Second")
        assert _read(pipe)["root_title"] == "Second"

    assert receiver.rest() == []


def _read(pipe: io.FileIO) -> dict[str, Any]:
    assert select.select([pipe], [], [], PATIENCE)[0], "nothing came"
    notice: dict[str, Any] = json.loads(pipe.read(65_536))
    return notice


def test_a_name_in_a_word_is_replaced_once_and_others_stay(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command.run(["sh", "-c", f'printf %s "$0" > {out}', "{kind} {text} {other}"], NOTICE, str(tmp_path), 10.0)

    assert out.read_text("utf-8") == "question TASK-001 asks {title} {other}"


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in ("Z", "X")
