#pragma once

#include "sweep/vector/real_simd.hpp"
#include "sweep/vector/vector_simd_kernels.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// Points to one number of a neighbour (a spin component, the species or the coupling) for all sites of a
/// row. `at` is for most columns. `around` is for sites at one end of the row whose neighbour lies at the
/// other end. With open boundaries, `around` of spin components points to zeros.
template <class T>
struct RowNumbers {
    const T *at, *around;
};

/// Describes a neighbour of all sites of a row.
template <class T, int N>
struct RowNeighbour {
    RowNumbers<T> spin[N], species, coupling;
    T sign;
};

/// Describes the sites of a colour in a row, and their neighbours 0 to 5. Neighbour 0 lies along x, and may
/// lie at the other end of the row. Neighbour 1 lies along x and has the h of the site. The others are y
/// down, y up, z down, z up.
template <class T, VectorTerms terms, int N>
class VectorRow {
    using R = RealLanes<T>;
    using Traits = RealTraits<R>;

  public:
    VectorRow(const VectorTask<T>& task, int row) : task_(task), group_(task.group), colour_(task.colour) {
        const int L = group_.L, y = row % L, z = row / L;
        odd_ = (colour_ + y + z) & 1;
        offset_ = row * group_.stride;
        edge_ = BitLanes<T>(static_cast<std::uint64_t>(odd_ ? L - 2 : 0));
        const int lattice_row = row + group_.lowest_plane * L;
        first_site_ = static_cast<std::uint64_t>(lattice_row) * static_cast<std::uint64_t>(L) + odd_;
        const int shift = odd_ ? 1 : -1;
        set(0, 0, odd_, offset_ + shift, offset_ + shift - shift * (L / 2), false);
        set(1, 0, !odd_, offset_, offset_, false);
        const auto across = [&](int n, int direction, bool up, int at, int rows, bool wraps) {
            const int step = rows / L;
            const bool outside = up ? at == L - 1 : at == 0;
            const int to = row + (up ? step : -step) + (outside && wraps ? (up ? -rows : rows) : 0);
            set(n, direction, up, to * group_.stride, to * group_.stride, outside && group_.zeros);
        };
        const int of_lattice = z + group_.lowest_plane;
        across(2, 1, false, y, L, true), across(3, 1, true, y, L, true);
        if (group_.rows > L) {
            across(4, 2, false, of_lattice, L * L, !group_.is_slab);
            across(5, 2, true, of_lattice, L * L, !group_.is_slab);
        }
        neighbours_ = group_.rows > L ? 6 : 4;
    }

    T* own(int k) const { return group_.spins[colour_][k] + offset_; }
    BitLanes<T> site(std::int64_t column) const {
        return lanes(group_.twice_h, column) + BitLanes<T>(first_site_);
    }
    BitLanes<T> fields(std::int64_t column) const { return lanes(group_.fields, column); }
    BitLanes<T> pack_purpose(std::int64_t column) const { return lanes(group_.pack_purpose, column); }

    /// Returns the sites of a register, in the form that `updated` takes.
    VectorSite<R, N> read(std::int64_t column) const {
        VectorSite<R, N> site;
        for (int k = 0; k < N; ++k) site.spin.c[k] = R::load(own(k) + column);
        const typename Traits::Mask b = species(column);
        LocalField<terms, R, N> field(task_.constants, b);
        field.add(neighbour<true>(0, column, at_edge(column)));
        for (int n = 1; n < 4; ++n) field.add(neighbour<false>(n, column, {}));
        if (neighbours_ == 6)
            for (int n = 4; n < 6; ++n) field.add(neighbour<false>(n, column, {}));
        site.field = field.sum(task_.constants, b);
        if constexpr (terms == VectorTerms::species) site.anisotropy = field.anisotropy(task_.constants, b);
        site.beta = R::load(group_.beta + column);
        site.width = R::load(group_.width + column);
        return site;
    }

    typename Traits::Mask species(std::int64_t column) const {
        if constexpr (terms == VectorTerms::species)
            return R(0.0) < R::load(group_.species[colour_] + offset_ + column);
        else
            return {};
    }
    /// Returns the local field with only the neighbours one step up.
    LocalField<terms, R, N> field_from_above(std::int64_t column) const {
        LocalField<terms, R, N> field(task_.constants, species(column));
        field.add(odd_ ? neighbour<true>(0, column, at_edge(column)) : neighbour<false>(1, column, {}));
        field.add(neighbour<false>(3, column, {}));
        if (neighbours_ == 6) field.add(neighbour<false>(5, column, {}));
        return field;
    }

  private:
    typename Traits::Mask at_edge(std::int64_t column) const {
        return {lanes(group_.twice_h, column).v == edge_.v};
    }
    static BitLanes<T> lanes(const LaneOf<T>* p, std::int64_t column) {
        return BitLanes<T>(*reinterpret_cast<const typename NativeLanes<T>::Bits*>(p + column));
    }

    /// Sets neighbour n, one step up or down along a direction: at `at` in the arrays of the other colour, or
    /// at `around` for sites whose neighbour lies at the other end. `outside`: all neighbours lie across an
    /// open boundary.
    void set(int n, int direction, bool up, std::int64_t at, std::int64_t around, bool outside) {
        RowNeighbour<T, N>& to = neighbour_[n];
        const int other = 1 - colour_;
        for (int k = 0; k < N; ++k) to.spin[k] = numbers(group_.spins[other][k], at, around, outside);
        if constexpr (terms == VectorTerms::species)
            to.species = {group_.species[other] + at, group_.species[other] + around};
        if constexpr (terms == VectorTerms::bonds) {
            const T* of = group_.couplings[up ? colour_ : other][direction];
            to.coupling =
                up ? RowNumbers<T>{of + offset_, of + offset_} : RowNumbers<T>{of + at, of + around};
        }
        to.sign = task_.constants.sign(colour_, up);
    }
    RowNumbers<T> numbers(const T* of, std::int64_t at, std::int64_t around, bool outside) const {
        if (outside) return {group_.zeros, group_.zeros};
        return {of + at, group_.zeros ? group_.zeros : of + around};
    }

    template <bool turns>
    VectorNeighbour<R, N> neighbour(int n, std::int64_t column, typename Traits::Mask edge) const {
        const RowNeighbour<T, N>& of = neighbour_[n];
        const auto load = [&](const RowNumbers<T>& numbers) {
            const R at = R::load(numbers.at + column);
            if constexpr (turns)
                return Traits::choose(edge, R::load(numbers.around + column), at);
            else
                return at;
        };
        VectorNeighbour<R, N> j;
        for (int k = 0; k < N; ++k) j.spin.c[k] = load(of.spin[k]);
        if constexpr (terms == VectorTerms::species) {
            j.species = R(0.0) < load(of.species);
            j.sign = R(static_cast<double>(of.sign));
        }
        if constexpr (terms == VectorTerms::bonds) j.coupling = load(of.coupling);
        return j;
    }

    const VectorTask<T>& task_;
    const VectorGroupView<T>& group_;
    int colour_, odd_, neighbours_;
    std::int64_t offset_;
    std::uint64_t first_site_;
    BitLanes<T> edge_;
    RowNeighbour<T, N> neighbour_[6];
};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
