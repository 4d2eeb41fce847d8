#include "run/slab_spins.hpp"

#include <doctest/doctest.h>

#include <atomic>

#include "base/error.hpp"
#include "io/schema.hpp"
#include "lattice/packing.hpp"
#include "lattice/plane_map.hpp"
#include "lattice/site_bits.hpp"
#include "run/run_file.hpp"
#include "run/simulation.hpp"
#include "slab/ranks.hpp"
#include "unit/run/small_case.hpp"
#include "unit/run/temporary_folder.hpp"

using namespace psflip;

namespace {

constexpr std::uint64_t any_key = 77;
constexpr SiteOrder slab_orders[] = {SiteOrder::standard, SiteOrder::sliced};

Shape whole_shape(int L, SiteOrder order) {
    Shape shape{L, 2, 3, 70, 64, 32};
    shape.order = order;
    return shape;
}

SimulationState state_of(const Shape& shape) {
    return {9, 4, {random_spins(shape, any_key)}, initial_sampler_state(shape)};
}

/// A state file, with two snapshots, as `ranks` ranks write it.
void write_together(const std::string& path, const Shape& whole, int ranks, std::atomic<int>& right) {
    with_local_ranks(ranks, [&](Ranks& mine) {
        const Shape shape = slab_of(whole, mine.rank(), ranks);
        const SimulationState state = state_of(shape);
        std::optional<OutputFile> file;
        if (mine.is_first()) file.emplace(path, schema::state, Provenance{}, run_datasets(3, false));
        write_state(file ? &*file : nullptr, shape, state, mine);
        write_snapshots(file ? &*file : nullptr, shape,
                        {{1, state.spins}, {2, {random_spins(shape, any_key + 1)}}}, mine);
        if (file) file->commit();
        right += state_hash(state, shape, mine) == state_hash(state_of(slab_of(whole, 0, 1)));
    });
}

}  // namespace

TEST_CASE("files do not know how many ranks made them, whatever the site order") {
    const TemporaryFolder folder;
    for (const SiteOrder order : slab_orders)
        for (const int L : {8, 10})
            for (const int ranks : {1, 2, 3, 4}) {
                CAPTURE(L);
                CAPTURE(ranks);
                const Shape whole = whole_shape(L, order);
                const std::string path = folder.file("state.h5");
                std::atomic<int> right = 0;
                write_together(path, whole, ranks, right);
                CHECK(right == ranks);
                const InputFile file(path, schema::state);
                CHECK(read_state(file, whole) == state_of(whole));
                CHECK(read_snapshots(file, whole)[1].spins.bits == random_spins(whole, any_key + 1));
                for (int rank = 0; rank < ranks; ++rank) {
                    const Shape shape = slab_of(whole, rank, ranks);
                    CHECK(read_state(file, shape) == state_of(shape));
                    CHECK(read_snapshots(file, shape)[1].spins.bits == random_spins(shape, any_key + 1));
                }
            }
}

TEST_CASE("files hold the same spins where runs have them as bits of sites") {
    const TemporaryFolder folder;
    for (const auto& [dimension, L] : {std::pair(2, 64), std::pair(3, 32)})
        for (const int realizations : {1, 20}) {  // deflated, and not
            Shape shape{L, 2, 2, realizations, 0, 1, dimension};
            shape.coding = Lanes::sites;
            const SimulationState state{
                9, 4, {random_held_spins(shape, any_key)}, initial_sampler_state(shape)};
            const std::string path = folder.file("state.h5");
            {
                OutputFile file(path, schema::state, Provenance{}, run_datasets(dimension, false));
                write_state(&file, shape, state);
                write_snapshots(&file, shape, {{1, state.spins}, {2, {random_held_spins(shape, 1)}}},
                                single_rank());
                file.commit();
            }
            const InputFile file(path, schema::state);
            CHECK(file.read<std::uint64_t>(schema::spins).data == random_spins(shape, any_key));
            CHECK(read_state(file, shape) == state);
            CHECK(read_snapshots(file, shape)[1].spins.bits == random_held_spins(shape, 1));
            Shape columns = shape;
            columns.coding = Lanes::realizations;
            SimulationState canonical = state;
            canonical.spins = {random_spins(shape, any_key)};
            CHECK(read_state(file, columns) == canonical);
            CHECK(state_hash(state, shape) == state_hash(canonical, columns));
        }
}

TEST_CASE("ranks that cannot write all throw one error") {
    std::atomic<int> threw = 0;
    with_local_ranks(3, [&](Ranks& ranks) {
        const Shape shape = slab_of(whole_shape(8, SiteOrder::standard), ranks.rank(), 3);
        try {
            gather_spins(shape, state_of(shape).spins.bits, ranks,
                         [](const Box&, std::span<const std::uint64_t>) { throw DiskFullError("full"); });
        } catch (const DiskFullError& error) {
            threw += error.of_all_ranks();
        }
    });
    CHECK(threw == 3);
}

TEST_CASE("a rank reads the couplings of the planes that it holds") {
    const TemporaryFolder folder;
    for (const int L : {4, 6, 8}) {
        const CouplingsLaw law{5, {.p_absent = 0.2}, L};
        const std::string path = folder.file("disorder.h5");
        write_disorder(path, law, 64, 3, {}, 1);
        const Disorder whole = read_disorder(path, L, 32, law.model);
        CHECK(whole.drawn);
        CHECK(whole.couplings == generate_couplings(law, 64, 3, 1));
        for (const SiteOrder order : slab_orders)
            for (int rank = 0; rank < L / 2; ++rank) {
                const Shape shape = slab_of(whole_shape(L, order), rank, L / 2);
                const HeldLattice held = HeldLattice::of(shape);
                const Disorder part = read_disorder(path, L, 32, law.model, held);
                CHECK(part.hash == whole.hash);
                CHECK(part.drawn);
                CHECK(part.bonds.positive == whole.bonds.positive);
                const std::int64_t planes = shape.held_planes(), N = whole.sites();
                REQUIRE(static_cast<std::int64_t>(part.couplings.size()) == 9 * planes * L * L);
                bool same = true;
                for (std::int64_t i = 0; i < 9 * planes * L * L; ++i) {
                    const auto at = [i](std::int64_t inner, std::int64_t n) {
                        return static_cast<int>(i / inner % n);
                    };
                    const Coordinates site = held.site(at(1, L), at(L, L), at(L * L, planes));
                    same = same &&
                           part.couplings[i] ==
                               whole.couplings[i / (planes * L * L) * N + site.x + L * (site.y + L * site.z)];
                }
                CHECK(same);
            }
    }
}

TEST_CASE("a reason to stop of one rank is that of all") {
    std::atomic<int> right = 0;
    with_local_ranks(3, [&](Ranks& ranks) {
        const auto told = [&](const char* own) {
            const char* reason = stop_reason_of_ranks(ranks, own);
            return std::string(reason ? reason : "none");
        };
        right += told(nullptr) == "none";
        right += told(ranks.rank() == 2 ? "SIGUSR1" : nullptr) == "SIGUSR1";
        right += told(ranks.rank() == 1 ? "SIGTERM" : "time limit") == "SIGTERM";
    });
    CHECK(right == 9);
}
