"""The terminal on a server: it shows what it shows of a store, and what is wrong with the connection."""

from contextlib import ExitStack
from typing import Final

import pytest

from gatepost.client import remote_subscription
from gatepost.surfaces.http.app import ServerSettings
from gatepost.surfaces.http.server import Server
from tests.givens import WORKSPACE, World
from tests.http.givens import site
from tests.tui.givens import Driven, ServerSource, a_login_page, drive

TOKEN: Final = "t" * 32


def test_a_server_that_lets_nobody_in_for_a_while_leaves_what_is_shown_stale_and_is_live_again_later(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_subscription, "_REFUSED_PAUSE", 0.05)
    task = a_login_page(world)

    with ExitStack() as servers, site(world) as running:
        port = running.server.port

        async def driver(driven: Driven) -> None:
            await driven.sees("● Call the API", "● live")
            running.server.stop()
            closed = Server(world.engine, ServerSettings(token=TOKEN), port)
            await driven.sees("■ STALE for 0s: needs a token: --token-file", "● Call the API")
            closed.stop()
            world.close(task, "s:1")
            servers.callback(Server(world.engine, ServerSettings(), port).stop)
            await driven.sees("● live", "● Test 日本語 input")

        drive(ServerSource(running.url, WORKSPACE), driver)


def test_the_screen_shows_a_server_as_it_shows_a_store(world: World) -> None:
    task = a_login_page(world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API", "Document it — waits for the style guide", "● live")
        world.close(task, "s:1")
        await driven.sees("2/5", "● Test 日本語 input")

    with site(world) as here:
        drive(ServerSource(here.url, WORKSPACE), driver)
