#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "base/device.hpp"
#include "base/error.hpp"
#include "equal_runs.hpp"
#include "evolution/move_sampler.hpp"
#include "lattice/packing.hpp"
#include "measure/measurement.hpp"
#include "reference/cases.hpp"

using namespace psflip;
using namespace psflip::reference;

namespace {

std::unique_ptr<IsingSampler> on_gpu(const World& world, const std::vector<std::int8_t>& bonds, int swap,
                                     const std::string& kernel = "replicas") {
    return make_ising_sampler({{.backend = "cuda", .kernel = kernel},
                               shape_of(world),
                               betas_of(world),
                               world.seed,
                               bonds,
                               swap,
                               model_of(world)});
}

std::unique_ptr<IsingSampler> on_cpu(const World& world, const std::vector<std::int8_t>& bonds, int swap) {
    return make_ising_sampler(
        {{"cpu", 0, 0}, shape_of(world), betas_of(world), world.seed, bonds, swap, model_of(world)});
}

RunEnd run(IsingSampler& sampler, const World& world, int sweeps) {
    const auto measurement = make_measurement(sampler, 1, 10, world.magnetisation);
    IsingEnsemble& ensemble = sampler.ensemble();
    ensemble.set_spins(random_spins(ensemble.shape(), ensemble.key()));
    for (int half = 0; half < 2; ++half) {
        sampler.advance(half * sweeps / 2, (half + 1) * sweeps / 2);
        measurement->measure(0);
    }
    return end_of(sampler, measurement->accumulators());
}

/// Without and with demons.
std::vector<Case> all_cases() {
    std::vector<Case> cases = replica_cases();
    std::ranges::copy(replica_demon_cases(), std::back_inserter(cases));
    return cases;
}

}  // namespace

TEST_CASE("lanes = replicas: all models as on the CPU, bit for bit") {
    for (const Case& which : all_cases()) {
        CAPTURE(which.name);
        const World& world = which.world;
        const auto bonds = couplings(world);
        check_equal(run(*on_cpu(world, bonds, 2), world, 16), run(*on_gpu(world, bonds, 2), world, 16));
    }
}

TEST_CASE("lanes = replicas: blocks, groups and words of a thread change nothing") {
    const std::vector<std::string> kernels{"replicas:1x1x1", "replicas:2x1x1",  "replicas:3x1x1",
                                           "replicas:4x2x1", "replicas:16x1x1", "replicas:2x1x2",
                                           "replicas:2x3x2", "replicas:5x1x2",  "replicas:7x2x2"};
    std::map<std::string, int> compared;
    for (const Case& which : all_cases()) {
        const World& world = which.world;
        const auto bonds = couplings(world);
        const RunEnd wanted = run(*on_cpu(world, bonds, 3), world, 12);
        for (const std::string& kernel : kernels) {
            CAPTURE(which.name);
            CAPTURE(kernel);
            std::unique_ptr<IsingSampler> cuda;
            try {
                cuda = on_gpu(world, bonds, 3, kernel);
            } catch (const EnvironmentError&) {  // more groups than realizations, odd words, too few blocks
                continue;
            }
            CHECK(run(*cuda, world, 12) == wanted);
            ++compared[kernel];
        }
    }
    for (const std::string& kernel : kernels) CHECK_MESSAGE(compared[kernel] > 0, kernel);
}

TEST_CASE("lanes = replicas: slabs on GPUs, equal or not, give the same bits") {
    for (const Case& which : replica_cases()) {
        if (which.world.dimension != 3) continue;
        CAPTURE(which.name);
        for (int slabs = 1; slabs <= std::min(4, which.world.L / 2); ++slabs)
            for (const std::string halo : {"host", "peer"}) {
                if (halo == "peer" && slabs > cuda_devices()) continue;
                CAPTURE(slabs);
                CAPTURE(halo);
                const BackendChoice choice{.backend = "cuda", .kernel = "replicas", .halo = halo};
                const Result found = run_library(which, choice, {SiteOrder::standard, slabs});
                CHECK(difference(which, found, expected(which)) == "");
            }
    }
}

TEST_CASE(
    "lanes = replicas: slabs on GPUs with few blocks, one word of a thread, other numbers of ranks on the "
    "way") {
    for (const Case& which : replica_cases()) {
        if (which.world.dimension != 3 || which.world.L < 6) continue;
        CAPTURE(which.name);
        for (const std::string kernel : {"replicas:1x0x1", "replicas:3x0x1", "replicas:2"}) {
            CAPTURE(kernel);
            const BackendChoice choice{.backend = "cuda", .kernel = kernel};
            const Result found =
                run_library_in_two(which, choice, 2, {SiteOrder::standard, 3}, {SiteOrder::standard, 2});
            CHECK(difference(which, found, expected(which)) == "");
        }
    }
}

TEST_CASE("lanes = replicas: slabs refuse ways of halos that do not suit them") {
    const std::vector<Case> cases = replica_cases();
    const auto which = std::ranges::find(cases, 3, [](const Case& one) { return one.world.dimension; });
    REQUIRE(which != cases.end());
    const auto run = [&](const char* halo) {
        run_library(*which, {.backend = "cuda", .kernel = "replicas", .halo = halo},
                    {SiteOrder::standard, which->world.L / 2});
    };
    CHECK_THROWS_AS(run("wire"), InputError);
    CHECK_THROWS_AS(run("mpi"), EnvironmentError);
    if (cuda_devices() < which->world.L / 2) CHECK_THROWS_AS(run("peer"), EnvironmentError);
}

TEST_CASE("lanes = replicas: a state changes its coding and its backend on the way") {
    World world;
    world.L = 6;
    world.temperatures = {0.7, 0.9, 1.2, 1.6, 2.1};
    world.replicas = 3;
    world.share = 1;
    world.realizations = 37;
    const auto bonds = couplings(world);
    const auto go = [&](const char* last) {
        std::vector<std::uint64_t> spins = random_spins(shape_of(world), world.seed);
        TemperingState state = initial_tempering(shape_of(world));
        int sweep = 0;
        for (const char* backend : {"cpu", last, "cpu", last}) {
            world.replica_lanes = sweep / 10 % 2 == 1;
            const std::string kernel = world.replica_lanes ? "replicas" : "auto";
            const auto sampler = make_ising_sampler({{.backend = backend, .kernel = kernel},
                                                     shape_of(world),
                                                     betas_of(world),
                                                     world.seed,
                                                     bonds,
                                                     5,
                                                     model_of(world)});
            sampler->ensemble().set_spins(spins);
            sampler->set_tempering(state);
            sampler->advance(sweep, sweep + 10);
            sweep += 10;
            spins = sampler->ensemble().spins();
            state = sampler->tempering();
        }
        return std::pair{spins, state};
    };
    CHECK(go("cuda") == go("cpu"));
}
