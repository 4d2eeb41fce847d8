#include <doctest/doctest.h>

#include "disorder/couplings.hpp"
#include "equal_runs.hpp"
#include "evolution/move_sampler.hpp"
#include "lattice/packing.hpp"
#include "simulation.hpp"
#include "unit/measure/gaussian_batch.hpp"

using namespace psflip;

namespace {

Shape of_replicas(Shape shape) {
    shape.coding = Lanes::replicas;
    return shape;
}

}  // namespace

TEST_CASE("Houdayer moves between sweeps and exchanges: CUDA equals CPU") {
    const struct {
        Shape shape;
        Model model;
    } cases[] = {{{4, 2, 3, 70, 0, 1}, {}},
                 {{8, 3, 6, 128, 128, 128}, {}},
                 {{8, 4, 2, 330, 0, 32}, {.p_absent = 0.3}},
                 {{6, 2, 2, 64, 64, 64}, {.boundary = Boundary::open}},
                 {{34, 2, 2, 32, 0, 32}, {}},
                 {{10, 2, 5, 33, 0, 1, 2}, {.dimension = 2, .p_absent = 0.2}},
                 {{16, 4, 3, 128, 0, 32, 2}, {.dimension = 2, .field = 0.3}},
                 {{12, 2, 3, 128, 0, 1}, {.update = Update::demon, .demon_sites = 16}},
                 {{20, 2, 2, 64, 0, 64}, {.p_absent = 0.2}},
                 {{200, 2, 2, 32, 0, 32, 2}, {.dimension = 2}},
                 {of_replicas({8, 2, 10, 5, 64, 1}), {}},
                 {of_replicas({4, 5, 20, 19, 0, 1}), {.field = 0.3}},
                 {of_replicas({6, 3, 40, 17, 0, 1, 2}), {.dimension = 2}},
                 {of_replicas({34, 2, 3, 2, 0, 1}), {}},
                 {of_replicas({8, 2, 3, 5, 0, 1}), {.update = Update::demon, .demon_sites = 16}}};
    const auto check = [](const Shape& shape, const Model& model, int every) {
        const auto bonds =
            generate_couplings({5, model, shape.L}, shape.first_realization, shape.realizations, 1);
        std::vector<double> betas;
        for (int t = 0; t < shape.temperatures; ++t) betas.push_back(2.0 / (1 + t));
        const auto run = [&](const char* backend) {
            BatchSetup setup{
                {.backend = backend, .threads = 0, .device = 0}, shape, betas, 5, bonds, 4, model};
            setup.houdayer = {every, 1.1};
            const auto sampler = make_ising_sampler(setup);
            sampler->ensemble().set_spins(random_spins(shape, 5));
            sampler->advance(0, 7);
            sampler->advance(7, 12);
            return end_of(*sampler);
        };
        INFO("L " << shape.L << ", dimension " << shape.dimension << ", every " << every);
        check_equal(run("cpu"), run("cuda"));
    };
    for (const auto& [shape, model] : cases) check(shape, model, 2);
    const KernelChoice kernel("fused");
    check({8, 3, 6, 128, 128, 128}, {}, 8);
    check({6, 2, 5, 70, 0, 32}, {}, 8);
}

TEST_CASE("Houdayer moves with Gaussian couplings: CUDA equals CPU") {
    const auto check = [](const VectorSetup& vectors) {
        INFO("L " << vectors.L << ", dimension " << vectors.dimension());
        const auto run = [&](const char* backend) {
            BatchSetup setup =
                gaussian_batch({.backend = backend, .threads = 0}, vectors, VectorUpdate::metropolis);
            setup.houdayer = {2, 2.0};
            const auto sampler = make_sampler(setup);
            sampler->ensemble().set_held_spins(random_held_spins(setup.shape, vectors));
            sampler->advance(0, 7);
            sampler->advance(7, 12);
            return std::pair{sampler->ensemble().held_spins(), sampler->state()};
        };
        const bool same = run("cpu") == run("cuda");
        CHECK(same);
    };
    for (const Precision precision : {Precision::single, Precision::twofold})
        for (const int dimension : {2, 3}) check(gaussian_setup(dimension, precision));
    for (const auto& [dimension, L] : {std::pair{2, 34}, {2, 64}, {2, 200}, {3, 10}, {3, 34}, {3, 48}}) {
        VectorSetup vectors = gaussian_setup(dimension, Precision::single);
        vectors.L = L, vectors.realizations = 3, vectors.replicas = 2;
        draw_disorder(vectors);
        check(vectors);
    }
}
