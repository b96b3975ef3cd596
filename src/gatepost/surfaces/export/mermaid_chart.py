"""A workspace as a flowchart of Mermaid: plans around tasks around steps, and what waits for what."""

from collections.abc import Iterator
from typing import Final

from gatepost.surfaces.export.work_reader import WorkPart, step_status

_LONGEST: Final = 80
_PLAIN: Final = " .,:-_()/!?+…"
_STYLES: Final = (
    "classDef done fill:#dcfce7,stroke:#16a34a,color:#14532d",
    "classDef blocked fill:#fee2e2,stroke:#dc2626,color:#7f1d1d",
    "classDef forced fill:#fef9c3,stroke:#ca8a04,color:#713f12",
    "classDef open fill:#f8fafc,stroke:#64748b,color:#0f172a",
)


def mermaid_chart(workspace: str, work: Iterator[WorkPart]) -> Iterator[str]:
    """The chart, piece by piece. Edges come last, because a name must be known before it is used."""
    yield f"---\ntitle: {_quoted(workspace)}\n---\nflowchart LR\n"
    yield "".join(f"  {style}\n" for style in _STYLES)
    opened: list[str] = []
    edges: list[str] = []
    for root, steps, is_more in work:
        if not is_more:
            while opened and opened[-1] != root.plan:
                opened.pop()
                yield "  end\n"
            edges += [f"  {_name(needed)} --> {_name(root.id)}\n" for needed in root.depends_on or ()]
            count = f"{root.counts.done} of {root.counts.total}"
            label = _label(f"{root.id} {root.title}", f"({root.status}, {count})")
            if root.kind == "task" and not root.counts.total:
                yield f"  {_name(root.id)}[{label}]:::{'done' if root.status == 'DONE' else 'open'}\n"
                continue
            opened.append(root.id)
            yield f"  subgraph {_name(root.id)} [{label}]\n"
        for step in steps:
            name = _name(f"{root.id}.{step.path}")
            yield f"    {name}[{_label(step.title)}]:::{step_status(step)}\n"
            above = step.path.rpartition(".")[0]
            if above:
                edges.append(f"  {_name(f'{root.id}.{above}')} --- {name}\n")
    yield from ("  end\n" for _ in opened)
    yield from edges


def _name(text: str) -> str:
    """The name of a node: letters, digits and underscores."""
    return "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in text)


def _label(text: str, end: str = "") -> str:
    line = " ".join(text.split())
    line = line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
    return f'"{_escaped(f"{line} {end}".strip())}"'


def _escaped(text: str) -> str:
    """A text as Mermaid shows it, with every sign that could mean something as its number."""
    return "".join(letter if letter.isalnum() or letter in _PLAIN else f"#{ord(letter)};" for letter in text)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
