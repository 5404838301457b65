"""Stage *generate*: the embedded corpus, sentences that the package writes by itself.

Line N of a split is the same sentence in its three languages, English, French and German. Dev and
test are clean; the training text has planted noise. Side files tell every ambiguous word, name,
number and acronym of dev and test, every noisy line of train and the domain of every line of train,
so that all of them can be counted exactly. Everything follows from the seed.
"""

import io
import random
import re
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, cycle, product
from pathlib import Path
from typing import Annotated

import typer

from contextnmt.corpus.embedded.grammar import LANGUAGES, Phrases, realize
from contextnmt.corpus.embedded.phrases import DOMAINS, NO_BREAK_SPACE, Composer, name_pools
from contextnmt.corpus.embedded.sentence_rules import (
    DISTANCES,
    FORMS,
    SENSES,
    TELLING,
    ambiguous_sentence,
    plain_sentence,
)
from contextnmt.corpus.embedded.words import Sense, Tag, Words, spaced, text_of
from contextnmt.files import atomic

#: Clean sentences of each split.
SIZES = {"train": 16000, "dev": 500, "test": 1000}
#: Planted lines of each kind of noise.
NOISE_LINES = 60
#: Share of the sentences with ambiguous words, one or two of them.
AMBIGUOUS_SHARE = 0.8
#: Share of those in which another ambiguous word of the field stands behind the first: what a
#: system learns of a field serves twice then, and takes half as many updates to learn.
SECOND_SHARE = 0.9
MAX_WORDS = 20
#: Cues in a sentence; of those kept from the training text there may be one.
CUES, KEPT_CUES = range(2, 5), range(1, 5)
#: Share of the dev and test sentences with ambiguous words in which one has cues that the training
#: text never has beside it.
KEPT_SHARE = 0.25
#: Words of overlong lines at least: more than 60 in every language.
OVERLONG_WORDS = 64

Texts = dict[str, str]


@dataclass(frozen=True)
class Found:
    """A tagged word: its surface in each language and, if it is ambiguous, where its cue is."""

    kind: str
    surfaces: dict[str, str]
    distance: int = 0  #: English words to the nearest cue, negative if it stands before; 0: no cue
    cues: frozenset[tuple[str, str]] = frozenset()  #: the word and each of its cues


@dataclass(frozen=True)
class Sentence:
    """One line of each language and, in the training text, the noise in it, if any."""

    texts: dict[str, str]
    domain: str
    noise: str = ""
    languages: str = ""  #: those that the noise concerns
    found: Sequence[Found] = ()


def cues_of(english: Words, tag: Tag, sense: Sense) -> dict[int, str]:
    """English words from an ambiguous word to each of its cues -> the noun or adjective."""
    words = [(token, word.tag) for word in english for token in re.findall(r"\w\S*", word.text)]
    at = next(place for place, (_, each) in enumerate(words) if each is tag)
    told = ((place - at, FORMS.get(token, token)) for place, (token, _) in enumerate(words))
    return {away: word for away, word in told if word in TELLING or word in sense.adjectives}


def render(phrases: Phrases, english: Words, domain: str, senses: Mapping[Tag, Sense]) -> Sentence:
    """The three lines of a sentence and what is tagged in them.

    `english` are its English words, `senses` those of its ambiguous words.
    """
    written = {"en": english}
    written |= {language: spaced(realize(phrases, language), language) for language in ("fr", "de")}
    if domain == "market":  # the news set their French numbers with care, the market does not
        written["fr"] = [
            word._replace(text=word.text.replace(NO_BREAK_SPACE, " ")) for word in written["fr"]
        ]
    surfaces = {
        language: {word.tag: word.text for word in words if word.tag}
        for language, words in written.items()
    }
    found = []
    for tag in surfaces["en"]:
        sense = senses.get(tag)
        cues = cues_of(english, tag, sense) if sense else {}
        found.append(
            Found(
                tag.kind,
                {language: surfaces[language][tag] for language in LANGUAGES},
                min(cues, key=abs, default=0),
                frozenset((sense.noun.english[0], cue) for cue in cues.values() if sense),
            )
        )
    texts = {language: text_of(words) for language, words in written.items()}
    return Sentence(texts, domain, found=found)


class Generator:
    """An endless source of different sentences."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.pools = name_pools(self.rng)
        self.written: set[str] = set()

    def sentences(self, training: bool) -> Iterator[Sentence]:
        """Sentences that this generator has not given before, all senses equally often."""
        senses = [*chain.from_iterable(SENSES.values())]
        turns = [*product(senses, range(len(DISTANCES)))]
        self.rng.shuffle(turns)
        following = cycle(turns)
        while True:
            composer = Composer(self.rng, self.pools, self.rng.choice(DOMAINS), training)
            if self.rng.random() < AMBIGUOUS_SHARE:
                kept = not training and self.rng.random() < KEPT_SHARE
                sense, reach = next(following)
                found = [sense]
                if not kept and self.rng.random() < SECOND_SHARE:
                    others = [s for s in senses if s.field == sense.field and s is not sense]
                    found.append(self.rng.choice(others))
                yield self.ambiguous(composer, found, reach, kept)
            else:
                yield self.plain(composer)

    def plain(self, composer: Composer) -> Sentence:
        """A sentence without an ambiguous word."""
        while True:
            phrases = plain_sentence(composer)
            english = spaced(realize(phrases, "en"), "en")
            if self.is_new(english):
                return render(phrases, english, composer.domain, {})

    def ambiguous(
        self, composer: Composer, senses: Sequence[Sense], reach: int, kept: bool
    ) -> Sentence:
        """A sentence with a word of each of `senses`, see `ambiguous_sentence`."""
        while True:
            phrases, tags = ambiguous_sentence(composer, senses, reach, kept)
            english = spaced(realize(phrases, "en"), "en")
            cues, *others = (cues_of(english, tag, each) for tag, each in tags.items())
            if (
                min(map(abs, cues), default=0) in DISTANCES[reach]
                and len(cues) in (KEPT_CUES if kept else CUES)
                and all(len(each) in CUES for each in others)
                and not (kept and {*cues.values()} & {*senses[0].adjectives})
                and self.is_new(english)
            ):
                return render(phrases, english, composer.domain, tags)

    def is_new(self, english: Words) -> bool:
        """Whether an English sentence is short enough and was not given before; it is from now."""
        text = text_of(english)
        new = len(text.split()) <= MAX_WORDS and text not in self.written
        if new:
            self.written.add(text)
        return new


def table(header: str, rows: Sequence[tuple[object, ...]]) -> str:
    """A tab-separated table."""
    lines = [header.replace(" ", "\t"), *("\t".join(map(str, row)) for row in rows)]
    return "".join(line + "\n" for line in lines)


def phenomena(sentences: list[Sentence], train: list[Sentence]) -> str:
    """The table of what is counted in `sentences`; `train`: the training text."""
    lines = (re.sub(r"[,.?](?= |$)", "", line.texts["en"]) for line in train)
    text = f" {' '.join(lines)} "
    surfaces = {found.surfaces["en"] for sentence in sentences for found in sentence.found}
    seen = {surface for surface in surfaces if f" {surface} " in text}
    pairs = frozenset().union(*(found.cues for line in train for found in line.found))
    rows = [
        (
            line,
            found.kind,
            language,
            found.surfaces["en"],
            found.surfaces[language],
            int(bool(found.cues & pairs) if found.cues else found.surfaces["en"] in seen),
            abs(found.distance) or "",
            ("behind" if found.distance > 0 else "before") if found.distance else "",
        )
        for line, sentence in enumerate(sentences, start=1)
        for found in sentence.found
        for language in ("fr", "de")
    ]
    return table("line kind language source target seen distance side", rows)


def misaligned(rng: random.Random, texts: Texts, clean: list[Texts]) -> tuple[Texts, str]:
    """The translations of another sentence."""
    return {**rng.choice(clean), "en": texts["en"]}, "fr,de"


def empty(rng: random.Random, texts: Texts, clean: list[Texts]) -> tuple[Texts, str]:
    """Nothing on one side or on both."""
    languages = rng.choice(("en", "fr,de", "en,fr,de"))
    return {key: "" if key in languages.split(",") else texts[key] for key in texts}, languages


def wrong_language(rng: random.Random, texts: Texts, clean: list[Texts]) -> tuple[Texts, str]:
    """The source copied untranslated, or French and German exchanged."""
    if rng.random() < 0.5:
        return dict.fromkeys(texts, texts["en"]), "fr,de"
    return {"en": texts["en"], "fr": texts["de"], "de": texts["fr"]}, "fr,de"


def overlong(rng: random.Random, texts: Texts, clean: list[Texts]) -> tuple[Texts, str]:
    """Many sentences in one line."""
    longer = texts
    while min(len(text.split()) for text in longer.values()) < OVERLONG_WORDS:
        more = rng.choice(clean)
        longer = {key: f"{longer[key]} {more[key]}" for key in texts}
    return longer, "en,fr,de"


def duplicate(rng: random.Random, texts: Texts, clean: list[Texts]) -> tuple[Texts, str]:
    """A sentence from the first tenth of the corpus once more."""
    return rng.choice(clean[: len(clean) // 10]), "en,fr,de"


def mojibake(rng: random.Random, texts: Texts, clean: list[Texts]) -> tuple[Texts, str]:
    """UTF-8 that was taken for Windows-1252 on its way."""
    broken = {key: text.encode().decode("cp1252") for key, text in texts.items()}
    return broken, ",".join(key for key in texts if broken[key] != texts[key])


def within_each(
    characters: str, rng: random.Random, texts: Texts, clean: list[Texts]
) -> tuple[Texts, str]:
    """One of `characters` behind a word of each line."""
    noisy = {}
    for key, text in texts.items():
        character, words = rng.choice(characters), text.split(" ")
        words[rng.randrange(len(words) - 1)] += character
        noisy[key] = " ".join(words)
    return noisy, "en,fr,de"


#: Kind of noise in real parallel corpora -> a function of the random source, the three lines of a
#: good sentence and all clean lines that returns the spoilt lines and the languages concerned,
#: separated by commas; none if the sentence has nothing to spoil.
NOISE: dict[str, Callable[[random.Random, Texts, list[Texts]], tuple[Texts, str]]] = {
    "misaligned": misaligned,
    "empty": empty,
    "wrong-language": wrong_language,
    "overlong": overlong,
    "duplicate": duplicate,
    "mojibake": mojibake,
    # Characters that no printer knows; then those at which some programs end a line, not this one.
    "control-characters": partial(within_each, "\x00\x07\x08\x1b\x7f"),
    "line-separators": partial(within_each, "\u2028\u0085"),
}


def plant_noise(generator: Generator, sentences: list[Sentence]) -> list[Sentence]:
    """The lines of `sentences` with `NOISE_LINES` lines of each kind of noise among them."""
    rng = generator.rng
    source = generator.sentences(training=True)
    clean = [sentence.texts for sentence in sentences]
    lines = list(sentences)
    for kind, spoil in NOISE.items():
        for _ in range(NOISE_LINES):
            languages = ""
            while not languages:
                basis = next(source)
                texts, languages = spoil(rng, basis.texts, clean)
            place = rng.randint(len(clean) // 5, len(lines))  # a duplicate behind its original
            lines.insert(place, Sentence(texts, basis.domain, kind, languages))
    return lines


def members(seed: int) -> dict[str, str]:
    """Name -> text of every member of the archive."""
    generator = Generator(seed)
    splits: dict[str, list[Sentence]] = {}
    for split, count in SIZES.items():
        source = generator.sentences(training=split == "train")
        splits[split] = [next(source) for _ in range(count)]
    splits["train"] = plant_noise(generator, splits["train"])
    train = list(enumerate(splits["train"], start=1))
    noise = [(number, line.noise, line.languages) for number, line in train if line.noise]
    domains = [(number, line.domain) for number, line in train]
    files = {
        "train.domains.tsv": table("line domain", domains),
        "train.noise.tsv": table("line kind languages", noise),
    }
    for split, sentences in splits.items():
        if split != "train":
            files[f"{split}.phenomena.tsv"] = phenomena(sentences, splits["train"])
        for language in LANGUAGES:
            lines = (sentence.texts[language] + "\n" for sentence in sentences)
            files[f"{split}.{language}"] = "".join(lines)
    return files


def generate(
    seed: Annotated[int, typer.Option(help="Seed of the generator.")],
    out: Annotated[Path, typer.Option(help="Archive to write.")],
) -> None:
    """Write the made-up corpus: a tar archive of all its texts, the same for the same seed.

    Members: {train,dev,test}.{en,fr,de}; {dev,test}.phenomena.tsv (line, kind, language, source,
    target, seen, distance, side); train.noise.tsv (line, kind, languages) and train.domains.tsv
    (line, domain). Lines are counted from 1.

    Example: contextnmt generate --seed 1 --out generate/embedded/embedded.tar.gz
    """
    with (
        atomic(out, "wb") as stream,
        tarfile.open(fileobj=stream, mode="w|", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name, text in sorted(members(seed).items()):
            content = text.encode()
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
