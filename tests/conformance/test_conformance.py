"""The official conformance suite of MCP, on the product's own transport and protocol core."""

import sys
from pathlib import Path

import pytest

from tests.conformance.fixtures import FixtureTools
from tests.conformance.judges import judge, verdicts
from tests.givens import World
from tests.http.givens import site

# Scenarios of each revision that are judged on the product as it is: they need no fixture.
WITHOUT_FIXTURES = {
    "2026-07-28": {
        "tools-list",
        "server-sse-multiple-streams",
        "resources-list",
        "sep-2164-resource-not-found",
        "prompts-list",
        "dns-rebinding-protection",
        "caching",
        "input-required-result-unsupported-methods",
        "http-header-validation",
    },
    "2025-11-25": {
        "server-initialize",
        "ping",
        "tools-list",
        "server-sse-multiple-streams",
        "resources-list",
        "prompts-list",
        "dns-rebinding-protection",
        "server-session-lifecycle",
    },
}
# The only checks of `server-stateless` that call a tool of the suite's own.
NEED_A_TOOL = {
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
}
FINE = {"SUCCESS", "INFO"}


@pytest.mark.parametrize("revision", WITHOUT_FIXTURES)
def test_every_scenario_that_a_revision_requires_passes(one_world: World, tmp_path: Path, revision: str) -> None:
    with site(one_world) as here:
        here.server.application.mcp.toolbox = lambda *_: FixtureTools()
        ran = judge(
            "conformance", "server", "--url", f"{here.url}/mcp", "--requirements", revision, folder=tmp_path
        )

    assert ran.returncode == 0, ran.stdout
    assert f"Not scored for {revision}" in ran.stdout


@pytest.mark.parametrize("revision", WITHOUT_FIXTURES)
def test_the_product_itself_passes_whatever_needs_no_fixture(
    one_world: World, tmp_path: Path, revision: str
) -> None:
    one_world.task()

    with site(one_world) as here:
        url = ("--url", f"{here.url}/mcp")
        judge("conformance", "server", *url, "--requirements", revision, "-o", "found", folder=tmp_path)
    found = verdicts(tmp_path / "found")

    for scenario in WITHOUT_FIXTURES[revision]:
        assert found[scenario]
        assert set(found[scenario].values()) <= FINE, (scenario, found[scenario])
    stateless = found.get("server-stateless", {})
    assert {check for check, status in stateless.items() if status == "FAILURE"} <= NEED_A_TOOL
    assert ("server-stateless" in found) is (revision == "2026-07-28")


@pytest.mark.parametrize("toolset", ["core", "all"])
def test_the_inspector_finds_no_schema_that_some_client_could_not_take(tmp_path: Path, toolset: str) -> None:
    server = (sys.executable, "-m", "gatepost", "mcp", "--tools", toolset, "--store", str(tmp_path / "gp.db"))

    ran = judge("inspector", "--cli", *server, "--method", "tools/list", "--strict", folder=tmp_path)

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert '"tasks_radar"' in ran.stdout
