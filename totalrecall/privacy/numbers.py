"""Secrets made of digits and known by a word beside them: codes, accounts, identity numbers."""

from __future__ import annotations

import re

from totalrecall.privacy.rule import Gate, Rule, always

_OTHER_CODES = re.compile(
    r"(?i)(?:error|exit|status|zip|postal|area|country|http|response|return|dial"
    r"|colou?r|hs|sic|promo|coupon|product|postleit|fehler"
    r"|line|lines of|qr|bar|source|dress|reason|discount|currency|airport|language"
    r"|unicode|vendor|item|order|tracking|op)[ _-]?$",
)
_CODE_NAMES = (
    r"(?:(?:verification|security|login|sign-?in|access|confirmation|one[- ]time"
    r"|auth(?:entication)?|backup|recovery|2fa|mfa|sms|door|alarm"
    r"|bestätigungs|sicherheits|einmal|zugangs|anmelde|tür|google|whatsapp|telegram)[- ]?"
    r"(?:code|password|passwort|pin)s?|(?<![a-z])(?:code|otp|totp|t?pin|tan|mtan"
    r"|passcode)|验证码|校验码|动态码|动态密码|一次性密码|取件码|码)"
)
_CODE_LINK = (
    r"(?:[ \t]+(?:for|to|für|zu|number|no|from|von)[ \t]+[^\s.:]{1,20}"
    r"(?:[ \t][^\s.:\d]{1,16}){0,2})?[\"'*]{0,3}[ \t]{0,3}"
    r"(?:is|ist|lautet|was|es|est|[:=]|是|为)[ \t:*\"'`]{0,5}"
)
_CODE = (
    r"(?P<s>(?:[A-Z]{1,2}-)?\d{3}[ -]\d{3}(?![\d-])|(?:[A-Z]-)?\d{4,8}(?![\d.]\d"
    r"|\d|[-:/]\d)|(?=[A-Z0-9]{0,7}\d)(?=[A-Z0-9]{0,7}[A-Z])[A-Z0-9]{6,8}(?!\w)"
    r"|[a-z0-9]{4,5}-[a-z0-9]{4,5}(?![\w-]))"
)


def _is_access_code(match: re.Match[str]) -> bool:
    return not _OTHER_CODES.search(match.string, max(0, match.start() - 24), match.start())


def _has_digits(match: re.Match[str]) -> bool:
    return sum(sign.isdigit() for sign in str(match["s"])) >= 5


_ID_NAMES = (
    r"(?:ssn|social[ -]security(?:[ -](?:number|no\.?|#))?|passport(?:[ -](?:number"
    r"|no\.?|nr\.?|#))?|(?:reise|personal)(?:pass|ausweis)(?:nummer|-?nr\.?)?"
    r"|pass(?:nummer|-nr\.?)"
    r"|steuer-?(?:id|nummer|identifikationsnummer|nr\.?)|tax[ -]?(?:id|number"
    r"|no\.?)|nhs number|pesel|medicare(?: number)?|national[ -](?:id|insurance)"
    r"(?:[ -]?(?:number|no\.?))?"
    r"|(?:id|identity)[ -]?(?:card|number)(?:[ -]?(?:number|no\.?))?|driver'?s?[ -]licen[cs]e"
    r"(?:[ -](?:number|no\.?|#))?|führerschein(?:nummer|-?nr\.?)?|sozialversicherungsnummer"
    r"|rentenversicherungsnummer|svnr"
    r"|aadhaar(?: number)?|身份证(?:号码?)?|护照(?:号码?)?|驾照(?:号码?)?|社保(?:号码?)?)"
)
_ACCOUNT_NAMES = (
    r"(?:(?:bank[ -])?account[ -](?:number|no\.?|nr\.?|#)|bank account|acct\.?"
    r"(?: (?:no\.?|#))?|konto(?:nummer|-?nr\.?)|(?<![a-z])blz|routing[ -](?:number"
    r"|no\.?)|sort[ -]code|aba(?: number)?"
    r"|银行(?:卡号?|账号|账户)|卡号|账号|bankleitzahl)"
)
_TO = (
    r"[\"']?(?:[ \t]+(?:for|of|at|von|für)[ \t]+[^\s.:]{1,20}){0,2}[ \t]{0,4}"
    r"(?:is|ist|lautet|was|[:=#]|号?是|为)?[ \t:\"']{0,4}"
)

_CARD_NAMES = (
    r"(?:(?:id|identity)[ -]card|passport|(?:reise|personal)(?:pass|ausweis)|driver'?s?[ -]licen[cs]e"
    r"|führerschein|身份证|护照|驾照)(?:[ -]?(?:number|no\.?|nummer|nr\.?|#)|号码?)?"
)

NUMBERS = (
    Rule(
        "identity number",
        ("card", "passport", "ausweis", "reisepass", "licen", "führerschein", "身份证", "护照", "驾照"),
        rf"(?i:{_CARD_NAMES}{_TO})(?P<s>(?=[A-Z]{{0,3}}\d)[A-Z0-9]{{8,12}})(?!\w)",
        _has_digits,
    ),
    Rule(
        "one-time code",
        ("code", "otp", "pin", "tan", "码"),
        rf"(?i:{_CODE_NAMES}{_CODE_LINK}){_CODE}",
        _is_access_code,
    ),
    Rule(
        "one-time code",
        ("code",),
        r"(?i)(?:verification|security|login|sign-?in|one[- ]time|bestätigungs|sicherheits"
        r"|einmal)[ -]?(?:code|passcode|password)[ \t]+(?P<s>(?:[A-Z]-)?\d{4,8})"
        r"(?![\d.]\d|\d)",
        always,
        Gate.DIGITS,
    ),
    Rule(
        "one-time code",
        ("pin", "otp", "tan"),
        r"(?<![A-Za-z])(?i:pin|otp|m?tan)[ \t]+(?P<s>\d{4,8})(?![\d.]\d|\d)",
        always,
        Gate.DIGITS,
    ),
    Rule(
        "one-time code",
        ("code", "otp", "码"),
        r"(?:(?<![\d.-])|(?<=\b[A-Z]-))(?P<s>\d{4,8}|\d{3} \d{3})[ \t]{0,2}(?i:(?:is|ist|lautet|是)[ \t]{0,2}"
        r"(?:your|the|ihr|dein|der|你的|您的)?[^\n.]{0,30}?(?:code|otp|tan|验证码"
        r"|校验码))",
        always,
        Gate.DIGITS,
    ),
    Rule(
        "one-time code",
        ("enter", "use", "type"),
        r"(?i)(?:use|enter|type)[ \t](?:(?:the[ \t])?code[ \t])?(?P<s>\d{4,8}|\d{3}[ -]\d{3})"
        r"[ \t](?:to (?:log|sign|verify|confirm)|as your|for (?:login|verification))",
        always,
        Gate.DIGITS,
    ),
    Rule(
        "card security code",
        ("cv", "security code", "prüfziffer", "安全码"),
        r"(?i)(?<![a-z])(?:cvv2?|cvc2?|card[^\n]{0,40}?\bsecurity code|card verification \w+|kartenprüfnummer"
        r"|prüfziffer|安全码)[ \t]{0,3}(?:is|ist|[:=#]|是|为)?[ \t\"']{0,3}(?P<s>\d{3,4})"
        r"(?!\d)",
    ),
    Rule(
        "identity number",
        (
            "ssn",
            "social",
            "pass",
            "ausweis",
            "steuer",
            "tax",
            "nhs",
            "pesel",
            "medicare",
            "national",
            "id ",
            "identity",
            "licen",
            "führerschein",
            "versicherung",
            "svnr",
            "aadhaar",
            "身份证",
            "护照",
            "驾照",
            "社保",
        ),
        rf"(?i:{_ID_NAMES}{_TO})(?P<s>[A-Z]{{0,3}}\d[A-Z0-9]{{1,20}}(?:[ ./-][A-Z0-9]{{1,12}}){{0,5}}"
        rf"|[A-Z]{{1,3}} ?\d[A-Z0-9 ]{{4,14}})",
        _has_digits,
        Gate.DIGITS,
    ),
    Rule(
        "identity number",
        ("tin", "ein", "nino", "cpf", "dni", "nif", "nie", "bsn", "curp", "nin"),
        rf"(?<![A-Za-z])(?:I?TIN|EIN|NINO|CPF|DNI|NIF|NIE|BSN|CURP|NIN){_TO}(?P<s>[A-Z]{{0,4}}\d[A-Z0-9]{{2,20}}"
        rf"(?:[ ./-][A-Z0-9]{{1,12}}){{0,5}})",
        _has_digits,
        Gate.DIGITS,
    ),
    Rule(
        "bank account",
        (
            "account",
            "acct",
            "konto",
            "blz",
            "routing",
            "sort code",
            "aba",
            "银行",
            "卡号",
            "账号",
            "bankleitzahl",
        ),
        rf"(?i:{_ACCOUNT_NAMES}{_TO})(?P<s>\d[\d -]{{4,24}}\d)(?!\w)",
        _has_digits,
        Gate.DIGITS,
    ),
    Rule(
        "identity number",
        ("-",),
        r"(?<![\w.-])(?P<s>(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4})(?![\w.-]\w" r"|\w)",
        always,
        Gate.DIGITS,
    ),
    Rule("telegram token", (":aa",), r"(?:(?<![A-Za-z0-9])|(?<=bot))(?P<s>\d{8,10}:AA[A-Za-z0-9_-]{30,})"),
    Rule(
        "discord token",
        (".",),
        r"(?<![\w.-])(?P<s>[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,})",
        always,
        Gate.HUGE,
    ),
    Rule("mailchimp key", ("-us",), r"(?<!\w)(?P<s>[0-9a-f]{32}-us\d{1,2})(?!\w)"),
    Rule(
        "terraform token", (".atlasv1.",), r"(?<![\w.])(?P<s>[A-Za-z0-9]{10,20}\.atlasv1\.[A-Za-z0-9_-]{40,})"
    ),
    Rule(
        "asana token",
        ("/",),
        r"(?<![\w/])(?P<s>[12]/\d{12,19}(?:/\d{12,19})?:[0-9a-f]{32})",
        always,
        Gate.HUGE,
    ),
)
