"""Repositories to be scanned: real files, planted in a temporary directory."""

from collections.abc import Mapping
from pathlib import Path

PYTHON_PROJECT: Mapping[str, str] = {
    "pyproject.toml": """
[project]
name = "shop"
description = "Sells things."
[project.scripts]
shop = "shop.cli:main"
[build-system]
build-backend = "hatchling.build"
[tool.pytest.ini_options]
[tool.ruff]
[tool.mypy]
""",
    "Makefile": """
.PHONY: test lint
VERSION := 1
test: deps  ## Run the tests
\t@pytest -q
lint:
\truff check
test-legacy:
\tnose
build/%.o: src
\tcc $<
""",
    "README.md": "# The shop\n\nIt sells things. Never run two of them on one database.\n",
    "CONTRIBUTING.md": "# Contributing\n\n- Before a commit: `ruff format .` mends the style.\n",
    "src/shop/__init__.py": '"""Everything the shop does."""\n',
    "src/shop/cli/__init__.py": '"""The command line."""\n',
    "src/shop/prices/__init__.py": "",
    "tests/test_shop.py": "def test_it() -> None: ...\n",
    "docs/guide.md": "# Guide\n\nCaution: the queue is not durable.\n",
    ".github/workflows/ci.yml": "jobs:\n  test:\n    steps:\n      - run: tox -e py311\n",
}

CAREFUL_PROJECT: Mapping[str, str] = {
    "AGENTS.md": "Do it.\n",
    "web/CLAUDE.md": "Do not do it.\n",
    ".python-version": "3.12\n",
    "pyproject.toml": "[project]\nname = 'careful'\nrequires-python = '>=3.11'\n",
    "package.json": '{"engines": {"node": ">=20"}}',
    "compose.yaml": "services:\n  db:\n    image: docker.io/library/postgres:16\n  kv:\n    image: 'redis'\n",
    ".env.example": "KEY=\n",
    ".gitmodules": '[submodule "x"]\n\tpath = lib/x\n\turl = https://example.org/x\n',
    ".gitattributes": "*.psd filter=lfs diff=lfs merge=lfs -text\n",
    ".pre-commit-config.yaml": "repos: []\n",
    ".github/workflows/ci.yml": "jobs:\n  all:\n    steps:\n      - run: make approve\n",
    "package-lock.json": "{}",
    "yarn.lock": "",
    "src/careful.py": "x = 1\n",
    "tests/test_careful.py": "",
    "vendor/lib.py": "",
    "web/generated/api.ts": "",
}

NODE_WORKSPACE: Mapping[str, str] = {
    "package.json": """{
  "name": "studio", "description": "Draws.", "workspaces": ["packages/*"], "bin": {"studio": "cli.js"},
  "scripts": {"test": "vitest run", "pretest": "node prepare.js", "lint:fix": "eslint --fix .",
              "check-types": "tsc --noEmit", "format": "prettier -w .", "build": "vite build", "dev": "vite"}}""",
    "pnpm-lock.yaml": "lockfileVersion: 9\n",
    "packages/ui/package.json": '{"name": "@studio/ui", "scripts": {"storybook": "storybook dev"}}',
    "packages/core/package.json": '{"name": "@studio/core", "scripts": {"storybook": "storybook dev"}}',
    "packages/core/index.ts": "export {}\n",
    "packages/notes.txt": "no package\n",
}


def plant(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below a directory, in the order given."""
    root.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root
