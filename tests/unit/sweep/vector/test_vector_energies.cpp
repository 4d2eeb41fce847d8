#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"
#include "disorder/vector_disorder.hpp"
#include "vector_cases.hpp"

using namespace psflip;

namespace {

using Direction = std::array<double, 3>;
struct Placed {
    int x, y, z;
    Direction spin;
};

/// The sums of a periodic lattice of L = 4 that has spins at these places and nothing elsewhere.
VectorSums sums_of(const ModelSection& model, const std::vector<Placed>& placed, int b_site = -1) {
    VectorSetup setup{.model = model, .L = 4, .betas = {1.0}, .precision = Precision::twofold};
    std::vector<double> spins(static_cast<std::size_t>(3 * setup.sites()));
    for (const Placed& at : placed)
        for (int k = 0; k < 3; ++k)
            spins[static_cast<std::size_t>(k * setup.sites() + at.x + 4 * (at.y + 4 * at.z))] = at.spin[k];
    if (b_site >= 0) {
        setup.species.resize(static_cast<std::size_t>(setup.sites()));
        setup.species[static_cast<std::size_t>(b_site)] = 1;
    }
    const auto ensemble = make_vector_ensemble({.backend = "cpu", .threads = 1}, setup);
    ensemble->set_spins(spins);
    return ensemble->sums()[0];
}

constexpr Direction x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};

double rounded(double value) {
    return std::round(value * 1e6) / 1e6;
}

}  // namespace

TEST_CASE("a bond counts once, by its species") {
    ModelSection model = heisenberg();
    model.exchange = {-2.0, 3.0, 5.0};
    CHECK(rounded(sums_of(model, {{0, 0, 0, z}, {1, 0, 0, z}}).exchange) == 2.0);
    CHECK(rounded(sums_of(model, {{0, 0, 0, z}, {0, 3, 0, z}}).exchange) == 2.0);  // round the boundary
    CHECK(rounded(sums_of(model, {{0, 0, 0, z}, {0, 0, 1, {0, 0, -1}}}).exchange) == -2.0);
    CHECK(rounded(sums_of(model, {{0, 0, 0, z}, {1, 0, 0, z}}, 0).exchange) == -3.0);
    CHECK(rounded(sums_of(model, {{0, 0, 0, z}, {1, 0, 0, z}}, 1).exchange) == -3.0);
    CHECK(sums_of(model, {{0, 0, 0, z}, {2, 0, 0, z}}).exchange == 0.0);
    model.boundary = Boundary::open;
    CHECK(sums_of(model, {{0, 0, 0, z}, {0, 3, 0, z}}).exchange == 0.0);
    CHECK(sums_of(model, {{0, 0, 0, z}, {3, 0, 0, z}}).exchange == 0.0);
    CHECK(rounded(sums_of(model, {{2, 0, 0, z}, {3, 0, 0, z}}).exchange) == 2.0);
}

TEST_CASE("the energy of a bond's Dzyaloshinskii-Moriya vector is -D n.(S_i x S_j), i below j") {
    ModelSection model = heisenberg();
    model.dm = {0.5, 0.25, 0.125};
    model.dm_axis = {0, 2, 0};
    const auto dm = [&](const std::vector<Placed>& placed, int b_site = -1) {
        return rounded(sums_of(model, placed, b_site).dm);
    };
    // z x x = y
    model.dm_pattern = DmPattern::constant;
    CHECK(dm({{0, 0, 0, z}, {1, 0, 0, x}}) == -0.5);
    CHECK(dm({{0, 0, 0, x}, {1, 0, 0, z}}) == 0.5);
    CHECK(dm({{1, 0, 0, z}, {2, 0, 0, x}}) == -0.5);
    CHECK(dm({{3, 0, 0, z}, {0, 0, 0, x}}) == -0.5);  // x = 3 lies below x = 0
    CHECK(dm({{0, 0, 0, z}, {0, 1, 0, x}}) == -0.5);
    CHECK(dm({{0, 0, 0, z}, {0, 0, 1, x}}) == -0.5);
    CHECK(dm({{0, 0, 0, y}, {0, 0, 1, x}}) == 0.0);
    CHECK(dm({{0, 0, 0, z}, {1, 0, 0, x}}, 0) == -0.25);
    CHECK(dm({{0, 0, 0, z}, {1, 0, 0, x}}, 1) == -0.25);
    model.dm_pattern = DmPattern::alternating;
    CHECK(dm({{0, 0, 0, z}, {1, 0, 0, x}}) == -0.5);
    CHECK(dm({{1, 0, 0, z}, {2, 0, 0, x}}) == 0.5);
    CHECK(dm({{3, 0, 0, z}, {0, 0, 0, x}}) == 0.5);
    CHECK(dm({{0, 1, 0, z}, {0, 1, 1, x}}) == 0.5);
    CHECK(dm({{0, 1, 1, z}, {0, 2, 1, x}}) == -0.5);
    // y x z = x, x x y = z
    model.dm_pattern = DmPattern::constant;
    model.dm_axis = {3, 0, 0};
    CHECK(dm({{0, 0, 0, y}, {1, 0, 0, z}}) == -0.5);
    model.dm_axis = {0, 0, 0.1};
    CHECK(dm({{0, 0, 0, x}, {1, 0, 0, y}}) == -0.5);
}

TEST_CASE("anisotropy lies along x, the field along z, with the moments of the species") {
    ModelSection model = heisenberg();
    model.anisotropy = {0.5, 0.25};
    model.field = 2.0;
    model.moments = {1.0, 0.625};
    const VectorSums a = sums_of(model, {{0, 0, 0, {0.6, 0, 0.8}}}),
                     b = sums_of(model, {{0, 0, 0, {0.6, 0, 0.8}}}, 0);
    CHECK(rounded(a.anisotropy) == -0.18);
    CHECK(rounded(b.anisotropy) == -0.09);
    CHECK(rounded(a.field) == -1.6);
    CHECK(rounded(b.field) == -1.0);
    CHECK(a.energy() == a.exchange + a.dm + a.anisotropy + a.field);
}

TEST_CASE("magnetisations are sums of spins by sublattice and species") {
    ModelSection model = heisenberg();
    model.exchange = {1, 1, 2};
    const VectorSums sums = sums_of(model, {{0, 0, 0, x}, {2, 1, 0, y}, {1, 1, 0, z}, {1, 0, 0, z}}, 1);
    CHECK(sums.magnetisation[0][0] == Direction{1, 0, 1});
    CHECK(sums.magnetisation[1][0] == Direction{0, 1, 0});
    CHECK(sums.magnetisation[1][1] == Direction{0, 0, 1});
    CHECK(sums.magnetisation[0][1] == Direction{0, 0, 0});
    CHECK(sums.total() == Direction{1, 1, 2});
    CHECK(sums.total(true) == Direction{1, -1, 0});
}

TEST_CASE("spins come back as they were set") {
    for (Precision precision : {Precision::single, Precision::twofold})
        for (const VectorCase& which : vector_cases(precision)) {
            const auto ensemble = make_vector_ensemble({.backend = "cpu", .threads = 1}, which.setup);
            const auto spins = random_spins(which.setup);
            ensemble->set_spins(spins);
            CHECK(ensemble->spins() == spins);
        }
}

TEST_CASE("setups and updates that cannot be are refused in words") {
    const VectorSetup good{.model = heisenberg(), .L = 4, .betas = {1.0}};
    const auto refusal = [&](auto change, VectorUpdate update = VectorUpdate::metropolis) -> std::string {
        VectorSetup setup = good;
        change(setup);
        try {
            make_vector_ensemble({.backend = "cpu", .threads = 1}, setup)->sweep(update, 0, 0);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    using Setup = VectorSetup;
    CHECK(refusal([](Setup&) {}) == "");
    CHECK(refusal([](Setup& s) { s.L = 5; }) == "L = 5 is not an even number from 2 to 1024");
    CHECK(refusal([](Setup& s) { s.betas = {}; }) == "0 temperatures are not possible; use 1 to 64");
    for (const double beta : {-1.0, 0.0, 1e-7, 1e7})
        CHECK(refusal([&](Setup& s) { s.betas = {beta}; }) ==
              fmt::format("beta = {} is not a number from 1e-06 to 1000000", beta));
    CHECK(refusal([](Setup& s) { s.replicas = 9; }) == "9 replicas are not possible; use 1 to 8");
    CHECK(refusal([](Setup& s) { s.couplings = {1.0}; }) ==
          "1 couplings are given for 1 realizations of 192 bonds");
    CHECK(refusal([](Setup& s) { s.model = heisenberg({.concentration = 0.5}); }) ==
          "a model of two species needs the species of sites; draw_disorder makes them");
    CHECK(refusal([](Setup& s) { s.model = gaussian_glass(); }) ==
          "the Gaussian glass needs couplings; draw_disorder makes them");
    const auto anisotropic = [](Setup& s) { s.model = heisenberg({.anisotropy = {1.0, 1.0}}); };
    CHECK(refusal(anisotropic) == "");
    CHECK(refusal(anisotropic, VectorUpdate::over_relaxation) ==
          "update over-relaxation needs an energy that is linear in each spin, which anisotropy is not; set "
          "anisotropy to 0, or use metropolis or cone");
    CHECK(refusal(anisotropic, VectorUpdate::heat_bath) != "");
    const auto ising = [](Setup& s) { s.model = gaussian_glass(), draw_disorder(s); };
    CHECK(refusal(ising, VectorUpdate::heat_bath) == "");
    CHECK(refusal(ising, VectorUpdate::cone) ==
          "Ising spins have no update cone; use metropolis or heat-bath");
}

TEST_CASE("species and Gaussian couplings are drawn as their laws say, whatever the batch") {
    const DisorderPart all{.key = 11, .L = 8, .dimension = 3, .first = 3, .count = 40};
    DisorderPart last = all;
    last.first = 42, last.count = 1;
    const auto species = draw_species(all, 0.3);
    const auto couplings = draw_gaussian_couplings(all);
    CHECK(std::vector<std::uint8_t>(species.end() - 512, species.end()) == draw_species(last, 0.3));
    CHECK(std::vector<double>(couplings.end() - 3 * 512, couplings.end()) == draw_gaussian_couplings(last));
    double b = 0, moments[5] = {};
    for (std::uint8_t s : species) b += s;
    CHECK(std::abs(b / species.size() - 0.3) < 4 * std::sqrt(0.21 / species.size()));
    for (double J : couplings)
        for (int k = 1; k < 5; ++k) moments[k] += std::pow(J, k) / couplings.size();
    const double error = 1 / std::sqrt(static_cast<double>(couplings.size()));
    CHECK(std::abs(moments[1]) < 4 * error);
    CHECK(std::abs(moments[2] - 1) < 4 * std::sqrt(2.0) * error);
    CHECK(std::abs(moments[3]) < 4 * std::sqrt(15.0) * error);
    CHECK(std::abs(moments[4] - 3) < 4 * std::sqrt(96.0) * error);
    CHECK(draw_species(all, 1.0) == std::vector<std::uint8_t>(species.size(), 1));
}
