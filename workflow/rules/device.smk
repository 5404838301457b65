"""Whether what models compute on is there."""


def check_device(jobs):
    """End the call if jobs want a GPU and torch sees none here.

    They would fail one after another, and each would delete the model that it was to make anew.
    """
    if not any(job.resources.get("gpu") for job in jobs):
        return
    try:
        from contextnmt.model.device import choose_device
    except ImportError:  # torch is in the jobs' own environment
        return
    try:
        choose_device(paths.configuration["device"])
    except UserError as error:
        sys.exit(str(error))
