#include "sweep/sites/site_counts.hpp"

#include <algorithm>
#include <functional>

#include "sweep/sites/sites_kernels.hpp"

namespace psflip {
namespace {

/// Planes across the axes, then across the diagonals x + y, x - y, x + z, x - z, y + z, y - z.
int families(int dimension, bool diagonals) {
    return dimension + (diagonals ? dimension * (dimension - 1) : 0);
}

/// What threads count of their part of a lattice.
struct Part {
    std::vector<std::int32_t> planes;
    std::int64_t links = 0;
};

}  // namespace

void SiteCounter::count(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, bool diagonals,
                        ThreadPool& pool, DifferenceCounts& counts) {
    difference_.resize(a.size());
    share_out(pool, std::ssize(a), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) difference_[i] = b.empty() ? ~a[i] : a[i] ^ b[i];
    });
    const int axis = lanes_.dimension - 1, layers = lanes_.extent[axis];
    const std::int64_t layer_rows = lanes_.rows() / layers, n = std::min(layers, pool.threads());
    counts.planes.assign(families(lanes_.dimension, diagonals) * std::size_t(lanes_.L), 0);
    std::vector<Part> parts(static_cast<std::size_t>(n), {counts.planes});
    pool.for_each(n, [&](std::int64_t i, int) {
        Part& part = parts[static_cast<std::size_t>(i)];
        LocalRange range{{0, 0, 0}, {lanes_.extent[0], lanes_.extent[1], lanes_.extent[2]}};
        range.begin[axis] = static_cast<int>(i * layers / n);
        range.end[axis] = static_cast<int>((i + 1) * layers / n);
        const auto& kernels = kernels_of<SitesKernels>(level_);
        kernels.planes({&lanes_, difference_.data(), range, part.planes.data()});
        if (diagonals)
            add_diagonals(range.begin[axis] * layer_rows, range.end[axis] * layer_rows, part.planes.data());
        if (b.empty()) return;
        SitesSumTask bonds{&lanes_, difference_.data(), nullptr, range};
        kernels.sum(bonds);
        part.links = bonds.unsatisfied;
    });
    counts.links = 0;
    for (const Part& part : parts) {
        std::ranges::transform(counts.planes, part.planes, counts.planes.begin(), std::plus<>());
        counts.links += part.links;
    }
}

/// Rows of local indices, in all subdomains.
void SiteCounter::add_diagonals(std::int64_t first_row, std::int64_t end_row, std::int32_t* planes) const {
    const int L = lanes_.L, dimension = lanes_.dimension;
    for_each_place(lanes_, first_row, end_row, [&](std::int64_t word, int lane, std::int64_t site) {
        if ((difference_[2 * word + lane / 64] >> lane % 64 & 1) == 0) return;
        const int at[3] = {static_cast<int>(site % L), static_cast<int>(site / L % L),
                           static_cast<int>(site / L / L)};
        std::int32_t* family = planes + dimension * L;
        for (int u = 0; u < dimension; ++u)
            for (int v = u + 1; v < dimension; ++v, family += 2 * L) {
                ++family[(at[u] + at[v]) % L];
                ++family[L + (at[u] - at[v] + L) % L];
            }
    });
}

}  // namespace psflip
