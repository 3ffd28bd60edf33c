"""The labelled corpus of screening: templates in text files, filled in at run time, the same on every run.

No file holds anything that looks like a key; ``{alnum:36}`` and its like are made here.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_HERE = Path(__file__).parent
_FIELD = re.compile(r"\{(\w+)(?::([^{}]+))?\}")
_BASE64 = string.ascii_letters + string.digits + "+/"
_SIGNS = {
    "alnum": string.ascii_letters + string.digits,
    "lower": string.ascii_lowercase,
    "upper": "ABCDEFGHJKLMNPQRSTUVWXYZ234567",
    "hex": "0123456789abcdef",
    "digit": "0123456789",
    "b64": _BASE64,
    "b64url": _BASE64.replace("+", "-").replace("/", "_"),
}
_WORDS = [
    "river",
    "candle",
    "orbit",
    "velvet",
    "lemon",
    "harbor",
    "tiger",
    "window",
    "marble",
    "forest",
    "signal",
    "copper",
    "ladder",
    "meadow",
]
_PASSWORDS = (
    "Tr0ub{d}dor-fake",
    "s3cr{d}t!Pw",
    "Winter{d}2024",
    "k9#mP{d}xq",
    "horse-battery-{d}",
    "aB{d}$zz_Top",
)


@dataclass(frozen=True, slots=True)
class Line:
    """A filled line, and the secret pieces in it (none: it must survive)."""

    text: str
    secrets: tuple[str, ...]


def lines(name: str) -> list[Line]:
    """The lines of one file of the corpus, filled in."""
    made = random.Random(name)
    raw = (_HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [_line(line, made) for line in raw if line and not line.startswith("# ")]


def fill(template: str, made: random.Random) -> str:
    """The template with each field made up."""
    return _FIELD.sub(lambda match: _field(match[0], match[1], match[2] or "", made), template)


def _line(template: str, made: random.Random) -> Line:
    marked = "«" in template
    text = fill(template, made) if marked else template
    text = text.replace("⏎", "\n")
    secrets = re.findall(r"«([^»]*)»", text)
    return Line(re.sub("[«»]", "", text), tuple(secrets))


def _field(whole: str, name: str, argument: str, made: random.Random) -> str:
    if name in _SIGNS and argument.isdigit():
        size = int(argument)
        body = "".join(made.choice(_SIGNS[name]) for _ in range(size))
        if name == "digit" and size >= 4 and len(set(body)) == 1:
            body = "4" + body[1:].replace(body[0], "7")
        # A real key of this size has a digit; a made-up one without any would not be one.
        return "7" + body[1:-1] + "3" if name in {"alnum", "b64", "hex", "upper"} and size >= 8 else body
    return _SPECIAL[name](made, argument) if name in _SPECIAL else whole


def _luhn(prefix: str, size: int, made: random.Random) -> str:
    body = prefix + "".join(made.choice("0123456789") for _ in range(size - len(prefix) - 1))
    total = sum(
        sum(divmod(int(digit) * (2 if place % 2 == 0 else 1), 10))
        for place, digit in enumerate(reversed(body))
    )
    return body + str(-total % 10)


def _iban(made: random.Random) -> str:
    bban = "".join(made.choice("0123456789") for _ in range(18))
    return f"DE{98 - int(bban + '131400') % 97:02d}{bban}"


def _grouped(text: str, sign: str) -> str:
    return sign.join(text[place : place + 4] for place in range(0, len(text), 4))


def _chinese_identity(made: random.Random) -> str:
    body = "11010519" + str(made.randint(50, 99)) + f"{made.randint(1, 12):02d}{made.randint(1, 28):02d}"
    body += f"{made.randint(1, 999):03d}"
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    return body + "10X98765432"[sum(int(a) * b for a, b in zip(body, weights, strict=True)) % 11]


_SPECIAL: dict[str, Callable[[random.Random, str], str]] = {
    "pw": lambda made, _: made.choice(_PASSWORDS).format(d=made.randint(10, 99)),
    "word": lambda made, _: made.choice(_WORDS) + made.choice(_WORDS),
    "words": lambda made, size: " ".join(made.choice(_WORDS) for _ in range(int(size))),
    "card": lambda made, _: _grouped(_luhn("4", 16, made), " "),
    "carddash": lambda made, _: _grouped(_luhn("52", 16, made), "-"),
    "cardplain": lambda made, _: _luhn("4", 16, made),
    "amex": lambda made, _: _luhn("37", 15, made),
    "iban": lambda made, _: _iban(made),
    "ibanspaced": lambda made, _: _grouped(_iban(made), " "),
    "cnid": lambda made, _: _chinese_identity(made),
    "digit2": lambda made, _: str(made.randint(10, 99)),
    "digit4": lambda made, _: str(made.randint(1000, 9999)),
    "k": lambda *_: "KEY",
    "k2": lambda *_: "PRIVATE KEY",
    "zw": lambda *_: "\u200b",
    "shy": lambda *_: "\u00ad",
    "wide": lambda _, text: "".join(chr(ord(sign) + 0xFEE0) for sign in text),
}
