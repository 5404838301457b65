from typing import Any

import pytest

from contextnmt.corpus.embedded.grammar import (
    Clause,
    Fixed,
    NounPhrase,
    Predicate,
    Prepositional,
    Purpose,
    RelativePronoun,
    Subordinate,
    realize,
)
from contextnmt.corpus.embedded.phrases import (
    ADJECTIVES,
    ANIMALS,
    FOOD,
    GROUNDS,
    IN,
    PEOPLE,
    PLURAL,
    ROOMS,
    THE,
    THINGS,
    THIS,
    A,
)
from contextnmt.corpus.embedded.sentence_rules import (
    BE,
    BECAUSE,
    EATING,
    HANDLING,
    MENTAL,
    SAYING,
    STOP,
    THAT,
)
from contextnmt.corpus.embedded.words import spaced, text_of

BAKER = NounPhrase(THE, PEOPLE["market"]["baker"])
SELL, WRAP = HANDLING[0], next(verb for verb in HANDLING if verb.prefix)
EAT = EATING[0]
LOOK_AT = next(verb for verb in MENTAL if verb.particle == "at")
DREAM = next(verb for verb in MENTAL if verb.english[0] == "dream")
TART = NounPhrase(THE, FOOD["tart"])
OLD, SHEEP = ADJECTIVES["old"], ANIMALS["sheep"]


def written(*phrases: Any) -> tuple[str, ...]:
    """The sentence in English, French and German."""
    return tuple(
        text_of(spaced(realize([*phrases, STOP], language), language))
        for language in ("en", "fr", "de")
    )


def test_separable_verb_in_main_and_subordinate_clause() -> None:
    wrapped = Clause(BAKER, WRAP, object=TART)
    assert written(Clause(BAKER, SELL, object=TART, after=[Subordinate(BECAUSE, wrapped)])) == (
        "The baker sold the tart because the baker wrapped the tart.",
        "Le boulanger a vendu la tarte parce que le boulanger a emballé la tarte.",
        "Der Bäcker verkaufte die Torte, weil der Bäcker die Torte einpackte.",
    )
    assert written(wrapped, Purpose(WRAP, TART))[2] == (
        "Der Bäcker packte die Torte ein, um die Torte einzupacken."
    )


@pytest.mark.parametrize(
    ("tense", "english", "french", "german"),
    [
        ("present", "eats the tart", "mange la tarte", "isst die Torte"),
        ("perfect", "has eaten the tart", "a mangé la tarte", "hat die Torte gegessen"),
        ("pluperfect", "had eaten the tart", "avait mangé la tarte", "hatte die Torte gegessen"),
        ("must", "must eat the tart", "doit manger la tarte", "muss die Torte essen"),
        ("future", "is going to eat the tart", "va manger la tarte", "wird die Torte essen"),
    ],
)
def test_tenses(tense: str, english: str, french: str, german: str) -> None:
    clause = Clause(BAKER, EAT, tense, object=TART)
    assert written(clause) == (
        f"The baker {english}.",
        f"Le boulanger {french}.",
        f"Der Bäcker {german}.",
    )


def test_inversion_behind_an_adverbial() -> None:
    yesterday = Fixed("yesterday,", "hier,", "gestern")
    clause = Clause(BAKER, LOOK_AT, object=TART, order="inverted")
    assert written(yesterday, clause)[2] == "Gestern sah der Bäcker die Torte an."


def test_french_participle_agrees_with_the_object_before_it() -> None:
    pronoun = RelativePronoun(TART)
    relative = Clause(BAKER, SELL, "pluperfect", gap=pronoun)
    tart = NounPhrase(THE, FOOD["tart"], after=[Subordinate(None, relative)])
    predicate = Predicate(ADJECTIVES["cold"], TART)
    assert written(Clause(tart, BE, complements=[predicate])) == (
        "The tart that the baker had sold was cold.",
        "La tarte que le boulanger avait vendue était froide.",
        "Die Torte, die der Bäcker verkauft hatte, war kalt.",
    )


def test_passive_agrees_with_the_subject() -> None:
    agent = Prepositional(Fixed("by", "par", "von"), BAKER)
    clause = Clause(TART, SELL, "passive", complements=[agent])
    assert written(clause) == (
        "The tart was sold by the baker.",
        "La tarte a été vendue par le boulanger.",
        "Die Torte wurde vom Bäcker verkauft.",
    )


def test_content_clause_is_set_between_commas_in_german() -> None:
    asleep = Clause(BAKER, BE, complements=[Predicate(ADJECTIVES["tired"], BAKER)])
    say = next(verb for verb in SAYING if verb.english[0] == "say")
    assert written(Clause(BAKER, say, after=[Subordinate(THAT, asleep)]))[2] == (
        "Der Bäcker sagte, dass der Bäcker müde war."
    )


@pytest.mark.parametrize(
    ("phrase", "case", "german"),
    [
        (NounPhrase(A, ROOMS["castle"], adjective=OLD), "nom", "ein altes Schloss"),
        (NounPhrase(A, ROOMS["garden"], adjective=OLD), "acc", "einen alten Garten"),
        (NounPhrase(THE, GROUNDS["island"], adjective=OLD), "dat", "der alten Insel"),
        (NounPhrase(THIS, PEOPLE["market"]["boy"]), "acc", "diesen Jungen"),
        (NounPhrase(THE, ROOMS["village"]), "gen", "des Dorfes"),
        (NounPhrase(PLURAL[3][1], SHEEP, True, adjective=OLD), "dat", "einigen alten Schafen"),
        (NounPhrase(PLURAL[0][1], SHEEP, True, adjective=OLD), "nom", "zwei alte Schafe"),
    ],
)
def test_german_cases(phrase: NounPhrase, case: str, german: str) -> None:
    assert text_of(phrase.words("de", case)) == german


@pytest.mark.parametrize(
    ("phrase", "french"),
    [
        (NounPhrase(A, ROOMS["hospital"], adjective=OLD), "Un vieil hôpital"),
        (NounPhrase(THIS, ROOMS["hospital"]), "Cet hôpital"),
        (NounPhrase(THE, ANIMALS["horse"], True, adjective=OLD), "Les vieux chevaux"),
        (NounPhrase(THE, THINGS["cup"], adjective=ADJECTIVES["dry"]), "La tasse desséchée"),
    ],
)
def test_french_adjectives(phrase: NounPhrase, french: str) -> None:
    assert text_of(spaced(phrase.words("fr"), "fr")) == french


def test_contraction() -> None:
    garden = Prepositional(IN, NounPhrase(THE, ROOMS["garden"]))
    lobster = NounPhrase(THE, FOOD["lobster"])
    assert written(Clause(BAKER, DREAM, object=lobster, complements=[garden])) == (
        "The baker dreamed of the lobster in the garden.",
        "Le boulanger a rêvé du homard dans le jardin.",
        "Der Bäcker träumte vom Hummer im Garten.",
    )
