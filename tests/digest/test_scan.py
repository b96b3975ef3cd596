"""What a scan tells of repositories of many kinds."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from gatepost.digest.findings import Command, Purpose, Standing
from gatepost.digest.scan import Scan, scan
from gatepost.domain.refusals import InvalidInput
from tests.digest.trees import NODE_WORKSPACE, PYTHON_PROJECT, plant


@pytest.mark.requirement("workspace.digest.layout")
def test_the_layout_names_languages_entry_points_and_notable_directories(tmp_path: Path) -> None:
    found = scan(str(plant(tmp_path, PYTHON_PROJECT)))

    assert (found.layout.languages[0].name, found.layout.languages[0].files) == ("Python", 4)
    assert [(held.name, held.target) for held in found.layout.entries] == [("shop", "shop.cli:main")]
    notes = {held.path: held.note for held in found.layout.directories}
    assert notes["src/shop"] == "Everything the shop does."
    assert notes["src/shop/cli"] == "The command line."
    assert notes["tests"] == "tests"
    assert notes[".github/workflows"] == "CI workflows"
    assert (
        "  - `src/shop/` 3: Everything the shop does.\n    - `src/shop/cli/` 1: The command line.\n" in found.body
    )
    assert found.body.startswith("## Layout\n")
    assert found.files == len(PYTHON_PROJECT)


@pytest.mark.requirement("workspace.digest.commands")
def test_commands_are_told_as_declared_with_where_they_are_declared(tmp_path: Path) -> None:
    found = scan(str(plant(tmp_path, PYTHON_PROJECT)))

    assert told(found, Purpose.TEST) == [
        ("make test", "Makefile", Standing.DECLARED),
        ("uv run pytest -x", "README.md:10", Standing.DOCUMENTED),
        ("tox -e py311", ".github/workflows/ci.yml:5", Standing.AUTOMATED),
        ("pytest", "pyproject.toml [tool.pytest]", Standing.CUSTOMARY),
    ]
    assert told(found, Purpose.LINT) == [
        ("make lint", "Makefile", Standing.DECLARED),
        ("cargo clippy --all", ".github/workflows/ci.yml:9", Standing.AUTOMATED),
        ("ruff check", "pyproject.toml [tool.ruff]", Standing.CUSTOMARY),
    ]
    assert told(found, Purpose.FORMAT) == [
        ("ruff format .", "CONTRIBUTING.md:3", Standing.DOCUMENTED),
        ("ruff format", "pyproject.toml [tool.ruff]", Standing.CUSTOMARY),
    ]
    assert [held.about for held in found.commands if held.text == "uv run pytest -x"] == ["stops early"]
    assert told(found, Purpose.TYPES)[0] == ("uv run mypy src", "README.md:9", Standing.DOCUMENTED)
    assert told(found, Purpose.BUILD) == [("python -m build", "pyproject.toml [build-system]", Standing.CUSTOMARY)]
    assert "Tests:\n- `make test`: Run the tests (Makefile)\n" in found.body
    assert "- `pytest` (by convention, pyproject.toml [tool.pytest])\n" in found.body


@pytest.mark.requirement("workspace.digest.caveats")
def test_caveats_are_quoted_with_the_line_where_they_stand(tmp_path: Path) -> None:
    found = scan(str(plant(tmp_path, PYTHON_PROJECT)))

    assert [(held.text, held.file, held.line) for held in found.caveats] == [
        ("Never run two of them on one database.", "README.md", 3),
        ("Prices are rounded.", "README.md", 15),
        ("Refunds take a day.", "README.md", 16),
        ("The cache is not shared.", "README.md", 23),
        ("the queue is not durable.", "docs/guide.md", 3),
    ]
    assert "- Refunds take a day. (README.md:16)\n" in found.body


def test_the_summary_says_what_it_is_and_how_it_is_tested(tmp_path: Path) -> None:
    found = scan(str(plant(tmp_path, PYTHON_PROJECT)))

    assert found.summary == (
        "shop: Sells things. Python package with a command line, 10 files. Test with `make test`."
    )


@pytest.mark.requirement("workspace.digest.layout", "workspace.digest.commands")
def test_a_workspace_of_packages_is_told_with_its_own_package_manager(tmp_path: Path) -> None:
    found = scan(str(plant(tmp_path, NODE_WORKSPACE)))

    assert [(held.path, held.name) for held in found.layout.packages] == [
        ("packages/core", "@studio/core"),
        ("packages/ui", "@studio/ui"),
    ]
    declared = {held.text: held for held in found.commands if held.standing is Standing.DECLARED}
    assert {text: held.purpose for text, held in declared.items()} == {
        "pnpm run test": Purpose.TEST,
        "pnpm run lint:fix": Purpose.LINT,
        "pnpm run format": Purpose.FORMAT,
        "pnpm run check-types": Purpose.TYPES,
        "pnpm run build": Purpose.BUILD,
        "pnpm run dev": Purpose.RUN,
        "pnpm run storybook": Purpose.OTHER,
    }
    assert declared["pnpm run storybook"].places == ("packages/core", "packages/ui")
    assert "`pnpm run storybook` in `packages/core/`, `packages/ui/`: storybook dev" in found.body
    assert "workspace of 2 packages" in found.summary


@pytest.mark.requirement("workspace.digest.commands")
@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"Cargo.toml": '[package]\nname = "x"\n', "src/main.rs": ""}, {"cargo test", "cargo fmt", "cargo build"}),
        ({"go.mod": "module example.org/x/tool\n", "main.go": ""}, {"go test ./...", "go vet ./...", "gofmt -w ."}),
        (
            {"justfile": "# Check it\ncheck arg='x': fmt\n    cargo test\n[private]\n_hidden:\n    x\n"},
            {"just check"},
        ),
        (
            {"Taskfile.yml": "version: '3'\ntasks:\n  test:\n    cmds:\n      - go test\nvars:\n  lint:\n"},
            {"task test"},
        ),
        ({"tox.ini": "[testenv]\n[testenv:lint]\ncommands =\n    flake8 src\n"}, {"tox -e lint"}),
        ({"noxfile.py": "@nox.session\ndef tests(session):\n    ...\ndef no():\n    ...\n"}, {"nox -s tests"}),
        ({"Rakefile": "desc 'All of them'\ntask :spec do\nend\n"}, {"rake spec"}),
        ({"composer.json": '{"scripts": {"lint": "phpcs"}}'}, {"composer run lint"}),
        ({"pyproject.toml": '[tool.poe.tasks]\nfmt = {cmd = "black ."}\n'}, {"poe fmt"}),
        ({"pyproject.toml": '[tool.hatch.envs.dev.scripts]\ntypes = "mypy"\n'}, {"hatch run dev:types"}),
        ({"setup.cfg": "[tool:pytest]\n[flake8]\n"}, {"pytest", "flake8"}),
        ({"pom.xml": "<project/>"}, {"mvn test", "mvn package"}),
        ({"build.gradle": "", "gradlew": ""}, {"./gradlew test", "./gradlew build"}),
        ({"CMakeLists.txt": ""}, {"ctest --test-dir build"}),
        ({".pre-commit-config.yaml": "repos:\n- hooks:\n  - id: black\n"}, {"pre-commit run --all-files"}),
        ({".gitlab-ci.yml": "job:\n  script:\n    - bundle exec rspec\n"}, {"bundle exec rspec"}),
        ({"web/package.json": '{"scripts": {"test": "jest"}}', "web/yarn.lock": ""}, {"yarn run test"}),
    ],
)
def test_each_family_of_build_files_gives_its_commands(
    tmp_path: Path, files: Mapping[str, str], expected: set[str]
) -> None:
    found = scan(str(plant(tmp_path, files)))

    texts = {held.text for held in found.commands}
    assert expected <= texts
    assert not texts & {"just set", "just _hidden", "task lint", "nox -s no"}
    assert all(f"`{text}`" in found.body for text in expected)


@pytest.mark.requirement("workspace.digest.caveats")
@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (
            "## Limitations\n\nOnly Linux.\n\n### More\n\nOnly x86.\n\n## Other\n\nFine.\n",
            ["Only Linux.", "More: Only x86."],
        ),
        ("Gotchas\n=======\n\n* One\n* Two\n\nUsage\n=====\n\nThree\n", ["One", "Two"]),
        (".. warning::\n\n   It is slow.\n\nIt is fine.\n", ["It is slow."]),
        ('!!! danger "Hot"\n    Do not touch.\n\nIt is fine.\n', ["Do not touch."]),
        ("**Warning:** it bites.\n", ["it bites."]),
        ("All is well. Do not push to main. It is fine.\n", ["Do not push to main."]),
        ("Callers must not hold the lock.\n", ["Callers must not hold the lock."]),
        ("Don\u2019t panic.\n", ["Don\u2019t panic."]),
        ("## Caveats\n\n| a | b |\n|---|---|\n\n```\nNever\n```\n", []),
        ("## Release notes\n\nFaster.\n", []),
    ],
)
def test_warnings_are_known_by_their_headings_labels_and_first_words(
    tmp_path: Path, document: str, expected: list[str]
) -> None:
    found = scan(str(plant(tmp_path, {"README.md": document})))

    assert [held.text for held in found.caveats] == expected


def test_where_nothing_is_found_the_digest_says_so(tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()

    found = scan(str(tmp_path / "bare"))

    assert found.body == (
        "## Layout\n\nNothing was found: there are no files to speak of.\n\n"
        "## Commands\n\nNo command for tests, lint, format or build is declared.\n\n"
        "## Caveats\n\nNone is stated in its documents.\n"
    )
    assert found.summary == "bare. Repository, 0 files. No test command is declared."
    assert not found.truncated


def test_a_repository_without_a_build_is_told_by_its_readme(tmp_path: Path) -> None:
    found = scan(str(plant(tmp_path, {"README": "Recipes\n=======\n\nWhat we cook. And eat.\n", "soup.txt": "x"})))

    assert found.summary == "Recipes: What we cook. Repository, 2 files. No test command is declared."


@pytest.mark.parametrize(
    ("files", "name", "expected"),
    [
        ({"package.json": '{"name": "n"}', "README.md": "# T\n"}, "given", "given"),
        ({"package.json": '{"name": "n"}', "README.md": "# T\n"}, None, "n"),
        ({"go.mod": "module example.org/x/tool\n"}, None, "tool"),
        ({"README.md": "# T\n"}, None, "T"),
        ({"a.c": ""}, None, "here"),
    ],
)
def test_the_name_is_the_one_given_else_declared_else_titled_else_the_directory_s(
    tmp_path: Path, files: Mapping[str, str], name: str | None, expected: str
) -> None:
    found = scan(str(plant(tmp_path / "here", files)), name=name)

    assert found.name == expected
    assert found.summary.startswith(expected)
    assert str(tmp_path) not in found.summary + found.body


@pytest.mark.parametrize("tree", [PYTHON_PROJECT, NODE_WORKSPACE])
def test_the_same_files_give_the_same_bytes_wherever_and_however_they_came(
    tmp_path: Path, tree: Mapping[str, str]
) -> None:
    first = scan(str(plant(tmp_path / "one", tree)))
    other = plant(tmp_path / "far" / "away", dict(reversed(list(tree.items()))))

    assert scan(str(tmp_path / "one")) == first
    assert scan(str(other)) == first
    shutil.copytree(other, tmp_path / "copy")
    assert scan(f"{tmp_path}/copy/") == first


@pytest.mark.parametrize("root", ["missing", "file.txt", "nul\0"])
def test_a_root_that_is_no_directory_is_refused_by_name(tmp_path: Path, root: str) -> None:
    (tmp_path / "file.txt").touch()

    with pytest.raises(InvalidInput, match="is no directory that can be read"):
        scan(f"{tmp_path}/{root}")


def told(found: Scan, purpose: Purpose) -> list[tuple[str, str, Standing]]:
    """The commands for a purpose, in their order."""
    held: list[Command] = [command for command in found.commands if command.purpose is purpose]
    return [(command.text, command.source, command.standing) for command in held]
