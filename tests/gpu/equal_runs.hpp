#pragma once

#include <doctest/doctest.h>

#include "simulation.hpp"

/// Holds everything that a run leaves: the arrays of its ensemble, the state of its sampler and the sums.
struct RunEnd {
    std::vector<std::int32_t> energies, magnetisations;
    std::vector<std::uint64_t> spins;
    psflip::SamplerState state;
    psflip::Accumulators sums;
    bool operator==(const RunEnd&) const = default;
};

inline RunEnd end_of(psflip::IsingSampler& sampler, const psflip::Accumulators& sums = {}) {
    psflip::IsingEnsemble& ensemble = sampler.ensemble();
    ensemble.compute_energies();
    return {ensemble.energies(), ensemble.magnetisations(), ensemble.spins(), sampler.state(), sums};
}
inline RunEnd end_of(Simulation& simulation) {
    return end_of(*simulation.sampler, simulation.measurement->accumulators());
}

inline void check_equal(const RunEnd& a, const RunEnd& b) {
    CHECK(a.energies == b.energies);
    CHECK(a.magnetisations == b.magnetisations);
    CHECK(a.spins == b.spins);
    const bool same_state = a.state == b.state;
    CHECK(same_state);
    CHECK(a.sums == b.sums);
}
inline void check_equal(Simulation& a, Simulation& b) {
    check_equal(end_of(a), end_of(b));
}

/// Checks that CPU and GPU leave equal arrays and sums after `rounds` rounds of Simulation::run.
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
