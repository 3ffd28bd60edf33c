"""Environment variables that break a client before its first byte (R061)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from totalrecall.llm.failure import Failure, FailureKind

_PROXIES = ("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY")
_SCHEMES = frozenset({"http", "https", "socks5", "socks5h"})
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")


def environment_failure(environ: Mapping[str, str], error: BaseException) -> Failure:
    """The failure that names the variable to blame, found by looking at the values; never shows a value.

    A proxy URL often holds a password, so only its scheme is shown.
    """
    if failure := broken_proxy(environ):
        return failure
    for name in _CERTIFICATES:
        value = environ.get(name, "")
        if value and not _readable(value, folder=name.endswith("DIR")):
            return Failure(
                FailureKind.ENVIRONMENT,
                f"{name} names certificates that cannot be read.",
                f"Correct {name}, or unset it to use the built-in ones.",
            )
    return _left_over(environ, error)


def broken_proxy(environ: Mapping[str, str]) -> Failure | None:
    """The failure that names a proxy variable whose value cannot be one; None when all of them could be."""
    for name in _spellings(_PROXIES):
        if problem := _proxy_problem(environ.get(name, "")):
            return Failure(
                FailureKind.ENVIRONMENT,
                f"{name} {problem}.",
                f"Set {name} to something like http://host:port or socks5://host:port, or unset it.",
            )
    return None


def _left_over(environ: Mapping[str, str], error: BaseException) -> Failure:
    used = [name for name in _spellings(_PROXIES) if environ.get(name)]
    if isinstance(error, ImportError) and used:
        title = f"{used[0]} names a SOCKS proxy, and the library for it (socksio) is not installed."
        return Failure(FailureKind.ENVIRONMENT, title, "pip install 'httpx[socks]'")
    if bypass := [name for name in _spellings(("NO_PROXY",)) if environ.get(name)]:
        names = " or ".join([*used[:1], *bypass[:1]])
        return Failure(
            FailureKind.ENVIRONMENT, f"{names} holds something that is no host.", f"Correct {names}."
        )
    names = ", ".join(used) or "the certificates of this machine"
    return Failure(
        FailureKind.ENVIRONMENT,
        f"No connection can be set up with {names} ({type(error).__name__}).",
        "Correct or unset it.",
    )


def _proxy_problem(value: str) -> str:
    text = value.strip()
    if not text:
        return ""
    if "://" not in text:
        text = f"http://{text}"
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return "is no web address"
    if parts.scheme not in _SCHEMES:
        return f"begins with {parts.scheme[:12]}://, which is no kind of proxy known here"
    if not parts.hostname or any(sign in parts.hostname for sign in " \t<>{}"):
        return "names no host"
    return ""


def _readable(value: str, *, folder: bool) -> bool:
    path = Path(value)
    if folder:
        return path.is_dir()
    import ssl

    try:
        ssl.create_default_context(cafile=value)
    except (OSError, ssl.SSLError):
        return False
    return path.is_file()


def _spellings(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(spelling for name in names for spelling in (name, name.lower()))
