// Gives sites the new spins of their clusters on the CPU, and adds the sites up: compiled once per
// instruction set.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "sweep/clusters/cluster_kernels.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// Holds four numbers of a cluster.
typedef std::int64_t Four __attribute__((vector_size(32)));

/// Adds the sites of a strip to the totals of their clusters, one run after the other.
template <int Dimension>
class ClusterTotals {
    static constexpr int numbers = ClusterTask::numbers;

    const FixedFourier fourier_;
    AlignedVector<std::int64_t>& totals_;
    std::uint32_t* const parent_;
    std::int64_t clusters_ = 0, cluster_ = 0;  ///< number of clusters so far; cluster of the present run
    std::int64_t begin_, end_;                 ///< sites: begin of the present run, end of the strip
    int x_ = 0, y_ = 0, z_ = 0;                ///< of begin_
    Four below_{}, row_{};  ///< numbers of the sites before begin_ in its row; factors of y and z

    void begin_row() {
        below_ = Four{};
        row_ = Four{fourier_.of(y_, 0), fourier_.of(y_, 1)};
        if constexpr (Dimension == 3) row_ = Four{row_[0], row_[1], fourier_.of(z_, 0), fourier_.of(z_, 1)};
    }
    void add_run(std::int64_t end) {
        const auto length = static_cast<int>(end - begin_);
        begin_ = end;
        x_ += length;
        const Four below{x_, fourier_.of_run(0, x_, 0), fourier_.of_run(0, x_, 1), 0};
        auto* const total = reinterpret_cast<Four*>(totals_.data() + numbers * cluster_);
        total[0] += below - below_;
        total[1] += row_ * length;
        below_ = below;
        if (x_ < fourier_.L) return;
        x_ = 0;
        if (++y_ == fourier_.L && Dimension == 3) {
            y_ = 0;
            ++z_;
        }
        if (begin_ < end_) begin_row();
    }

  public:
    explicit ClusterTotals(const ClusterTask& task)
        : fourier_(task.lattice->fourier()),
          totals_(*task.totals),
          parent_(task.memory->parent.get()),
          begin_(64 * task.begin),
          end_(task.end == task.lattice->words() ? task.lattice->sites() : 64 * task.end) {
        totals_.clear();
        (Dimension == 2 ? y_ : z_) = static_cast<int>(begin_ / task.lattice->stride(Dimension - 1));
        begin_row();
    }
    /// Makes room for the clusters of 64 more runs.
    void reserve() { totals_.resize(static_cast<std::size_t>(numbers * (clusters_ + 64))); }
    /// Begins the next run at a site. Parents of earlier runs are numbers of clusters.
    void begin_run(std::int64_t site, std::uint32_t run) {
        if (site > begin_) add_run(site);
        const std::uint32_t parent = parent_[run];
        cluster_ = parent == run ? clusters_ : parent_[parent];
        clusters_ += parent == run;
        parent_[run] = static_cast<std::uint32_t>(cluster_);
    }
    void finish() { add_run(end_); }
};

/// Replaces ClusterTotals if no totals are wanted.
struct NoTotals {
    void reserve() const {}
    void begin_run(std::int64_t, std::uint32_t) const {}
    void finish() const {}
};

/// Does ClusterKernels::assign.
template <class Totals>
void assign_strip(const ClusterTask& task, Totals totals) {
    const ClusterMemory& memory = *task.memory;
    const std::uint64_t* const starts = memory.starts.data();
    const std::uint32_t* const parent = memory.parent.get();
    std::uint8_t* const up = memory.up.get();
    auto run = static_cast<std::uint32_t>(64 * task.begin);
    std::uint64_t current = 0;  // new spin of the present run, in all bits
    for (std::int64_t word = task.begin; word < task.end; ++word) {
        std::uint64_t spins = current;
        totals.reserve();
        for (std::uint64_t left = starts[word]; left != 0; left &= left - 1) {
            const int bit = std::countr_zero(left);
            up[run] = up[parent[run]];
            totals.begin_run(64 * word + bit, run);
            const std::uint64_t next = std::uint64_t{0} - up[run++];
            spins ^= (current ^ next) << bit;
            current = next;
        }
        task.spins[word] = spins;
    }
    totals.finish();
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
