"""`gatepost trust`, and what a project's file can and cannot do before a person trusted it."""

import json
import os
import subprocess
import warnings
from pathlib import Path

import pytest

import gatepost
from gatepost.checks import trust_record
from gatepost.checks.trust import Trust
from gatepost.settings import BadSettings, settings
from gatepost.surfaces.hooks.harnesses import HookCall
from gatepost.surfaces.mcp.toolbox import GatepostTools
from tests.cli.givens import PATIENCE, WORKSPACE, Desk
from tests.cli.terminals import gatepost as command
from tests.cli.terminals import seated

HARMLESS = (
    f'workspace = "{WORKSPACE}"\ntools = "all"\nsynchronous = "NORMAL"\ntaskdocs = "tracked"\nsecrets = "redact"\n'
)
TASK = ("call", "tasks_create", f'{{"workspace": "{WORKSPACE}", "kind": "task", "title": "x"}}')


@pytest.fixture
def desk(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A desk whose settings come from the file alone."""
    for name in ("GATEPOST_STORE", "GATEPOST_SYNCHRONOUS"):
        monkeypatch.delenv(name)
    return desk


def write(text: str) -> None:
    Path("gatepost.toml").write_text(text, encoding="utf-8")


def record() -> Path:
    return Path(trust_record.location(os.path.realpath(".")) or "")


def test_a_file_that_cannot_harm_works_untrusted(desk: Desk) -> None:
    write(HARMLESS + 'store = "sub/own.db"\n[policy]\nproof = "machine"\n')

    made = desk.here(*TASK)
    shown = desk.here("trust")

    assert (made.code, made.err) == (0, "")
    assert (desk.folder / "sub" / "own.db").exists()
    assert "gatepost.toml asks for nothing that needs trust" in shown.out
    assert settings({}).policy == {"proof": "machine"}
    assert not record().exists()


@pytest.mark.requirement("trust.file.outside")
@pytest.mark.parametrize("store", ["../far.db", "{tmp}/far.db", "sqlite://{tmp}/far.db", "~/far.db", "link/far.db"])
def test_a_store_outside_the_project_is_refused_until_a_person_trusts_it(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (desk.folder / "link").symlink_to(tmp_path)
    write(f'store = "{store.format(tmp=tmp_path)}"\n')

    refused = desk.here("ls", "--json")
    made = desk.here(*TASK)

    error = json.loads(refused.out)["error"]
    assert (refused.code, error["code"]) == (5, "NOT_TRUSTED")
    assert str(tmp_path / "far.db") in error["message"]
    assert f"run `gatepost trust` in {desk.folder}" in error["recovery"]
    assert made.code == 5
    assert not (tmp_path / "far.db").exists()
    assert not (desk.folder / ".gatepost" / "gatepost.db").exists()  # nor in any other store

    assert desk.here("trust", "--yes").code == 0
    assert desk.here(*TASK).code == 0
    assert (tmp_path / "far.db").exists()


def test_a_server_named_by_the_project_is_not_asked(desk: Desk) -> None:
    write('store = "http://127.0.0.1:9"\n')

    assert desk.here("ls").code == 5
    assert desk.here("mcp").code == 5


def test_a_folder_of_the_store_that_leads_elsewhere_is_refused_and_can_be_trusted(
    desk: Desk, tmp_path: Path
) -> None:
    (desk.folder / ".gatepost").rmdir()
    (tmp_path / "others").mkdir()
    (desk.folder / ".gatepost").symlink_to(tmp_path / "others")

    refused = desk.here(*TASK)
    desk.here("trust", "--yes")
    trusted = desk.here(*TASK)
    (tmp_path / "more").mkdir()
    (desk.folder / ".gatepost").unlink()
    (desk.folder / ".gatepost").symlink_to(tmp_path / "more")
    led_on = desk.here(*TASK)

    assert [refused.code, trusted.code, led_on.code] == [5, 0, 5]
    assert "have changed since they were trusted" in led_on.out
    assert list((tmp_path / "more").iterdir()) == []


def test_a_store_that_the_user_names_needs_no_trust(desk: Desk, tmp_path: Path) -> None:
    write('store = "../far.db"\n')

    assert desk.here(*TASK, "--store", str(tmp_path / "mine.db")).code == 0
    assert desk.apart(*TASK, GATEPOST_STORE=str(tmp_path / "mine.db")).code == 0
    assert not (tmp_path / "far.db").exists()


@pytest.mark.requirement("trust.file.outside")
def test_an_actor_of_the_file_is_ignored_with_a_word_until_it_is_trusted(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    write('actor = "release-bot"\nsecrets = "allow"\ntools = "core, file_write"\n')

    ignored = desk.here(*TASK)
    monkeypatch.setenv("GATEPOST_ACTOR", "me")
    monkeypatch.setenv("GATEPOST_SECRETS", "refuse")
    monkeypatch.setenv("GATEPOST_TOOLS", "core")
    own = desk.here(*TASK)
    for name in ("ACTOR", "SECRETS", "TOOLS"):
        monkeypatch.delenv(f"GATEPOST_{name}")
    desk.here("trust", "--yes")
    trusted = desk.here(*TASK)

    assert ignored.code == 0
    assert "`actor`, `tools` and `secrets` in gatepost.toml: ignored" in ignored.err
    assert "gatepost trust" in ignored.err
    assert (own.err, trusted.err) == ("", "")
    events = json.loads(desk.here("call", "tasks_delta", f'{{"workspace": "{WORKSPACE}"}}').out)["events"]
    assert [event["actor"] for event in events] == ["cli", "me", "release-bot"]
    assert (settings({}).secrets, settings({}).tools) == ("allow", "core, file_write")


def test_python_is_told_by_a_warning_and_a_refusal(desk: Desk) -> None:
    write('actor = "human:boss"\n')
    with pytest.warns(UserWarning, match="`actor` in gatepost.toml: ignored"):
        connected = gatepost.connect()
    with connected as gp:
        gp.call("tasks_create", workspace=WORKSPACE, kind="task", title="x")
        assert gp.call("tasks_delta", workspace=WORKSPACE)["events"][0]["actor"] == "python"
    write('store = "../far.db"\n')

    with pytest.raises(gatepost.Refusal) as refused:
        gatepost.connect()

    assert refused.value.code == "NOT_TRUSTED"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gatepost.connect("memory:").close()


def test_an_agent_is_told_and_goes_on_once_its_person_has_trusted_the_store(desk: Desk, tmp_path: Path) -> None:
    write('store = "../far.db"\n')
    tools = GatepostTools(settings({}), "core", output_schemas=False)
    create: dict[str, object] = {"workspace": WORKSPACE, "kind": "task", "title": "x"}

    refused = tools.call("tasks_create", create, None)
    lists = tools.call("todo_write", {"workspace": WORKSPACE, "items": []}, None)
    desk.here("trust", "--yes")
    done = tools.call("tasks_create", create, None)
    tools.close()

    assert refused.refused
    assert lists.refused
    assert json.loads(refused.text)["error"]["code"] == "NOT_TRUSTED"
    assert not done.refused
    assert (tmp_path / "far.db").exists()


def test_the_keeper_of_packages_says_why_it_cannot_look(desk: Desk) -> None:
    from gatepost.surfaces.hooks.package_restorer import keep
    from gatepost.surfaces.hooks.package_state import current

    write('store = "../far.db"\n')
    state = current(str(desk.folder))
    call = HookCall(harness="claude", event="post-tool", session="s", tool="Bash", given={}, cwd=str(desk.folder))

    report = keep(str(desk.folder), call, None, state)

    assert "gatepost trust" in report.message


def test_a_person_sees_what_is_asked_for_and_decides(desk: Desk) -> None:
    write('actor = "human:boss"\n[checks]\nallow = ["pytest", "bash -c"]\n')

    with seated(command("trust")) as seat:
        asked = seat.until(lambda text: "[y/N]" in text)
        seat.type("n\n")
        assert "Nothing was changed." in seat.rest()
    kept_after_no = record().exists()
    with seated(command("trust")) as seat:
        seat.until(lambda text: "[y/N]" in text)
        seat.type("\x04")
        seat.rest()
    kept_after_nothing = record().exists()
    with seated(command("trust")) as seat:
        seat.until(lambda text: "[y/N]" in text)
        seat.type("y\n")
        assert "Trusted." in seat.rest()

    assert "signs the log as human:boss" in asked
    assert "lets agents run pytest, with any arguments" in asked
    assert "bash -c, with any arguments: it can start any program" in asked
    assert "Commands run the project's own code with your rights." in asked
    assert (kept_after_no, kept_after_nothing) == (False, False)
    assert Trust(".").refused(["pytest", "-q"]) is None


def test_what_is_trusted_is_what_was_shown(desk: Desk) -> None:
    write('[checks]\nallow = ["pytest"]\n')

    with seated(command("trust")) as seat:
        seat.until(lambda text: "[y/N]" in text)
        write('[checks]\nallow = ["pytest", "curl"]\n')
        seat.type("y\n")
        seat.rest()

    assert Trust(".").refused(["curl"]) is not None
    assert Trust(".").refused(["pytest"]) is not None


@pytest.mark.parametrize("words", [(), ("--allow", "pytest"), ("--json",)])
def test_without_a_terminal_nobody_is_asked_and_nothing_is_trusted(desk: Desk, words: tuple[str, ...]) -> None:
    write('[checks]\nallow = ["pytest"]\n')

    ran = desk.apart("trust", *words, stdin="y\n")

    assert ran.code == 5
    assert "Only a person can trust a project" in ran.out + ran.err
    assert "--yes" not in ran.out + ran.err
    assert not record().exists()


def test_commands_are_allowed_and_revoked(desk: Desk) -> None:
    with seated(command("trust", "--allow", "pytest", "--allow", "npm test")) as seat:
        allowed = seat.rest()
    shown = json.loads(desk.here("trust", "--show", "--json").out)
    desk.here("trust", "--allow", "pytest", "--yes")
    twice = json.loads(desk.here("trust", "--show", "--json").out)

    revoked = desk.here("trust", "--revoke")
    again = desk.here("trust", "--revoke", "--json")

    assert "npm test, with any arguments" in allowed
    assert (shown["state"], shown["allowed"], shown["could_allow"]) == ("nothing", ["pytest", "npm test"], [])
    assert twice == shown
    assert revoked.code == 0
    assert json.loads(again.out) == {"root": str(desk.folder), "revoked": False}
    assert Trust(".").refused(["pytest"]) is not None


def test_allowing_a_command_does_not_trust_the_file(desk: Desk) -> None:
    write('actor = "human:boss"\n[checks]\nallow = ["curl"]\n')

    desk.here("trust", "--allow", "pytest", "--yes")

    assert settings({}).actor is None
    assert Trust(".").refused(["curl"]) is not None
    assert json.loads(desk.here("trust", "--show", "--json").out)["state"] == "untrusted"


def test_test_commands_of_the_project_are_proposed_as_a_line_that_works(desk: Desk) -> None:
    Path("Makefile").write_text("test:\n\tpytest\ncheck:\n\truff\n", encoding="ascii")

    shown = desk.here("trust")
    line = shown.out.strip().rpartition("  ")[2]

    assert line == "gatepost trust --allow 'make check' --allow 'make test'"
    subprocess.run(
        ["sh", "-c", f"{' '.join(command())} {line.removeprefix('gatepost ')} --yes"], check=True, timeout=PATIENCE
    )
    assert Trust(".").refused(["make", "test"]) is None
    assert "You could allow" not in desk.here("trust").out


def test_a_change_is_shown_as_one_and_asks_again(desk: Desk) -> None:
    write('actor = "a"\n')
    desk.here("trust", "--yes")
    write('actor = "b"\n')

    assert "has changed since you trusted it" in desk.here("trust", "--show").out
    assert "have changed since they were trusted" in desk.here("ls").err
    assert json.loads(desk.here("trust", "--yes", "--json").out)["state"] == "trusted"


def test_a_damaged_record_is_said_and_replaced(desk: Desk) -> None:
    write('actor = "a"\n')
    desk.here("trust", "--yes")
    record().write_text("{", encoding="ascii")

    assert "is damaged" in desk.here("ls").err
    assert "is damaged, so nothing is trusted" in desk.here("trust", "--show").out
    assert desk.here("trust", "--yes").code == 0
    assert settings({}).actor == "a"


def test_a_configuration_that_cannot_be_written_changes_nothing(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="ascii")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file"))

    ran = desk.here("trust", "--allow", "pytest", "--yes")

    assert ran.code == 1
    assert "cannot be written" in ran.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--allow", "a && b"), "runs no shell"),
        (("--allow", ""), "at least one word"),
        (("--show", "--revoke"), "not allowed with"),
    ],
)
def test_what_makes_no_sense_is_bad_usage(desk: Desk, words: tuple[str, ...], says: str) -> None:
    ran = desk.here("trust", *words, "--yes")

    assert ran.code == 2
    assert says in ran.err


def test_no_more_commands_are_allowed_than_can_be_read(desk: Desk) -> None:
    many = [word for number in range(101) for word in ("--allow", f"tool{number}")]

    ran = desk.here("trust", "--yes", *many)

    assert ran.code == 2
    assert not record().exists()


def test_the_doctor_says_what_is_trusted(desk: Desk) -> None:
    desk.here(*TASK)
    without = desk.here("doctor").out
    desk.here("trust", "--yes", "--allow", "pytest")
    allowed = desk.here("doctor").out
    write("[checks]\nallow = ['a | b']\n")
    broken = desk.here("doctor").out

    assert "trust" not in without
    assert "trust: there is no gatepost.toml. Checks may run pytest." in allowed
    assert "runs no shell" in broken


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("stoer = 'x'", "Did you mean `store`?"),
        ("[checks]\nalow = []", "[checks] has no `alow`. Did you mean `allow`?"),
        ("[policy]\nprof = 'note'", "Did you mean `proof`?"),
        ("checks = 'pytest'", "must be a table"),
        ("[checks]\nallow = [1]", "write the commands as"),
        ("store = 3", "must be a string"),
        ('actor = "a\\u001b[2J"', "control characters"),
        ('store = "a\\u0000b"', "control characters"),
        ("zzzzzz = 1", "It can have: store, workspace"),
    ],
)
def test_a_setting_that_is_none_is_refused_with_the_nearest(desk: Desk, text: str, says: str) -> None:
    write(text)

    with pytest.raises(BadSettings) as refused:
        settings({})

    assert says in str(refused.value)
    assert desk.here("ls").code == 2
    assert desk.here("trust", "--revoke").code == 0  # a broken file keeps nobody from taking trust back
