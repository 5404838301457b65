import math
import re
import tarfile
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from contextnmt.corpus import generate as module
from contextnmt.corpus.embedded.phrases import ADJECTIVES, CLASSES
from contextnmt.corpus.embedded.sentence_rules import DISTANCES, FORMS, SENSES
from contextnmt.corpus.embedded.words import FIELDS
from contextnmt.corpus.generate import KEPT_SHARE, NOISE, NOISE_LINES, generate
from contextnmt.corpus.tokenize import Tokenizer

LANGUAGES = ("en", "fr", "de")
#: The vocabulary size of the demo, under which some test words must be unknown.
CAP = 1200
CONTROL = "[\x00-\x1f\x7f-\x9f]"


class Corpus:
    """The members of an archive, read back."""

    def __init__(self, path: Path) -> None:
        with tarfile.open(path) as archive:
            self.texts = {
                entry.name: archive.extractfile(entry).read().decode()  # type: ignore[union-attr]
                for entry in archive
            }

    def lines(self, split: str, language: str) -> list[str]:
        text = self.texts[f"{split}.{language}"]
        assert text.endswith("\n")
        return text[:-1].split("\n")

    def table(self, name: str) -> list[dict[str, str]]:
        header, *rows = self.texts[name][:-1].split("\n")
        keys = header.split("\t")
        return [dict(zip(keys, row.split("\t"), strict=True)) for row in rows]

    def clean(self, language: str) -> list[str]:
        noisy = {int(row["line"]) for row in self.table("train.noise.tsv")}
        lines = enumerate(self.lines("train", language), start=1)
        return [line for number, line in lines if number not in noisy]


@pytest.fixture(scope="module")
def corpus(archive: Path) -> Corpus:
    return Corpus(archive)


def test_equal_seeds_give_equal_bytes_and_others_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SIZES", {"train": 99, "dev": 9, "test": 9})
    monkeypatch.setattr(module, "NOISE_LINES", 1)
    paths = [tmp_path / f"{name}.tar.gz" for name in ("first", "again", "other")]
    for seed, path in zip((1, 1, 2), paths, strict=True):
        generate(seed, path)
    first, again, _ = (path.read_bytes() for path in paths)
    assert again == first
    assert Corpus(paths[2]).lines("test", "en") != Corpus(paths[0]).lines("test", "en")


def test_members_and_their_sizes(corpus: Corpus) -> None:
    texts = [f"{split}.{language}" for split in ("train", "dev", "test") for language in LANGUAGES]
    tables = ["dev.phenomena", "test.phenomena", "train.domains", "train.noise"]
    assert sorted(corpus.texts) == sorted(texts + [f"{name}.tsv" for name in tables])
    train = len(corpus.lines("train", "en"))
    for language in LANGUAGES:
        assert len(corpus.clean(language)) >= 16000
        assert len(corpus.lines("dev", language)) == 500
        assert len(corpus.lines("test", language)) == 1000
        assert len(corpus.lines("train", language)) == train
    assert 0.02 < 1 - len(corpus.clean("en")) / train < 0.07


def test_no_sentence_is_in_two_splits(corpus: Corpus) -> None:
    for language in LANGUAGES:
        train, dev, test = (set(corpus.lines(name, language)) for name in ("train", "dev", "test"))
        assert train & (dev | test) <= {""}
        assert not dev & test
    assert len(set(corpus.lines("test", "en"))) == 1000


def test_types_unknown_words_and_whole_numbers(corpus: Corpus) -> None:
    for language in LANGUAGES:
        tokenizer = Tokenizer(language)
        train, test = (
            [word for line in lines for word in tokenizer.line(line).split()]
            for lines in (corpus.clean(language), corpus.lines("test", language))
        )
        counts = Counter(train)
        assert len(counts) >= 3000
        known = {word for word, _ in counts.most_common(CAP)}
        share = sum(word not in known for word in test) / len(test)
        assert 0.02 <= share <= 0.08, language
        assert 9 <= len(test) / 1000 <= 17
        assert not [word for word in test if re.fullmatch(r"\d.*[a-z]\.", word)]


def test_every_tagged_surface_is_in_its_line(corpus: Corpus) -> None:
    for split in ("dev", "test"):
        texts = {language: corpus.lines(split, language) for language in LANGUAGES}
        for row in corpus.table(f"{split}.phenomena.tsv"):
            line = int(row["line"]) - 1
            assert holds(texts["en"][line], row["source"]), row
            assert holds(texts[row["language"]][line], row["target"]), row


def holds(line: str, surface: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(surface)}(?!\w)", line) is not None


def test_every_occurrence_is_tagged(corpus: Corpus) -> None:
    forms = {form for senses in SENSES.values() for form in senses[0].noun.english}
    for split in ("dev", "test"):
        rows = corpus.table(f"{split}.phenomena.tsv")
        tagged = Counter((row["line"], row["kind"]) for row in rows if row["language"] == "fr")
        for number, line in enumerate(corpus.lines(split, "en"), start=1):
            words = re.findall(r"[\w-]+", line)
            found = {
                "ambiguous": sum(word.lower() in forms for word in words),
                "number": len(re.findall(r"\d+(?:[.,]\d+)*", line)),
                "acronym": len(re.findall(r"\b[A-Z]{2,}\b", line)),
            }
            assert found == {kind: tagged[f"{number}", kind] for kind in found}, line


def test_both_senses_of_ambiguous_words_are_in_train_and_test(corpus: Corpus) -> None:
    targets: dict[str, set[str]] = defaultdict(set)
    for row in corpus.table("test.phenomena.tsv"):
        if row["kind"] == "ambiguous":
            targets[row["source"]].add(row["target"])
    train = "\n".join(corpus.clean("fr") + corpus.clean("de"))
    assert len(SENSES) >= 12
    assert targets.keys() <= {form for senses in SENSES.values() for form in senses[0].noun.english}
    for senses in SENSES.values():
        first, second = ({*sense.noun.french, *sense.noun.german, ""} for sense in senses)
        found = set().union(*(targets[form] for form in senses[0].noun.english))
        for own in (first - second, second - first):
            assert found & own
            assert any(holds(train, form) for form in own)


def test_a_field_tells_one_sense_and_its_nouns_are_of_the_lexicon() -> None:
    nouns = {key for table, _ in CLASSES for key in table}
    of_fields = [noun for field in FIELDS.values() for noun in field]
    assert len(of_fields) == len(set(of_fields))
    assert set(of_fields) <= nouns
    for key, (first, second) in SENSES.items():
        assert first.noun.french != second.noun.french
        assert first.noun.german != second.noun.german
        assert first.noun.has_plural == second.noun.has_plural, key
        assert first.field != second.field
        assert not set(first.adjectives) & set(second.adjectives)
        for sense in (first, second):
            assert len(FIELDS[sense.field] - sense.kept) >= 10
            assert len(sense.kept) >= 3
            assert sense.kept < FIELDS[sense.field]
            assert set(sense.adjectives) <= set(ADJECTIVES)
        assert key not in nouns | set(ADJECTIVES)


#: French form of an ambiguous word -> the field of its sense.
FIELD_OF = {
    form: sense.field
    for senses in SENSES.values()
    for sense in senses
    for form in sense.noun.french
}


def ambiguous(corpus: Corpus, split: str) -> list[dict[str, str]]:
    """The tags of ambiguous words for French."""
    rows = corpus.table(f"{split}.phenomena.tsv")
    return [row for row in rows if row["kind"] == "ambiguous" and row["language"] == "fr"]


def test_cues_stand_on_both_sides_at_every_distance(corpus: Corpus) -> None:
    rows = ambiguous(corpus, "dev") + ambiguous(corpus, "test")
    distances = [int(row["distance"]) for row in rows]
    assert {distance for each in DISTANCES for distance in each} <= {*distances}
    assert sum(distance >= 7 for distance in distances) > 0.33 * len(rows)
    for each in DISTANCES:
        assert sum(distance in each for distance in distances) > 0.25 * len(rows)
    sides = Counter(row["side"] for row in rows)
    assert set(sides) == {"before", "behind"}
    assert min(sides.values()) > 0.25 * len(rows)


def test_words_with_one_field_share_a_sentence_in_senses_as_frequent(corpus: Corpus) -> None:
    rows = ambiguous(corpus, "test")
    lines = Counter(row["line"] for row in rows)
    assert set(lines.values()) == {1, 2}
    pairs = [[row["target"] for row in rows if row["line"] == line] for line in lines]
    for together in pairs:
        assert len({FIELD_OF[target] for target in together}) == 1
    train = "\n".join(corpus.clean("fr"))
    for senses in SENSES.values():
        forms = ("|".join(sense.noun.french) for sense in senses)
        counts = [len(re.findall(rf"(?<!\w)(?:{each})(?!\w)", train)) for each in forms]
        assert max(counts) < 1.3 * min(counts), counts


def test_some_cues_of_test_never_stand_beside_the_word_in_train(corpus: Corpus) -> None:
    rows = ambiguous(corpus, "test")
    alone = [row for row in rows if row["seen"] == "0"]
    lines = {row["line"] for row in rows}
    assert abs(len(alone) / len(lines) - KEPT_SHARE) < 0.05
    train, test = corpus.clean("en"), corpus.lines("test", "en")
    for row in alone:
        cues = forms_in(test[int(row["line"]) - 1])
        assert cues
        beside = (line for line in train if holds(line, row["source"]))
        assert not any(cues & forms_in(line) for line in beside), row


def forms_in(line: str) -> set[str]:
    """The nouns of fields in an English line, in the singular."""
    return {FORMS[word] for word in re.findall(r"\w+", line.lower()) if word in FORMS}


def test_the_words_of_a_sentence_tell_what_it_is_about(corpus: Corpus) -> None:
    """A classifier that counts words, trained on the training text, names the right sense: a
    ceiling for what a context of unordered words can tell."""
    train = [
        (english.lower().split(), name)
        for english, french in zip(corpus.clean("en"), corpus.clean("fr"), strict=True)
        for surface, name in FIELD_OF.items()
        if holds(french, surface)
        if any(holds(english, form) for form in AMBIGUOUS)
    ]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for words, name in train:
        counts[name].update({word.strip(".,?") for word in words})
    sizes = Counter(name for _, name in train)
    lines = corpus.lines("test", "en")
    right = [
        max(
            sizes,
            key=lambda name: likelihood(lines[int(row["line"]) - 1], counts[name], sizes[name]),
        )
        == FIELD_OF[row["target"]]
        for row in ambiguous(corpus, "test")
    ]
    assert sum(right) / len(right) >= 0.95


AMBIGUOUS = {form for senses in SENSES.values() for form in senses[0].noun.english}


def likelihood(line: str, counts: Counter[str], size: int) -> float:
    """Naive Bayes over the words of a line that are nouns of fields or adjectives."""
    words = {word.strip(".,?") for word in line.lower().split()}
    return sum(math.log((counts[word] + 0.1) / (size + 0.2)) for word in words)


def test_a_third_of_the_names_of_test_is_not_in_train(corpus: Corpus) -> None:
    words = (word for line in corpus.lines("train", "en") for word in line.split(" "))
    train = f" {' '.join(word.rstrip(',.?') for word in words)} "
    rows = [row for row in corpus.table("test.phenomena.tsv") if row["language"] == "fr"]
    for row in rows:
        if row["kind"] != "ambiguous":
            assert row["seen"] == str(int(f" {row['source']} " in train)), row
    names = [row for row in rows if row["kind"] == "name"]
    assert 0.28 < sum(row["seen"] == "0" for row in names) / len(names) < 0.42
    assert any(" of " in row["source"] for row in names)
    assert {row["source"] == row["target"] for row in rows if row["kind"] == "acronym"} == {
        True,
        False,
    }
    compounds = {
        row["language"]
        for row in corpus.table("test.phenomena.tsv")
        if row["kind"] == "name" and row["target"].startswith(row["source"] + "-")
    }
    assert compounds == {"de"}


def test_numbers_are_written_as_each_language_does(corpus: Corpus) -> None:
    numbers = [row for row in corpus.table("test.phenomena.tsv") if row["kind"] == "number"]
    kinds = Counter()
    for row in numbers:
        source, target = row["source"], row["target"]
        ordinal = re.fullmatch(r"(\d+)(st|nd|rd|th)", source)
        if ordinal:
            assert target == ordinal[1] + ("e" if row["language"] == "fr" else ".")
            kinds["ordinal"] += 1
            continue
        group, decimal = (" ", ",") if row["language"] == "fr" else (".", ",")
        expected = source.replace(",", "G").replace(".", decimal).replace("G", group)
        assert target.replace("\u00a0", " ") == expected
        kinds["grouped"] += "," in source
        kinds["decimal"] += "." in source
        kinds["unit"] += source[-1].isalpha()
        kinds["no-break"] += "\u00a0" in target
        kinds["blank"] += " " in target
    assert min(kinds[kind] for kind in ("ordinal", "grouped", "decimal", "unit")) >= 10
    assert kinds["no-break"]
    assert kinds["blank"]


def test_noise_is_what_its_kind_says(corpus: Corpus) -> None:
    texts = {language: corpus.lines("train", language) for language in LANGUAGES}
    french_words, german_words = (
        {word for line in corpus.clean(language) for word in line.split()}
        for language in ("fr", "de")
    )
    rows = corpus.table("train.noise.tsv")
    assert Counter(row["kind"] for row in rows) == dict.fromkeys(NOISE, NOISE_LINES)
    for row in rows:
        number = int(row["line"]) - 1
        english, french, german = (texts[language][number] for language in LANGUAGES)
        spoilt = [texts[language][number] for language in row["languages"].split(",")]
        match row["kind"]:
            case "empty":
                assert spoilt == [""] * len(spoilt)
            case "wrong-language":
                swapped = closer(french, german_words, french_words)
                assert english == french == german or swapped
            case "overlong":
                assert all(len(line.split()) > 60 for line in spoilt)
            case "duplicate":
                assert texts["en"].index(english) < number
            case "mojibake":
                assert all(re.search("[ÃÅÂ]", line) for line in spoilt)
            case "control-characters":
                assert all(re.search(CONTROL, line) for line in spoilt)
            case "line-separators":
                assert all(re.search("[\u2028\u0085]", line) for line in spoilt)
            case "misaligned":
                pair = (french, german)
                pairs = zip(texts["fr"], texts["de"], strict=True)
                assert any(pair == other for n, other in enumerate(pairs) if n != number)


def closer(line: str, vocabulary: set[str], other: set[str]) -> bool:
    """Whether more words of `line` are in `vocabulary` than in `other`."""
    words = line.split()
    return sum(word in vocabulary for word in words) > sum(word in other for word in words)


def test_dev_and_test_are_clean(corpus: Corpus) -> None:
    for split in ("dev", "test"):
        for language in LANGUAGES:
            for line in corpus.lines(split, language):
                assert line == line.strip()
                assert not re.search(f"  |[ÃÅÂ\u2028]|{CONTROL}", line)
                assert len(line.split()) <= 40
                assert re.search(r"\w[.?]$", line), line


def test_elision_and_contraction_are_done(corpus: Corpus) -> None:
    french = "\n".join(corpus.clean("fr"))
    assert not re.search(r"\b(le|la|de|que|ce) [aeiouéèêâîôœ]", french)
    assert not re.search(r"\b[dD]e (le|les) |\b[àÀ] (le|les) ", french)
    assert re.search(r"l'h[^é]", french)
    assert "le homard" in french
    german = "\n".join(corpus.clean("de"))
    assert not re.search(r"\b(in|an|bei|von|zu) dem\b", german)
    assert not re.search(r"^,|, ,|,[.?]", german, flags=re.MULTILINE)
    english = "\n".join(corpus.clean("en"))
    assert not re.search(r"\b[aA] [aeio]|\b[aA]n [^aeiou]", english)


def test_every_line_of_train_has_a_domain(corpus: Corpus) -> None:
    rows = corpus.table("train.domains.tsv")
    count = len(corpus.lines("train", "en"))
    assert [int(row["line"]) for row in rows] == list(range(1, count + 1))
    domains = Counter(row["domain"] for row in rows)
    assert set(domains) == {"news", "market"}
    assert min(domains.values()) > 0.4 * count
