#include "sweep/vector/vector_group.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "random/purposes.hpp"

namespace psflip {
namespace {

constexpr std::int64_t shortest_row = 64;  // columns, if there are enough states

std::int64_t up_to_whole_registers(std::int64_t columns) {
    return (columns + vector_padding - 1) / vector_padding * vector_padding;
}

}  // namespace

std::int64_t states_of_group(const VectorSetup& setup) {
    const std::int64_t half = setup.L / 2, whole = std::lcm<std::int64_t>(half, vector_padding);
    const std::int64_t columns =
        half >= vector_padding ? whole : std::max(whole, shortest_row / whole * whole);
    return std::min(columns / half, setup.states());
}

template <class T>
VectorGroup<T>::VectorGroup(const VectorSetup& setup, std::int64_t first, std::int64_t count)
    : L_(setup.L),
      rows_(setup.L * setup.held_planes()),
      first_own_(setup.L * setup.halo_planes()),
      end_own_(rows_ - first_own_),
      components_(setup.components()),
      directions_(setup.dimension()),
      lowest_plane_(setup.lowest_plane()),
      open_(setup.open()),
      is_slab_(setup.is_slab()),
      first_(first),
      count_(count),
      stride_(up_to_whole_registers(count * (setup.L / 2))),
      lead_(up_to_whole_registers(setup.L / 2 + vector_padding)),
      size_(rows_ * stride_ + 2 * lead_) {
    const auto size = static_cast<std::size_t>(size_);
    for (int colour = 0; colour < 2; ++colour)
        for (int k = 0; k < components_; ++k) spins_[k][colour].resize(size);
    if (open_) zeros_.resize(static_cast<std::size_t>(stride_));
    lay_out_disorder(setup);
    lay_out_columns(setup);
}

template <class T>
template <class From>
void VectorGroup<T>::lay_out(const From* canonical, std::int64_t i, int first, int end,
                             AlignedVector<T> (&to)[2]) {
    for (int row = first; row < end; ++row)
        for (int x = 0; x < L_; ++x)
            to[colour(x, row)][static_cast<std::size_t>(place(x, row, i))] = static_cast<T>(*canonical++);
}

template <class T>
void VectorGroup<T>::lay_out_disorder(const VectorSetup& setup) {
    const VectorTerms terms = setup.terms();
    const auto size = static_cast<std::size_t>(size_);
    for (int colour = 0; colour < 2; ++colour) {
        if (terms == VectorTerms::species) species_[colour].resize(size);
        for (int d = 0; d < directions_ && terms == VectorTerms::bonds; ++d)
            couplings_[d][colour].resize(size);
    }
    for (std::int64_t i = 0; i < count_; ++i) {
        const std::int64_t r = setup.realization(first_ + i), sites = setup.held_sites();
        if (!setup.species.empty()) lay_out(setup.species.data() + r * sites, i, 0, rows_, species_);
        for (int d = 0; d < directions_ && terms == VectorTerms::bonds; ++d)
            lay_out(setup.couplings.data() + (r * directions_ + d) * sites, i, 0, rows_, couplings_[d]);
    }
}

template <class T>
void VectorGroup<T>::lay_out_columns(const VectorSetup& setup) {
    const auto stride = static_cast<std::size_t>(stride_);
    twice_h_.assign(stride, 0), fields_.assign(stride, 0), pack_purpose_.assign(stride, 0);
    beta_.assign(stride, T(1)), width_.assign(stride, T(2));
    for (std::int64_t i = 0; i < count_; ++i) {
        const std::int64_t state = first_ + i;
        const Counter counter =
            make_counter(Purpose::vector_update, 0, 0, static_cast<std::uint32_t>(setup.slot(state)),
                         static_cast<std::uint32_t>(setup.replica(state)), 0,
                         static_cast<std::uint32_t>(setup.first_realization + setup.realization(state)));
        for (int h = 0; h < L_ / 2; ++h) {
            const auto column = static_cast<std::size_t>(i * (L_ / 2) + h);
            twice_h_[column] = 2 * static_cast<LaneOf<T>>(h);
            fields_[column] = counter.fields;
            pack_purpose_[column] = counter.pack_purpose;
        }
    }
    set_betas(setup);
}

template <class T>
void VectorGroup<T>::set_betas(const VectorSetup& setup) {
    for (std::int64_t i = 0; i < count_; ++i) {
        const double beta = setup.betas[static_cast<std::size_t>(setup.slot(first_ + i))];
        std::fill_n(beta_.begin() + i * (L_ / 2), L_ / 2, static_cast<T>(beta));
    }
}

template <class T>
VectorGroupView<T> VectorGroup<T>::view() {
    VectorGroupView<T> view{};
    view.L = L_, view.rows = rows_, view.stride = stride_;
    view.lowest_plane = lowest_plane_, view.is_slab = is_slab_;
    const auto start = [&](AlignedVector<T>& array) {
        return array.empty() ? nullptr : array.data() + lead_;
    };
    for (int colour = 0; colour < 2; ++colour) {
        for (int k = 0; k < 3; ++k) view.spins[colour][k] = start(spins_[k][colour]);
        for (int d = 0; d < 3; ++d) view.couplings[colour][d] = start(couplings_[d][colour]);
        view.species[colour] = start(species_[colour]);
    }
    view.zeros = open_ ? zeros_.data() : nullptr;
    view.twice_h = twice_h_.data(), view.fields = fields_.data(), view.pack_purpose = pack_purpose_.data();
    view.beta = beta_.data(), view.width = width_.data();
    return view;
}

template <class T>
void VectorGroup<T>::take(const double* spins) {
    const std::int64_t sites = std::int64_t{end_own_ - first_own_} * L_;
    for (std::int64_t i = 0; i < count_; ++i)
        for (int k = 0; k < components_; ++k)
            lay_out(spins + ((first_ + i) * components_ + k) * sites, i, first_own_, end_own_, spins_[k]);
}

template <class T>
void VectorGroup<T>::put(double* spins) const {
    for (std::int64_t i = 0; i < count_; ++i)
        for (int k = 0; k < components_; ++k) {
            double* to = spins + ((first_ + i) * components_ + k) * (end_own_ - first_own_) * L_;
            for (int row = first_own_; row < end_own_; ++row)
                for (int x = 0; x < L_; ++x)
                    *to++ = spins_[k][colour(x, row)][static_cast<std::size_t>(place(x, row, i))];
        }
}

template <class T>
void VectorGroup<T>::set_widths(const std::vector<double>& widths) {
    for (std::int64_t i = 0; i < count_; ++i)
        std::fill_n(width_.begin() + i * (L_ / 2), L_ / 2,
                    static_cast<T>(widths[static_cast<std::size_t>(first_ + i)]));
}

template <class T>
void VectorGroup<T>::swap(std::int64_t i, VectorGroup& other, std::int64_t j) {
    for (int k = 0; k < components_; ++k)
        for (int colour = 0; colour < 2; ++colour)
            for (int row = 0; row < rows_; ++row) {
                T* mine = spins_[k][colour].data() + place(0, row, i);
                std::swap_ranges(mine, mine + L_ / 2,
                                 other.spins_[k][colour].data() + other.place(0, row, j));
            }
}

template <class T>
std::int64_t VectorGroup<T>::swap_cluster(std::int64_t i, VectorGroup& other, std::int64_t j,
                                          std::uint32_t first, ClusterSearch& search) {
    const auto mine = [&](int x, int row) { return &spins_[0][colour(x, row)][place(x, row, i)]; };
    const auto theirs = [&](int x, int row) {
        return &other.spins_[0][colour(x, row)][other.place(x, row, j)];
    };
    const int begin = static_cast<int>(first % static_cast<std::uint32_t>(L_)),
              begin_row = static_cast<int>(first / static_cast<std::uint32_t>(L_));
    if (*mine(begin, begin_row) == *theirs(begin, begin_row)) return 0;
    for (int row = 0; row < rows_; ++row)
        for (int x = 0; x < L_; x += ClusterSearch::bits) {
            std::uint64_t word = 0;
            const int sites = std::min(L_ - x, ClusterSearch::bits);
            for (int parity = 0; parity < 2; ++parity) {
                const T *a = mine(x + parity, row), *b = theirs(x + parity, row);
                for (int h = 0; 2 * h < sites; ++h) word |= std::uint64_t{a[h] != b[h]} << (2 * h + parity);
            }
            search.word(x / ClusterSearch::bits, row) = word;
        }
    std::int64_t count = 0;
    search.find(first, [&](int word, int row, std::uint64_t sites) {
        count += std::popcount(sites);
        for (; sites != 0; sites &= sites - 1) {
            const int x = ClusterSearch::bits * word + std::countr_zero(sites);
            std::swap(*mine(x, row), *theirs(x, row));
        }
    });
    return count;
}

template class VectorGroup<float>;
template class VectorGroup<double>;

}  // namespace psflip
