"""The three experiments as the workflow tells the report of them, on made-up corpora."""

from itertools import chain
from pathlib import Path
from typing import Any

from contextnmt.report.results import Claim, Method, Results, System

#: Language pair -> training corpus -> its parts.
TRAIN = {
    "en-fr": {
        "europarl-v7": ["europarl-v7"],
        "commoncrawl": ["commoncrawl"],
        "un": [f"un.{number}of3" for number in (1, 2, 3)],
        "news-commentary-v9": ["news-commentary-v9"],
        "giga-fren": [f"giga-fren.{number}of2" for number in (1, 2)],
    },
    "en-de": {"train": ["train"]},
}

CHOI = [
    ("baseline", "Baseline", "word"),
    ("context", "+Context (C)", "word"),
    ("symbol", "+Symbol (S)", "sym"),
    ("context-symbol", "+C+S", "sym"),
    ("bpe", "+BPE", "bpe"),
    ("bpe-context", "+BPE+C", "bpe"),
    ("bpe-context-symbol", "+BPE+C+S", "sym-bpe"),
    ("bpe-symbol", "+BPE+S", "sym-bpe"),
]
BAHDANAU = [
    ("rnnencdec-30", "RNNencdec-30", "word"),
    ("rnnsearch-30", "RNNsearch-30", "word"),
    ("rnnencdec-50", "RNNencdec-50", "word"),
    ("rnnsearch-50", "RNNsearch-50", "word"),
    ("rnnsearch-50-star", "RNNsearch-50*", "word"),
]
#: Words that are smoothed, and sides on which they are.
INTEGRATIONS = {
    "unknown": "unknown words",
    "unknown-decoder": "unknown words, both sides",
    "all": "all words",
    "all-decoder": "all words, both sides",
}
CHEN = [
    ("gru", "GRU baseline", "word"),
    *(
        (f"{network.lower()}-{integration}", f"{network}, {words}", "word")
        for network in ("FCWM", "CCWM")
        for integration, words in INTEGRATIONS.items()
    ),
]


#: Sentences to be shown, by words in them; no text has the second one.
SENTENCES = ("the bank by the river", "the bank of the river")


def method(name: str, title: str, *contrasts: tuple[str, str]) -> dict[str, Any]:
    """A method as JSON has it."""
    return {"id": name, "name": title, "contrasts": list(map(list, contrasts))}


def claim(says: str, *contrasts: tuple[str, str], **more: Any) -> dict[str, Any]:
    """A claim as JSON has it."""
    return {"says": says, "contrasts": list(map(list, contrasts)), **more}


def deviation(key: str, paper: Any, here: Any, system: str = "") -> dict[str, Any]:
    """A deviation as JSON has it."""
    return {"key": key, "paper": paper, "here": here, "system": system}


EXPERIMENTS: dict[str, dict[str, Any]] = {
    "choi2017": {
        "title": "Choi, Cho, Bengio 2017, Context-dependent word representation for NMT",
        "table": "table4",
        "reconstruction": "",
        "pairs": ["en-fr", "en-de"],
        "systems": CHOI,
        "methods": [
            method(
                "C",
                "contextualization (C)",
                ("context", "baseline"),
                ("context-symbol", "symbol"),
                ("bpe-context", "bpe"),
            ),
            method("S", "symbolization (S)", ("symbol", "baseline"), ("bpe-symbol", "bpe")),
            method("BPE", "byte-pair encoding (BPE)", ("bpe", "baseline")),
        ],
        "claims": [
            claim("Contextualized embeddings are better", ("context", "baseline")),
            claim("Either adds", ("context-symbol", "symbol"), ("context-symbol", "context")),
        ],
        "deviations": [
            deviation("text.vocabulary_size", 30000, 1600),
            deviation("model.contextualizer.layers", [1000, 1000], [96, 96]),
        ],
    },
    "bahdanau2015": {
        "title": "Bahdanau, Cho, Bengio 2015, NMT by jointly learning to align and translate",
        "table": "table1",
        "reconstruction": "",
        "pairs": ["en-fr"],
        "systems": BAHDANAU,
        "methods": [
            method(
                "search",
                "attention (RNNsearch)",
                ("rnnsearch-30", "rnnencdec-30"),
                ("rnnsearch-50", "rnnencdec-50"),
            ),
            method(
                "50",
                "training on longer sentences",
                ("rnnencdec-50", "rnnencdec-30"),
                ("rnnsearch-50", "rnnsearch-30"),
            ),
        ],
        "claims": [
            claim("Search is better", ("rnnsearch-50", "rnnencdec-50")),
            claim("In long sentences more so", ("rnnsearch-50", "rnnencdec-50"), longer=True),
        ],
        "deviations": [
            deviation("text.vocabulary_size", 30000, 1600),
            *(deviation("training.max_updates", 288000, 1600, label) for _, label, _ in BAHDANAU),
        ],
    },
    "chen2017": {
        "title": "Chen, Wang, Utiyama, Sumita, Zhao 2017, Context-aware smoothing for NMT",
        "table": "bleu",
        "reconstruction": "What the paper says of its four models and its tables is lost.",
        "pairs": ["en-fr", "en-de"],
        "systems": CHEN,
        "methods": [
            method(
                network,
                f"smoothing by {what} ({network})",
                *((f"{network.lower()}-{integration}", "gru") for integration in INTEGRATIONS),
            )
            for network, what in [("FCWM", "a linear layer"), ("CCWM", "convolution")]
        ],
        "claims": [claim("Smoothing is better", ("fcwm-all", "gru"), ("ccwm-all", "gru"))],
        "deviations": [deviation("training.optimizer", "adadelta", "adam")],
    },
}


def experiment(
    name: str, seeds: tuple[int, ...] = (1,), tests: tuple[str, ...] = ("test",)
) -> dict[str, Any]:
    """The facts that the workflow gives to the report of an experiment, before it becomes JSON."""
    known = EXPERIMENTS[name]
    systems = [{"id": i, "label": label, "view": view} for i, label, view in known["systems"]]
    return {
        **known,
        "name": name,
        "preset": "made-up",
        "corpora": "Made up for a test.",
        "systems": systems,
        "seeds": list(seeds),
        "beams": [1, 12],
        "translations": ["beam1", "beam12"],
        "ensemble": False,
        "dev": {pair: ["dev"] for pair in known["pairs"]},
        "test": {pair: list(tests) for pair in known["pairs"]},
        "sentences": {pair: list(SENTENCES) for pair in known["pairs"]},
        "vocabulary_size": 1600,
        "symbol_threshold": 0.3,
        "ablated": [
            (p, i) for p in known["pairs"] for i, _, view in known["systems"] if "sym" in view
        ],
        "config_digest": "0123456789ab",
    }


def results_of(folder: Path, about: dict[str, Any]) -> Results:
    """A results folder of an experiment. Alignments are drawn of its second system."""
    told = {key: value for key, value in about.items() if key != "pairs"}
    blocks: dict[str, Any] = {
        "systems": [System(**each) for each in about["systems"]],
        "methods": [
            Method(each["id"], each["name"], [(a, b) for a, b in each["contrasts"]])
            for each in about["methods"]
        ],
        "claims": [
            Claim(**{**each, "contrasts": [(a, b) for a, b in each["contrasts"]]})
            for each in about["claims"]
        ],
    }
    named = [*chain(*TRAIN.values()), *chain(*about["dev"].values(), *about["test"].values())]
    archive = {"url": "https://example.org/texts.tar.gz", "sha256": "cd" * 32}
    corpus = {
        "terms": "made up for a test",
        "files": {"texts.tar.gz": archive},
        "texts": {text: {"file": "texts.tar.gz", "member": text} for text in named},
    }
    beside: dict[str, Any] = {
        "folder": folder,
        "configuration": {
            "corpora": {"made-up": corpus},
            "experiments": {},
            "roles": {pair: {"train": list(TRAIN[pair])} for pair in about["pairs"]},
            "select": {},
        },
        "all_pairs": about["pairs"],
        "parts": {
            pair: [part for parts in TRAIN[pair].values() for part in parts]
            for pair in about["pairs"]
        },
        "selected": [pair for pair in about["pairs"] if pair == "en-fr"],
        "tagged": {pair: about["test"][pair][0] for pair in about["pairs"]},
        "contextualized": [(pair, "context") for pair in about["pairs"]],
        "aligned": about["systems"][:2][-1]["id"],
        "word": "notebook",
    }
    return Results(**{**beside, **told, **blocks})
