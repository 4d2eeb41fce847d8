#include "run/memory.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "base/error.hpp"

using namespace psflip;

TEST_CASE("the memory estimate follows the sizes") {
    MemoryNeeds needs{{16, 2, 24, 128, 0, 128}, 0, 0, 0, true};
    const double spins = 4096.0 * 2 * 24 * 16;  // 128 bits per site, replica and slot
    CHECK(estimated_bytes(needs) >= 3 * spins);
    CHECK(estimated_bytes(needs) < 4 * spins);
    const double before = estimated_bytes(needs);
    needs.snapshots = 10;
    CHECK(estimated_bytes(needs) == doctest::Approx(before + 10 * spins));
    needs.snapshots = 0;
    needs.backend_on_host = false;
    CHECK(estimated_bytes(needs) == doctest::Approx(before - spins - 3 * 4096.0 * 16));
    const double without = estimated_bytes(needs);
    needs.bins = 30;
    CHECK(estimated_bytes(needs) ==
          doctest::Approx(without + 2.0 * 30 * 24 * 128 * 8 * 19 + 2.0 * 30 * 128 * 8 * 4));
    const double overlaps = estimated_bytes(needs);
    needs.measured.magnetisation = true;
    CHECK(estimated_bytes(needs) == doctest::Approx(overlaps + 2.0 * 30 * 24 * 128 * 8 * 10 * 2));
}

TEST_CASE("what cannot fit is refused with both sizes") {
    const MemoryNeeds needs{{256, 8, 64, 128, 0, 128}, 30, 50, 100, true};
    check_memory(needs, std::numeric_limits<double>::infinity());
    try {
        check_memory(needs, 8.0 * 1024 * 1024 * 1024);
        FAIL("no error");
    } catch (const EnvironmentError& error) {
        const std::string message = error.what();
        CHECK(message.find("8 GiB are available") != std::string::npos);
        CHECK(message.find("100 snapshots") != std::string::npos);
        CHECK(message.find("L = 256") != std::string::npos);
    }
    CHECK(available_bytes() > 0.0);
}
