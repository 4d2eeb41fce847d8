#include "bench/slab_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/device.hpp"
#include "base/error.hpp"
#include "bench/median_time.hpp"
#include "run/slab_spins.hpp"
#include "slab/agreement.hpp"

namespace psflip {
namespace {

constexpr double beta = 0.2;

Shape shape_of(const SlabCase& setup, int rank) {
    Shape whole{.L = setup.L,
                .replicas = setup.replicas,
                .temperatures = setup.temperatures,
                .realizations = setup.realizations() - (setup.lanes == Lanes::replicas ? 0 : column_bits - 1),
                .share = setup.share,
                .coding = setup.lanes};
    if (setup.slabs > 1) whole.order = setup.order;
    return slab_of(whole, rank, setup.slabs);
}

/// Holds the slabs of one rank and times their sweeps.
class SlabBench {
  public:
    SlabBench(const BackendChoice& choice, const SlabCase& setup, Ranks& ranks) : ranks_(ranks) {
        const Shape shape = shape_of(setup, ranks.rank());
        const std::vector<double> betas(setup.temperatures, beta);
        const std::vector<std::int8_t> couplings(shape.realizations * 3 * shape.held_sites(), 1);
        ensemble_ =
            make_ising_ensemble({choice_of_rank(choice, ranks), shape, betas, 1, couplings, 0, {}, &ranks});
    }

    /// Times sweeps. Collective.
    MedianTime time(const BenchmarkTiming& timing) {
        ensemble_->synchronize();
        return median_time(
            [&](int sweeps) {
                const std::int64_t sent = ranks_.sent_messages();
                ensemble_->sweep(completed_, sweeps);
                ensemble_->synchronize();
                completed_ += sweeps;
                messages_ = static_cast<double>(ranks_.sent_messages() - sent) / sweeps;
            },
            timing, ranks_);
    }
    std::string description() const { return ensemble_->description(); }
    /// Returns how many messages this rank sent to its neighbours in a sweep of the last call of time.
    double messages() const { return messages_; }

  private:
    Ranks& ranks_;
    std::unique_ptr<Ensemble> ensemble_;
    std::int64_t completed_ = 0;
    double messages_ = 0;
};

bool same_batch(const SlabCase& a, const SlabCase& b) {
    return a.columns == b.columns && a.lanes == b.lanes && a.replicas == b.replicas &&
           a.temperatures == b.temperatures && a.share == b.share;
}

}  // namespace

BackendChoice choice_of_rank(BackendChoice choice, const Ranks& ranks) {
    if (const int devices = cuda_devices(); ranks.share_memory() && devices > choice.device)
        choice.device += ranks.rank() % (devices - choice.device);
    return choice;
}

void with_slabs(int slabs, Ranks& ranks, const std::function<void(Ranks&)>& work) {
    if (slabs == 1) return first_does(ranks, [&] { work(single_rank()); });
    if (ranks.alone()) return with_local_ranks(slabs, work);
    work(ranks);
}

void check_slabs(int slabs) {
    if (slabs < 1) throw InputError(fmt::format("{} slabs are not possible; use at least one", slabs));
}

void check_slab_case(const SlabCase& setup) {
    check_slabs(setup.slabs);
    if (setup.columns < 1)
        throw InputError(
            fmt::format("{} columns of realizations are not possible; use at least one", setup.columns));
    check_shape(shape_of(setup, 0));
}

SlabResult time_slabs(const BackendChoice& choice, const SlabCase& setup, const BenchmarkTiming& timing,
                      Ranks& ranks) {
    check_slab_case(setup);
    SlabBench bench(choice, setup, ranks);
    const MedianTime found = bench.time(timing);
    return {setup,         choice.halo,  choice.kernel,   bench.description(),
            found.seconds, found.spread, bench.messages()};
}

double efficiency(const std::vector<SlabResult>& results, const SlabResult& of) {
    const SlabResult* one = nullptr;
    for (const SlabResult& r : results) {
        if (r.setup.slabs != 1 || !same_batch(r.setup, of.setup)) continue;
        if (r.setup.L == of.setup.L) return r.ps_per_flip() / of.ps_per_flip_and_device();
        one = one ? &of : &r;
    }
    return one && one != &of ? one->ps_per_flip() / of.ps_per_flip_and_device() : 0.0;
}

BenchRow slab_row(const std::vector<SlabResult>& results, const SlabResult& r) {
    const SlabCase& s = r.setup;
    const double eta = efficiency(results, r);
    BenchRow row("slabs");
    row.add("scaling", s.weak ? "weak" : "strong")
        .add("L", s.L)
        .add("slabs", s.slabs)
        .add("planes", r.planes())
        .add("columns", s.columns)
        .add("lanes", name(s.lanes))
        .add("packs", s.packs())
        .add("share", s.share)
        .add("replicas", s.replicas)
        .add("temperatures", s.temperatures)
        .add("halo", r.halo)
        .add("order", name(s.order))
        .add("messages_per_sweep", r.messages)
        .add("kernel", r.kernel)
        .add("us_per_sweep", r.seconds * 1e6)
        .add("ps_per_flip", r.ps_per_flip())
        .add("ps_per_flip_and_device", r.ps_per_flip_and_device())
        .add("efficiency", eta > 0 ? eta : std::numeric_limits<double>::quiet_NaN())
        .add("spread", r.spread)
        .add("device", r.device);
    return row;
}

}  // namespace psflip
