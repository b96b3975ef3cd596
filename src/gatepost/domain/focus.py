"""The focus: the default target of reads."""

from gatepost.domain.value import Value


class Focus(Value, frozen=True, kw_only=True, tag="focus", tag_field="kind"):
    """The plan or task in focus, if any."""

    target: str | None = None
