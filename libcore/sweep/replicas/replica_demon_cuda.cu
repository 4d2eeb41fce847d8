// Sweeps by the demon dynamics where lanes are replicas. A thread serves one word of a chain.

#include "sweep/cuda/demon_draw_cuda.cuh"
#include "sweep/replicas/replica_chain.hpp"
#include "sweep/replicas/replica_kernel_cuda.cuh"

namespace psflip {
namespace {

/// Names what thresholds and energies need of the rule.
template <int Degree>
struct DemonReplicaRule {
    static constexpr int degree = Degree;
    static constexpr bool has_absent = false, has_field = false;
    struct Choice {
        static constexpr int thresholds = max_demon;
    };
};

/// Updates the bundles of chains that a block has in a realization. Rows of the share are bundles.
template <class Rule>
struct ReplicaDemonSweeper {
    const ReplicaSweepArgs& a;
    const ReplicaShare& share;
    const ReplicaThresholds<Rule>& thresholds;
    std::uint32_t segments;  ///< of all chains
    std::int64_t realization;
    std::uint64_t sweep;
    int colour;

    /// Does half a sweep. Draws the demons of the first bundle, and calls wait() before it reads a spin. All
    /// threads of the block call.
    template <class Wait>
    __device__ __forceinline__ void run(Wait wait) const {
        const ReplicaLayout& layout = a.view.layout;
        const std::int64_t lattice = realization * layout.lattice_words(),
                           begin = lattice + colour_begin(layout, colour);
        const ReplicaColours colours{kept(a.view.spins + begin),
                                     kept(a.view.spins + lattice + colour_begin(layout, 1 - colour)),
                                     a.view.bonds + begin};
        bool waited = false;
        for (std::uint32_t first = 0; first < share.columns; first += replica_threads) {
            const bool inside = share.has_column(first);
            const ReplicaColumn column(layout, inside ? first + share.column : 0u);
            const ReplicaChain<Rule::degree, DeviceWord> chain(layout, colours, column, colour);
            for (std::uint32_t bundles = share.begin; bundles < share.end; bundles += share.rows_at_once) {
                const bool valid = inside && bundles + share.row < share.end;
                const std::uint32_t bundle = valid ? bundles + share.row : share.begin,
                                    layer = bundle / segments,
                                    first_y = (bundle - layer * segments) * a.chains.rows,
                                    first_z = layer * a.chains.planes;
                Demons<DeviceWord> demons = drawn(column.word, chain.first_site(first_y, first_z));
                if (!waited) wait();
                waited = true;
                if (valid) chain.march(a.chains, first_y, first_z, demons);
            }
        }
        if (!waited) wait();
    }

  private:
    __device__ __forceinline__ Demons<DeviceWord> drawn(std::uint32_t word, std::uint32_t site) const {
        DeviceWord below[max_demon];
        draw_below([&](int call,
                       int c) { return thresholds.planes[(call * max_demon + c) * thresholds.words + word]; },
                   a.view.key,
                   make_counter(Purpose::replica_demon, site, sweep, word, 0, 0,
                                a.view.first_realization + static_cast<std::uint32_t>(realization)),
                   below);
        return demons_of(below[0], below[1], below[2]);
    }
};

template <int Degree>
__global__ void __launch_bounds__(replica_threads, 2)
    replica_demon_sweeps(const __grid_constant__ ReplicaSweepArgs a) {
    using Rule = DemonReplicaRule<Degree>;
    extern __shared__ uint4 planes[];
    const ReplicaThresholds<Rule> thresholds(planes, a.view);
    __syncthreads();
    const ReplicaShare bundles(a.view.layout, a.cut, 1, a.chains.bundles());
    const auto segments = static_cast<std::uint32_t>(a.chains.segments());
    exchange_sweep_count<Rule>(
        a, ReplicaShare(a.view.layout, a.cut, 1, a.view.layout.rows()),
        [&](std::int64_t realization, std::uint64_t sweep, int colour, auto wait) {
            ReplicaDemonSweeper<Rule>{a, bundles, thresholds, segments, realization, sweep, colour}.run(wait);
        });
}

}  // namespace

ReplicaKernel demon_replica_kernel(const SweepRule& rule) {
    return rule.degree == 6 ? replica_demon_sweeps<6> : replica_demon_sweeps<4>;
}

}  // namespace psflip
