"""Who is a person over HTTP: the one who acts on the server's own page."""

import re
from typing import Any

import httpx
import pytest

from gatepost.domain.people import is_person, seems_person
from gatepost.surfaces.mcp.messages import CAPABILITIES_KEY, CLIENT_KEY, VERSION_KEY
from tests.givens import WORKSPACE, World
from tests.http.givens import Site, site
from tests.http.test_mcp import MODERN, called, post
from tests.look_alikes import LOOK_ALIKES

TOKEN = "a-token-" * 3
TASK = {"kind": "task", "title": "Login"}


def cookie(here: Site, path: str = "/") -> str:
    """The cookie that a browser gets with the page."""
    given = here.client.get(path).headers["set-cookie"]
    here.client.cookies.clear()
    return str(given.partition(";")[0])


def page(here: Site, name: str | None = "human:ann", **more: str) -> dict[str, str]:
    """The headers of a request that the page sends."""
    named = {} if name is None else {"x-gatepost-actor": name}
    return {"origin": here.url, "cookie": cookie(here), **named, **more}


def sendable(name: str) -> bytes:
    """A name as a header can carry it: without control characters."""
    return "".join(letter for letter in name if letter.isprintable() or not letter.isascii()).strip().encode()


def actors(here: Site) -> list[str]:
    """Who did what there is."""
    return [event["actor"] for event in here.ok("tasks_delta")["events"]]


def test_the_pages_cookie_is_for_no_script_no_other_site_and_no_other_path(here: Site) -> None:
    sent = here.client.get("/").headers["set-cookie"]

    assert re.fullmatch(
        rf"gatepost-{here.server.port}=[\w-]{{43}}; Path=/v1/operations; HttpOnly; SameSite=Strict", sent
    )
    assert "set-cookie" not in here.client.get("/page/js/api.js").headers
    assert "set-cookie" not in here.client.post("/v1/operations/tasks_radar", json={}).headers


def test_a_page_that_the_browser_kept_gets_its_cookie_again(here: Site) -> None:
    first = here.client.get("/")

    again = here.client.get("/", headers={"if-none-match": first.headers["etag"]})

    assert (again.status_code, again.headers["set-cookie"]) == (304, first.headers["set-cookie"])


@pytest.mark.parametrize(
    ("named", "recorded"),
    [
        ("human:ann", "human:ann"),
        ("human:Zoë", "human:Zoë"),
        (None, "human:web"),
        ("human:", "human:web"),
        ("agent:x", "agent:x"),
    ],
)
def test_who_acts_on_the_page_is_a_person_by_the_name_that_the_page_gives(
    here: Site, named: str | None, recorded: str
) -> None:
    headers: Any = {name: value.encode() for name, value in page(here, named).items()}

    assert here.call("tasks_create", headers, **TASK).status_code == 200

    assert actors(here) == [recorded]
    assert here.logged(2)[1]["actor"] == recorded


@pytest.mark.parametrize("name", LOOK_ALIKES, ids=ascii)
@pytest.mark.parametrize("has_cookie", [False, True])
def test_who_only_sends_a_header_is_no_person_and_is_logged_with_the_name(
    here: Site, name: str, has_cookie: bool
) -> None:
    headers: Any = {b"x-gatepost-actor": sendable(name)}
    if has_cookie:  # but no origin: a program copied it, and does not act on the page
        headers[b"cookie"] = cookie(here).encode()

    assert here.call("tasks_create", headers, **TASK).status_code == 200

    (actor,) = actors(here)
    assert actor.startswith("http:") or "?" in actor  # what does not show is a question mark in the log
    assert not seems_person(actor)
    assert actor.endswith(name[-2:])


@pytest.mark.parametrize("wrong", ["", "gatepost-{port}=", "gatepost-{port}=stolen", "other={value}"])
def test_a_page_without_the_cookie_is_refused_and_changes_nothing(here: Site, wrong: str) -> None:
    value = cookie(here).partition("=")[2]
    headers = page(here, cookie=wrong.format(port=here.server.port, value=value))

    refused = here.call("tasks_create", headers, **TASK)

    assert (refused.status_code, refused.json()["code"]) == (403, "PAGE_SESSION_ENDED")
    assert "Reload the page" in refused.json()["recovery"]
    assert here.world.everything()["events"] == []


def test_the_cookie_of_another_run_is_worth_nothing(here: Site, world: World) -> None:
    with site(world) as other:
        value = cookie(other).partition("=")[2]

    refused = here.call("tasks_create", page(here, cookie=f"gatepost-{here.server.port}={value}"), **TASK)

    assert refused.json()["code"] == "PAGE_SESSION_ENDED"


def test_a_page_of_another_origin_is_no_person_even_with_the_cookie(here: Site) -> None:
    for origin in ("http://127.0.0.1:1", "http://evil.example", "null"):
        refused = here.call("tasks_create", page(here, origin=origin), **TASK)
        assert (refused.status_code, refused.json()["code"]) == (403, "FORBIDDEN_ORIGIN")
    assert here.world.everything()["events"] == []


def test_with_a_token_the_page_needs_both(world: World) -> None:
    with site(world, token=TOKEN) as here:
        headers = page(here)
        assert here.call("tasks_create", headers, **TASK).status_code == 401
        assert here.call("tasks_create", {**headers, "authorization": f"Bearer {TOKEN}"}, **TASK).status_code == 200
        assert here.call("tasks_create", {"authorization": f"Bearer {TOKEN}"}, **TASK).status_code == 200

        logged = here.call("tasks_delta", {"authorization": f"Bearer {TOKEN}"}).json()["events"]
        assert [event["actor"] for event in logged] == ["human:ann", "http"]


@pytest.mark.parametrize("modern", [False, True])
@pytest.mark.parametrize("name", LOOK_ALIKES, ids=ascii)
def test_nobody_who_calls_over_mcp_is_a_person(here: Site, name: str, modern: bool) -> None:
    for roads in ((), ("header",), ("header", "page")):
        headers: Any = {"x-gatepost-actor": sendable(name)} if "header" in roads else {}
        headers |= {"origin": here.url, "cookie": cookie(here)} if "page" in roads else {}
        assert create_over_mcp(here, name, headers, modern=modern).status_code == 200

    recorded = actors(here)
    assert len(recorded) == 3
    assert not any(is_person(actor) or seems_person(actor) for actor in recorded)


def create_over_mcp(here: Site, client: str, headers: dict[str, Any], *, modern: bool) -> httpx.Response:
    """A task made by a client that has this name in the protocol, too."""
    info = {"name": client, "version": "1"}
    params: dict[str, Any] = {"name": "tasks_create", "arguments": {"workspace": WORKSPACE, **TASK}}
    if modern:
        meta = {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}, CLIENT_KEY: info}
        needed = {"mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "tasks_create"}
        answered = post(here, "tools/call", {**params, "_meta": meta}, needed | headers)
    else:
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
        session = post(here, "initialize", hello, headers).headers["mcp-session-id"]
        mine = {"mcp-session-id": session, "mcp-protocol-version": "2025-11-25"}
        answered = post(here, "tools/call", params, mine | headers)
    assert "error" not in called(answered)
    return answered
