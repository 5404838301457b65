"""Print how much of the repository there is to read, beside how much there should be at most.

Usage, in a checkout: python scripts/sizes.py
"""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]

#: Files that nobody reads line by line: generated locks, word lists, published tables.
ASIDE = re.compile(r".*\.(lock|tsv|csv|png)|.*package-lock\.json|benchmarks/published/.*")

#: Lines of the files whose paths fit, and the goal.
LINES = {
    "`src/`": (r"src/.*", 20_000),
    "`Snakefile`, `workflow/Snakefile`, `workflow/rules/`": (
        r"(workflow/)?Snakefile|workflow/rules/.*",
        1_800,
    ),
    "Python outside `src/`, `tests/`, `benchmarks/`": (
        r"(?!src/|tests/|benchmarks/).*\.py",
        300,
    ),
    "`benchmarks/*.py`": (r"benchmarks/[^/]*\.py", 3_000),
    "`tests/`": (r"tests/.*", 20_000),
}


def files(pattern: str) -> list[Path]:
    """The tracked files whose paths fit a pattern."""
    tracked = subprocess.check_output(["git", "-C", str(ROOT), "ls-files"], text=True).split("\n")
    fitting = (path for path in tracked if re.fullmatch(pattern, path))
    return [ROOT / path for path in fitting if not ASIDE.fullmatch(path)]


def lines(pattern: str) -> int:
    """The lines of these files."""
    return sum(path.read_bytes().count(b"\n") for path in files(pattern))


def counted() -> Iterator[tuple[str, int, int]]:
    """Each part, its size and the goal."""
    for part, (pattern, goal) in LINES.items():
        yield f"{part}, lines", lines(pattern), goal
    yield "Python files in `src/`", len(files(r"src/.*\.py")), 120
    rules = "".join(path.read_text() for path in files(r"workflow/(rules/.*|Snakefile)"))
    for what, word, goal in [("rules", "rule", 60), ("functions in rule files", "def", 30)]:
        yield what, len(re.findall(rf"^\s*{word} \w+", rules, re.MULTILINE)), goal


if __name__ == "__main__":
    print("| part | now | goal: at most |\n|---|--:|--:|")
    for part, count, goal in counted():
        print(f"| {part} | {count:,} | {goal:,} |")
