"""What the stages make under this configuration: files by stage, and benchmarks of all jobs."""

import threading

from contextnmt.corpus.overview import Wanted, overview, watch


def parallel_texts(*roles):
    """Every text that an experiment gives one of these roles, as (pair, text)."""
    return [(pair, text) for pair in PAIRS for text in texts(pair, *roles)]


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
        archive(pair, text, language)[0]
        for pair, text in parallel_texts("train", "dev", "test")
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
        for text in ["train", *texts(pair, "dev")]
        for language in [source, target]
    ]
    translated = [
        view_file(pair, view, text, source) for text in texts(pair, "dev", "test")
    ]
    return list(dict.fromkeys(trained + translated))


def symbolized_files():
    """All texts with symbols; the training texts always, for the coverage of Table 3."""
    training = side_files("symbolize", ((pair, "train") for pair in PAIRS))
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

    The report's own jobs are left out: they take seconds.
    """
    symbolic = [pair for pair in PAIRS if views(pair, "sym")]
    names = [
        *(str(Path(path).relative_to(RESULTS)) for path in archive_files()),
        *(
            f"{stage}/{pair}/{text}"
            for stage in ["extract", "tokenize"]
            for pair, text in parallel_texts("train", "dev", "test")
        ),
        *(f"clean/{pair}/{text}" for pair, text in parallel_texts("train")),
        *(f"select/{pair}" for pair in PAIRS),
        *(f"symbolize/{pair}/train" for pair in PAIRS),
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
    return [f"{RESULTS}/benchmarks/{name}.tsv" for name in names]
