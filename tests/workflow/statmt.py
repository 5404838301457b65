"""A miniature of statmt.org: the archives of the preset wmt14, small and with text of our own.

Addresses, files, members and languages are read from the preset, so that the two cannot drift
apart. The sentences are those of the embedded corpus' grammar: dev and test sets are about the news
of a small country, and so is a share of each training text; the rest is about the market by its
sea. The training texts also have what is wrong with real ones.
"""

import contextlib
import gzip
import hashlib
import html
import io
import random
import tarfile
import urllib.parse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from corpus.http_server import Fault, Server, serving

from contextnmt.configuration.keys import CorpusFile
from contextnmt.configuration.layers import Layer, resolve
from contextnmt.configuration.places import place
from contextnmt.configuration.reading import load
from contextnmt.corpus import generate as noise
from contextnmt.corpus.embedded.phrases import Composer
from contextnmt.corpus.generate import Generator, Sentence, Texts

ROOT = Path(__file__).parents[2]
PRESET = resolve(
    ROOT / "workflow", [Layer("config.yaml", {**load(ROOT / "config.yaml"), "preset": "wmt14"})]
)
PAIRS: list[str] = PRESET["pairs"]
#: File -> what the preset says about it, its URL among others.
FILES: dict[str, dict[str, Any]] = {
    file: entry for corpus in PRESET["corpora"].values() for file, entry in corpus["files"].items()
}
LANGUAGES = ("en", "fr", "de")

#: Training text -> share of its sentences that are about the news.
NEWS_SHARES = {
    "europarl-v7": 0.1,
    "commoncrawl": 0.3,
    "un": 0.0,
    "news-commentary-v9": 0.8,
    "giga-fren": 0.2,
}
#: The two test sets of 2015 share an archive, but each is there for one language pair.
ABSENT = {("newsdiscusstest2015", "en-de"), ("newstest2015", "en-fr")}
#: Languages of members that nobody asks for.
STRANGERS = ("cs", "es")

#: A training text has this part of the square root of its real lines, a test set of its real lines.
TRAINING_SCALE = 1 / 3
TEST_SCALE = 1 / 36
#: A training text has one line of each kind of noise in so many lines.
NOISE_EVERY = 100
#: A text of so many lines has one in which a character is broken.
BROKEN_EVERY = 1000
#: An é of Latin-1 amid UTF-8; such bytes are written as surrogates in a Python string.
BROKEN = b" caf\xe9".decode("utf-8", "surrogateescape")


# Text


def uneven(rng: random.Random, texts: Texts, clean: list[Texts]) -> tuple[Texts, str]:
    """A translation with much more in it than its source."""
    longer = dict(texts)
    while len(longer["fr"].split()) < 3 * len(texts["en"].split()) + 20:
        more = rng.choice(clean)
        longer = {key: f"{longer[key]} {more[key]}" for key in texts}
    return {**longer, "en": texts["en"]}, "fr,de"


def untranslated(rng: random.Random, texts: Texts, clean: list[Texts]) -> tuple[Texts, str]:
    """The source once more instead of its translation."""
    return dict.fromkeys(texts, texts["en"]), "fr,de"


def carriage_returns(rng: random.Random, texts: Texts, clean: list[Texts]) -> tuple[Texts, str]:
    """A carriage return within the line and one at its end."""
    noisy, languages = noise.within_each("\r", rng, texts, clean)
    return {key: f"{text}\r" for key, text in noisy.items()}, languages


def entities(rng: random.Random, texts: Texts, clean: list[Texts]) -> tuple[Texts, str]:
    """Marks of a web page."""
    return {key: f"&quot;{text}&quot; &amp; &lt;br&gt;" for key, text in texts.items()}, "en,fr,de"


NOISE = {
    "empty": noise.empty,
    "untranslated": untranslated,
    "wrong-language": noise.wrong_language,
    "duplicate": noise.duplicate,
    "control-characters": noise.NOISE["control-characters"],
    "line-separators": noise.NOISE["line-separators"],
    "uneven": uneven,
    "carriage-returns": carriage_returns,
    "entities": entities,
}


class Author:
    """Writes texts, no sentence twice unless it is a planted duplicate."""

    def __init__(self, seed: int) -> None:
        self.generator = Generator(seed)
        self.rng = self.generator.rng

    def sentences(self, training: bool, news_share: float) -> Iterator[Sentence]:
        """Sentences without end; those for `training` have names of their own. None is about a
        field, since that would be in either domain."""
        while True:
            domain = "news" if self.rng.random() < news_share else "market"
            composer = Composer(self.rng, self.generator.pools, domain, training)
            yield Sentence(self.generator.plain(composer).texts, domain)

    def training_text(self, count: int, news_share: float) -> list[Sentence]:
        """At least `count` lines, each kind of noise among them."""
        source = self.sentences(True, news_share)
        lines = [next(source) for _ in range(count)]
        clean = [line.texts for line in lines]
        domains = {line.texts["en"]: line.domain for line in lines}
        for kind, spoil in NOISE.items():
            for _ in range(max(2, count // NOISE_EVERY)):
                basis = next(source)
                texts, languages = spoil(self.rng, basis.texts, clean)
                position = self.rng.randint(count // 5, len(lines))
                domain = domains.get(texts["en"], basis.domain)  # of a duplicate, the original's
                lines.insert(position, Sentence(texts, domain, kind, languages))
        for _ in range(count // BROKEN_EVERY):
            basis = next(source)
            texts = {key: text + BROKEN for key, text in basis.texts.items()}
            lines.append(Sentence(texts, basis.domain, "broken", ",".join(LANGUAGES)))
        return lines

    def test_text(self, count: int) -> list[Sentence]:
        """`count` lines, some of them with characters that SGM writes as entities."""
        source = self.sentences(False, 1.0)
        lines = [next(source) for _ in range(count)]
        for number in range(0, count, 10):
            texts = {key: f'Q&A: "{text}" <live>' for key, text in lines[number].texts.items()}
            lines[number] = Sentence(texts, lines[number].domain)
        return lines


# Archives


def packed(name: str, lines: list[str]) -> bytes:
    """The content of a member, in the format that its name tells."""
    text = sgm(lines) if name.endswith(".sgm") else "".join(line + "\n" for line in lines)
    content = text.encode("utf-8", "surrogateescape")
    return gzip.compress(content, mtime=0) if name.endswith(".gz") else content


def sgm(lines: list[str]) -> str:
    """A test set: a document every ten segments, and every seventh of them over two lines."""
    shown = ['<srcset setid="miniature" srclang="any">']
    for number, line in enumerate(lines, start=1):
        if number % 10 == 1:
            shown += [f'<doc sysid="ref" docid="{number}" genre="news" origlang="en">', "<p>"]
        text = html.escape(line)
        text = text.replace(" ", "\n", 1) if number % 7 == 0 else text
        shown.append(f'<seg id="{number}">{text}</seg>')
        if number % 10 == 0 or number == len(lines):
            shown += ["</p>", "</doc>"]
    return "\n".join([*shown, "</srcset>", ""])


def archived(name: str, members: Mapping[str, bytes]) -> bytes:
    """A tar archive of `members`, with entries for their folders, compressed if `name` says so."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for folder in sorted({str(PurePosixPath(member).parent) for member in members} - {"."}):
            entry = tarfile.TarInfo(folder)
            entry.type = tarfile.DIRTYPE
            archive.addfile(entry)
        for member, content in sorted(members.items()):
            entry = tarfile.TarInfo(member)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return plain.getvalue() if name.endswith(".tar") else gzip.compress(plain.getvalue(), mtime=0)


def strangers(pattern: str) -> set[str]:
    """Names that members of a pattern have in other languages and in the other direction."""
    pairs = [("en", language) for language in (*STRANGERS, *LANGUAGES[1:])]
    if "{source}" in pattern:
        pairs += [(target, source) for source, target in pairs]
    return {
        pattern.format(lang=language, source=source, target=target, pair="", side=side)
        for source, target in pairs
        for language in (source, target)
        for side in ("src", "ref")
    }


@dataclass(frozen=True)
class Miniature:
    """`archives` by the name that the preset gives them; `texts` by language pair and name."""

    archives: dict[str, bytes]
    texts: dict[tuple[str, str], list[Sentence]]

    def lines(self, pair: str, text: str, language: str) -> list[str]:
        """One side of a text as `extract` has to write it; white space of SGM is single blanks."""
        raw = [line.texts[language] for line in self.texts[pair, text]]
        if str(place(PRESET, pair, text, language)[2]).endswith(".sgm"):
            return [" ".join(line.split()) for line in raw]
        return [line.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for line in raw]

    def corpora(self) -> dict[str, Any]:
        """The configuration with which the preset accepts these archives.

        Of each file the same digests and size as in the preset, and of each text the same numbers
        of lines, all with the values that they have here.
        """
        corpora: dict[str, Any] = {}
        for corpus, entry in PRESET["corpora"].items():
            files = {file: identity(self.archives[file], FILES[file]) for file in entry["files"]}
            texts = {name: self.counts(name, text) for name, text in entry["texts"].items()}
            corpora[corpus] = {"files": files, "texts": texts}
        return corpora

    def counts(self, name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
        """The numbers of lines that the preset's `entry` states for a text, as they are here."""
        here = {pair: len(lines) for (pair, text), lines in self.texts.items() if text == name}
        return {
            key: {pair: here[pair] for pair in entry[key]}
            if isinstance(entry[key], dict)
            else max(here.values())
            for key in ("lines", "lines_recalled")
            if key in entry
        }


def identity(content: bytes, entry: Mapping[str, Any]) -> dict[str, Any]:
    """The digests and the size of `content`, as far as `entry` states them."""
    known = {
        "sha256": hashlib.sha256(content).hexdigest(),
        "md5": hashlib.md5(content).hexdigest(),
        "bytes": len(content),
    }
    return {key: value for key, value in known.items() if key in entry}


def stated(entry: Mapping[str, Any], pair: str) -> int | None:
    """How many lines a text has in a language pair by its `entry`; None if it is not there."""
    for key in ("lines", "lines_recalled"):
        lines = entry.get(key)
        found = lines.get(pair) if isinstance(lines, dict) else lines
        if found is not None:
            return int(found)
    return None


class Builder:
    """Fills archives, text by text."""

    def __init__(self) -> None:
        self.author = Author(seed=2014)
        self.members: dict[str, dict[str, bytes]] = {file: {} for file in FILES}
        self.texts: dict[tuple[str, str], list[Sentence]] = {}
        self.written: dict[str, list[Sentence]] = {}  # by the name of their English file

    def add(self, name: str, entry: Mapping[str, Any], pair: str) -> None:
        """A text of the preset, unless it is not there in this language pair."""
        real = stated(entry, pair)
        if real is None or (name, pair) in ABSENT:
            return
        english = PurePosixPath(str(place(PRESET, pair, name, "en")[2])).name
        if english not in self.written:
            self.written[english] = self.write(name, real)
        lines = self.texts[pair, name] = self.written[english]
        for language in pair.split("-"):
            _, file, member = place(PRESET, pair, name, language)
            content = packed(str(member), [line.texts[language] for line in lines])
            self.members[file][str(member)] = content

    def write(self, name: str, real: int) -> list[Sentence]:
        """The lines of a text that in reality has `real` ones."""
        if name in NEWS_SHARES:
            count = round(TRAINING_SCALE * real**0.5)
            return self.author.training_text(count, NEWS_SHARES[name])
        return self.author.test_text(round(TEST_SCALE * real))

    def add_strangers(self, entry: Mapping[str, Any]) -> None:
        """Members of the archive of a text besides those of the preset."""
        archive = self.members[entry["file"]]
        for member in strangers(entry["member"]) - set(archive):
            archive[member] = packed(member, [f"{member} is not asked for."] * 3)
            archive[str(PurePosixPath(member).with_name("README"))] = b"As you like.\n"


@cache
def miniature() -> Miniature:
    """All archives of the preset, also those that no experiment uses; always the same ones."""
    builder = Builder()
    entries = [text for corpus in PRESET["corpora"].values() for text in corpus["texts"].items()]
    for name, entry in entries:
        for pair in PAIRS:
            builder.add(name, entry, pair)
    for _, entry in entries:
        builder.add_strangers(entry)
    archives = {file: archived(file, members) for file, members in builder.members.items()}
    return Miniature(archives, builder.texts)


# The site


def address(file: str) -> str:
    """Where a file of the preset lies below a mirror: a slash, HOST/PATH of its first URL."""
    url = urllib.parse.urlsplit(CorpusFile(**FILES[file]).addresses[0])
    return f"/{url.hostname}{url.path}"


#: The files that the first mirror has trouble with.
CUT = "training-parallel-europarl-v7.tgz"
MOVED = "training-parallel-commoncrawl.tgz"
SLOW = "training-parallel-un.tgz"
BUSY = "training-parallel-nc-v9.tgz"
MISSING = "training-giga-fren.tar"
WRONG = "wmt14-test-full.tgz"

#: Where the first mirror sends those who ask for MOVED.
NEW_HOME = "/elsewhere/commoncrawl.tgz"


@dataclass(frozen=True)
class Site:
    """Two mirrors: all files lie on the second one, and the first one has its faults.

    `outside` stands for the rest of the world: as a proxy, it is asked for what lies nowhere here.
    """

    first: Server
    second: Server
    outside: Server

    @property
    def mirrors(self) -> list[str]:
        """Addresses of the mirrors, for the key of this name."""
        return [self.first.url, self.second.url]

    @property
    def proxies(self) -> dict[str, str]:
        """Environment variables by which no request leaves this machine."""
        schemes = ("http", "https")
        return {
            **{f"{scheme}_proxy": self.outside.url for scheme in schemes},
            "no_proxy": "127.0.0.1",
        }


@contextlib.contextmanager
def statmt() -> Iterator[Site]:
    """The site, for as long as the block lasts."""
    archives = miniature().archives
    with serving() as first, serving() as second, serving() as outside:
        second.files = {address(file): content for file, content in archives.items()}
        first.files = {**second.files, NEW_HOME: archives[MOVED]}
        del first.files[address(MISSING)]
        first.faults = {
            address(CUT): [Fault(cut=len(archives[CUT]) // 2)],
            address(SLOW): [Fault(pause=0.15, pieces=8)],
            address(BUSY): [Fault(status=503, headers={"Retry-After": "1"})],
        }
        first.forever = {
            address(MOVED): Fault(status=302, headers={"Location": NEW_HOME}),
            address(WRONG): Fault(content=archives[WRONG][::-1]),
        }
        yield Site(first, second, outside)
