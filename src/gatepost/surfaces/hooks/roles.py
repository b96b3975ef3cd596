"""Which words of a command are paths, and which are text, patterns or programs. In doubt a word is a path."""

from __future__ import annotations

from gatepost.surfaces.hooks.names import names_closed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

    from gatepost.surfaces.hooks.words import Word

PATH: Final = "path"
TEXT: Final = "text"
CODE: Final = "code"
SHELL: Final = "sh"

OWN: Final = frozenset({"gatepost"})
SPEAKERS: Final = frozenset({"echo", "printf"})
MOVERS: Final = frozenset({"cd", "pushd"})
SHELLS: Final = frozenset({SHELL, "bash", "zsh", "dash", "ksh", "fish", "ash", "su", "eval"})
PROGRAMS: Final = frozenset({"python", "pypy", "node", "bun", "deno", "perl", "ruby", "php", "lua", "osascript"})
RUNNERS: Final = (
    SHELLS | PROGRAMS | {"xargs", "parallel", "while", "read", "mapfile", "readarray", "cpio", "source"}
)
PATCHERS: Final = frozenset({"apply_patch", "applypatch", "patch", "git-apply"})

_TAKES_PATCH: Final = ("apply_patch", "applypatch")
_WRAPPERS: Final = frozenset(
    {
        *("sudo", "doas", "env", "time", "nohup", "command", "exec", "builtin", "timeout", "setsid"),
        *("then", "do", "else", "elif", "if", "until", "!", "{"),
        *("uv", "uvx", "poetry", "run"),
    }
)
_SEEKERS: Final = frozenset(
    {
        *("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "git-grep"),
        *("sed", "gsed", "awk", "gawk", "mawk", "jq", "yq"),
    }
)
_SPEAKING_GIT: Final = frozenset({"commit", "tag", "stash", "notes", "merge"})
_DECLARE: Final = frozenset({"export", "local", "declare", "readonly"})
_SPEAKING: Final = frozenset({"gh", "glab", "hg", "svn", "jj"})
_MESSAGES: Final = ("--message", "--title", "--body", "--notes", "--subject", "--description")
_SAYS: Final = (*(f"{option}=" for option in _MESSAGES), "--grep=", "--author=")
_LEFT_OUT: Final = ("--exclude", "--exclude-dir", "--ignore", "--ignore-dir", "--ignore-pattern", "--hide")
_LEAVES_OUT: Final = (*(f"{option}=" for option in _LEFT_OUT), "!", "-g!", "--glob=!", "--iglob=!")
_LEAVES_OUT_OF_GIT: Final = (":!", ":^", ":(exclude)")
_FIND_TESTS: Final = frozenset({"-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex"})
_PATTERN: Final = ("--regexp", "--expression")
_GIVES_PATTERN: Final = tuple(f"{option}=" for option in _PATTERN)
_NO_PATTERN: Final = ("--file", "--from-file", "--type-list")
_TAKES_VALUE: Final = frozenset(
    {
        *("-A", "-B", "-C", "-m", "-g", "-t", "-T", "-d", "-D", "-j", "-M", "-F", "-v"),
        *("--glob", "--iglob", "--type", "--include", "--max-count", "--context"),
    }
)
_SED_FILE: Final = r"[rRwW]\s+(\S[^;}\n]*)"


def program_of(words: list[Word]) -> tuple[str, list[Word]]:
    """The program of a command behind `env X=1` and its like, and the words after it.

    Where a wrapper has options, the first stands for the program, for nobody knows what it takes: then every
    word is a path.
    """
    wrapped = False
    for index, word in enumerate(words):
        name = name_of(word)
        if name in _WRAPPERS:
            wrapped = True
        elif not (_is_assignment(word.text) or (wrapped and name.rstrip("smh").isdigit())):
            return _spelled_out(name, words[index + 1 :]), words[index + 1 :]
    return "", []


def name_of(word: Word) -> str:
    """A program's plain name: without its folder and its version."""
    name = word.text.rpartition("/")[2]
    return name.rstrip("0123456789.") or name


def roles(program: str, words: list[Word]) -> Iterator[tuple[Word, str]]:
    """Every word of a command with what it is."""
    pattern = _pattern_at(program, words) if program in _SEEKERS else -1
    runner = ""
    for index, word in enumerate(words):
        before = words[index - 1].text if index else ""
        if index == pattern or (program in _SEEKERS and _is_pattern(before, word.text)):
            yield word, _role_of_pattern(program, word.text)
        elif runner and _runs_next(before) and not word.text.startswith("-"):
            yield word, runner
        elif _is_text(program, words, index):
            yield word, TEXT
        elif index and program in _TAKES_PATCH:
            yield word, program
        elif index and program == "eval":
            yield word, SHELL
        else:
            yield word, PATH
        name = name_of(word)
        runner = SHELL if name in SHELLS else CODE if name in PROGRAMS else runner


def _spelled_out(name: str, rest: list[Word]) -> str:
    """Where the second word makes another program of the first."""
    following = next((word.text for word in rest if not word.text.startswith("-")), "")
    if name in ("python", "pypy") and [word.text for word in rest[:2]] == ["-m", "gatepost"]:
        return "gatepost"
    if name == "git":
        if following in ("apply", "am"):
            return "git-apply"
        return f"git-{following}" if following in _SPEAKING_GIT or following in ("grep", "log") else name
    return name


def _is_assignment(text: str) -> bool:
    name, is_assignment, _ = text.partition("=")
    return bool(is_assignment) and name.isidentifier()


def _is_text(program: str, words: list[Word], index: int) -> bool:
    """A message, something to leave out, or a name to steer clear of."""
    text = words[index].text
    before = words[index - 1].text if index else ""
    speaks = program in _SPEAKING or program.removeprefix("git-") in _SPEAKING_GIT or program == "git-log"
    if speaks and (_letters(before, "m") or before in (*_MESSAGES, "--grep") or _says(text)):
        return True
    if before in _LEFT_OUT or (len(text) > 1 and text.startswith(_LEAVES_OUT)):
        return True
    if program.startswith("git") and text.startswith(_LEAVES_OUT_OF_GIT):
        return True
    if " " in text and _is_given_name(words, index):
        return True
    if program == "find" and before in _FIND_TESTS:
        ahead = words[index + 1].text if index + 1 < len(words) else ""
        return ahead == "-prune" or (index > 1 and words[index - 2].text in ("!", "-not"))
    return False


def _says(text: str) -> bool:
    return text.startswith(_SAYS) or (text.startswith("-m") and len(text) > 2)


def _runs_next(option: str) -> bool:
    return _letters(option, "cCeErp") or option in ("--eval", "--print", "--command")


def _letters(option: str, last: str) -> bool:
    """Whether a word is an option of letters (`-am`), the last of them one of these."""
    return option[:1] == "-" and option[1:].isalpha() and option[-1] in last


def _is_given_name(words: list[Word], index: int) -> bool:
    """Whether a word sets a variable. One with blanks may be text; where it is used as a path, it is judged."""
    begin = 1 if index and words[0].text in _DECLARE else 0
    return all(_is_assignment(word.text) for word in words[begin : index + 1])


def _pattern_at(program: str, words: list[Word]) -> int:
    """Where the pattern of a `grep` stands, if no option gives it."""
    begin = 2 if program == "git-grep" else 1
    texts = [word.text for word in words]
    if any(_letters(text, "ef") or text.startswith((*_NO_PATTERN, *_PATTERN, "-e")) for text in texts):
        return -1
    for index in range(begin, len(texts)):
        text = texts[index]
        if texts[index - 1] in _TAKES_VALUE or text.startswith("-") or name_of(words[index]) == program:
            continue
        return index
    return -1


def _is_pattern(before: str, text: str) -> bool:
    attached = text.startswith("-e") and len(text) > 2
    return _letters(before, "e") or before in _PATTERN or attached or text.startswith(_GIVES_PATTERN)


def _role_of_pattern(program: str, pattern: str) -> str:
    """A pattern is text. A program for `sed` or `awk` is, too, until it reads or writes files of its own."""
    if program in ("sed", "gsed"):
        import re

        return PATH if any(names_closed(name) for name in re.findall(_SED_FILE, pattern)) else TEXT
    return CODE if program in ("awk", "gawk", "mawk") else TEXT
