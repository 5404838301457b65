"""Messages on `snakemake --config`."""

from pathlib import Path

import pytest
from snakemake.cli import parse_config

from contextnmt.configuration.layers import of_call
from contextnmt.configuration.places import Configuration
from contextnmt.errors import UserError

ROOT = Path(__file__).parents[2]


def called_with(*words: str) -> Configuration:
    """The configuration of `snakemake --config WORDS`."""
    return of_call(ROOT, [], parse_config(words))


def test_values_on_the_command_line_are_read_as_in_a_file() -> None:
    """Snakemake takes null, and all that stands in lists and blocks, for text."""
    called = called_with("seeds=[1, 2]", "systems=null", "training={clip: 0.5, patience: null}")
    assert (called["seeds"], called["systems"]) == ([1, 2], None)
    training = called["experiments"]["choi2017"]["training"]
    assert (training["clip"], training["patience"]) == (0.5, None)
    assert called_with("pairs=[en-de]", "text={joint_bpe: true}")["text"]["joint_bpe"] is True


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("device=null", "--config: device is null; allowed: cpu, cuda"),
        ("seeds=[1, x]", '--config: seeds[1] is "x"; allowed: a whole number of'),
        ("training={batch_size: 1:}", '--config: training is "{batch_size: 1:}"; allowed: a block'),
    ],
)
def test_a_mistake_on_the_command_line(words: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        called_with(words)
    assert str(caught.value).startswith(message)
