#include "run/memory.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "base/error.hpp"
#include "unit/messages.hpp"

using namespace psflip;
using namespace psflip::test;

TEST_CASE("the memory estimate follows the sizes") {
    MemoryNeeds needs{{16, 2, 24, 128, 0, 128}, 0, 0, 0, true};
    const double spins = 4096.0 * 2 * 24 * 16;  // 128 bits per site, replica and slot
    CHECK(estimated_bytes(needs) >= 3 * spins);
    CHECK(estimated_bytes(needs) < 4 * spins);
    const double before = estimated_bytes(needs);
    needs.snapshots = 10;
    CHECK(estimated_bytes(needs) == doctest::Approx(before + 10 * spins));
    needs.snapshots = 0;
    needs.remembered = 3;
    CHECK(estimated_bytes(needs) == doctest::Approx(before + 3 * spins));
    needs.remembered = 0;
    needs.measured.distances = 8;
    const double group = 4096.0 * 64;  // 128 bits per site of four slots
    CHECK(estimated_bytes(needs) >= before + group);
    CHECK(estimated_bytes(needs) <= before + 6 * group);
    needs.measured.distances = 0;
    needs.has_houdayer = true;
    CHECK(estimated_bytes(needs) >= before + 2 * group);
    CHECK(estimated_bytes(needs) <= before + 2 * 6 * group);
    needs.has_houdayer = false;
    needs.has_clusters = true;
    CHECK(estimated_bytes(needs) >= before + 14.0 * 4096);
    const double clusters = estimated_bytes(needs);
    needs.measured.clusters = true;
    CHECK(estimated_bytes(needs) == clusters);  // without measurements, clusters are not summed
    needs.bins = 1;
    const double summed = estimated_bytes(needs);
    needs.measured.equilibrium = false;
    CHECK(summed >= estimated_bytes(needs) + 28.0 * 4096);
    needs.measured.equilibrium = true;
    needs.measured.clusters = false;
    needs.bins = 0;
    needs.has_clusters = false;
    needs.backend_on_host = false;
    CHECK(estimated_bytes(needs) == doctest::Approx(before - spins));
    const double without = estimated_bytes(needs);
    needs.bins = 30;
    CHECK(estimated_bytes(needs) ==
          doctest::Approx(without + 2.0 * 30 * 24 * 128 * 8 * 19 + 2.0 * 30 * 128 * 8 * 4));
    const double overlaps = estimated_bytes(needs);
    needs.measured.magnetisation = true;
    CHECK(estimated_bytes(needs) == doctest::Approx(overlaps + 2.0 * 30 * 24 * 128 * 8 * 10 * 2));
}

TEST_CASE("one realization of a large lattice needs the words of a whole column on a GPU, too") {
    const double sites = 1024.0 * 1024 * 1024, words = 16 * sites;
    const MemoryNeeds one{{1024, 2, 1, 1, 0, 128}, 0, 0, 0, false},
        four{{1024, 4, 2, 1, 0, 128}, 0, 0, 0, false};
    CHECK(estimated_bytes(one) == doctest::Approx(3 * sites + 3 * words + 2 * 2 * 8 * sites));
    CHECK(estimated_bytes(four) == doctest::Approx(3 * sites + 8 * (words - 8 * sites) + 2 * 8 * 8 * sites));
}

TEST_CASE("large lattices need some bits for each spin, and a glass its couplings") {
    MemoryNeeds needs{{32768, 2, 1, 1, 0, 1, 2}, 0, 0, 0, true};
    needs.shape.coding = Lanes::sites;
    needs.measured.overlaps = false;
    const double sites = 32768.0 * 32768.0, pieces = 128.0 * 1024 * 1024;
    CHECK(estimated_bytes(needs) == doctest::Approx(sites / 8 * (2 * 3 + 1) + pieces));
    needs.measured.overlaps = true;
    CHECK(estimated_bytes(needs) == doctest::Approx(sites / 8 * (2 * 5 + 1) + 2 * sites + pieces));
    needs.snapshots = 2;
    CHECK(estimated_bytes(needs) == doctest::Approx(sites / 8 * (2 * 7 + 1) + 2 * sites + pieces));
    needs.shape.coding = Lanes::realizations;
    CHECK(estimated_bytes(needs) > 100 * sites);
}

TEST_CASE("with real couplings each lattice has its own spins and couplings, of the precision asked for") {
    MemoryNeeds needs{{8, 2, 24, 64, 0, 1}, 0, 0, 0, true};
    needs.measured.real_couplings = true;
    const double sites = 512.0, spins = 64 * sites * 2 * 24, words = 8 * sites * 2 * 24;
    const double others = 16.0 * 3 * 64 * sites + 6 * words;
    CHECK(estimated_bytes(needs) == doctest::Approx(spins * (4 * 4 + 8) + others));
    needs.double_precision = true;
    CHECK(estimated_bytes(needs) == doctest::Approx(spins * (4 * 8 + 8) + others));
}

namespace {

/// Whether the refusal ends with this list of remedies.
bool offers(const MemoryNeeds& needs, const std::string& remedies) {
    return message_of<EnvironmentError>([&] { check_memory(needs, 1.0); }).ends_with("use " + remedies);
}

}  // namespace

TEST_CASE("a refusal names what would help, and nothing else") {
    MemoryNeeds needs{{256, 8, 64, 128, 0, 128}, 30, 50, 100, true};
    CHECK(offers(
        needs,
        "a smaller disorder.batch or fewer replicas or fewer temperatures or fewer snapshots or waiting "
        "times or a smaller lattice.L"));
    needs.shape.realizations = 1;
    CHECK(
        offers(needs,
               "fewer replicas or fewer temperatures or fewer snapshots or waiting times or multispin.lanes: "
               "sites or a smaller lattice.L"));
    needs = {{8192, 1, 1, 1, 0, 1, 2}, 0, 0, 0, true};
    CHECK(offers(needs, "multispin.lanes: sites or a smaller lattice.L"));
    needs.absent_bonds = true;
    CHECK(offers(needs, "a smaller lattice.L"));
    needs.absent_bonds = false;
    needs.shape.coding = Lanes::sites;
    CHECK(offers(needs, "a smaller lattice.L"));
    needs.measured.distances = 8;
    needs.snapshots = needs.remembered = 2;
    CHECK(offers(needs, "fewer snapshots or waiting times or a smaller lattice.L"));
}

TEST_CASE("what cannot fit is refused with both sizes") {
    const MemoryNeeds needs{{256, 8, 64, 128, 0, 128}, 30, 50, 100, true};
    check_memory(needs, std::numeric_limits<double>::infinity());
    const std::string message =
        message_of<EnvironmentError>([&] { check_memory(needs, 8.0 * 1024 * 1024 * 1024); });
    for (const char* part : {"8 GiB are available", "100 snapshots", "L = 256"})
        CHECK(contains(message, part));
    CHECK(available_bytes() > 0.0);
}
