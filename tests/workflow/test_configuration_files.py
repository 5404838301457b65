"""Files of configuration that are no YAML, or no text."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from configuration_reference import Key, editors_schema, keys
from jsonschema import validate

from contextnmt.configuration.keys import WholeConfiguration
from contextnmt.configuration.layers import Layer, resolve
from contextnmt.configuration.reading import load, refuse_said_twice
from contextnmt.configuration.recipes import merge
from contextnmt.configuration.values import schema_of, violations
from contextnmt.errors import UserError

ROOT = Path(__file__).parents[2]
PRESETS = [path.stem for path in (ROOT / "workflow/presets").glob("*.yaml")]


def test_broken_yaml_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("preset: demo\nseeds: [1\nmodel: {}\n")
    with pytest.raises(UserError, match=r"mine\.yaml, line \d: not YAML"):
        load(file)
    file.write_text("- 1\n")
    with pytest.raises(UserError, match="not a block of `key: value` lines"):
        load(file)


def test_a_device_is_no_configuration() -> None:
    with pytest.raises(UserError, match="/dev/zero: a folder, a pipe or a device"):
        load(Path("/dev/zero"))


def test_two_escapes_of_json_are_one_letter(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(json.dumps({"\N{GRINNING FACE}": "\ufeff\N{GRINNING FACE}"}))
    assert load(file) == {"\N{GRINNING FACE}": "\ufeff\N{GRINNING FACE}"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"preset: demo\nhand_placed: caf\xe9\n", "mine.yaml, line 2: not UTF-8"),
        (b'preset: demo\n"a\\ud83d": 1\n', "mine.yaml, line 2: not YAML: half a letter"),
        (b'preset: demo\npairs: ["\\ude00\\ud83d"]\n', "mine.yaml, line 2: .*half a letter"),
        (
            b"preset: demo\n\nhand_placed: a\x07b\n",
            r"mine.yaml, line 3: .*control character U\+0007",
        ),
        (b"", "mine.yaml: not a block of `key: value` lines"),
    ],
)
def test_a_file_that_is_no_yaml_text(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_bytes(content)
    with pytest.raises(UserError, match=message):
        load(file)
    file.unlink()
    with pytest.raises(UserError, match=r"mine\.yaml: cannot be read \(No such file"):
        load(file)


def bomb() -> str:
    """Aliases of aliases, which stand for a billion values."""
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    for level in range(1, 9):
        lines.append(f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("training: {clip: 1, clip: 2}", 'line 1: .*the key "clip" stands twice'),
        ("seeds: [1]\nseeds: [2]", 'line 2: .*the key "seeds" stands twice'),
        ("1: a\n1: b", 'line 2: .*the key "1" stands twice'),
        ("? [a, b]\n: 1", "line 1: .*a list or a block is no key"),
        ("? {a: b}\n: 1", "line 1: .*a list or a block is no key"),
        ("a: &a [*a]", "line 1: .*values by its aliases"),
        ("a: &a {b: *a}", "line 1: .*values by its aliases"),
        (bomb(), "line 5: .*over 100000 values by its aliases"),
        ("a: " + "[" * 5000 + "]" * 5000, "brackets are nested too deeply"),
        ("a: " + "{b: " * 5000 + "}" * 5000, "brackets are nested too deeply"),
        ("seeds: !!set {1, 2}", "line 1: .*not determine a constructor"),
        ("a: !!omap [b: 1]", "line 1: .*not determine a constructor"),
        ("a: !!int x", "does not fit the tag"),
        ("a: !!bool x", "does not fit the tag"),
        ("a: !!map 3", "expected a mapping|does not fit"),
        ("about: !!python/object/apply:os.system ['true']", "no constructor|not determine a"),
        ("a: 1\n---\nb: 2", "line 2: .*another document"),
    ],
)
def test_yaml_that_would_mislead(tmp_path: Path, content: str, message: str) -> None:
    """Each is refused in a moment, with one line."""
    file = tmp_path / "mine.yaml"
    file.write_text(content)
    with pytest.raises(UserError, match=message) as caught:
        load(file)
    assert str(caught.value).startswith("mine.yaml")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("number", ["010", "1:30", "0b11", "0x1f", "9" * 5000])
def test_a_number_that_is_no_plain_one_is_text(tmp_path: Path, number: str) -> None:
    (tmp_path / "mine.yaml").write_text(f"seeds: [{number}]\n")
    assert load(tmp_path / "mine.yaml") == {"seeds": [number]}
    own = Layer("config.yaml", load(ROOT / "config.yaml"))
    for said in [{"seeds": [number]}, {"training": {"batch_size": number}}]:
        with pytest.raises(UserError, match=rf'^--config: .* is "{number[:9]}.*whole number'):
            resolve(ROOT / "workflow", [own], Layer("--config", said))


def test_a_number_with_an_exponent_needs_no_point(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("training: {learning_rate: 4e-4, batch_size: 1e3}\n")
    own = [
        Layer("config.yaml", load(path)) for path in (ROOT / "config.yaml", tmp_path / "mine.yaml")
    ]
    called = Layer("--config", {"training": {"clip": "2e-1"}})
    made = resolve(ROOT / "workflow", own, called)["experiments"]["choi2017"]["training"]
    assert (made["learning_rate"], made["batch_size"], made["clip"]) == (4e-4, 1000, 0.2)


def test_keys_and_dates_are_text(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("files: {2014: 1, 2014-01-02: 2, true: 3, null: 4}\nabout: 2014-01-02\n")
    assert load(file) == {
        "files": {"2014": 1, "2014-01-02": 2, "true": 3, "null": 4},
        "about": "2014-01-02",
    }


def test_a_block_may_take_over_another_ones_keys(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("a: &a {x: 1, y: 2}\nb: {<<: *a, x: 3}\n")
    assert load(file)["b"] == {"x": 3, "y": 2}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["training={clip: 1, clip: 2}"], '--config: training: the key "clip" stands twice'),
        (["seeds=[1]", "seeds=[2]"], "--config: the key seeds stands twice"),
    ],
)
def test_a_key_said_twice_on_the_command_line(words: list[str], message: str) -> None:
    with pytest.raises(UserError) as caught:
        refuse_said_twice(["snakemake", "--config", *words, "-n"])
    assert str(caught.value).startswith(message)
    refuse_said_twice(["snakemake", "--config", "preset=demo", "seeds=[1, 2]"])
    refuse_said_twice(["snakemake", "--set-threads", "clean=2", "--config", "clean={}", "-n"])


#: Values that some keys take, and no key takes all of.
VALUES = [
    *(-1, 0, 0.5, 1.0, math.nan, math.inf, -math.inf, 10**400, -(10**400)),
    *("", "x\n", "1e3", "1_0", "null", "x" * 1000, "a{b}", "a/b"),
    *(True, None, [], [1.0], [[]], [None], {}, {"a": 1}, {"a\n": {}}, [{"a": {}}]),
]
SCHEMA = schema_of(WholeConfiguration)


@pytest.mark.parametrize("key", keys(SCHEMA, SCHEMA), ids=lambda key: key.path)
def test_every_key_refuses_what_it_cannot_be(key: Key) -> None:
    """With a message of one line each; no value ends in an error of another kind."""
    demo = resolve(ROOT / "workflow", [Layer("config.yaml", load(ROOT / "config.yaml"))])
    demo.pop("experiments")
    sound = [message for _, message in violations(WholeConfiguration, demo)]
    taken = []
    for value in VALUES:
        block: Any = value
        for step in reversed(key.path.replace("[]", ".[]").split(".")):
            block = [block] if step == "[]" else {step.replace("PAIR", "en-fr"): block}
        found = violations(WholeConfiguration, merge(demo, block))
        messages = [message for _, message in found if message not in sound]
        assert all(message.isprintable() and len(message) < 600 for message in messages)
        if not any(key.name in message for message in messages):
            taken.append(value)
    assert len(taken) < len(VALUES) - 4
    numbers = [value for value in taken if isinstance(value, int | float)]
    least = -1 if key.name == "at_least" else 0  # points of BLEU, of which a system may have less
    assert all(least <= value < 10**12 for value in numbers), numbers


@pytest.mark.parametrize("path", ["config.yaml", *(f"workflow/presets/{n}.yaml" for n in PRESETS)])
def test_the_schema_of_editors_takes_files_that_say_a_part(path: str) -> None:
    validate(load(ROOT / path), json.loads(editors_schema()))


def test_a_call_says_numbers_and_null_as_text_where_no_text_is_allowed() -> None:
    """Values as Snakemake hands on those of --config, and a module its own."""
    own = Layer("config.yaml", load(ROOT / "config.yaml"))
    said = {
        "systems": ["baseline"],
        "training": {"max_updates": "10", "patience": "null"},
        "experiments": {"choi2017": {"sentences": {"en-fr": ["2010", "no"]}}},
        "hand_placed": "null",
        "about": "12",
    }
    made = resolve(ROOT / "workflow", [own], Layer("--config", said))
    paper = made["experiments"]["choi2017"]
    assert (paper["training"]["max_updates"], paper["training"]["patience"]) == (10, None)
    assert paper["sentences"]["en-fr"] == ["2010", "no"]
    assert (made["hand_placed"], made["about"]) == (None, "12")


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ([{"model": 3}, {"model": {"hidden": 5}}], "1.yaml: model is 3; allowed: a block of keys"),
        ([{"training": [1]}, {"training": {}}], "1.yaml: training is [1]; allowed: a block of"),
        ([{"experiments": 3}, {"experiments": {}}], "1.yaml: experiments is 3; allowed: a block"),
        ([{"model": {"smoother": 3}}], "1.yaml: model.smoother is 3; allowed: a block of keys or"),
        ([{"corpora": {"mine": None}}], "1.yaml: corpora.mine is null; allowed: a block of keys"),
        (
            [{"corpora": {"embedded": {"texts": {"dev": {"lins": None}}}}}],
            "1.yaml: corpora.embedded.texts.dev.lins: unknown key; did you mean lines?",
        ),
    ],
)
def test_a_layer_is_wrong_by_itself(layers: list[dict[str, Any]], message: str) -> None:
    own = [Layer("config.yaml", load(ROOT / "config.yaml"))]
    own += [Layer(f"{number}.yaml", each) for number, each in enumerate(layers, 1)]
    with pytest.raises(UserError) as caught:
        resolve(ROOT / "workflow", own)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
