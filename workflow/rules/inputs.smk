"""Which files a rule reads, and how their names become options of its command."""

import functools
import json

SIDES = ["source", "target"]
TRAINED_FILES = ["model.safetensors", "model.json", "log.jsonl"]
VOCABULARIES = ["vocabulary.source.tsv", "vocabulary.target.tsv"]
BINARIZED = [
    "manifest.json",
    *VOCABULARIES,
    *expand("train.{side}.{array}.npy", side=SIDES, array=["ids", "offsets"]),
]


def pair_of(wildcards):
    """The language pair of a rule that knows its two sides."""
    return f"{wildcards.source}-{wildcards.target}"


def filled(pattern, wildcards, **others):
    """The path of a result by a pattern with the names of wildcards, and `others`, in braces."""
    return f"{RESULTS}/{pattern}".format_map({**dict(wildcards.items()), **others})


def in_training(pattern):
    """Input function: the files by `pattern` of all parts of the training text of a pair."""
    return lambda wildcards: [
        filled(pattern, wildcards, pair=pair, part=part)
        for pair in [wildcards.get("pair") or pair_of(wildcards)]
        for part in training_parts(pair)
    ]


def repeated(option, values):
    """`option` once for each of `values`."""
    return " ".join(f"{option} {shlex.quote(str(value))}" for value in values)


def view_file(pair, view, text, language, aware=False):
    """The file that holds one side of a text, or of a part of the training text, in a view.

    `aware`: symbols were made with both sides in sight, as in the training text, so that the two
    sides fit; the texts to translate are made from the source alone (A26).
    """
    trained = text in training_parts(pair)
    aware = ".pair" if aware and "sym" in view and not trained else ""
    if view == "word":
        stage = "select" if trained else "tokenize"
    else:
        stage = "symbolize" if view == "sym" else "bpe"
    folder = f"bpe/{pair}/{view}" if stage == "bpe" else f"{stage}/{pair}"
    return f"{RESULTS}/{folder}/{text}{aware}.{language}.gz"


def training_files(pair, view, language):
    """One side of the training text in a view: its parts, in order."""
    return [view_file(pair, view, part, language) for part in training_parts(pair)]


def codes_languages(pair):
    """Names of a pair's files of codes: one a language, or one for both together (A16)."""
    return [pair] if CONFIGURATION["text"]["joint_bpe"] else pair.split("-")


def codes(wildcards):
    """The codes that cut a side of a text into subwords."""
    return codes_file(wildcards.pair, wildcards.view, wildcards.language)


def codes_file(pair, view, language):
    """The codes of a language in a view of a pair."""
    languages = next(
        name for name in codes_languages(pair) if language in name.split("-")
    )
    return f"{RESULTS}/bpe/{pair}/{view}/codes.{languages}"


def dev_files(side):
    """Input function: the dev texts of a run in the view of its system, one side."""
    return lambda wildcards: [
        view_file(
            wildcards.pair,
            recipe(wildcards)["view"],
            text,
            wildcards.pair.split("-")[SIDES.index(side)],
            aware=True,
        )
        for text in evaluated(wildcards.pair, wildcards.system, "dev")
    ]


def train_files(language):
    """The parts of the training text of a pair in a view, one side."""
    return lambda wildcards: training_files(
        pair_of(wildcards), wildcards.view, wildcards[language]
    )


def other_filters(wildcards):
    """The filters of other systems that a run's training pairs have to pass."""
    return recipes.other_filters(CONFIGURATION, wildcards.pair, wildcards.system)


def training_data(wildcards):
    """What a training reads: its own view first, then those of the other filters."""
    views = [recipe(wildcards), *other_filters(wildcards)]
    folders = dict.fromkeys(binarize_folder(wildcards.pair, each) for each in views)
    return [f"{folder}/{file}" for folder in folders for file in BINARIZED]


def binarize_folder(pair, made):
    """Where the ids of a recipe's or a filter's view lie."""
    return f"{RESULTS}/binarize/{pair}/{made['view']}"


def filter_settings(pair, filters):
    """Filters of training pairs, each a view with its limits, as commands want them."""
    return [
        settings(
            {
                "data": binarize_folder(pair, each),
                "max_length": each["max_length"],
                "unknown_limit": each["unknown_limit"],
            }
        )
        for each in filters
    ]


def filter_options(wildcards):
    """The options that tell `train` of the other filters."""
    return repeated(
        "--filter", filter_settings(wildcards.pair, other_filters(wildcards))
    )


def pair_filters(wildcards):
    """The options that tell `pairs` which of them are dropped before and after symbolization.

    That is by the limits of the experiment, where its systems do not say otherwise; then come the
    filters of the systems themselves, none twice, in an order that does not depend on theirs.
    """
    pair = wildcards.pair
    training = CONFIGURATION["experiments"]["choi2017"]["training"]
    unknown_limit = (training["unknown_limit"] or {}).get(pair, 1.0)
    limits = {**training, "unknown_limit": unknown_limit}
    before, after = filter_settings(
        pair, [{**limits, "view": view} for view in ["word", "sym"]]
    )
    made = [
        recipes.recipe(CONFIGURATION, pair, system) for system in systems_of("choi2017")
    ]
    systems = filter_settings(
        pair, [{**each["training"], "view": each["view"]} for each in made]
    )
    return " ".join(
        [
            repeated("--filter-before", [before]),
            repeated("--filter-after", [after]),
            repeated("--filter", sorted(set(systems))),
        ]
    )


def filtered_pairs(wildcards):
    """The binarized pairs that `pairs` filters: word, sym, and the views of all systems."""
    return [
        f"{RESULTS}/binarize/{wildcards.pair}/{view}/{file}"
        for view in counted_views(wildcards.pair)
        for file in BINARIZED
    ]


def training_settings(wildcards):
    """The training of a system, as `train` wants it."""
    return settings(
        {**recipe(wildcards)["training"], "device": CONFIGURATION["device"]}
    )


def training_identity(wildcards):
    """What the state of a training must agree with to be gone on from, besides texts and seed."""
    return settings(
        {
            "model": recipe(wildcards)["model"],
            "training": json.loads(training_settings(wildcards)),
            "code": code("contextnmt.training.train"),
        }
    )


def translated_texts(wildcards):
    """The source side of a run's dev and test texts, in the view of its system."""
    view, source = recipe(wildcards)["view"], wildcards.pair.split("-")[0]
    return [
        view_file(wildcards.pair, view, text, source)
        for text in evaluated(wildcards.pair, wildcards.system)
    ]


def beams(wildcards):
    """The beam widths that a run translates with."""
    return recipe(wildcards)["decoding"]["beams"]


def symbolic_systems(pair):
    """The systems of `pair` whose text has symbols."""
    return [system for system in systems_with(pair) if "sym" in view_of(system)]


def symbolic_texts(pair):
    """The dev and test texts of the systems of `pair` whose text has symbols."""
    return list(
        dict.fromkeys(
            text
            for system in symbolic_systems(pair)
            for text in evaluated(pair, system)
        )
    )


def symbolic_files(language):
    """Input function: these texts, one side, tokenized."""
    return lambda wildcards: [
        f"{RESULTS}/tokenize/{pair_of(wildcards)}/{text}.{wildcards[language]}.gz"
        for text in symbolic_texts(pair_of(wildcards))
    ]


def endings(decoding):
    """What the names of a text's translations end in, at each width the likeliest first.

    At width 1 there is one translation of a sentence, so none is better by its score a symbol.
    """
    return [
        f"beam{beam}{variant}"
        for beam in decoding["beams"]
        for variant, made in {
            "": True,
            ".no-unknown": decoding["no_unknown"],
            ".normalised": decoding["nbest"] and beam > 1,
        }.items()
        if made
    ]


def translations(stage, wildcards):
    """The files in a run's folder of `translate` or `restore`: one a translation.

    Which texts there are depends on the language pair, so the rules declare the folder.
    """
    return [
        f"{RESULTS}/{stage}/{wildcards.pair}/{wildcards.system}/{wildcards.seed}/{name}.gz"
        for name in translation_names(wildcards)
    ]


def likeliest(wildcards):
    """The files that a run's beam searches are told to write: one a text and beam width."""
    return [
        f"{RESULTS}/translate/{wildcards.pair}/{wildcards.system}/{wildcards.seed}/{text}.beam{beam}.gz"
        for text in evaluated(wildcards.pair, wildcards.system)
        for beam in beams(wildcards)
    ]


def translation_names(wildcards):
    """Names of a run's translations, `TEXT.beamN` and `TEXT.beamN.VARIANT`."""
    return [
        f"{text}.{ending}"
        for text in evaluated(wildcards.pair, wildcards.system)
        for ending in endings(recipe(wildcards)["decoding"])
    ]


def of_each_translation(wildcards, of_texts):
    """What is given of each dev and test text of a run, in order, for each of its translations."""
    return [each for each in of_texts for _ in endings(recipe(wildcards)["decoding"])]


def references(stage):
    """The reference of each of a run's translations, as a stage wrote it."""
    return lambda wildcards: of_each_translation(
        wildcards,
        (
            f"{RESULTS}/{stage}/{wildcards.pair}/{text}.{wildcards.pair.split('-')[1]}.gz"
            for text in evaluated(wildcards.pair, wildcards.system)
        ),
    )


def symbol_tables(wildcards):
    """The symbols of each of a run's dev and test texts, for a system whose text has symbols."""
    if "sym" not in recipe(wildcards)["view"]:
        return []
    return [
        f"{RESULTS}/symbolize/{wildcards.pair}/{text}.symbols.tsv.gz"
        for text in evaluated(wildcards.pair, wildcards.system)
    ]


def rules_of(wildcards):
    """The rule dictionary of a pair, for a system whose text has symbols."""
    symbolized = "sym" in recipe(wildcards)["view"]
    return (
        [f"{RESULTS}/rule-dictionary/{wildcards.pair}/rules.tsv"] if symbolized else []
    )


def tags(wildcards):
    """The file that holds the tags of a text, and their member in it."""
    file, *_ = archive(wildcards.pair, wildcards.text, wildcards.pair.split("-")[1])
    return file, text_entry(wildcards.text)["phenomena"]


def tagged(pair, experiment):
    """The first test text of an experiment whose words are tagged, in a list, or an empty one."""
    named = roles_of(experiment, pair, "test")
    return [text for text in named if "phenomena" in text_entry(text)][:1]


def phenomena_files(experiment):
    """The counts of each run of an experiment on its first tagged test text."""
    return [
        path
        for pair in reported_pairs(experiment)
        for text in tagged(pair, experiment)
        for path in expand(
            f"<results>/phenomena/{pair}/{{system}}/{{seed}}/{text}.json",
            system=finished(experiment, pair),
            seed=CONFIGURATION["seeds"],
        )
    ]


def first_test(experiment, pair):
    """The first test text of an experiment."""
    return roles_of(experiment, pair, "test")[0]


def first_test_files(experiment, stage, side):
    """One side of the first test text of each pair, as a stage wrote it."""
    return [
        f"{RESULTS}/{stage}/{pair}/{first_test(experiment, pair)}.{pair.split('-')[side]}.gz"
        for pair in reported_pairs(experiment)
    ]


def count_files(experiment, side):
    """The word counts of one side of the training text of each pair."""
    return [
        f"{RESULTS}/word-counts/{pair}/{pair.split('-')[side]}.tsv"
        for pair in reported_pairs(experiment)
    ]


def first_translations(experiment):
    """Every system's translation of the first test text: first seed, widest beam."""
    seed = CONFIGURATION["seeds"][0]
    beam = max(CONFIGURATION["experiments"][experiment]["decoding"]["beams"])
    return [
        f"{RESULTS}/restore/{pair}/{system}/{seed}/{first_test(experiment, pair)}.beam{beam}.gz"
        for pair in reported_pairs(experiment)
        for system in finished(experiment, pair)
    ]


def experiment(name, *needed):
    """What a report command must know of an experiment, as JSON.

    Keys that are not `needed` are empty, so that a change of theirs does not re-run the command.
    """
    entry, gaps = CONFIGURATION["experiments"][name], gaps_of(name)
    # What tells of systems is about the pairs that have one.
    of_systems = "systems" in needed
    pairs = reported_pairs(name) if of_systems else pairs_of(name)
    content = {
        **{key: entry[key] for key in ["title", "table"]},
        "reconstruction": entry.get("reconstruction", ""),
        "methods": [{"id": key, **method} for key, method in entry["methods"].items()],
        "claims": entry.get("claims", []),
        "preset": CONFIGURATION["preset"],
        "corpora": CONFIGURATION["about"],
        "pairs": pairs,
        "systems": [
            {
                "id": system,
                **{key: entry["systems"][system][key] for key in ["label", "view"]},
            }
            for system in systems_of(name)
        ],
        "seeds": CONFIGURATION["seeds"],
        "beams": entry["decoding"]["beams"],
        "translations": endings(entry["decoding"]),
        "ensemble": has_ensembles(name),
        "dev": {pair: roles_of(name, pair, "dev") for pair in pairs},
        "test": {pair: roles_of(name, pair, "test") for pair in pairs},
        "sentences": {
            pair: words
            for pair, words in entry.get("sentences", {}).items()
            if pair in pairs
        },
        "vocabulary_size": CONFIGURATION["text"]["vocabulary_size"],
        "config_digest": configurations.digest(CONFIGURATION, name),
        "deviations": deviations(name),
    }
    shown = {
        key: value if key in needed else type(value)() for key, value in content.items()
    }
    of_gaps = {"gaps": gaps} if gaps and of_systems else {}
    return settings({"name": name, **shown, **of_gaps})


@functools.cache  # every table of a paper asks for them
def deviations(experiment):
    """What is not the paper's, with the systems by their labels."""
    paper = configurations.of_paper(BASE / "workflow", experiment)
    systems = CONFIGURATION["experiments"][experiment]["systems"]
    return [
        {**each, "system": systems[each["system"]]["label"] if each["system"] else ""}
        for each in recipes.deviations(paper, CONFIGURATION, experiment)
    ]
