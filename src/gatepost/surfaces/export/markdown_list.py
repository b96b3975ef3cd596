"""A workspace as Markdown: a heading for each plan and task, a checklist of the steps."""

from collections.abc import Iterator, Sequence

from gatepost.replies.resume import ListedStep
from gatepost.replies.roots import RootDetail
from gatepost.surfaces.export.work_reader import WorkPart
from gatepost.surfaces.proof_text import basis_word
from gatepost.surfaces.report.markdown_escapes import inline


def markdown_list(workspace: str, work: Iterator[WorkPart]) -> Iterator[str]:
    """The document, piece by piece."""
    yield f"# {inline(workspace)}\n"
    for root, steps, is_more in work:
        if not is_more:
            yield "\n".join(_heading(root))
        yield "".join(f"{line}\n" for step in steps for line in _step(step))


def _heading(root: RootDetail) -> Iterator[str]:
    level = "##" if root.kind == "plan" or root.plan is None else "###"
    yield f"\n{level} {root.id} {inline(root.title)}\n"
    facts = [root.status, f"{root.counts.done} of {root.counts.total} steps done"]
    facts += [f"priority {root.priority}"] if root.priority != "MEDIUM" else []
    facts += [f"waits for {', '.join(root.depends_on)}"] if root.depends_on else []
    facts += [f"tags: {', '.join(map(inline, root.tags))}"] if root.tags else []
    yield f"{' · '.join(facts)}\n"
    for text in (root.description, root.context, root.contract):
        if text:
            yield "".join(f"> {inline(line)}\n" if line.strip() else ">\n" for line in text.splitlines()) + "\n"
    if root.checklist is not None:
        for at, text in enumerate(root.checklist.steps):
            yield f"- [{'x' if at < root.checklist.current else ' '}] {inline(text)}"
        yield ""


def _step(step: ListedStep) -> Iterator[str]:
    indent = "  " * step.path.count(".")
    yield f"{indent}- [{'x' if step.done else ' '}] {inline(step.title)} ({'; '.join(_facts(step))})"
    for name, texts in (("Criterion", step.criteria), ("Test", step.tests), ("Waits until", step.blockers)):
        for text in texts or ():
            yield f"{indent}  - {name}: {inline(text)}"


def _facts(step: ListedStep) -> Sequence[str]:
    facts = [step.path]
    if step.blocked:
        facts.append(f"blocked: {inline(step.blocked)}" if isinstance(step.blocked, str) else "blocked")
    facts += [f"{proof.checkpoint} {basis_word(proof.provenance)}" for proof in step.confirmed or ()]
    if step.done and step.unconfirmed:
        facts.append(f"forced, without {' and '.join(step.unconfirmed)}")
    return facts
