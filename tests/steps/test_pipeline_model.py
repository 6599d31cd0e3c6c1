import numpy as np
import pytest

from kb.steps.pipeline_model import one_f_one_b


@pytest.mark.parametrize(
    ("slow", "iteration", "idle"),
    [
        (0, 1998, (270, 639, 549, 459)),
        (1, 2043, (963, 225, 630, 540)),
        (2, 2088, (1008, 918, 180, 621)),
        (3, 2133, (1053, 963, 873, 135)),
    ],
)
def test_one_slow_stage_gives_the_derived_iteration_and_waiting(
    slow: int, iteration: float, idle: tuple[float, ...]
) -> None:
    backward = np.full(4, 90.0)
    backward[slow] *= 1.9
    schedule = one_f_one_b(np.full(4, 45.0), backward, 8)
    assert schedule.iteration == pytest.approx(iteration)
    # The table counts from the start of the step: a stage also waits for the first micro-batch to come down to it.
    assert tuple(schedule.idle + 45.0 * np.arange(4)) == pytest.approx(idle)


def test_a_healthy_pipeline_takes_stages_minus_one_and_all_micro_batches() -> None:
    forward, backward = np.full(4, 45.0), np.full(4, 90.0)
    assert one_f_one_b(forward, backward, 8).iteration == pytest.approx(1485)
    assert one_f_one_b(forward, backward, 16).iteration == pytest.approx(2565)


def test_a_delay_between_stages_is_paid_there_and_back() -> None:
    forward, backward = np.full(2, 1.0), np.full(2, 1.0)
    assert one_f_one_b(forward, backward, 1, delay=0.5).iteration == pytest.approx(5.0)


def test_replicas_run_side_by_side() -> None:
    forward = np.array([[1.0, 1.0], [2.0, 2.0]])
    assert one_f_one_b(forward, forward, 3).iteration.tolist() == [8.0, 16.0]
