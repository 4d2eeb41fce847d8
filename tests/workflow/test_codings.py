"""Which coding of lanes is cheaper: the model of the plan against timings, and the table of both codings."""

import math

import pytest
from psflip.bench import lanes_table
from psflip.plan.plan_text import coding_lines
from psflip.plan.rates import seconds_by_coding

# Picoseconds per flip of one H200 by `bench-flip --sweep-lanes` (share 1, 2 replicas, commit 1d5b35d): (temperatures, L) -> lanes -> realizations -> ps.
MEASURED = {
    (24, 8): {"replicas": {1: 195.0, 4: 48.9, 16: 12.4, 64: 3.2, 256: 1.79}, "realizations": {128: 1.78, 256: 0.9}},
    (24, 12): {"replicas": {1: 58.6, 4: 14.6, 16: 3.71, 64: 1.68, 256: 1.03}, "realizations": {128: 1.21, 256: 0.61}},
    (24, 16): {"replicas": {1: 24.9, 4: 6.22, 16: 2.04, 64: 0.924, 256: 0.719}, "realizations": {128: 0.788, 256: 0.485}},
    (24, 24): {"replicas": {1: 7.55, 4: 2.44, 16: 1.13, 64: 0.723, 256: 0.718}, "realizations": {128: 0.498, 256: 0.33}},
    (24, 32): {"replicas": {1: 3.28, 4: 1.51, 16: 0.797, 64: 0.644, 256: 0.684}, "realizations": {128: 0.36, 256: 0.289}},
    (24, 48): {"replicas": {1: 1.92, 4: 0.962, 16: 0.744, 64: 0.719, 256: 0.724}, "realizations": {128: 0.307, 256: 0.273}},
    (56, 8): {"replicas": {1: 84.2, 4: 20.9, 16: 5.35, 64: 1.72, 256: 1.13}, "realizations": {128: 0.773, 256: 0.555}},
    (56, 12): {"replicas": {1: 25.4, 4: 6.33, 16: 2.07, 64: 0.944, 256: 0.72}, "realizations": {128: 0.525, 256: 0.438}},
    (56, 16): {"replicas": {1: 10.8, 4: 2.7, 16: 1.27, 64: 0.655, 256: 0.577}, "realizations": {128: 0.404, 256: 0.363}},
    (56, 24): {"replicas": {1: 3.4, 4: 1.54, 16: 0.804, 64: 0.615, 256: 0.632}, "realizations": {128: 0.37, 256: 0.292}},
    (56, 32): {"replicas": {1: 2.0, 4: 0.882, 16: 0.646, 64: 0.56, 256: 0.59}, "realizations": {128: 0.326, 256: 0.279}},
    (56, 48): {"replicas": {1: 1.22, 4: 0.73, 16: 0.631, 64: 0.632, 256: 0.623}, "realizations": {128: 0.303, 256: 0.275}},
}


def modelled(temperatures, L, realizations, lanes):
    copies, sites = 2 * temperatures, L**3
    return seconds_by_coding(sites, copies, realizations, 1, True)[lanes] * 1e12 / (sites * copies * realizations)


def test_model_is_near_the_timings():
    for (temperatures, L), by_lanes in MEASURED.items():
        for lanes, times in by_lanes.items():
            for realizations, ps in times.items():
                assert 1 / 1.8 < modelled(temperatures, L, realizations, lanes) / ps < 1.8, (temperatures, L, lanes, realizations)


def test_model_finds_the_cheaper_coding_where_they_differ():
    compared = 0
    for (temperatures, L), by_lanes in MEASURED.items():
        replicas, realizations = ({count: ps * count for count, ps in by_lanes[lanes].items()} for lanes in ("replicas", "realizations"))
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
    assert "replicas: sweeps 3 times faster" in coding_lines({"16": row}, 1, "realizations")[1]
    assert "faster" not in coding_lines({"16": row}, 1, "replicas")[1]


def test_table_interpolates_and_finds_the_change():
    replicas, realizations = {1: 10.0, 4: 20.0, 16: 80.0}, {128: 52.0, 256: 60.0}
    assert lanes_table.between(replicas, 2) == pytest.approx(200**0.5)
    assert lanes_table.between(replicas, 32) == 160.0
    assert [lanes_table.of_realizations(realizations, count) for count in (7, 129)] == pytest.approx([52.0, 60.0])
    assert lanes_table.crossing(replicas, realizations) == 11
    assert lanes_table.crossing({1: 1.0}, {128: 1e6}) is None
