"""How large a report of a preset as large as wmt14 is, and how long it takes to open in Chromium.

Its numbers are made up by tests/report/full_size.py: three seeds, trainings of a million updates.

Example: python benchmarks/report_page.py --out benchmarks/published/report_page.md
"""

import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from pages import made_by, publish, table

from contextnmt.errors import UserError

sys.path.append(str(Path(__file__).parents[1] / "tests" / "report"))

from full_size import LOSSES, SEEDS, make_full_size

EXPERIMENTS = ("choi2017", "bahdanau2015", "chen2017")
HEAD = ["report", "MB", "seconds to open", "slowest"]
NOTES = """
MB: of the HTML file, which holds its figures; what it links to is not in it. Seconds: from the
address to the last element laid out, script included, in a window of 1280 x 900 pixels; median, and
slowest, of the openings, each by a Chromium just started.
"""

#: Opens a page, has it laid out, and writes the milliseconds.
FRAME = """<!doctype html>
<iframe src="{page}" style="width:1280px; height:900px; border:0"></iframe>
<pre></pre>
<script>
const started = performance.now();
document.querySelector("iframe").onload = event => {{
  event.target.contentWindow.document.body.getBoundingClientRect();
  document.querySelector("pre").textContent = JSON.stringify(performance.now() - started);
}};
</script>
"""


def seconds_to_open(page: Path, folder: Path) -> float:
    """Seconds that Chromium, with a profile of its own in `folder`, takes to show a page."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        raise UserError("no chromium: install Debian's package chromium")
    frame = folder / "frame.html"
    frame.write_text(FRAME.format(page=page.as_uri()), encoding="utf-8")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    command += ["--allow-file-access-from-files", f"--user-data-dir={folder / 'profile'}"]
    command += ["--timeout=60000", frame.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    found = re.search(r"<pre>(.+)</pre>", done.stdout)
    if not found:
        raise UserError(f"{page}: not opened within a minute: {done.stderr[-300:]}")
    milliseconds: float = json.loads(found[1])
    return milliseconds / 1000


def main(
    out: Annotated[Path | None, typer.Option(help="Markdown file to write")] = None,
    openings: Annotated[int, typer.Option(help="how often each page is opened", min=1)] = 5,
) -> None:
    """Make the pages, open them, print the table and write it to `out` if given."""
    rows = []
    for name in EXPERIMENTS:
        with tempfile.TemporaryDirectory() as folder:
            page = make_full_size(Path(folder) / "made", name)
            times = [seconds_to_open(page, Path(folder)) for _ in range(openings)]
            size = page.stat().st_size / 1e6
        rows.append([name, f"{size:.1f}", f"{statistics.median(times):.2f}", f"{max(times):.2f}"])
    command = "python benchmarks/report_page.py --out benchmarks/published/report_page.md"
    lines = ["# Size of the reports, and how long they take to open", ""]
    lines += [*made_by(command, "matplotlib"), ""]
    lines += [
        f"{len(SEEDS)} seeds, logs of {len(LOSSES):,} records of the loss; {openings} openings."
    ]
    publish([*lines, "", *table(HEAD, rows, 1), *NOTES.rstrip().split("\n")], out)


if __name__ == "__main__":
    typer.run(main)
