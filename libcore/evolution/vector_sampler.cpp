#include <memory>
#include <utility>
#include <vector>

#include "base/aligned.hpp"
#include "base/thread_pool.hpp"
#include "evolution/houdayer_move.hpp"
#include "evolution/move_sampler.hpp"
#include "lattice/packing.hpp"
#include "model/exchange_rule.hpp"
#include "random/philox.hpp"
#include "slab/halo_cpu.hpp"
#include "sweep/vector/vector_batch.hpp"

namespace psflip {
namespace {

constexpr int slots_of_group = 4;  // of the CPU's layout of words

/// Tunes the cones of vector spins at all multiples of tuning_period completed sweeps up to
/// VectorProgram::tuned_until.
class ConeTuning final : public Move {
  public:
    /// The batch must outlive the move.
    ConeTuning(VectorBatch& batch, const VectorProgram& program)
        : Move(program.update == VectorUpdate::cone && program.tuned_until > 0 ? tuning_period : 0),
          batch_(batch),
          until_(program.tuned_until) {}

    void apply(std::int64_t completed) override {
        if (completed <= until_) batch_.tune_cones();
    }
    std::optional<StateGroup> state() const override { return group_of(batch_.cones(), batch_.shape()); }
    void set_state(const SamplerState& state) override { batch_.set_cones(cones_of(state)); }

  private:
    VectorBatch& batch_;
    std::int64_t until_;
};

/// Exchange of vector spins, and of Ising spins with real couplings, on either backend. The host decides with
/// real energies (exchange_accepted in model/exchange_rule.hpp), and the spins of states change places in the
/// backend's memory. Every backend gives the same bits.
class VectorExchange final : public Exchange {
  public:
    /// The batch must outlive the exchange.
    VectorExchange(VectorBatch& batch, int sweeps_per_swap)
        : Exchange(batch.shape(), sweeps_per_swap), batch_(batch), state_(initial_tempering(shape_)) {}

    void apply(std::int64_t completed) override;
    TemperingState tempering() const override { return state_; }
    void set_tempering(const TemperingState& state) override { state_ = state; }
    const std::vector<std::uint8_t>& walkers() const { return state_.walker; }

  private:
    /// Decides on the pairs of one replica of a realization.
    void exchange_lattices(std::int64_t completed, std::int64_t realization, int replica,
                           std::vector<StatePair>& accepted);
    void note_ends(std::int64_t lattice);

    VectorBatch& batch_;
    TemperingState state_;
};

void VectorExchange::apply(std::int64_t completed) {
    batch_.compute_energies();
    std::vector<StatePair> accepted;
    for (std::int64_t r = 0; r < shape_.realizations; ++r)
        for (int replica = 0; replica < shape_.replicas; ++replica) {
            exchange_lattices(completed, r, replica, accepted);
            note_ends(r * shape_.replicas + replica);
        }
    batch_.swap_states(accepted);
    for (int t = parity(completed); t + 1 < shape_.temperatures; t += 2) ++state_.attempted[t];
}

void VectorExchange::exchange_lattices(std::int64_t completed, std::int64_t r, int replica,
                                       std::vector<StatePair>& accepted) {
    const auto& betas = batch_.betas();
    const std::int64_t lattice = r * shape_.replicas + replica;
    RandomBlock block{};
    int block_number = -1;
    for (int t = parity(completed); t + 1 < shape_.temperatures; t += 2) {
        if (std::exchange(block_number, t / 2 / 4) != t / 2 / 4)
            block = philox(
                make_counter(Purpose::exchange, 0, static_cast<std::uint64_t>(completed),
                             static_cast<std::uint32_t>(block_number), static_cast<std::uint32_t>(replica), 0,
                             static_cast<std::uint32_t>(shape_.first_realization + r)),
                batch_.key());
        const std::int64_t cold = batch_.state(r, replica, t), hot = batch_.state(r, replica, t + 1);
        const double rise = batch_.energy_of(hot) - batch_.energy_of(cold);
        if (!exchange_accepted(block.word[t / 2 % 4], rise, betas[t] - betas[t + 1])) continue;
        accepted.push_back({static_cast<std::uint32_t>(cold), static_cast<std::uint32_t>(hot)});
        auto* walkers = state_.walker.data() + lattice * shape_.temperatures;
        std::swap(walkers[t], walkers[t + 1]);
        ++state_.accepted[lattice * (shape_.temperatures - 1) + t];
    }
}

/// See TemperingState.
void VectorExchange::note_ends(std::int64_t lattice) {
    const int T = shape_.temperatures;
    const std::uint8_t* walkers = state_.walker.data() + lattice * T;
    std::uint8_t* last_end = state_.last_end.data() + lattice * T;
    std::uint8_t &at_cold = last_end[walkers[0]], &at_hot = last_end[walkers[T - 1]];
    state_.round_trips[lattice] += at_cold == 2;
    at_cold = 1;
    if (at_hot == 1) at_hot = 2;
}

/// Sampler of vector spins, and of Ising spins with real couplings.
class VectorSampler final : public MoveSampler {
  public:
    /// Cones are tuned as the program says.
    explicit VectorSampler(const BatchSetup& setup);

    VectorBatch& ensemble() override { return *batch_; }
    /// A VectorView, or for Ising spins a CpuView.
    View view() override;

  private:
    /// Spins, energies and walkers of Ising spins in the order of CpuView.
    struct Words {
        Words(const Shape& shape, int threads);

        ThreadPool pool;
        SpinLayout layout;
        AlignedVector<std::uint64_t> spins;
        std::vector<double> energies;
        std::vector<std::uint8_t> walkers;
        std::vector<std::int32_t> bonds;
    };
    CpuView view_of(Words& words) const;

    std::unique_ptr<VectorBatch> batch_;
    const std::vector<std::uint8_t>* walkers_;  ///< (realization, replica, slot)
    std::unique_ptr<Words> words_;              ///< from the first view on
};

VectorSampler::VectorSampler(const BatchSetup& setup) : batch_(std::make_unique<VectorBatch>(setup)) {
    if (batch_->shape().has_vectors()) add(std::make_unique<ConeTuning>(*batch_, setup.program));
    auto exchange = std::make_unique<VectorExchange>(*batch_, setup.sweeps_per_swap);
    walkers_ = &exchange->walkers();
    add(std::move(exchange));
    if (setup.houdayer.every > 0) add(std::make_unique<Houdayer>(*batch_, setup.houdayer));
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
    if (shape.is_slab())
        CpuHalo(batch_->ranks(), HeldLattice::of(shape), words.layout, words.spins.data(), shape.columns())
            .fill();
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
                words.energies[to] = batch_->sums_of(batch_->state(r, replica, slot)).exchange;
                words.walkers[to] = (*walkers_)[from];
            }
    view.walkers = words.walkers.data();
    view.real_energies = words.energies.data();
    return view;
}

}  // namespace

std::unique_ptr<Sampler> make_vector_sampler(const BatchSetup& setup) {
    return std::make_unique<VectorSampler>(setup);
}

}  // namespace psflip
