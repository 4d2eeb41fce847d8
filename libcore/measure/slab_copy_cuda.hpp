#pragma once

#include "base/aligned.hpp"
#include "base/thread_pool.hpp"
#include "measure/correlations_cpu.hpp"

namespace psflip {

/// The spins of a slab on a GPU, copied to host memory at every look, in the layout of the CPU: for what is
/// measured seldom. A look moves 16 bytes for every held site, replica, temperature and 128 realizations from
/// the GPU, and the outermost planes to the neighbours.
class SlabCopy final : public HostSpins {
  public:
    /// Of a sampler on a GPU, which must outlive this. threads: 0 takes all cores this process may use.
    SlabCopy(Sampler& sampler, int threads);

    CpuView look() override;

  private:
    /// One replica of one column, as it comes from the GPU, to groups of temperatures.
    void regroup(std::int64_t column, int replica);

    Sampler& sampler_;
    Shape shape_;
    ThreadPool pool_;
    SpinLayout layout_;
    AlignedVector<std::uint64_t> spins_, absent_, arrived_;
    std::vector<std::int32_t> bonds_;  ///< that are there, in units of energy: (column, lane)
};

}  // namespace psflip
