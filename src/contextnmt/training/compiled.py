"""How many of the functions that it compiles the library behind a CPU's products keeps."""

import os

#: oneDNN reads it at its first product.
VARIABLE = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"

#: A training in bfloat16 has some 1,500 shapes of products (see `model.filler`).
CAPACITY = 2048


def keep_compiled_products() -> None:
    """Let oneDNN keep as many as a training needs, unless the environment says how many.

    By default it keeps 1,024, and compiles what comes again after those: up to a third of the time
    of a training in bfloat16. Each takes a megabyte, or somewhat more. To be called before the
    process first multiplies anything by oneDNN.
    """
    os.environ.setdefault(VARIABLE, str(CAPACITY))
