"""Dev texts whose translations are restored before they are scored (A22).

Trainings of systems without symbols do not load this module: an edit of the restoration concerns
the others alone.
"""

from collections.abc import Sequence
from pathlib import Path

from contextnmt.errors import UserError
from contextnmt.files import read_pairs
from contextnmt.text.numbers import check_languages
from contextnmt.text.restore import SurfaceFinder, restore_tokens, surface_finder
from contextnmt.text.symbol_tables import Languages, read_rules, read_symbols
from contextnmt.training.validation import Restored


def read_restored(
    text: Sequence[Path],
    symbols: Sequence[Path],
    reference: Sequence[Path],
    rules: Path,
    languages: Languages,
) -> Restored:
    """Read as many texts in the view of a system as tables of their symbols and references.

    `languages`: by which external rules write numbers, None without them. Raises UserError if a
    text has another number of lines than its reference, or fewer than its table, if a table is
    damaged, or a language unknown.
    """
    if languages:
        check_languages(*languages)
    found = Restored([], [], [], restore_tokens)
    find = surface_finder(read_rules(rules), languages)
    for source, table, target in zip(text, symbols, reference, strict=True):
        pairs = list(read_pairs(source, target))
        found.source.extend(line for line, _ in pairs)
        found.reference.extend(line for _, line in pairs)
        found.surfaces.extend(surfaces(table, find, source, len(pairs)))
    return found


def surfaces(table: Path, find: SurfaceFinder, text: Path, lines: int) -> list[dict[str, str]]:
    """Symbol -> target surface, for each of the `lines` of a text, by the table of its symbols."""
    known = read_symbols(table)
    if known and max(known) > lines:
        raise UserError(
            f"{table} has symbols of line {max(known)}, but {text} has {lines} lines: give the "
            "table that was written with this text"
        )
    of_lines = (known.get(number, {}) for number in range(1, lines + 1))
    return [{name: find(name, source)[0] for name, source in each.items()} for each in of_lines]
