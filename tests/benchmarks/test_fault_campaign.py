"""benchmarks/faults.py: its faults are faults, and a small campaign of them loses nothing."""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from calls import ROOT
from mistakes import wrong_calls, wrong_configurations

from contextnmt import cli
from contextnmt.configuration.layers import of_call
from contextnmt.errors import UserError

Sampled = Callable[[Sequence[Any], int], list[Any]]


@pytest.mark.parametrize("preset", ["demo", "wmt14"])
def test_every_kind_of_wrong_configuration_is_refused(
    tmp_path: Path, preset: str, sampled: Sampled
) -> None:
    file, said = tmp_path / "wrong.yaml", {"preset": preset}
    kinds: dict[str, list[Any]] = {}
    for kind, layer in wrong_configurations(of_call(ROOT, [], said)):
        kinds.setdefault(kind, []).append({**said, **layer} if isinstance(layer, dict) else layer)
    assert len(kinds) == 8
    for kind, cases in kinds.items():
        for layer in sampled(cases, 3):
            file.write_text(json.dumps(layer))
            with pytest.raises(UserError, match=r"^[\w./]+\.yaml: "):
                of_call(ROOT, [file], {})
                pytest.fail(f"{kind}: {layer}")


def test_every_kind_of_wrong_command_line_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = tmp_path / "odd"
    (odd / "folder").mkdir(parents=True)
    (odd / "loop").symlink_to("loop")
    (odd / "garbage").write_bytes(b"\xff")
    for name in ("source", "target", "source.out"):
        (tmp_path / name).write_text("a b\n")
    words = ["clean", "--source", "source", "--target", "target", "--source-out", "source.out"]
    words += ["--target-out", "target.out", "--removed-out", "removed", "--settings", "{}"]
    monkeypatch.chdir(tmp_path)
    before = {path.name for path in tmp_path.iterdir()}
    kinds = set()
    for kind, wrong in wrong_calls(words, tmp_path, odd):
        monkeypatch.setattr("sys.argv", ["contextnmt", *wrong])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert ended.value.code == 2, (kind, wrong)
        assert "Traceback" not in capsys.readouterr().err
        kinds.add(kind)
    assert kinds >= {"a loop of links", "an output that is read", "no JSON", "a missing option"}
    # Where only the last output cannot be made, the others are whole.
    assert {path.name for path in tmp_path.iterdir()} == before | {"target.out"}


@pytest.mark.skipif(sys.platform != "linux", reason="a filter of Linux")
@pytest.mark.parametrize(("creating", "made"), [(True, False), (False, True)])
def test_writes_fail_from_the_chosen_file_on(tmp_path: Path, creating: bool, made: bool) -> None:
    program = (
        "from failing_writes import *\n"
        f"at_opening(2, lambda: let_writes_fail(122, {creating}))\n"
        "for name in 'abc':\n"
        "    try:\n"
        "        with open(name, 'w') as out: out.write(name)\n"
        "    except OSError as error: print(name, error.errno)\n"
    )
    command = [sys.executable, "-c", program]
    path = {"PYTHONPATH": str(ROOT / "benchmarks")}
    said = subprocess.check_output(command, cwd=tmp_path, env=path, text=True)
    assert said == "b 122\nc 122\n"
    assert (tmp_path / "a").read_text() == "a"
    assert (tmp_path / "b").exists() == made


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits and filters of Linux")
def test_a_small_campaign_loses_nothing(tmp_path: Path, seed: int) -> None:
    command = [sys.executable, ROOT / "benchmarks" / "faults.py", "--faults", "30"]
    command += ["--seed", f"{seed}", "--out", tmp_path / "page.md"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-5000:]
    *_, last = (tmp_path / "page.md").read_text().rstrip("\n").split("\n")
    assert last == "| all |  | 33 | 33 |"
