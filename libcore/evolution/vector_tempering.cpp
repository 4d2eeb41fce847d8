#include "evolution/vector_tempering.hpp"

#include <utility>

#include "evolution/cone_state.hpp"
#include "lattice/packing.hpp"
#include "model/exchange_rule.hpp"
#include "random/philox.hpp"

namespace psflip {
namespace {

constexpr int slots_of_group = 4;  // of the CPU's layout of words

}  // namespace

VectorTempering::VectorTempering(std::unique_ptr<VectorBatch> batch, int sweeps_per_swap)
    : Tempering(sweeps_per_swap), batch_(std::move(batch)), state_(initial_tempering(batch_->shape())) {}

VectorTempering::Words::Words(const Shape& shape, int threads)
    : pool(threads),
      layout(SpinLayout::of(shape, slots_of_group)),
      bonds(static_cast<std::size_t>(shape.lanes()),
            static_cast<std::int32_t>(shape.bonds() / shape.energy_unit())) {}

SamplerState VectorTempering::state() const {
    const Shape& shape = batch_->shape();
    SamplerState state{{group_of(state_, shape)}};
    if (shape.has_vectors()) state.groups.push_back(group_of(batch_->cones(), shape));
    return state;
}

void VectorTempering::set_state(const SamplerState& state) {
    state_ = tempering_of(state);
    if (batch_->shape().has_vectors()) batch_->set_cones(cones_of(state));
}

View VectorTempering::view() {
    const Shape& shape = batch_->shape();
    if (shape.has_vectors()) return VectorView{batch_.get(), &state_.walker};
    if (!words_) words_ = std::make_unique<Words>(shape, batch_->threads());
    batch_->compute_energies();
    return view_of(*words_);
}

CpuView VectorTempering::view_of(Words& words) const {
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
                words.walkers[to] = state_.walker[from];
            }
    view.walkers = words.walkers.data();
    view.real_energies = words.energies.data();
    return view;
}

void VectorTempering::exchange(std::int64_t completed) {
    batch_->compute_energies();
    const Shape& shape = batch_->shape();
    std::vector<StatePair> accepted;
    for (std::int64_t r = 0; r < shape.realizations; ++r)
        for (int replica = 0; replica < shape.replicas; ++replica) {
            exchange_lattices(completed, r, replica, accepted);
            note_ends(r * shape.replicas + replica);
        }
    batch_->swap_states(accepted);
    for (int t = parity(completed); t + 1 < shape.temperatures; t += 2) ++state_.attempted[t];
}

void VectorTempering::exchange_lattices(std::int64_t completed, std::int64_t r, int replica,
                                        std::vector<StatePair>& accepted) {
    const Shape& shape = batch_->shape();
    const auto& betas = batch_->betas();
    const std::int64_t lattice = r * shape.replicas + replica;
    RandomBlock block{};
    int block_number = -1;
    for (int t = parity(completed); t + 1 < shape.temperatures; t += 2) {
        if (std::exchange(block_number, t / 2 / 4) != t / 2 / 4)
            block = philox(
                make_counter(Purpose::exchange, 0, static_cast<std::uint64_t>(completed),
                             static_cast<std::uint32_t>(block_number), static_cast<std::uint32_t>(replica), 0,
                             static_cast<std::uint32_t>(shape.first_realization + r)),
                batch_->key());
        const std::int64_t cold = batch_->state(r, replica, t), hot = batch_->state(r, replica, t + 1);
        const double rise = batch_->sums()[hot].energy() - batch_->sums()[cold].energy();
        if (!exchange_accepted(block.word[t / 2 % 4], rise, betas[t] - betas[t + 1])) continue;
        accepted.push_back({static_cast<std::uint32_t>(cold), static_cast<std::uint32_t>(hot)});
        auto* walkers = state_.walker.data() + lattice * shape.temperatures;
        std::swap(walkers[t], walkers[t + 1]);
        ++state_.accepted[lattice * (shape.temperatures - 1) + t];
    }
}

/// As of Ising spins, see TemperingState.
void VectorTempering::note_ends(std::int64_t lattice) {
    const int T = batch_->shape().temperatures;
    const std::uint8_t* walkers = state_.walker.data() + lattice * T;
    std::uint8_t* last_end = state_.last_end.data() + lattice * T;
    std::uint8_t &at_cold = last_end[walkers[0]], &at_hot = last_end[walkers[T - 1]];
    state_.round_trips[lattice] += at_cold == 2;
    at_cold = 1;
    if (at_hot == 1) at_hot = 2;
}

}  // namespace psflip
