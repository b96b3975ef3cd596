"""Lists as PostgreSQL writes them in text: `{1,2,NULL}`. The driver's own way looks at every element's type."""

from collections.abc import Iterable


def array(values: Iterable[str | int | None]) -> str:
    """A list as text. A text in it is quoted, so that nothing in it has a meaning."""
    return f"{{{','.join([_element(value) for value in values])}}}"


def _element(value: str | int | None) -> str:
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return "NULL" if value is None else str(value)
