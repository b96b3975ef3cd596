"""Who may come in."""

import pytest

from tests.givens import World
from tests.http.givens import Site, site

TOKEN = "a-token-" * 3


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:4870", ""])
def test_a_name_that_is_not_the_servers_own_is_refused(here: Site, host: str) -> None:
    answered = here.client.get("/v1/openapi.json", headers={"host": host})
    assert (answered.status_code, answered.json()["code"]) == (403, "FORBIDDEN_HOST")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:4870", "[::1]:4870"])
def test_the_names_of_this_machine_to_itself_are_let_in(here: Site, host: str) -> None:
    assert here.client.get("/v1/openapi.json", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:1", "file://"])
def test_a_page_of_another_site_may_not_ask(here: Site, origin: str) -> None:
    answered = here.call("tasks_create", {"origin": origin}, kind="task", title="x")
    assert (answered.status_code, answered.json()["code"]) == (403, "FORBIDDEN_ORIGIN")
    assert here.world.everything()["events"] == []


def test_the_servers_own_page_may_ask(here: Site) -> None:
    assert here.call("tasks_radar", {"origin": here.url}).status_code == 200


def test_without_the_token_nothing_but_the_probes_is_answered(world: World) -> None:
    with site(world, token=TOKEN) as here:
        for given in ({}, {"authorization": "Bearer wrong"}, {"authorization": f"Basic {TOKEN}"}):
            refused = here.call("tasks_create", given, kind="task", title="x")
            assert (refused.status_code, refused.json()["code"]) == (401, "UNAUTHORIZED")
            assert refused.headers["www-authenticate"] == "Bearer"
        assert here.client.get("/v1/events").status_code == 401
        assert here.client.get("/metrics").status_code == 401
        assert here.client.post("/mcp", json={}).status_code == 401
        assert here.client.get("/healthz").status_code == 200
        assert world.everything()["events"] == []

        let_in = here.call("tasks_create", {"authorization": f"Bearer {TOKEN}"}, kind="task", title="x")
        assert let_in.status_code == 200
        assert TOKEN not in str(here.logged(8))
