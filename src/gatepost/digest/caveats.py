"""Caveats: what follows from the files that are there, in our own words.

No sentence of a document is repeated: what is written for people, or by anyone who can open a pull request, must
not become an instruction to the agent that reads the digest. Documents that are meant for agents are named.
"""

import re
from collections.abc import Iterator
from typing import Final

from gatepost.digest.findings import Layout
from gatepost.digest.languages import GENERATED, VENDORED, is_generated, is_own, submodules
from gatepost.digest.project import Project, string, table
from gatepost.digest.quoting import code, quoted
from gatepost.digest.tables import pairs, words

MOST: Final = 20

_MOST_NAMED: Final = 4
_LONGEST: Final = 80
_FOR_AGENTS: Final = words(
    "agents.md claude.md gemini.md copilot-instructions.md .cursorrules .windsurfrules .clinerules .goosehints"
)
_LOCKS: Final = (
    words("package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb"),
    words("uv.lock poetry.lock pdm.lock Pipfile.lock pylock.toml"),
)
_VERSION_FILES: Final = pairs(
    ".python-version=Python, .nvmrc=Node, .node-version=Node, .ruby-version=Ruby, .java-version=Java,"
    " .go-version=Go, rust-toolchain=Rust"
)
_PINS: Final = (
    ("go.mod", "Go", r"(?m)^go[ \t]+(\S+)"),
    ("rust-toolchain.toml", "Rust", r"(?m)^channel[ \t]*=[ \t]*\"([^\"]+)\""),
    ("global.json", ".NET SDK", r"\"version\"\s*:\s*\"([^\"]+)\""),
    ("setup.cfg", "Python", r"(?m)^python_requires[ \t]*=[ \t]*(\S+)"),
    ("setup.py", "Python", r"python_requires\s*=\s*['\"]([^'\"]+)['\"]"),
    ("pom.xml", "Java", r"<(?:java\.version|maven\.compiler\.release)>([\d.]+)<"),
)
_SERVICES: Final = words(
    "cassandra clickhouse elasticsearch kafka localstack mailpit mariadb memcached minio mongo mysql nats"
    " opensearch postgres rabbitmq redis valkey"
)
_CI: Final = (
    *(".github/workflows/", ".forgejo/workflows/", ".gitea/workflows/", ".buildkite/", ".gitlab-ci.yml"),
    *(".circleci/config.yml", "azure-pipelines.yml", "Jenkinsfile", ".travis.yml"),
)
_HOOKS: Final = (".pre-commit-config.yaml", "lefthook.yml", ".husky/pre-commit", ".overcommit.yml")
_number = (
    r"(?:[<>=~^!]{0,3} ?v?\d[\d.*x]{0,15}(?:[-.]?(?:a|b|c|rc|alpha|beta|dev|pre)[\d.]{0,6})?"
    r"|\*|stable|nightly|lts/\w{1,12})"
)
_version = re.compile(rf"{_number}(?:(?: ?\|\| ?| ?, ?| - | ){_number}){{0,5}}")
"""Numbers and the signs between them: no place for words."""
_image = re.compile(r"(?m)^[ \t]*(?:-[ \t]+)?image:[ \t]*['\"]?([\w./-]{1,200})")


def found(project: Project, layout: Layout, ecosystem: str) -> tuple[str, ...]:
    """What to know before working here, a bounded number of sentences, the most important first."""
    told = [
        *_for_agents(project),
        *_versions(project),
        *_surroundings(project),
        *_locks(project, ecosystem),
        *_not_to_edit(project),
        *_shape(project, layout),
    ]
    return tuple(told[:MOST])


def instructions(project: Project) -> list[str]:
    """The files that are written for agents, uppermost first."""
    paths = [path for path in project.tree.files if path.rpartition("/")[2].lower() in _FOR_AGENTS]
    rules = [path for path in project.tree.files if path.startswith(".cursor/rules/")]
    return sorted([*paths, *rules[:1]], key=lambda path: (path.count("/"), path.startswith("."), path))


def _for_agents(project: Project) -> Iterator[str]:
    paths = instructions(project)
    if len(paths) == 1:
        yield f"{_named(paths)} has instructions for agents: read it."
    elif paths:
        yield f"{_named(paths)} have instructions for agents: read those that apply."


def _versions(project: Project) -> Iterator[str]:
    """The versions that files ask for, each tool once."""
    seen: set[str] = set()
    for tool, version, file in _pins(project):
        plain = " ".join(version.split())
        if tool not in seen and _version.fullmatch(plain):
            seen.add(tool)
            yield f"Needs {tool} {code(plain)} ({code(file)})."


def _pins(project: Project) -> Iterator[tuple[str, str, str]]:
    for file, tool in _VERSION_FILES:
        yield tool, project.text(file).partition("\n")[0], file
    pyproject, node = project.toml("pyproject.toml"), project.json("package.json")
    yield "Python", string(table(pyproject, "project"), "requires-python"), "pyproject.toml"
    yield "Python", string(table(pyproject, "tool", "poetry", "dependencies"), "python"), "pyproject.toml"
    yield "Node", string(table(node, "engines"), "node"), "package.json"
    yield "Rust", string(table(project.toml("Cargo.toml"), "package"), "rust-version"), "Cargo.toml"
    yield "PHP", string(table(project.json("composer.json"), "require"), "php"), "composer.json"
    for file, tool, pattern in _PINS:
        match = re.search(pattern, project.text(file))
        if match:
            yield tool, match[1], file


def _surroundings(project: Project) -> Iterator[str]:
    """What must be there besides the code: services, settings, submodules, large files, hooks."""
    for file in ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"):
        images = {image.rpartition("/")[2] for image in _image.findall(project.text(file))}
        services = [name for name in sorted(_SERVICES) if any(name in image for image in images)]
        if services:
            yield f"Uses services that {code(file)} starts: {', '.join(services)}."
    examples = [name for name in project.names("") if name.startswith(".env.") or name.endswith(".env")]
    if examples:
        yield f"Reads settings from the environment: {_named(examples)} shows which."
    modules = submodules(project)
    if modules:
        yield f"Has git submodules ({_named(modules)}): `git submodule update --init --recursive` fetches them."
    if "filter=lfs" in project.text(".gitattributes"):
        yield "Keeps some files in Git LFS: without `git lfs pull` they are pointers."
    workflows = [place for place in _CI if project.names(place.rstrip("/")) or project.has(place)]
    if workflows:
        yield f"CI is defined in {_named(workflows)}: it shows what must pass."
    pins = project.first(".tool-versions", "mise.toml", ".mise.toml", "flake.nix", "devbox.json")
    if pins:
        yield f"Pins its tools in {code(pins)}."
    hooks = project.first(*_HOOKS)
    if hooks:
        yield f"A commit runs the hooks of {code(hooks)}, once they are installed."


def _locks(project: Project, ecosystem: str) -> Iterator[str]:
    there = [sorted(lock for lock in locks if project.has(lock)) for locks in _LOCKS]
    yield from (f"Has several lock files: {_named(locks)}." for locks in there if len(locks) > 1)
    if ecosystem == "node" and project.has("package.json") and not there[0]:
        yield "Has no lock file: an install takes the newest versions that fit."


def _not_to_edit(project: Project) -> Iterator[str]:
    vendored = _places(project, VENDORED)
    if vendored:
        yield f"Third-party code is in {_named(vendored)}: change it at its source."
    written = [path for path in project.tree.files if is_generated(path) and is_own(f"{path.rpartition('/')[0]}/x")]
    folders = _places(project, GENERATED - {"dist"})
    if written or folders:
        yield f"Generated code is in {_named(folders or written)}: change what it is generated from."


def _places(project: Project, names: frozenset[str]) -> list[str]:
    """The uppermost directories of such a name."""
    return [
        f"{path}/"
        for path in project.tree.directories
        if path.rpartition("/")[2].lower() in names and is_own(path) and path.count("/") < 3
    ]


def _shape(project: Project, layout: Layout) -> Iterator[str]:
    if layout.packages:
        yield f"Is a workspace of {len(layout.packages)} packages: a command may apply to one of them only."
    if layout.code and not layout.tests and not any("test" in path.lower() for path in project.tree.files):
        yield "Has no tests that could be found."


def _named(paths: list[str]) -> str:
    shown = ", ".join(code(quoted(path, _LONGEST)) for path in paths[:_MOST_NAMED])
    return shown + (f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else "")
