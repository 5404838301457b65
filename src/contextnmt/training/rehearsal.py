"""The largest batch first: memory that is too small fails at once, not after hours."""

import torch
from torch import Tensor

from contextnmt.errors import UserError
from contextnmt.training.update import Updater

#: What to do about too little memory.
REMEDY = (
    "lower training.batch_size, training.max_length or the sizes under model (model.hidden, "
    "model.embedding, model.alignment, model.maxout), or take a machine with more"
)


def rehearse(updater: Updater, source: Tensor, target: Tensor) -> None:
    """Differentiate a batch, [B, S] and [B, T], without a trace.

    Its gradients are thrown away, the state of the random numbers is as before. Room for the
    optimizer's state, which is made later, is taken and given back. Raises UserError
    if memory does not suffice.
    """
    model, device = updater.model, updater.device
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        try:
            state = [torch.empty_like(weight) for weight in model.parameters() for _ in range(2)]
            updater.differentiate(source, target)
            del state
        except RuntimeError as error:
            if not out_of_memory(error):
                raise
            raise UserError(
                f"the {device.type} has no memory for the largest batch, {len(source)} pairs of up "
                f"to {source.size(1)} and {target.size(1)} symbols: {REMEDY}"
            ) from None
        finally:
            model.zero_grad()


def out_of_memory(error: RuntimeError) -> bool:
    """Whether torch found no memory, on a GPU or on the CPU (which has no type of error for it)."""
    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)
