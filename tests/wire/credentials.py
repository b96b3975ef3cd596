"""Made-up credentials of every form, put together at run time, so that no file of ours looks as if it held one."""

import base64
import json
import random
import string
from collections.abc import Callable
from zlib import crc32

LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
ALNUM = string.ascii_letters + string.digits
WORD = ALNUM + "_-"
HEX = "0123456789abcdef"
BASE64 = ALNUM + "+/"
BASE32 = string.ascii_uppercase + "234567"
_BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase

_chance = random.Random(8)


def some(letters: str, count: int) -> str:
    """So many letters by chance, none of them chosen with care."""
    return "".join(_chance.choice(letters) for _ in range(count))


def mixed(letters: str, count: int) -> str:
    """So many letters by chance, with a digit among them: what counts behind a telling name."""
    return some(letters, count - 1) + some(string.digits, 1)


def checked(count: int) -> str:
    """Letters that end in the checksum of those before."""
    body, digits = some(ALNUM, count - 6), ""
    number = crc32(body.encode())
    while number:
        number, digit = divmod(number, 62)
        digits = _BASE62[digit] + digits
    return body + digits.rjust(6, "0")


def uuid() -> str:
    return "-".join(some(HEX, count) for count in (8, 4, 4, 4, 12))


def encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def web_token() -> str:
    header, payload = encoded('{"alg":"HS256","typ":"JWT"}'), encoded('{"sub":"4815","iat":1516239022}')
    return f"{header}.{payload}.{some(WORD, 43)}"


def private_key(label: str, lines: int = 6, end: str = "\n") -> str:
    body = end.join(some(BASE64, 64) for _ in range(lines))
    return f"-----BEGIN {label}-----{end}{body}{end}-----END {label}-----"


def _of(prefix: str, letters: str, count: int) -> Callable[[], str]:
    return lambda: prefix + some(letters, count)


PREFIXED: dict[str, Callable[..., str]] = {
    **{f"gh{kind}": _of(f"gh{kind}_", ALNUM, 36) for kind in "pousr"},
    **{f"gh{kind} with checksum": lambda kind=kind: f"gh{kind}_" + checked(36) for kind in "pousr"},
    "github fine-grained": lambda: f"github_pat_{some(ALNUM, 22)}_{some(ALNUM, 59)}",
    **{f"gitlab {kind}": _of(f"gl{kind}-", WORD, 20) for kind in ("pat", "dt", "rt", "ft", "soat", "ffct")},
    "gitlab cbt": lambda: f"glcbt-{some(ALNUM, 2)}_{some(WORD, 20)}",
    "gitlab ptt": _of("glptt-", HEX, 40),
    "gitlab imt": _of("glimt-", WORD, 25),
    "gitlab agent": _of("glagent-", WORD, 50),
    "bitbucket": _of("ATBB", ALNUM, 32),
    "atlassian": _of("ATATT3xFfGF0", WORD, 180),
    "bitbucket access": _of("ATCTT3xFfGN0", WORD, 180),
    "npm": lambda: "npm_" + checked(36),
    "npm without checksum": _of("npm_", ALNUM, 36),
    "pypi": _of("pypi-AgEIcHlwaS5vcmc", WORD, 150),
    "rubygems": _of("rubygems_", HEX, 48),
    "crates": _of("cio", ALNUM, 32),
    "nuget": _of("oy2", LOWER, 43),
    "clojars": _of("CLOJARS_", LOWER, 60),
    "docker": _of("dckr_pat_", WORD, 27),
    "docker organization": _of("dckr_oat_", WORD, 32),
    "artifactory": _of("AKCp", ALNUM, 69),
    "circleci": lambda: f"CCIPAT_{some(ALNUM, 22)}_{some(HEX, 40)}",
    "buildkite": _of("bkua_", LOWER, 40),
    "sourcegraph": _of("sgp_", HEX, 40),
    "aws": _of("AKIA", BASE32, 16),
    "aws session": _of("ASIA", BASE32, 16),
    "google api": _of("AIza", WORD, 35),
    "google client": _of("GOCSPX-", WORD, 28),
    "google access": _of("ya29.", WORD, 160),
    "azure storage": lambda: f"AccountName=a;AccountKey={some(BASE64, 86)}==;EndpointSuffix=core.windows.net",
    "azure client": lambda: f"{some(ALNUM, 3)}8Q~{some(ALNUM, 34)}",
    "azure sas": lambda: f"https://a.blob.core.windows.net/b?sv=2022-11-02&sig={some(ALNUM, 43)}%3D",
    "alibaba": _of("LTAI", ALNUM, 20),
    **{f"digitalocean {kind}": _of(f"do{kind}_v1_", HEX, 64) for kind in "por"},
    "cloudflare origin": lambda: f"v1.0-{some(HEX, 24)}-{some(HEX, 146)}",
    "heroku": lambda: f"HRKU-AA{some(WORD, 58)}",
    "fly": _of("fo1_", WORD, 43),
    "fly macaroon": _of("fm2_", BASE64, 200),
    "vercel": _of("vcp_", ALNUM, 56),
    "netlify": _of("nfp_", ALNUM, 36),
    "render": _of("rnd_", ALNUM, 28),
    "tailscale": lambda: f"tskey-auth-{some(ALNUM, 12)}-{some(ALNUM, 32)}",
    "doppler": _of("dp.pt.", ALNUM, 43),
    "vault": _of("hvs.", WORD, 90),
    "vault batch": _of("hvb.", WORD, 140),
    "terraform": lambda: f"{some(ALNUM, 14)}.atlasv1.{some(WORD, 67)}",
    "pulumi": _of("pul-", HEX, 40),
    "prefect": _of("pnu_", LOWER, 36),
    "age": _of("AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "1password": _of("ops_eyJ", BASE64, 260),
    "databricks": _of("dapi", HEX, 32),
    "supabase": _of("sbp_", HEX, 40),
    **{f"planetscale {kind}": _of(f"pscale_{kind}_", WORD, 43) for kind in ("tkn", "pw", "oauth")},
    "neon": _of("napi_", LOWER, 64),
    "pinecone": _of("pcsk_", ALNUM, 70),
    "grafana cloud": _of("glc_", BASE64, 100),
    "grafana service": lambda: f"glsa_{some(ALNUM, 32)}_{some(HEX, 8)}",
    "grafana key": _of("eyJrIjoi", ALNUM, 80),
    "new relic user": _of("NRAK-", UPPER, 27),
    "new relic browser": _of("NRJS-", HEX, 19),
    "dynatrace": lambda: f"dt0c01.{some(UPPER, 24)}.{some(UPPER, 64)}",
    "sentry organization": _of("sntrys_eyJ", BASE64, 120),
    "sentry user": _of("sntryu_", HEX, 64),
    "posthog": _of("phx_", ALNUM, 43),
    "anthropic": lambda: f"sk-ant-api03-{some(WORD, 93)}AA",
    "anthropic admin": lambda: f"sk-ant-admin01-{some(WORD, 93)}AA",
    "openai": lambda: f"sk-{some(ALNUM, 20)}T3BlbkFJ{some(ALNUM, 20)}",
    "openai project": lambda: f"sk-proj-{some(WORD, 74)}T3BlbkFJ{some(WORD, 74)}",
    "openai service account": _of("sk-svcacct-", WORD, 120),
    "openrouter": _of("sk-or-v1-", HEX, 64),
    "deepseek": _of("sk-", HEX, 32),
    "hugging face": _of("hf_", ALNUM, 34),
    "replicate": _of("r8_", ALNUM, 37),
    "groq": _of("gsk_", ALNUM, 52),
    "xai": _of("xai-", ALNUM, 80),
    "perplexity": _of("pplx-", ALNUM, 48),
    "langsmith": lambda: f"lsv2_pt_{some(HEX, 32)}_{some(HEX, 10)}",
    "slack bot": lambda: f"xoxb-{some(string.digits, 12)}-{some(string.digits, 13)}-{some(ALNUM, 24)}",
    "slack user": lambda: f"xoxp-{some(string.digits, 12)}-{some(string.digits, 12)}-{some(HEX, 32)}",
    "slack app": lambda: f"xapp-1-A{some(UPPER, 10)}-{some(string.digits, 13)}-{some(HEX, 64)}",
    "slack webhook": lambda: (
        f"https://hooks.slack.com/services/T{some(UPPER, 8)}/B{some(UPPER, 10)}/{some(ALNUM, 24)}"
    ),
    "discord": lambda: f"{encoded('4815162342' + '10815162')}.{some(WORD, 6)}.{some(WORD, 38)}",
    "discord webhook": lambda: f"https://discord.com/api/webhooks/{some(string.digits, 18)}/{some(WORD, 68)}",
    "telegram": lambda: f"{some('123456789', 10)}:AA{some(WORD, 33)}",
    "linear": _of("lin_api_", ALNUM, 40),
    "linear oauth": _of("lin_oauth_", HEX, 64),
    "notion": lambda: f"ntn_{some(string.digits, 11)}{some(ALNUM, 35)}",
    "notion secret": _of("secret_", ALNUM, 43),
    "airtable": lambda: f"pat{some(ALNUM, 14)}.{some(HEX, 64)}",
    "asana": lambda: f"1/{some(string.digits, 16)}:{some(HEX, 32)}",
    "figma": _of("figd_", WORD, 40),
    "postman": lambda: f"PMAK-{some(HEX, 24)}-{some(HEX, 34)}",
    "typeform": _of("tfp_", WORD, 59),
    "contentful": _of("CFPAT-", WORD, 43),
    "frame.io": _of("fio-u-", WORD, 64),
    "adobe": _of("p8e-", LOWER, 32),
    "dropbox": _of("sl.", WORD, 136),
    "mapbox": lambda: f"sk.eyJ1{some(ALNUM, 60)}.{some(WORD, 22)}",
    "adafruit": _of("aio_", ALNUM, 28),
    "yandex": _of("AQVN", WORD, 36),
    "sendgrid": lambda: f"SG.{some(WORD, 22)}.{some(WORD, 43)}",
    "mailgun": _of("key-", HEX, 32),
    "mailchimp": lambda: f"{some(HEX, 32)}-us14",
    "brevo": lambda: f"xkeysib-{some(HEX, 64)}-{some(ALNUM, 16)}",
    "resend": lambda: f"re_{some(ALNUM, 8)}_{some(ALNUM, 24)}",
    "twilio": lambda: f"twilio api key: SK{some(HEX, 32)}",
    **{f"stripe {kind}": _of(f"{kind}_", ALNUM, 24) for kind in ("sk_live", "sk_test", "rk_live", "rk_test")},
    "stripe webhook": _of("whsec_", ALNUM, 32),
    **{f"shopify {kind}": _of(f"shp{kind}_", HEX, 32) for kind in ("at", "ss", "ca", "pa")},
    "square": _of("sq0atp-", WORD, 22),
    "square secret": _of("sq0csp-", WORD, 43),
    "square access": _of("EAAA", WORD, 60),
    "braintree": lambda: f"access_token$production${some(LOWER, 16)}${some(HEX, 32)}",
    "easypost": _of("EZAK", ALNUM, 54),
    "duffel": _of("duffel_live_", WORD, 43),
    "flutterwave": lambda: f"FLWSECK-{some(LOWER, 32)}-X",
    "lob": _of("live_", HEX, 35),
    "shippo": _of("shippo_live_", HEX, 40),
    "plaid": lambda: f"access-production-{uuid()}",
}
"""A credential of each form with a prefix of its own."""

SHAPED: dict[str, Callable[..., str]] = {
    "jwt": web_token,
    **{
        f"pem {label}": lambda label=label: private_key(label)
        for label in ("PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY")
    },
    "encrypted pem": lambda: private_key("ENCRYPTED PRIVATE KEY"),
    "pgp": lambda: private_key("PGP PRIVATE KEY BLOCK"),
    "pem on one line": lambda: private_key("PRIVATE KEY", end="\\n"),
    "pem cut short": lambda: private_key("PRIVATE KEY").partition("\n-----END")[0],
    "service account": lambda: json.dumps({"type": "service_account", "private_key": private_key("PRIVATE KEY")}),
    "putty": lambda: f"PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n{some(BASE64, 48)}",
    "postgres": lambda: f"postgres://bob:{some(ALNUM, 8)}7x@db.internal:5432/app",
    "redis": lambda: f"redis://:{some(ALNUM, 12)}7x@cache:6379/0",
    "https": lambda: f"https://bob:h7{some(LOWER, 9)}@git.acme.dev/repo.git",
    "mongodb": lambda: f"mongodb+srv://app:{some(ALNUM, 14)}4@c0.mongodb.net/x",
    "bearer": lambda: f"Authorization: Bearer {some(ALNUM, 40)}",
    "basic": lambda: "Authorization: Basic " + base64.b64encode(f"bob:{some(ALNUM, 12)}3".encode()).decode(),
}
"""A credential of each form that is known by its shape or its place."""

NAMED: dict[str, Callable[[], str]] = {
    "aws secret": lambda: f"aws_secret_access_key = {mixed(BASE64, 40)}",
    "env": lambda: f"DB_PASSWORD={mixed(ALNUM, 24)}",
    "exported": lambda: f"export GITHUB_TOKEN='{mixed(HEX, 40)}'",
    "datadog": lambda: f"DD_API_KEY={mixed(HEX, 32)}",
    "json": lambda: f'{{"client_secret": "{mixed(WORD, 32)}"}}',
    "json in json": lambda: rf"{{\"apiKey\": \"{mixed(ALNUM, 32)}\"}}",
    "yaml": lambda: f"  password: {mixed(ALNUM, 24)}\n",
    "python": lambda: f'API_KEY = "{mixed(ALNUM, 24)}"',
    "typed": lambda: f'secret_key: str = "{mixed(ALNUM, 50)}"',
    "camel": lambda: f"const accessToken = '{mixed(ALNUM, 40)}';",
    "header": lambda: f"X-Api-Key: {mixed(ALNUM, 32)}",
    "query": lambda: f"https://api.acme.dev/v1?api_key={mixed(HEX, 32)}&page=2",
    "heroku by name": lambda: f"HEROKU_API_KEY={uuid()}",
    "subscript": lambda: f"os.environ[\"SIGNING_KEY\"] = '{mixed(ALNUM, 32)}'",
}
"""A random value behind a name that tells what it is."""

MAKERS = {**PREFIXED, **SHAPED, **NAMED}


def every(seed: int) -> dict[str, str]:
    """One of each. The same seed makes the same ones in every process, whatever was made before."""
    made = {}
    for name, make in MAKERS.items():
        _chance.seed(f"{seed} {name}")
        made[name] = make()
    return made


EVERY: dict[str, str] = every(8)
