#include "evolution/annealing.hpp"
#include "evolution/move_sampler.hpp"

#include <doctest/doctest.h>

#include "disorder/couplings.hpp"
#include "lattice/packing.hpp"

using namespace psflip;

TEST_CASE("a path of temperatures: stages, then 1") {
    const TemperaturePath path{{3.0, 2.0, 0.5}, 10};
    CHECK(path.factor(0) == 3.0);
    CHECK(path.factor(9) == 3.0);
    CHECK(path.factor(10) == 2.0);
    CHECK(path.factor(29) == 0.5);
    CHECK(path.factor(30) == 1.0);
    CHECK(path.factor(std::int64_t{1} << 47) == 1.0);
    CHECK(path.next_change(0) == 10);
    CHECK(path.next_change(10) == 20);
    CHECK(path.next_change(29) == 30);
    CHECK(path.next_change(30) > std::int64_t{1} << 50);
    CHECK(TemperaturePath{}.factor(5) == 1.0);
    const TemperaturePath with_field{{2.0}, 10, {1.0, 0.0, -1.0}};
    CHECK(with_field.factor(9) == 2.0);
    CHECK(with_field.factor(10) == 1.0);
    CHECK(with_field.field_factor(9) == 1.0);
    CHECK(with_field.field_factor(10) == 0.0);
    CHECK(with_field.field_factor(29) == -1.0);
    CHECK(with_field.field_factor(30) == 1.0);
    CHECK(with_field.next_change(19) == 20);
    CHECK(with_field.next_change(30) > std::int64_t{1} << 50);
}

TEST_CASE("sweeps on a path equal sweeps of ensembles made at its temperatures, wherever they are cut") {
    for (const Model& model : {Model{}, Model{.field = 0.3}, Model{.update = Update::heat_bath}}) {
        const Shape shape{4, 2, 3, 64, 0, 32};
        const std::vector<double> betas = {1.4, 1.0, 0.6};
        const auto bonds = generate_couplings({5, model, 4}, 0, 64, 1);
        const TemperaturePath path{{2.0, 0.5, 2.0}, 4};
        const std::int64_t start = 3, end = 20;
        std::vector<std::uint64_t> expected = random_spins(shape, 5);
        for (std::int64_t sweep = start; sweep < end; ++sweep) {
            std::vector<double> now = betas;
            for (double& beta : now) beta /= path.factor(sweep - start);
            const auto ensemble = make_ising_ensemble({{"cpu", 1, 0}, shape, now, 5, bonds, 0, model});
            ensemble->set_spins(expected);
            ensemble->sweep(sweep, 1);
            expected = ensemble->spins();
        }
        for (const std::int64_t cut : {4, 7, 8, 11, 19}) {
            Annealing annealing(make_ising_sampler({{"cpu", 1, 0}, shape, betas, 5, bonds, 0, model}), path,
                                start);
            annealing.ensemble().set_held_spins({random_spins(shape, 5)});
            annealing.advance(start, cut);
            annealing.advance(cut, end);
            CHECK(annealing.ensemble().held_spins().bits == expected);
        }
    }
}
