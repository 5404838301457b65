"""The results of an experiment as a resolved configuration describes them.

What depends on the configuration alone is settled here: pairs, systems, texts, gaps, deviations.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from contextnmt.configuration import places, recipes
from contextnmt.configuration.model import beyond_page, model_settings
from contextnmt.configuration.places import Configuration
from contextnmt.corpus.chinese import UNSPACED
from contextnmt.report.results import ABLATION, Claim, Method, Reasons, Results, System


def results_of(
    folder: Path,
    configuration: Configuration,
    name: str,
    gaps: Reasons | None = None,
    digest: str = "",
    deviations: Iterable[Mapping[str, Any]] = (),
) -> Results:
    """The results of the experiment `name` by a resolved `configuration`.

    `gaps`: language pair -> system -> why it is not finished. `digest` is that of the
    configuration; `deviations` are settings that differ from the paper.
    """
    entry = configuration["experiments"][name]
    pairs = places.pairs(configuration, name)
    systems = [
        System(each, entry["systems"][each]["label"], entry["systems"][each]["view"])
        for each in recipes.systems(configuration, name)
    ]
    roles = {pair: places.roles(configuration, name, pair) for pair in pairs}
    made = {
        (pair, system.id): recipes.recipe(configuration, pair, system.id)
        for pair in pairs
        for system in systems
    }
    own_gaps = {
        pair: {system.id: reasons[system.id] for system in systems if system.id in reasons}
        for pair, reasons in (gaps or {}).items()
        if pair in pairs
    }
    tagged = {
        pair: text
        for pair in pairs
        for text in reversed(roles[pair]["test"])  # the first one counts
        if "phenomena" in places.text(configuration, text)
    }
    aligned = entry.get("alignments") or ""
    attentive = [s.id for s in systems if entry["systems"][s.id]["model"]["attention"]]
    return Results(
        folder=folder,
        name=name,
        title=entry["title"],
        table=entry["table"],
        reconstruction=" ".join(entry.get("reconstruction", "").split()),
        preset=configuration["preset"],
        corpora=configuration["about"],
        all_pairs=pairs,
        systems=systems,
        methods=[
            Method(key, method["name"], contrasts(method))
            for key, method in entry["methods"].items()
        ],
        claims=list(map(claim_of, entry.get("claims", []))),
        seeds=configuration["seeds"],
        beams=entry["decoding"]["beams"],
        translations=endings(entry["decoding"]),
        ensemble=bool(entry["decoding"]["ensemble"] and len(configuration["seeds"]) > 1),
        dev={pair: list(dict.fromkeys(roles[pair]["dev"])) for pair in pairs},
        test={pair: list(dict.fromkeys(roles[pair]["test"])) for pair in pairs},
        sentences={p: words for p, words in entry.get("sentences", {}).items() if p in pairs},
        vocabulary_size=configuration["text"]["vocabulary_size"],
        external_rules=configuration["text"].get("external_rules", True),  # as before the key
        symbol_threshold=configuration["text"]["symbol_threshold"],
        parts={pair: places.training_parts(configuration, pair) for pair in pairs},
        tagged=tagged,
        selected=[pair for pair in pairs if configuration["select"].get(pair)],
        contextualized=[of for of, recipe in made.items() if recipe["model"]["contextualizer"]],
        # The attention finds unknown words. Subwords copied or looked up one by one make no words.
        replaced=[
            of
            for of, recipe in made.items()
            if recipe["decoding"]["replace"]
            and recipe["model"]["attention"]
            and "bpe" not in recipe["view"]
        ],
        ablated=[
            of
            for of, recipe in made.items()
            if recipe["decoding"].get("symbol_ablation") and "sym" in recipe["view"]
        ],
        ablation_gaps={
            pair: {
                name.removesuffix(ABLATION): reason
                for name, reason in (gaps or {}).get(pair, {}).items()
                if name.endswith(ABLATION)
            }
            for pair in pairs
        },
        aligned=aligned if aligned in attentive else "",
        tried=[
            (pair, system)
            for system in entry.get("try_it", [])
            for pair in pairs
            if is_tried(made.get((pair, system)), pair)
        ],
        word=next(iter(entry.get("inspected_words", [])), ""),
        config_digest=digest,
        deviations=list(deviations),
        gaps={pair: reasons for pair, reasons in own_gaps.items() if reasons},
        configuration=configuration,
    )


def is_tried(recipe: Mapping[str, Any] | None, pair: str) -> bool:
    """Whether the page can translate with a system; not with one that is left out."""
    if recipe is None or pair.split("-")[0] in UNSPACED:
        return False
    return not beyond_page(model_settings(recipe["model"]))


def contrasts(entry: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The pairs of systems of a method."""
    return [(better, other) for better, other in entry["contrasts"]]


def claim_of(entry: Mapping[str, Any]) -> Claim:
    """A claim of the configuration."""
    pairs = {key: list(map(tuple, entry.get(key, []))) for key in ("contrasts", "quoted")}
    return Claim(**{**entry, **pairs, "section": entry.get("section") or ""})


def endings(decoding: Mapping[str, Any]) -> list[str]:
    """Endings of the names of a text's translations, at each beam width the likeliest first.

    Width 1 has no ``.normalised``: greedy search finds one translation of a sentence.
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
