"""One written value to a typed one, or a plain message why not. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from totalrecall.config.table import Kind, Setting

Value = str | int | float | Path | tuple[str, ...]

_QUOTES = "\"'“”„‟‘’‚‛«»‹›`"
# Compiled at their first use: start-up time counts.
_INTEGER = r"[+-]?[0-9]{1,18}"
_AMOUNT = r"[+-]?([0-9]{1,12}(\.[0-9]{0,12})?|\.[0-9]{1,12})"
_LANGUAGE = r"auto|[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*"
_REFERENCE = r"\$\{?[A-Za-z_]\w*\}?"
_PLACEHOLDER = (
    r"(?i)<.*>|x{3,}|.*(\.{3}|…|x{6,})"
    r"|(your|insert|put|paste|change|replace|example)[-_ ]?.*(key|here|me|token).*"
)
_ENDPOINT = r"(?i)/(chat/completions|completions|responses|models|embeddings)/*$"
_NEAR = r"(?i)(localhost|127\.|10\.|192\.168\.|\[::1\]|[^/.:]+:\d)"
_URL = r"(?i)https?://(?:[^\s/?#@]+@)?(?:\[[0-9a-f:.]+\]|[^\s/?#@:\[\]]+)(?::[0-9]{1,5})?(?:/[^\s?#]*)?"


class BadValueError(ValueError):
    """A value that makes no sense; the message says why and never quotes a secret."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A value in use, and what should be said about how it was written."""

    value: Value
    remarks: tuple[str, ...] = ()


def parse_value(setting: Setting, text: str, home_dir: Path) -> Parsed | None:
    """The value that ``text`` means for ``setting``; None when it is empty, which is the same as not set.

    What is plainly a slip of pasting is mended and said (curly quotes, ``Bearer``, the whole endpoint as
    base URL). Numbers are never mended: ``5m`` might mean anything.

    Raises:
        BadValueError: with the reason; the caller adds name and allowed range.
    """
    remarks: list[str] = []
    bare = text.strip().strip("\ufeff\u200b\u00a0").strip()
    unquoted = bare.strip(_QUOTES).strip()
    if unquoted != bare:
        # Quotes that the reader of the file left are part of the value: curly ones, or a pair inside a pair.
        remarks.append("is written with quotes that do not belong to it; they are left out")
    if not unquoted:
        return None
    if "\n" in unquoted or "\r" in unquoted:
        raise BadValueError("runs over more than one line; a quote is probably not closed")
    if setting.kind is not Kind.SECRET and re.search(_REFERENCE, unquoted):
        raise BadValueError("refers to another variable; references are not expanded, write the value out")
    if any(not char.isprintable() for char in unquoted):
        raise BadValueError("holds characters that cannot be printed; type it again in a plain text editor")
    return Parsed(_PARSERS[setting.kind](setting, unquoted, home_dir, remarks), tuple(remarks))


def _secret(setting: Setting, text: str, _home: Path, remarks: list[str]) -> str:
    if text.startswith(f"{setting.name}="):
        remarks.append("is pasted together with its name; the name is left out")
        text = text.removeprefix(f"{setting.name}=").strip(_QUOTES)
    if re.match(r"(?i)(authorization:\s*)?bearer\s", text):
        remarks.append("begins with 'Bearer'; only the key itself belongs there, so the word is left out")
        text = re.sub(r"(?i)^(authorization:\s*)?bearer\s+", "", text).strip(_QUOTES)
    if re.search(r"\s", text):
        raise BadValueError("has a space inside; a comment needs a space and # before it")
    if not text.isascii():
        raise BadValueError("has characters that no key has; paste it again")
    if re.fullmatch(_PLACEHOLDER, text):
        raise BadValueError("is still the placeholder; put your key there, or leave it empty")
    if "#" in text:
        remarks.append("contains '#', which is taken as part of the key; a comment needs a space before it")
    return text


def _url(_setting: Setting, text: str, _home: Path, remarks: list[str]) -> str:
    if "://" not in text:
        scheme = "http" if re.match(_NEAR, text) else "https"
        remarks.append(f"has no scheme; {scheme}:// is assumed")
        text = f"{scheme}://{text}"
    if not re.fullmatch(_URL, text):
        raise BadValueError("is not such a URL")
    cut = re.sub(_ENDPOINT, "", text).rstrip("/")
    if cut != text.rstrip("/"):
        remarks.append("is the address of one endpoint; only the part before it is used")
    return cut


def _path(_setting: Setting, text: str, home_dir: Path, _remarks: list[str]) -> Path:
    if text == "~":
        return home_dir
    path = home_dir / text[2:].lstrip("/") if text.startswith("~/") else Path(text)
    if not path.is_absolute():
        raise BadValueError("is a relative path, which would depend on where a command is started")
    return path


def _integer(setting: Setting, text: str, _home: Path, _remarks: list[str]) -> int:
    if not re.fullmatch(_INTEGER, text):
        raise BadValueError(f"is {_shown(text)}")
    number = int(text)
    if not setting.low <= number <= setting.high:
        raise BadValueError(f"is {number}")
    return number


def _amount(setting: Setting, text: str, _home: Path, _remarks: list[str]) -> float:
    if not re.fullmatch(_AMOUNT, text):
        raise BadValueError(f"is {_shown(text)}")
    number = float(text)
    if not setting.low <= number <= setting.high:
        raise BadValueError(f"is {number:g}")
    return abs(number)


def _choice(setting: Setting, text: str, _home: Path, _remarks: list[str]) -> str:
    word = text.lower()
    if word not in setting.choices:
        raise BadValueError(f"is {_shown(text)}")
    return word


def _list(_setting: Setting, text: str, _home: Path, _remarks: list[str]) -> tuple[str, ...]:
    words = (word.strip().strip(_QUOTES) for word in text.split(","))
    return tuple(dict.fromkeys(word for word in words if word))


def _language(_setting: Setting, text: str, _home: Path, _remarks: list[str]) -> str:
    if not re.fullmatch(_LANGUAGE, text):
        raise BadValueError(f"is {_shown(text)}")
    return text


def _zone(_setting: Setting, text: str, _home: Path, _remarks: list[str]) -> str:
    from totalrecall.config.zone import known_zone

    if not known_zone(text):
        raise BadValueError(f"is {_shown(text)}, which no zone is called")
    return text


def _cron(setting: Setting, text: str, _home: Path, _remarks: list[str]) -> str:
    if text == setting.default:
        return text  # nobody set it, and reading it takes as long as a tenth of a run with nothing new
    from totalrecall.config.cron import CronError, parse_cron

    try:
        parse_cron(text)
    except CronError as error:
        raise BadValueError(f"is {_shown(text)}: {error}") from error
    return " ".join(text.split())


def _text(_setting: Setting, text: str, _home: Path, _remarks: list[str]) -> str:
    return text


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:40]}…")


_PARSERS: dict[Kind, Callable[[Setting, str, Path, list[str]], Value]] = {
    Kind.TEXT: _text,
    Kind.SECRET: _secret,
    Kind.URL: _url,
    Kind.PATH: _path,
    Kind.INTEGER: _integer,
    Kind.AMOUNT: _amount,
    Kind.CHOICE: _choice,
    Kind.LIST: _list,
    Kind.ZONE: _zone,
    Kind.LANGUAGE: _language,
    Kind.CRON: _cron,
}
