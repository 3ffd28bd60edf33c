"""Names of days and months, and words that point at a day, in English, German and Chinese."""

from __future__ import annotations


def _numbered(names: tuple[str, ...], first: int) -> dict[str, int]:
    return {name: number for number, line in enumerate(names, first) for name in line.split()}


MONTHS = _numbered(
    (
        "january jan januar jänner", "february feb februar", "march mar märz", "april apr", "may mai",
        "june jun juni", "july jul juli", "august aug", "september sept sep", "october oct oktober okt",
        "november nov", "december dec dezember dez",
    ), 1,
)  # fmt: skip
"""Month names and their numbers."""

WEEKDAYS = _numbered(
    (
        "monday montag montags", "tuesday dienstag", "wednesday mittwoch", "thursday donnerstag",
        "friday freitag", "saturday samstag sonnabend", "sunday sonntag",
    ), 0,
)  # fmt: skip
"""Weekday names; Monday is 0."""

CN_DIGITS = {"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "日": 7, "天": 7}
"""Chinese weekday signs; Monday is 1."""

COUNTS = {
    word: count
    for count, words in enumerate(
        ("a an one ein eine einem einer 一", "two zwei 两 二", "three drei 三",
         "four vier 四",
         "five fünf 五", "six sechs 六",
         "seven sieben 七", "eight acht 八", "nine neun 九", "ten zehn 十"), 1,
    )
    for word in words.split()
}  # fmt: skip
"""Number words up to ten."""

DAY_WORDS = {
    "today": 0, "tonight": 0, "tomorrow": 1, "day after tomorrow": 2, "the day after tomorrow": 2,
    "yesterday": -1, "heute": 0, "morgen": 1, "übermorgen": 2, "gestern": -1, "vorgestern": -2,
    "今天": 0, "今晚": 0, "今早": 0, "今日": 0, "明天": 1, "明早": 1, "明晚": 1, "明日": 1,
    "后天": 2, "大后天": 3,
    "昨天": -1, "昨晚": -1, "昨日": -1, "前天": -2, "大前天": -3,
}  # fmt: skip
"""Words for a day near today, and how many days away it is."""

NEXT_WORDS = frozenset({"next", "nächste", "nächsten", "nächster", "nächstem", "nächstes"})
"""The weekday of the coming calendar week."""

PAST_WORDS = frozenset(
    {"last", "past"}
    | {stem + end for stem in ("letzt", "vergangen") for end in ("e", "en", "er", "em", "es")}
)
"""The weekday before today."""

THIS_WORDS = frozenset({"this", "diese", "diesen", "dieser", "diesem", "dieses"})
"""The weekday of the present week."""
