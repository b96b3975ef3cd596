"""A start costs next to nothing: what is not needed is not imported."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gatepost import __version__
from tests.cli.givens import PATIENCE, Desk

HEAVY = {
    "typing",
    "msgspec",
    "apsw",
    "dataclasses",
    "pathlib",
    "logging",
    "tomllib",
    "shutil",
    "inspect",
    "difflib",
}
FOR_OTHERS = {
    *("gettext", "locale", "typing_extensions", "platform", "textwrap", "hashlib", "_hashlib"),
    *("gatepost.tsk.packages", "gatepost.engine.packages"),
    *("gatepost.operations.steps", "gatepost.operations.editable", "gatepost.replies.root_writes"),
    *(
        "gatepost.domain.step_rules",
        "gatepost.domain.gate",
        "gatepost.domain.proof_refusals",
        "gatepost.domain.events",
    ),
    *("gatepost.client.connect", "gatepost.operations.ready_queue", "weakref"),
    *("gatepost.operations.first_reads",),
}
"""What no everyday command needs."""
HEAVY_FOR_PEOPLE = {
    *("readline", "subprocess", "tempfile", "shutil"),
    *(f"gatepost.surfaces.cli.{name}" for name in ("choices", "closing_dialog", "text_editor", "title_search")),
}
"""What only questions need."""
WRITES = {
    *("gatepost.engine.draft", "gatepost.domain.records", "gatepost.replies.step_writes", "zlib"),
    *("gatepost.storage.sqlite.notifier", "gatepost.wire.secrets"),
}
RADAR = {"gatepost.operations.radar", "gatepost.views.radar"}
VIEWS = {"gatepost.views.budget", "gatepost.surfaces.terminal"}
DETAILS = {"gatepost.replies.step_details", "gatepost.views.proofs"}

# -S: what an environment's site packages import on every start is not ours. So the path is handed over.
PROBE = """
import json, sys
sys.path[:0] = {path!r}
from gatepost.surfaces.cli.main import run
from gatepost.surfaces.mcp import toolbox
reached = []
def arrive(settings, *, tools, output_schemas):
    reached.append([settings.workspace, tools, output_schemas])
    return 0
toolbox.run = arrive
code = run({words!r})
print(json.dumps([code, reached, sorted(sys.modules)]), file=sys.stderr)
"""


def probe(*words: str) -> tuple[int, list[object], set[str]]:
    """Run a command line in a fresh interpreter, up to the server: its code, what reached it, what was imported."""
    script = PROBE.format(path=[path for path in sys.path if path], words=list(words))
    done = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, timeout=PATIENCE, check=True)
    code, reached, modules = json.loads(done.stderr.decode().splitlines()[-1])
    return code, reached, set(modules)


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(
    ("words", "reached"),
    [
        (("mcp",), [None, "core", False]),
        (("mcp", "--tools", "all", "--workspace", "a/b", "--actor", "x", "--output-schemas"), ["a/b", "all", True]),
    ],
)
def test_mcp_reaches_its_server_with_nothing_heavy_on_board(words: tuple[str, ...], reached: list[object]) -> None:
    code, arrived, modules = probe(*words)

    assert (code, arrived) == (0, [reached])
    assert not modules & HEAVY


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(
    "words",
    [
        ("--version",),
        ("--help",),
        (),
        ("mcp", "--help"),
        ("ls", "--help"),
        ("call", "--help"),
        ("watch", "--help"),
        ("completion", "bash"),
    ],
)
def test_version_and_help_import_nothing_heavy(words: tuple[str, ...]) -> None:
    code, _, modules = probe(*words)

    assert code == 0
    assert not modules & HEAVY


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(
    ("words", "unused"),
    [
        (("ls",), WRITES | RADAR | DETAILS | {"gatepost.domain.search"}),
        (("radar",), WRITES | DETAILS),
        (("show", "TASK-001"), WRITES | RADAR | {"gatepost.operations.proven_steps"}),
        (("call", "tasks_note", '{"task":"TASK-001","note":"It is there."}'), RADAR | DETAILS | VIEWS),
        (("note", "1", "s:0", "It is there."), RADAR | DETAILS | {"gatepost.views.budget"}),
    ],
)
def test_an_everyday_command_loads_only_what_it_uses(words: tuple[str, ...], unused: set[str]) -> None:
    task = '{"kind":"task","title":"Login","steps":[{"title":"Form"}]}'
    assert probe("call", "tasks_create", task, "--workspace", "acme/shop")[0] == 0

    code, _, modules = probe(*words, "--workspace", "acme/shop")

    assert code == 0
    assert modules & (FOR_OTHERS | unused) == set()


@pytest.mark.usefixtures("bare")
def test_a_verb_that_asks_nothing_loads_nothing_to_ask_with() -> None:
    """A title has to be looked for; a path or a number has not."""
    place = ("--workspace", "acme/shop")
    assert probe("add", "Login", "--step", "Form", *place)[0] == 0

    for words in (
        ("step", "1", "API", "--check", "true"),
        ("close", "1", "s:0", "--criteria", "--tests"),
        ("reopen", "1", "0", "It fails."),
    ):
        code, _, modules = probe(*words, *place)
        assert code == 0
        assert modules & (HEAVY_FOR_PEOPLE | {"gatepost.operations.resume"}) == set(), words
    assert "gatepost.operations.resume" in probe("show", "1", "form", *place)[2]


def test_a_module_that_was_left_out_of_an_import_is_there_when_it_is_used() -> None:
    program = """
import sys
from gatepost.surfaces.cli.stand_ins import import_msgspec
import_msgspec()
import msgspec
left_out = sorted({"platform", "textwrap", "typing_extensions"} & set(sys.modules))
class Point(msgspec.Struct):
    'A place.'
    x: int
schema = msgspec.json.schema(Point)["$defs"]["Point"]["description"]
import platform, textwrap, typing_extensions
print(left_out, schema, textwrap.fill("a"), platform.system() == platform.uname()[0], bool(vars(typing_extensions)))
"""

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE)

    assert (done.stdout, done.stderr) == ("[] A place. a True True\n", "")


@pytest.mark.usefixtures("bare")
def test_the_tools_can_be_chosen_by_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEPOST_TOOLS", "tasks")

    assert probe("mcp")[1] == [[None, "tasks", False]]


def test_the_version_is_told(desk: Desk) -> None:
    assert desk.apart("--version") == (0, f"gatepost {__version__}\n", "")


def test_an_agent_is_served(desk: Desk, bare: Path) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    }

    ran = desk.apart("mcp", stdin=json.dumps(hello) + "\n")

    assert ran.code == 0
    assert json.loads(ran.out)["result"]["serverInfo"]["name"] == "gatepost"
    assert [path.name for path in bare.iterdir()] == [".gatepost"]
