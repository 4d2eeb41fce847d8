// Builds samplers of sweeps and moves between them. Parallel tempering is such a sampler; its move is the
// exchange of temperatures (Hukushima and Nemoto, J. Phys. Soc. Jpn. 65, 1604 (1996)).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "evolution/sampler.hpp"

namespace psflip {

/// Changes the spins between two sweeps, for example by exchange of temperatures. A sampler applies its
/// moves in the order in which they were added. A move that draws random numbers has its own purpose
/// (random/purposes.hpp). Apart from key and lattice, these numbers depend only on the completed sweeps, so a
/// resumed run equals an uninterrupted run.
class Move {
  public:
    virtual ~Move() = default;

    /// Returns the number of sweeps from one application of the move to the next, or 0 for a move that is
    /// never applied.
    int period() const { return period_; }
    /// Applies the move. `completed` is the number of completed sweeps, a multiple of the period. Energies
    /// may be stale: call Ensemble::compute_energies before reading them. A move that changes spins must
    /// leave their energies up to date or marked as stale. Collective.
    virtual void apply(std::int64_t completed) = 0;
    /// If one kernel can sweep and apply the move, does `periods` times the sweeps of one period and then the
    /// move, and returns true. Otherwise does nothing and returns false. first: number of the first sweep, a
    /// multiple of the period. MoveSampler calls this function for its first move only. Collective.
    virtual bool sweep_and_apply(std::int64_t /*first*/, int /*periods*/) { return false; }

    /// state() returns the arrays that an exact continuation needs, or nothing; set_state() restores them.
    /// Set the spins of the ensemble before set_state, which ignores the groups of other moves. Both are
    /// collective. Errors of set_state(): std::logic_error if `state` lacks the group that this move needs.
    virtual std::optional<StateGroup> state() const { return {}; }
    virtual void set_state(const SamplerState& /*state*/) {}

  protected:
    explicit Move(int period) : period_(period) {}

  private:
    int period_;
};

/// Exchanges the spins of neighbouring temperatures. Each pair of slots of a realization and replica has its
/// own random number of purpose `exchange`. A mask selects the bits at which the spins of two lattices are
/// exchanged. Energies, walkers and counts follow the spins. A round trip of a walker leads from the coldest
/// slot to the hottest and back to the coldest. Visits of the hottest slot before the first visit of the
/// coldest do not count.
class Exchange : public Move {
  public:
    std::optional<StateGroup> state() const final { return group_of(tempering(), shape_); }
    void set_state(const SamplerState& state) final { set_tempering(tempering_of(state)); }
    virtual TemperingState tempering() const = 0;
    virtual void set_tempering(const TemperingState& state) = 0;

  protected:
    /// With one temperature the period is 0, so nothing is exchanged.
    Exchange(const Shape& shape, int sweeps_per_swap)
        : Move(shape.temperatures > 1 ? sweeps_per_swap : 0), shape_(shape) {}

    /// Returns the parity of the pairs that are tried at `completed` sweeps: pairs (t, t + 1) with t % 2
    /// equal to the parity.
    int parity(std::int64_t completed) const { return static_cast<int>(completed / period() % 2); }

    Shape shape_;
};

/// Sweeps, with moves between the sweeps. If one kernel can sweep and exchange, one launch of this kernel
/// does many sweeps and exchanges, until another move is due.
class MoveSampler : public Sampler {
  public:
    /// Does the sweeps and, at multiples of their periods, the moves in the order in which they were added.
    void advance(std::int64_t first, std::int64_t target) final;
    /// Applies the moves that are due after `completed` sweeps, without a sweep. Collective.
    void apply_moves(std::int64_t completed) { apply_due(completed, moves_); }
    SamplerState state() const final;
    void set_state(const SamplerState& state) final;

    void sum_clusters(bool summed) final { sums_clusters_ = summed; }

    /// Adds a move after all others. The sampler owns it.
    void add(std::unique_ptr<Move> move) { moves_.push_back(std::move(move)); }

  private:
    static void apply_due(std::int64_t completed, std::span<const std::unique_ptr<Move>> moves);
    /// Returns the first sweep after `completed` that is a multiple of the period of any move.
    static std::int64_t next_move(std::int64_t completed, std::span<const std::unique_ptr<Move>> moves);

    std::vector<std::unique_ptr<Move>> moves_;
    bool sums_clusters_ = false;
};

/// Samples Ising spins whose bonds are +1, -1 or 0. Its first move is the exchange.
class IsingSampler : public MoveSampler {
  public:
    IsingEnsemble& ensemble() override = 0;
    TemperingState tempering() const { return exchange_->tempering(); }
    void set_tempering(const TemperingState& state) { exchange_->set_tempering(state); }

  protected:
    void add_exchange(std::unique_ptr<Exchange> exchange) {
        exchange_ = exchange.get();
        add(std::move(exchange));
    }

  private:
    Exchange* exchange_ = nullptr;
};

/// Makes the sampler of Ising spins with bonds +1, -1 or 0, on the backend of the setup. Collective. Errors:
/// as make_ising_ensemble.
std::unique_ptr<IsingSampler> make_ising_sampler(const BatchSetup& setup);
/// Makes the sampler of Ising spins with energies in host memory. Its views are CpuView. The caller has
/// checked the setup (check_batch). Collective. Errors: EnvironmentError if memory does not suffice.
std::unique_ptr<IsingSampler> make_host_sampler(const BatchSetup& setup);
/// Makes the sampler of Ising spins with energies on a GPU, with the kernel of the setup. Its views are
/// CudaView. If the setup leaves the choice of kernel, whole lattices use the plan that earlier calls stored
/// (sweep/plan_cache.hpp). If no plan is stored, long calls time the plans with the shortest predicted times,
/// and use and store the fastest. To replace the plan with the best prediction, another plan must be 2%
/// faster. Plans do not change results. The caller has checked the setup (check_batch). Its lanes are not
/// Lanes::sites. Collective. Errors: EnvironmentError if the GPU or its memory does not suffice.
std::unique_ptr<IsingSampler> make_device_sampler(const BatchSetup& setup);
/// Makes the sampler of vector spins or real couplings. Its views are VectorView, or CpuView for real
/// couplings. Collective. Errors: as make_ensemble.
std::unique_ptr<Sampler> make_vector_sampler(const BatchSetup& setup);

}  // namespace psflip
