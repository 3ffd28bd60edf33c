"""Where calls go: a URL and a key as people write them, made usable. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit, urlunsplit

from totalrecall.errors import ConfigError

OPENROUTER_BASE = "https://openrouter.ai/api/v1"
_TAIL = re.compile(r"/(?:chat/completions|completions|chat|models|responses)/?$")
_VERSIONED = re.compile(r"/v\d+[a-z0-9]*(?:/|$)")
_QUOTES = "\"'“”‘’` "


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A chat completions URL with its key.

    Attributes:
        url: the full URL that is posted to.
        key: without ``Bearer``; "" sends no authorization.
        openrouter: OpenRouter's own options are understood there.
        local: on this machine: proxies are not asked, and it costs nothing.
        key_variable: the setting that holds the key, for messages.
    """

    url: str
    key: str
    openrouter: bool
    local: bool
    key_variable: str

    @property
    def host(self) -> str:
        """The host as messages name it; never the path, which may hold a key."""
        return urlsplit(self.url).netloc.rpartition("@")[2]


def endpoint_from(base_url: str, key: str, key_variable: str = "OPENROUTER_API_KEY") -> Endpoint:
    """The endpoint that a base URL means: with or without scheme, ``/v1``, or ``/chat/completions``.

    Raises:
        ConfigError: it is no URL that can be posted to, or the key holds signs that no header can carry.
    """
    parts = _split(base_url)
    host = (parts.hostname or "").lower()
    openrouter = host == "openrouter.ai" or host.endswith(".openrouter.ai")
    path = _TAIL.sub("", parts.path.rstrip("/")).rstrip("/")
    if openrouter and not _VERSIONED.search(path):
        path = "/api/v1"
    elif not path:
        path = "/v1"
    url = urlunsplit((parts.scheme, parts.netloc, f"{path}/chat/completions", parts.query, ""))
    return Endpoint(url, _clean_key(key, key_variable), openrouter, _is_local(host), key_variable)


def _split(base_url: str) -> SplitResult:
    text = base_url.strip(_QUOTES + "\t\r\n") or OPENROUTER_BASE
    if "://" not in text:
        host = text.split("/", 1)[0].rpartition(":")[0] or text.split("/", 1)[0]
        text = f"{'http' if _is_local(host.lower()) else 'https'}://{text}"
    try:
        parts = urlsplit(text)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        usable = False
    if not usable or re.search(r"\s", text):
        raise ConfigError(
            "LLM_BASE_URL is not a web address.",
            "Set it to something like http://127.0.0.1:11434/v1, or remove it to use OpenRouter.",
        )
    return parts


def _clean_key(key: str, variable: str) -> str:
    text = key.strip(_QUOTES + "\t\r\n")
    text = re.sub(r"^(?:authorization:\s*)?bearer\s+", "", text, flags=re.IGNORECASE).strip(_QUOTES)
    if text and (not text.isascii() or not text.isprintable() or " " in text):
        raise ConfigError(
            f"{variable} holds a sign that no key has (a space, a line break or a special letter).",
            "Paste the key again, without quotes and without anything around it.",
        )
    return text


def _is_local(host: str) -> bool:
    if host in {"localhost", "localhost."} or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
