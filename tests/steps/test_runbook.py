"""The validation step as text."""

import re

from kb.steps.runbook import runbook


def test_every_pair_of_the_ring_is_tested_once_and_said_in_both_languages():
    steps = runbook(range(8, 16))
    tested = [re.findall(r"(\d+)→(\d+)", step.en) for step in steps]
    assert [len(pairs) for pairs in tested if pairs] == [4, 4]
    assert {int(rank) for pairs in tested for pair in pairs for rank in pair} == set(range(8, 16))
    for step in steps:
        assert step.ko
        figures = [sorted(re.findall(r"\d+(?:\.\d+)?", text)) for text in (step.en, step.ko)]
        assert figures[0] == figures[1]


def test_published_times_and_limits_stand_in_it():
    whole = " ".join(step.en for step in runbook((0, 1, 2)))
    for figure in ("0.59 s, 1.94 s", "0.8 s, 3.04 s", "2 times the median", "1.1 times", "10 seconds"):
        assert figure in whole


def test_a_lone_suspect_has_no_transfer_but_a_multiplication():
    steps = runbook((3,))
    assert not any("→" in step.en for step in steps)
    assert "ranks 3" in steps[1].en
