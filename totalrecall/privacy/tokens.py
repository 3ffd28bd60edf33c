"""Keys known by their prefix, one line per kind. Source: the providers' own descriptions of their keys."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from totalrecall.privacy.normalise import WRAP

ALNUM = "A-Za-z0-9"
WORD = "A-Za-z0-9_-"
DOTTED = "A-Za-z0-9_.-"
HEX = "0-9a-fA-F"
BASE64 = "A-Za-z0-9+/_-"


@dataclass(frozen=True, slots=True)
class Token:
    """A kind of key: what it begins with, the characters that follow, and how many there are at least.

    ``strict``: the tail must also look made by a machine, because the prefix occurs in words too.
    """

    kind: str
    prefixes: tuple[str, ...]
    signs: str
    least: int
    strict: bool = False


def _token(kind: str, prefixes: str, signs: str, least: int, *, strict: bool = False) -> Token:
    return Token(kind, tuple(prefixes.split()), signs, least, strict)


TOKENS = (
    _token("anthropic key", "sk-ant-", WORD, 16),
    _token("openrouter key", "sk-or-", WORD, 16),
    _token("openai key", "sk-proj- sk-svcacct- sk-admin- sk-None- sess-", WORD, 16, strict=True),
    _token("api key", "sk- sk_ pk- fc- pa- fw_ csk- tvly- rk- ak- brv-", WORD, 16, strict=True),
    _token("github token", "ghp_ gho_ ghu_ ghs_ ghr_", ALNUM, 20),
    _token("github token", "github_pat_", ALNUM + "_", 20),
    _token(
        "gitlab token", "glpat- gldt- glrt- glptt- glcbt- gloas- glsoat- glft- glagent- glimt-", DOTTED, 16
    ),
    _token(
        "slack token",
        "xoxb- xoxp- xoxa- xoxr- xoxs- xoxc- xoxd- xoxe- xoxe.xoxp- xapp-",
        "A-Za-z0-9%-",
        10,
        strict=True,
    ),
    _token("aws key", "AKIA ASIA ABIA ACCA", "A-Z0-9", 16),
    _token("aws key", "AKIA ASIA", ALNUM, 16, strict=True),
    _token("google key", "AIza", WORD, 32),
    _token("google key", "ya29. GOCSPX- 1//0", DOTTED, 20),
    _token(
        "stripe key", "sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ whsec_ sk_org_live_", ALNUM + "+/=", 14
    ),
    _token("npm token", "npm_", ALNUM, 24),
    _token("pypi token", "pypi-", WORD, 32),
    _token("discord token", "mfa.", WORD, 60),
    _token("twilio key", "SK AC", "0-9a-f", 32),
    _token("sendgrid key", "SG.", DOTTED, 30),
    _token("hugging face token", "hf_ api_org_", ALNUM, 24),
    _token("digitalocean token", "dop_v1_ doo_v1_ dor_v1_", HEX, 32),
    _token("groq key", "gsk_", ALNUM, 24),
    _token("xai key", "xai-", ALNUM, 24),
    _token("perplexity key", "pplx-", ALNUM, 24),
    _token("replicate token", "r8_", ALNUM, 24),
    _token("nvidia key", "nvapi-", WORD, 24),
    _token("together key", "tgp_v1_", WORD, 24),
    _token("jina key", "jina_", ALNUM, 24),
    _token("langsmith key", "lsv2_pt_ lsv2_sk_ ls__", ALNUM + "_", 24),
    _token("pinecone key", "pcsk_", ALNUM + "_", 24),
    _token("cloudflare token", "v1.0- cfut_ cfat_ cfk_", WORD, 32),
    _token("mailgun key", "key- pubkey-", "0-9a-f", 32),
    _token("notion token", "secret_ ntn_", ALNUM, 32),
    _token("linear key", "lin_api_ lin_oauth_", ALNUM, 24),
    _token("databricks token", "dapi", "0-9a-f", 32),
    _token("vault token", "hvs. hvb. hvr.", WORD, 18),
    _token("age key", "AGE-SECRET-KEY-1", ALNUM, 40),
    _token("tailscale key", "tskey-", WORD, 12),
    _token("doppler token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", DOTTED, 32),
    _token("shopify token", "shpat_ shpca_ shppa_ shpss_ shpua_", HEX, 32),
    _token("square token", "sq0atp- sq0csp- sq0idp-", WORD, 20),
    _token("dropbox token", "sl.", WORD, 80),
    _token("airtable token", "pat", DOTTED, 70, strict=True),
    _token("figma token", "figd_ figo_", WORD, 24),
    _token("postman key", "PMAK-", WORD, 32),
    _token("heroku token", "HRKU-", WORD, 24),
    _token("grafana token", "glsa_ glc_", ALNUM + "_+/=", 28),
    _token("new relic key", "NRAK- NRJS- NRII-", WORD, 16),
    _token("sentry token", "sntrys_ sntryu_", ALNUM + "_+/=", 32),
    _token("planetscale token", "pscale_tkn_ pscale_pw_ pscale_oauth_", DOTTED, 24),
    _token("supabase key", "sbp_ sb_secret_", ALNUM + "_", 20),
    _token("fly token", "fm1a_ fm1r_ fm2_ fo1_", "A-Za-z0-9+/=_", 24),
    _token("render key", "rnd_", ALNUM, 24),
    _token("netlify token", "nfp_ nfc_", ALNUM, 24),
    _token("atlassian token", "ATATT3 ATCTT3 ATBB", "A-Za-z0-9_=-", 20),
    _token("dynatrace token", "dt0c01. dt0s16.", DOTTED, 40),
    _token("rubygems key", "rubygems_", HEX, 32),
    _token("docker token", "dckr_pat_ dckr_oat_", WORD, 20),
    _token("pulumi token", "pul-", HEX, 32),
    _token("circleci token", "CCIPAT_", WORD, 24),
    _token("buildkite token", "bkua_", HEX, 32),
    _token("hubspot token", "pat-na1- pat-eu1-", WORD, 24),
    _token("facebook token", "EAAC EAAG EAAD EAAB EAAE", ALNUM, 60),
    _token("1password token", "ops_eyJ", WORD, 40),
    _token("contentful token", "CFPAT-", WORD, 32),
    _token("neon key", "napi_", ALNUM, 32),
    _token("prefect key", "pnu_ pnb_", ALNUM, 30),
    _token("alibaba key", "LTAI", ALNUM, 16, strict=True),
    _token("tencent key", "AKID", ALNUM, 28, strict=True),
    _token("easypost key", "EZAK EZTK", ALNUM, 50),
    _token("duffel key", "duffel_test_ duffel_live_", WORD, 30),
    _token("openclaw token", "oc_tok_ ocg_ clh_", WORD, 24),
    _token("zhipu key", "zp-", ALNUM, 24, strict=True),
    _token("brevo key", "xkeysib- xsmtpsib-", WORD, 40),
    _token("mapbox token", "sk.eyJ", DOTTED, 40),
    _token("json web token", "eyJ", DOTTED, 12, strict=True),
)
"""In this order: the first kind that matches names the placeholder."""


@cache
def plain_pattern(token: Token) -> re.Pattern[str]:
    """Finds such keys in one line. Linear: what follows the prefix is one run of one class."""
    return _compiled("|".join(re.escape(prefix) for prefix in token.prefixes), token.signs, token.least)


@cache
def wrapped_pattern(token: Token) -> re.Pattern[str]:
    """Finds such keys in a wrapped view, where a line break may stand between any two characters."""
    heads = "|".join(f"{WRAP}?".join(re.escape(sign) for sign in prefix) for prefix in token.prefixes)
    return _compiled(heads, WRAP + token.signs, token.least)


def _compiled(heads: str, signs: str, least: int) -> re.Pattern[str]:
    # The left boundary is R090: the "sk-" in task-, risk- and disk- is no key.
    return re.compile(rf"(?<![A-Za-z0-9])(?:{heads})(?P<tail>[{signs}]{{{least},}})")


def looks_made(tail: str) -> bool:
    """Whether no person would write this: a long run of letters with digits or changing case in it."""
    return any(len(run) >= 12 and _mixed(run) for run in re.split(r"[^A-Za-z0-9]+", tail))


def is_token(token: Token, tail: str) -> bool:
    """Whether the characters after the prefix make this a key of the kind."""
    if token.prefixes[0] == "eyJ":
        return tail.count(".") >= 1 and len(tail) >= 16
    if token.kind == "slack token":
        return any(sign.isdigit() or sign.isupper() for sign in tail)
    if not token.strict:
        return True
    return looks_made(tail)


def _mixed(run: str) -> bool:
    digits = sum(sign.isdigit() for sign in run)
    letters = len(run) - digits
    upper = sum(sign.isupper() for sign in run)
    changing = 2 <= upper <= letters - 2
    if digits >= 2 and letters >= 2:
        return True
    return changing and len(run) >= 14


def kept_length(token: Token, found: str) -> int:
    """How much of a match in a wrapped view is the key: a next line belongs to it if it looks like one."""
    pieces = found.split(WRAP)
    kept, length = pieces[0], len(pieces[0])
    least = wrapped_pattern(token)
    for piece in pieces[1:]:
        if least.fullmatch(kept) and not (len(piece) >= 4 and _piece_is_made(piece)):
            break
        kept, length = kept + piece, length + 1 + len(piece)
    return length


def _piece_is_made(piece: str) -> bool:
    digits = any(sign.isdigit() for sign in piece)
    letters = any(sign.isalpha() for sign in piece)
    upper = sum(sign.isupper() for sign in piece)
    lower = sum(sign.islower() for sign in piece)
    return (digits and letters) or (upper >= 2 and lower >= 2)
