"""What the page says about the trainings behind its numbers."""

from contextnmt.report.experiment import Run
from contextnmt.report.provenance import unfinished


def model(best: int, updates: int) -> dict[str, object]:
    return {"best": {"update": best}, "updates": updates}


def test_trainings_that_ended_at_their_best_are_counted() -> None:
    runs = [Run("en-fr", system, 1) for system in ("a", "b", "c")]
    models = dict(zip(runs, [model(900, 900), model(600, 900), model(900, 900)], strict=True))
    assert unfinished(models).startswith("2 of 3 trainings were at their best when they ended")
    assert unfinished({runs[0]: model(600, 900)}) == ""
