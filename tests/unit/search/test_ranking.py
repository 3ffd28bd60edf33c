"""Ranking passages."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from totalrecall.memory.ranking import Ranker, terms


@dataclass(frozen=True)
class Words:
    text: str
    day: date | None = None


def best(question: str, *texts: str | Words, limit: int = 10) -> list[str]:
    """The texts that answer, best first."""
    ranker = Ranker[Words](question)
    ranker.add_all(one if isinstance(one, Words) else Words(one) for one in texts)
    return [one.passage.text for one in ranker.best(limit)]


def test_the_passage_with_the_rare_word_goes_first() -> None:
    """A word that few passages hold says more than one that many hold."""
    found = best("deploy falcon", "deploy on Monday", "deploy on Tuesday", "falcon is the codename", "deploy")
    assert found[0] == "falcon is the codename"


def test_only_what_holds_a_word_of_the_question_is_found() -> None:
    """A part inside another word is no match, its beginning is."""
    assert best("port", "the report is done", "port 8443", "all ports are open") == [
        "port 8443",
        "all ports are open",
    ]


def test_the_whole_word_goes_before_the_longer_one() -> None:
    """``deploy`` itself answers better than ``deployment``."""
    assert best("deploy", "the deployment runs", "we deploy today")[0] == "we deploy today"


def test_case_and_width_do_not_matter() -> None:
    """Upper case, full-width letters and German sharp s are found in any spelling."""
    assert best("POSTGRESQL", "we chose PostgreSQL", "other") == ["we chose PostgreSQL"]
    assert best("ABC", "the ＡＢＣ team") == ["the ＡＢＣ team"]
    assert best("strasse", "Hauptstraße, Straße 5") == ["Hauptstraße, Straße 5"]


def test_chinese_and_japanese_are_found_by_character_pairs() -> None:
    """No spaces are needed, and a longer match goes before a shorter one."""
    found = best("数据库迁移", "我们决定周五做数据库迁移", "数据很多", "今天天气不错")
    assert found == ["我们决定周五做数据库迁移", "数据很多"]
    assert best("会議", "明日の会議は十時", "別の話") == ["明日の会議は十時"]


def test_one_chinese_character_is_a_question_too() -> None:
    """A single character is looked for as it stands alone."""
    assert terms("猫") == ["猫"]
    assert best("猫", "猫") == ["猫"]


def test_the_question_word_for_word_goes_first() -> None:
    """The same words in another order come later."""
    found = best("red staging server", "server staging red is on", "the red staging server is on")
    assert found[0] == "the red staging server is on"


def test_of_equal_answers_the_newer_goes_first() -> None:
    """Equal scores are settled by the day."""
    old, new = Words("port 8443", date(2026, 1, 1)), Words("port 8443", date(2026, 2, 1))
    ranker = Ranker[Words]("port")
    ranker.add_all([old, new])
    assert [one.passage for one in ranker.best(2)] == [new, old]


def test_what_is_not_allowed_is_counted_and_not_found() -> None:
    """A passage that the caller refuses is no answer."""
    ranker = Ranker[Words]("port")
    assert not ranker.add(Words("port 1"), lambda: False)
    assert ranker.add(Words("port 2"), lambda: True)
    assert [one.passage.text for one in ranker.best(5)] == ["port 2"]
    assert ranker.passages == 2


@given(st.lists(st.text(max_size=40), max_size=20), st.text(max_size=20))
def test_any_text_can_be_asked_for_in_any_text(texts: list[str], question: str) -> None:
    """Scores are finite and positive, and only passages that were given come back, each once."""
    ranker = Ranker[Words](question)
    given_passages = [Words(one) for one in texts]
    ranker.add_all(given_passages)
    found = ranker.best(100)
    assert all(0 < one.score < 1e9 for one in found)
    assert len({id(one.passage) for one in found}) == len(found) <= len(texts)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


@given(st.text(min_size=1, max_size=30))
def test_a_text_finds_itself(text: str) -> None:
    """Whatever holds a word at all is found by its own text."""
    assert best(text, text) == ([text] if terms(text) else [])
