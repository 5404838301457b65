"""What the stages make under this configuration: files by stage, and benchmarks of all jobs."""

import hashlib
import threading

from contextnmt.corpus.overview import Wanted, overview, watch


def all_training_parts():
    """Every part of a training text, as (pair, part)."""
    return [(pair, part) for pair in PAIRS for part in training_parts(pair)]


def other_texts():
    """Every dev, test and in-domain text, as (pair, text)."""
    return [
        (pair, text)
        for pair in PAIRS
        for text in dict.fromkeys([*evaluated_texts(pair), *in_domain_texts(pair)])
    ]


def selected_pairs():
    """The pairs whose training text is a selection."""
    return [pair for pair in PAIRS if selection(pair)]


def side_files(stage, names):
    """Both sides of the texts `names`, each (pair, text), as a stage wrote them."""
    return [
        f"{RESULTS}/{stage}/{pair}/{text}.{language}.gz"
        for pair, text in names
        for language in pair.split("-")
    ]


def archive_files():
    """Every file that a text lies in, but for the user's own."""
    files = {
        archive(pair, text.partition(".")[0], language)[0]
        for pair, text in all_training_parts() + other_texts()
        for language in pair.split("-")
    }
    return sorted(file for file in files if file.startswith(f"{RESULTS}/"))


def announce_downloads(jobs):
    """Say what these jobs will fetch and under which terms; then, now and then, how far they are."""
    files = [
        Wanted(
            job.wildcards.corpus,
            Path(job.output[0]),
            file_entry(job.wildcards).get("bytes"),
        )
        for job in jobs
    ]
    print(overview(files, CONFIGURATION["corpora"]), file=sys.stderr, flush=True)
    # Each job has its progress in its own log; here is that of all of them.
    threading.Thread(target=watch, args=(files,), daemon=True).start()


def rankings():
    """What is selected of the pool, for each pair with a selection."""
    return [f"{RESULTS}/rank/{pair}.json" for pair in selected_pairs()]


def perplexities():
    """What the selection gains over chance, for the same pairs."""
    return [f"{RESULTS}/perplexity/{pair}.json" for pair in selected_pairs()]


def unreported():
    """The targets of reports that cannot be made: experiments, and the page of all papers without
    any."""
    without = [name for name in CONFIGURATION["experiments"] if name not in REPORTED]
    corpora = [f"{name}_corpora" for name in without if name not in EXPERIMENTS]
    return [*without, *corpora, *([] if REPORTED else ["papers"])]


def absence(experiment):
    """Why there is nothing to make of an experiment of the configuration, or of all of them."""
    if experiment == "papers":
        return ". ".join(map(absence, CONFIGURATION["experiments"]))
    experiment = experiment.removesuffix("_corpora")
    entry = CONFIGURATION["experiments"][experiment]
    if experiment in EXPERIMENTS:
        return CONTENTS[experiment].unfinished()
    if not pairs_of(experiment):
        return (
            f"{experiment} is about {', '.join(entry['pairs'])}, and pairs is {', '.join(PAIRS)}: "
            f"say experiments: {{{experiment}: {{pairs: null}}}} in a --configfile"
        )
    return (
        f"{experiment} is not in this run, since systems is {', '.join(SYSTEMS)}: name some of "
        f"{', '.join(entry['systems'])} there, or say systems: null in a --configfile"
    )


def marked(experiment):
    """The name of an experiment, with a mark if it is a reconstruction."""
    lost = CONFIGURATION["experiments"][experiment].get("reconstruction")
    return f"{experiment} (reconstruction)" if lost else experiment


def surveyed_parts():
    """Every part of a training text that clean needs a survey of, as (pair, part)."""
    return [
        (pair, part)
        for pair in PAIRS
        for text in texts(pair, "train")
        if needs_survey(pair, text)
        for part in parts(text)
    ]


def views(pair, part=""):
    """The views of the systems that have `part` in their names."""
    named = dict.fromkeys(map(view_of, systems_with(pair)))
    return [view for view in named if part in view]


def counted_views(pair):
    """The views whose pairs Table 3 counts: with and without symbols, and those of its systems."""
    own = map(view_of, systems_of("choi2017"))
    return list(dict.fromkeys(["word", "sym", *own]))


def view_texts(pair, view):
    """The texts of a view that the trainer reads, both sides, and those that are translated.

    And of those that are translated without unknown words, the target side: `known-lines` reads it.
    """
    source, target = pair.split("-")
    systems = [system for system in systems_with(pair) if view_of(system) == view]
    dev, translated = (
        [text for system in systems for text in evaluated(pair, system, *roles)]
        for roles in [["dev"], ["dev", "test"]]
    )
    trained = [
        view_file(pair, view, text, language, aware=True)
        for text in [*training_parts(pair), *dev]
        for language in [source, target]
    ]
    references = [
        view_file(pair, view, text, target, aware=True)
        for system in systems
        if recipes.recipe(CONFIGURATION, pair, system)["decoding"]["no_unknown"]
        for text in evaluated(pair, system)
    ]
    return list(
        dict.fromkeys(
            [
                *trained,
                *(view_file(pair, view, text, source) for text in translated),
                *references,
            ]
        )
    )


def symbolized_files():
    """All texts with symbols; the training texts always, for the coverage of Table 3."""
    training = side_files("symbolize", all_training_parts())
    others = [
        path for pair in PAIRS if views(pair, "sym") for path in view_texts(pair, "sym")
    ]
    return list(dict.fromkeys(training + others))


def subword_files():
    """All texts of the views that are cut into subwords."""
    return [
        path
        for pair in PAIRS
        for view in views(pair, "bpe")
        for path in view_texts(pair, view)
    ]


def binarized_files():
    """The manifest of each view of each pair."""
    return [
        f"{RESULTS}/binarize/{pair}/{view}/manifest.json"
        for pair in PAIRS
        for view in views(pair)
    ]


def told_to_reports():
    """What `contextnmt report` is told, as JSON: nothing of how files are got, nor of what computes.

    The order of systems is that of tables.
    """
    beside = ["gaps", "mirrors", "hand_placed", "device"]
    told = {
        "configuration": {
            key: value for key, value in CONFIGURATION.items() if key not in beside
        },
        "gaps": GAPS,
        "papers": {name: paper(name) for name in EXPERIMENTS},
    }
    return json.dumps(told, ensure_ascii=False, indent=1)


def paper(experiment):
    """The digest of an experiment's configuration, and what is not the paper's."""
    return {
        "digest": layers.digest(CONFIGURATION, experiment),
        "deviations": deviations(experiment),
    }


def captions():
    """What the pages tell of tables and figures."""
    found = sorted((BASE / "workflow/report").glob("*.rst"))
    return [os.path.relpath(path) for path in found]


def in_formats(experiment, about, *suffixes):
    """The tables and figures of an experiment about systems or corpora in some formats, each with
    its part."""
    contents = CONTENTS[experiment]
    return [
        (path, part)
        for part in contents.parts(about)
        for path in contents.outputs(part, *suffixes)
    ]


def labels(experiment, part):
    """What the menu of `snakemake --report` says of a table or figure."""
    table = {"table": part.tables[0]} if part.tables else {}
    return {"experiment": marked(experiment), **table}
