#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "base/error.hpp"
#include "case_checks.hpp"
#include "evolution/move_sampler.hpp"
#include "measure/measurement.hpp"
#include "reference/cases.hpp"

using namespace psflip;
using namespace psflip::reference;
using psflip::test::check;
using psflip::test::cpu;

TEST_CASE("every simulation equals the naive reference bit for bit at every SIMD level") {
    for (const std::string& level : simd_levels()) {
        CAPTURE(level);
        const ForceSimd force(level);
        for (const Case& which : equality_cases()) {
            CAPTURE(which.name);
            check(which, run_library(which, cpu()), expected(which));
        }
    }
}

TEST_CASE("simulations of all other models equal the naive reference at every SIMD level") {
    for (const std::string& level : simd_levels()) {
        CAPTURE(level);
        const ForceSimd force(level);
        for (const Case& which : model_cases()) {
            CAPTURE(which.name);
            check(which, run_library(which, cpu()), expected(which));
        }
    }
}

TEST_CASE(
    "simulations with demons or clusters equal the naive reference at every SIMD level, also cut in two") {
    for (const std::string& level : simd_levels()) {
        CAPTURE(level);
        const ForceSimd force(level);
        for (const auto& cases : {demon_cases(), demon_model_cases(), cluster_cases()})
            for (const Case& which : cases) {
                CAPTURE(which.name);
                check(which, run_library(which, cpu()), expected(which));
                check(which, run_library_in_two(which, cpu(2), which.schedule.run_last / 2), expected(which));
            }
    }
}

TEST_CASE("other models: threads, batches and interruptions change nothing") {
    std::mt19937 random(11);
    for (const Case& which : model_cases()) {
        if (which.world.realizations != 70) continue;
        CAPTURE(which.name);
        check(which, run_library(which, cpu(3)), expected(which));
        const std::int64_t end = which.schedule.thermalize_sweeps + which.schedule.run_last;
        const std::int64_t cut = static_cast<std::int64_t>(random() % (end + 1));
        CAPTURE(cut);
        check(which, run_library_in_two(which, cpu(), cut), expected(which));
        if (which.world.share > 32) continue;
        for (std::int64_t first : {0, 32}) {
            const Case piece = part(which, first, 70 - first - (first == 0 ? 9 : 0));
            check(piece, run_library(piece, cpu()),
                  part(expected(which), which.world, first, piece.world.realizations));
        }
    }
}

TEST_CASE("couplings by hand decide the bonds: absent ones in the first model, all there in a diluted one") {
    for (const std::string& level : simd_levels())
        for (int share : {1, 32, 128})
            for (bool diluted : {false, true}) {
                const ForceSimd force(level);
                World world;
                world.temperatures = {0.8, 1.4, 3.0};
                world.share = share;
                world.realizations = 40;
                world.p_absent = diluted ? 0.3 : 0.0;
                auto bonds = couplings(world);
                if (diluted) {
                    std::replace(bonds.begin(), bonds.end(), std::int8_t{0}, std::int8_t{-1});
                } else {
                    for (std::size_t i = 0; i < bonds.size(); i += 3) bonds[i] = 0;
                    std::fill_n(bonds.begin(), 3 * world.sites(), std::int8_t{0});  // all isolated
                }
                auto sampler = make_ising_sampler(
                    {cpu(), shape_of(world), betas_of(world), world.seed, bonds, 2, model_of(world)});
                sampler->advance(0, 6);
                const auto found = spins_of_words(world, sampler->ensemble().spins());
                std::vector<std::int8_t> wanted;
                for (std::int64_t r = 0; r < world.realizations; ++r) {
                    Realization one(world, r, bonds.data() + r * 3 * world.sites());
                    for (std::int64_t s = 0; s < 6; ++s) {
                        one.sweep(s);
                        if (s % 2 == 1) one.exchange(s + 1, 2);
                    }
                    for (int t = 0; t < world.slots(); ++t)
                        for (int site = 0; site < world.sites(); ++site)
                            wanted.push_back(static_cast<std::int8_t>(one.spin(0, t, site)));
                }
                CHECK(found == wanted);
            }
}

TEST_CASE("the largest square: one sweep of 1024 x 1024, and the energy of an ordered one") {
    for (int share : {1, 128}) {
        World world;
        world.L = 1024;
        world.dimension = 2;
        world.ferromagnet = true;
        world.share = share;
        world.temperatures = {2.269185};
        world.realizations = 32;
        const std::vector<std::int8_t> bonds(32 * 2 * world.sites(), 1);
        const auto ensemble = make_ising_ensemble(
            {cpu(2), shape_of(world), betas_of(world), world.seed, bonds, 0, model_of(world)});
        ensemble->compute_energies();
        CHECK(ensemble->energies() == std::vector<std::int32_t>(32, -2 * world.sites()));
        ensemble->sweep(0, 1);
        Realization one(world, 17, bonds.data());
        one.sweep(0);
        const auto found = ensemble->spins();
        std::int64_t different = 0;
        for (int site = 0; site < world.sites(); ++site)
            different += (one.spin(0, 0, site) > 0) != ((found[site] >> 17 & 1) != 0);
        CHECK(different == 0);
        ensemble->compute_energies();
        CHECK(ensemble->energies()[17] == one.energy(0, 0));
    }
}

TEST_CASE("models that are not there are refused in plain words") {
    const auto refusal = [](auto call) -> std::string {
        try {
            call();
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "";
    };
    World world;
    world.realizations = 32;
    const auto batch = [&](int L, int dimension, const Model& model) {
        world.L = L;
        world.dimension = dimension;
        return refusal([&] { check_batch({.shape = shape_of(world), .betas = {1.0}, .model = model}); });
    };
    CHECK(batch(1024, 2, {.dimension = 2}).empty());
    CHECK(batch(1026, 2, {.dimension = 2}).find("from 4 to 1024") != std::string::npos);
    CHECK(batch(1024, 3, {}).empty());
    CHECK(batch(1026, 3, {}).find("from 4 to 1024") != std::string::npos);
    CHECK(batch(896, 3, {.p_absent = 0.1}).find("with absent bonds") != std::string::npos);
    CHECK(batch(894, 3, {.p_absent = 0.1}).empty());
    CHECK(batch(1024, 2, {.dimension = 2, .p_absent = 0.1}).empty());
    CHECK(batch(8, 3, {.dimension = 2}).find("3 dimensions, but the model has 2") != std::string::npos);
    world.share = 1;
    for (const int sites : {0, 257})
        CHECK(batch(8, 3, {.update = Update::demon, .demon_sites = sites}).find("use 1 to 256") !=
              std::string::npos);
    CHECK(batch(8, 3, {.update = Update::demon, .demon_sites = 256}).empty());
    const Model demons{.update = Update::demon, .demon_sites = 16};
    std::vector<std::int8_t> gap(32 * 3 * 512, 1);
    gap[7] = 0;
    CHECK(refusal([&] {
              check_batch({.shape = shape_of(world), .betas = {1.0}, .couplings = gap, .model = demons});
          }).find("a bond is absent, but model.p_absent = 0") == 0);
    const Model clusters{.kind = ModelKind::ferromagnet, .update = Update::wolff, .wolff_clusters = 1};
    CHECK(batch(8, 3, clusters).empty());
    CHECK(refusal([&] {
              const std::vector<std::int8_t> glass(32 * 3 * 512, -1);
              check_batch({.shape = shape_of(world), .betas = {1.0}, .couplings = glass, .model = clusters});
          }).find("a coupling -1 does not go with dynamics.update = wolff") == 0);
    const auto refuses = [&](Model model, const char* words) {
        return batch(8, 3, model).find(words) != std::string::npos;
    };
    CHECK(refuses({.update = Update::swendsen_wang}, "another model than the Ising ferromagnet"));
    CHECK(
        refuses({.kind = ModelKind::ferromagnet, .field = 0.1, .update = Update::swendsen_wang}, "a field"));
    CHECK(refuses({.kind = ModelKind::ferromagnet, .update = Update::wolff}, "use 1 to 4096"));
    world.share = 32;
    CHECK(refuses(clusters, "multispin.share above 1"));
    world.share = 1;
    world.replica_lanes = true;
    CHECK(refuses(clusters, "multispin.lanes = replicas"));
    world.replica_lanes = false;
    CHECK(batch(8, 3, {.p_absent = 1.5}).find("p_absent") != std::string::npos);
    world.L = 4;
    world.dimension = 3;
    world.replicas = 2;
    const std::vector<std::int8_t> bonds(32 * 3 * world.sites(), 1);
    const auto sampler = make_ising_sampler({cpu(), shape_of(world), {1.0}, 1, bonds, 1, {.field = 0.5}});
    CHECK(refusal([&] { make_measurement(*sampler, 1, 10); }).find("needs four replicas") !=
          std::string::npos);
}

TEST_CASE("the number of threads changes nothing") {
    for (int threads : {2, 3})
        for (const Case& which : small_cases()) {
            CAPTURE(threads);
            check(which, run_library(which, cpu(threads)), expected(which));
        }
}

TEST_CASE(
    "the batch changes nothing: 128 realizations = two batches of 64, and smaller pieces where the share "
    "allows") {
    for (const std::string& level : simd_levels()) {
        const ForceSimd force(level);
        for (const Case& which : small_cases()) {
            const std::int64_t step = std::max(which.world.share, 32);
            for (std::int64_t first = 0; first < which.world.realizations;
                 first += std::max<std::int64_t>(step, 64)) {
                const std::int64_t count = std::min<std::int64_t>(std::max<std::int64_t>(step, 64),
                                                                  which.world.realizations - first);
                const Case piece = part(which, first, count);
                check(piece, run_library(piece, cpu()), part(expected(which), which.world, first, count));
            }
        }
    }
}

TEST_CASE("stopped anywhere and continued with the saved state = in one go") {
    std::mt19937 random(7);
    for (const Case& which : small_cases())
        for (int i = 0; i < 3; ++i) {
            const std::int64_t end = which.schedule.thermalize_sweeps + which.schedule.run_last;
            const std::int64_t cut = static_cast<std::int64_t>(random() % (end + 1));
            CAPTURE(cut);
            check(which, run_library_in_two(which, cpu(), cut), expected(which));
        }
}

TEST_CASE("sweep numbers beyond 32 bits") {
    for (const std::string& level : simd_levels())
        for (int share : {1, 64})
            for (std::int64_t first : {(std::int64_t{1} << 32) - 2, (std::int64_t{1} << 48) - 4}) {
                const ForceSimd force(level);
                World world;
                world.L = 4;
                world.temperatures = {0.8, 1.4, 1.6, 2.0, 2.5};
                world.share = share;
                world.realizations = 64;
                const auto bonds = couplings(world);
                auto ensemble =
                    make_ising_ensemble({cpu(), shape_of(world), betas_of(world), world.seed, bonds});
                ensemble->sweep(first, 4);
                const auto found = spins_of_words(world, ensemble->spins());
                std::vector<std::int8_t> wanted;
                for (std::int64_t r = 0; r < world.realizations; ++r) {
                    Realization one(
                        world, r,
                        bonds.data() + r * 3 * world.sites());  // spins all -1, as in a new ensemble
                    for (std::int64_t s = first; s < first + 4; ++s) one.sweep(s);
                    for (int t = 0; t < world.slots(); ++t)
                        for (int site = 0; site < world.sites(); ++site)
                            wanted.push_back(static_cast<std::int8_t>(one.spin(0, t, site)));
                }
                CHECK(found == wanted);
            }
}

TEST_CASE("shapes that cannot be simulated are refused in plain words") {
    World good;
    good.realizations = 64;
    const auto bonds = couplings(good);
    const auto refused = [&](auto change, const char* words) {
        World world = good;
        change(world);
        Shape shape = shape_of(world);
        std::string message;
        try {
            check_shape(shape);
        } catch (const InputError& error) {
            message = error.what();
        }
        CHECK_MESSAGE(message.find(words) != std::string::npos, "'", message, "' should say '", words, "'");
        CHECK_THROWS_AS(make_ising_ensemble({cpu(), shape, betas_of(world), 1, bonds}), InputError);
    };
    refused([](World& w) { w.L = 5; }, "odd");
    refused([](World& w) { w.L = 2; }, "L = 2");
    refused([](World& w) { w.L = 0; }, "L = 0");
    refused([](World& w) { w.L = -4; }, "L = -4");
    refused([](World& w) { w.L = 1026; }, "1026");
    refused([](World& w) { w.temperatures.assign(65, 1.0); }, "65 temperatures");
    refused([](World& w) { w.temperatures.clear(); }, "0 temperatures");
    refused([](World& w) { w.replicas = 9; }, "9 replicas");
    refused([](World& w) { w.replicas = 0; }, "0 replicas");
    refused([](World& w) { w.share = 16; }, "share = 16");
    refused([](World& w) { w.realizations = 0; }, "0 realizations");
    refused([](World& w) { w.first_realization = 64; }, "multiple of 128");
    refused([](World& w) { w.first_realization = -128; }, "multiple");
    refused(
        [](World& w) {
            w.share = 1;
            w.first_realization = 16;
        },
        "multiple of 32");
    refused([](World& w) { w.first_realization = 1 << 24; }, "too large");
    CHECK_THROWS_AS(make_ising_ensemble({{"gpu", 1, 0}, shape_of(good), betas_of(good), 1, bonds}),
                    InputError);
    {
        const ForceSimd force("sse9");
        CHECK_THROWS_AS(make_ising_ensemble({cpu(), shape_of(good), betas_of(good), 1, bonds}), InputError);
    }
}
