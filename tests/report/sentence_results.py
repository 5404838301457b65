"""Made-up translations with alignments, and what the stages that show single sentences read."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from contextnmt.files import write_lines
from contextnmt.report.experiment import run_of
from contextnmt.report.tables import Table, write_table
from contextnmt.translation.alignment_file import Weights, write_alignments

if TYPE_CHECKING:
    from results_folder import Results


def make_alignments(stem: Path, sources: Iterable[str], translations: list[list[str]]) -> None:
    """What `translate --alignments` writes of a text."""
    write_lines(stem.with_name(f"{stem.name}.gz"), map(" ".join, translations))
    weights = [
        weights_of(len(line) + 1, len(source.split()) + 1)
        for source, line in zip(sources, translations, strict=True)
    ]
    write_alignments(stem.with_name(f"{stem.name}.alignments.npz"), weights)


def weights_of(rows: int, columns: int) -> Weights:
    """Attention that moves from the first to the last word of the source."""
    distances = np.linspace(0, columns - 1, rows)[:, None] - np.arange(columns)
    weights = np.exp(-(distances**2))
    return np.asarray(weights / weights.sum(1, keepdims=True))


def written(function: Callable[..., Table], arguments: dict[str, Any]) -> Table:
    """The table that a function makes of its arguments, which is then written as `out`."""
    table = function(**{name: value for name, value in arguments.items() if name != "out"})
    write_table(arguments["out"], table)
    return table


def example_arguments(results: "Results") -> dict[str, Any]:
    """What `examples` is called with."""
    return {
        "source": results.files("tokenize/*/*.en.gz"),
        "reference": results.files("tokenize/*/*.[fd]?.gz"),
        "hypothesis": results.files("restore/*/*/1/*.beam12.gz"),
        "about": results.experiment,
        "out": results.folder / "report" / "tables" / "examples",
    }


def difference_arguments(results: "Results") -> dict[str, Any]:
    """What `differences` is called with."""
    (text, *_) = results.about["test"]["en-fr"]
    return {
        "source": results.files(f"tokenize/*/{text}.en.gz"),
        "reference": results.files(f"tokenize/*/{text}.[fd]?.gz"),
        "source_counts": results.files("word-counts/*/en.tsv"),
        "target_counts": results.files("word-counts/*/[fd]?.tsv"),
        "hypothesis": results.files(f"restore/*/*/1/{text}.beam12.gz"),
        "about": results.experiment,
        "out": results.folder / "report" / "tables" / "differences",
    }


def alignment_arguments(results: "Results") -> dict[str, Any]:
    """What `alignment-maps` is called with."""
    translation = results.files("translate/*/*/1/*.beam12.gz")
    texts = [(run_of(path).pair, path.name.partition(".")[0]) for path in translation]
    source, reference = (
        [results.folder / f"tokenize/{p}/{text}.{p.split('-')[side]}.gz" for p, text in texts]
        for side in (0, 1)
    )
    counts = [
        [
            results.folder / f"word-counts/{p}/{p.split('-')[side]}.tsv"
            for p in {p for p, _ in texts}
        ]
        for side in (0, 1)
    ]
    return {
        "translation": translation,
        "view": source,
        "source": source,
        "reference": reference,
        "source_counts": counts[0],
        "target_counts": counts[1],
        "about": results.experiment,
        "out": results.folder / "report" / "figures",
    }
