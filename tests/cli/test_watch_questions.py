"""What `gatepost watch` shows beside the lists: questions, answers, claims, and how much waits for a person."""

from tests.cli.givens import Desk
from tests.cli.terminals import gatepost, seated
from tests.cli.test_watch import line, piped


def test_a_pipe_gets_a_line_for_each_question_and_its_answer(desk: Desk) -> None:
    task = desk.passkeys()
    desk.world.ok("tasks_block", task=task, path="s:1", ask="Asked before?")
    desk.world.ok("tasks_block", task=task, path="s:1", blocked=False, answer="Yes")
    with piped() as process:
        line(process)
        desk.world.ok("tasks_block", task=task, path="s:1", ask="Which port?", options=["80", "8080"])
        lines = [" ".join(line(process)) for _ in range(2)]
        desk.world.ok("tasks_block", task=task, path="s:1", blocked=False, answer="8080")
        lines += [" ".join(line(process)) for _ in range(2)]

    assert "blocked" in lines[0]
    assert "(Which port?)" in lines[0]
    assert lines[1] == f"{task} ? asked s:1 Which port? [80 | 8080] (tester)"
    assert f"{task} = answered s:1 8080 (tester)" in lines


def test_a_terminal_says_how_much_waits_for_a_person(desk: Desk) -> None:
    task = desk.passkeys()
    with seated(gatepost("watch")) as seat:
        seat.until(lambda text: "live" in text)
        desk.world.ok("tasks_block", task=task, path="s:1", ask="Which port?")
        seat.until(lambda text: "1 for you: gatepost inbox" in text and "(Which port?)" in text)


def test_a_pipe_gets_a_line_for_each_claim_and_its_end(desk: Desk) -> None:
    task = desk.passkeys()
    with piped() as process:
        line(process)
        desk.world.ok("tasks_claim", task=task, path="s:1")
        desk.world.ok("tasks_release", task=task, path="s:1")
        lines = [" ".join(line(process)) for _ in range(2)]

    assert lines == [f"{task} > claimed s:1 (tester)", f"{task} < released s:1 (tester)"]
