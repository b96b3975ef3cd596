"""How tests run init."""

from gatepost.surfaces.cli.main import run


def init(*words: str) -> int:
    return run(["init", "--yes", *words])
