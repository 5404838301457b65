"""Every key of the configuration: its type, what is allowed, and what it is for.

The blocks `model` and `training`, which the trainings read too, have modules of their own. What no
type can express is checked in `contextnmt.configuration.checks`. The JSON schema and
docs/configuration.md are made of these classes (`scripts/configuration_reference.py`).
"""

import re
from dataclasses import field
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, Field, Strict, model_validator
from pydantic.dataclasses import dataclass

from contextnmt.configuration.model import ContextualizerSettings, ModelSettings
from contextnmt.configuration.places import MOST_PARTS, PLACEHOLDERS
from contextnmt.configuration.training import TrainingRecipe
from contextnmt.configuration.values import (
    KEYS,
    LARGEST,
    MINIMUM_LENGTH,
    Cleaning,
    Count,
    Flag,
    Positive,
    Seed,
    Share,
    Text,
)

Member = TypeVar("Member")


def distinct(values: list[Member]) -> list[Member]:
    """Refuse a list with equal members."""
    if len(set(map(repr, values))) < len(values):
        raise ValueError
    return values


def fillable(name: str) -> str:
    """Refuse a name with other braces than those of placeholders."""
    allowed = [f"{{{placeholder}}}" for placeholder in PLACEHOLDERS]
    if re.search("[{}]", re.sub("|".join(map(re.escape, allowed)), "", name)):
        raise ValueError(f"in braces only {', '.join(allowed)}")
    return name


def like(pattern: str, example: str, longest: int | None = None) -> Any:
    """Text that matches a pattern as a whole, of so many letters; messages show the example."""
    return Field(strict=True, pattern=f"^{pattern}$", examples=[example], max_length=longest)


Unique = Annotated[
    list[Member], Strict(), AfterValidator(distinct), Field(json_schema_extra={"uniqueItems": True})
]
Some = Annotated[Unique[Member], Field(min_length=1)]

#: Control characters and separators of lines, which no name, path or label may hold.
BROKEN = r"\x00-\x1f\x7f-\x9f\u2028\u2029"

# Names become parts of paths, wildcards and words of commands, and mean nothing else there. File
# systems take 255 letters, to which stages add endings.
Name = Annotated[str, like("[A-Za-z0-9][A-Za-z0-9_-]*", "newstest2014", 100)]
System = Annotated[str, like("[A-Za-z0-9][A-Za-z0-9_-]*", "baseline", 100)]
Language = Annotated[str, like("[a-z]{2,3}", "fr")]
Pair = Annotated[str, like("[a-z]{2,3}-[a-z]{2,3}", "en-fr")]
File = Annotated[str, like("[A-Za-z0-9_][A-Za-z0-9_ .()+@%~-]*", "train.tar.gz", 200)]
Path = Annotated[str, like(rf"[^{BROKEN}{{}}]+", "/data/mirror, without braces")]
# These are quoted wherever they are used.
LINE = rf"[^{BROKEN}]*[^\s{BROKEN}][^{BROKEN}]*"
Line = Annotated[str, like(LINE, "one line of text")]
Filled = Annotated[Line, AfterValidator(fillable)]
Phrase = Annotated[str, like(LINE, "the bank of the river")]
Word = Annotated[str, like(rf"[^\s{BROKEN}]+", "notebook")]
Url = Annotated[str, like(rf"https?://[^\s{BROKEN}]+", "https://example.org/corpus.tgz")]
Sha256 = Annotated[str, like("[0-9a-fA-F]{64}", "64 hexadecimal digits")]
Md5 = Annotated[str, like("[0-9a-fA-F]{32}", "32 hexadecimal digits")]
PretrainedRun = Annotated[
    str,
    like("[a-z]{2,3}-[a-z]{2,3}/[A-Za-z0-9][A-Za-z0-9_-]*/(0|[1-9][0-9]*)", "en-fr/baseline/1"),
]
Table = Annotated[str, like("(table[0-9]+|bleu)", "table4")]

Beam = Annotated[int, Strict(), Field(ge=1, le=100)]
Parts = Annotated[int, Strict(), Field(ge=1, le=MOST_PARTS)]
Contrast = Annotated[list[System], Strict(), Field(min_length=2, max_length=2)]
Points = Annotated[float, Strict(), Field(ge=-100, le=100, allow_inf_nan=False)]


@dataclass(frozen=True, config=KEYS, kw_only=True)
class CorpusFile:
    """A file of a corpus: generated, fetched, or the user's own."""

    generator: Literal["embedded"] | None = None
    """Program in the package that writes the file, instead of a URL."""
    seed: Seed | None = None
    """Seed of the generator."""
    url: Url | Some[Url] | None = None
    """Where the file lies: an address, or several, which are tried in order."""
    sha256: Sha256 | None = None
    """SHA-256 of the file's bytes; any other file is refused."""
    md5: Md5 | None = None
    """MD5 of the file's bytes, where its publisher states no SHA-256."""
    local: Path | None = None
    """Path of a file of your own, instead of a URL; a relative path starts where the results lie.
    The file is read where it is, and an edit of it re-runs what depends on it."""
    bytes: Count | None = None
    """Size of the file, for the progress bar and the check of free space."""

    @property
    def addresses(self) -> list[str]:
        """Where the file can be fetched, in the order of trying."""
        return [self.url] if isinstance(self.url, str) else self.url or []

    @property
    def digests(self) -> dict[str, str]:
        """The digests that are stated, in lower-case hexadecimal, the best one first."""
        stated = {"sha256": self.sha256, "md5": self.md5}
        return {kind: digest.lower() for kind, digest in stated.items() if digest}

    @model_validator(mode="after")
    def one_origin(self) -> "CorpusFile":
        """Refuse a file of no origin, or of several."""
        origins = [(self.generator, self.seed), (self.url,), (self.local,)]
        given = [parts for parts in origins if any(part is not None for part in parts)]
        unchecked = self.url is not None and not self.digests
        if len(given) != 1 or None in given[0] or unchecked:
            raise ValueError("either generator and seed, or url and sha256 or md5, or local")
        return self


@dataclass(frozen=True, config=KEYS, kw_only=True)
class CorpusText:
    """One parallel text of a corpus."""

    file: Filled
    """File of the corpus. {lang}, {source}, {target} and {pair} are filled in, and {side}: src for
    the source language, ref for the target language."""
    member: Filled | None = None
    """Name inside the archive, with the same placeholders; absent for a plain file."""
    columns: Annotated[Unique[Line], Field(min_length=2, examples=[["en", "fr"]])] | None = None
    """Languages of all columns, in order, if the file is a table whose columns are separated by
    tabs. A column that is not needed has any other name."""
    shards: Parts | None = None
    """Parts into which a training text is cut, to be processed side by side; if absent, one for
    each two million of its `lines`. The number changes no result, but a new number makes all parts
    anew."""
    lines: Count | dict[Pair, Count] | None = None
    """Number of pairs that the text must have: one number, or one for each language pair."""
    lines_recalled: Count | dict[Pair, Count] | None = None
    """Number of pairs, unverified: another number is a warning in the log of extract, no error."""
    references: dict[Language, Some[Filled]] | None = None
    """For each language that this dev or test text is translated into, further references, named as
    in `member` (in `file`, if there is no `member`; in a table, by column). BLEU, chrF and TER use
    all references; everything else uses the first."""
    phenomena: Line | None = None
    """Member of the same archive that tags difficulties of the text (names, numbers, acronyms,
    ambiguous words). Translations of such a test text are counted by phenomenon."""


@dataclass(frozen=True, config=KEYS, kw_only=True)
class Corpus:
    """One corpus."""

    files: dict[File, CorpusFile]
    """Files by name: fetched into results/PRESET/download/CORPUS/ under this name, or files of your
    own."""
    texts: dict[Name, CorpusText]
    """Parallel texts in these files, by name."""
    terms: Text | None = None
    """Terms of use, shown before a file of the corpus is fetched."""
    cite: Annotated[list[Text], Strict()] | None = None
    """Publications that the corpus asks to be cited, shown at the same time."""


@dataclass(frozen=True, config=KEYS, kw_only=True)
class OwnRoles:
    """Texts of a language pair that one experiment evaluates on."""

    dev: Some[Name] = field(default_factory=list)
    """Texts that decide when training stops."""
    test: Some[Name] = field(default_factory=list)
    """Texts whose BLEU is reported."""


@dataclass(frozen=True, config=KEYS, kw_only=True)
class Roles(OwnRoles):
    """Texts of a language pair by their role."""

    train: Some[Name]
    """Training texts, cleaned and joined in order."""


@dataclass(frozen=True, config=KEYS, kw_only=True)
class Selection:
    """The selection of training pairs, up to a number of target words or of pairs."""

    in_domain: Some[Name]
    """Texts of the domain to select for; they are not cleaned."""
    target_words: Count | None = None
    """Words of the target side to select (A1); the pair that reaches them is in."""
    pairs: Count | None = None
    """Sentence pairs to select."""
    perplexity_words: Count = 2**25
    """Largest number of target words that a language model is trained on, to compare the selection
    with chance. A word takes 130 bytes of memory."""


@dataclass(frozen=True, config=KEYS, kw_only=True)
class TextSizes:
    """Sizes of vocabularies and merges, symbols and segmentation."""

    vocabulary_size: Annotated[int, Strict(), Field(ge=10, le=LARGEST)]
    """Most frequent words (or subwords) that a model knows on each side (A15)."""
    merges: Count
    """Byte-pair merges learnt: per language or, if joint, in total (A16)."""
    joint_bpe: Flag
    """Whether the merges are learnt on both languages of a pair together, and used on both (A16).
    false: each language has its own."""
    symbol_threshold: Share
    """A name or acronym of a source text becomes a symbol if its rate of being a symbol in the
    training data is at least this: 0 (all) to 1 (A26)."""
    external_rules: Flag
    """Whether hand-written rules help with numbers: French groups of digits with spaces between
    them are one number, 08 is 8 (A31), a number without a rule is written as the target language
    writes it (A33), and numbers of centuries stay text from English to French (A26). false is the
    paper's way (sec. 4.3, appendix A)."""
    segmented: Unique[Literal["yue", "zh"]] = field(default_factory=list)
    """Languages normally written without spaces, but with spaces between words in all your texts
    and sentences. Chinese (zh) not listed is segmented by jieba; Cantonese (yue) must be listed."""


@dataclass(frozen=True, config=KEYS)
class Model(ModelSettings):
    """Architecture; a system without `context` leaves the contextualizer out."""

    contextualizer: ContextualizerSettings = ContextualizerSettings((1000, 1000))
    """The bag-of-words network that gates the embeddings (sec. 3.3, A11), in the systems with
    `context`."""


@dataclass(frozen=True, config=KEYS, kw_only=True)
class Training(TrainingRecipe):
    """Training."""

    unknown_limit: dict[Pair, Share] | None = None
    """For each language pair, the largest share of unknown words in a training sentence pair, both
    sides counted together (A13). A language pair that is not listed has no limit; null: none has.
    Systems with subwords have no such limit."""
    validation: Literal["restored", "view"] = "restored"
    """How the dev BLEU of a system with symbols is computed (A22). restored: on words, as in the
    BLEU tables; symbols are made from the source alone and replaced by the rule dictionary. view:
    on tokens of the view; symbols are made from both sides and not replaced, so an edit of the
    restoration trains nothing again."""
    filters: Literal["own", "symbolized", "all"] = "own"
    """Which text of a sentence pair has to satisfy max_length and unknown_limit (A14). own: its
    text in the system's view. all: its text in the view of every system of the experiment, each
    with that system's limits. symbolized: as own, except that word systems count the unknown
    words of the symbolized text, which must be short enough too."""


@dataclass(frozen=True, config=KEYS, kw_only=True)
class Decoding:
    """Translation of the dev and test sets."""

    beams: Some[Beam] = field(default_factory=lambda: [1, 12])
    """Beam widths; every text is translated with each of them (A17)."""
    nbest: Beam | None = None
    """Number of translations listed for each sentence, with their log-probabilities; null: none. It
    is at most the narrowest beam above 1, since a beam of width N gives at most N translations. If
    set, widths above 1 also get the BLEU of the finished translations with the best score per token
    (A18)."""
    minimum_length: Share = MINIMUM_LENGTH
    """Least length of a translation, as a share of the tokens of its source (A19); 0: no limit. It
    also holds for the validations of trainings, so another value trains all systems again."""
    no_unknown: Flag = False
    """Whether every text is translated a second time, with the unknown word forbidden, and scored
    on the sentences without unknown words (A21)."""
    ensemble: Flag = False
    """Whether the seeds of each system also translate together, if there are several; a row of its
    own in the tables of BLEU."""
    replace: Flag = False
    """Whether unknown words are also replaced in the translations of the widest beam: by the
    translation that a lexicon of the training text has for the source word of the largest attention
    weight, or by a copy of that word. Only for systems with attention and without subwords."""
    symbol_ablation: Flag = False
    """Whether systems with symbols also translate the test sets, with the widest beam, with two
    other choices of the names and acronyms that become symbols: all candidates, and those in the
    rule dictionary (A26). The report of choi2017 has a table of their BLEU."""
    precision: Literal["fp32", "bf16"] = "fp32"
    """fp32, or bf16: the largest matrices of a step are multiplied in bfloat16 if the processor
    can, and all in TF32 on a GPU (A46)."""


@dataclass(frozen=True, config=KEYS, kw_only=True)
class SystemEntry:
    """One row of a table, and what differs from the experiment's blocks."""

    label: Line
    """Name of the system in tables and figures."""
    view: Literal["word", "sym", "bpe", "sym-bpe"]
    """How the text is written: words, words with symbols, subwords, subwords with symbols."""
    context: Flag = False
    """Whether the system has the contextualizer."""
    model: Model = field(default_factory=Model)
    """Architecture of this system alone."""
    training: Training = field(default_factory=Training)
    """Training of this system alone."""


@dataclass(frozen=True, config=KEYS, kw_only=True)
class Method:
    """A method that several systems differ in."""

    name: Line
    """The method in words."""
    contrasts: Annotated[list[Contrast], Strict()]
    """Pairs of systems that differ in this method alone; the first one of a pair has it."""


@dataclass(frozen=True, config=KEYS, kw_only=True)
class Claim:
    """A claim of the paper, which the report compares with its numbers: the range that a difference
    lies in. One of contrasts, quoted, long_sentences and coverage says which difference."""

    says: Line
    """The claim in words."""
    section: Line | None = None
    """Section of the paper that says so, by its number."""
    contrasts: Annotated[list[Contrast], Strict(), Field(min_length=1)] = field(
        default_factory=list
    )
    """Pairs of systems: BLEU of the first minus that of the second. Without a range, the claim says
    that the first one is better."""
    longer: Flag = False
    """Whether the claim is that this difference is larger in long sentences than in short ones."""
    quoted: Annotated[list[Contrast], Strict(), Field(min_length=1)] = field(default_factory=list)
    """A system and a row that the paper's table quotes for comparison, such as moses: BLEU of the
    first minus that of the second, on those sentences of the paper's test text that have no unknown
    word."""
    long_sentences: dict[System, Count] = field(default_factory=dict)
    """System and a length in words: its BLEU on longer sentences minus that on the others."""
    coverage: Flag = False
    """For choi2017 alone: coverage of the vocabulary with symbols minus that without, in percentage
    points, of the language that gains most."""
    within: Positive | dict[Pair, Positive] | None = None
    """For a claim that two systems are about equally good: the largest difference, in points, in
    either direction. One number, or one for each language pair that the claim is about."""
    at_least: Points | dict[Pair, Points] | None = None
    """For a claim of a size: the smallest difference, in points, also by language pair."""

    @model_validator(mode="after")
    def one_difference(self) -> "Claim":
        """Refuse a claim of no difference or of several, of two ranges, or without the range."""
        measures = [self.contrasts, self.quoted, self.long_sentences, self.coverage]
        ranges = [self.longer, self.within is not None, self.at_least is not None]
        if sum(map(bool, measures)) != 1:
            raise ValueError("exactly one of contrasts, quoted, long_sentences and coverage")
        if sum(ranges) > 1 or (self.longer and not self.contrasts):
            raise ValueError("at most one of longer, within, at_least; longer only with contrasts")
        if not self.contrasts and not any(ranges):
            raise ValueError("a claim with within or at_least, or one with contrasts")
        return self


@dataclass(frozen=True, config=KEYS, kw_only=True)
class Experiment:
    """One paper."""

    title: Line
    """Authors, year and title of the paper."""
    table: Table
    """Name of the BLEU table, after its number in the paper; bleu if there is none."""
    methods: dict[Line, Method]
    """Methods in which the systems differ, by short names."""
    systems: dict[System, SystemEntry]
    """Rows of the paper's tables, by name."""
    model: Model
    """Architecture of the experiment's systems."""
    training: Training
    """Training of the experiment's systems."""
    decoding: Decoding
    """How the experiment's systems translate the dev and test texts."""
    reconstruction: Text = ""
    """Text for the report that names what is reconstructed, if too little of the paper is known."""
    claims: Unique[Claim] = field(default_factory=list)
    """Claims of the paper about its systems, which the report compares with the scores."""
    inspected_words: Some[Word] = field(default_factory=list)
    """For choi2017 alone: source words whose neighbourhoods in the models' embeddings are charted.
    In a test text without tags of ambiguous words, their context masks are compared too."""
    pairs: Some[Pair] | None = None
    """Language pairs of the experiment; null: all."""
    roles: dict[Pair, OwnRoles] = field(default_factory=dict)
    """Its dev and test sets, where they are not those of all experiments."""
    alignments: System | None = None
    """System whose alignments the report draws; null: none."""
    try_it: Unique[System] = field(default_factory=list)
    """For choi2017 alone: systems that a reader tries in the report's page, without a network. It
    holds their models (first seed, 8-bit integers); large models get a page of their own.
    Left out are models other than an LSTM with attention, and sources without spaces."""
    sentences: dict[Pair, Unique[Phrase]] = field(default_factory=dict)
    """For each language pair, sentences of the dev and test sets that the report shows as every
    system translates them, with their alignments. A few consecutive words of the source
    identify each; the first sentence that has them is shown."""


@dataclass(frozen=True, config=KEYS, kw_only=True)
class WholeConfiguration:
    """The merged configuration: workflow/text.yaml and workflow/experiments/*.yaml (the papers),
    under workflow/presets/*.yaml (corpora and sizes), under config.yaml (yours). (A..) points to
    docs/decisions.md."""

    preset: Name
    """Name of a file in workflow/presets/, without .yaml; results go to results/PRESET/."""
    about: Text
    """Purpose and running time of the preset, and the terms of its corpora."""
    seeds: Some[Seed]
    """Every system is trained once for each seed; reports give mean and standard deviation."""
    gaps: Flag
    """true: reports are made of what is finished. A system without all its seeds is a gap with its
    reason, and nothing is trained or translated for it. false: everything is made."""
    mirrors: Unique[Path]
    """Folders and URLs, tried in this order before a file's own URL. The file of https://HOST/PATH
    lies at HOST/PATH below them. No result changes, since every file is checked by its digests."""
    hand_placed: Path | None
    """Folder that is searched first, for files under their names in `corpora`; null: none. A wrong
    file in it is an error."""
    device: Literal["cpu", "cuda"]
    """Where models train and translate; cuda asks the scheduler for one GPU per job."""
    pairs: Some[Pair]
    """Language pairs to work on, source first; an experiment may be about some of them."""
    systems: Some[System] | None
    """Systems to train, by their names in workflow/experiments/, in the order of tables; null: all
    systems of all experiments."""
    corpora: dict[Name, Corpus]
    """Parallel corpora by name, with their files and the texts in those files."""
    roles: dict[Pair, Roles]
    """Texts of each language pair by their role, in all experiments alike."""
    experiments: Annotated[dict[Name, Experiment], Field(min_length=1)]
    """Experiments by name; each has a file of this name in workflow/experiments/."""
    clean: dict[Pair, Cleaning]
    """For each language pair, which sentence pairs leave the training text after tokenization; a
    filter of null or false is off (A12, A42)."""
    select: dict[Pair, Selection | None]
    """For each language pair, which of its cleaned sentence pairs are trained on: those most like
    an in-domain text (Axelrod et al. 2011). null, or a language pair that is not listed: all."""
    text: TextSizes
    """Vocabularies, subwords, symbols and segmentation of the text."""
    model: Model = field(default_factory=Model)
    """Changes in the architecture of every system of every experiment. In one file, the block of an
    experiment or a system has priority."""
    training: Training = field(default_factory=Training)
    """Changes in the training of every system."""
    decoding: Decoding = field(default_factory=Decoding)
    """Changes in the translation of the dev and test sets of every experiment."""
    pretrained: dict[PretrainedRun, Path] = field(default_factory=dict)
    """Runs, as PAIR/SYSTEM/SEED, that are not trained: each has a folder that `contextnmt export`
    wrote; a relative path starts where the results lie. Reports mark these systems. The texts are
    made as always, and have to be those that the model was trained on."""
