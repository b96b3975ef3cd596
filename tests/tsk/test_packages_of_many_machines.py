"""Packages beside a database: each project's folder has those of its own workspace, no matter who changed them."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gatepost import wiring
from gatepost.client.choice import client_of
from gatepost.engine.engine import Engine
from gatepost.engine.package_mirror import mirrored
from gatepost.operations.answer import answer, caller
from gatepost.settings import settings
from tests import postgres

GOALS = "Customers can get a refund.\n"


@pytest.fixture
def url() -> Iterator[str]:
    with closing(postgres.fresh_store()):
        yield postgres.server().url()


def project(folder: Path, workspace: str) -> Path:
    (folder / ".gatepost").mkdir(parents=True)
    (folder / "gatepost.toml").write_text(f'workspace = "{workspace}"\n')
    return folder


def engine_in(folder: Path, url: str) -> Engine:
    found = settings({"store": url}, start=str(folder))
    return wiring.engine(found.store, "NORMAL", found.home, faced=found.faced, workspace=found.own_workspace)


def write_goals(engine: Engine, workspace: str, text: str) -> None:
    for tool, given in (
        ("taskdoc_create", {"name": "refunds"}),
        ("change_mind", {"selector": "goals", "content": text}),
    ):
        answered = answer(engine, tool, {"workspace": workspace, **given}, caller("tester"))
        assert answered.refusal is None, answered.text


def eventually(holds: Callable[[], bool]) -> bool:
    until = time.monotonic() + 30
    while not (held := holds()) and time.monotonic() < until:
        time.sleep(0.02)
    return held


def test_a_workspace_that_only_a_flag_names_has_no_packages_in_the_folder(url: str, tmp_path: Path) -> None:
    found = settings({"store": url, "workspace": "acme/shop"}, start=str(tmp_path))
    with closing(client_of(found, actor="tester", workspace="acme/shop")) as client:
        client.call("taskdoc_create", workspace="acme/shop", name="refunds")

    assert list(tmp_path.iterdir()) == []


def test_a_project_writes_the_packages_of_its_own_workspace_only(url: str, tmp_path: Path) -> None:
    folder = project(tmp_path / "shop", "acme/shop")
    engine = engine_in(folder, url)
    with closing(engine.store):
        write_goals(engine, "acme/shop", GOALS)
        write_goals(engine, "acme/bank", "Nobody's here.\n")

    assert (folder / "tasks/refunds.tsk/goals.md").read_text() == GOALS


def test_every_machine_with_the_project_gets_what_a_machine_without_it_wrote(url: str, tmp_path: Path) -> None:
    folders = [project(tmp_path / name, "acme/shop") for name in ("one", "two")]
    other = project(tmp_path / "other", "acme/bank")
    engines = [engine_in(folder, url) for folder in (*folders, other)]
    mirrors = [made for engine in engines if (made := mirrored(engine)) is not None]
    assert len(mirrors) == 3
    server = wiring.engine(url, "NORMAL")
    try:
        assert mirrored(server) is None
        assert eventually(lambda: all(mirror._after is not None for mirror in mirrors))
        write_goals(server, "acme/shop", GOALS)
        files = [folder / "tasks/refunds.tsk/goals.md" for folder in folders]

        assert eventually(lambda: all(file.exists() and file.read_text() == GOALS for file in files))
        write_goals(server, "acme/bank", "Ours.\n")
        assert eventually((other / "tasks/refunds.tsk/goals.md").exists)
        assert [file.read_text() for file in files] == [GOALS, GOALS]
    finally:
        for mirror in mirrors:
            mirror.stop()
        for engine in (*engines, server):
            engine.store.close()
