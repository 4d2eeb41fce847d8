#include <doctest/doctest.h>

#include "base/error.hpp"
#include "disorder/couplings.hpp"
#include "equal_runs.hpp"
#include "evolution/move_sampler.hpp"
#include "lattice/packing.hpp"
#include "measure/measurement.hpp"
#include "reference/cases.hpp"
#include "simulation.hpp"
#include "sweep/sites/large_lattice.hpp"

using namespace psflip;

namespace {

/// A ferromagnet with a cluster update. clusters: of a Wolff sweep; 0: Swendsen-Wang.
Model ferromagnet(int dimension, int clusters, double p_absent = 0.0,
                  Boundary boundary = Boundary::periodic) {
    return {.kind = ModelKind::ferromagnet,
            .dimension = dimension,
            .p_absent = p_absent,
            .boundary = boundary,
            .update = clusters > 0 ? Update::wolff : Update::swendsen_wang,
            .wolff_clusters = clusters};
}

BatchSetup batch_of(const Shape& shape, const Model& model, const std::vector<std::int8_t>& bonds,
                    double coldest, const char* backend, const char* kernel = "auto") {
    std::vector<double> betas;
    for (int t = 0; t < shape.temperatures; ++t) betas.push_back(coldest / (1 + 0.1 * t));
    return {
        {.backend = backend, .threads = 0, .device = 0, .kernel = kernel}, shape, betas, 5, bonds, 3, model};
}

std::vector<std::int8_t> bonds_of(const Shape& shape, const Model& model) {
    return generate_couplings({5, model, shape.L}, shape.first_realization, shape.realizations, 1);
}

/// Compares sweeps with exchanges, and the sums of two measurements.
void check_batch(const Shape& shape, const Model& model, double coldest, const char* kernel = "auto") {
    INFO("L " << shape.L << ", dimension " << shape.dimension << ", update " << name(model.update)
              << ", realizations " << shape.realizations << ", beta " << coldest << ", kernel " << kernel);
    const auto bonds = bonds_of(shape, model);
    const auto run = [&](const char* backend, const char* with) {
        const auto sampler = make_ising_sampler(batch_of(shape, model, bonds, coldest, backend, with));
        const auto measurement = make_measurement(*sampler, 1, 10);
        sampler->ensemble().set_spins(random_spins(shape, 5));
        for (const int first : {0, 3}) {
            sampler->advance(first, first + 3);
            measurement->measure(0);
        }
        return end_of(*sampler, measurement->accumulators());
    };
    check_equal(run("cpu", "auto"), run("cuda", kernel));
}

LargeLatticeSetup large(int dimension, int L, double beta, int clusters) {
    return {.model = ferromagnet(dimension, clusters), .L = L, .beta = beta, .seed = 7};
}

void check_large(const LargeLatticeSetup& setup, int steps) {
    CAPTURE(setup.L);
    CAPTURE(setup.beta);
    CAPTURE(setup.model.dimension);
    CAPTURE(setup.model.wolff_clusters);
    const auto host = make_large_lattice({.backend = "cpu"}, setup),
               device = make_large_lattice({.backend = "cuda"}, setup);
    REQUIRE(host->spins() == device->spins());
    host->advance(1);
    device->advance(1);
    REQUIRE(host->spins() == device->spins());
    ClusterSums of_host, of_device;
    host->sum_clusters(&of_host);
    device->sum_clusters(&of_device);
    CHECK(host->advance_with_sums(steps) == device->advance_with_sums(steps));
    CHECK(host->spins() == device->spins());
    CHECK((of_host == ClusterSums{}) == (setup.model.wolff_clusters > 0));
    CHECK(of_host.size.value() == of_device.size.value());
    CHECK(of_host.modes.value() == of_device.modes.value());
    host->advance(steps);
    device->advance(steps);
    CHECK(host->spins() == device->spins());
    CHECK(of_host.size.value() == of_device.size.value());
    CHECK(of_host.modes.value() == of_device.modes.value());
}

}  // namespace

TEST_CASE("clusters: CUDA equals the naive reference, also interrupted and continued") {
    for (const char* kernel : {"auto", "streaming", "resident:1x2"}) {
        const KernelChoice choice(kernel);
        int number = 0;
        for (const reference::Case& which : reference::cluster_cases()) {
            const std::string name = kernel;
            if (name == "resident:1x2" && which.world.sites() > 40000) continue;
            if (name != "auto" && which.world.site_lanes) continue;  // they have one kernel
            INFO(which.name << ", kernel " << std::string(kernel));
            const auto wanted = expected(which);
            CHECK(difference(which, run_library(which, {"cuda", 0, 0}), wanted) == "");
            if (++number % 3 != 0 || which.schedule.run_last < 3) continue;
            const std::int64_t middle = which.schedule.thermalize_sweeps + which.schedule.run_last / 2;
            CHECK(difference(which, run_library_in_two(which, {"cuda", 0, 0}, middle), wanted) == "");
        }
    }
}

TEST_CASE("clusters of batches: CUDA equals CPU, with exchanges") {
    for (const int clusters : {0, 1, 3}) {
        for (const double beta : {0.0, 0.2, 0.44, 0.6, 50.0}) {
            check_batch({4, 2, 3, 70, 0, 1, 2}, ferromagnet(2, clusters), beta);
            check_batch({6, 1, 2, 33, 32, 1, 3}, ferromagnet(3, clusters), beta / 2);
        }
        check_batch({10, 2, 5, 130, 128, 1, 2}, ferromagnet(2, clusters), 0.5);
        check_batch({32, 2, 2, 1, 0, 1, 2}, ferromagnet(2, clusters), 0.45);
        check_batch({64, 1, 3, 9, 0, 1, 2}, ferromagnet(2, clusters), 0.45);
        check_batch({8, 1, 64, 5, 0, 1, 3}, ferromagnet(3, clusters), 0.5);
        check_batch({16, 2, 2, 12, 0, 1, 3}, ferromagnet(3, clusters), 0.23);
        check_batch({34, 1, 1, 3, 0, 1, 3}, ferromagnet(3, clusters), 0.23);
        check_batch({64, 1, 1, 2, 0, 1, 3}, ferromagnet(3, clusters), 0.2216);
        for (const int L : {128, 144, 192, 512})  // totals in shared memory or not, then labels, then nothing
            check_batch({L, 1, 2, 3, 0, 1, 2}, ferromagnet(2, clusters), 0.45);
    }
}

TEST_CASE("clusters with absent bonds and open boundaries: CUDA equals CPU") {
    for (const int clusters : {0, 2}) {
        check_batch({8, 2, 3, 40, 0, 1, 2}, ferromagnet(2, clusters, 0.3), 0.8);
        check_batch({6, 1, 3, 129, 0, 1, 3}, ferromagnet(3, clusters, 0.5), 0.6);
        check_batch({8, 1, 2, 20, 0, 1, 2}, ferromagnet(2, clusters, 0.0, Boundary::open), 0.5);
        check_batch({12, 1, 2, 20, 0, 1, 3}, ferromagnet(3, clusters, 0.1, Boundary::open), 0.3);
        check_batch({30, 1, 1, 7, 0, 1, 3}, ferromagnet(3, clusters, 0.2, Boundary::open), 0.3);
        check_batch({128, 1, 1, 2, 0, 1, 2}, ferromagnet(2, clusters, 0.2, Boundary::open), 0.6);
    }
}

TEST_CASE("every kernel of clusters of batches leaves the spins of the CPU") {
    for (const int clusters : {0, 2})
        for (const char* kernel :
             {"streaming", "resident:1", "resident:2x1", "resident:4x4", "resident:8x16"}) {
            check_batch({10, 1, 3, 37, 0, 1, 2}, ferromagnet(2, clusters, 0.1), 0.5, kernel);
            check_batch({8, 2, 2, 130, 0, 1, 3}, ferromagnet(3, clusters), 0.25, kernel);
        }
}

TEST_CASE("clusters of a batch that is set and continued on the other backend") {
    for (const int clusters : {0, 2}) {
        const Shape shape{8, 2, 3, 40, 0, 1, 3};
        const Model model = ferromagnet(3, clusters, 0.2);
        const auto bonds = bonds_of(shape, model);
        const auto ensemble = [&](const char* backend) {
            return make_ising_ensemble(batch_of(shape, model, bonds, 0.3, backend));
        };
        const auto host = ensemble("cpu"), device = ensemble("cuda"), other = ensemble("cuda");
        for (auto* each : {host.get(), device.get()}) each->set_spins(random_spins(shape, 5));
        host->sweep(0, 5);
        device->sweep(0, 9);
        other->set_spins(host->spins());
        other->sweep(5, 4);
        host->sweep(5, 4);
        CHECK(host->spins() == device->spins());
        CHECK(host->spins() == other->spins());
        for (auto* each : {host.get(), device.get()}) {
            each->set_betas({0.4, 0.2, 0.1});
            each->sweep(9, 2);
        }
        CHECK(host->spins() == device->spins());
    }
}

TEST_CASE("clusters of one large lattice: CUDA equals CPU") {
    for (const int clusters : {0, 1, 3}) {
        for (const double beta : {0.0, 0.3, 0.4406868, 0.7, 50.0})
            check_large(large(2, 64, beta, clusters), 3);
        for (const int L : {128, 192, 320, 1024}) check_large(large(2, L, 0.4406868, clusters), 2);
        for (const double beta : {0.0, 0.2, 0.5, 50.0}) check_large(large(3, 32, beta, clusters), 3);
        for (const int L : {64, 96, 128}) check_large(large(3, L, 0.2216546, clusters), 2);
    }
    LargeLatticeSetup setup = large(2, 256, 0.44, 0);
    setup.realization = 33;
    setup.replica = 2;
    setup.slot = 5;
    check_large(setup, 70);
    setup.start_up = true;
    check_large(setup, 3);
}

TEST_CASE("clusters of large lattices that exchange temperatures: CUDA equals CPU") {
    for (const int clusters : {0, 2})
        for (const int dimension : {2, 3}) {
            Shape shape{dimension == 2 ? 128 : 32, 2, 3, 2, 0, 1, dimension};
            shape.coding = Lanes::sites;
            check_batch(shape, ferromagnet(dimension, clusters), dimension == 2 ? 0.46 : 0.23);
        }
}

TEST_CASE("clusters of large lattices have one kernel") {
    CHECK_THROWS_AS(make_large_lattice({.backend = "cuda", .kernel = "4x8"}, large(2, 64, 0.44, 0)),
                    InputError);
}
