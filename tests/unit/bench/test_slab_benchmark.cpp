#include <doctest/doctest.h>

#include "bench/slab_benchmark.hpp"
#include "slab/ranks.hpp"
#include "unit/messages.hpp"

using namespace psflip;
using namespace psflip::test;

namespace {

SlabResult timed(const SlabCase& setup) {
    SlabResult result;
    const BenchmarkTiming timing{.repeats = 3, .seconds = 1e-4};
    with_local_ranks(setup.slabs, [&](Ranks& ranks) {
        const SlabResult found = time_slabs({.backend = "cpu", .threads = 1}, setup, timing, ranks);
        if (ranks.is_first()) result = found;
    });
    return result;
}

}  // namespace

TEST_CASE("timings of slabs are written with their packs and their kind of scaling") {
    const SlabResult r = timed({.L = 8, .slabs = 2, .share = 32});
    CHECK(r.seconds > 0);
    const std::string text = slab_row({r}, r).json();
    CHECK(contains(text, "\"packs\": 4"));
    CHECK(contains(text, "\"scaling\": \"strong\""));
    SlabResult weak = r;
    weak.setup.weak = true;
    CHECK(contains(slab_row({weak}, weak).json(), "\"scaling\": \"weak\""));
}

TEST_CASE("efficiency is that of a device as compared with whole lattices of the size, or of the only one") {
    const auto result = [](int L, int slabs, double seconds) {
        SlabResult r;
        r.setup.L = L, r.setup.slabs = slabs, r.seconds = seconds;
        return r;
    };
    const SlabResult one = result(16, 1, 4e-6), two = result(16, 2, 2.5e-6), larger = result(20, 2, 5e-6);
    CHECK(efficiency({one, two}, two) == doctest::Approx(0.8));
    CHECK(efficiency({one, larger}, larger) ==
          doctest::Approx(0.8 * 0.5 * (20.0 * 20 * 20) / (16.0 * 16 * 16)));
    CHECK(efficiency({two}, two) == 0.0);
}
