"""A question of a blocked step, put to the user of the client: by the official SDK's client, on both transports and
in both eras.
"""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client import ClientRequestContext
from mcp_types import ElicitRequestFormParams, ElicitRequestParams, ElicitResult, methods

import gatepost
from gatepost.settings import settings
from gatepost.surfaces.mcp import request_state, stdio_questions
from gatepost.surfaces.mcp.answers import PendingQuestions
from gatepost.surfaces.mcp.exchange import InputRequired, Question
from gatepost.surfaces.mcp.messages import CAPABILITIES_KEY, VERSION_KEY, Peer, RpcReply
from gatepost.surfaces.mcp.protocol import McpDispatcher
from gatepost.surfaces.mcp.stdio_questions import StdioQuestions
from gatepost.surfaces.mcp.toolbox import GatepostTools
from tests.mcp.sdk_clients import MODES, TRANSPORTS, store, talk

W = "acme/shop"
Answers = Callable[[ElicitRequestParams], Awaitable[ElicitResult]]

both = pytest.mark.parametrize("mode", MODES)
everywhere = pytest.mark.parametrize("transport", TRANSPORTS)


class User:
    """The user of a client: is shown questions, and answers each."""

    def __init__(self, *answers: Answers) -> None:
        self.shown: list[ElicitRequestParams] = []
        self._answers = list(answers)

    async def __call__(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        assert context is not None
        self.shown.append(params)
        return await self._answers.pop(0)(params)


def says(**content: Any) -> Answers:
    async def answer(_params: ElicitRequestParams) -> ElicitResult:
        return ElicitResult(action="accept", content=content)

    return answer


def does(action: Any) -> Answers:
    async def answer(_params: ElicitRequestParams) -> ElicitResult:
        return ElicitResult(action=action)

    return answer


async def call(client: Client, tool: str, **arguments: Any) -> Any:
    done = await client.call_tool(tool, {"workspace": W, **arguments})
    return json.loads(done.content[0].text)  # type: ignore[union-attr] # tools of Gatepost answer with a text


async def ask(client: Client, **more: Any) -> Any:
    """Ask which port to use."""
    made = await call(
        client, "tasks_create", kind="task", title="Server", steps=[{"title": "Port"}, {"title": "Run"}]
    )
    return await call(client, "tasks_block", task=made["id"], path="s:0", ask="Which port?", **more)


def inbox(gp: gatepost.Gatepost) -> list[Any]:
    items: list[Any] = gp.call("tasks_inbox", workspace=W)["items"]
    return items


@everywhere
@both
@pytest.mark.requirement("question.elicitation.put")
def test_the_answer_of_the_clients_user_lifts_the_block_in_the_same_call(
    tmp_path: Path, transport: str, mode: str
) -> None:
    user = User(says(answer="8080"))
    replies: list[Any] = []

    async def use(client: Client) -> None:
        replies.append(await ask(client, options=["4870", "8080"], **{"for": "human"}))
        replies.append(await call(client, "tasks_radar"))

    talk(transport, mode, tmp_path, use, elicitation=user)

    blocked, radar = replies
    assert blocked["elicited"] == {"outcome": "answered", "answer": "8080"}
    assert [event["type"] for event in blocked["events"]] == ["step_blocked", "step_unblocked"]
    assert "changed" not in blocked
    answer = radar["now"]["answer"]
    assert (radar["now"]["path"], answer["answer"], answer["question"]) == ("s:0", "8080", "Which port?")
    [shown] = user.shown
    assert shown.message == "Which port?\n\nTASK-001 s:0 “Port”"
    assert isinstance(shown, ElicitRequestFormParams)
    assert shown.requested_schema["properties"]["answer"]["enum"] == ["4870", "8080"]
    with store(tmp_path) as gp:
        assert inbox(gp) == []
        [lifted] = gp.call("tasks_delta", workspace=W, types=["step_unblocked"])["events"]
        assert lifted["via"] == "elicitation"
        assert lifted["actor"].startswith("agent")


@everywhere
@both
@pytest.mark.parametrize(
    ("answer", "because"),
    [
        (does("decline"), "The user declined to answer."),
        (does("cancel"), "The user gave no answer."),
        (says(answer="  "), "The user's answer was empty."),
        (says(other="x"), "The user's answer was empty."),
        (
            says(answer="it is ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
            "The answer could not be stored.",
        ),
    ],
)
def test_without_an_answer_the_question_waits_in_the_inbox(
    tmp_path: Path, transport: str, mode: str, answer: Answers, because: str
) -> None:
    replies: list[Any] = []

    async def use(client: Client) -> None:
        replies.append(await ask(client))

    talk(transport, mode, tmp_path, use, elicitation=User(answer))

    [reply] = replies
    assert reply["elicited"]["outcome"] == "waits"
    assert reply["elicited"]["because"].startswith(because)
    assert [event["type"] for event in reply["events"]] == ["step_blocked"]
    assert reply["now"]["path"] == "s:1"
    with store(tmp_path) as gp:
        assert [item["ask"] for item in inbox(gp)] == ["Which port?"]


@everywhere
@both
def test_a_client_that_cannot_ask_hears_that_the_question_waits(tmp_path: Path, transport: str, mode: str) -> None:
    replies: list[Any] = []

    async def use(client: Client) -> None:
        replies.append(await ask(client))

    talk(transport, mode, tmp_path, use)

    assert replies[0]["elicited"]["outcome"] == "waits"
    assert replies[0]["elicited"]["because"].startswith("This client cannot ask its user.")
    assert [event["type"] for event in replies[0]["events"]] == ["step_blocked"]
    with store(tmp_path) as gp:
        assert len(inbox(gp)) == 1


@everywhere
@both
def test_what_another_agent_or_a_named_person_shall_answer_is_not_put_to_the_user(
    tmp_path: Path, transport: str, mode: str
) -> None:
    user, replies = User(), list[Any]()

    async def use(client: Client) -> None:
        replies.append(await ask(client, **{"for": "agent:reviewer"}))
        replies.append(await ask(client, **{"for": "human:ann"}))

    talk(transport, mode, tmp_path, use, elicitation=user)

    assert user.shown == []
    assert not [reply for reply in replies if "elicited" in reply]


@everywhere
@both
def test_who_answers_elsewhere_first_wins_and_the_late_answer_is_dropped(
    tmp_path: Path, transport: str, mode: str
) -> None:
    replies: list[Any] = []

    async def late(_params: ElicitRequestParams) -> ElicitResult:
        with store(tmp_path) as gp:
            [item] = inbox(gp)
            lifted = {"task": item["task"], "path": item["path"], "blocked": False, "answer": "4870"}
            gp.call("tasks_block", workspace=W, **lifted)
        return ElicitResult(action="accept", content={"answer": "8080"})

    async def use(client: Client) -> None:
        replies.append(await ask(client))
        replies.append(await call(client, "tasks_radar"))

    talk(transport, mode, tmp_path, use, elicitation=User(late))

    blocked, radar = replies
    assert blocked["elicited"] == {"outcome": "answered_elsewhere", "answer": "4870", "actor": "python"}
    assert radar["now"]["answer"]["answer"] == "4870"


@everywhere
def test_a_legacy_call_goes_on_as_soon_as_somebody_answers_elsewhere(tmp_path: Path, transport: str) -> None:
    replies: list[Any] = []

    async def never(_params: ElicitRequestParams) -> ElicitResult:
        with store(tmp_path) as gp:
            [item] = inbox(gp)
            gp.call(
                "tasks_block",
                workspace=W,
                task=item["task"],
                path=item["path"],
                blocked=False,
                answer="From the page",
            )
        await anyio.sleep_forever()
        raise AssertionError

    async def use(client: Client) -> None:
        replies.append(await ask(client))

    talk(transport, "legacy", tmp_path, use, elicitation=User(never))

    assert replies[0]["elicited"]["answer"] == "From the page"


def test_other_calls_are_answered_while_a_user_thinks_and_a_cancelled_call_asks_no_longer(tmp_path: Path) -> None:
    thinking, replies = anyio.Event(), list[Any]()

    async def thinks(_params: ElicitRequestParams) -> ElicitResult:
        thinking.set()
        await anyio.sleep_forever()
        raise AssertionError

    async def use(client: Client) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(ask, client)
            await thinking.wait()
            replies.append(await call(client, "tasks_radar"))
            group.cancel_scope.cancel()
        replies.append(await call(client, "tasks_radar"))

    talk("stdio", "legacy", tmp_path, use, elicitation=User(thinks))

    assert [radar["now"]["path"] for radar in replies] == ["s:1", "s:1"]
    with store(tmp_path) as gp:
        assert len(inbox(gp)) == 1


def tools(folder: Path) -> GatepostTools:
    """The toolbox of `gatepost mcp` in this process."""
    found = settings({"store": str(folder / "gp.db"), "synchronous": "NORMAL"}, str(folder))
    return GatepostTools(found, "core", output_schemas=False)


def modern(toolbox: GatepostTools, tool: str, arguments: dict[str, Any], capabilities: Any, **params: Any) -> Any:
    """The result of a modern call."""
    meta = {VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: capabilities}
    given = {"name": tool, "arguments": {"workspace": W, **arguments}, "_meta": meta, **params}
    reply = McpDispatcher(toolbox).answer(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": given}, Peer()
    )
    assert isinstance(reply, RpcReply)
    answered = json.loads(reply.body)
    if "error" in answered:
        return answered
    result = answered["result"]
    methods.validate_server_result("tools/call", "2026-07-28", result)
    return json.loads(result["content"][0]["text"]) if result["resultType"] == "complete" else result


QUESTION = {"task": "TASK-001", "path": "s:0", "ask": "Which port?", "for": "human"}
YES = {"answer": {"action": "accept", "content": {"answer": "8080"}}}
TASK = {"kind": "task", "title": "Server", "steps": [{"title": "Port"}]}


def test_an_answer_to_what_nobody_was_asked_lifts_nothing_and_one_answer_lifts_once(tmp_path: Path) -> None:
    toolbox = tools(tmp_path)
    modern(toolbox, "tasks_create", TASK, {})
    can: Any = {"elicitation": {"form": {}}}

    unasked = modern(toolbox, "tasks_block", QUESTION, can, inputResponses=YES)
    state = {"requestState": unasked["requestState"], "inputResponses": YES}
    answered = modern(toolbox, "tasks_block", QUESTION, can, **state)
    again = modern(toolbox, "tasks_block", QUESTION, can, **state)
    toolbox.close()

    assert list(unasked["inputRequests"]) == ["answer"]
    assert answered["elicited"]["outcome"] == "answered"
    assert (again["elicited"]["outcome"], again["left"]) == ("answered_elsewhere", {"open": 1})
    with store(tmp_path) as gp:
        types = ["step_blocked", "step_unblocked"]
        assert [event["type"] for event in gp.call("tasks_delta", workspace=W, types=types)["events"]] == types


def test_after_a_restart_the_client_hears_what_to_do_and_the_user_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    can: Any = {"elicitation": {"form": {}}}
    first = tools(tmp_path)
    modern(first, "tasks_create", TASK, {})
    asked = modern(first, "tasks_block", QUESTION, can)
    first.close()
    monkeypatch.setattr(request_state, "_KEY", b"the key of the next process")
    second = tools(tmp_path)

    old = modern(second, "tasks_block", QUESTION, can, requestState=asked["requestState"], inputResponses=YES)
    with store(tmp_path) as gp:
        [waiting] = inbox(gp)
    again = modern(second, "tasks_block", QUESTION, can)
    state = {"requestState": again["requestState"], "inputResponses": YES}
    answered = modern(second, "tasks_block", QUESTION, can, **state)
    second.close()

    assert old["error"]["message"].endswith(
        "without requestState and inputResponses: the user is then asked again."
    )
    assert waiting["ask"] == "Which port?"
    assert again["inputRequests"] == asked["inputRequests"]
    assert answered["elicited"] == {"outcome": "answered", "answer": "8080"}


def test_a_client_that_only_opens_links_is_not_shown_a_form(tmp_path: Path) -> None:
    toolbox = tools(tmp_path)
    modern(toolbox, "tasks_create", TASK, {})

    plain = modern(toolbox, "tasks_block", QUESTION, {"elicitation": {"url": {}}})
    toolbox.close()

    assert plain["elicited"]["outcome"] == "waits"
    assert plain["events"][0]["type"] == "step_blocked"


def test_the_answer_makes_nobody_a_person(tmp_path: Path) -> None:
    toolbox = tools(tmp_path)
    modern(toolbox, "tasks_create", TASK, {})
    policy = {"task": "TASK-001", "signoff": {"tests": "human"}}
    with store(tmp_path) as gp:
        gp.call("tasks_policy", workspace=W, **policy)

    asked = modern(toolbox, "tasks_block", QUESTION, {"elicitation": {}})
    modern(
        toolbox,
        "tasks_block",
        QUESTION,
        {"elicitation": {}},
        inputResponses=YES,
        requestState=asked["requestState"],
    )
    marks = {"criteria": {"confirmed": True}, "tests": {"confirmed": True}}
    closed = modern(toolbox, "tasks_close_step", {"task": "TASK-001", "path": "s:0", "checkpoints": marks}, {})
    toolbox.close()

    assert closed["error"]["code"] == "SIGNOFF_REQUIRED"


def test_on_stdio_a_question_that_takes_too_long_is_withdrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio_questions, "PATIENCE", -1.0)
    said: list[Any] = []
    questions = StdioQuestions(lambda line: said.append(json.loads(line)))
    form: Question = {"method": "elicitation/create", "params": {}}

    questions.ask("the request", 7, PendingQuestions(InputRequired({"answer": form}, {}, {"step": "s"})))
    waited = questions.ids
    [(request, answers)] = questions.over()

    assert (waited, request, bool(questions)) == (frozenset([7]), "the request", False)
    assert (answers.given, answers.kept) == ({"answer": {"action": "cancel"}}, {"step": "s"})
    assert [line.get("method") for line in said] == ["elicitation/create", "notifications/cancelled"]
    assert said[1]["params"]["requestId"] == said[0]["id"]
    assert not questions.take({"jsonrpc": "2.0", "id": said[0]["id"], "result": {"action": "accept"}})
