#include <algorithm>
#include <optional>
#include <span>
#include <variant>

#include "base/aligned.hpp"
#include "base/thread_pool.hpp"
#include "lattice/packing.hpp"
#include "measure/correlation_backends.hpp"
#include "measure/distance_kernels.hpp"
#include "measure/slab_lines.hpp"
#include "slab/halo_cpu.hpp"

namespace psflip {
namespace {

/// Lines that go through all slabs. A rank has all lines in its own planes; transposed it has some of the
/// lines in all planes. Each site has `words` 64-bit words. A rank sends and receives about 1 - 1/n of its
/// slab, n ranks, and holds a copy of it to send. The ranks must outlive this.
class SlabLines {
  public:
    SlabLines(Ranks& ranks, const Shape& shape, int words)
        : ranks_(ranks),
          shape_(shape),
          words_(words),
          sent_(static_cast<std::size_t>(shape.own_sites()) * words) {
        const std::size_t bytes = words * sizeof(std::uint64_t);
        for (int r = 0; r < ranks.size(); ++r) {
            to_.push_back(static_cast<std::size_t>((first_of(r + 1) - first_of(r)) * shape.own_planes()) *
                          bytes);
            from_.push_back(
                static_cast<std::size_t>(lines() * planes_of_rank(shape.L, r, ranks.size()).count) * bytes);
        }
    }

    /// Returns the number of this rank's lines along an axis.
    std::int64_t lines() const { return first_of(ranks_.rank() + 1) - first_of(ranks_.rank()); }
    std::int64_t line_words() const { return lines() * shape_.L * words_; }

    /// planes: (own w; v; u; word); lines along an axis, of line_words(): (w; line; word). Parts of ranks
    /// follow one another as their planes do, so that they arrive as lines. Collective.
    void transpose(int axis, const std::uint64_t* planes, std::uint64_t* lines) {
        const int L = shape_.L;
        auto to = sent_.begin();
        for (int r = 0; r < ranks_.size(); ++r)
            for (int w = 0; w < shape_.own_planes(); ++w)
                for (std::int64_t line = first_of(r); line < first_of(r + 1); ++line) {
                    const PlaceInPlane at =
                        crossing(shape_.order, L, axis, static_cast<int>(line), shape_.first_plane + w);
                    to = std::copy_n(planes + (at.u + L * (at.v + std::int64_t{L} * w)) * words_, words_, to);
                }
        ranks_.all_to_all(std::as_bytes(std::span(sent_)), to_,
                          std::as_writable_bytes(std::span(lines, static_cast<std::size_t>(line_words()))),
                          from_);
    }

  private:
    std::int64_t first_of(int rank) const {
        return first_line(std::int64_t{shape_.L} * shape_.L, rank, ranks_.size());
    }

    Ranks& ranks_;
    Shape shape_;
    int words_;
    std::vector<std::size_t> to_, from_;  ///< bytes, by rank
    std::vector<std::uint64_t> sent_;     ///< (to rank; own w; line; word)
};

/// Tasks are (column, temperature group).
class CpuCorrelations final : public Correlations {
  public:
    CpuCorrelations(Sampler& sampler, const Measured& measured, int bins);

    void remember(const std::vector<std::uint64_t>& spins) override;
    void remember_present() override;
    int remembered() const override { return static_cast<int>(earlier_.size()); }

  private:
    /// Buffers of one thread.
    struct Scratch {
        AlignedVector<std::uint64_t> difference, lines;  ///< see DistanceTask and LineTask
        AlignedVector<std::int32_t> counts;
    };
    void look() override { view_ = view(); }
    CpuView view() { return std::get<CpuView>(sampler_.view()); }
    void count_distances(int distances, std::int64_t* counts) override;
    void count_times(int replica, int earlier, std::int64_t* counts) override;
    /// Compares replica a with the replicas `others` of `words`, or with spins all up if that is nullptr.
    void count(int a, const std::uint64_t* words, std::initializer_list<int> others, int distances,
               bool bonds, std::int64_t* counts);
    void transpose(int axis, Scratch& scratch, int others);
    /// Adds the counts of the distances from `least` on.
    void add_counts(const Scratch& scratch, std::int64_t column, int group, int least,
                    std::int64_t* counts) const;
    /// Sums `rows` rows (temperature; realization) over the ranks.
    void sum_of_ranks(std::int64_t* counts, int rows);
    std::vector<std::int64_t> bonds() override;

    Sampler& sampler_;
    Ranks& ranks_;
    CpuView view_;                                       ///< of the last look
    std::vector<AlignedVector<std::uint64_t>> earlier_;  ///< words of SpinLayout
    std::vector<Scratch> scratch_;
    std::optional<SlabLines> lines_;  ///< of slabs
};

CpuCorrelations::CpuCorrelations(Sampler& sampler, const Measured& measured, int bins)
    : Correlations(sampler.ensemble().shape(), measured, bins),
      sampler_(sampler),
      ranks_(sampler.ensemble().ranks()),
      view_(view()) {
    scratch_.resize(view_.pool->threads());
    if (shape_.is_slab()) lines_.emplace(ranks_, shape_, 2 * slots_per_word);
}

void CpuCorrelations::remember(const std::vector<std::uint64_t>& spins) {
    const auto packed = pack_spins(shape_, view_.layout, spins);
    earlier_.emplace_back(packed.begin(), packed.end());
    if (!shape_.is_slab()) return;
    CpuHalo halo(ranks_, HeldLattice::of(shape_), view_.layout, earlier_.back().data(), shape_.columns());
    halo.fill();
}

void CpuCorrelations::remember_present() {
    look();
    earlier_.emplace_back(view_.spins, view_.spins + shape_.columns() * view_.layout.column_words());
}

std::vector<std::int64_t> CpuCorrelations::bonds() {
    std::vector<std::int64_t> bonds(view_.bonds, view_.bonds + shape_.realizations);
    for (std::int64_t& number : bonds) number *= shape_.energy_unit();
    return bonds;
}

void CpuCorrelations::count_distances(int distances, std::int64_t* counts) {
    const std::uint64_t* spins = view_.spins;
    constexpr std::int64_t room = std::int64_t{1} << 32;  // of counts
    const bool all_pairs = overlaps() && shape_.replicas == 4 && 6 * shape_.dimension * shape_.sites() < room;
    if (all_pairs) count(0, spins, {1, 2, 3}, distances, false, counts);
    for (int a = 0; !all_pairs && a < shape_.replicas; ++a) {
        if (!overlaps()) count(a, nullptr, {a}, distances, false, counts);
        for (int b = a + 1; overlaps() && b < shape_.replicas; ++b)
            count(a, spins, {b}, distances, false, counts);
    }
    sum_of_ranks(counts, distances + 1);
}

void CpuCorrelations::count_times(int replica, int earlier, std::int64_t* counts) {
    count(replica, earlier_[earlier].data(), {replica}, 1, true, counts);
    sum_of_ranks(counts, 2);
}

void CpuCorrelations::sum_of_ranks(std::int64_t* counts, int rows) {
    if (!shape_.is_slab()) return;
    const std::int64_t row = shape_.temperatures * shape_.realizations;
    ranks_.sum(std::span(counts, static_cast<std::size_t>(rows * row)));
}

void CpuCorrelations::count(int a, const std::uint64_t* words, std::initializer_list<int> others,
                            int distances, bool bonds, std::int64_t* counts) {
    const CpuView& view = view_;
    const int groups = view.layout.groups();
    const std::int64_t all = shape_.columns() * groups, threads = view.pool->threads();
    const auto differences = [&](std::int64_t i, Scratch& scratch) {
        const std::int64_t column = i / groups, offset = CouplingLayout::of(shape_).column_words() * column;
        const int group = static_cast<int>(i % groups);
        const SpinLayout& layout = view.layout;
        scratch.difference.resize(std::max(scratch.difference.size(), others.size() * layout.group_words()));
        scratch.counts.resize((distances + 1) * slots_per_word * column_bits);
        DistanceTask task{.lattice = HeldLattice::of(shape_),
                          .a = view.spins + layout.group_offset(column, a, group),
                          .others = static_cast<int>(others.size()),
                          .b = {},
                          .difference = scratch.difference.data(),
                          .distances = distances,
                          .counts = scratch.counts.data(),
                          .dimension = shape_.dimension,
                          .absent = bonds && view.absent ? view.absent + offset : nullptr,
                          .halo = bonds && lines_};
        std::ranges::transform(others, task.b, [&](int b) {
            return words ? words + layout.group_offset(column, b, group) : nullptr;
        });
        distance_kernels(view.level).count(task);
    };
    const auto add = [&](std::int64_t i, const Scratch& scratch) {
        add_counts(scratch, i / groups, static_cast<int>(i % groups), others.size() == 1 ? 0 : 1, counts);
    };
    if (!lines_ || bonds)
        return view.pool->for_each(all, [&](std::int64_t i, int thread) {
            differences(i, scratch_[thread]);
            add(i, scratch_[thread]);
        });
    // Ranks transpose group by group in the same order, however many threads they have.
    for (int axis = first_axis_through_slabs(shape_.order); axis < shape_.dimension; ++axis)
        for (std::int64_t first = 0; first < all; first += threads) {
            const std::int64_t here = std::min(threads, all - first);
            view.pool->for_each(here, [&](std::int64_t i, int) { differences(first + i, scratch_[i]); });
            for (std::int64_t i = 0; i < here; ++i)
                transpose(axis, scratch_[i], static_cast<int>(others.size()));
            view.pool->for_each(here, [&](std::int64_t i, int) {
                distance_kernels(view.level)
                    .count_lines({shape_.L, static_cast<int>(others.size()), lines_->lines(),
                                  scratch_[i].lines.data(), distances, scratch_[i].counts.data()});
                add(first + i, scratch_[i]);
            });
        }
}

void CpuCorrelations::transpose(int axis, Scratch& scratch, int others) {
    scratch.lines.resize(others * lines_->line_words());
    for (int f = 0; f < others; ++f)
        lines_->transpose(axis, scratch.difference.data() + f * shape_.own_sites() * 2 * slots_per_word,
                          scratch.lines.data() + f * lines_->line_words());
}

void CpuCorrelations::add_counts(const Scratch& scratch, std::int64_t column, int group, int least,
                                 std::int64_t* counts) const {
    const std::int64_t row = shape_.temperatures * shape_.realizations,
                       used = std::min<std::int64_t>(column_bits, shape_.realizations - column * column_bits);
    const int distances = static_cast<int>(scratch.counts.size()) / (slots_per_word * column_bits) - 1;
    for (int k = least; k <= distances; ++k)
        for (int slot = group * slots_per_word;
             slot < std::min((group + 1) * slots_per_word, shape_.temperatures); ++slot) {
            const std::int32_t* from =
                scratch.counts.data() + (k * slots_per_word + slot % slots_per_word) * column_bits;
            std::int64_t* to = counts + k * row + slot * shape_.realizations + column * column_bits;
            for (std::int64_t lane = 0; lane < used; ++lane)
                to[lane] += static_cast<std::uint32_t>(from[lane]);
        }
}

}  // namespace

std::unique_ptr<Correlations> make_cpu_correlations(Sampler& sampler, const Measured& measured, int bins) {
    return std::make_unique<CpuCorrelations>(sampler, measured, bins);
}

}  // namespace psflip
