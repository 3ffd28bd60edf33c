"""Whether what follows ``password`` or ``token:`` is a secret, or the rest of a sentence or a program."""

from __future__ import annotations

import re

_FILLER = re.compile(
    r"<[^>]*>?|\$.*|%\w+%?|\{\{.*|\{\w*\}?|\*+|[xX]{3,}|\.{2,}|…|-+|_+|\?+|@\w+"
    r"|your[-_ ].*|my[-_](?:token|key|secret|password)"
    r"|\[?(?:null|none|nil|true|false|undefined|redacted|removed|masked|hidden|empty|unset|n/?a|tbd|todo|yes|no|required"
    r"|optional|str|string|int|integer|number|bool|boolean|bytes|any|object|text|varchar.*|secretstr|password|passwd|pwd|token"
    r"|secret|key|apikey|api_key|value|default|example|placeholder|prompt|ask|env|file|keychain|vault|here)\]?",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"[A-Za-z_][\w.]*[(\[].*|(?:self|this|os|process|config|settings|env|args|req|request|res|ctx|props|params|data|options"
    r"|opts|secrets|vault|var|local|module|credentials|user|cfg|conf|input|form|event|state|session|response|result|await"
    r"|new|lambda|return|import|function|def|class)(?:[.:\[(?!].*)?|[(\[{`|].*|/(?:etc|run|var|home|opt|usr|tmp|root)/.*|~/.*|\./.*"
    r"|https?:.*|file:.*|[\w./-]+\.(?:py|ts|js|json|md|txt|pem|key|env|ya?ml|toml|html|png|sh|go|rs|java)",
)
_STOP_WORDS = """
a an the this that these those it its my your our their his her is are was were be been being not no
nor and or but if then so too very also only just still now never always again already yet wrong
right correct incorrect valid invalid required optional weak strong empty blank missing expired
expiring changed unchanged reset rotated revoked stored saved kept set unset needed wanted known
unknown new old short long safe unsafe secure secured insecure encrypted hashed salted hidden
visible masked shown printed sent lost found stolen leaked compromised broken fine good bad ok okay
same different unique random case-sensitive in on at of off to for from by with without under over
about after before into per via as field form fields policy policies rotation manager reset-link
prompt budget limit limits count counts usage window size auth authentication authorization login
logins page pages screen box input dialog hint rules rule length based protected being what who
where when why how which something nothing anything everything there here locked unlocked disabled
enabled accepted rejected denied allowed used unused reused shared private public default defaults
generated created deleted removed updated synced cached parsed checked verified validated scoped
issued refreshed renewed available unavailable ready pending important sensitive confidential secret
simple complex easy hard difficult impossible supposed going meant used-up out up down back must
should can could will would may might do does did done has have had get gets got make makes made
like der die das ein eine einen dem den des mein meine dein deine unser ihr ist war sind nicht kein
keine falsch richtig leer abgelaufen geändert gespeichert nötig erforderlich sicher unsicher schwach
stark neu alt vergessen gesperrt im in auf zu für von mit bei aus und oder aber noch schon nur auch
zurückgesetzt hinterlegt korrekt ungültig gültig fehlt bekannt unbekannt abc leaking leaks bearer
basic token tokens password passwords key keys
"""
STOP = frozenset(_STOP_WORDS.split())
"""Words that follow "the password is" without being one."""
_IDENTIFIER = re.compile(r"[A-Z][a-z]+(?:[A-Z][a-z]+)*|[a-z]+(?:[_.-][a-z]+)*[_-]?v?\d{0,4}")
_TRIM = ".,;:)]}>'\"，。；、）」』”"


def trimmed(value: str) -> str:
    """The value without the punctuation that ends a sentence or a bracket around it."""
    return value.rstrip(_TRIM) or value


def is_strong(value: str) -> bool:
    """Whether the value itself looks like a secret: digits or signs among letters, or changing case."""
    digit = any(sign.isdigit() for sign in value)
    alpha = any(sign.isalpha() for sign in value)
    odd = any(not sign.isalnum() and sign not in "-_.'/," for sign in value)
    upper = sum(sign.isupper() for sign in value[1:])
    lower = any(sign.islower() for sign in value)
    return len(value) >= 4 and alpha and (digit or odd or (upper > 0 and lower))


def is_filler(value: str) -> bool:
    """Whether the value is empty talk: a placeholder, a variable, a type, or a piece of program."""
    return bool(_FILLER.fullmatch(value) or _CODE.fullmatch(value))


def is_password(value: str, *, alone: bool, quoted: bool = False) -> bool:
    """Whether this is somebody's password. ``alone``: nothing of the sentence goes on after it."""
    if len(value) < 3 or is_filler(value):
        return False
    if quoted or is_strong(value):
        return True
    if value.isdigit():
        return len(value) >= 4
    return alone and value.lower() not in STOP and len(value) >= 4


def is_key(value: str, *, alone: bool, quoted: bool = False) -> bool:
    """Whether this is a token or key of a kind we do not know by its prefix."""
    if len(value) < 8 or is_filler(value) or value.isdigit() or value.lower() in STOP:
        return False
    if is_strong(value):
        return not _IDENTIFIER.fullmatch(value)
    return alone and not quoted and value.isalpha() and len(value) >= 12


def is_link_key(value: str) -> bool:
    """Whether the value of ``key=``, ``sig=`` or ``code=`` in a link gives access."""
    digits = any(sign.isdigit() for sign in value)
    letters = any(sign.isalpha() for sign in value)
    return len(value) >= 8 and digits and letters and not is_filler(value)
