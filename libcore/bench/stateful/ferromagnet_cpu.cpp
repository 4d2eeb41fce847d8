// Sweeps the ferromagnet with the literature's generators on the CPU.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/thread_pool.hpp"
#include "bench/stateful/ferromagnet_memory.hpp"
#include "bench/stateful/packed_memory.hpp"

namespace psflip {
namespace {

/// Updates a phase with one ring, for the threads of a block one after the other. A round takes one number
/// per bit and thread, in the order (bit, thread).
template <class Spins, class G>
std::int64_t update_ferromagnet_by_ring(const Spins& spins, const StreamsView<G>& streams,
                                        std::uint32_t stream, const SweepPhase& phase) {
    const std::uint32_t units = spins.units_of_phase(), width = spins.layout.width;
    G numbers = streams.stream(stream, phase.drawn.of(stream));
    std::vector<std::uint32_t> of_round(std::size_t{width} * Spins::numbers);  // (bit, thread)
    std::int64_t change = 0;
    for (std::uint32_t i = spins.layout.first_site(stream); i < units; i += spins.layout.step()) {
        for (std::uint32_t& number : of_round) number = numbers.next();
        for (std::uint32_t k = 0; k < width && i + k < units; ++k) {
            std::size_t bit = 0;
            const auto draws = spins.draw(phase, i + k, [&](const NumberPlace&, auto& array) {
                for (std::uint32_t& number : array) number = of_round[bit++ * width + k];
            });
            change += spins.update(phase, i + k, draws);
        }
    }
    return change;
}

/// Sweeps single sites one after the other, with a number only if a flip costs energy. `drawn` counts the
/// numbers.
template <int Degree, class G>
std::int64_t update_ferromagnet_in_rows(const SiteSpins<Degree>& lattice, const StreamsView<G>& streams,
                                        std::uint64_t sweep, std::uint64_t& drawn) {
    G numbers = streams.stream(0, drawn);
    std::int64_t change = 0;
    for (std::uint32_t place = 0; place < lattice.sites.sites; ++place) {
        const std::int32_t half = lattice.half_cost(place);
        if (half > 0) {
            ++drawn;
            const std::uint32_t number = draw(numbers, lattice.number_place(sweep, place));
            if (!lattice.flips(half, number)) continue;
        }
        lattice.spins[place] = -lattice.spins[place];
        change += half / 2;
    }
    numbers.store(streams.words(0));
    return change;
}

/// Sweeps a ferromagnet on the CPU. Threads work on the streams of a phase, in `tasks` ranges of neighbouring
/// streams. Memory is FerromagnetMemory or PackedMemory.
template <class Listed, class Memory>
class FerromagnetCpu : public Ferromagnet {
    using G = typename Listed::G;
    using Spins = decltype(std::declval<Memory>().view());

  public:
    FerromagnetCpu(const FerromagnetSetup& setup, const Listed& listed, int threads)
        : Ferromagnet(setup, fmt::format("cpu, {} thread{}", threads, threads == 1 ? "" : "s")),
          memory_(setup),
          streams_(setup.layout.streams, {setup.seed, listed.in_sequence}),
          pool_(threads),
          tasks_(std::min<std::int64_t>(setup.layout.streams, threads == 1 ? 1 : 4 * threads)),
          changes_(static_cast<std::size_t>(tasks_)),
          spins_(memory_.view()) {
        spins_.thresholds = range_thresholds(G::range, setup.beta);
        energy_ = memory_.energy(memory_.spins());
    }
    void sweep(int count) override {
        for (int i = 0; i < count; ++i, ++completed_)
            if (setup().order == UpdateOrder::sequential)
                update_in_rows();
            else
                for (std::uint32_t phase = 0; phase < memory_.phases(); ++phase)
                    update(spins_.phase(completed_, phase));
    }
    std::vector<std::int64_t> sweep_with_energies(int count) override {
        std::vector<std::int64_t> energies(static_cast<std::size_t>(count));
        for (std::int64_t& energy : energies) {
            sweep(1);
            energy = energy_;
        }
        return energies;
    }
    void set_spins(const std::vector<std::int8_t>& spins) override {
        memory_.set_spins(spins);
        energy_ = memory_.energy(memory_.spins());
    }
    std::vector<std::int8_t> spins() const override { return memory_.in_rows(memory_.spins()); }
    std::int64_t energy() const override { return energy_; }

  private:
    void update_in_rows() {
        if constexpr (requires { spins_.sites; })
            energy_ += 4 * update_ferromagnet_in_rows(spins_, streams_.view(), completed_, drawn_);
    }
    void update(const SweepPhase& phase) {
        const StreamsView<G> streams = streams_.view();
        const std::int64_t count = spins_.layout.streams;
        pool_.for_each(tasks_, [&](std::int64_t task, int) {
            std::int64_t change = 0;
            for (auto s = count * task / tasks_; s < count * (task + 1) / tasks_; ++s) {
                const auto stream = static_cast<std::uint32_t>(s);
                if (spins_.layout.width > 1)
                    change += update_ferromagnet_by_ring(spins_, streams, stream, phase);
                else
                    change += update_ferromagnet(spins_, streams, stream, phase);
            }
            changes_[static_cast<std::size_t>(task)] = change;
        });
        energy_ += 4 * std::accumulate(changes_.begin(), changes_.end(), std::int64_t{0});
    }

    Memory memory_;
    StreamSet<G> streams_;
    ThreadPool pool_;
    std::int64_t tasks_;
    std::vector<std::int64_t> changes_;  ///< (task): change of the energy over 4
    Spins spins_;
    std::uint64_t completed_ = 0, drawn_ = 0;
    std::int64_t energy_ = 0;
};

}  // namespace

std::unique_ptr<Ferromagnet> make_ferromagnet_cpu(const FerromagnetSetup& setup, int threads) {
    if (threads <= 0) threads = available_threads();
    std::unique_ptr<Ferromagnet> lattice;
    with_generator(setup.generator, [&](auto listed) {
        with_memory(setup, [&](auto memory) {
            using Memory = typename decltype(memory)::type;
            lattice = std::make_unique<FerromagnetCpu<decltype(listed), Memory>>(setup, listed, threads);
        });
    });
    return lattice;
}

}  // namespace psflip
