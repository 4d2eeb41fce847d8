#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "evolution/exchange.hpp"
#include "lattice/packing.hpp"
#include "measure/measurement.hpp"
#include "reference/cases.hpp"

namespace psflip::reference {

Shape shape_of(const World& world) {
    Shape shape;
    shape.L = world.L;
    shape.replicas = world.replicas;
    shape.temperatures = world.slots();
    shape.realizations = world.realizations;
    shape.first_realization = world.first_realization;
    shape.share = world.share;
    shape.dimension = world.dimension;
    return shape;
}

std::vector<double> betas_of(const World& world) {
    std::vector<double> betas;
    for (double temperature : world.temperatures) betas.push_back(1.0 / temperature);
    return betas;
}

std::vector<std::int8_t> spins_of_words(const World& world, const std::vector<std::uint64_t>& canonical) {
    const std::int64_t R = world.realizations, T = world.slots(), N = world.sites(), packs = (R + 63) / 64;
    std::vector<std::int8_t> spins(R * world.replicas * T * N);
    for (std::int64_t r = 0; r < R; ++r)
        for (std::int64_t replica = 0; replica < world.replicas; ++replica)
            for (std::int64_t slot = 0; slot < T; ++slot)
                for (std::int64_t site = 0; site < N; ++site) {
                    const std::uint64_t word =
                        canonical.at(((replica * T + slot) * packs + r / 64) * N + site);
                    spins[((r * world.replicas + replica) * T + slot) * N + site] =
                        word >> (r % 64) & 1 ? 1 : -1;
                }
    return spins;
}

std::vector<std::uint64_t> words_of_spins(const World& world, const std::vector<std::int8_t>& spins) {
    const std::int64_t R = world.realizations, T = world.slots(), N = world.sites(), packs = (R + 63) / 64;
    std::vector<std::uint64_t> canonical(world.replicas * T * packs * N, 0);
    for (std::int64_t r = 0; r < R; ++r)
        for (std::int64_t replica = 0; replica < world.replicas; ++replica)
            for (std::int64_t slot = 0; slot < T; ++slot)
                for (std::int64_t site = 0; site < N; ++site)
                    if (spins[((r * world.replicas + replica) * T + slot) * N + site] > 0)
                        canonical[((replica * T + slot) * packs + r / 64) * N + site] |= std::uint64_t{1}
                                                                                         << (r % 64);
    return canonical;
}

namespace {

/// The three objects of one run, driven as a program would.
class Machine {
  public:
    Machine(const Case& which, const BackendChoice& choice) : case_(which) {
        bins_ = block_bins(which.schedule);
        ensemble_ = make_ensemble(choice, shape_of(which.world), betas_of(which.world), which.world.seed,
                                  couplings(which.world));
        exchange_ = make_exchange(*ensemble_, static_cast<int>(which.schedule.sweeps_per_swap));
        measurement_ = make_measurement(*ensemble_, *exchange_, static_cast<int>(bins_.size()),
                                        which.schedule.histogram_bins);
    }

    void random_start() { ensemble_->set_spins(random_spins(shape_of(case_.world), case_.world.seed)); }

    void take_over(const Machine& other) {
        ensemble_->set_spins(other.ensemble_->spins());
        exchange_->set_state(other.exchange_->state());
        measurement_->set_accumulators(other.measurement_->accumulators());
    }

    /// Sweeps [from, to) counted from the random start, in bursts up to the next exchange or measurement.
    void advance(std::int64_t from, std::int64_t to) {
        const Schedule& s = case_.schedule;
        while (from < to) {
            // measurements may fall between exchanges where thermalize_sweeps is not a multiple of
            // sweeps_per_swap
            const std::int64_t begin = s.thermalize_sweeps,
                               passed = std::max<std::int64_t>(0, from - begin) / s.measure_every;
            const std::int64_t wanted = std::min(to, begin + (passed + 1) * s.measure_every);
            const int bursts =
                from % s.sweeps_per_swap == 0 ? static_cast<int>((wanted - from) / s.sweeps_per_swap) : 0;
            if (bursts > 0) {
                exchange_->sweep_and_exchange(from, bursts);
                from += bursts * s.sweeps_per_swap;
            } else {
                const std::int64_t next =
                    std::min(wanted, (from / s.sweeps_per_swap + 1) * s.sweeps_per_swap);
                ensemble_->sweep(from, static_cast<int>(next - from));
                from = next;
                if (from % s.sweeps_per_swap == 0) {
                    exchange_->compute_energies();
                    exchange_->exchange(from);
                }
            }
            const std::int64_t in_run = from - s.thermalize_sweeps;
            if (in_run > s.run_first && in_run % s.measure_every == 0) {
                if (from % s.sweeps_per_swap != 0) exchange_->compute_energies();
                measurement_->measure(bin(in_run));
            }
        }
    }

    Result result() {
        exchange_->compute_energies();
        return {spins_of_words(case_.world, ensemble_->spins()), exchange_->energies(), exchange_->state(),
                measurement_->accumulators()};
    }

  private:
    int bin(std::int64_t sweep) const {
        for (std::size_t b = 0; b < bins_.size(); ++b)
            if (sweep > bins_[b].lower && sweep <= bins_[b].upper) return static_cast<int>(b);
        std::abort();
    }

    Case case_;
    std::vector<Bin> bins_;
    std::unique_ptr<Ensemble> ensemble_;
    std::unique_ptr<Exchange> exchange_;
    std::unique_ptr<Measurement> measurement_;
};

std::int64_t end_of(const Case& which) {
    return which.schedule.thermalize_sweeps + which.schedule.run_last;
}

}  // namespace

Result run_library(const Case& which, const BackendChoice& choice) {
    Machine machine(which, choice);
    machine.random_start();
    machine.advance(0, end_of(which));
    return machine.result();
}

Result run_library_in_two(const Case& which, const BackendChoice& choice, std::int64_t cut) {
    Machine first(which, choice);
    first.random_start();
    first.advance(0, cut);
    Machine second(which, choice);
    second.take_over(first);
    second.advance(cut, end_of(which));
    return second.result();
}

std::vector<std::string> simd_levels() {
    std::vector<std::string> levels{"scalar"};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) levels.push_back("avx2");
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        levels.push_back("avx512");
#endif
    return levels;
}

ForceSimd::ForceSimd(const std::string& level) {
    const char* before = std::getenv("PSFLIP_SIMD");
    was_set_ = before != nullptr;
    if (was_set_) before_ = before;
    setenv("PSFLIP_SIMD", level.c_str(), 1);
}

ForceSimd::~ForceSimd() {
    if (was_set_)
        setenv("PSFLIP_SIMD", before_.c_str(), 1);
    else
        unsetenv("PSFLIP_SIMD");
}

void Hash::add(const void* data, std::size_t bytes) {
    const unsigned char* at = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i) state_ = (state_ ^ at[i]) * 1099511628211ull;
}

std::string Hash::text() const {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(state_));
    return digits;
}

}  // namespace psflip::reference
