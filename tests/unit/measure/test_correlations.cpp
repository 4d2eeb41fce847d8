#include "evolution/move_sampler.hpp"
#include "measure/correlations.hpp"

#include <doctest/doctest.h>

#include "disorder/couplings.hpp"
#include "lattice/packing.hpp"
#include "lattice/plane_map.hpp"
#include "measure/site_rows.hpp"
#include "random/splitmix64.hpp"
#include "reference/cases.hpp"
#include "reference/planes.hpp"
#include "reference/reference_correlations.hpp"
#include "slab/ranks.hpp"

using namespace psflip;
using namespace psflip::reference;

namespace {

std::vector<std::int64_t> bin_of(const Accumulators& sums, Sum sum, int bin) {
    const auto& all = sums.integers[int(sum)];
    const auto size = static_cast<std::ptrdiff_t>(all.size()) / sums.bins;
    return {all.begin() + bin * size, all.begin() + (bin + 1) * size};
}

/// Three measurements, the spins of the first two being remembered.
void check_case(const Shape& shape, const Model& model) {
    INFO("L " << shape.L << " dimension " << shape.dimension << " realizations " << shape.realizations);
    const auto bonds =
        generate_couplings({7, model, shape.L}, shape.first_realization, shape.realizations, 1);
    const std::vector<double> betas(shape.temperatures, 0.7);
    auto sampler = make_ising_sampler({{"cpu", 2, 0}, shape, betas, 7, bonds, 0, model});
    Measured measured = measured_of(model, false);
    measured.distances = shape.L / 2;
    measured.waiting = 2;
    NaiveCorrelations naive{shape, measured, bonds};
    const auto correlations = make_correlations(*sampler, measured, 3);
    const Sum of_distances = measured.overlaps ? Sum::correlation4 : Sum::correlation2;
    sampler->ensemble().set_spins(random_spins(shape, 7));
    for (int bin = 0; bin < 3; ++bin) {
        correlations->measure(bin);
        const auto spins = sampler->ensemble().spins();
        CHECK(bin_of(correlations->sums(), of_distances, bin) == naive.distances(spins));
        std::vector<std::int64_t> overlaps = naive.two_times(spins, false),
                                  links = naive.two_times(spins, true);
        const std::size_t all = 2 * shape.replicas * shape.temperatures * shape.realizations;
        overlaps.resize(all, 0);
        links.resize(all, 0);
        CHECK(bin_of(correlations->sums(), Sum::two_time_overlap, bin) == overlaps);
        CHECK(bin_of(correlations->sums(), Sum::two_time_link, bin) == links);
        if (bin == 2) break;
        if (bin == 0) correlations->remember(sampler->ensemble().held_spins().bits);
        if (bin == 1) correlations->remember_present();
        naive.earlier.push_back(spins);
        sampler->advance(2 * bin, 2 * bin + 2);
    }
}

/// Two measurements behind a sweep each, the spins of the first two moments being remembered.
Accumulators sums_of_rank(Shape shape, const Model& model, Ranks& ranks, int threads) {
    const auto bonds =
        generate_couplings({7, model, shape.L}, shape.first_realization, shape.realizations, 1);
    const auto spins = random_spins(shape, 7);
    const SlabPlanes planes = planes_of_rank(shape.L, ranks.rank(), ranks.size());
    if (!ranks.alone()) shape.first_plane = planes.first, shape.slab_planes = planes.count;
    const auto held = planes_of_lattices(bonds, HeldLattice::of(shape));
    auto sampler = make_ising_sampler({{"cpu", threads, 0},
                                       shape,
                                       std::vector<double>(shape.temperatures, 0.7),
                                       7,
                                       held,
                                       0,
                                       model,
                                       &ranks});
    Measured measured = measured_of(model, false);
    measured.distances = shape.L / 2;
    measured.waiting = 2;
    const auto correlations = make_correlations(*sampler, measured, 2);
    const auto own = planes_of_lattices(spins, own_lattice(shape));
    sampler->ensemble().set_spins(own);
    correlations->remember(own);
    for (int bin = 0; bin < 2; ++bin) {
        sampler->advance(bin, bin + 1);
        correlations->measure(bin);
        if (bin == 0) correlations->remember_present();
    }
    return correlations->sums();
}

void check_slabs(Shape shape, const Model& model, SiteOrder order = SiteOrder::standard) {
    INFO("L " << shape.L << " replicas " << shape.replicas << " temperatures " << shape.temperatures
              << " order " << name(order));
    const Accumulators whole = sums_of_rank(shape, model, single_rank(), 2);
    shape.order = order;
    for (int slabs = 2; slabs <= std::min(4, shape.L / 2); ++slabs)
        with_local_ranks(slabs, [&](Ranks& ranks) {
            const bool equal = sums_of_rank(shape, model, ranks, 1 + ranks.rank() % 3) == whole;
            CHECK(ranks.maximum(equal ? 0 : 1) == 0);
        });
}

}  // namespace

TEST_CASE("correlations in space and time equal spins multiplied one by one, at every SIMD level") {
    const Model glass{}, flat{.dimension = 2}, diluted{.p_absent = 0.3},
        ferromagnet{.kind = ModelKind::ferromagnet, .dimension = 2};
    for (const std::string& level : simd_levels()) {
        const ForceSimd force(level);
        check_case({4, 3, 5, 70, 0, 32}, glass);
        check_case({6, 2, 1, 200, 64, 32}, glass);
        check_case({6, 4, 5, 70, 0, 32}, glass);
        check_case({10, 2, 2, 32, 0, 32, 2}, flat);
        check_case({6, 2, 3, 64, 0, 32}, diluted);
        check_case({8, 2, 2, 130, 0, 1, 2}, ferromagnet);
    }
}

TEST_CASE("lattices with lanes = sites: rows of whole words, and rows that begin within a word") {
    const Model glass{}, flat{.dimension = 2}, ferromagnet{.kind = ModelKind::ferromagnet, .dimension = 2};
    for (const std::string& level : simd_levels()) {
        const ForceSimd force(level);
        for (const auto& [L, replicas, temperatures, realizations, model] :
             std::initializer_list<std::tuple<int, int, int, int, Model>>{{64, 2, 2, 3, flat},
                                                                          {128, 4, 1, 1, flat},
                                                                          {64, 1, 1, 2, ferromagnet},
                                                                          {32, 2, 1, 2, glass}}) {
            Shape shape{L, replicas, temperatures, realizations, 0, 1, model.dimension};
            shape.coding = Lanes::sites;
            check_case(shape, model);
        }
    }
}

TEST_CASE("rows of one bit per site: every SIMD level counts pairs of sites as one by one") {
    struct Rows {
        int L, dimension, first, end, distances;
    };
    for (const Rows& rows : {Rows{64, 2, 0, 64, 32}, Rows{96, 3, 90, 100, 48}, Rows{160, 2, 150, 160, 80},
                             Rows{1088, 2, 3, 9, 544}, Rows{4160, 2, 0, 20, 70}}) {
        const int L = rows.L, words = words_of_row(L);
        const std::int64_t all = rows.dimension == 3 ? std::int64_t{L} * L : L;
        std::vector<std::uint64_t> bits(all * words);
        for (std::int64_t i = 0; i < std::ssize(bits); ++i)
            bits[i] = splitmix64(i) >> ((i + 1) % words == 0 && L % 64 != 0 ? 64 - L % 64 : 0);
        const auto bit = [&](int x, std::int64_t row) { return bits[row * words + x / 64] >> x % 64 & 1; };
        std::vector<std::int64_t> expected(rows.distances + 1, 0);
        for (std::int64_t row = rows.first; row < rows.end; ++row)
            for (int x = 0; x < L; ++x) {
                const std::int64_t y = row % L, z = row / L;
                expected[0] += bit(x, row);
                for (int k = 1; k <= rows.distances; ++k) {
                    expected[k] += bit(x, row) ^ bit((x + k) % L, row);
                    expected[k] += bit(x, row) ^ bit(x, (y + k) % L + L * z);
                    if (rows.dimension == 3) expected[k] += bit(x, row) ^ bit(x, y + L * ((z + k) % L));
                }
            }
        for (const std::string& level : simd_levels()) {
            INFO("L " << L << " level " << level);
            const ForceSimd force(level);
            std::vector<std::int64_t> counts(rows.distances + 1, 0);
            kernels_of<SiteRowsKernels>(simd_level())
                .count({L, rows.dimension, bits.data(), rows.first, rows.end, rows.distances, counts.data()});
            CHECK(counts == expected);
        }
    }
}

TEST_CASE("the sliced order of sites has the same correlations") {
    Shape shape{6, 2, 1, 64, 0, 32};
    shape.order = SiteOrder::sliced;
    check_case(shape, {});
}

TEST_CASE("slabs have the same correlations, equal or not, on any number of threads") {
    const Model glass{}, diluted{.p_absent = 0.3}, ferromagnet{.kind = ModelKind::ferromagnet};
    for (const std::string& level : simd_levels()) {
        const ForceSimd force(level);
        check_slabs({4, 3, 5, 70, 0, 32}, glass);
        check_slabs({10, 2, 6, 200, 64, 32}, glass);
        check_slabs({6, 4, 9, 150, 0, 32}, glass);
        check_slabs({8, 2, 3, 64, 0, 32}, diluted);
        check_slabs({8, 2, 2, 130, 0, 1}, ferromagnet);
    }
}

TEST_CASE("slabs in the sliced order have the same correlations") {
    const Model glass{}, diluted{.p_absent = 0.3}, ferromagnet{.kind = ModelKind::ferromagnet};
    check_slabs({4, 3, 5, 70, 0, 32}, glass, SiteOrder::sliced);
    check_slabs({10, 2, 6, 200, 64, 32}, glass, SiteOrder::sliced);
    check_slabs({6, 4, 9, 150, 0, 32}, glass, SiteOrder::sliced);
    check_slabs({8, 2, 3, 64, 0, 32}, diluted, SiteOrder::sliced);
    check_slabs({8, 2, 2, 130, 0, 1}, ferromagnet, SiteOrder::sliced);
}

TEST_CASE("ordered lattices: every product is 1") {
    const Shape shape{16, 2, 1, 128, 0, 128};
    const std::vector<std::int8_t> bonds(3 * 4096 * 128, 1);
    auto sampler = make_ising_sampler({{"cpu", 1, 0}, shape, {1.0}, 7, bonds, 0});
    Measured measured;
    measured.distances = 8;
    measured.waiting = 1;
    const auto correlations = make_correlations(*sampler, measured, 1);
    const std::vector<std::uint64_t> up(shape.spin_words(), ~std::uint64_t{0});
    sampler->ensemble().set_spins(up);
    correlations->remember(up);
    correlations->measure(0);
    const Accumulators& sums = correlations->sums();
    CHECK(sums.integers[int(Sum::correlation4)] == std::vector<std::int64_t>(8 * 128, 3 * 4096));
    CHECK(sums.integers[int(Sum::two_time_overlap)] == std::vector<std::int64_t>(2 * 128, 4096));
    CHECK(sums.integers[int(Sum::two_time_link)] == std::vector<std::int64_t>(2 * 128, 3 * 4096));
}
