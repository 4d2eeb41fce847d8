#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/thread_pool.hpp"
#include "sweep/stateful/ferromagnet_memory.hpp"

namespace psflip {
namespace {

/// A phase by one ring: the threads of a block one after the other.
template <int Degree, class G>
std::int64_t update_ferromagnet_by_ring(const FerromagnetView& lattice, const StreamsView<G>& streams,
                                        std::uint32_t stream, std::uint64_t sweep, std::uint32_t phase) {
    const std::uint32_t sites = lattice.sites.sites_of_phase(), width = lattice.layout.width;
    G numbers = streams.stream(stream, lattice.drawn(stream, sweep, phase));
    std::int64_t change = 0;
    for (std::uint32_t i = lattice.layout.first_site(stream); i < sites; i += lattice.layout.step())
        for (std::uint32_t k = 0; k < width; ++k) {
            const std::uint32_t number = numbers.next();
            if (i + k < sites)
                change += update_ferromagnet_site<Degree>(lattice, phase * sites + i + k, number);
        }
    return change;
}

/// A sweep of single sites one after the other: numbers only where a flip costs energy. `drawn` counts them.
template <int Degree, class G>
std::int64_t update_ferromagnet_in_rows(const FerromagnetView& lattice, const StreamsView<G>& streams,
                                        std::uint64_t sweep, std::uint64_t& drawn) {
    G numbers = streams.stream(0, drawn);
    std::int64_t change = 0;
    for (std::uint32_t place = 0; place < lattice.sites.sites; ++place) {
        const std::int32_t half = half_cost<Degree>(lattice, place);
        if (half > 0) {
            ++drawn;
            const std::uint32_t number = draw(numbers, number_place(lattice, sweep, place));
            if (!flips(half, number, lattice.thresholds)) continue;
        }
        lattice.spins[place] = -lattice.spins[place];
        change += half / 2;
    }
    numbers.store(streams.words(0));
    return change;
}

/// Threads take streams of a phase, in `tasks` shares of neighbouring ones.
template <class Listed, int Degree>
class FerromagnetCpu : public Ferromagnet {
    using G = typename Listed::G;

  public:
    FerromagnetCpu(const FerromagnetSetup& setup, const Listed& listed, int threads)
        : Ferromagnet(setup, fmt::format("cpu, {} thread{}", threads, threads == 1 ? "" : "s")),
          memory_(setup),
          streams_(setup.layout.streams, {setup.seed, listed.in_sequence}),
          pool_(threads),
          tasks_(std::min<std::int64_t>(setup.layout.streams, threads == 1 ? 1 : 4 * threads)),
          changes_(static_cast<std::size_t>(tasks_)) {
        lattice_ = memory_.view();
        lattice_.thresholds = range_thresholds(G::range, setup.beta);
        energy_ = memory_.energy(memory_.spins());
    }
    void sweep(int count) override {
        for (int i = 0; i < count; ++i, ++completed_) {
            if (setup().order == UpdateOrder::sequential)
                energy_ +=
                    4 * update_ferromagnet_in_rows<Degree>(lattice_, streams_.view(), completed_, drawn_);
            else
                for (std::uint32_t phase = 0; phase < lattice_.sites.phases; ++phase) update(phase);
        }
    }
    void set_spins(const std::vector<std::int8_t>& spins) override {
        memory_.set_spins(spins);
        energy_ = memory_.energy(memory_.spins());
    }
    std::vector<std::int8_t> spins() const override { return memory_.in_rows(memory_.spins()); }
    std::int64_t energy() const override { return energy_; }

  private:
    void update(std::uint32_t phase) {
        const StreamsView<G> streams = streams_.view();
        const std::int64_t count = lattice_.layout.streams;
        pool_.for_each(tasks_, [&](std::int64_t task, int) {
            std::int64_t change = 0;
            for (auto s = count * task / tasks_; s < count * (task + 1) / tasks_; ++s) {
                const auto stream = static_cast<std::uint32_t>(s);
                if (lattice_.layout.width > 1)
                    change +=
                        update_ferromagnet_by_ring<Degree>(lattice_, streams, stream, completed_, phase);
                else
                    change += update_ferromagnet<Degree>(lattice_, streams, stream, completed_, phase);
            }
            changes_[static_cast<std::size_t>(task)] = change;
        });
        energy_ += 4 * std::accumulate(changes_.begin(), changes_.end(), std::int64_t{0});
    }

    FerromagnetMemory memory_;
    StreamSet<G> streams_;
    ThreadPool pool_;
    std::int64_t tasks_;
    std::vector<std::int64_t> changes_;  ///< (task) of the energy over 4
    FerromagnetView lattice_;
    std::uint64_t completed_ = 0, drawn_ = 0;
    std::int64_t energy_ = 0;
};

}  // namespace

std::unique_ptr<Ferromagnet> make_ferromagnet_cpu(const FerromagnetSetup& setup, int threads) {
    if (threads <= 0) threads = available_threads();
    std::unique_ptr<Ferromagnet> lattice;
    with_generator(setup.generator, [&](auto listed) {
        using Listed = decltype(listed);
        if (setup.dimension == 3)
            lattice = std::make_unique<FerromagnetCpu<Listed, 6>>(setup, listed, threads);
        else
            lattice = std::make_unique<FerromagnetCpu<Listed, 4>>(setup, listed, threads);
    });
    return lattice;
}

}  // namespace psflip
