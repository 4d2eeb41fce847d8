#pragma once

#include <doctest/doctest.h>

#include "simulation.hpp"

/// Everything that a run leaves must be equal.
inline void check_equal(Simulation& a, Simulation& b) {
    for (Simulation* s : {&a, &b}) s->ensemble().compute_energies();
    CHECK(a.ensemble().energies() == b.ensemble().energies());
    CHECK(a.ensemble().spins() == b.ensemble().spins());
    const psflip::TemperingState s = a.sampler->tempering(), t = b.sampler->tempering();
    CHECK(s.walker == t.walker);
    CHECK(s.last_end == t.last_end);
    CHECK(s.accepted == t.accepted);
    CHECK(s.attempted == t.attempted);
    CHECK(s.round_trips == t.round_trips);
    const psflip::Accumulators x = a.measurement->accumulators(), y = b.measurement->accumulators();
    for (int i = 0; i < psflip::n_sums; ++i) {
        CHECK(x.integers[i] == y.integers[i]);
        CHECK(x.reals[i] == y.reals[i]);
    }
    CHECK(x.histogram == y.histogram);
    CHECK(x.link_histogram == y.link_histogram);
    CHECK(x.lowest_energy == y.lowest_energy);
    CHECK(x.lowest_count == y.lowest_count);
    CHECK(x.count == y.count);
    CHECK(x == y);
}

/// On both backends.
inline void check_case(const psflip::Shape& shape, std::int64_t first_round, int rounds,
                       bool magnetisation = true) {
    INFO("L " << shape.L << " share " << shape.share << " realizations " << shape.realizations
              << " temperatures " << shape.temperatures << " replicas " << shape.replicas << " first "
              << shape.first_realization);
    Simulation cpu("cpu", shape, magnetisation), cuda("cuda", shape, magnetisation);
    INFO(cuda.ensemble().description());
    cpu.run(first_round, rounds);
    cuda.run(first_round, rounds);
    check_equal(cpu, cuda);
}
