"""Check digits: which runs of digits are card, bank and identity numbers."""

from __future__ import annotations

_LUHN_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)
# Lengths of IBANs: SWIFT IBAN registry; countries that are not listed are judged by mod 97 alone.
_IBAN_TABLE = (
    "AD24 AE23 AT20 BE16 BG22 CH21 CY28 CZ24 DE22 DK18 EE20 ES24 FI18 FR27 GB22 GR27 HR21 HU28 IE22 "
    "IL23 IS26 IT27 LI21 LT20 LU20 LV21 MC27 MT31 NL18 NO15 PL28 PT25 RO24 RS22 SA24 SE24 SI19 SK24 "
    "TR26 UA29 "
)
_IBAN_CHARS = {entry[:2]: int(entry[2:]) for entry in _IBAN_TABLE.split()}
_CN_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_CN_CHECK = "10X98765432"


def luhn_holds(digits: str) -> bool:
    """Whether the last digit is the Luhn check digit of the others (ISO/IEC 7812-1)."""
    total = 0
    for place, char in enumerate(reversed(digits)):
        digit = int(char)
        total += _LUHN_DOUBLED[digit] if place % 2 else digit
    return total % 10 == 0


def is_card_number(digits: str) -> bool:
    """Whether these digits have the prefix, the length and the check digit of a payment card."""
    if len(set(digits)) == 1 or not luhn_holds(digits):
        return False
    length, two, four = len(digits), int(digits[:2]), int(digits[:4])
    if two in {34, 37}:
        return length == 15
    if two in {36, 38, 39} or 3000 <= four <= 3059:
        return length in {14, 16}
    known = (
        digits[0] == "4"
        or 51 <= two <= 55
        or 2221 <= four <= 2720
        or 3528 <= four <= 3589
        or digits[0] == "6"
    )
    return known and (length == 16 or (length in {18, 19} and digits[0] in "46"))


def iban_chars(compact: str) -> int:
    """How many leading characters of ``compact`` (upper case, no separators) are an IBAN; 0 if none are.

    Check: ISO 13616, mod 97.
    """
    known = _IBAN_CHARS.get(compact[:2])
    lengths = (known,) if known else (len(compact),)
    for length in lengths:
        candidate = compact[:length]
        if len(candidate) != length or not 15 <= length <= 34:
            continue
        turned = candidate[4:] + candidate[:4]
        if int("".join(str(int(char, 36)) for char in turned)) % 97 == 1:
            return length
    return 0


def is_chinese_identity(text: str) -> bool:
    """Whether 18 characters are a resident identity number with its check character (GB 11643-1999)."""
    month, day = int(text[10:12]), int(text[12:14])
    if not (1900 <= int(text[6:10]) <= 2099 and 1 <= month <= 12 and 1 <= day <= 31):
        return False
    total = sum(int(char) * weight for char, weight in zip(text, _CN_WEIGHTS, strict=False))
    return _CN_CHECK[total % 11] == text[17].upper()
