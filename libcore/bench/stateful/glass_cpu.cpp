// Sweeps the glass with the literature's generators on the CPU.
#include <fmt/format.h>

#include <algorithm>

#include "base/thread_pool.hpp"
#include "bench/stateful/glass_memory.hpp"

namespace psflip {
namespace {

/// Updates a phase with one ring, for the threads of a block one after the other.
template <class Order, class G>
void update_glass_by_ring(const GlassView& glass, const StreamsView<G>& streams, std::uint32_t word,
                          std::uint32_t stream, const SweepPhase& phase) {
    const std::uint32_t sites = glass.sites_of_phase(), width = glass.layout.width;
    const std::size_t t = static_cast<std::size_t>(word) * glass.layout.streams + stream;
    G numbers = streams.stream(t, phase.drawn.of(stream));
    for (std::uint32_t i = glass.layout.first_site(stream); i < sites; i += glass.layout.step())
        for (std::uint32_t replica = 0; replica < glass.replicas; ++replica)
            for (std::uint32_t k = 0; k < width; ++k) {
                const std::uint32_t number = numbers.next();
                if (i + k >= sites) continue;
                const GlassSite site = glass_site<Order>(glass, word, phase.index, i + k);
                update_glass_site<1>(glass, site, word, replica, [&](std::uint32_t) { return number; });
            }
}

/// Sweeps a glass on the CPU. Each thread works on whole words, through all sweeps.
template <class Listed>
class GlassCpu : public Glass {
    using G = typename Listed::G;

  public:
    GlassCpu(const GlassSetup& setup, const Listed& listed, int threads)
        : Glass(setup, fmt::format("cpu, {} thread{}", threads, threads == 1 ? "" : "s")),
          memory_(setup),
          streams_(static_cast<std::size_t>(setup.words) * setup.layout.streams,
                   {setup.seed, listed.in_sequence}),
          pool_(threads) {
        glass_ = memory_.view();
        glass_.thresholds = range_thresholds(G::range, setup.beta);
    }
    void sweep(int count) override {
        const StreamsView<G> streams = streams_.view();
        pool_.for_each(setup().words, [&](std::int64_t word, int) {
            for (int i = 0; i < count; ++i)
                with_places(setup().site_order, [&](auto order) {
                    sweep_word<decltype(order)>(streams, static_cast<std::uint32_t>(word), completed_ + i);
                });
        });
        completed_ += count;
    }
    void load_neighbours(int count, bool) override {
        pool_.for_each(setup().words, [&](std::int64_t word, int) {
            for (int i = 0; i < count; ++i)
                for (std::uint32_t colour = 0; colour < 2; ++colour)
                    for (std::uint32_t site = 0; site < glass_.sites_of_phase(); ++site)
                        with_places(setup().site_order, [&](auto order) {
                            load_glass_site<1, decltype(order)>(glass_, static_cast<std::uint32_t>(word),
                                                                colour, site);
                        });
        });
    }
    void set_spins(const std::vector<std::uint64_t>& canonical) override { memory_.set_spins(canonical); }
    std::vector<std::uint64_t> spins() const override { return memory_.canonical(memory_.spins()); }
    std::vector<std::int32_t> energies() const override { return memory_.energies(memory_.spins()); }
    std::vector<std::int32_t> overlaps() const override { return memory_.overlaps(memory_.spins()); }

  private:
    template <class Order>
    void sweep_word(const StreamsView<G>& streams, std::uint32_t word, std::uint64_t sweep) const {
        for (std::uint32_t colour = 0; colour < 2; ++colour) {
            const SweepPhase phase = glass_.phase(sweep, colour);
            for (std::uint32_t stream = 0; stream < glass_.layout.streams; ++stream) {
                if (glass_.layout.width > 1)
                    update_glass_by_ring<Order>(glass_, streams, word, stream, phase);
                else
                    update_glass<1, Order>(glass_, streams, word, stream, phase);
            }
        }
    }

    GlassMemory memory_;
    StreamSet<G> streams_;
    ThreadPool pool_;
    GlassView glass_;
    std::uint64_t completed_ = 0;
};

}  // namespace

std::unique_ptr<Glass> make_glass_cpu(const GlassSetup& setup, int threads) {
    std::unique_ptr<Glass> glass;
    with_generator(setup.generator, [&](auto listed) {
        glass = std::make_unique<GlassCpu<decltype(listed)>>(setup, listed,
                                                             threads > 0 ? threads : available_threads());
    });
    return glass;
}

}  // namespace psflip
