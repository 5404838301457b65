from dataclasses import replace
from itertools import chain

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
    NOUNS,
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
    SENSES,
    STOP,
    THAT,
    VERBS,
)
from contextnmt.corpus.embedded.writing import spaced, text_of

BAKER = NounPhrase(THE, PEOPLE["market"]["baker"])
SELL, WRAP = HANDLING[0], next(verb for verb in HANDLING if verb.prefix)
EAT = EATING[0]
LOOK_AT = next(verb for verb in MENTAL if verb.particle == "at")
DREAM = next(verb for verb in MENTAL if verb.english[0] == "dream")
TART = NounPhrase(THE, FOOD["tart"])


def written(*phrases: object) -> tuple[str, str, str]:
    """The sentence in English, French and German."""
    sentence = [*phrases, STOP]
    english, french, german = (
        text_of(spaced(realize(sentence, language), language))  # type: ignore[arg-type]
        for language in ("en", "fr", "de")
    )
    return english, french, german


def test_separable_verb_in_main_and_subordinate_clause() -> None:
    wrapped = Clause(BAKER, WRAP, object=TART)
    assert written(wrapped) == (
        "The baker wrapped the tart.",
        "Le boulanger a emballé la tarte.",
        "Der Bäcker packte die Torte ein.",
    )
    sold = Clause(BAKER, SELL, object=TART)
    assert written(Clause(BAKER, SELL, object=TART, after=[Subordinate(BECAUSE, wrapped)])) == (
        "The baker sold the tart because the baker wrapped the tart.",
        "Le boulanger a vendu la tarte parce que le boulanger a emballé la tarte.",
        "Der Bäcker verkaufte die Torte, weil der Bäcker die Torte einpackte.",
    )
    assert written(sold, Purpose(WRAP, TART))[2] == (
        "Der Bäcker verkaufte die Torte, um die Torte einzupacken."
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
    clause = Clause(BAKER, LOOK_AT, object=TART)
    assert (
        written(yesterday, replace(clause, order="inverted"))[2]
        == "Gestern sah der Bäcker die Torte an."
    )


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
        (NounPhrase(A, ROOMS["castle"], adjective=ADJECTIVES["old"]), "nom", "ein altes Schloss"),
        (NounPhrase(A, ROOMS["garden"], adjective=ADJECTIVES["old"]), "acc", "einen alten Garten"),
        (NounPhrase(THE, GROUNDS["island"], adjective=ADJECTIVES["old"]), "dat", "der alten Insel"),
        (NounPhrase(THIS, PEOPLE["market"]["boy"]), "acc", "diesen Jungen"),
        (NounPhrase(THE, ROOMS["village"]), "gen", "des Dorfes"),
        (NounPhrase(THE, ANIMALS["sheep"], plural=True), "dat", "den Schafen"),
        (
            NounPhrase(PLURAL[3][1], ANIMALS["sheep"], True, adjective=ADJECTIVES["old"]),
            "dat",
            "einigen alten Schafen",
        ),
        (
            NounPhrase(PLURAL[0][1], ANIMALS["sheep"], True, adjective=ADJECTIVES["old"]),
            "nom",
            "zwei alte Schafe",
        ),
    ],
)
def test_german_cases(phrase: NounPhrase, case: str, german: str) -> None:
    assert text_of(phrase.words("de", case)) == german


def test_french_adjectives() -> None:
    def french(phrase: NounPhrase) -> str:
        return text_of(spaced(phrase.words("fr"), "fr"))

    horse, tree = ANIMALS["horse"], ROOMS["hospital"]
    assert french(NounPhrase(A, tree, adjective=ADJECTIVES["old"])) == "Un vieil hôpital"
    assert french(NounPhrase(THIS, tree)) == "Cet hôpital"
    assert french(NounPhrase(THE, horse, True, adjective=ADJECTIVES["new"])) == (
        "Les nouveaux chevaux"
    )
    assert (
        french(NounPhrase(THE, THINGS["cup"], adjective=ADJECTIVES["dry"])) == "La tasse desséchée"
    )


def test_elision_and_contraction() -> None:
    garden = Prepositional(IN, NounPhrase(THE, ROOMS["garden"]))
    lobster = NounPhrase(THE, FOOD["lobster"])
    assert written(Clause(BAKER, DREAM, object=lobster, complements=[garden])) == (
        "The baker dreamed of the lobster in the garden.",
        "Le boulanger a rêvé du homard dans le jardin.",
        "Der Bäcker träumte vom Hummer im Garten.",
    )
    oyster = NounPhrase(A, FOOD["oyster"])
    assert written(Clause(BAKER, DREAM, object=oyster))[0] == "The baker dreamed of an oyster."
    assert written(Clause(BAKER, DREAM, object=oyster))[1] == "Le boulanger a rêvé d'une huître."


def test_every_word_has_all_its_forms() -> None:
    for verb in chain(*VERBS.values()):
        assert {4} == {len(forms) for forms in (verb.english, verb.french, verb.german)}
    for adjective in ADJECTIVES.values():
        assert (len(adjective.french), len(adjective.german)) == (4, 2)
    senses = (sense.noun for senses in SENSES.values() for sense in senses)
    for noun in chain(senses, *(nouns.values() for nouns in NOUNS.values())):
        counts = {len(forms) for forms in (noun.english, noun.french, noun.german)}
        assert counts == {1 + noun.has_plural}
