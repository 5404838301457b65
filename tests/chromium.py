"""Pages in Chromium, and the systems that translate in them."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch

from contextnmt.files import read_json
from contextnmt.translation.browser_model import unpacked
from contextnmt.translation.ensemble import Ensemble
from contextnmt.translation.own_text import OwnText
from contextnmt.translation.run_file import read_run
from contextnmt.translation.saved import SavedTranslator
from contextnmt.translation.view_texts import Wanted

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

#: A frame of exactly the wanted width (a window has a least one), and what is found in the page.
SHELL = """<!doctype html>
<iframe src="%(page)s" style="width:%(width)dpx; height:900px; border:0"></iframe>
<pre></pre>
<script>
const find = async (inside, page, given) => {
%(script)s
};
document.querySelector("iframe").onload = async event => {
  const inside = event.target.contentWindow;
  const found = await find(inside, inside.document, %(given)s)
    .catch(error => ({ error: String(error) }));
  document.querySelector("pre").textContent = JSON.stringify(found);
};
</script>
"""

#: The answers of a system in the page, to its own sentences.
ANSWERS = """
const stored = page.querySelectorAll("#try-it script")[given.number];
inside.told = JSON.parse(stored.textContent);
return { answers: inside.eval(`(() => {
  const system = new System(told);
  return told.sentences.map(text => {
    const found = system.translate(text, ${given.beam});
    return found && { tokens: found.tokens, words: found.restored.join(" "), score: found.score,
      symbols: found.symbols.map(each => [each.name, each.source, each.target]),
      attention: found.attention };
  });
})()`) };
"""


def shown(
    page: Path, script: str, folder: Path, *options: str, width: int = 1280, **given: Any
) -> dict[str, Any]:
    """The result of a script in the page, in a frame of that width in pixels.

    It is the body of a function of `inside`, the frame's window, `page`, its document, and `given`,
    and returns what JSON can hold.
    """
    filled = {"page": page.as_uri(), "width": width, "script": script, "given": json.dumps(given)}
    frame = folder / "frame.html"
    frame.write_text(SHELL % filled)
    assert CHROMIUM
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    command += ["--allow-file-access-from-files", f"--user-data-dir={folder / 'profile'}"]
    command += ["--virtual-time-budget=5000", *options, frame.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    found = re.search(r"<pre>(.+)</pre>", done.stdout, flags=re.DOTALL)
    assert found, done.stderr
    measured: dict[str, Any] = json.loads(html.unescape(found[1]))
    assert "error" not in measured, measured["error"]
    return measured


def same_weights(run: Path, model: Path, beam: int) -> tuple[OwnText, list[dict[str, Any] | None]]:
    """The answers of `contextnmt translate` with the weights of the page."""
    told, found = read_json(model), read_run(run)
    translator = SavedTranslator([Path(found.model)], torch.device("cpu"))
    [network] = translator.ensemble.models
    weights = {name: torch.from_numpy(unpacked(each)) for name, each in told["weights"].items()}
    network.load_state_dict(weights)
    translator.ensemble = Ensemble([network])
    own = OwnText(found, translator, beam, Wanted(1, no_unknown=False, alignments=True))
    return own, [next(iter(json.loads(line)), None) for line in own.answers(told["sentences"])]


def same_answers(
    page: Path, number: int, run: Path, model: Path, beam: int, folder: Path
) -> list[bool]:
    """Of each sentence of a model, system `number` of the page, whether its translation is that of
    `contextnmt translate` with the same weights. Where it is, its score and attention are too, and
    tokens and symbols always."""
    found = shown(page, ANSWERS, folder, number=number, beam=beam)["answers"]
    own, expected = same_weights(run, model, beam)
    same = []
    for text, here, there in zip(read_json(model)["sentences"], found, expected, strict=True):
        if there is None:
            same.append(here is None)
            continue
        sentence = own.view.write(text)
        assert here["tokens"] == sentence.tokens
        assert {name: target for name, _, target in here["symbols"]} == dict(sentence.surfaces)
        same.append(own.view.detokenize(here["words"]) == there["text"])
        if same[-1]:
            assert here["score"] == pytest.approx(there["score"], abs=1e-3)
            [aligned] = there["alignments"]
            for row, other in zip(here["attention"], aligned["weights"], strict=True):
                assert row == pytest.approx(other, abs=1e-3)
    return same
