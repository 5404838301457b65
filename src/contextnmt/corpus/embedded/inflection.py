"""Inflection of the embedded corpus: agreement, case, verb groups."""

from typing import Protocol

from contextnmt.corpus.embedded.lexicon import Adjective, Noun, Verb

#: German endings by gender (p: plural), after *der*, after *ein*, after nothing.
ARTICLE = {
    "nom": {"m": "der", "f": "die", "n": "das", "p": "die"},
    "acc": {"m": "den", "f": "die", "n": "das", "p": "die"},
    "dat": {"m": "dem", "f": "der", "n": "dem", "p": "den"},
    "gen": {"m": "des", "f": "der", "n": "des", "p": "der"},
}
STRONG = {
    "nom": {"m": "er", "f": "e", "n": "es", "p": "e"},
    "acc": {"m": "en", "f": "e", "n": "es", "p": "e"},
    "dat": {"m": "em", "f": "er", "n": "em", "p": "en"},
    "gen": {"m": "es", "f": "er", "n": "es", "p": "er"},
}
#: Where *ein* has no ending, the adjective takes the strong one.
BARE_EIN = (("nom", "m"), ("nom", "n"), ("acc", "n"))
WEAK_E = (*BARE_EIN, ("nom", "f"), ("acc", "f"))

#: French and German modal verbs (3rd singular, 3rd plural) by English one.
MODALS = {
    "must": (("must", "must"), ("doit", "doivent"), ("muss", "müssen")),
    "can": (("can", "can"), ("peut", "peuvent"), ("kann", "können")),
    "want": (("wants to", "want to"), ("veut", "veulent"), ("will", "wollen")),
    "future": (("is going to", "are going to"), ("va", "vont"), ("wird", "werden")),
}
#: (singular, plural) of *avoir* and *être*, and of *haben* and *sein*.
FRENCH_AUXILIARIES = {
    "perfect": (("a", "ont"), ("est", "sont")),
    "pluperfect": (("avait", "avaient"), ("était", "étaient")),
}
GERMAN_AUXILIARIES = {
    "perfect": (("hat", "haben"), ("ist", "sind")),
    "pluperfect": (("hatte", "hatten"), ("war", "waren")),
}


class Agreeing(Protocol):
    """What French participles agree with."""

    @property
    def plural(self) -> bool:
        """Whether the phrase is a plural."""
        ...

    @property
    def french_gender(self) -> str:
        """m or f."""
        ...


def french_adjective(adjective: Adjective, gender: str, plural: bool) -> str:
    """The French adjective that agrees with a noun."""
    if gender == "f":
        return adjective.french[1] + ("s" if plural else "")
    if not plural:
        return adjective.french[0]
    masculine = adjective.french[0]
    if masculine.endswith(("s", "x")):
        return masculine
    if masculine.endswith("al"):
        return masculine[:-2] + "aux"
    return masculine + ("x" if masculine.endswith("eau") else "s")


def german_noun(noun: Noun, case: str, plural: bool) -> str:
    """The German noun in its case."""
    if plural:
        many = noun.german[1]
        return many + "n" if case == "dat" and not many.endswith(("n", "s")) else many
    return {
        "nom": noun.german[0],
        "gen": noun.genitive,
        "acc": noun.oblique,
        "dat": noun.oblique,
    }[case]


def english_verb(verb: Verb, tense: str, plural: bool) -> tuple[str, str]:
    """The finite verb and the rest of the verb group."""
    base, third, past, participle = verb.english
    if tense in MODALS:
        return MODALS[tense][0][plural], base
    if tense == "perfect":
        return "have" if plural else "has", participle
    if tense == "pluperfect":
        return "had", participle
    if tense == "progressive":
        return "were" if plural else "was", base.removesuffix("e") + "ing"
    if tense == "passive":
        return "were" if plural else "was", participle
    if tense == "past":
        return "were" if (past, plural) == ("was", True) else past, ""
    return base if plural else third, ""


def french_verb(
    verb: Verb,
    tense: str,
    subject: Agreeing,
    agreeing: Agreeing | None,
) -> str:
    """The verb group; `agreeing` is a direct object that stands before it."""
    infinitive, third, thirds, participle = verb.french
    plural = subject.plural
    if tense in MODALS:
        return f"{MODALS[tense][1][plural]} {infinitive}"
    if tense == "present":
        return thirds if plural else third
    if tense == "progressive" or (tense == "past" and verb.imperfect):
        imperfect = verb.imperfect or thirds.removesuffix("ent") + "ait"
        return imperfect.removesuffix("t") + ("ent" if plural else "t")
    if tense == "passive":
        return f"{'ont' if plural else 'a'} été {agreed(participle, subject)}"
    auxiliary = FRENCH_AUXILIARIES["pluperfect" if tense == "pluperfect" else "perfect"]
    if verb.etre:
        agreeing = subject
    return (
        f"{auxiliary[verb.etre][plural]} {agreed(participle, agreeing) if agreeing else participle}"
    )


def agreed(participle: str, phrase: Agreeing) -> str:
    """A French participle that agrees with `phrase`."""
    feminine = participle + ("e" if phrase.french_gender == "f" else "")
    return feminine + ("s" if phrase.plural and not feminine.endswith("s") else "")


def german_verb(verb: Verb, tense: str, plural: bool) -> tuple[str, str]:
    """The finite verb and the rest, which a separable prefix is part of."""
    infinitive, third, preterite, participle = verb.german
    if tense in MODALS:
        return MODALS[tense][2][plural], verb.prefix + infinitive
    if tense in GERMAN_AUXILIARIES:
        return GERMAN_AUXILIARIES[tense][verb.sein][plural], participle
    if tense == "passive":
        return "wurden" if plural else "wurde", participle
    if tense == "present":
        return (infinitive if plural else third), verb.prefix
    ending = ("n" if preterite.endswith("e") else "en") if plural else ""
    return preterite + ending, verb.prefix
