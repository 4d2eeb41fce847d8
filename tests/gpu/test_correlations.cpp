#include <doctest/doctest.h>

#include <algorithm>

#include "disorder/couplings.hpp"
#include "evolution/annealing.hpp"
#include "evolution/move_sampler.hpp"
#include "lattice/plane_map.hpp"
#include "measure/correlations.hpp"
#include "reference/planes.hpp"
#include "run/relaxation.hpp"
#include "simulation.hpp"
#include "slab/ranks.hpp"

using namespace psflip;

namespace {

/// What a backend leaves of three measurements on a path of temperatures, two of them remembered.
struct Left {
    std::vector<std::uint64_t> spins;
    Accumulators sums;
    bool operator==(const Left&) const = default;
};

Measured measured_in_thirds(const Shape& shape, const Model& model) {
    Measured measured = measured_of(model, false);
    measured.distances = shape.L / 2;
    measured.waiting = 2;
    return measured;
}

void measure_thirds(Sampler& sampler, Correlations& correlations) {
    for (int bin = 0; bin < 3; ++bin) {
        sampler.advance(4 * bin, 4 * bin + 4);
        correlations.measure(bin);
        if (bin == 0) correlations.remember(sampler.ensemble().held_spins().bits);
        if (bin == 1) correlations.remember_present();
    }
}

Left relaxed(const char* backend, const Shape& shape, const Model& model) {
    const auto bonds = generate_couplings({7, model, shape.L}, shape.first_realization, shape.realizations);
    Annealing sampler(make_ising_sampler({{.backend = backend, .threads = 0, .device = 0},
                                          shape,
                                          ::Simulation::betas(shape.temperatures),
                                          7,
                                          bonds,
                                          0,
                                          model}),
                      {{2.0, 1.5}, 3}, 0);
    const auto correlations = make_correlations(sampler, measured_in_thirds(shape, model), 3);
    sampler.ensemble().set_held_spins({random_spins(shape, sampler.ensemble().key())});
    measure_thirds(sampler, *correlations);
    return {sampler.ensemble().held_spins().bits, correlations->sums()};
}

/// Returns the sums of this relaxation on CUDA by one of several ranks, a slab each.
Accumulators relaxed_slab(Shape shape, const Model& model, Ranks& ranks) {
    const auto bonds = generate_couplings({7, model, shape.L}, shape.first_realization, shape.realizations);
    const auto start = random_spins(shape, model.random_key(7, shape.L));
    const SlabPlanes planes = planes_of_rank(shape.L, ranks.rank(), ranks.size());
    shape.first_plane = planes.first, shape.slab_planes = planes.count;
    const auto held = reference::planes_of_lattices(bonds, HeldLattice::of(shape));
    Annealing sampler(make_ising_sampler({{.backend = "cuda", .threads = 0, .device = 0, .halo = "host"},
                                          shape,
                                          ::Simulation::betas(shape.temperatures),
                                          7,
                                          held,
                                          0,
                                          model,
                                          &ranks}),
                      {{2.0, 1.5}, 3}, 0);
    const auto correlations = make_correlations(sampler, measured_in_thirds(shape, model), 3);
    sampler.ensemble().set_held_spins({reference::planes_of_lattices(start, own_lattice(shape))});
    measure_thirds(sampler, *correlations);
    return correlations->sums();
}

void check_correlations_of_slabs(Shape shape, const Model& model, SiteOrder order = SiteOrder::standard) {
    INFO("L " << shape.L << ", share " << shape.share << ", absent " << model.p_absent << ", order "
              << name(order));
    const Accumulators whole = relaxed("cuda", shape, model).sums;
    shape.order = order;
    for (int slabs = 2; slabs <= std::min(3, shape.L / 2); ++slabs)
        with_local_ranks(slabs, [&](Ranks& ranks) {
            const bool equal = relaxed_slab(shape, model, ranks) == whole;
            CHECK(ranks.maximum(equal ? 0 : 1) == 0);
        });
}

void check_case(const Shape& shape, const Model& model) {
    INFO("L " << shape.L << ", dimension " << shape.dimension << ", share " << shape.share
              << ", realizations " << shape.realizations << ", field " << model.field << ", absent "
              << model.p_absent);
    const Left cpu = relaxed("cpu", shape, model), cuda = relaxed("cuda", shape, model);
    CHECK(cpu.spins == cuda.spins);
    CHECK(cpu.sums == cuda.sums);
}

}  // namespace

TEST_CASE("correlations in space and time, and temperatures that change: CUDA equals CPU") {
    const Model glass{}, flat{.dimension = 2}, diluted{.p_absent = 0.2},
        heat_bath{.update = Update::heat_bath}, ferromagnet{.kind = ModelKind::ferromagnet, .dimension = 2};
    for (const int L : {4, 6, 8, 10, 16, 20, 26, 32, 36, 64}) check_case({L, 3, 2, 200, 128, 128}, glass);
    for (const int L : {4, 6, 10, 16, 26, 36}) check_case({L, 4, 1, 130, 0, 32}, glass);
    check_case({8, 4, 5, 300, 0, 32}, glass);
    check_case({8, 5, 2, 64, 0, 32}, glass);
    check_case({8, 2, 3, 64, 0, 1}, glass);
    check_case({12, 2, 3, 96, 0, 32}, diluted);
    check_case({10, 2, 2, 96, 0, 32}, heat_bath);
    for (const int L : {4, 10, 32, 130}) check_case({L, 2, 2, 130, 0, 32, 2}, flat);
    for (const int L : {8, 34, 130}) check_case({L, 4, 2, 96, 0, 32, 2}, flat);
    for (const int L : {6, 64, 256}) check_case({L, 1, 2, 128, 0, 1, 2}, ferromagnet);
}

TEST_CASE("all that relax measures, also if it continues sums: CUDA equals CPU") {
    const Shape shape{8, 3, 2, 200, 0, 32};
    const auto bonds = ::Simulation::couplings(shape);
    const auto measured = [&](const char* backend) {
        const auto sampler = make_ising_sampler({{.backend = backend, .threads = 0, .device = 0},
                                                 shape,
                                                 ::Simulation::betas(2),
                                                 ::Simulation::seed,
                                                 bonds,
                                                 0});
        const Measured what = relaxation_measured(Model{}, true, shape, 1);
        const std::vector<std::uint64_t> start = random_spins(shape, ::Simulation::seed);
        sampler->ensemble().set_spins(start);
        auto measurement = make_relaxation_measurement(*sampler, what, 3);
        for (int bin = 0; bin < 3; ++bin) {
            measurement->add_snapshot({start});
            sampler->advance(2 * bin, 2 * bin + 2);
            measurement->measure(bin);
            const Accumulators so_far = measurement->accumulators();
            measurement = make_relaxation_measurement(*sampler, what, 3);
            measurement->set_accumulators(so_far);
        }
        return measurement->accumulators();
    };
    CHECK(measured("cpu") == measured("cuda"));
}

TEST_CASE("every kernel follows temperatures that change: CUDA equals CPU") {
    for (const char* kernel : {"streaming", "tiled", "resident"}) {
        KernelChoice choice(kernel);
        INFO(kernel);
        check_case({16, 2, 2, 128, 0, 128}, Model{});
    }
    Shape sliced{16, 2, 2, 128, 0, 128};
    sliced.order = SiteOrder::sliced;
    check_case(sliced, Model{});
}

TEST_CASE("correlations of slabs on CUDA equal correlations of whole lattices") {
    const Model glass{}, diluted{.p_absent = 0.2}, ferromagnet{.kind = ModelKind::ferromagnet};
    check_correlations_of_slabs({4, 3, 5, 70, 0, 32}, glass);
    check_correlations_of_slabs({10, 2, 6, 200, 128, 128}, glass);
    check_correlations_of_slabs({6, 4, 9, 150, 0, 32}, glass);
    check_correlations_of_slabs({32, 4, 2, 256, 0, 128}, glass);
    check_correlations_of_slabs({6, 4, 9, 150, 0, 32}, glass, SiteOrder::sliced);
    check_correlations_of_slabs({32, 2, 2, 256, 0, 128}, glass, SiteOrder::sliced);
    check_correlations_of_slabs({8, 2, 3, 64, 0, 32}, diluted);
    check_correlations_of_slabs({8, 2, 2, 130, 0, 1}, ferromagnet);
    Shape replicas{8, 4, 3, 40, 0, 1};
    replicas.coding = Lanes::replicas;
    check_correlations_of_slabs(replicas, glass);
}

TEST_CASE("lines of slabs that ranks exchange in several pieces have the same correlations") {
    check_correlations_of_slabs({176, 4, 2, 8, 0, 32}, Model{});
    check_correlations_of_slabs({176, 4, 2, 8, 0, 32}, Model{}, SiteOrder::sliced);
}
