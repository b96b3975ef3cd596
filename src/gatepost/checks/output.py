"""What a check prints: made plain, searched as it comes, and kept in part: its head and its tail."""

import codecs
import io
import re
from typing import Final

from gatepost.files.search import compiled
from gatepost.wire.credentials import redacted

HEAD: Final = 32 * 1_024
TAIL: Final = 96 * 1_024
MARGIN: Final = 16 * 1_024
"""How many characters on the other side of a cut are looked at for credentials. A large private key has 13,000."""

_LONGEST_LINE: Final = 64 * 1_024
_LONGEST_WORD: Final = 4 * 1_024
_key_begin = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY")
_key_end = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY")
_LONGEST_ESCAPE: Final = 5_000
_BODY: Final = r"[^\n\x07\x1b\x80-\x9f]{0,4096}+"
_STRING: Final = rf"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f]){_BODY}"
_CODE: Final = r"(?:\x1b\[|\x9b)[0-?]{0,256}+[ -/]{0,16}+"
_SHORT: Final = r"\x1b[ -/]{0,16}+"
_SIGN: Final = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
_sign = re.compile(_SIGN)
"""A sign that moves the cursor, hides or reorders text; every escape sequence begins with one."""
_escape = re.compile(rf"{_STRING}(?:\x07|\x1b\\|\x9c)|{_CODE}[@-~]|{_SHORT}[0-~]|{_SIGN}")
_unfinished = re.compile(rf"(?:{_STRING}\x1b?|{_CODE}|{_SHORT})\Z")
"""The beginning of an escape sequence at the end of a text. Bounded: what goes on for longer is none."""


class PlainText:
    """Decodes bytes piece by piece: invalid ones are replaced, escape sequences removed, line ends made `\\n`."""

    def __init__(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._decoder = io.IncrementalNewlineDecoder(decoder, translate=True)
        self._held = ""

    def fed(self, data: bytes, *, last: bool = False) -> str:
        """The text of the next bytes. An escape sequence that is not finished is held back."""
        text = self._held + self._decoder.decode(data, final=last)
        self._held = ""
        # Most texts have no such sign, and looking for one is far faster than looking for sequences.
        if not (sign := _sign.search(text)):
            return text
        if not last and (begun := _unfinished.search(text, max(sign.start(), len(text) - _LONGEST_ESCAPE))):
            text, self._held = text[: begun.start()], text[begun.start() :]
        return _escape.sub("", text)


class Expectation:
    """Searches all that a check prints, line by line, for a pattern."""

    def __init__(self, pattern: str | None) -> None:
        self._search = None if pattern is None else compiled(pattern)
        self._line = ""
        self.met = pattern is None

    def fed(self, text: str, *, last: bool = False) -> None:
        """Search what is complete of the text so far. A line that is far too long is searched in pieces."""
        if self._search is None or self.met:
            return
        text = self._line + text
        end = len(text) if last or len(text) - text.rfind("\n") > _LONGEST_LINE else text.rfind("\n") + 1
        self._line = text[end:]
        self.met = any(True for _ in self._search.lines(text[:end].encode()))


class LiveLines:
    """Passes on lines as they are complete, without the credentials in them.

    Half a line may hold half a credential, which nobody recognises. So does half of a private key, which waits for
    its end. What is far too long for a line is passed on in pieces.
    """

    def __init__(self) -> None:
        self._held = ""

    def fed(self, text: str, *, last: bool = False) -> str:
        """What can be shown of the text so far."""
        if not text and not last:
            return ""
        text = self._held + text
        end = len(text) if last else self._complete(text)
        self._held = text[end:]
        return redacted(text, 0, end)[0]

    def _complete(self, text: str) -> int:
        """Where the part ends that can be shown now."""
        if len(text) > _LONGEST_LINE:  # a credential has no blanks in it
            most = len(text) - _LONGEST_WORD
            return max(text.rfind(blank, 0, most) for blank in " \n\t") + 1 or most
        end = text.rfind("\n") + 1
        closed = max((key.end() for key in _key_end.finditer(text, 0, end)), default=0)
        key = _key_begin.search(text, closed, end)
        return end if key is None else text.rfind("\n", 0, key.start()) + 1


class Excerpt:
    """Keeps the head and the tail of a text of any length.

    It is redacted here, with what is beyond a cut in view: half a credential, or one without the words around it,
    would not be recognised later. A cut is at the end of a line where there is one nearby.
    """

    def __init__(self, head: int = HEAD, tail: int = TAIL, margin: int = MARGIN) -> None:
        self._head, self._tail, self._margin = head, tail, margin
        self._first = ""
        self._last: list[str] = []
        self._held = self._length = self._bytes = 0

    def fed(self, text: str) -> None:
        """Take the next piece."""
        self._length += len(text)
        self._bytes += len(text.encode())
        room = self._head + self._margin - len(self._first)
        self._first += text[:room]
        self._last.append(text[room:])
        self._held += len(text[room:])
        keep = self._margin + self._tail
        if self._held > 2 * keep:
            self._last = ["".join(self._last)[-keep:]]
            self._held = keep

    def shown(self) -> tuple[str, int]:
        """The excerpt, with a line that says how much is left out; and the number of bytes left out."""
        text = self._first + "".join(self._last)
        if self._length <= self._head + self._tail:
            return redacted(text)[0], 0
        before, behind = text[: self._head + self._margin], text[-(self._margin + self._tail) :]
        end = before.rfind("\n", max(self._head - self._margin, 0), self._head) + 1 or self._head
        least = len(behind) - self._tail
        start = behind.find("\n", least, least + self._margin) + 1 or least
        cut = self._bytes - len((before[:end] + behind[start:]).encode())
        head, tail = redacted(before, 0, end)[0], redacted(behind, start)[0]
        return f"{head.rstrip()}\n[{cut:,} bytes are left out here]\n{tail}", cut
