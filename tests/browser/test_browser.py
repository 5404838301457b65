"""The page in Chromium: it fits laptops and phones, loads nothing, and follows the dark scheme."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no chromium: apt-get install chromium")

#: A frame of exactly the wanted width (a window has a least width), and what is measured in it.
FRAME = """<!doctype html>
<iframe src="{page}" style="width:{width}px; height:900px; border:0"></iframe>
<pre></pre>
<script>
document.querySelector("iframe").onload = event => {{
  const inside = event.target.contentWindow, root = inside.document.documentElement;
  const style = inside.getComputedStyle(inside.document.body);
  const wide = [...inside.document.querySelectorAll("body *")].filter(element =>
    !element.closest(".scroll") && !element.closest("svg")
    && element.getBoundingClientRect().right > root.clientWidth + 1);
  document.querySelector("pre").textContent = JSON.stringify({{
    overflow: root.scrollWidth - root.clientWidth,
    wide: wide.map(element => element.outerHTML.slice(0, 80)),
    requests: inside.performance.getEntriesByType("resource").map(entry => entry.name),
    text: style.color,
    background: style.backgroundColor,
  }});
}};
</script>
"""


def measure(page: Path, width: int, folder: Path, *options: str) -> dict[str, Any]:
    """What the script of `FRAME` finds in a page of that width in pixels."""
    frame = folder / "frame.html"
    frame.write_text(FRAME.format(page=page.as_uri(), width=width))
    assert CHROMIUM
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    command += ["--allow-file-access-from-files", f"--user-data-dir={folder / 'profile'}"]
    command += ["--virtual-time-budget=5000", *options, frame.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    found = re.search(r"<pre>(.+)</pre>", done.stdout, flags=re.DOTALL)
    assert found, done.stderr
    measured: dict[str, Any] = json.loads(html.unescape(found[1]))
    return measured


@pytest.mark.parametrize("width", [390, 1280])
def test_page_fits_and_loads_nothing(reported: Path, tmp_path: Path, width: int) -> None:
    measured = measure(reported, width, tmp_path)
    assert measured["overflow"] == 0, measured["wide"]
    assert measured["wide"] == []
    assert [name for name in measured["requests"] if not name.startswith("data:")] == []


@pytest.mark.parametrize("options", [(), ("--force-dark-mode",)])
def test_text_stands_out_in_both_schemes(
    reported: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    measured = measure(reported, 1280, tmp_path, *options)
    text, background = luminance(measured["text"]), luminance(measured["background"])
    assert (text > background) == bool(options)
    # The strictest level of the Web Content Accessibility Guidelines (AAA).
    assert (max(text, background) + 0.05) / (min(text, background) + 0.05) >= 7


def luminance(colour: str) -> float:
    """Relative luminance of a colour like ``rgb(1, 2, 3)``, as the guidelines define it."""
    channels = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
