"""A server runs no commands, unless it was started so; then only a few at once, for those who wait."""

import json
import socket
import sys
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path
from threading import Event, Semaphore

import pytest

from gatepost import wiring
from gatepost.checks import trust_record
from gatepost.domain.checks import Check
from gatepost.engine.caller import Caller
from gatepost.engine.checks import Cancellation, CheckRun
from gatepost.operations.answer import answer
from gatepost.surfaces.http.check_calls import AT_ONCE, WAITING
from tests.givens import WORKSPACE, ScriptedChecks, World
from tests.http.givens import PATIENCE, client_of, site


@pytest.mark.parametrize("runs", [False, True])
@pytest.mark.requirement("trust.http.off")
def test_a_server_runs_what_a_person_trusts_only_if_it_was_started_so(
    *, runs: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    home = tmp_path / "project" / ".gatepost"
    home.mkdir(parents=True)
    trust_record.change(str(home.parent.resolve()), lambda record: record._replace(allow=((sys.executable,),)))
    engine = wiring.engine(str(home / "gatepost.db"), home=str(home), runs_checks=runs)
    steps = [{"title": "a", "checks": [{"run": [sys.executable, "-c", "print(1)"]}]}]
    given = {"workspace": WORKSPACE, "kind": "task", "title": "t", "steps": steps}
    answer(engine, "tasks_create", given, Caller("http"))

    answered = answer(
        engine, "tasks_check", {"workspace": WORKSPACE, "task": "TASK-001", "path": "s:0"}, Caller("http")
    )

    engine.store.close()
    if runs:
        assert json.loads(answered.text)["confirmed"] == ["tests"]
    else:
        assert answered.refusal is not None
        assert answered.refusal.code == "NOT_TRUSTED"
        assert "--run-checks" in answered.refusal.recovery


class Waiting(ScriptedChecks):
    """Checks that run until they are let go, or cancelled."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = Semaphore(0)
        self.go, self.ended = Event(), Event()

    def run(
        self, check: Check, said: Callable[[bytes], None] | None = None, cancelled: Cancellation | None = None
    ) -> CheckRun:
        self.begun.release()
        while not self.go.wait(0.02):
            if cancelled is not None and cancelled.is_set():
                self.ended.set()
                break
        return super().run(check, said, cancelled)


@pytest.fixture
def waiting(world: World) -> Waiting:
    """A world whose only task has a check that waits."""
    checks = Waiting()
    world.engine.checks = checks
    world.ok("tasks_create", kind="task", title="t", steps=[{"title": "a", "checks": [{"run": "true"}]}])
    return checks


@pytest.mark.requirement("proof.check.delays-nobody")
def test_checks_leave_the_threads_to_others_and_too_many_are_refused(world: World, waiting: Waiting) -> None:
    most = AT_ONCE + WAITING
    with site(world) as here, ThreadPoolExecutor(most + 1) as threads:

        def call(_: int) -> int:
            with client_of(here.url) as client:
                given = {"workspace": WORKSPACE, "task": "TASK-001", "path": "s:0"}
                return client.post("/v1/operations/tasks_check", json=given).status_code

        calls = [threads.submit(call, number) for number in range(most + 1)]
        done, _ = wait(calls, PATIENCE, FIRST_COMPLETED)
        here.ok("tasks_radar")
        began = [waiting.begun.acquire(timeout=PATIENCE) for _ in range(AT_ONCE)]
        more = waiting.begun.acquire(blocking=False)
        waiting.go.set()
        statuses = sorted(one.result() for one in calls)

    assert [one.result() for one in done] == [503]
    assert (began, more) == ([True] * AT_ONCE, False)
    assert statuses == [200] * most + [503]


@pytest.mark.requirement("proof.check.cancelled-leaves-nothing")
def test_a_check_ends_when_its_client_goes(world: World, waiting: Waiting) -> None:
    before = world.everything()
    with site(world) as here:
        body = json.dumps({"workspace": WORKSPACE, "task": "TASK-001", "path": "s:0"}).encode()
        head = f"POST /v1/operations/tasks_check HTTP/1.1\r\nhost: 127.0.0.1:{here.server.port}\r\n"
        head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", here.server.port)) as connection:
            connection.sendall(head.encode() + body)
            assert waiting.begun.acquire(timeout=PATIENCE)

        assert waiting.ended.wait(PATIENCE)
        here.ok("tasks_radar")

    assert world.everything() == before
