"""Credentials: known by their published forms, and by nothing else."""

import re
from collections.abc import Iterator
from zlib import crc32

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gatepost.wire import credentials
from gatepost.wire.credential_forms import forms
from gatepost.wire.credentials import find, redacted
from gatepost.wire.secrets import secrets_in
from tests.wire.credentials import ALNUM, EVERY, HEX, checked, every, mixed, private_key, some
from tests.wire.ordinary import TEXTS, filled

ORDINARY = [
    "Rate limiting by a token bucket; the secret of success is patience; key: see docs",
    "Fix password: reset mail",
    "token = next()",
    "token = tokens.pop(0)",
    "password = getpass.getpass('Password: ')",
    "password=os.environ['DATABASE_PASSWORD_OF_STAGE_2']",
    "api_key = settings.openai_api_key_for_production_v2",
    "max_tokens: 4096 and token_count=12",
    "api_key: <your-api-key-goes-here-123>",
    "API_KEY=YOUR_API_KEY_GOES_HERE_1234",
    "API_KEY=${API_KEY_OF_THE_SERVER_1}",
    "API_KEY={{ vault_api_key_1234567 }}",
    "SECRET_KEY = 'django-insecure-change-me-123456'",
    "password: correct-horse-battery-staple-1",
    "password = '/run/secrets/db_password_1'",
    "token: 2024-01-01T00:00:00Z-1234",
    "next_page_token = 'CAoQAhoMCJDq0rAGEMj4n5kC'",
    "csrf_token = 'd7Fq3LmZ0aWx8Tn2Vb5Yk1Rc'",
    "cache_key = 'd41d8cd98f00b204e9800998ecf8427e'",
    "public_key = 'd7Fq3LmZ0aWx8Tn2Vb5Yk1RcP9'",
    "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "postgres://user:password@localhost/db and http://user:pass@host:8080/",
    "postgres://postgres:postgres@localhost and amqp://guest:guest@rabbit/",
    "https://user:PASSWORD@git.acme.dev and https://bob:${PASSWORD}@git.acme.dev",
    "https://bob:hunter2x@example.com/ is an example, as is https://u:<password>@h.dev",
    "Open http://localhost:8080/@me and https://acme.dev:443/a@b",
    "git@github.com:acme/repo.git and bob@acme.dev",
    "Use sk-learn, task-force and risk-management-of-the-second-quarter-2026",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQsw\n-----END CERTIFICATE-----",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "-----BEGIN RSA PRIVATE KEY----- is how such a file begins",
    "Authorization: Bearer <token>; Authorization: Bearer $TOKEN; the bearer of good-news-from-2026",
    "Authorization: Basic dXNlcjpwYXNzd29yZA==",
    "A basic understanding of base64-encoded data",
    "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMjM0In0.",
    "Masked as [masked] or [redacted: GitHub token]",
    "AKIAIOSFODNN7EXAMPLE",
    "gh" + "p_" + "x" * 36,
    "gh" + "p_" + "abcdefghijklmnopqrstuvwxyz0123456789",
    "sk_" + "live_" + "0123456789" * 3,
    "npm_" + "config_registry_and_some_more_words_x",
]


@pytest.mark.requirement("secrets.forms.known")
@pytest.mark.parametrize("name", EVERY)
def test_a_credential_of_a_published_form_is_found_wherever_it_is(name: str) -> None:
    credential = EVERY[name]

    for before, after in (("", ""), ("Use ", " now."), ('{"a": "', '"}'), ("(", ")"), ("line\n", "\nline")):
        text = before + credential + after
        found = find(text)
        assert len(found) == 1, f"{name}: {found}"
        assert all(word not in redacted(text)[0] for word in _random_parts(credential, found[0].kind))


@pytest.mark.requirement("secrets.forms.known")
@pytest.mark.parametrize("seed", range(10))
def test_no_luck_is_needed_to_be_found(seed: int) -> None:
    """Words, runs and signs turn up in random letters; they excuse nothing."""
    assert [name for name, credential in every(seed).items() if len(find(f"use {credential} now")) != 1] == []


def _random_parts(credential: str, kind: str) -> Iterator[str]:
    """The parts that nobody could guess: what must be gone. A few lines of keys are enough."""
    (found,) = find(credential)
    hidden = credential[found.start : found.end]
    yield from (word for word in re.findall(r"[A-Za-z0-9+/_-]{16,}", hidden) if word not in kind)


def test_there_are_many_forms_and_each_has_an_example() -> None:
    shown = "\n".join(EVERY.values())

    assert len(EVERY) >= 150
    assert len({form.kind for form in forms()}) >= 78
    assert sum(form.mark in shown for form in forms()) >= 130


@pytest.mark.requirement("secrets.precision.no-false-alarm")
@pytest.mark.parametrize("text", ORDINARY, ids=range(len(ORDINARY)))
def test_ordinary_text_and_placeholders_raise_no_alarm(text: str) -> None:
    assert find(text) == []
    assert redacted(text) == (text, 0)


@pytest.mark.requirement("secrets.precision.no-false-alarm")
def test_what_agents_write_all_day_raises_no_alarm_whatever_its_hashes_are() -> None:
    texts = [filled(text, seed) for text in TEXTS for seed in range(5)]

    assert len(TEXTS) >= 250
    assert [text for text in texts if find(text)] == []


@pytest.mark.requirement("secrets.precision.no-false-alarm")
@pytest.mark.parametrize("value", ["1é2345678é9012345678", "пароль-пароль-1", "rotate q1/q2; KMS v2; SRE 24x7", ""])
def test_prose_of_any_alphabet_behind_a_telling_key_raises_no_alarm(value: str) -> None:
    assert secrets_in({"password": value, "note": f"password={value}"}) == []


@pytest.mark.requirement("secrets.forms.known")
def test_a_token_with_its_checksum_is_found_even_if_it_looks_like_a_placeholder() -> None:
    body = "example" * 5
    digits = credentials._BASE62
    number, checksum = crc32(body[:30].encode()), ""
    while number:
        number, digit = divmod(number, 62)
        checksum = digits[digit] + checksum
    right = "ghp_" + body[:30] + checksum.rjust(6, "0")

    assert [finding.kind for finding in find(right)] == ["GitHub token"]
    assert find(right[:-1] + ("0" if right[-1] != "0" else "1")) == []


@pytest.mark.parametrize("longer", ["", "a", "_x"])
def test_a_token_of_another_length_is_no_token(longer: str) -> None:
    token = "ghp_" + checked(36)

    assert bool(find(f"see {token}{longer} there")) == (not longer)
    assert find(f"see {token[:-1]} there") == []
    assert find(f"see x{token} there") == []
    assert find(rf"see\n{token}\n there")


def test_several_credentials_are_found_in_order_and_none_twice() -> None:
    token, key = "ghp_" + checked(36), private_key("RSA PRIVATE KEY")

    text, count = redacted(f"a GITHUB_TOKEN={token} b\n{key}\nc Authorization: Bearer {token}.")

    assert count == 3
    assert text == (
        "a GITHUB_TOKEN=[redacted: GitHub token] b\n[redacted: private key]\n"
        "c Authorization: Bearer [redacted: GitHub token]."
    )


plain = st.text(alphabet="abc é\n\t\r.,:;=\"'()[]{}\\/@-", max_size=40)
jumbled = st.lists(plain | st.sampled_from(sorted(EVERY.values())), max_size=5)


@pytest.mark.requirement("secrets.redact.rest-untouched")
@settings(deadline=None, max_examples=300)
@given(pieces=jumbled)
@example(pieces=["a\r\n", EVERY["pem cut short"], "\r\nb"])
def test_redacting_leaves_everything_else_byte_for_byte(pieces: list[str]) -> None:
    text = " ".join(pieces)
    found = find(text)

    clean, count = redacted(text)

    kept, at = [], 0
    for finding in found:
        kept.append(text[at : finding.start])
        at = finding.end
    kept.append(text[at:])
    marker = re.compile(r"\[redacted: [A-Za-z0-9 .'-]+\]")
    assert count == len(found)
    assert marker.split(clean) == kept
    assert redacted(clean) == (clean, 0), "once is enough"


HOSTILE = [
    "=", ":", "://", "://a:", "eyJ", "eyJ.", "eyJhbGciOiJIUzI1NiJ9.", "-----BEGIN PRIVATE KEY-----", "\\n", "ghp_",
    "sk-proj-", "token=", "token: '", 'password="', "a", "A1", "1/", "pat", "xoxb-1-", "Bearer ", "basic ",
    "ya29.", "sl.", "-us", ".atlasv1.", "MTA4MTUxNjIzNDI", "://u:p@", "Private-Lines: 1\n", "secret_", "key-", "Q~",
]  # fmt: skip


class CountingPattern:
    """A pattern that counts how often it is tried."""

    def __init__(self, pattern: "re.Pattern[str]") -> None:
        self.pattern = pattern
        self.tries = 0

    def match(self, text: str, at: int) -> "re.Match[str] | None":
        self.tries += 1
        return self.pattern.match(text, at)

    def finditer(self, text: str) -> "Iterator[re.Match[str]]":
        self.tries += 1
        return self.pattern.finditer(text)


@pytest.mark.requirement("secrets.cost.linear")
@pytest.mark.parametrize("piece", HOSTILE, ids=range(len(HOSTILE)))
def test_twice_the_text_is_at_most_twice_the_tries(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def tries(count: int) -> int:
        made: list[CountingPattern] = []

        def compiled(pattern: str) -> CountingPattern:
            made.append(CountingPattern(re.compile(pattern)))
            return made[-1]

        monkeypatch.setattr(credentials, "_compiled", compiled)
        find(piece * count + some(ALNUM, 20))
        return sum(pattern.tries for pattern in made)

    assert tries(4_000) <= 2 * tries(2_000) + len(forms())


@pytest.mark.requirement("secrets.cost.linear")
def test_no_pattern_can_backtrack_without_bound() -> None:
    """Every repetition has an upper bound, or is possessive, or nothing that could fail follows it."""
    patterns = [form.pattern for form in forms()]

    for pattern in patterns:
        assert re.search(r"(?<!\\)[*+](?!\+)|\{\d+,\}", re.sub(r"\[[^\]]*\]", "", pattern)) is None, pattern
        assert len(re.findall(r"\(\?:[^)]*\{\d+,\d+\}\)\{\d+,\d{3,}\}", pattern)) == 0, pattern


def test_a_long_text_of_one_kind_is_judged_whole() -> None:
    text = f"{'word ' * 20_000}{'x' * 100_000} GITHUB_TOKEN={mixed(HEX, 40)} {'word ' * 20_000}"

    assert [finding.kind for finding in find(text)] == ["secret value"]
