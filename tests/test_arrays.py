"""Arrays in files."""

import os
import resource
import signal
from pathlib import Path

import numpy as np
import pytest

from contextnmt.arrays import save_array
from contextnmt.errors import UserError


def test_an_array_that_does_not_fit_is_no_file(tmp_path: Path) -> None:
    """Not even if its last bytes alone are missing."""
    child = os.fork()
    if child == 0:
        left = 1
        try:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
            with pytest.raises(UserError, match="cannot be written"):
                save_array(tmp_path / "a.npy", np.arange(10))
            left = len(os.listdir(tmp_path))
        finally:
            os._exit(left)
    assert os.waitpid(child, 0)[1] == 0
