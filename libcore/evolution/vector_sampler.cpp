#include "evolution/vector_sampler.hpp"

#include "evolution/cone_tuning.hpp"
#include "lattice/packing.hpp"

namespace psflip {
namespace {

constexpr int slots_of_group = 4;  // of the CPU's layout of words

}  // namespace

VectorSampler::VectorSampler(std::unique_ptr<VectorBatch> batch, const BatchSetup& setup)
    : batch_(std::move(batch)) {
    if (batch_->shape().has_vectors()) add(std::make_unique<ConeTuning>(*batch_, setup.program));
    auto exchange = std::make_unique<VectorExchange>(*batch_, setup.sweeps_per_swap);
    walkers_ = &exchange->walkers();
    add(std::move(exchange));
}

VectorSampler::Words::Words(const Shape& shape, int threads)
    : pool(threads),
      layout(SpinLayout::of(shape, slots_of_group)),
      bonds(static_cast<std::size_t>(shape.lanes()),
            static_cast<std::int32_t>(shape.bonds() / shape.energy_unit())) {}

View VectorSampler::view() {
    const Shape& shape = batch_->shape();
    if (shape.has_vectors()) return VectorView{batch_.get(), walkers_};
    if (!words_) words_ = std::make_unique<Words>(shape, batch_->threads());
    batch_->compute_energies();
    return view_of(*words_);
}

CpuView VectorSampler::view_of(Words& words) const {
    const Shape& shape = batch_->shape();
    const auto packed = pack_spins(shape, words.layout, batch_->held_spins().bits);
    words.spins.assign(packed.begin(), packed.end());
    CpuView view{.layout = words.layout,
                 .spins = words.spins.data(),
                 .energies = nullptr,
                 .walkers = nullptr,
                 .absent = nullptr,
                 .bonds = words.bonds.data(),
                 .pool = &words.pool,
                 .level = simd_level()};
    const auto lanes = static_cast<std::size_t>(view.offset(shape.columns(), 0, 0));
    words.energies.assign(lanes, 0.0), words.walkers.assign(lanes, 0);
    for (std::int64_t r = 0; r < shape.realizations; ++r)
        for (int replica = 0; replica < shape.replicas; ++replica)
            for (int slot = 0; slot < shape.temperatures; ++slot) {
                const auto to =
                    static_cast<std::size_t>(view.offset(r / column_bits, replica, slot) + r % column_bits);
                const auto from =
                    static_cast<std::size_t>((r * shape.replicas + replica) * shape.temperatures + slot);
                const auto state = static_cast<std::size_t>(batch_->state(r, replica, slot));
                words.energies[to] = batch_->sums()[state].exchange;
                words.walkers[to] = (*walkers_)[from];
            }
    view.walkers = words.walkers.data();
    view.real_energies = words.energies.data();
    return view;
}

}  // namespace psflip
