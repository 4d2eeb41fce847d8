#include <doctest/doctest.h>

#include <algorithm>

#include "base/device.hpp"
#include "base/error.hpp"
#include "reference/cases.hpp"
#include "simulation.hpp"
#include "slab/ranks.hpp"

using namespace psflip;
using namespace psflip::reference;

namespace {

void check_slabs(const Case& which, int slabs, const std::string& halo, const Result& wanted,
                 SiteOrder order = SiteOrder::standard) {
    CAPTURE(which.name);
    CAPTURE(slabs);
    CAPTURE(halo);
    CAPTURE(name(order));
    BackendChoice choice{.backend = "cuda"};
    choice.halo = halo;
    const std::string text = difference(which, run_library(which, choice, {order, slabs}), wanted);
    CHECK_MESSAGE(text.empty(), text);
}

/// Exchanges and measurements after every sweep, for any model; `period` sweeps between exchanges.
Case short_slab_run(int L, int share, bool diluted, int period = 1) {
    Case which;
    which.name = "L" + std::to_string(L) + " share " + std::to_string(share) + (diluted ? " diluted" : "");
    which.world.L = L;
    which.world.share = share;
    which.world.realizations = L < 64 ? 140 : 3;
    which.world.replicas = 2;
    which.world.temperatures = {0.9, 1.4, 1.9};
    if (diluted) which.world.p_absent = 0.2, which.world.field = 0.3, which.world.replicas = 4;
    which.schedule = {.thermalize_sweeps = 2 * period,
                      .sweeps_per_swap = period,
                      .run_first = 0,
                      .run_last = 4 * period,
                      .run_sweeps = 4 * period,
                      .measure_every = 2 * period,
                      .blocks = 1};
    return which;
}

/// Ways that two slabs can take here.
std::vector<std::string> ways() {
    if (cuda_available(1)) return {"host", "peer"};
    return {"host"};
}

}  // namespace

TEST_CASE("1 to 4 slabs on CUDA equal the naive reference for every model, halos through the host") {
    for (const auto& cases : {equality_cases(), model_cases()})
        for (const Case& which : cases)
            if (which.world.dimension == 3 && which.world.L <= 20)
                for (int slabs = 1; slabs <= std::min(4, which.world.L / 2); ++slabs)
                    check_slabs(which, slabs, "host", expected(which));
}

TEST_CASE("slabs on CUDA up to L = 64, every share and both rules") {
    for (int L : {8, 10, 16, 20, 64})
        for (int share : {1, 32, 64, 128})
            for (bool diluted : {false, true}) {
                if (L == 64 && (share == 32 || share == 64 || diluted)) continue;
                const Case which = short_slab_run(L, share, diluted, 3);
                const Result wanted = run_library(which, {"cuda", 0, 0});
                check_slabs(which, 1, "peer", wanted);
                for (const std::string& way : ways()) check_slabs(which, 2, way, wanted);
                check_slabs(which, L < 64 ? 4 : 3, "host", wanted);
            }
}

TEST_CASE("two slabs on two GPUs equal the naive reference for every model" *
          doctest::test_suite("two GPUs")) {
    for (const auto& cases : {equality_cases(), model_cases()})
        for (const Case& which : cases)
            if (which.world.dimension == 3 && which.world.L <= 20)
                check_slabs(which, 2, "peer", expected(which));
}

TEST_CASE("every site order of the plain rule gives the same bits, whole and in slabs") {
    for (const Case& which : equality_cases()) {
        if (which.world.share == 1) continue;
        check_slabs(which, 0, "auto", expected(which), SiteOrder::sliced);
        for (const std::string& way : ways()) check_slabs(which, 2, way, expected(which), SiteOrder::sliced);
        if (which.world.L <= 20 && which.world.L >= 8)
            check_slabs(which, 4, "host", expected(which), SiteOrder::sliced);
        if ((which.world.L & (which.world.L - 1)) != 0) continue;
        const KernelChoice streaming("streaming");
        check_slabs(which, 0, "auto", expected(which), SiteOrder::bitwise);
    }
    const KernelChoice streaming("streaming");
    for (const SiteOrder order : {SiteOrder::bitwise, SiteOrder::sliced, SiteOrder::standard}) {
        const Case which = short_slab_run(32, 64, false);
        check_slabs(which, 0, "auto", expected(which), order);
        Shape shape{8, 1, 1, 1, 0, 64};
        shape.order = order;
        const std::string text =
            make_ising_ensemble({{"cuda", 0, 0}, shape, {1.0}, 1, std::vector<std::int8_t>(3 * 512, 1)})
                ->description();
        CHECK((text.find(" order") != std::string::npos) == (order != SiteOrder::standard));
    }
}

TEST_CASE("slabs by the tiled kernel equal whole lattices") {
    const KernelChoice tiled("tiled");
    for (int L : {8, 10, 20, 64})
        for (int share : {32, 128}) {
            Case which = short_slab_run(L, share, false, 3);
            for (int temperatures : {3, 6}) {
                if (temperatures == 6) which.world.temperatures = {0.7, 0.9, 1.2, 1.4, 1.7, 1.9};
                const Result wanted = run_library(which, {"cuda", 0, 0});
                check_slabs(which, 1, "peer", wanted);
                for (const std::string& way : ways()) check_slabs(which, 2, way, wanted);
                check_slabs(which, L < 64 ? 4 : 3, "host", wanted);
            }
        }
    const KernelChoice pieces("tiled:0x0x4");
    const Case which = short_slab_run(20, 64, false, 3);
    const Result wanted = run_library(which, {"cpu", 0, 0});
    check_slabs(which, 1, "peer", wanted);
    for (const std::string& way : ways()) check_slabs(which, 2, way, wanted);
    check_slabs(which, 3, "host", wanted);
}

TEST_CASE("equal and unequal slabs by the tiled kernel equal the naive reference") {
    const KernelChoice tiled("tiled");
    for (const Case& which : equality_cases()) {
        if (which.world.share == 1 || which.world.L > 20) continue;
        check_slabs(which, 1, "peer", expected(which));
        for (int slabs = 1; slabs <= std::min(4, which.world.L / 2); ++slabs)
            check_slabs(which, slabs, "host", expected(which));
        for (const std::string& way : ways()) check_slabs(which, 2, way, expected(which));
    }
    // Chunks that march downwards or upwards read the seam between the last plane and the first.
    Case which = short_slab_run(10, 32, false, 3);
    which.name += " in chunks";
    for (const char* plan : {"tiled:0x0x1", "tiled:0x0x2", "tiled:0x0x3", "tiled:2x3x2"}) {
        CAPTURE(plan);
        const KernelChoice chunks(plan);
        check_slabs(which, 1, "peer", expected(which));
        check_slabs(which, 1, "host", expected(which));
    }
}

TEST_CASE("slabs by the tiled kernel, some tiles cut into chunks and others not, equal the CPU") {
    const struct {
        const char* plan;  // its last number is the number of prisms that are cut
        int L, temperatures;
    } cases[] = {{"tiled:2x3x2x17", 10, 3}, {"tiled:0x0x2x1", 10, 3},    {"tiled:5x4x3x9", 20, 3},
                 {"tiled:5x4x2x9", 20, 6},  {"tiled:16x12x3x20", 64, 3}, {"tiled:16x12x8x12", 64, 3}};
    for (const auto& c : cases) {
        Case which = short_slab_run(c.L, 32, false, 3);
        if (c.temperatures == 6) which.world.temperatures = {0.7, 0.9, 1.2, 1.4, 1.7, 1.9};
        which.name += std::string(" ") + c.plan;
        const Result wanted = run_library(which, {"cpu", 0, 0});
        const KernelChoice kernel(c.plan);
        for (int slabs = 1; slabs <= std::min(4, cuda_devices()); ++slabs)
            check_slabs(which, slabs, "peer", wanted);
        CHECK_THROWS_AS(check_slabs(which, 2, "host", wanted), EnvironmentError);
    }
}

TEST_CASE("runs in the gauge move between slabs, whole lattices and kernels without it") {
    Case which = short_slab_run(10, 64, false, 3);
    which.world.magnetisation = true;
    which.name += " with magnetisation";
    for (const auto& [before, after] : {std::pair{0, 3}, {3, 0}, {2, 4}, {4, 1}})
        for (const char* kernel : {"tiled", "auto"}) {
            CAPTURE(before);
            CAPTURE(after);
            CAPTURE(kernel);
            const KernelChoice choice(kernel);
            const std::string text =
                difference(which,
                           run_library_in_two(which, {"cuda", 0, 0}, 9, {SiteOrder::standard, before},
                                              {SiteOrder::standard, after}),
                           expected(which));
            CHECK_MESSAGE(text.empty(), text);
        }
    Case start = short_slab_run(10, 64, false);  // energies before the first sweep
    start.name += " without sweeps";
    start.schedule.thermalize_sweeps = start.schedule.run_last = 0;
    const KernelChoice tiled("tiled");
    for (const int slabs : {0, 1, 2, 3, 4}) check_slabs(start, slabs, "host", expected(start));
}

TEST_CASE("halos through the host whose messages travel in several batches of lattices") {
    Case which = short_slab_run(64, 128, false, 3);
    which.world.replicas = 4;
    for (int t = 3; t < 18; ++t) which.world.temperatures.push_back(1.9 + 0.1 * t);
    const Result wanted = run_library(which, {"cuda", 0, 0});
    for (const char* kernel : {"tiled", "streaming"}) {
        const KernelChoice choice(kernel);
        check_slabs(which, 2, "host", wanted);
    }
    for (const int slabs : {2, 3}) check_slabs(which, slabs, "host", wanted, SiteOrder::sliced);
}

TEST_CASE("halos through the host whose messages are copied between ranks, as between machines") {
    setenv("PSFLIP_SHARED_MESSAGES", "off", 1);
    for (const int L : {20, 64}) {
        Case which = short_slab_run(L, 128, false, 3);
        if (L == 64) which.world.replicas = 4;
        for (int t = 3; t < (L == 64 ? 18 : 3); ++t) which.world.temperatures.push_back(1.9 + 0.1 * t);
        const Result wanted = run_library(which, {"cuda", 0, 0});
        for (const char* kernel : {"tiled", "streaming"}) {
            const KernelChoice choice(kernel);
            for (int slabs = 1; slabs <= 3; ++slabs) check_slabs(which, slabs, "host", wanted);
        }
        check_slabs(which, 3, "host", wanted, SiteOrder::sliced);
    }
    unsetenv("PSFLIP_SHARED_MESSAGES");
}

TEST_CASE("lattices of more than 2^24 sites equal the CPU's lattices, whole and in slabs") {
    Case which = short_slab_run(258, 32, false);
    which.world.realizations = which.world.replicas = 1;
    which.world.temperatures = {1.1};
    which.schedule.thermalize_sweeps = which.schedule.run_last = which.schedule.run_sweeps = 1;
    which.schedule.measure_every = which.schedule.sweeps_per_swap = 1;
    const Result wanted = run_library(which, {"cpu", 0, 0});
    check_slabs(which, 0, "auto", wanted);
    check_slabs(which, 2, ways().back(), wanted);
    Shape independent{372, 1, 1, 1, 0, 1};
    CHECK_THROWS_WITH_AS(make_ising_ensemble({{"cuda", 0, 0}, independent, {1.0}, 1, {}}),
                         doctest::Contains("L = 372"), InputError);
}

TEST_CASE("slabs refuse kernels and ways of halos that do not suit them") {
    const Case which = short_slab_run(8, 32, false);
    for (const char* kernel : {"resident", "fused"}) {
        const KernelChoice forced(kernel);
        CHECK_THROWS_AS(run_library(which, {"cuda", 0, 0}, {SiteOrder::standard, 2}), EnvironmentError);
    }
    for (const Case& other : {short_slab_run(8, 1, false), short_slab_run(8, 32, true)})
        CHECK_THROWS_WITH_AS(run_library(other, {"cuda", 0, 0}, {SiteOrder::sliced, 2}),
                             doctest::Contains("use --halo-order standard"), InputError);
    BackendChoice choice{.backend = "cuda"};
    choice.halo = "mpi";
    CHECK_THROWS_AS(run_library(which, choice, {SiteOrder::standard, 2}), EnvironmentError);
    choice.halo = "peer";  // two of the slabs share a GPU
    const int more_than_gpus = cuda_devices() + 1;
    const Case larger = short_slab_run(2 * std::max(4, more_than_gpus), 32, false);
    CHECK_THROWS_AS(run_library(larger, choice, {SiteOrder::standard, more_than_gpus}), EnvironmentError);
    choice.halo = "wire";
    CHECK_THROWS_AS(run_library(which, choice, {SiteOrder::standard, 2}), InputError);
}
