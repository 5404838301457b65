"""A model that trains in a process of its own, as in a training: memory and caches are its own."""

from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection

import numpy as np
import numpy.typing as npt
import torch
from contestants import Contestant, speed
from made_up_pairs import Batch

Windows = Sequence[Sequence[Batch]]

#: Ids [sentences, time], as another process can be given them.
Sentences = npt.NDArray[np.int64]


class TrainingProcess:
    """A contestant elsewhere. To be closed at the end."""

    def __init__(
        self, make: Callable[[], Contestant], windows: Windows, device: torch.device, threads: int
    ) -> None:
        """`make` makes the contestant there, until `wait`; `windows` are batches on the CPU."""
        context = get_context("spawn")
        self.connection, other = context.Pipe()
        ids = [[[side.numpy() for side in batch] for batch in window] for window in windows]
        self.process = context.Process(
            target=serve, args=(other, make, ids, device, threads), daemon=True
        )
        self.process.start()
        other.close()  # so that its end is noticed here

    def wait(self) -> None:
        """Until the contestant is made."""
        self.sizes: str
        self.adds: float
        self.sizes, self.adds = self.connection.recv()

    def speed(self, window: int) -> float:
        """Target words a second in an update by each batch of a window."""
        self.connection.send(window)
        return float(self.connection.recv())

    def close(self) -> None:
        """End the process."""
        self.connection.close()
        self.process.join()


def serve(
    connection: Connection,
    make: Callable[[], Contestant],
    ids: Sequence[Sequence[Sequence[Sentences]]],
    device: torch.device,
    threads: int,
) -> None:
    """Send sizes and multiply-adds of what `make` makes; then, for each number of a window that
    comes, the speed of its updates."""
    torch.set_num_threads(threads)
    windows = [
        [Batch(*(torch.from_numpy(side).to(device) for side in batch)) for batch in window]
        for window in ids
    ]
    made = make()
    connection.send((made.sizes, made.adds))
    while True:
        try:
            number = connection.recv()
        except EOFError:
            return
        connection.send(speed(made, windows[number], device))
