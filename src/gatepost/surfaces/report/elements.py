"""HTML elements. Whatever is not `Markup` is somebody's text, and becomes text."""

from html import escape

from gatepost.surfaces.report.texts import readable


class Markup(str):
    """HTML that was made here."""

    __slots__ = ()


NONE = Markup("")


def element(name: str, *content: str, **attributes: str | None) -> Markup:
    """An element. An attribute that is None is left out; `class_` is the class."""
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{said}>{joined(*content)}</{name}>")


def joined(*content: str) -> Markup:
    """Pieces of content, one after the other."""
    return Markup("".join(text(piece) for piece in content))


def text(said: str) -> Markup:
    """A text as HTML, which shows it as it is and does nothing."""
    return said if isinstance(said, Markup) else Markup(escape(readable(said)))
