#pragma once

#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "sweep/vector/cluster_search.hpp"
#include "sweep/vector/vector_setup.hpp"
#include "sweep/vector/vector_simd_kernels.hpp"

namespace psflip {

/// Holds states of a batch next to each other in the CPU's memory, in the arrays of VectorGroupView.
template <class T>
class VectorGroup {
  public:
    /// Holds the states first, ..., first + count - 1.
    VectorGroup(const VectorSetup& setup, std::int64_t first, std::int64_t count);

    VectorGroupView<T> view();
    std::int64_t first() const { return first_; }
    std::int64_t count() const { return count_; }
    std::int64_t stride() const { return stride_; }

    /// Returns component k of the spins of all states, for one colour of plane w in memory. The columns after
    /// the last state are included.
    std::span<T> plane(int k, int colour, int w) {
        return {spins_[k][colour].data() + lead_ + std::int64_t{w} * L_ * stride_,
                static_cast<std::size_t>(L_ * stride_)};
    }

    /// Copy this group's spins of own planes from or to the canonical spins of all states of the batch.
    void take(const double* spins);
    void put(double* spins) const;
    /// widths: (state of the batch).
    void set_widths(const std::vector<double>& widths);
    /// Takes the temperatures of the setup.
    void set_betas(const VectorSetup& setup);
    /// Exchanges the spins of this group's state i and the other group's state j.
    void swap(std::int64_t i, VectorGroup& other, std::int64_t j);

    /// Exchanges the spins of this group's state i and the other group's state j on a cluster of sites at
    /// which they differ. It begins at site x + L (y + L z) = first. Returns the number of these sites, 0 if
    /// the states do not differ at the first site. For Ising spins.
    std::int64_t swap_cluster(std::int64_t i, VectorGroup& other, std::int64_t j, std::uint32_t first,
                              ClusterSearch& search);

    /// Adds the counts (column) to the counts (state) of the states to which the columns belong.
    template <class Count>
    void add_by_state(const Count* of_columns, std::uint64_t* to) const {
        for (std::int64_t i = 0; i < count_; ++i)
            for (int h = 0; h < L_ / 2; ++h) to[i] += of_columns[i * (L_ / 2) + h];
    }

  private:
    /// Return the index of site (x, row) of the group's state i in an array, and the colour of the site.
    std::int64_t place(int x, int row, std::int64_t i) const {
        return lead_ + row * stride_ + i * (L_ / 2) + x / 2;
    }
    int colour(int x, int row) const { return (x + row % L_ + row / L_) & 1; }
    /// Puts numbers (z, y, x) of one realization or state into the arrays of both colours, for state i, in
    /// the rows from `first` to `end` - 1.
    template <class From>
    void lay_out(const From* canonical, std::int64_t i, int first, int end, AlignedVector<T> (&to)[2]);
    void lay_out_disorder(const VectorSetup& setup);
    void lay_out_columns(const VectorSetup& setup);

    int L_, rows_, first_own_, end_own_, components_, directions_, lowest_plane_;
    bool open_, is_slab_;
    std::int64_t first_, count_, stride_, lead_, size_;
    AlignedVector<T> spins_[3][2], species_[2], couplings_[3][2];  ///< (.., colour)
    AlignedVector<T> zeros_, beta_, width_;
    AlignedVector<LaneOf<T>> twice_h_, fields_, pack_purpose_;
};

/// Returns the number of states of a group for which rows are whole registers and not too short.
std::int64_t states_of_group(const VectorSetup& setup);

}  // namespace psflip
