#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "evolution/evolution.hpp"
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

Model model_of(const World& world) {
    Model model;
    model.kind = world.ferromagnet ? ModelKind::ferromagnet : ModelKind::edwards_anderson;
    model.dimension = world.dimension;
    model.field = world.field;
    model.p_ferro = world.p_ferro;
    model.p_absent = world.p_absent;
    model.boundary = world.open ? Boundary::open : Boundary::periodic;
    model.update = world.heat_bath ? Update::heat_bath : Update::metropolis;
    return model;
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

/// The two objects of one run, driven as a program would.
class Machine {
  public:
    Machine(const Case& which, const BackendChoice& choice) : case_(which) {
        bins_ = block_bins(which.schedule);
        evolution_ = make_evolution(choice, shape_of(which.world), betas_of(which.world), which.world.seed,
                                    couplings(which.world), static_cast<int>(which.schedule.sweeps_per_swap),
                                    model_of(which.world));
        measurement_ = make_measurement(*evolution_, static_cast<int>(bins_.size()),
                                        which.schedule.histogram_bins, which.world.magnetisation);
    }

    void random_start() {
        Ensemble& ensemble = evolution_->ensemble();
        ensemble.set_spins(random_spins(shape_of(case_.world), ensemble.key()));
    }

    void take_over(Machine& other) {
        evolution_->ensemble().set_spins(other.evolution_->ensemble().spins());
        evolution_->set_state(other.evolution_->state());
        measurement_->set_accumulators(other.measurement_->accumulators());
    }

    /// Sweeps [from, to) counted from the random start, from measurement to measurement.
    void advance(std::int64_t from, std::int64_t to) {
        const Schedule& s = case_.schedule;
        while (from < to) {
            const std::int64_t begin = s.thermalize_sweeps,
                               passed = std::max<std::int64_t>(0, from - begin) / s.measure_every;
            const std::int64_t next = std::min(to, begin + (passed + 1) * s.measure_every);
            evolution_->advance(from, next);
            from = next;
            const std::int64_t in_run = from - begin;
            if (in_run > s.run_first && in_run % s.measure_every == 0) measurement_->measure(bin(in_run));
        }
    }

    Result result() {
        Ensemble& ensemble = evolution_->ensemble();
        ensemble.compute_energies();
        return {spins_of_words(case_.world, ensemble.spins()), ensemble.energies(), evolution_->state(),
                measurement_->accumulators(), ensemble.magnetisations()};
    }

  private:
    int bin(std::int64_t sweep) const {
        for (std::size_t b = 0; b < bins_.size(); ++b)
            if (sweep > bins_[b].lower && sweep <= bins_[b].upper) return static_cast<int>(b);
        std::abort();
    }

    Case case_;
    std::vector<Bin> bins_;
    std::unique_ptr<Evolution> evolution_;
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
