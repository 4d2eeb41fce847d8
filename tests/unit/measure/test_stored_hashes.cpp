#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "base/version.hpp"
#include "reference/cases.hpp"

using namespace psflip;
using namespace psflip::reference;

namespace {

const std::string file_name = std::string(PSFLIP_SOURCE_DIR) + "/tests/data/physics_hashes.txt";

std::string hash_of(const Result& result) {
    Hash hash;
    hash.add(result.spins);
    hash.add(result.energies);
    const TemperingState& t = result.tempering;
    hash.add(t.walker);
    hash.add(t.last_end);
    hash.add(t.accepted);
    hash.add(t.attempted);
    hash.add(t.round_trips);
    for (Sum sum : {Sum::energy, Sum::overlap, Sum::overlap_abs, Sum::link, Sum::walker_slot})
        hash.add(result.sums.integers[static_cast<int>(sum)]);
    for (Sum sum : {Sum::energy2, Sum::overlap2, Sum::overlap4, Sum::kmin_x, Sum::kmin_y, Sum::kmin_z})
        hash.add(result.sums.reals[static_cast<int>(sum)]);
    hash.add(result.sums.count);
    hash.add(result.sums.histogram);
    return hash.text();
}

/// Lines "physics_version N" and "hash case name"; '#' starts a comment.
struct Stored {
    int version = 0;
    std::map<std::string, std::string> hashes;
};

Stored read_stored() {
    Stored stored;
    std::ifstream in(file_name);
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream words(line);
        std::string first, rest;
        words >> first;
        std::getline(words >> std::ws, rest);
        if (first == "physics_version")
            stored.version = std::stoi(rest);
        else
            stored.hashes[rest] = first;
    }
    return stored;
}

void write_stored() {
    std::ofstream out(file_name);
    out << "# Hashes (FNV-1a 64) of all results of the simulations small_cases() in "
           "tests/reference/cases.cpp.\n"
        << "# Written by unit_measure with PSFLIP_WRITE_HASHES=1, only when a change of results is meant.\n"
        << "physics_version " << physics_version << "\n";
    for (const Case& which : small_cases()) out << hash_of(expected(which)) << " " << which.name << "\n";
}

}  // namespace

TEST_CASE("results of fixed small runs have their stored hashes") {
    if (std::getenv("PSFLIP_WRITE_HASHES")) write_stored();
    const Stored stored = read_stored();
    REQUIRE_MESSAGE(stored.version == physics_version,
                    "tests/data/physics_hashes.txt is of another physics_version: run unit_measure with "
                    "PSFLIP_WRITE_HASHES=1 and commit the file");
    const std::string advice =
        "results changed. If that is not meant, find the cause. If it is, raise physics_version in "
        "libcore/base/version.hpp, change tests/reference with it, and write the new hashes: "
        "PSFLIP_WRITE_HASHES=1 unit_measure";
    for (const Case& which : small_cases()) {
        CAPTURE(which.name);
        REQUIRE_MESSAGE(stored.hashes.count(which.name),
                        "no stored hash: PSFLIP_WRITE_HASHES=1 unit_measure writes it");
        CHECK_MESSAGE(hash_of(run_library(which, {"cpu", 1, 0})) == stored.hashes.at(which.name), advice);
        CHECK_MESSAGE(hash_of(expected(which)) == stored.hashes.at(which.name), advice);
    }
}
