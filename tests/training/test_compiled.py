"""What was compiled for a shape is there when the shape comes again."""

import os
import subprocess
import sys

from contextnmt.training.compiled import CAPACITY, VARIABLE, keep_compiled_products

#: Convolutions, which oneDNN does on any processor; more shapes than it keeps by default.
MULTIPLY = """
import sys
import torch
from contextnmt.training.compiled import keep_compiled_products
if sys.argv[1] == "kept":
    keep_compiled_products()
weight = torch.ones(1, 32, 1, 3)
for _ in range(2):
    for size in range(1000, 1500):
        torch.nn.functional.conv2d(torch.ones(1, 32, 1, size), weight)
"""


def compiled(what):
    """How many functions are compiled for 500 shapes that come twice, some for each."""
    command = [sys.executable, "-c", MULTIPLY, what]
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    environment["ONEDNN_VERBOSE"] = "profile_create"
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return done.stdout.count("create:cache_miss")


def test_what_was_compiled_is_kept():
    assert compiled("kept") < 0.6 * compiled("by default")


def test_the_environment_has_the_last_word(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    keep_compiled_products()
    assert os.environ[VARIABLE] == str(CAPACITY)
    monkeypatch.setenv(VARIABLE, "7")
    keep_compiled_products()
    assert os.environ[VARIABLE] == "7"
