"""Files of NumPy, so that any damage, or a full disk, is one line for the user."""

import io
import zipfile
import zlib
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.format import open_memmap

from contextnmt.errors import UserError
from contextnmt.files import atomic, open_binary, refuse_special

#: Errors of NumPy at damaged headers and contents, and of the zip archives that .npz files are.
DAMAGE = (
    ValueError,
    TypeError,
    KeyError,
    OverflowError,
    RuntimeError,
    EOFError,
    TokenError,
    zipfile.BadZipFile,
    zlib.error,
)


def save_array(path: Path, array: npt.NDArray[Any]) -> None:
    """Write an .npy file; raises UserError if it cannot be written to its last byte."""
    content = io.BytesIO()  # NumPy by itself does not notice that the last bytes of a file fail
    np.save(content, array, allow_pickle=False)
    with atomic(path, "wb") as out:
        out.write(content.getbuffer())


def map_array(path: Path, dtype: npt.DTypeLike, what: str, again: str) -> npt.NDArray[Any]:
    """Map the array of one dimension in an .npy file into memory.

    Raises UserError if the file is missing or holds anything else; the message says `what` it is
    not, and how to make it `again`.
    """
    refuse_special(path)
    open_binary(path).close()  # says so if there is no such file
    try:
        # np.load would take a zip archive, and a pickle, for an array too.
        array: npt.NDArray[Any] = open_memmap(path, mode="r")
        if array.dtype != dtype or array.ndim != 1:
            raise ValueError(f"{array.ndim} dimensions of {array.dtype}")
    except DAMAGE as error:
        raise UserError(f"{path}: not a file of {what} ({error}): {again}") from None
    return array
