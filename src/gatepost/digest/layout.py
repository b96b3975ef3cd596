"""Layout: where the code, the tests and the docs are, and the directories worth knowing."""

import re
from collections import Counter, defaultdict
from typing import Final

from gatepost.digest import manifests
from gatepost.digest.findings import Layout, NotableDirectory
from gatepost.digest.languages import DOCS, TESTS, VENDORED, Weights, is_own
from gatepost.digest.project import Project
from gatepost.digest.sanitizer import plain, quoted

MOST_DIRECTORIES: Final = 50
MOST_CHILDREN: Final = 16
MOST_OF_OTHERS: Final = 6
"""The most directories to show below tests, docs and the like."""
MOST_ROOT_FILES: Final = 24

_LONGEST_NOTE: Final = 110
_LONGEST_PATH: Final = 120
_MOST_NOTABLE: Final = 3
_DEEPEST_NOTABLE: Final = 3
_NOTABLE: Final = 0.15
"""The share of the code that a directory needs to appear in the summary."""
_ALL_OF_IT: Final = 0.9

_opening = re.compile(r"""^[rRuU]?(\"{3}|'{3}|"|')(.*)$""")


def found(project: Project, weights: Weights) -> Layout:
    """The layout of a tree. A directory with one child and no files shares a line with that child."""
    counts, children = _counted(project)
    listed: list[NotableDirectory] = []
    omitted = 0
    for top in children[""]:
        upper = _folded(project, top, children)
        listed.append(_directory(project, upper, counts, 0))
        below = children[upper]
        most = MOST_CHILDREN if is_own(f"{upper}/x") else MOST_OF_OTHERS
        listed.extend(_directory(project, path, counts, 1) for path in below[:most])
        omitted += len(below[most:])
    omitted += len(listed) - len(listed[:MOST_DIRECTORIES])
    root_files = [quoted(name, _LONGEST_PATH) for name in project.names("")]
    return Layout(
        languages=weights.languages,
        code=_code(weights.places),
        tests=_tests(project, children),
        docs=tuple(quoted(path, _LONGEST_PATH) for path in children[""] if path.lower() in DOCS),
        directories=tuple(listed[:MOST_DIRECTORIES]),
        root_files=tuple(root_files[:MOST_ROOT_FILES]),
        entries=manifests.entries(project),
        packages=manifests.packages(project),
        omitted=omitted + len(root_files) - len(root_files[:MOST_ROOT_FILES]),
    )


def _code(places: Counter[str]) -> tuple[str, ...]:
    """The directories with most of the main language's code, largest first, without the root."""
    weights = Counter[str]()
    for place, weight in places.items():
        segments = place.split("/") if place else []
        for depth in range(len(segments) + 1):
            weights["/".join(segments[:depth])] += weight
    tops = [place for place in weights if place and "/" not in place and weights[place] >= _NOTABLE * weights[""]]
    heaviest = sorted(tops, key=lambda place: (-weights[place], place))[:_MOST_NOTABLE]
    return tuple(quoted(_narrowed(place, weights), _LONGEST_PATH) for place in heaviest)


def _narrowed(place: str, weights: Counter[str]) -> str:
    """The child directory that contains nearly everything."""
    while place.count("/") + 1 < _DEEPEST_NOTABLE:
        inner = [
            path
            for path, weight in weights.items()
            if path.rpartition("/")[0] == place and weight >= _ALL_OF_IT * weights[place]
        ]
        if not inner or not weights[place]:
            break
        place = inner[0]
    return place


def _tests(project: Project, children: dict[str, list[str]]) -> tuple[str, ...]:
    """The top-most test directories, or their common form if there are many."""
    found = [
        path
        for path in project.tree.directories
        if path.rpartition("/")[2].lower() in TESTS
        and path in children[path.rpartition("/")[0]]
        and (TESTS | VENDORED | DOCS).isdisjoint(path.lower().split("/")[:-1])
    ]
    level = min((path.count("/") for path in found), default=0)
    upper = [path for path in found if path.count("/") == level]
    forms = {(path.split("/")[0], path.rpartition("/")[2]) for path in upper}
    if len(upper) > _MOST_NOTABLE and level == 2:
        upper = [f"{top}/*/{name}" for top, name in sorted(forms)]
    return tuple(quoted(path, _LONGEST_PATH) for path in upper[:_MOST_NOTABLE])


def _counted(project: Project) -> tuple[Counter[str], dict[str, list[str]]]:
    """The number of files below each directory, and its non-empty children."""
    counts: Counter[str] = Counter()
    for path in project.tree.files:
        place = path.rpartition("/")[0]
        while place:
            counts[place] += 1
            place = place.rpartition("/")[0]
    children: dict[str, list[str]] = defaultdict(list)
    for path in project.tree.directories:
        if counts[path]:
            children[path.rpartition("/")[0]].append(path)
    return counts, children


def _folded(project: Project, path: str, children: dict[str, list[str]]) -> str:
    while not project.names(path) and len(children[path]) == 1:
        path = children[path][0]
    return path


def _directory(project: Project, path: str, counts: Counter[str], level: int) -> NotableDirectory:
    says = quoted(_docstring(project, f"{path}/__init__.py"), _LONGEST_NOTE)
    return NotableDirectory(path=quoted(path, _LONGEST_PATH), files=counts[path], says=says, level=level)


def _docstring(project: Project, path: str) -> str:
    """The first line of a module's docstring."""
    if not project.spare or not project.has(path):
        return ""
    for line in plain(project.text(path)).split("\n"):
        if line.strip() and not line.lstrip().startswith("#"):
            match = _opening.match(line)
            return match[2].removesuffix(match[1]).strip() if match else ""
    return ""
