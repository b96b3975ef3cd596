"""Who is told: the user's own variables, or the project's file once a person trusts it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gatepost.checks import trust_record
from gatepost.client.connect import Gatepost, connect
from gatepost.settings import BadSettings, settings
from gatepost.surfaces.cli.main import run
from tests.notices.givens import finish_plan
from tests.notices.receiver import PATIENCE, Receiver

FILE = '[notify]\nurl = "{}"\n'


@pytest.fixture
def own_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trust of this test alone."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def write(text: str) -> None:
    Path("gatepost.toml").write_text(text, encoding="utf-8")


def told(receiver: Receiver) -> int:
    gp = connect(synchronous="NORMAL")
    finish_plan(gp)
    gp.close()
    return len(receiver.rest())


@pytest.mark.usefixtures("project", "own_configuration")
def test_a_projects_file_tells_nobody_until_a_person_trusts_it(
    receiver: Receiver, capsys: pytest.CaptureFixture[str]
) -> None:
    write(FILE.format(receiver.url))

    with pytest.warns(UserWarning, match="`notify` in gatepost.toml: ignored, because nobody has trusted"):
        untrusted = told(receiver)
    assert run(["trust", "--show"]) == 0
    shown = capsys.readouterr().out
    assert run(["trust", "--yes"]) == 0
    trusted = told(receiver)
    write(FILE.format(receiver.url) + 'events = ["plan_done"]\n')
    with pytest.warns(UserWarning, match="have changed since they were trusted"):
        changed = told(receiver)

    assert (untrusted, trusted, changed) == (0, 1, 0)
    assert "notify" in shown
    assert f"sends questions and titles to http://{receiver.url.split('/')[2]}" in shown
    assert "in-the-path" not in shown


@pytest.mark.usefixtures("project", "own_configuration")
def test_trust_that_is_taken_back_ends_the_telling_at_once(
    receiver: Receiver, capfd: pytest.CaptureFixture[str]
) -> None:
    write(FILE.format(receiver.url))
    run(["trust", "--yes"])
    gp = connect(synchronous="NORMAL")
    trust_record.remove(os.path.realpath("."))

    finish_plan(gp)
    gp.close()

    assert receiver.rest() == []
    assert "This notice was not delivered" in capfd.readouterr().err


@pytest.mark.usefixtures("own_configuration")
def test_the_users_own_variables_need_no_trust_and_go_before_the_file(
    opened: Callable[..., Gatepost], receiver: Receiver
) -> None:
    write('[notify]\nurl = "http://127.0.0.1:1/"\nevents = ["signoff"]\n')
    run(["trust", "--yes"])
    gp = opened(url=receiver.url, events="plan_done")

    finish_plan(gp)
    gp.close()

    assert len(receiver.rest()) == 1


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("notify = 7", "`notify` must be a table. Write it as [notify]."),
        ('[notify]\nulr = "https://x"', "[notify] has no `ulr`. Did you mean `url`?"),
        ('[notify]\nurl = "ftp://x/"', "`url` must start with http:// or https:// and name a host."),
        ('[notify]\nurl = "file:///etc/passwd"', "`url` must start with http:// or https://"),
        ('[notify]\nurl = "https://"', "and name a host"),
        ('[notify]\nurl = "https://x:99999/"', "`url` is not an address"),
        ('[notify]\nurl = "https://ann:pw@x/"', "`url` must not contain a password. Use `secret_file`."),
        ('[notify]\nurl = "https://x/ y"', "`url` must start with"),
        ("[notify]\nurl = 7", "`url` must be a string"),
        ("[notify]\ncommand = 7", "`command` must be a list of words"),
        ("[notify]\ncommand = []", "`command` must be a list of words"),
        ('[notify]\ncommand = [""]', "`command` must be a list of words"),
        ('[notify]\ncommand = ["x", 7]', "`command` must be a list of words"),
        ('[notify]\ncommand = "notify-send \\"x"', "`command` has an open quote"),
        (
            '[notify]\ncommand = ["x", "a\\u0000"]',
            "`command` has a word that is too long or contains a NUL character",
        ),
        ('[notify]\nurl = "https://x"\nevents = ["all"]', "`events` must be a list of: question, signoff"),
        ('[notify]\nurl = "https://x"\nevents = []', "`events` must be a list of"),
        ('[notify]\nurl = "https://x"\nstuck_after = 60', "`stuck_after` must be a number and a unit"),
        ('[notify]\nurl = "https://x"\nstuck_after = "0m"', "`stuck_after` must be a number and a unit"),
        ('[notify]\nurl = "https://x"\nsecret_file = ""', "`secret_file` must be a string"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(lines: str, said: str) -> None:
    write(lines)

    with pytest.raises(BadSettings) as refused:
        settings({})

    assert said in str(refused.value)
    assert "gatepost.toml" in str(refused.value)


@pytest.mark.usefixtures("project")
def test_a_table_that_names_nobody_asks_for_nothing() -> None:
    write('[notify]\nstuck_after = "2d"\n')

    found = settings({})

    assert (found.notify, found.ignored) == (None, None)


@pytest.mark.usefixtures("project")
def test_a_bad_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEPOST_NOTIFY_URL", "gopher://x")

    with pytest.raises(BadSettings, match="GATEPOST_NOTIFY_…: `url` must start with"):
        settings({})


def test_where_nobody_is_told_nothing_of_it_is_imported(project: Path) -> None:
    script = """
import sys
from gatepost.surfaces.cli.main import run
run(["call", "tasks_create", '{"workspace": "a/b", "kind": "task", "title": "t"}', "-q"])
print([name for name in sys.modules if "notices" in name])
"""

    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=project, timeout=PATIENCE
    )

    assert done.stdout.splitlines()[-1] == "[]", done.stderr
