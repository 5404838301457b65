"""What the file of a run names: the inputs of its rule, and how it describes them."""


def run_files_needed(wildcards):
    """What raw text needs on its way through a run, besides the model."""
    view, source = recipe(wildcards)["view"], wildcards.pair.split("-")[0]
    needed = {}
    if "bpe" in view:
        needed["codes"] = codes_file(wildcards.pair, view, source)
    if "sym" in view:
        dictionary = f"{RESULTS}/rule-dictionary/{wildcards.pair}"
        needed["counts"] = f"{RESULTS}/word-counts/{wildcards.pair}/{source}.tsv"
        needed["rates"] = f"{dictionary}/rates.tsv"
        needed["rules"] = f"{dictionary}/rules.tsv"
    return needed


def run_description(wildcards, input, output):
    """A run in the words of `contextnmt.translation.run_file`; paths count from its folder."""
    source, target = wildcards.pair.split("-")
    folder = Path(output[0]).parent
    model = Path(input.model).parent
    seen = {key: os.path.relpath(path, folder) for key, path in input.items()}
    symbols = {key: seen[key] for key in ["counts", "rates", "rules"] if key in seen}
    threshold = CONFIGURATION["text"]["symbol_threshold"]
    return settings(
        {
            "source_language": source,
            "target_language": target,
            "model": os.path.relpath(model, folder),
            "codes": seen.get("codes"),
            "symbols": {**symbols, "threshold": threshold} if symbols else None,
        }
    )
