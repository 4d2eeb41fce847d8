#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "evolution/move_sampler.hpp"
#include "lattice/packing.hpp"
#include "measure/measurement.hpp"

/// Makes a small run on one backend.
struct Simulation {
    static constexpr int sweeps_per_swap = 3, bins = 4, histogram_bins = 7;
    std::unique_ptr<psflip::IsingSampler> sampler;
    std::unique_ptr<psflip::Measurement> measurement;

    static constexpr std::uint64_t seed = 0x1234567890abcdef;

    /// sweeps: see BatchSetup::sweeps.
    Simulation(const std::string& backend, const psflip::Shape& shape, bool magnetisation = true,
               std::int64_t sweeps = 0) {
        const std::vector<std::int8_t> bonds = couplings(shape);
        sampler = psflip::make_ising_sampler({.choice = {.backend = backend, .threads = 0, .device = 0},
                                              .shape = shape,
                                              .betas = betas(shape.temperatures),
                                              .seed = seed,
                                              .couplings = bonds,
                                              .sweeps_per_swap = sweeps_per_swap,
                                              .sweeps = sweeps});
        measurement = psflip::make_measurement(*sampler, bins, histogram_bins, magnetisation);
        ensemble().set_spins(psflip::random_spins(shape, seed));
    }
    psflip::IsingEnsemble& ensemble() { return sampler->ensemble(); }

    /// Does `rounds` rounds. A round is sweeps_per_swap sweeps and an exchange. A measurement follows every
    /// second round.
    void run(std::int64_t first_round, int rounds) {
        const std::int64_t end = first_round + rounds;
        for (std::int64_t k = first_round; k < end;) {
            const int periods = k % 2 == 0 || k + 1 == end ? 1 : 2;
            sampler->advance(k * sweeps_per_swap, (k + periods) * sweeps_per_swap);
            k += periods;
            if (k % 2 == 1) measurement->measure(static_cast<int>(k / 2 % bins));
        }
    }

    /// Returns 1 / T for temperatures T from 0.8 up to, but below, 2.4.
    static std::vector<double> betas(int temperatures) {
        std::vector<double> out;
        for (int t = 0; t < temperatures; ++t) out.push_back(1.0 / (0.8 + 1.6 * t / temperatures));
        return out;
    }

    static std::vector<std::int8_t> couplings(const psflip::Shape& shape) {
        std::vector<std::int8_t> out(static_cast<std::size_t>(shape.realizations * 3 * shape.sites()));
        std::uint64_t x = 99;
        for (auto& J : out) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            J = x >> 63 ? 1 : -1;
        }
        return out;
    }
};

/// Sets PSFLIP_CUDA_KERNEL while it exists.
struct KernelChoice {
    explicit KernelChoice(const char* kernel) { setenv("PSFLIP_CUDA_KERNEL", kernel, 1); }
    ~KernelChoice() { unsetenv("PSFLIP_CUDA_KERNEL"); }
};
