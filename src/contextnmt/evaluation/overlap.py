"""Stage *overlap*: the dev and test pairs that stand in the training text.

A translation of what was trained on scores high whatever the system is worth.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from contextnmt.errors import one_of_each
from contextnmt.files import read_pairs, write_json
from contextnmt.progress import progress, say


def overlap(
    source: Annotated[list[Path], typer.Option(help="training text, tokenized; repeatable")],
    target: Annotated[list[Path], typer.Option(help="its target side, as often")],
    name: Annotated[list[str], typer.Option(help="name of a dev or test text; repeatable")],
    text_source: Annotated[list[Path], typer.Option(help="its source side, tokenized")],
    text_target: Annotated[list[Path], typer.Option(help="its target side")],
    out: Annotated[Path, typer.Option(help="JSON file to write")],
) -> None:
    """Count the pairs and the source sentences of dev and test texts that are in a training text.

    Two sentences are the same if all their tokens are. Empty lines do not count. The dev and test
    texts are held in memory.

    Example: contextnmt overlap --source select/en-fr/train.en.gz --target select/en-fr/train.fr.gz
    --name test --text-source tokenize/en-fr/test.en.gz --text-target tokenize/en-fr/test.fr.gz
    --out overlap.json
    """
    one_of_each("training text", source=source, target=target)
    one_of_each("text", name=name, text_source=text_source, text_target=text_target)
    texts = {
        text: list(read_pairs(*sides))
        for text, *sides in zip(name, text_source, text_target, strict=True)
    }
    counts = overlaps(source, target, texts)
    write_json(out, counts)
    for text, counted in counts.items():
        if counted["sources"]:
            say(
                f"warning: {text}: {counted['pairs']} of {counted['read']} sentence pairs, and "
                f"{counted['sources']} source sentences, are in the training text too: scores on "
                "them tell nothing about new text"
            )


def overlaps(
    source: Sequence[Path], target: Sequence[Path], texts: Mapping[str, list[tuple[str, str]]]
) -> dict[str, dict[str, int]]:
    """Name of a text -> its ``read`` pairs with words, and the ``pairs`` and ``sources`` of these
    that are in a training text, whose parts have a `source` and a `target` side each."""
    wanted = {left for pairs in texts.values() for left, _ in pairs if left}
    seen: dict[str, set[str]] = {}
    trained = chain.from_iterable(map(read_pairs, source, target))
    for left, right in progress(trained, "overlap", "pairs"):
        if left in wanted:
            seen.setdefault(left, set()).add(right)
    counts = {}
    for name, pairs in texts.items():
        found = [(left, right) for left, right in pairs if left]
        counts[name] = {
            "read": len(found),
            "pairs": sum(right in seen.get(left, ()) for left, right in found),
            "sources": sum(left in seen for left, _ in found),
        }
    return counts
