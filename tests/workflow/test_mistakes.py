"""Mistakes in the configuration: each is named, with the layer that has it and what is allowed."""

from pathlib import Path
from typing import Any

import pytest

from contextnmt.configuration.layers import Layer, resolve
from contextnmt.configuration.reading import load
from contextnmt.errors import UserError

ROOT = Path(__file__).parents[2]


def texts(entries: dict[str, Any]) -> dict[str, Any]:
    """Keys for some texts of the corpus of the demo."""
    return {"corpora": {"embedded": {"texts": entries}}}


def own_files(*paths: str) -> dict[str, Any]:
    """A configuration whose texts a, b and c, to train, dev and test, are files of its own."""
    files = {f"{name}.tsv": {"local": path} for name, path in zip("abc", paths, strict=True)}
    made = {name: {"file": f"{name}.tsv", "columns": ["en", "fr"]} for name in "abc"}
    roles = {"train": ["a"], "dev": ["b"], "test": ["c"]}
    return {"corpora": {"own": {"files": files, "texts": made}}, "roles": {"en-fr": roles}}


@pytest.mark.parametrize(
    ("own", "message"),
    [
        (
            {"training": {"batch_sise": 64}},
            "mine.yaml: training.batch_sise: unknown key; did you mean batch_size? allowed: ",
        ),
        ({"trainning": {}}, "mine.yaml: trainning: unknown key; did you mean training? allowed: "),
        ({"preset": "dmeo"}, "preset: unknown preset dmeo; did you mean demo? allowed: demo, "),
        ({"systems": ["bse"]}, "systems: unknown system bse; did you mean bpe? allowed: baseline"),
        (
            {"pairs": ["en-es"]},
            "pairs: unknown pair en-es; did you mean en-de? allowed: en-de, en-fr",
        ),
        ({"pairs": ["enfr"]}, 'pairs[0] is "enfr"; allowed: text like en-fr'),
        (texts({"dev": {"member": "{lang[x]}"}}), 'is "{lang[x]}"; allowed: in braces only {lang}'),
        (texts({"dev": {"member": "{lang:>9}"}}), 'is "{lang:>9}"; allowed: in braces only {lang}'),
        (
            {
                "experiments": {
                    "choi2017": {
                        "systems": {n: {"label": n, "view": "word"} for n in ("one", "two")},
                        "methods": {"Z": {"name": "z", "contrasts": [["one", "two"]]}},
                    }
                }
            },
            "choi2017.methods.Z.contrasts: one and two have equal settings: change one",
        ),
        (
            {
                "experiments": {
                    "choi2017": {"methods": {"Z": {"name": "z", "contrasts": [["a", "b", "c"]]}}}
                }
            },
            'Z.contrasts[0] is ["a", "b", "c"]; allowed: a list of 2, each text like baseline',
        ),
        ({"decoding": {"replace": [1]}}, "decoding.replace is [1]; allowed: true or false"),
        ({"seeds": []}, "seeds is []; allowed: a list of at least 1"),
        ({"seeds": [1, 1]}, "none of them twice"),
        ({"seeds": [-1]}, "seeds[0] is -1; allowed: a whole number of at least 0"),
        ({"device": "gpu"}, 'device is "gpu"; allowed: cpu, cuda'),
        ({"model": {"hidden": "big"}}, 'hidden is "big"; allowed: a whole number of at least 1'),
        ({"model": {"dropout": 1.0}}, "a number of at least 0 and below 1"),
        ({"model": {"contextualizer": True}}, "contextualizer is true; allowed: a block of keys"),
        ({"model": {"contextualizer": None}}, "contextualizer is null; allowed: a block of keys"),
        ({"text": {"merges": None}}, "text.merges is null; allowed: a whole number of at least 1"),
        (
            {"training": {"filters": "al"}},
            'training.filters is "al"; allowed: own, symbolized, all',
        ),
        ({"text": {"joint_bpe": 1}}, "text.joint_bpe is 1; allowed: true or false"),
        ({"training": {"batch_size": "10"}}, 'batch_size is "10"; allowed: a whole number of at'),
        ({"training": {"clip": "much"}}, 'clip is "much"; allowed: a number above 0'),
        (
            {"seeds": ["0x10"]},
            "at most 2147483647, in decimal digits without quotes or leading zeros",
        ),
        ({"training": {"learning_rate": float("nan")}}, "learning_rate is NaN; allowed: a number"),
        ({"training": {"clip": float("inf")}}, "clip is Infinity; allowed: a number above 0"),
        ({"seeds": [2**31]}, "seeds[0] is 2147483648; allowed: a whole number of at least 0 and"),
        ({"experiments": 3}, "experiments is 3; allowed: a block of keys"),
        ({"clean": {"en-de": {"max_ratoi": 3}}}, "did you mean max_ratio?"),
        (
            texts({"dev": {"member": "dev.{language}"}}),
            'texts.dev.member is "dev.{language}"; allowed: in braces only {lang}, {source}, ',
        ),
        (texts({"dev": {"file": "x.{lang"}}), 'is "x.{lang"; '),
        (texts({"dev": {"file": "x.{}"}}), 'is "x.{}"; '),
        (
            {"decoding": {"beams": [1, 5, 12], "nbest": 6}},
            "mine.yaml: experiments.choi2017.decoding.nbest is 6: a beam of width N gives at most "
            "N translations, and experiments.choi2017.decoding.beams has 5: make nbest 5 at most",
        ),
        (
            {"decoding": {"beams": [4, 1]}},
            "mine.yaml: experiments.bahdanau2015.decoding.nbest is 10: a beam",
        ),
        (
            {"experiments": {"chen2017": {"decoding": {"beams": [1], "nbest": 2}}}},
            "mine.yaml: experiments.chen2017.decoding.nbest is 2: a beam",
        ),
        (
            {"experiments": {"chen2017": {"systems": {"gru": {"model": {"smoother": {}}}}}}},
            "experiments.chen2017.systems.gru.model.smoother.network: missing",
        ),
        (
            {
                "experiments": {
                    "chen2017": {"systems": {"ccwm-all": {"model": {"smoother": {"window": 1}}}}}
                }
            },
            "ccwm-all.model.smoother.window is 1; allowed: at least 2 with ccwm",
        ),
        (
            {"experiments": {"chen2017": {"inspected_words": ["bank"]}}},
            "experiments.chen2017.inspected_words: only for choi2017, which charts words; remove",
        ),
        (
            {"experiments": {"bahdanau2015": {"try_it": ["rnnsearch-30"]}}},
            "experiments.bahdanau2015.try_it: only for choi2017, whose models the page knows",
        ),
        (
            {"experiments": {"choi2017": {"try_it": ["nowhere"]}}},
            "experiments.choi2017.try_it[0]: unknown system nowhere; allowed: baseline",
        ),
        (
            {"experiments": {"choi2017": {"table": "table2"}}},
            "experiments.choi2017.table: only for workflow/experiments/choi2017.yaml",
        ),
        (
            {"experiments": {"chen2017": {"reconstruction": ""}}},
            "experiments.chen2017.reconstruction: only for workflow/experiments/chen2017.yaml",
        ),
        (
            {"experiments": {"choi2017": {"inspected_words": ["two words"]}}},
            'inspected_words[0] is "two words"',
        ),
        (
            {"experiments": {"choi2017": {"pairs": "foo"}}},
            'choi2017.pairs is "foo"; allowed: a list of at least 1, each text like en-fr, none of',
        ),
        (
            {"experiments": {"choi2017": {"pairs": ["en-xx"]}}},
            "experiments.choi2017.pairs: unknown pair en-xx; did you mean en-",
        ),
        (
            {"roles": {"en-cs": {"train": ["train"], "dev": ["dev"], "test": ["test"]}}},
            "roles.en-cs: en-cs is none of the pairs (en-fr): name it in pairs",
        ),
        (
            {"pairs": "en-de"},
            'pairs is "en-de"; allowed: a list of at least 1, each text like en-fr, none of them',
        ),
        ({"clean": {"en-xx": {}}}, "clean: unknown pair en-xx; did you mean en-"),
        (
            {"training": {"unknown_limit": {"en-xx": 0.1}}},
            "training.unknown_limit: unknown pair en-xx; did you mean en-",
        ),
        (
            {
                "experiments": {
                    "choi2017": {"methods": {"C": {"name": "C", "contrasts": [["bpe", "bpe"]]}}}
                }
            },
            "choi2017.methods.C.contrasts: names one system twice: name two",
        ),
        (
            {
                "experiments": {
                    "choi2017": {"systems": {"bpe": {"model": {"contextualizer": {"layers": [5]}}}}}
                }
            },
            "systems.bpe.model.contextualizer: only for a system with `context: true`",
        ),
        ({"training": {"unknown_limit": {"en_fr": 0.1}}}, '"en_fr" is not text like en-fr'),
        (
            {"experiments": {"choi2017": {"alignments": "bpe-contxt"}}},
            "mine.yaml: experiments.choi2017.alignments: unknown system bpe-contxt; did you mean "
            "bpe-context?",
        ),
        (
            {"experiments": {"choi2017": {"sentences": {"en-xx": ["a"]}}}},
            "experiments.choi2017.sentences: unknown pair en-xx; did you mean en-",
        ),
        (
            {"experiments": {"choi2017": {"sentences": {"en-fr": [17]}}}},
            "sentences.en-fr[0] is 17; allowed: text like the bank of the river",
        ),
        (
            {"experiments": {"choi2017": {"sentences": {"en-fr": [" "]}}}},
            'sentences.en-fr[0] is " "; allowed: text like the bank of the river',
        ),
        ({"experiments": {"choi2071": {}}}, "unknown experiment choi2071; did you mean choi2017?"),
        (
            {"roles": {"en-fr": {"dev": ["devv"]}}},
            "roles.en-fr.dev: unknown text devv; did you mean dev? allowed: ",
        ),
        (
            {"experiments": {"bahdanau2015": {"roles": {"en-fr": {"dev": ["devv"]}}}}},
            "experiments.bahdanau2015.roles.en-fr.dev: unknown text devv; did you mean dev?",
        ),
        (
            {"experiments": {"chen2017": {"systems": {"baseline": {"label": "x", "view": "bpe"}}}}},
            "chen2017.systems.baseline: two experiments have a system of this name; rename one",
        ),
        (
            {
                "experiments": {
                    "choi2017": {"systems": {"mine": {"label": "Baseline", "view": "word"}}}
                }
            },
            "systems.mine.label: Baseline is taken by system baseline; choose another label",
        ),
        (
            {"experiments": {"choi2017": {"systems": {"bpe": {"label": "Reference"}}}}},
            "systems.bpe.label: Reference is taken by a row of the tables; choose another label",
        ),
        (
            {
                "experiments": {
                    "choi2017": {"methods": {"C": {"name": "C", "contrasts": [["bpe", "bpa"]]}}}
                }
            },
            "choi2017.methods.C.contrasts: unknown system bpa; did you mean bpe? allowed: ",
        ),
        (
            {
                "experiments": {
                    "choi2017": {"claims": [{"says": "BPE helps", "contrasts": [["bpe", "bpa"]]}]}
                }
            },
            "choi2017.claims[0].contrasts: unknown system bpa; did you mean bpe? allowed: ",
        ),
        *(
            ({"experiments": {"choi2017": {"claims": [{"says": "It helps", **keys}]}}}, words)
            for keys, words in [
                ({}, "one of contrasts, quoted, long_sentences and coverage"),
                ({"coverage": True, "longer": True}, "at most one of longer, within, at_le"),
                ({"coverage": True}, "a claim with within or at_least, or one with"),
                (
                    {"long_sentences": {"bpa": 50}, "at_least": 0},
                    "claims[0].long_sentences: unknown system bpa; did you mean bpe?",
                ),
                (
                    {"contrasts": [["bpe", "baseline"]], "within": {"en-xx": 1}},
                    "claims[0].within: unknown pair en-xx; did you mean",
                ),
                (
                    {"quoted": [["symbol", "moses"]], "at_least": 0},
                    "claims[0].quoted: only for bahdanau2015, whose table quotes others",
                ),
            ]
        ),
        (
            {
                "experiments": {
                    "bahdanau2015": {
                        "claims": [
                            {
                                "says": "As good",
                                "quoted": [["rnnsearch-50", "mosses"]],
                                "at_least": 0,
                            }
                        ]
                    }
                }
            },
            "claims[0].quoted: unknown row mosses; did you mean moses? allowed: moses",
        ),
        (
            {
                "experiments": {
                    "chen2017": {"claims": [{"says": "More", "coverage": True, "at_least": 1}]}
                }
            },
            "claims[0].coverage: only for choi2017, which counts it; remove the claim",
        ),
        ({"roles": {"en-fr": {"train": []}}}, "roles.en-fr.train is []; allowed: a list of at"),
        ({"pairs": ["en-it"]}, "pairs: unknown pair en-it; did you mean"),
        (
            {"experiments": {"choi2017": {"systems": {"baseline": {"view": "words"}}}}},
            'systems.baseline.view is "words"; allowed: word, sym, bpe, sym-bpe',
        ),
        (
            {"roles": {"en-fr": {"test": ["train"]}}},
            "roles.en-fr.test: train is trained on; name another text",
        ),
        (
            {"roles": {"en-fr": {"test": ["test", "dev"]}}},
            "roles.en-fr.test: dev is the dev text dev, by which training stops; name another text",
        ),
        *(
            (own_files("a.tsv", *others), f"roles.en-fr.{role}: {what}; name another text")
            for role, what, others in [
                ("dev", "b is trained on", ("./a.tsv", "c.tsv")),
                ("test", "c is the dev text b, by which training stops", ("b.tsv", "x/../b.tsv")),
            ]
        ),
        *(
            (
                {"corpora": {"embedded": {"files": {"x.gz": keys}}}},
                "allowed: either generator and seed, or url and sha256",
            )
            for keys in (
                {"url": "https://example.org/x.gz"},
                {"generator": "embedded"},
                {"generator": "embedded", "local": "x.gz"},
            )
        ),
        (
            texts({"dev": {"file": "embeded.tar.gz"}}),
            "texts.dev.file: unknown file embeded.tar.gz; did you mean embedded.tar.gz?",
        ),
        (
            {"corpora": {"other": {"files": {}, "texts": {"dev": {"file": "dev.gz"}}}}},
            "two corpora have a text of this name",
        ),
        ({"corpora": {"other": {"files": {}}}}, "corpora.other.texts: missing"),
        (
            texts({"dev": {"columns": ["english", "fr"]}}),
            "texts.dev.columns: unknown column en; allowed: english, fr",
        ),
        (
            texts({"train": {"shards": 0}}),
            "texts.train.shards is 0; allowed: a whole number of at least 1 and at most 64",
        ),
        ({"select": {"en-fr": {"pairs": 5}}}, "select.en-fr.in_domain: missing"),
        (
            {"select": {"en-fr": {"in_domain": ["dev"]}}},
            "select.en-fr: no limit: give target_words or pairs",
        ),
        (
            {"select": {"en-fr": {"in_domain": ["dev"], "pairs": 5, "target_words": 50}}},
            "select.en-fr: two limits: make target_words or pairs null",
        ),
        (
            {"select": {"en-fr": {"in_domain": ["devv"], "pairs": 5}}},
            "select.en-fr.in_domain: unknown text devv; did you mean dev? allowed: ",
        ),
        (
            {"select": {"en-fr": {"in_domain": ["test"], "pairs": 5}}},
            "select.en-fr.in_domain: test is a test text, and selecting by it would bias the test",
        ),
        (
            {"systems": ["x" * 101]},
            "...; allowed: text like baseline, of at most 100 letters",
        ),
        (
            {"experiments": {"choi2017": {"systems": {"x" * 101: {"label": "x", "view": "word"}}}}},
            "... is not text like baseline, of at most 100 letters",
        ),
        (
            {"select": {"fr-en": {"in_domain": ["dev"], "pairs": 5}}},
            "select: unknown pair fr-en; allowed: en-de, en-fr",
        ),
        (
            {
                **texts({"domain": {"file": "embedded.tar.gz", "member": "test.{lang}"}}),
                "select": {"en-fr": {"in_domain": ["domain"], "pairs": 5}},
            },
            "select.en-fr.in_domain: domain is a test text, and ",
        ),
        (
            texts({"dev": {"member": "dev.en"}}),
            "dev.member: one and the same file for both languages",
        ),
        (
            texts({"dev": {"references": {"fr": ["dev.de", "dev.{target}"]}}}),
            "dev.references.fr: names one side of the text twice",
        ),
        *(
            (
                texts({"dev": {"references": {language: ["dev.de"]}}}),
                f"mine.yaml: corpora.embedded.texts.dev.references.{language}: no pair with this "
                f"text translates into {language}; allowed: de, fr",
            )
            for language in ("en", "xx")
        ),
        (
            texts({"train": {"references": {"fr": ["train.de"]}}}),
            "train.references: only for dev and test texts",
        ),
        (
            texts({"dev": {"file": "dev.{lang}", "references": {"fr": ["dev.de"]}}}),
            "dev.file: unknown file dev.en",
        ),
        (
            {"select": {"en-fr": {"in_domain": [], "pairs": 5}}},
            "in_domain is []; allowed: a list of at least 1, each text like newstest2014, none of",
        ),
        (
            texts({"total": {"file": "embedded.tar.gz"}}),
            "corpora.embedded.texts.total: tables have a row of this name; rename it",
        ),
        (
            texts({"dev": {"lines": 0}}),
            "texts.dev.lines is 0; allowed: a whole number of at least 1 or a block of keys",
        ),
        (
            texts({"dev": {"lines": {"en-fr": "many"}}}),
            'texts.dev.lines.en-fr is "many"; allowed: a whole number of at least 1',
        ),
    ],
)
def test_a_mistake_is_named_with_what_is_allowed(own: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError) as caught:
        layers = [Layer("config.yaml", load(ROOT / "config.yaml")), Layer("mine.yaml", own)]
        resolve(ROOT / "workflow", layers)
    text = str(caught.value)
    assert message in text
    assert "mine.yaml: " in text
    assert all(len(line) < 500 for line in text.split("\n"))
    assert text.count("\n") <= 5
