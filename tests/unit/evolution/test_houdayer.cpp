#include "evolution/houdayer_move.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "disorder/couplings.hpp"
#include "lattice/packing.hpp"
#include "reference/cases.hpp"
#include "sweep/vector/vector_batch.hpp"
#include "unit/measure/gaussian_batch.hpp"

using namespace psflip;
using namespace psflip::reference;

namespace {

/// The spins of one realization, (replica, slot, site), as in state files.
class Spins64 {
    std::vector<std::uint64_t>& words_;
    const Shape& shape_;

  public:
    Spins64(std::vector<std::uint64_t>& words, const Shape& shape) : words_(words), shape_(shape) {}
    std::uint64_t& word(int replica, int slot, std::int64_t realization, std::int64_t site) {
        const std::int64_t packs = (shape_.realizations + 63) / 64;
        return words_[((std::int64_t{replica} * shape_.temperatures + slot) * packs + realization / 64) *
                          shape_.sites() +
                      site];
    }
    bool up(int replica, int slot, std::int64_t realization, std::int64_t site) {
        return word(replica, slot, realization, site) >> realization % 64 & 1u;
    }
};

/// A move of one pair and realization, site by site. Returns the number of sites of the cluster.
std::int64_t naive_move(std::vector<std::uint64_t>& words, const Shape& shape,
                        std::span<const std::int8_t> bonds, const HoudayerMove& move, std::uint64_t key,
                        int first, int second, int slot, std::int64_t realization) {
    Spins64 spins(words, shape);
    const auto sites = shape.sites();
    const int L = shape.L;
    const auto differ = [&](std::int64_t site) {
        return spins.up(first, slot, realization, site) != spins.up(second, slot, realization, site);
    };
    const std::int64_t group = (shape.first_realization + realization) / shape.share;
    const std::int64_t start = houdayer_site(
        key, move.completed, static_cast<std::uint32_t>(group), static_cast<std::uint32_t>(first),
        static_cast<std::uint32_t>(slot), static_cast<std::uint64_t>(sites));
    if (!differ(start)) return 0;
    std::set<std::int64_t> cluster{start};
    std::vector<std::int64_t> open{start};
    while (!open.empty()) {
        const std::int64_t site = open.back();
        open.pop_back();
        std::int64_t stride = 1;
        for (int axis = 0; axis < shape.dimension; ++axis, stride *= L) {
            const std::int64_t at = site / stride % L, next = site + ((at + 1) % L - at) * stride,
                               previous = site + ((at + L - 1) % L - at) * stride;
            const auto bond = [&](std::int64_t from) {
                return bonds[(realization * shape.dimension + axis) * sites + from] != 0;
            };
            for (const auto& [other, present] :
                 {std::pair{next, bond(site)}, std::pair{previous, bond(previous)}})
                if (present && differ(other) && cluster.insert(other).second) open.push_back(other);
        }
    }
    for (const std::int64_t site : cluster)
        for (const int replica : {first, second})
            spins.word(replica, slot, realization, site) ^= std::uint64_t{1} << realization % 64;
    return std::ssize(cluster);
}

/// Makes the move of all pairs, slots and realizations, and counts its clusters as Ensemble::houdayer_counts.
void naive_moves(std::vector<std::uint64_t>& words, const Shape& shape, std::span<const std::int8_t> bonds,
                 const HoudayerMove& move, std::uint64_t key, HoudayerCounts& counts) {
    for (const auto& [first, second] : move.pairs)
        for (int slot = 0; slot < move.slots; ++slot)
            for (std::int64_t r = 0; r < shape.realizations; ++r) {
                const std::int64_t sites = naive_move(words, shape, bonds, move, key, first, second, slot, r);
                counts.clusters[r * shape.temperatures + slot] += sites > 0;
                counts.sites[r * shape.temperatures + slot] += sites;
            }
}

Shape of_replicas(Shape shape) {
    shape.coding = Lanes::replicas;
    return shape;
}

}  // namespace

TEST_CASE("each replica meets each other replica once in a round of moves") {
    CHECK(houdayer_pairs(1, 7).empty());
    for (int replicas = 2; replicas <= 8; ++replicas) {
        std::set<std::pair<int, int>> met;
        const int rounds = replicas - 1 + replicas % 2;
        for (int move = 5 * rounds; move < 6 * rounds; ++move) {
            std::set<int> busy;
            for (const auto& [a, b] : houdayer_pairs(replicas, move)) {
                CHECK(a < b);
                CHECK((busy.insert(a).second && busy.insert(b).second));
                CHECK(met.emplace(a, b).second);
            }
        }
        CHECK(std::ssize(met) == replicas * (replicas - 1) / 2);
    }
}

TEST_CASE("a slot whose temperature equals the highest temperature of Houdayer moves takes part") {
    for (int i = 1; i < 500; ++i) {
        const double betas[] = {1.0 / (i / 100.0), 1.0 / ((i + 1) / 100.0)};
        CHECK(HoudayerSetup{1, i / 100.0}.slots(betas) == 1);
    }
}

TEST_CASE("Houdayer moves equal moves site by site, at all SIMD levels, and keep the energies of pairs") {
    const struct {
        Shape shape;
        Model model;
        int slots;
    } cases[] = {{{4, 2, 3, 70, 0, 1}, {}, 3},
                 {{8, 3, 6, 128, 128, 128}, {}, 5},
                 {{6, 4, 2, 130, 0, 32}, {.p_absent = 0.3}, 1},
                 {{6, 2, 2, 64, 64, 64}, {.boundary = Boundary::open}, 2},
                 {{10, 2, 5, 33, 0, 1, 2}, {.dimension = 2, .p_absent = 0.2}, 5},
                 {{16, 4, 1, 128, 0, 32, 2}, {.dimension = 2, .field = 0.3}, 1},
                 {of_replicas({8, 2, 10, 5, 64, 1}), {}, 7},
                 {of_replicas({4, 5, 20, 19, 0, 1}), {.field = 0.3}, 13},
                 {of_replicas({6, 3, 40, 17, 0, 1, 2}), {.dimension = 2}, 37}};
    for (const std::string& level : simd_levels())
        for (const auto& [shape, model, slots] : cases) {
            CAPTURE(level);
            CAPTURE(shape.L);
            const ForceSimd force(level);
            const auto bonds =
                generate_couplings({5, model, shape.L}, shape.first_realization, shape.realizations, 1);
            std::vector<double> betas;
            for (int t = 0; t < shape.temperatures; ++t) betas.push_back(2.0 / (1 + t));
            const auto ensemble = make_ising_ensemble({{"cpu", 2, 0}, shape, betas, 5, bonds, 0, model});
            auto expected = random_spins(shape, 5);
            ensemble->set_spins(expected);
            HoudayerCounts counts(shape.realizations, shape.temperatures);
            CHECK(ensemble->houdayer_counts() == counts);
            for (int number = 0; number < 3; ++number) {
                ensemble->compute_energies();
                const auto before = ensemble->energies();
                const HoudayerMove move{10 * number, slots, houdayer_pairs(shape.replicas, number)};
                ensemble->make_houdayer_move(move);
                naive_moves(expected, shape, bonds, move, ensemble->key(), counts);
                CHECK(ensemble->spins() == expected);
                CHECK(ensemble->houdayer_counts() == counts);
                ensemble->compute_energies();
                const auto after = ensemble->energies();
                const std::int64_t lattices = shape.temperatures * shape.realizations;
                std::int64_t wrong = 0, changed = 0;
                for (const auto& [first, second] : move.pairs)
                    for (std::int64_t i = 0; i < lattices; ++i) {
                        const std::int64_t a = first * lattices + i, b = second * lattices + i;
                        wrong += before[a] + before[b] != after[a] + after[b];
                        changed += before[a] != after[a];
                    }
                CHECK(wrong == 0);
                CHECK(changed > 0);
            }
        }
}

TEST_CASE("Houdayer moves with Gaussian couplings equal moves site by site, and keep the energies of pairs") {
    for (const auto& [dimension, L, realizations, replicas] :
         {std::array{2, 10, 70, 3}, {3, 6, 33, 4}, {2, 70, 3, 2}, {2, 64, 2, 2}, {3, 4, 130, 2}})
        for (const Precision precision : {Precision::single, Precision::twofold}) {
            VectorSetup vectors = gaussian_setup(dimension, precision);
            vectors.L = L, vectors.realizations = realizations, vectors.replicas = replicas;
            vectors.couplings.clear();
            draw_disorder(vectors);
            for (const int threads : {1, 3}) {
                CAPTURE(L);
                CAPTURE(threads);
                VectorBatch batch(gaussian_batch({"cpu", threads, 0}, vectors, VectorUpdate::metropolis));
                const Shape& shape = batch.shape();
                const std::vector<std::int8_t> bonds(
                    static_cast<std::size_t>(realizations * dimension * shape.sites()), 1);
                batch.set_held_spins(random_held_spins(shape, vectors));
                batch.sweep(0, 3);
                auto expected = batch.held_spins();
                HoudayerCounts counts(shape.realizations, shape.temperatures);
                for (int number = 0; number < 3; ++number) {
                    batch.compute_energies();
                    std::vector<double> before;
                    for (std::int64_t state = 0; state < batch.setup().states(); ++state)
                        before.push_back(batch.energy_of(state));
                    const HoudayerMove move{10 * number, 3, houdayer_pairs(replicas, number)};
                    batch.make_houdayer_move(move);
                    naive_moves(expected.bits, shape, bonds, move, batch.key(), counts);
                    CHECK(batch.held_spins() == expected);
                    CHECK(batch.houdayer_counts() == counts);
                    batch.compute_energies();
                    std::int64_t wrong = 0, changed = 0;
                    for (const auto& [first, second] : move.pairs)
                        for (int slot = 0; slot < shape.temperatures; ++slot)
                            for (std::int64_t r = 0; r < realizations; ++r) {
                                const std::int64_t a = batch.state(r, first, slot),
                                                   b = batch.state(r, second, slot);
                                const double rise =
                                    batch.energy_of(a) + batch.energy_of(b) - before.at(a) - before.at(b);
                                wrong += std::abs(rise) > 1e-6 * static_cast<double>(shape.sites());
                                changed += batch.energy_of(a) != before.at(a);
                            }
                    CHECK(wrong == 0);
                    CHECK(changed > 0);
                }
            }
        }
}

TEST_CASE("a run with Houdayer moves that is resumed equals an uninterrupted run, with any threads") {
    const auto check = [](BatchSetup setup, const Spins& start) {
        setup.houdayer = {2, 1.1};
        const auto whole = make_sampler(setup);
        whole->ensemble().set_held_spins(start);
        whole->advance(0, 12);
        setup.choice.threads = 3;
        const auto begun = make_sampler(setup), resumed = make_sampler(setup);
        begun->ensemble().set_held_spins(start);
        begun->advance(0, 7);
        resumed->ensemble().set_held_spins(begun->ensemble().held_spins());
        resumed->set_state(begun->state());
        resumed->advance(7, 12);
        CHECK(resumed->ensemble().held_spins() == whole->ensemble().held_spins());
        CHECK(resumed->state() == whole->state());
        const HoudayerCounts counts = houdayer_counts_of(whole->state(), setup.shape);
        CHECK(counts.moves.front() == 6 * (setup.shape.replicas / 2));
        CHECK(counts.moves.back() == 0);
        SamplerState without = begun->state();
        REQUIRE(without.groups.back().kind == houdayer_kind);
        without.groups.pop_back();
        resumed->set_state(without);
        CHECK(houdayer_counts_of(resumed->state(), setup.shape) ==
              HoudayerCounts(setup.shape.realizations, setup.shape.temperatures));
    };
    const BackendChoice choice{"cpu", 1, 0};
    const VectorSetup vectors = gaussian_setup(2, Precision::single);
    const BatchSetup gaussian = gaussian_batch(choice, vectors, VectorUpdate::metropolis);
    check(gaussian, random_held_spins(gaussian.shape, vectors));
    for (const Shape& shape : {Shape{6, 3, 4, 40, 0, 1}, of_replicas({6, 3, 4, 40, 0, 1})}) {
        const auto bonds = generate_couplings({5, {}, shape.L}, 0, shape.realizations, 1);
        check({choice, shape, {1.5, 1.2, 1.0, 0.8}, 5, bonds, 3, {}}, {random_spins(shape, 5)});
    }
}

TEST_CASE("Houdayer moves are refused where they cannot work") {
    const auto refusal = [](Shape shape, const HoudayerSetup& houdayer,
                            const Model& model = {}) -> std::string {
        const auto bonds = generate_couplings({5, model, shape.L}, 0, shape.realizations, 1);
        BatchSetup setup{{"cpu", 1, 0}, shape, {1.0}, 5, bonds, 0, model};
        setup.houdayer = houdayer;
        try {
            make_ising_ensemble(setup);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    CHECK(refusal({4, 2, 1, 32, 0, 1}, {10, 1.0}).empty());
    CHECK(refusal({4, 1, 1, 32, 0, 1}, {10, 1.0}).find("two replicas") != std::string::npos);
    CHECK(refusal({4, 2, 1, 32, 0, 1}, {-1, 1.0}).find("use 0 or more") != std::string::npos);
    CHECK(refusal(of_replicas({4, 2, 1, 32, 0, 1}), {10, 1.0}).empty());
    CHECK(refusal(of_replicas({4, 2, 1, 32, 0, 1}), {10, 1.0}, {.p_absent = 0.3}).find("a bond is absent") ==
          0);
    Shape shape{32, 2, 1, 1, 0, 1};
    shape.coding = Lanes::sites;
    CHECK(refusal(shape, {10, 1.0}).find("multispin.lanes = realizations or replicas") != std::string::npos);
    VectorSetup vectors = gaussian_setup(2, Precision::single);
    const auto of_vectors = [&] {
        BatchSetup setup = gaussian_batch({"cpu", 1, 0}, vectors, VectorUpdate::metropolis);
        setup.houdayer = {10, 1.0};
        return setup;
    };
    CHECK_NOTHROW(check_houdayer(of_vectors()));
    vectors.model.boundary = Boundary::open;
    CHECK_THROWS_WITH(make_ensemble(of_vectors()),
                      "Houdayer moves with real couplings need periodic boundaries");
    vectors.model.boundary = Boundary::periodic;
    with_local_ranks(2, [&](Ranks& ranks) {
        BatchSetup setup = of_vectors();
        setup.ranks = &ranks;
        CHECK_THROWS_AS(make_ensemble(setup), InputError);
    });
}
