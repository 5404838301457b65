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
        for text in dict.fromkeys([*evaluated_texts(pair), *in_domain_texts(pair)])
    ]


def selected_pairs(experiment=None):
    """The pairs whose training text is a selection, of all or of an experiment."""
    pairs = pairs_of(experiment) if experiment else PAIRS
    return [pair for pair in pairs if selection(pair)]


def side_files(stage, names):
    """Both sides of the texts `names`, each (pair, text), as a stage wrote them."""
    return [
        f"{RESULTS}/{stage}/{pair}/{text}.{language}.gz"
        for pair, text in names
        for language in pair.split("-")
    ]


def archive_files(pairs=PAIRS):
    """Every file that a text of some language pairs lies in, but for the user's own."""
    files = {
        archive(pair, text.partition(".")[0], language)[0]
        for pair, text in all_training_parts() + other_texts()
        for language in pair.split("-")
        if pair in pairs
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


def rankings(experiment=None):
    """What is selected of the pool, for each pair with a selection, or those of an experiment."""
    return [f"{RESULTS}/rank/{pair}.json" for pair in selected_pairs(experiment)]


def perplexities(experiment=None):
    """What the selection gains over chance, for the same pairs."""
    return [f"{RESULTS}/perplexity/{pair}.json" for pair in selected_pairs(experiment)]


def selection_figures(experiment, *suffixes):
    """The figures that show the selection of each pair."""
    return expand(
        f"<results>/report/{experiment}/figures/selection.{{pair}}.{{quantity}}.{{suffix}}",
        pair=selected_pairs(experiment),
        quantity=["scores", "perplexity"],
        suffix=suffixes,
    )


def curve_figures(experiment, *suffixes):
    """The learning curves of each pair."""
    return expand(
        f"<results>/report/{experiment}/figures/curves.{{pair}}.{{quantity}}.{{suffix}}",
        pair=reported_pairs(experiment),
        quantity=["bleu", "loss"],
        suffix=suffixes,
    )


def gain_figures(experiment, *suffixes):
    """The figures of what each method adds, one a pair."""
    return expand(
        f"<results>/report/{experiment}/figures/gains.{{pair}}.{{suffix}}",
        pair=reported_pairs(experiment),
        suffix=suffixes,
    )


def aligned(experiment):
    """The system whose alignments are drawn, or None: not asked for, not here, or no attention."""
    entry = CONFIGURATION["experiments"][experiment]
    system = entry.get("alignments")
    if system not in systems_of(experiment):
        return None
    return system if entry["systems"][system]["model"]["attention"] else None


def aligned_pairs(experiment):
    """The language pairs in which they are drawn."""
    system = aligned(experiment)
    return [
        pair
        for pair in pairs_of(experiment)
        if system and system in finished(experiment, pair)
    ]


def alignment_figures(experiment, *suffixes):
    """The figures of alignments: of chosen sentences, where there are some, and of random ones."""
    chosen = CONFIGURATION["experiments"][experiment].get("sentences", {})
    return [
        f"<results>/report/{experiment}/figures/alignments.{pair}.{kind}.{suffix}"
        for pair in aligned_pairs(experiment)
        for kind in (["chosen", "random"] if chosen.get(pair) else ["random"])
        for suffix in suffixes or ["svg"]
    ]


def bleu_table(experiment):
    """What an experiment calls its table of BLEU."""
    return CONFIGURATION["experiments"][experiment]["table"]


def unreported():
    """The targets of reports that cannot be made: experiments, and the page of all papers without
    any."""
    without = [name for name in CONFIGURATION["experiments"] if name not in REPORTED]
    return without if REPORTED else [*without, "papers"]


def absence(experiment):
    """Why there is nothing to make of an experiment of the configuration, or of all of them."""
    if experiment == "papers":
        return ". ".join(map(absence, CONFIGURATION["experiments"]))
    entry = CONFIGURATION["experiments"][experiment]
    if experiment in EXPERIMENTS:
        return unfinished(experiment)
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


def tables_of(experiment):
    """The tables on the page of an experiment."""
    names = [bleu_table(experiment), "literature", "significance", "trainings"]
    names += ["length-scores", "cleaning", "selection", "examples", "differences"]
    if CONFIGURATION["experiments"][experiment].get("claims"):
        names.append("claims")
    if experiment == "choi2017":
        names += ["table2", "table3", "symbols", *analysis_tables()]
    if phenomena_files(experiment):
        names.append("phenomena")
    if replaced_scores(experiment):
        names.append("unknown-words")
    if symbol_score_files(experiment):
        names += ["symbol-scores", "symbol-errors", "restoration"]
    return [f"<results>/report/{experiment}/tables/{name}.json" for name in names]


def tables_of_papers():
    """What the page of all papers is made of: BLEU, how sure differences are, claims, caveats."""
    shown = ["significance", "claims", "masks", "trainings"]
    return [
        table
        for name in REPORTED
        for table in tables_of(name)
        if Path(table).stem in [bleu_table(name), *shown]
    ]


def other_formats(experiment, table):
    """A table in all formats but CSV."""
    stem = f"<results>/report/{experiment}/tables/{table}"
    return [f"{stem}.{suffix}" for suffix in ["json", "md", "tex"]]


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


def counted_pairs():
    """The language pairs of Table 3, if its experiment is asked for."""
    return pairs_of("choi2017") if "choi2017" in EXPERIMENTS else []


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


def symbol_score_files(experiment):
    """The scores of the symbols that are made without the target, if a system uses symbols."""
    uses = any("sym" in view_of(system) for system in systems_of(experiment))
    return [
        f"{RESULTS}/symbol-scores/{pair}.json" for pair in pairs_of(experiment) if uses
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


def benchmarks(experiment):
    """Patterns of the benchmark files of all jobs of an experiment, under this configuration alone.

    One pattern for all parts of a text: hundreds of names would be too long for a command. The
    report's own jobs are left out: they take seconds, and stand beside what they made.
    """
    pairs = pairs_of(experiment)
    names = [
        *(str(Path(path).relative_to(RESULTS)) for path in archive_files(pairs)),
        *(
            name
            for pair in pairs
            for made in [text_benchmarks, view_benchmarks]
            for name in made(experiment, pair)
        ),
        *(
            run
            for stage in ["train", "translate", "restore", "score"]
            for made in [finished_runs, finished_ensembles]
            for run in made(f"{stage}/{{pair}}/{{system}}/{{seed}}", experiment)
        ),
        *(
            str(Path(path).relative_to(RESULTS).with_suffix(""))
            for path in known_lines_of_all([experiment])
        ),
        *(
            str(Path(path).relative_to("<results>").with_suffix(""))
            for path in [
                *phenomena_files(experiment),
                *significance_files(experiment),
                *length_score_files(experiment),
            ]
        ),
        *replacing_benchmarks(experiment),
        f"stale/{experiment}",
    ]
    found = (glob.escape(f"{RESULTS}/benchmarks/{name}.tsv") for name in names)
    patterns = (re.sub(r"\.[0-9]+of([0-9]+)", r".*of\1", name) for name in found)
    return list(dict.fromkeys(patterns))


def text_benchmarks(experiment, pair):
    """Names of the benchmarks of an experiment's texts, from extract to select."""
    trained = training_parts(pair)
    others = dict.fromkeys([*roles_of(experiment, pair), *in_domain_texts(pair)])
    yield from (extraction(pair, text, shards(text)) for text in texts(pair, "train"))
    yield from (extraction(pair, text, 1) for text in others)
    yield from (f"tokenize/{pair}/{text}" for text in [*trained, *others])
    yield from (f"survey/{pair}/{part}" for of, part in surveyed_parts() if of == pair)
    yield from (f"clean/{pair}/{part}" for part in trained)
    if selection(pair):
        yield from (f"{stage}/{pair}" for stage in ["sample", "rank", "perplexity"])
        yield from (f"language-models/{pair}/{each}" for each in pair.split("-"))
        yield from (f"cross-entropy/{pair}/{part}" for part in trained)
    yield from (f"select/{pair}/{part}" for part in trained)


def view_benchmarks(experiment, pair):
    """Names of the benchmarks of the views of an experiment's texts, and of counts in them."""
    views = dict.fromkeys(map(view_of, systems_of(experiment)))
    yield from (f"word-counts/{pair}/{language}" for language in pair.split("-"))
    if experiment == "choi2017":  # Table 3 wants symbols, even if no system does
        yield from (f"symbolize/{pair}/{part}" for part in training_parts(pair))
        yield from (
            f"{stage}/{pair}" for stage in ["rule-dictionary", "coverage", "pairs"]
        )
        views |= dict.fromkeys(["word", "sym"])
        yield from analysis_benchmarks(pair)
    if any("sym" in view_of(system) for system in systems_of(experiment)):
        decoding = CONFIGURATION["experiments"][experiment]["decoding"]
        # Lines without unknown words are known of both sides of every text.
        both = ["dev", "test"] if decoding["no_unknown"] else ["dev"]
        yield from (
            f"symbolize/{pair}/{text}.pair"
            for text in roles_of(experiment, pair, *both)
        )
        yield from (
            f"symbolize/{pair}/{text}.source" for text in roles_of(experiment, pair)
        )
        yield f"symbol-scores/{pair}"
    for view in views:
        if "bpe" in view:
            yield from (
                f"bpe/{pair}/{view}/codes.{languages}"
                for languages in codes_languages(pair)
            )
            yield from (
                str(Path(path).relative_to(RESULTS).with_suffix(""))
                for path in view_texts(pair, view)
            )
        yield f"binarize/{pair}/{view}"
