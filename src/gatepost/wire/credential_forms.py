"""The published forms of credentials: what a token of each issuer begins with, is made of, and how long it is.

One row a form. `mark` is a text that every token of the form holds, so that a plain search rules most texts out
before any pattern is tried. Lengths are those that the issuers publish or that their tokens have. Patterns read a
bounded stretch and repeat nothing that repeats, so that matching stays linear.
"""

from enum import Enum
from typing import Final, NamedTuple


class Proof(Enum):
    """An additional check for a match."""

    BODY = "what follows the prefix must not look like a placeholder"
    CHECKSUM = "the last six characters are a checksum of the rest, or the body is no placeholder"
    DISCORD = "the first part is a number in Base64"
    TWILIO = "the text must speak of Twilio: many things are SK and 32 hexadecimal digits"


class CredentialForm(NamedTuple):
    """One form. The named group `body` of the pattern is its random part; without it, the whole match is."""

    kind: str
    mark: str
    pattern: str
    proof: Proof = Proof.BODY
    within: bool = False
    """The mark is not at the start of the form."""


ALNUM: Final = "[A-Za-z0-9]"
HEX: Final = "[a-f0-9]"
WORD: Final = "[A-Za-z0-9_-]"
AWS: Final = "AKIA ASIA ABIA ACCA"
UUID: Final = f"{HEX}{{8}}-{HEX}{{4}}-{HEX}{{4}}-{HEX}{{4}}-{HEX}{{12}}"


def _token(kind: str, prefix: str, letters: str, length: str) -> CredentialForm:
    """A prefix followed by a number of letters of an alphabet."""
    return CredentialForm(kind, prefix, rf"{prefix.replace('.', '[.]')}(?P<body>{letters}{{{length}}})")


def _several(kind: str, prefixes: str, letters: str, length: str) -> tuple[CredentialForm, ...]:
    return tuple(_token(kind, prefix, letters, length) for prefix in prefixes.split())


FORMS: Final[tuple[CredentialForm, ...]] = (
    # Source code and builds
    *(
        CredentialForm(
            "GitHub token", prefix, rf"{prefix}(?P<body>{ALNUM}{{36}}(?:{ALNUM}{{40}})?)", Proof.CHECKSUM
        )
        for prefix in ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")
    ),
    CredentialForm("GitHub token", "github_pat_", rf"github_pat_(?P<body>{ALNUM}{{22}}_{ALNUM}{{59}})"),
    *_several("GitLab token", "glpat- gldt- glrt- glrtr- glft- glsoat- glffct- glimt-", WORD, "20,300"),
    *_several("GitLab token", "glagent- gloas-", WORD, "50,300"),
    CredentialForm("GitLab token", "glcbt-", rf"glcbt-(?P<body>(?:{ALNUM}{{1,5}}_)?{WORD}{{20,300}})"),
    _token("GitLab token", "glptt-", HEX, "40"),
    _token("GitLab token", "GR1348941", WORD, "20"),
    CredentialForm("Bitbucket token", "ATBB", rf"ATBB(?P<body>{ALNUM}{{32}})"),
    CredentialForm("Bitbucket token", "ATCTT3", r"ATCTT3(?P<body>[A-Za-z0-9_=-]{100,400})"),
    CredentialForm("Atlassian token", "ATATT3", r"ATATT3(?P<body>[A-Za-z0-9_=-]{100,400})"),
    CredentialForm("npm token", "npm_", rf"npm_(?P<body>{ALNUM}{{36}})", Proof.CHECKSUM),
    _token("PyPI token", "pypi-AgEIcHlwaS5vcmc", WORD, "50,500"),
    _token("PyPI token", "pypi-AgENdGVzdC5weXBpLm9yZ", WORD, "50,500"),
    _token("RubyGems key", "rubygems_", HEX, "48"),
    _token("crates.io token", "cio", ALNUM, "32"),
    _token("NuGet key", "oy2", "[a-z0-9]", "43"),
    CredentialForm("Packagist token", "packagist_", rf"packagist_[a-z]{{3}}_(?P<body>{HEX}{{64,72}})"),
    CredentialForm("Clojars token", "CLOJARS_", r"CLOJARS_(?P<body>[a-z0-9]{60})"),
    _token("Docker token", "dckr_pat_", WORD, "27"),
    _token("Docker token", "dckr_oat_", WORD, "32"),
    _token("Artifactory key", "AKCp", ALNUM, "69"),
    _token("Artifactory token", "cmVmd", ALNUM, "59"),
    CredentialForm("CircleCI token", "CCIPAT_", rf"CCIPAT_(?P<body>{ALNUM}{{22}}_{HEX}{{40}})"),
    _token("Buildkite token", "bkua_", "[a-z0-9]", "40"),
    CredentialForm("Octopus Deploy key", "API-", r"API-(?P<body>[A-Z0-9]{26})"),
    CredentialForm("Sourcegraph token", "sgp_", rf"sgp_(?P<body>(?:{HEX}{{16}}_|local_)?{HEX}{{40}})"),
    _token("Sourcegraph token", "slk_", HEX, "64"),
    # Hosting
    *(CredentialForm("AWS access key", mark, rf"{mark}(?P<body>[A-Z2-7]{{16}})") for mark in AWS.split()),
    CredentialForm("AWS Bedrock key", "ABSK", r"ABSK(?P<body>[A-Za-z0-9+/]{100,300}={0,2})"),
    CredentialForm("Amazon MWS key", "amzn.mws.", rf"amzn[.]mws[.](?P<body>{UUID})"),
    _token("Google API key", "AIza", WORD, "35"),
    _token("Google client secret", "GOCSPX-", WORD, "28"),
    _token("Google access token", "ya29.", WORD, "30,1000"),
    CredentialForm("Google refresh token", "1//0", rf"1//0(?P<body>{WORD}{{40,200}})"),
    CredentialForm("Azure storage key", "AccountKey=", r"AccountKey=(?P<body>[A-Za-z0-9+/]{86}==)"),
    CredentialForm("Azure access key", "SharedAccessKey=", r"SharedAccessKey=(?P<body>[A-Za-z0-9+/]{43}=)"),
    CredentialForm(
        "Azure client secret", "Q~", r"[A-Za-z0-9_~.]{3}[0-9]Q~(?P<body>[A-Za-z0-9_~.-]{31,34})", within=True
    ),
    CredentialForm("Azure SAS signature", "sig=", r"(?<=[?&;])sig=(?P<body>[A-Za-z0-9%+/]{43,70}(?:%3[Dd]|=))"),
    CredentialForm("Azure DevOps token", "AZDO", rf"(?P<body>{ALNUM}{{76}}AZDO{ALNUM}{{4}})", within=True),
    CredentialForm("Alibaba Cloud key", "LTAI", rf"LTAI(?P<body>{ALNUM}{{20}})"),
    *_several("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", HEX, "64"),
    CredentialForm("Cloudflare origin key", "v1.0-", rf"v1[.]0-(?P<body>{HEX}{{24}}-{HEX}{{146}})"),
    CredentialForm("Heroku key", "HRKU-", rf"HRKU-(?P<body>{WORD}{{36,64}})"),
    _token("Fly.io token", "fo1_", WORD, "43"),
    *_several("Fly.io token", "fm1r_ fm1a_ fm2_", "[A-Za-z0-9+/]", "100,2000"),
    *_several("Vercel token", "vcp_ vci_ vca_ vcr_ vck_", ALNUM, "24,80"),
    *_several("Netlify token", "nfp_ nfc_ nfo_ nfu_", ALNUM, "36"),
    _token("Render key", "rnd_", ALNUM, "28,40"),
    *_several("Deno Deploy token", "ddp_ ddo_", ALNUM, "36"),
    CredentialForm("Tailscale key", "tskey-", rf"tskey-[a-z]{{3,8}}-(?P<body>{ALNUM}{{8,20}}-{ALNUM}{{20,40}})"),
    CredentialForm("OpenShift token", "sha256~", rf"sha256~(?P<body>{WORD}{{43}})"),
    CredentialForm(
        "Doppler token",
        "dp.",
        rf"dp[.](?:pt|st|ct|sa|scim|audit)[.](?P<body>(?:[a-z0-9_-]{{2,35}}[.])?{ALNUM}{{40,44}})",
    ),
    *_several("HashiCorp Vault token", "hvs. hvr.", WORD, "24,300"),
    _token("HashiCorp Vault token", "hvb.", WORD, "100,300"),
    CredentialForm(
        "Terraform token", ".atlasv1.", rf"{ALNUM}{{14}}[.]atlasv1[.](?P<body>{WORD}{{60,70}})", within=True
    ),
    _token("Pulumi token", "pul-", HEX, "40"),
    CredentialForm("Infracost key", "ico-", rf"ico-(?P<body>{ALNUM}{{32}})"),
    *(
        CredentialForm(
            "Harness token", f"{mark}.", rf"{mark}[.](?P<body>{WORD}{{22}}[.]{HEX}{{24}}[.]{ALNUM}{{20}})"
        )
        for mark in ("pat", "sat")
    ),
    *_several("Prefect key", "pnu_ pnb_", ALNUM, "36"),
    CredentialForm(
        "age secret key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1(?P<body>[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58})"
    ),
    CredentialForm("1Password token", "ops_eyJ", r"ops_eyJ(?P<body>[A-Za-z0-9+/]{100,2000}={0,3})"),
    CredentialForm(
        "1Password key",
        "A3-",
        r"A3-(?P<body>[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5})",
    ),
    # Databases, metrics, error reports
    CredentialForm("Databricks token", "dapi", rf"dapi(?P<body>{HEX}{{32}}(?:-[0-9])?)"),
    _token("Supabase token", "sbp_", HEX, "40"),
    CredentialForm("Supabase key", "sb_secret_", rf"sb_secret_(?P<body>{WORD}{{22,60}})"),
    *_several("PlanetScale token", "pscale_tkn_ pscale_pw_ pscale_oauth_", "[A-Za-z0-9_.=-]", "32,64"),
    _token("Neon key", "napi_", "[a-z0-9]", "64"),
    _token("Pinecone key", "pcsk_", "[A-Za-z0-9_]", "50,80"),
    CredentialForm("ClickHouse key", "4b1d", rf"4b1d(?P<body>{ALNUM}{{38}})"),
    CredentialForm("Grafana token", "glc_", r"glc_(?P<body>[A-Za-z0-9+/]{32,400}={0,2})"),
    CredentialForm("Grafana token", "glsa_", rf"glsa_(?P<body>{ALNUM}{{32}}_[A-Fa-f0-9]{{8}})"),
    CredentialForm("Grafana key", "eyJrIjoi", r"(?P<body>eyJrIjoi[A-Za-z0-9]{60,400}={0,2})"),
    _token("New Relic key", "NRAK-", "[A-Z0-9]", "27"),
    *_several("New Relic key", "NRJS- NRAA-", HEX, "19,27"),
    _token("New Relic key", "NRII-", WORD, "32"),
    CredentialForm("New Relic key", "NRAL", r"(?P<body>[a-z0-9]{36})NRAL", within=True),
    CredentialForm("Dynatrace token", "dt0", r"dt0[a-z][0-9]{2}[.](?P<body>[A-Z0-9]{24}[.][A-Z0-9]{64})"),
    CredentialForm("Sentry token", "sntrys_eyJ", r"sntrys_(?P<body>eyJ[A-Za-z0-9+/=_-]{80,600})"),
    _token("Sentry token", "sntryu_", HEX, "64"),
    _token("PostHog key", "phx_", "[A-Za-z0-9_]", "43,60"),
    # AI models
    CredentialForm("Anthropic key", "sk-ant-", rf"sk-ant-[a-z]{{2,8}}[0-9]{{2}}-(?P<body>{WORD}{{32,200}})"),
    CredentialForm(
        "OpenAI key", "T3BlbkFJ", rf"sk-(?P<body>{WORD}{{20,100}}T3BlbkFJ{WORD}{{20,100}})", within=True
    ),
    *_several("OpenAI key", "sk-proj- sk-svcacct- sk-admin- sk-None-", WORD, "32,300"),
    CredentialForm("OpenRouter key", "sk-or-v1-", rf"sk-or-v1-(?P<body>{HEX}{{64}})"),
    CredentialForm("model provider's key", "sk-", rf"sk-(?P<body>{ALNUM}{{32,64}})"),
    *_several("Hugging Face token", "hf_ api_org_", ALNUM, "34"),
    _token("Replicate token", "r8_", ALNUM, "37"),
    _token("Groq key", "gsk_", ALNUM, "52"),
    _token("xAI key", "xai-", ALNUM, "80"),
    _token("Perplexity key", "pplx-", ALNUM, "48,56"),
    CredentialForm("LangSmith key", "lsv2_", rf"lsv2_[a-z]{{2}}_(?P<body>{HEX}{{32}}_{HEX}{{10}})"),
    CredentialForm("Tavily key", "tvly-", rf"tvly-(?:[a-z]{{3,4}}-)?(?P<body>{ALNUM}{{32}})"),
    # Office and chat
    CredentialForm(
        "Slack token", "xox", r"xox[abcdeoprs][.-](?:xox[bp]-)?(?:[0-9]{1,13}-){0,4}(?P<body>[A-Za-z0-9%-]{16,300})"
    ),
    CredentialForm("Slack app token", "xapp-", rf"xapp-[0-9]-[A-Z0-9]{{8,16}}-[0-9]{{8,16}}-(?P<body>{HEX}{{64}})"),
    CredentialForm(
        "Slack webhook",
        "hooks.slack.com/",
        r"hooks[.]slack[.]com/(?:services|workflows|triggers)/[A-Z0-9]{6,16}/[A-Za-z0-9]{6,20}/(?P<body>[A-Za-z0-9/]{16,60})",
    ),
    CredentialForm(
        "Discord token",
        ".",
        rf"(?P<body>[MNO][A-Za-z0-9]{{23,27}}[.]{WORD}{{6}}[.]{WORD}{{27,38}})",
        Proof.DISCORD,
        within=True,
    ),
    CredentialForm(
        "Discord webhook",
        "/api/webhooks/",
        rf"discord(?:app)?[.]com/api/webhooks/[0-9]{{15,22}}/(?P<body>{WORD}{{60,80}})",
        within=True,
    ),
    CredentialForm("Telegram bot token", ":AA", rf"[0-9]{{8,10}}:(?P<body>AA{WORD}{{33}})", within=True),
    CredentialForm(
        "Microsoft Teams webhook",
        "webhook.office.com/",
        rf"webhook[.]office[.]com/webhookb2/{UUID}@{UUID}/IncomingWebhook/(?P<body>{HEX}{{32}})",
    ),
    _token("Linear key", "lin_api_", ALNUM, "40"),
    _token("Linear token", "lin_oauth_", HEX, "64"),
    CredentialForm("Notion token", "ntn_", rf"ntn_(?P<body>[0-9]{{11}}{ALNUM}{{35}})"),
    _token("Notion token", "secret_", ALNUM, "43"),
    CredentialForm("Airtable token", "pat", rf"pat(?P<body>{ALNUM}{{14}}[.]{HEX}{{64}})"),
    CredentialForm("Asana token", "1/", rf"1/[0-9]{{16}}:(?P<body>{HEX}{{32}})"),
    *_several("Figma token", "figd_ figu_ figo_", WORD, "40,60"),
    CredentialForm("Postman key", "PMAK-", rf"PMAK-(?P<body>{HEX}{{24}}-{HEX}{{34}})"),
    CredentialForm("Typeform token", "tfp_", r"tfp_(?P<body>[A-Za-z0-9_.=-]{40,60})"),
    _token("Contentful token", "CFPAT-", WORD, "43"),
    CredentialForm("Frame.io token", "fio-u-", r"fio-u-(?P<body>[A-Za-z0-9_=-]{64})"),
    CredentialForm("Adobe client secret", "p8e-", r"p8e-(?P<body>[A-Za-z0-9-]{32})"),
    CredentialForm("ReadMe key", "rdme_", r"rdme_(?P<body>[a-z0-9]{70})"),
    CredentialForm("Dropbox token", "sl.", rf"sl[.](?P<body>(?:u[.])?{WORD}{{130,1200}})"),
    CredentialForm("Mapbox token", "sk.eyJ", rf"sk[.](?P<body>eyJ{WORD}{{40,120}}[.]{WORD}{{22}})"),
    _token("Adafruit key", "aio_", ALNUM, "28"),
    _token("Yandex Cloud key", "AQVN", WORD, "35,38"),
    _token("Yandex Cloud secret", "YC", WORD, "38"),
    CredentialForm("Yandex token", "y0_", rf"y0_(?P<body>{WORD}{{50,80}})"),
    # Mail and messages
    CredentialForm("SendGrid key", "SG.", rf"SG[.](?P<body>{WORD}{{22}}[.]{WORD}{{43}})"),
    CredentialForm("Mailgun key", "key-", rf"key-(?P<body>{HEX}{{32}})"),
    CredentialForm("Mailchimp key", "-us", rf"(?P<body>{HEX}{{32}})-us[0-9]{{1,2}}", within=True),
    CredentialForm("Brevo key", "sib-", rf"x(?:key|smtp)sib-(?P<body>{HEX}{{64}}-{ALNUM}{{16}})", within=True),
    CredentialForm("Resend key", "re_", rf"re_(?P<body>{ALNUM}{{8}}_{ALNUM}{{24}})"),
    CredentialForm("Twilio key", "SK", rf"SK(?P<body>{HEX}{{32}})", Proof.TWILIO),
    # Payment and shops
    *(
        CredentialForm("Stripe key", mark, rf"{mark}(?P<body>{ALNUM}{{16,247}})")
        for mark in ("sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_", "rk_prod_")
    ),
    CredentialForm("Stripe webhook secret", "whsec_", r"whsec_(?P<body>[A-Za-z0-9+/]{32,64}={0,2})"),
    *_several("Shopify token", "shpat_ shpss_ shpca_ shppa_ shptka_", "[a-fA-F0-9]", "32"),
    _token("Square token", "sq0atp-", WORD, "22"),
    _token("Square secret", "sq0csp-", WORD, "43"),
    CredentialForm("Square token", "EAAA", rf"EAAA(?P<body>{WORD}{{60}})"),
    CredentialForm("Facebook token", "EAA", rf"EAA(?P<body>[A-Z]{ALNUM}{{100,300}})"),
    CredentialForm(
        "PayPal Braintree token",
        "access_token$",
        rf"access_token[$](?:production|sandbox)[$](?P<body>[a-z0-9]{{16}}[$]{HEX}{{32}})",
    ),
    *_several("EasyPost key", "EZAK EZTK", ALNUM, "54"),
    CredentialForm("Duffel token", "duffel_", r"duffel_(?:test|live)_(?P<body>[A-Za-z0-9_=-]{43})"),
    CredentialForm("Flutterwave key", "FLWSECK", r"FLWSECK(?:_TEST)?-(?P<body>[a-z0-9]{32})-X"),
    *_several("Lob key", "live_ test_", HEX, "35"),
    CredentialForm("Shippo token", "shippo_", rf"shippo_(?:live|test)_(?P<body>{HEX}{{40}})"),
    CredentialForm("Plaid token", "access-", rf"access-(?:sandbox|development|production)-(?P<body>{UUID})"),
    CredentialForm("MaxMind key", "_mmk", rf"(?P<body>{ALNUM}{{6}}_{ALNUM}{{29}})_mmk", within=True),
)

PUBLISHED: Final = (
    *("SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c", "4twFt5NiznN84AWoo1d7KO1T_yoc0Z6XOpOVswacPZg"),
    *("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "czZCaGRSa3F0MzpnWDFmQmF0M2JW"),
    *("2YotnFZFEjr1zCsicMWpAA", "tGzv3JOkF0XG5Qx2TlKWIA"),
)
"""Parts of the examples in the standards for web tokens and OAuth, which documentation repeats."""
