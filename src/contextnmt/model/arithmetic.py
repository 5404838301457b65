"""How a model computes: on which device, in which types, by which products of matrices (A46).

A product has the type of its matrix, whatever type its factors have: 16 bits, or 32. Sums of
products have 32.

Shapes: products side by side D, batch B, hidden n, what enters the gates g.
"""

from collections.abc import Iterator
from functools import cache

import torch
from torch import Tensor, nn
from torch.nn import functional

from contextnmt.errors import UserError
from contextnmt.progress import say

#: Types of devices whose results the program may look at, at any time. To look at those of a GPU
#: synchronizes: the GPU first ends all that it was given, and then idles until it is given more.
CPU_TYPES = {"cpu"}


def choose_device(name: str) -> torch.device:
    """Return the device `cpu` or `cuda`, without TF32 until a training allows it (A46).

    Raises UserError if there is no such device.
    """
    if name not in ("cpu", "cuda"):
        raise UserError(f"device {name!r}: choose from cpu, cuda")
    if name == "cuda" and not torch.cuda.is_available():
        raise UserError(
            "device cuda: torch sees no GPU here; run on a machine with one, install a CUDA "
            "build of torch, or choose cpu"
        )
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
    return torch.device(name)


def is_cpu(device: torch.device) -> bool:
    """Whether to look at a result costs nothing, as on a CPU: on a GPU it would synchronize."""
    return device.type in CPU_TYPES


def exact_on_cpu(tensor: Tensor) -> Tensor:
    """Return `tensor` in 32 bits at least on a CPU, and as it is on a GPU (A46).

    A CPU takes longer over 16 bits in all but products of large matrices.
    """
    if tensor.device.type != "cpu":
        return tensor
    return tensor.to(torch.promote_types(tensor.dtype, torch.float32))


def slices(rows: int, size: int, most: int) -> Iterator[slice]:
    """Yield parts of `rows` rows of `size` numbers, each of one row or of `most` numbers."""
    step = max(1, most // size)
    return (slice(start, start + step) for start in range(0, rows, step))


def fuses(tensor: Tensor) -> bool:
    """Whether `fused` computes recurrences and losses of `tensor`: on a GPU, if Triton compiles."""
    return tensor.is_cuda and compiles(tensor.device)


@cache
def compiles(device: torch.device) -> bool:
    """Whether Triton, which needs a C compiler and Python's headers, compiles; if not, log why."""
    try:
        from contextnmt.model.fused.kernels import into_slopes

        numbers = torch.zeros(3, 1, device=device)
        target = torch.zeros(1, dtype=torch.long, device=device)
        into_slopes(numbers[:1], target, numbers[1], numbers[2])
    except Exception as error:  # whatever it is, there is another way
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        say(
            f"Triton cannot compile for {device}, so training may take up to twice as long "
            f"({reason}). It needs a C compiler and Python's headers"
        )
        return False
    return True


#: Numbers that the length of a row should be a multiple of: else, as with the papers' embeddings,
#: a product in 16 bits takes a GPU several times as long.
MULTIPLE = 8


def aligned(factors: Tensor, matrix: Tensor) -> tuple[Tensor, Tensor]:
    """Return factors [..., k] and a matrix [..., k], with columns of zeros up to a `MULTIPLE`.

    The columns are added only where autocast lets a GPU multiply in 16 bits.
    """
    device, missing = factors.device, -factors.size(-1) % MULTIPLE
    if not missing or is_cpu(device) or not torch.is_autocast_enabled(device.type):
        return factors, matrix
    return functional.pad(factors, (0, missing)), functional.pad(matrix, (0, missing))


class Linear(nn.Linear):
    """The layer of torch with `aligned` factors, for inputs that are embeddings."""

    def forward(self, inputs: Tensor) -> Tensor:
        """Return [..., out] from `inputs` [..., in]."""
        return functional.linear(*aligned(inputs, self.weight), self.bias)


def plus_product(inputs: Tensor, states: Tensor, matrix: Tensor) -> Tensor:
    """Return `inputs` [D, B, g] plus the product of `states` [D, B, n] and `matrix` [D, n, g].

    The result is new, and has the type of the states.
    """
    factors = states.to(matrix.dtype)
    if inputs.dtype == matrix.dtype:
        return torch.baddbmm(inputs, factors, matrix).to(states.dtype)
    return torch.bmm(factors, matrix).to(states.dtype).add_(inputs)


def add_product(to: Tensor, factors: Tensor, matrix: Tensor) -> Tensor:
    """Add the product of `factors` [D, B, g] and `matrix` [D, g, n] to `to` [D, B, n]."""
    factors = factors.to(matrix.dtype)
    if to.dtype == matrix.dtype:
        return to.baddbmm_(factors, matrix)
    return to.add_(torch.bmm(factors, matrix))


def write_product(to: Tensor, factors: Tensor, matrix: Tensor) -> Tensor:
    """Write the product of `factors` [B, n] and `matrix` [n, g] to `to` [B, g], and return it."""
    if to.dtype == matrix.dtype == factors.dtype:
        return torch.mm(factors, matrix, out=to)
    return to.copy_(factors.to(matrix.dtype) @ matrix)


def of_matrix(inputs: Tensor, states: Tensor) -> Tensor:
    """Return the gradient of a matrix [D, g, n] that maps `states` [D, N, n].

    `inputs` [D, N, g] is the gradient of what the matrix returned, in the type of the states.

    Each direction is a product of its own: for one of both, torch would first copy `inputs` of 16
    bits, which are columns of wider rows.
    """
    found = inputs.new_empty(len(inputs), inputs.size(2), states.size(2))
    for each, entered, state in zip(found, inputs, states, strict=True):
        torch.mm(entered.t(), state, out=each)
    return found
