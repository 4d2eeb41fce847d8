"""Which coding of lanes is cheaper: the model of the plan against timings, and the table of both codings."""

import math

import pytest
from psflip.bench import lanes_table
from psflip.bench.bench_data import read_timings
from psflip.plan.codings import as_text, seconds_by_coding
from psflip.places import TIMINGS

MEASURED = sorted((TIMINGS / "gpu" / "results").glob("*-lanes.json"))


def timings():
    return [t for file in MEASURED for t in read_timings(file) if t.series == "lanes"]


def modelled(timing, lanes):
    copies, sites = timing.replicas * timing.temperatures, timing.L**3
    seconds = seconds_by_coding(sites, copies, timing.realizations, 1, timing.backend == "cuda")[lanes]
    return seconds * 1e12 / (sites * copies * timing.realizations)


def test_model_is_near_the_timings():
    assert {timing.lanes for timing in timings()} == {"replicas", "realizations"}
    for timing in timings():
        assert 1 / 1.8 < modelled(timing, timing.lanes) / timing.ps_per_flip < 1.8, timing


def test_model_finds_the_cheaper_coding_where_they_differ():
    compared = 0
    for L in (8, 12, 16, 24, 32, 48):
        for temperatures in (24, 56):
            here = [t for t in timings() if (t.L, t.temperatures) == (L, temperatures)]
            replicas, realizations = (lanes_table.seconds(here, lanes) for lanes in ("replicas", "realizations"))
            for count, found in replicas.items():
                other = lanes_table.of_realizations(realizations, count)
                if max(found / other, other / found) < 1.5:
                    continue
                seconds = seconds_by_coding(L**3, 2 * temperatures, count, 1, True)
                assert (seconds["replicas"] < seconds["realizations"]) == (found < other), (L, temperatures, count)
                compared += 1
    assert compared > 20


def test_few_realizations_want_replicas_and_many_do_not():
    for gpu in (False, True):
        for count, wanted in ((1, "replicas"), (1024, "realizations")):
            seconds = seconds_by_coding(16**3, 48, count, 1, gpu)
            assert min(seconds, key=seconds.get) == wanted
    one, five = (seconds_by_coding(16**3, 48, count, 128, False) for count in (1, 128))
    assert one["realizations"] == five["realizations"] and math.isclose(128 * one["replicas"], five["replicas"])


def test_the_plan_tells_only_what_helps():
    row = {"realizations_of_batch": 4, "seconds_per_sweep": {"realizations": 3.0, "replicas": 1.0}, "cheaper": "replicas"}
    assert "replicas: 3 times faster" in as_text({"16": row}, 1, "realizations")[1]
    assert "faster" not in as_text({"16": row}, 1, "replicas")[1]


def test_table_interpolates_and_finds_the_change():
    replicas, realizations = {1: 10.0, 4: 20.0, 16: 80.0}, {128: 52.0, 256: 60.0}
    assert lanes_table.between(replicas, 2) == pytest.approx(200**0.5)
    assert lanes_table.between(replicas, 32) == 160.0
    assert [lanes_table.of_realizations(realizations, count) for count in (7, 129)] == pytest.approx([52.0, 60.0])
    assert lanes_table.crossing(replicas, realizations) == 11
    assert lanes_table.crossing({1: 1.0}, {128: 1e6}) is None
