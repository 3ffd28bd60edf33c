"""What is said in a run: sentences that each hold one word nobody else says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Where(StrEnum):
    """In which kind of session something is said."""

    PRIVATE = "private"
    GROUP = "group"
    CRON = "cron"


# As people say such things. Each gets a number of its own, and is said once.
_SENTENCES = (
    "We decided that deploys go through the host zeppelin-{} from now on.",
    "My sister Dana moves to Lisbon in March; the key of her flat is in box walrus-{}.",
    "The build server is called quasar-{} and it runs Debian 12.",
    "My dentist is Dr. Heron, her practice code is pelican-{}.",
    "The invoices for the boat are kept in the folder lantern-{}.",
    "We decided to name the new release candidate juniper-{}.",
    "My flight to Oslo has the booking code marzipan-{}.",
    "The backup disk in the cellar is labelled thimble-{}.",
    "Our landlord is Mr. Okoye, his file number is cobalt-{}.",
    "The staging database is called fennel-{} and lives in Frankfurt.",
    "My bicycle was repaired, the receipt is number saffron-{}.",
    "The contract with the printer ends in June, its number is gazebo-{}.",
    "We decided that the newsletter is sent from the account tundra-{}.",
    "The spare key of the office hangs on hook number nimbus-{}.",
    "My new phone is registered as device ripple-{}.",
    "The meeting room on the third floor is called sextant-{}.",
    "The garden shed's lock was changed, the new tag is bramble-{}.",
    "Our supplier for glass is in Turin, the customer number is opaline-{}.",
)


@dataclass(frozen=True, slots=True)
class Fact:
    """One sentence, the word in it that is its own, and where it was said."""

    sentence: str
    token: str
    where: Where


@dataclass
class Facts:
    """The facts of one run, in the order in which they were said."""

    said: list[Fact] = field(default_factory=list)

    def next(self, where: Where = Where.PRIVATE) -> Fact:
        """A fact that has not been said yet."""
        at = len(self.said)
        sentence = _SENTENCES[at].format(417 + 13 * at)
        token = next(word.strip(".,;") for word in sentence.split() if word.rstrip(".,;")[-3:].isdigit())
        fact = Fact(sentence, token, where)
        self.said.append(fact)
        return fact

    def of(self, *where: Where) -> list[Fact]:
        """Those that were said there."""
        return [fact for fact in self.said if fact.where in where]


def counted(facts: Sequence[Fact], text: str) -> Counter[str]:
    """How often each fact's word stands in the text."""
    return Counter({fact.token: text.count(fact.token) for fact in facts})
