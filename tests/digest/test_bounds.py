"""What a scan keeps out of, and where it stops, whatever the tree is like."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatepost.digest import caveats, markdown, project, walk
from gatepost.digest.findings import Origin
from gatepost.digest.scan import scan
from tests.digest.trees import plant
from tests.wire.credentials import EVERY

TOKEN = EVERY["ghp"]
SECRETS = (
    *(".env", ".env.production", "prod.env", "server.pem", "tls.KEY", "id_rsa", "id_ed25519.pub", "store.p12"),
    *("credentials.json", "credentials", "secrets.yaml", ".netrc", ".npmrc", ".pypirc", "vault.kdbx", "a.pfx"),
    *("service-account-prod.json", "terraform.tfstate", ".aws/config", ".gatepost/store.db", "plan.tsk/goals.md"),
    *("Plan.TSK/goals.md", "plan.tsk /goals.md", ".GATEPOST/x", ".git/config", "node_modules/x/package.json"),
)


@pytest.mark.parametrize("name", SECRETS)
def test_secret_and_closed_files_are_neither_read_nor_named(tmp_path: Path, name: str) -> None:
    found = scan(
        str(plant(tmp_path, {name: "HUSH", f"sub/{name}": "HUSH", "sub/open.py": "", "README.md": "# T\n"}))
    )

    assert found.files == 2
    assert name.partition("/")[0] not in found.body
    assert "HUSH" not in repr(found)


@pytest.mark.parametrize(
    "name", [".env.example", ".env.sample", ".env.template", "example.env", "key.py", "env.md"]
)
def test_files_that_only_show_the_form_of_a_secret_are_named(tmp_path: Path, name: str) -> None:
    assert f"`{name}`" in scan(str(plant(tmp_path, {name: ""}))).body


def test_ignored_files_are_neither_read_nor_named(tmp_path: Path) -> None:
    files = {
        ".gitignore": "private/\nMakefile\nNOTES.md\n",
        "private/x.py": "",
        "Makefile": "test:\n\ttrue\n",
        "README.md": "# T\n",
    }

    found = scan(str(plant(tmp_path, {**files, "docs/NOTES.md": "Never.\n"})))

    assert found.files == 2
    assert "private" not in found.body
    assert found.commands == ()
    assert found.caveats == ()


def test_no_token_is_carried_on_from_any_place_that_is_quoted(tmp_path: Path) -> None:
    pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----"
    files = {
        "pyproject.toml": f"[project]\nname = 'x'\ndescription = 'Says {'x ' * 90}{TOKEN}'\n",
        "Makefile": f"test:  ## With {TOKEN}\n\ttrue\nlint:\n\tTOKEN={TOKEN} ruff check\n",
        "package.json": f'{{"name": "{TOKEN}", "scripts": {{"test": "x {TOKEN}"}}, "main": "secret: x"}}',
        f"src/{TOKEN}/__init__.py": f'"""{TOKEN}"""',
        "src/key/__init__.py": f'"""\n{pem}\n"""',
        "justfile": f"test:\n{pem}\n\npytest:\n    true\n",
        ".github/workflows/a.yml": f"  - run: pytest --key={TOKEN}\n",
    }

    found = scan(str(plant(tmp_path, files)))

    assert TOKEN[:12] not in repr(found)
    assert "MIIEow" not in repr(found)
    assert "`just pytest` runs `true`" in found.body


def test_links_are_not_followed_out_of_the_tree_nor_within_it(tmp_path: Path) -> None:
    outside = plant(tmp_path / "outside", {"README.md": "# Outside\n", "x/Makefile": "test:\n"})
    root = plant(tmp_path / "root", {"real/a.py": ""})
    (root / "README.md").symlink_to(outside / "README.md")
    (root / "Makefile").symlink_to("/etc/passwd")
    (root / "linked").symlink_to(outside / "x")
    (root / "etc").symlink_to("/etc")
    (root / "round").symlink_to(root)
    (root / ".gitignore").symlink_to(outside / "README.md")

    found = scan(str(root))

    assert (found.identity.name, found.files, found.commands) == ("root", 1, ())
    assert all(name not in found.body for name in ("linked", "etc", "round", "Outside"))


def test_pipes_binaries_and_broken_manifests_are_passed_over(tmp_path: Path) -> None:
    deep = "[" * 100_000
    files: dict[str, str | bytes] = {
        "README.md": b"\0\1\2",
        "CONTRIBUTING.md": b"\xff\xfe# never",
        "package.json": deep,
        "deno.json": "[]",
        "composer.json": '{"scripts": {"test": 3, "": "x"}}',
        "pyproject.toml": "a = " + deep,
        "Cargo.toml": ".".join("a" * 5_000) + " = 1",
    }
    plant(tmp_path, files)
    os.mkfifo(tmp_path / "AGENTS.md")
    os.mkfifo(tmp_path / "justfile")

    found = scan(str(tmp_path), name="odd")

    assert found.files == len(files)
    assert found.caveats == ()
    assert [held.text for held in found.commands if held.origin is Origin.DECLARED] == ["composer run test"]


@pytest.mark.parametrize("filler", ["\n", "<parent>", "path = ", "@session\n[testenv:a]\n</parent>"])
def test_manifests_of_nothing_but_fragments_do_not_hold_a_scan_up(tmp_path: Path, filler: str) -> None:
    names = (
        *("pyproject.toml", "setup.py", "setup.cfg", "go.mod", "pom.xml", "CMakeLists.txt", "build.gradle.kts"),
        *(".gitmodules", "Makefile", "justfile", "Rakefile", "compose.yaml", "pnpm-workspace.yaml", "mix.exs"),
        *("noxfile.py", "tox.ini", "Taskfile.yml", "package.json", "composer.json", "go.work"),
    )
    content = (filler * project.MOST_BYTES)[: project.MOST_BYTES]

    found = scan(str(plant(tmp_path, dict.fromkeys(names, content))), name="odd")

    assert found.summary.startswith("odd: ")
    assert found.files == len(names)


def test_control_characters_are_shown_escaped(tmp_path: Path) -> None:
    said = "Never \u202e\x07ring. \x1b[31m \U000e0041"
    plant(tmp_path, {"pkg/__init__.py": f'"""{said}"""', "Makefile": "test:\n\techo; \x1b]0;x\x07\n"})
    plant(tmp_path, {"package.json": json.dumps({"name": said, "scripts": {"test": said, said: said}})})
    odd = os.fsencode(tmp_path) + b"/bad\xff\x1b\n\n## Layout `x`"
    folder = Path(os.fsdecode(odd))
    folder.mkdir()
    (folder / "a.py").touch()

    found = scan(str(tmp_path))

    assert (found.summary + found.body.replace("\n", "")).isprintable()
    assert found.body.count("\n## Layout") == 0
    assert "Never \\u202e\\x07ring. \\x1b[31m \\U000e0041" in found.body
    assert r"bad\xff\x1b" in found.body


def test_a_large_file_is_read_to_its_bound_in_whole_lines(tmp_path: Path) -> None:
    filler = "#\n" * (project.MOST_BYTES // 2 - 10)
    plant(tmp_path / "in", {"Makefile": f"{filler}\ntest:\n"})
    plant(tmp_path / "over", {"Makefile": f"{filler}\ntest:\nlint:\n#{'x' * 20}\n"})

    inside, over = scan(str(tmp_path / "in")), scan(str(tmp_path / "over"))

    assert ([held.text for held in inside.commands], inside.truncated) == (["make test"], False)
    assert ([held.text for held in over.commands], over.truncated) == (["make test", "make lint"], True)
    assert "too large to scan completely" in over.body


@pytest.mark.parametrize(("depth", "files", "truncated"), [(walk.DEEPEST - 1, 1, False), (walk.DEEPEST, 0, True)])
def test_the_walk_goes_down_to_its_depth_and_no_further(
    tmp_path: Path, depth: int, files: int, truncated: bool
) -> None:
    plant(tmp_path, {"d/" * depth + "x.py": ""})

    found = scan(str(tmp_path))

    assert (found.files, found.truncated) == (files, truncated)


def test_the_walk_stops_at_its_number_of_entries_the_same_way_every_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "MOST_ENTRIES", 10)
    plant(tmp_path / "ten", {f"{number:02}.py": "" for number in range(10)})
    plant(tmp_path / "more", {f"{number:02}.py": "" for number in reversed(range(11))})

    ten, more = scan(str(tmp_path / "ten"), name="x"), scan(str(tmp_path / "more"), name="x")

    assert (ten.files, ten.truncated) == (10, False)
    assert (more.files, more.truncated) == (10, True)
    assert more.layout.root_files == ten.layout.root_files


def test_no_more_files_are_read_than_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project, "MOST_FILES", 1)

    found = scan(str(plant(tmp_path, {"package.json": '{"name": "t"}', "Makefile": "test:\n"})))

    assert (found.identity.name, found.truncated) == ("t", True)
    assert [held.text for held in found.commands] == ["npm install"]


def test_caveats_are_few_and_short_whatever_names_they_hold(tmp_path: Path) -> None:
    long = "n" * 150
    files = {f"{long}{number}/vendor/x.py": "" for number in range(40)}
    submodules = "".join(f"path = {long}{number}\n" for number in range(400))

    found = scan(
        str(plant(tmp_path, {**files, ".gitmodules": submodules, "AGENTS.md": "", "go.mod": f"go {long}\n"}))
    )

    assert 3 <= len(found.caveats) <= caveats.MOST
    assert all(len(caveat) < 500 and caveat.isprintable() for caveat in found.caveats)
    assert "and 396 more" in found.body


lines = st.text(st.characters(codec="utf-8"), max_size=300)


@settings(max_examples=40, deadline=None)
@given(
    targets=st.lists(st.from_regex(r"[a-z]{1,60}", fullmatch=True), max_size=90),
    folders=st.lists(st.from_regex(r"[a-z]{1,9}", fullmatch=True), max_size=12),
    title=lines,
)
def test_a_digest_never_outgrows_its_limits_and_ends_with_a_whole_line(
    tmp_path_factory: pytest.TempPathFactory,
    targets: list[str],
    folders: list[str],
    title: str,
) -> None:
    root = tmp_path_factory.mktemp("any")
    plant(
        root,
        {
            "Makefile": "".join(f"{target}:  ## {'about ' * 40}\n" for target in targets),
            "package.json": json.dumps({"name": title, "description": title * 9, "scripts": {title: title}}),
        },
    )
    plant(root, {f"{upper}/{'d' * 120}{lower}/__init__.py": f"'{title}'" for upper in folders for lower in folders})

    found = scan(str(root))

    assert len(found.summary) <= markdown.LONGEST_SUMMARY
    assert len(found.body) <= markdown.LONGEST_BODY
    assert found.body.endswith("\n")
    assert found.summary.isprintable()


def test_a_body_past_its_limit_is_cut_visibly_between_lines(tmp_path: Path) -> None:
    names = [f"{letter * 100}" for letter in "abcdefghijklmnopqrst"]
    plant(tmp_path, {f"{upper}/{lower}/__init__.py": f"'{'word ' * 30}'" for upper in names for lower in names[:5]})
    plant(tmp_path, {"Makefile": "".join(f"{upper}-{lower}:\n" for upper in names for lower in names)})

    found = scan(str(tmp_path))

    assert markdown.LONGEST_BODY - 400 < len(found.body) <= markdown.LONGEST_BODY
    assert found.body.split("\n")[-2].startswith("… cut here")
    assert found.body.split("\n")[-3].endswith(("”", ")"))
    assert found.truncated
