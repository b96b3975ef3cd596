"""The typed face of a workspace: every operation as a method, with the types that its registry entry declares."""

import inspect
import subprocess
import sys
from collections.abc import Iterator
from typing import assert_type

import pytest

import gatepost
from docs.python_client import NOUNS, _method
from gatepost.client import async_workspaces, workspaces
from gatepost.client.workspaces import Checkmark, Workspace
from gatepost.operations.catalog import OPERATIONS
from gatepost.replies.radar import RadarReply
from gatepost.replies.root_writes import Created
from gatepost.replies.todos import TodosReply
from tests.givens import WORKSPACE, World
from tests.http.givens import site


@pytest.fixture(params=["local", "remote"])
def shop(request: pytest.FixtureRequest, world: World) -> Iterator[Workspace]:
    """A workspace, once in this process and once on a server."""
    if request.param == "local":
        with gatepost.connect(str(world.store.describe()["path"])) as gp:
            yield gp.workspace(WORKSPACE)
    else:
        with site(world) as here, gatepost.connect(here.url) as gp:
            yield gp.workspace(WORKSPACE)


def test_methods_take_plain_arguments_and_return_typed_replies(shop: Workspace) -> None:
    made = assert_type(
        shop.tasks.create("Refunds", steps=[{"title": "Find them", "criteria": ["all of them"]}, {"title": "Pay"}]),
        Created,
    )
    yes: Checkmark = {"confirmed": True}
    shop.tasks.close_step(task=made.id, path="s:0", checkpoints={"criteria": yes, "tests": yes})
    radar = assert_type(shop.tasks.radar(), RadarReply)
    shop.todo.write(["call the bank"])
    todos = assert_type(shop.todo.read(), TodosReply)

    assert made.id == "TASK-001"
    assert radar.counts is not None
    assert list(todos.items) == ["call the bank"]


def test_none_clears_a_field_and_what_is_left_out_stays(shop: Workspace) -> None:
    task = shop.tasks.create("T", description="old", context="kept").id

    shop.tasks.edit(task=task, description=None)

    target = shop.tasks.resume(task=task).target
    assert "old" not in repr(target)
    assert "kept" in repr(target)


def test_a_refusal_is_raised_by_a_method_as_by_a_call(shop: Workspace) -> None:
    with pytest.raises(gatepost.Refusal) as no:
        shop.tasks.resume(task="TASK-404")

    assert no.value.code == "UNKNOWN_ID"


@pytest.mark.parametrize(("module", "prefix"), [(workspaces, ""), (async_workspaces, "Async")])
def test_every_operation_is_a_method_with_its_reply_and_words(module: object, prefix: str) -> None:
    for operation in OPERATIONS:
        noun, name, _ = _method(operation)
        method = getattr(getattr(module, prefix + noun), name)
        assert inspect.signature(method).return_annotation == operation.reply.__name__
        assert " ".join((inspect.getdoc(method) or "").split()).startswith(operation.about)
        assert inspect.iscoroutinefunction(method) == bool(prefix)
    assert set(NOUNS) <= set(vars(module)) | {noun.removeprefix("Async") for noun in vars(module)}


def test_a_remote_client_loads_neither_engine_nor_storage_nor_asyncio() -> None:
    program = """
import sys, gatepost
gp = gatepost.connect("http://127.0.0.1:9")
try:
    gp.workspace("acme/shop").tasks.radar()
except gatepost.Refusal as no:
    print(no.code)
loaded = {name.split(".")[1] for name in sys.modules if name.startswith("gatepost.")}
print(sorted({"engine", "storage", "operations", "wiring"} & loaded), {"apsw", "asyncio"} & set(sys.modules))
"""

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "STORE_UNREACHABLE\n[] set()\n"
