"""What a person trusts: which commands may run, and what a changed file, folder or record does."""

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.checks import allowed_commands, settings_file, trust_record
from gatepost.checks.settings_file import BadSettings
from gatepost.checks.trust import Trust
from gatepost.checks.trust_record import DamagedRecord, NoConfiguration, TrustRecord

ALLOW = '[checks]\nallow = ["pytest", "npm test"]\n'


@pytest.fixture(autouse=True)
def _own_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that allows two commands in its file."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "gatepost.toml").write_text(ALLOW, encoding="utf-8")
    return folder


def trust_file(project: Path) -> None:
    file = settings_file.read(str(project))
    assert file is not None
    trust_record.change(str(project.resolve()), lambda held: held._replace(sha256=file.sha256))


def allow(project: Path, *words: str) -> None:
    trust_record.change(str(project.resolve()), lambda held: held._replace(allow=(*held.allow, words)))


def refusal(project: Path, *argv: str) -> str:
    """What an agent is told when it may not run a command."""
    refused = Trust(str(project)).refused(argv)
    assert refused is not None
    assert (refused.code, refused.family, refused.suggestion) == ("NOT_TRUSTED", "forbidden", None)
    return f"{refused.message} {refused.recovery}"


def runs(project: Path, *argv: str) -> bool:
    return Trust(str(project)).refused(argv) is None


@pytest.mark.requirement("trust.commands.none-before")
def test_nothing_runs_until_a_person_decides(project: Path) -> None:
    said = refusal(project, "pytest", "-q")

    assert "pytest -q did not run: gatepost.toml allows it, but nobody trusted that file." in said
    assert "`gatepost trust`" in said
    assert f"`gatepost trust --allow pytest`, in {project}" in said


@pytest.mark.requirement("trust.commands.first-words")
def test_a_trusted_file_allows_what_begins_with_its_words(project: Path) -> None:
    trust_file(project)

    assert runs(project, "pytest")
    assert runs(project, "pytest", "tests/x.py", "-q")
    assert runs(project, "npm", "test", "--", "--watch=false")
    assert "nobody allowed this command here" in refusal(project, "npm", "install")
    assert "nobody allowed this command here" in refusal(project, "npm")


@pytest.mark.parametrize("program", ["./pytest", "/opt/pytest", "pytest2", "pytest ", "PYTEST", "pytest -q", ""])
def test_another_program_is_not_allowed_because_it_looks_alike(project: Path, program: str) -> None:
    trust_file(project)

    assert not runs(project, program)
    assert not runs(project, program, "test")


@pytest.mark.requirement("trust.file.as-it-is")
def test_a_changed_file_asks_again(project: Path) -> None:
    trust_file(project)
    with (project / "gatepost.toml").open("a", encoding="utf-8") as file:
        file.write("# harmless\n")

    assert "that file changed since it was trusted" in refusal(project, "pytest")


def test_a_file_that_is_put_back_is_the_one_that_was_trusted(project: Path) -> None:
    trust_file(project)
    (project / "gatepost.toml").write_text("", encoding="utf-8")
    assert not runs(project, "pytest")

    (project / "gatepost.toml").write_text(ALLOW, encoding="utf-8")

    assert runs(project, "pytest")


def test_a_moved_folder_asks_again_and_a_link_to_it_does_not(project: Path, tmp_path: Path) -> None:
    trust_file(project)
    allow(project, "make")
    (tmp_path / "link").symlink_to(project)
    assert runs(tmp_path / "link", "pytest")

    project.rename(tmp_path / "moved")

    assert not runs(tmp_path / "moved", "pytest")
    assert not runs(tmp_path / "moved", "make")


@pytest.mark.requirement("trust.commands.allowed-by-person")
def test_what_a_person_allowed_needs_no_file_and_outlives_its_changes(project: Path) -> None:
    allow(project, "make", "check")
    (project / "gatepost.toml").unlink()

    assert runs(project, "make", "check", "-j2")
    assert "`gatepost trust --allow 'make test'`" in refusal(project, "make", "test")


def test_a_decision_that_is_taken_back_counts_at_once(project: Path) -> None:
    allow(project, "make")
    trust = Trust(str(project))
    assert trust.refused(["make"]) is None

    trust_record.remove(str(project.resolve()))

    assert trust.refused(["make"]) is not None


def test_a_file_that_cannot_be_used_allows_nothing_and_says_why(project: Path) -> None:
    (project / "gatepost.toml").write_text("[checks]\nallow = 'pytest'\n", encoding="utf-8")

    assert 'write the commands as [checks] allow = ["pytest", "npm test"]' in refusal(project, "pytest")


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"[]", b'{"root": "/elsewhere", "sha256": null, "store": null, "allow": [["pytest"]]}', b"\xff"],
)
def test_a_damaged_record_trusts_nothing_says_so_and_is_replaced_by_the_next_decision(
    project: Path, damage: bytes
) -> None:
    allow(project, "pytest")
    path = Path(trust_record.location(str(project.resolve())) or "")
    path.write_bytes(damage)

    assert f"the record of what you trust cannot be used: {path} is damaged" in refusal(project, "pytest")
    allow(project, "pytest")
    assert runs(project, "pytest")


def test_a_record_that_others_can_write_trusts_nothing(project: Path) -> None:
    allow(project, "pytest")
    path = Path(trust_record.location(str(project.resolve())) or "")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600

    path.chmod(0o620)

    assert "only you can write" in refusal(project, "pytest")


def test_a_record_too_large_to_be_ours_is_not_read_whole(project: Path) -> None:
    allow(project, "pytest")
    path = Path(trust_record.location(str(project.resolve())) or "")
    path.write_bytes(path.read_bytes() + b" " * 2_000_000 + b"x")
    path.chmod(0o600)

    with pytest.raises(DamagedRecord):
        trust_record.load(str(project.resolve()))


def test_decisions_made_at_the_same_time_are_all_kept(project: Path) -> None:
    names = [f"tool{number}" for number in range(20)]

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: allow(project, name), names))

    assert {words[0] for words in trust_record.load(str(project.resolve())).allow} == set(names)
    folder = Path(trust_record.location(str(project)) or "").parent
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize("configured", ["", "relative/config"])
def test_without_a_configuration_folder_of_its_own_it_is_below_the_home(
    configured: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", configured)
    monkeypatch.setenv("HOME", str(tmp_path))

    path = trust_record.location("/project")

    assert path is not None
    assert path.startswith(str(tmp_path / ".config" / "gatepost" / "trust"))


def test_without_a_home_nothing_is_trusted_and_a_decision_is_refused(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)

    assert not runs(project, "pytest")
    assert trust_record.remove(str(project)) is False
    with pytest.raises(NoConfiguration, match="Set HOME"):
        allow(project, "pytest")


def test_a_configuration_that_cannot_be_written_is_said(project: Path, tmp_path: Path) -> None:
    (tmp_path / "config").write_text("a file", encoding="utf-8")

    with pytest.raises(NoConfiguration, match="cannot be written"):
        allow(project, "pytest")
    assert not runs(project, "pytest")


@pytest.mark.parametrize(
    ("line", "words"),
    [("npm test", ("npm", "test")), ("  make   'all tests' ", ("make", "all tests")), ("./run.sh", ("./run.sh",))],
)
def test_an_entry_is_split_as_a_shell_splits_it(line: str, words: tuple[str, ...]) -> None:
    assert allowed_commands.split(line) == words


@pytest.mark.parametrize("line", ["", "   ", "''", "a 'b", "npm test && rm x", "a | b", "x\x1b[2J", "x" * 2_000])
def test_an_entry_that_is_no_command_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        allowed_commands.split(line)


@pytest.mark.parametrize("line", ["python", "python3 -m", "bash -c", "/bin/sh", "env", "npx", "uv run", "npm exec"])
def test_an_entry_that_permits_any_program_is_known(line: str) -> None:
    assert allowed_commands.permits_anything(allowed_commands.split(line))


@pytest.mark.parametrize(
    "line", ["pytest", "python -m pytest", "npm test", "make", "uv run pytest", "bash test.sh"]
)
def test_an_entry_that_names_a_program_is_not_taken_for_one_that_permits_all(line: str) -> None:
    assert not allowed_commands.permits_anything(allowed_commands.split(line))


@pytest.mark.parametrize(
    ("argv", "entry"),
    [
        (["pytest", "-q", "tests"], "pytest"),
        (["npm", "test", "--", "x"], "npm test"),
        (["python", "-m", "pytest"], "python -m pytest"),
        (["uv", "run", "pytest", "-q"], "uv run pytest -q"),
        (["sh", "-c", "rm -rf x; $(y)"], "sh -c 'rm -rf x; $(y)'"),
        (["x\x1b[2J"], None),
        (["sh", "-c", "x" * 500], None),
    ],
)
def test_what_is_proposed_permits_the_command_and_little_more(argv: list[str], entry: str | None) -> None:
    assert allowed_commands.entry_for(argv) == entry


@given(st.lists(st.text(), min_size=1, max_size=6), st.lists(st.text(), max_size=3))
def test_words_are_compared_and_nothing_else(argv: list[str], more: list[str]) -> None:
    entry = tuple(argv)

    assert allowed_commands.permits([entry], [*argv, *more])
    assert not allowed_commands.permits([entry], argv[:-1])
    assert not allowed_commands.permits([entry], [" ".join([*argv, ""]), *more])
    assert not allowed_commands.permits([()], argv)


@pytest.mark.parametrize(
    "data", [b"a" + b".a" * 30_000 + b" = 1", b"a = " + b"[" * 30_000, b"\xff", b"x" * 70_000, b"a = 1\na = 2"]
)
def test_a_hostile_file_is_refused_in_bounded_time(project: Path, data: bytes) -> None:
    (project / "gatepost.toml").write_bytes(data)

    with pytest.raises(BadSettings, match=r"gatepost\.toml"):
        settings_file.read(str(project))


def test_a_pipe_or_a_folder_in_place_of_the_file_is_refused(project: Path) -> None:
    (project / "gatepost.toml").unlink()
    os.mkfifo(project / "gatepost.toml")
    with pytest.raises(BadSettings):
        settings_file.read(str(project))
    (project / "gatepost.toml").unlink()

    (project / "gatepost.toml").mkdir()

    with pytest.raises(BadSettings):
        settings_file.read(str(project))


@pytest.mark.requirement("trust.record.users-own")
def test_a_record_says_in_plain_json_what_was_decided(project: Path) -> None:
    allow(project, "npm", "test")

    held = json.loads(Path(trust_record.location(str(project.resolve())) or "").read_text(encoding="utf-8"))

    assert held == {"root": str(project.resolve()), "sha256": None, "store": None, "allow": [["npm", "test"]]}
    assert trust_record.load(str(project.resolve())) == TrustRecord(allow=(("npm", "test"),))
