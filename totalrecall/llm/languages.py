"""Which language a text is in, as far as its signs and small words tell. Pure."""

from __future__ import annotations

import re

NAMES = {
    "de": "German", "en": "English", "es": "Spanish", "fr": "French", "it": "Italian", "nl": "Dutch",
    "pt": "Portuguese", "pl": "Polish", "zh": "Chinese", "ja": "Japanese", "ko": "Korean", "ru": "Russian",
    "uk": "Ukrainian", "el": "Greek", "ar": "Arabic", "he": "Hebrew", "tr": "Turkish", "sv": "Swedish",
    "hi": "Hindi", "th": "Thai", "vi": "Vietnamese", "cs": "Czech", "da": "Danish", "fi": "Finnish",
}  # fmt: skip
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("zh", re.compile("[\u3400-\u9fff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
)
_SMALL_WORDS = {
    "en": "the and is are was to of in that it for on with this be have not you we will from at by user "
    "has had but",
    "de": "der die das und ist nicht ein eine ich wir zu mit auf für den dem von bei im am es sich auch "
    "nach wird hat"
    " soll noch bitte kein keine nutzer aus jetzt hab habe will wollen drei wegen durch über vor wie uns mir",
    "es": "el la los las y es que de un una por para con no se está del al lo su más como pero usuario",
    "fr": "le la les et est que de un une pour avec pas ne dans sur du des ce il je nous au plus mais "
    "utilisateur",
    "it": "il la gli e è che di un una per con non nel del sono si da lo più come ma utente",
    "nl": "de het een en is niet van ik we te met op voor dat die er aan ook maar wordt gebruiker",
    "pt": "o a os as e é que de um uma por para com não do da no na se mais como mas usuário",
}
_WORD_SETS = {tag: frozenset(words.split()) for tag, words in _SMALL_WORDS.items()}
_WORD = re.compile(r"[^\W\d_]+")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_PIECE = re.compile(r"\S+")
_MIN_SIGNS = 4
_MIN_HITS = 3
_LEAD = 1.5


def language_of(text: str) -> str:
    """The tag of the language, or "" when the text is too short or too mixed to tell. Code does not count."""
    bare = _without_code(text)
    words = [word.lower() for word in _WORD.findall(bare)]
    letters = sum(len(word) for word in words)
    for tag, script in _SCRIPTS:
        signs = len(script.findall(bare))
        # A foreign name or a file name in Latin letters stands in most Chinese messages.
        if signs >= _MIN_SIGNS and signs * 4 >= letters:
            return tag
    hits = {tag: sum(word in small for word in words) for tag, small in _WORD_SETS.items()}
    ranked = sorted(hits.items(), key=lambda item: -item[1])
    (best, most), (_, next_most) = ranked[0], ranked[1]
    return best if most >= _MIN_HITS and most >= next_most * _LEAD else ""


def _without_code(text: str) -> str:
    """The text without code blocks, paths and addresses; in linear time, whatever it holds."""
    bare = _CODE.sub(" ", text)
    return _PIECE.sub(lambda piece: " " if set(piece[0]) & {"/", "\\", "_"} else piece[0], bare)


def language_name(tag: str) -> str:
    """The English name of a language tag, for the prompt; the tag itself when it is not known."""
    return NAMES.get(tag.split("-", 1)[0].lower(), tag)


def looks_german(text: str) -> bool:
    """True when a text may be German, where every noun has a capital; needs less than ``language_of``."""
    words = [word.lower() for word in _WORD.findall(_without_code(text))]
    german = sum(word in _WORD_SETS["de"] for word in words) + 2 * sum(
        bool(_UMLAUT.search(word)) for word in words
    )
    return german >= 2 and german > sum(word in _WORD_SETS["en"] for word in words)


_UMLAUT = re.compile("[äöüß]")
