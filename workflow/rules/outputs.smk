"""What the stages make under this configuration: files by stage, and benchmarks of all jobs."""

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
        for text in dict.fromkeys(
            [*texts(pair, "dev", "test"), *(selection(pair) or {}).get("in_domain", [])]
        )
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
    """Every file that a text of the configuration lies in, but for the user's own."""
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
    if files:
        print(overview(files, CONFIGURATION["corpora"]), file=sys.stderr, flush=True)
        # Each job has its progress in its own log; here is that of all of them.
        threading.Thread(target=watch, args=(files,), daemon=True).start()


def rankings():
    """What is selected of the pool, for each pair with a selection."""
    return [f"{RESULTS}/rank/{pair}.json" for pair in selected_pairs()]


def perplexities():
    """What the selection gains over chance, for each pair with a selection."""
    return [f"{RESULTS}/perplexity/{pair}.json" for pair in selected_pairs()]


def selection_figures(*suffixes):
    """The figures that show the selection of each pair."""
    return expand(
        "<results>/report/figures/selection.{pair}.{quantity}.{suffix}",
        pair=selected_pairs(),
        quantity=["scores", "perplexity"],
        suffix=suffixes,
    )


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
    named = [
        configurations.recipe(CONFIGURATION, pair, system)["view"]
        for system in CONFIGURATION["systems"]
    ]
    return [view for view in dict.fromkeys(named) if part in view]


def counted_views(pair):
    """The views whose pairs Table 3 counts: with and without symbols, and those of the systems."""
    return list(dict.fromkeys(["word", "sym", *views(pair)]))


def view_texts(pair, view):
    """The texts of a view that the trainer reads, both sides, and those that are translated."""
    source, target = pair.split("-")
    trained = [
        view_file(pair, view, text, language, aware=True)
        for text in [*training_parts(pair), *texts(pair, "dev")]
        for language in [source, target]
    ]
    translated = [
        view_file(pair, view, text, source) for text in texts(pair, "dev", "test")
    ]
    return list(dict.fromkeys(trained + translated))


def symbolized_files():
    """All texts with symbols; the training texts always, for the coverage of Table 3."""
    training = side_files("symbolize", all_training_parts())
    others = [
        path for pair in PAIRS if views(pair, "sym") for path in view_texts(pair, "sym")
    ]
    return list(dict.fromkeys(training + others))


def symbol_score_files():
    """The scores of the symbols that are made without the target, where a system uses symbols."""
    return [
        f"{RESULTS}/symbol-scores/{pair}.json" for pair in PAIRS if views(pair, "sym")
    ]


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


def benchmarks():
    """The benchmark files of all jobs of this configuration, and of no earlier one.

    One pattern for all parts of a text: hundreds of names would be too long for a command. The
    report's own jobs are left out: they take seconds.
    """
    symbolic = [pair for pair in PAIRS if views(pair, "sym")]
    names = [
        *(str(Path(path).relative_to(RESULTS)) for path in archive_files()),
        *(
            extraction(pair, text, shards(text))
            for pair in PAIRS
            for text in texts(pair, "train")
        ),
        *(extraction(pair, text, 1) for pair, text in other_texts()),
        *(
            f"tokenize/{pair}/{text}"
            for pair, text in all_training_parts() + other_texts()
        ),
        *(f"survey/{pair}/{part}" for pair, part in surveyed_parts()),
        *(f"clean/{pair}/{part}" for pair, part in all_training_parts()),
        *(
            f"{stage}/{pair}"
            for stage in ["sample", "rank", "perplexity"]
            for pair in selected_pairs()
        ),
        *(
            f"language-models/{pair}/{language}"
            for pair in selected_pairs()
            for language in pair.split("-")
        ),
        *(
            f"cross-entropy/{pair}/{part}"
            for pair in selected_pairs()
            for part in training_parts(pair)
        ),
        *(
            f"{stage}/{pair}/{part}"
            for stage in ["select", "symbolize"]
            for pair, part in all_training_parts()
        ),
        *(
            f"word-counts/{pair}/{language}"
            for pair in PAIRS
            for language in pair.split("-")
        ),
        *(f"rule-dictionary/{pair}" for pair in PAIRS),
        *(
            f"symbolize/{pair}/{text}.pair"
            for pair in PAIRS
            for text in texts(pair, "dev")
        ),
        *(
            f"symbolize/{pair}/{text}.source"
            for pair in symbolic
            for text in texts(pair, "dev", "test")
        ),
        *(
            f"bpe/{pair}/{view}/codes.{languages}"
            for pair in PAIRS
            for view in views(pair, "bpe")
            for languages in codes_languages(pair)
        ),
        *(
            str(Path(path).relative_to(RESULTS).with_suffix(""))
            for path in subword_files()
        ),
        *(f"binarize/{pair}/{view}" for pair in PAIRS for view in counted_views(pair)),
        *(
            run
            for stage in ["train", "translate", "restore", "score"]
            for run in runs(f"{stage}/{{pair}}/{{system}}/{{seed}}")
        ),
        *(
            str(Path(path).relative_to("<results>").with_suffix(""))
            for path in phenomena_files()
        ),
        *(f"{stage}/{pair}" for stage in ["coverage", "pairs"] for pair in PAIRS),
        *(f"symbol-scores/{pair}" for pair in symbolic),
    ]
    patterns = (re.sub(r"\.[0-9]+of([0-9]+)", r".*of\1", name) for name in names)
    return [f"{RESULTS}/benchmarks/{name}.tsv" for name in dict.fromkeys(patterns)]
