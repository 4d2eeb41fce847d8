#include "run/hottest_slot.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "lattice/packing.hpp"
#include "random/splitmix64.hpp"
#include "unit/run/small_case.hpp"

using namespace psflip;

namespace {

constexpr std::int64_t run_last = 340;  // 1, 2, 4, 8, 17 sweeps

TwoTimeOverlaps simulated(const Parameters& p, const Batch& batch, const std::vector<std::uint64_t>& spins,
                          int threads = 1) {
    return simulate_hottest_slot(p, batch, spins, run_last, {"cpu", threads, 0}, {}).value();
}

std::vector<std::uint64_t> start(const Parameters& p, const Batch& batch) {
    return random_spins(batch.shape, p.seed);
}

}  // namespace

TEST_CASE("the recorded times are halves of a twentieth of the run, also in a run twice as long") {
    CHECK(hottest_times(1) == std::vector<std::int64_t>{1});
    CHECK(hottest_times(39) == std::vector<std::int64_t>{1});
    CHECK(hottest_times(340) == std::vector<std::int64_t>{1, 2, 4, 8, 17});
    CHECK(hottest_times(655360).back() == 16384);
    CHECK(hottest_times(340, 4) == std::vector<std::int64_t>{4, 8, 16});
    CHECK(hottest_times(2000000, 100000) == std::vector<std::int64_t>{100000});
    CHECK(hottest_times(std::int64_t{1} << 47).back() == 13107);
    for (const std::int64_t last : {40, 120, 999, 8192, 10000, 400000}) {
        const auto times = hottest_times(last);
        auto longer = hottest_times(2 * last);
        if (2 * last / 20 <= max_hottest_sweeps) longer.pop_back();
        CHECK(longer == times);
    }
}

TEST_CASE(
    "at infinite temperature all spins turn over in every sweep, at zero temperature none of a ground "
    "state") {
    Parameters p = small_parameters();
    Batch batch = small_batch(p);
    batch.couplings.assign(batch.couplings.size(), 1);
    const std::vector<std::uint64_t> up(batch.shape.spin_words(), ~std::uint64_t{0});
    p.temperatures.back() = 1e12;
    const TwoTimeOverlaps hot = simulated(p, batch, up);
    CHECK(hot.sweeps == std::vector<std::int64_t>{1, 2, 4, 8, 17});
    for (std::size_t i = 0; i < hot.sums.size(); ++i) {
        const std::int64_t sweeps = hot.sweeps[i / (2 * 70)];
        CHECK(hot.sums[i] == (sweeps % 2 == 0 ? 64 : -64));
    }
    p.temperatures = {0.01, 0.02, 0.03, 0.04};
    CHECK(simulated(p, batch, up).sums == std::vector<std::int64_t>(5 * 2 * 70, 64));
}

TEST_CASE("only the hottest slot moves, by sweeps before the end of the run under a separate key") {
    const Parameters p = small_parameters();
    const Batch batch = small_batch(p);
    const auto spins = start(p, batch);
    const TwoTimeOverlaps overlaps = simulated(p, batch, spins);
    Shape shape = batch.shape;
    shape.temperatures = 1;
    const std::int64_t lattice = shape.packs64() * shape.sites();
    std::vector<std::uint64_t> hottest;
    for (int a = 0; a < p.replicas; ++a)
        hottest.insert(hottest.end(), spins.begin() + (4 * a + 3) * lattice,
                       spins.begin() + (4 * a + 4) * lattice);
    const auto after = [&](std::uint64_t seed, std::int64_t first, int sweeps) {
        const auto ensemble = make_ising_ensemble({one_thread(), shape, {1.0 / 2.1}, seed, batch.couplings});
        ensemble->set_spins(hottest);
        ensemble->sweep(first, sweeps);
        return two_time_sums(shape, hottest, ensemble->spins());
    };
    const auto recorded = [&](int k) {
        const auto begin = overlaps.sums.begin() + k * 140;
        return std::vector<std::int64_t>(begin, begin + 140);
    };
    CHECK(recorded(0) == after(splitmix64(p.seed), run_last - 17, 1));
    CHECK(recorded(4) == after(splitmix64(p.seed), run_last - 17, 17));
    CHECK(recorded(4) != after(p.seed, run_last - 17, 17));
    CHECK(recorded(4) != after(splitmix64(p.seed), run_last, 17));
    auto others = spins;
    for (std::int64_t i = 0; i < 3 * lattice; ++i) others[i] = ~others[i];
    CHECK(simulated(p, batch, others) == overlaps);
}

TEST_CASE("a realization has the same sums in a part of the batch, with more threads, and for every share") {
    for (const int share : {1, 32, 64, 128})
        for (const int replicas : {1, 2}) {
            const Parameters p = small_parameters(replicas, share);
            Batch batch = small_batch(p);
            batch.shape.realizations = batch.identity.realizations = 70 + share;
            batch.couplings = generate_couplings({p.seed, {.p_ferro = p.model.p_ferro}, p.L},
                                                 batch.shape.first_realization, batch.shape.realizations, 1);
            const auto spins = start(p, batch);
            const TwoTimeOverlaps whole = simulated(p, batch, spins);
            CHECK(simulated(p, batch, spins, 3) == whole);
            const BatchSlice part{std::max(share, 32), batch.shape.realizations - std::max(share, 32)};
            const TwoTimeOverlaps some =
                simulated(p, cut(batch, part), cut_spins({spins}, batch.shape, part).bits);
            CHECK(some.sums == cut(whole.sums, batch.shape.realizations, 1, part));
            CHECK(std::count(whole.sums.begin(), whole.sums.end(), 64) < 5);
        }
}

TEST_CASE("a ferromagnet with one temperature begins with all spins up") {
    Parameters p = small_parameters();
    p.model.kind = ModelKind::ferromagnet;
    p.temperatures = {1e-3};
    Batch batch = small_batch(p);
    batch.couplings.assign(batch.couplings.size(), 1);
    const TwoTimeOverlaps frozen = simulated(p, batch, start(p, batch));
    CHECK(frozen.sums == std::vector<std::int64_t>(5 * 2 * 70, 64));
    p.temperatures = {0.5, 1e-3};  // with two it begins with the random spins, whose distance from the
                                   // ordered state the sweeps change
    batch = small_batch(p);
    batch.couplings.assign(batch.couplings.size(), 1);
    CHECK(simulated(p, batch, start(p, batch)).sums != frozen.sums);
}

TEST_CASE("the hottest slot is tested unless spins are vectors or one temperature is in a field") {
    Shape shape;
    shape.temperatures = 1;
    CHECK(tests_hottest_slot(shape, {}));
    CHECK_FALSE(tests_hottest_slot(shape, {.field = true}));
    shape.temperatures = 2;
    CHECK(tests_hottest_slot(shape, {.field = true}));
    shape.form = SpinForm::floats;
    CHECK_FALSE(tests_hottest_slot(shape, {}));
}

TEST_CASE("a stop request ends it with nothing") {
    const Parameters p = small_parameters();
    const Batch batch = small_batch(p);
    const auto spins = start(p, batch);
    int asked = 0;
    const auto stop = [&] { return ++asked == 2; };
    CHECK(!simulate_hottest_slot(p, batch, spins, 4000000, one_thread(), stop));
    CHECK(asked == 2);
}
