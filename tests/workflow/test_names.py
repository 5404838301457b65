"""Names from a configuration are refused or quoted: none becomes a command, an option or a path."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from contextnmt.configuration.layers import Layer, resolve
from contextnmt.configuration.reading import load
from contextnmt.errors import UserError

ROOT = Path(__file__).parents[2]
OWN = Layer("config.yaml", load(ROOT / "config.yaml"))

#: The first ones leave a file INJECTED where a shell takes them for more than a word.
EVIL = [
    "$(: >INJECTED)",
    "`: >INJECTED`",
    "; : >INJECTED;",
    "' ; : >INJECTED; '",
    '" ; : >INJECTED; "',
    "x && : >INJECTED",
    "{wildcards}{0}",
    "a  b",
    "-x",
    "--out=x",
    "a/../../b",
    "*?[a]",
    "$HOME\\",
    "#x",
]

#: No text on one line has these.
BROKEN = ["x\n: >INJECTED\n", "\x1b[31m", "x\r", "x\u2028y", "\x00"]

TEXT = {"file": "own.tsv", "columns": ["en", "fr"]}
FILES = {"own.tsv": {"local": "own.tsv"}}


def experiment(**keys: Any) -> dict[str, Any]:
    """Keys of choi2017."""
    return {"experiments": {"choi2017": keys}}


def corpus(name: str = "own", text: str = "mine", **files: Any) -> dict[str, Any]:
    """A corpus of one's own."""
    return {"corpora": {name: {"files": files or FILES, "texts": {text: TEXT}}}}


#: Names that stand for files, wildcards and parts of paths.
NAMES: dict[str, Callable[[str], dict[str, Any]]] = {
    "preset": lambda name: {"preset": name},
    "pair": lambda name: {"pairs": [name]},
    "pair of roles": lambda name: {"roles": {name: {"train": ["train"]}}},
    "system asked for": lambda name: {"systems": [name]},
    "system": lambda name: experiment(systems={name: {"label": "Mine", "view": "word"}}),
    "experiment": lambda name: {"experiments": {name: {}}},
    "corpus": lambda name: corpus(name=name),
    "text": lambda name: corpus(text=name),
    "text of a role": lambda name: {"roles": {"en-fr": {"dev": [name]}}},
}


@pytest.mark.parametrize("name", [*EVIL, *BROKEN])
@pytest.mark.parametrize("place", NAMES)
def test_a_name_has_letters_and_digits_alone(place: str, name: str) -> None:
    with pytest.raises(UserError) as caught:
        resolve(ROOT / "workflow", [OWN, Layer("mine.yaml", NAMES[place](name))])
    assert str(caught.value).startswith("mine.yaml: ")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize(
    "place",
    [
        lambda name: experiment(systems={"mine": {"label": name, "view": "word"}}),
        lambda name: experiment(claims=[{"says": name, "contrasts": [["bpe", "baseline"]]}]),
        lambda name: experiment(inspected_words=[name]),
        lambda name: experiment(sentences={"en-fr": [name]}),
        lambda name: corpus(**{name: FILES["own.tsv"]}),
        lambda name: corpus(**{"own.tsv": {"local": name}}),
        lambda name: corpus(**{"own.tsv": {"url": f"http://x/{name}", "md5": "0" * 32}}),
        lambda name: {"mirrors": [name]},
        lambda name: {"hand_placed": name},
    ],
)
def test_a_text_has_one_line(place: Callable[[str], dict[str, Any]], name: str) -> None:
    with pytest.raises(UserError) as caught:
        resolve(ROOT / "workflow", [OWN, Layer("mine.yaml", place(name))])
    assert str(caught.value).startswith("mine.yaml: ")
    assert all(line.isprintable() for line in str(caught.value).split("\n"))


def test_no_name_reaches_a_shell_unquoted(
    tmp_path: Path, snakemake: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """Every command of the workflow is run by a shell whose `python` does nothing."""
    words = [name for name in EVIL if "{" not in name]
    local = "own (1) " + "".join(words).replace("/", "")
    folder = tmp_path / local
    folder.mkdir()
    (folder / local).write_text("")
    file = "embedded (1)+@%~-.tar.gz"
    texts: dict[str, Any] = {name: {"file": file} for name in ("train", "dev")}
    evil = "".join(words)
    texts["test"] = {
        "file": file,
        "member": f"{evil}.{{lang}}",
        "references": {"fr": [f"{evil}2"]},
        "phenomena": f"{evil}3",
    }
    generated = {file: {"generator": "embedded", "seed": 1}}
    fetched = {
        name: {"url": f"http://localhost/{number}?{name.replace(' ', '')}", "md5": "0" * 32}
        for number, name in enumerate(words)
        if name[0] not in "-"
    }
    own = {
        "embedded": {"files": generated, "texts": texts},
        "own": {
            "files": {"own.tsv": {"local": local}},
            "texts": {"mine": {"file": "own.tsv", "columns": ["en", "fr", evil]}},
            "terms": "\n".join(EVIL),
            "cite": EVIL,
        },
        "far": {
            "files": {f"{n}.gz": entry for n, entry in enumerate(fetched.values())},
            "texts": {
                f"far{n}": {"file": f"{n}.gz", "member": f"{word}.{{lang}}"}
                for n, word in enumerate(fetched)
            },
        },
    }
    train = ["train", "mine", *own["far"]["texts"]]
    systems = {
        f"evil{n}": {"label": word, "view": "word", "context": True} for n, word in enumerate(EVIL)
    }
    words_shown = [word for word in words if " " not in word]
    claims = [{"says": word, "contrasts": [["bpe", "baseline"]]} for word in EVIL]
    keys = {
        "about": "\n".join(EVIL),
        "pairs": ["en-fr"],
        "corpora": own,
        "roles": {"en-fr": {"train": train}},
        "mirrors": EVIL[:6],
        "hand_placed": evil,
        "model": {"hidden": 8, "embedding": 8, "alignment": 8, "maxout": 8},
        **experiment(
            systems=systems,
            claims=claims,
            methods={word: {"name": word, "contrasts": [["bpe", "baseline"]]} for word in EVIL},
            inspected_words=words_shown,
            sentences={"en-fr": EVIL},
            alignments="bpe",
        ),
    }
    (folder / "mine.yaml").write_text(yaml.safe_dump(keys, allow_unicode=True))
    call = ["-n", "-p", "-s", str(ROOT / "Snakefile"), "--configfile", "mine.yaml"]
    planned = snakemake(folder, *call)
    assert planned.returncode == 0, planned.stdout[-3000:]
    commands = re.split(r"Shell command: (?!None\n)", planned.stdout)[1:]
    assert len(commands) > 100
    for command in commands:
        script = "python() { :; }\n" + command.partition("\n\n")[0]
        shell = ["/bin/bash", "-s"]
        done = subprocess.run(
            shell, input=script, cwd=folder, env={"PATH": ""}, capture_output=True, text=True
        )
        assert "syntax error" not in done.stderr, command
    assert not list(tmp_path.rglob("INJECTED"))


def test_a_clone_may_lie_in_a_folder_of_any_name(
    tmp_path: Path,
    clone: Callable[[], Path],
    snakemake: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    """Only braces are Snakemake's own."""
    named = "".join(name for name in EVIL if "{" not in name).replace("/", "")
    place = clone().rename(tmp_path / named)
    call = ["choi2017", "-c1", "--config", "gaps=true"]
    run = snakemake(place, *call)
    assert run.returncode == 1 and "\nno system of choi2017 is finished" in run.stdout
    assert not list(tmp_path.rglob("INJECTED"))
    place = place.rename(tmp_path / "a {x}")
    run = snakemake(place, *call)
    assert run.stdout.strip().endswith(
        f"{place}: Snakemake takes braces in this path for names of its own: move the clone"
    )
