"""Scans a directory into a digest of its files. Nothing is run, and nothing outside is read."""

import os
from dataclasses import dataclass

from gatepost.digest import caveats, commands, languages, layout, manifests, markdown
from gatepost.digest.findings import Identity, Layout, ProjectCommand
from gatepost.digest.project import Project
from gatepost.digest.walk import walked
from gatepost.domain.refusals import InvalidInput
from gatepost.files.no_follow import closing


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """A digest and its findings. `truncated`: a limit left something out."""

    identity: Identity
    summary: str
    body: str
    layout: Layout
    commands: tuple[ProjectCommand, ...]
    caveats: tuple[str, ...]
    files: int
    truncated: bool


def scan(root: str, *, name: str | None = None) -> Scan:
    """The digest of a repository. The same files give the same digest, wherever they are.

    Only a repository that no manifest gives a name is called by its directory. Refuses a root that is no directory.
    """
    try:
        descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)  # the root itself may be a link
    except (OSError, ValueError) as error:
        raise InvalidInput([("root", f"{ascii(root)[:200]} is not a readable directory")]) from error
    with closing(descriptor):
        project = Project(descriptor, walked(descriptor))
        return _digest(project, named=name, directory=os.path.basename(os.path.realpath(root)))


def _digest(project: Project, *, named: str | None, directory: str) -> Scan:
    weights = languages.weigh(project)
    identity = manifests.identity(project, weights, named=named, directory=directory)
    known = commands.found(project, weights.main)
    laid_out = layout.found(project, weights)
    stated = caveats.found(project)
    files = len(project.tree.files)
    notice = "" if project.complete else "The repository is too large to scan completely."
    body, whole = markdown.body(identity, laid_out, known, stated, notice=notice)
    return Scan(
        identity=identity,
        summary=markdown.summary(identity, laid_out, known, files, caveats.instructions(project)),
        body=body,
        layout=laid_out,
        commands=known,
        caveats=stated,
        files=files,
        truncated=not (whole and project.complete),
    )
