#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "../../messages.hpp"
#include "../case_checks.hpp"
#include "base/error.hpp"
#include "evolution/move_sampler.hpp"
#include "lattice/packing.hpp"
#include "reference/cases.hpp"
#include "sweep/replicas/replica_chain.hpp"
#include "sweep/replicas/replica_kernels.hpp"
#include "sweep/replicas/replica_packing.hpp"
#include "sweep/replicas/replica_site.hpp"
#include "sweep/sweep_rule.hpp"

using namespace psflip;
using namespace psflip::reference;
using psflip::test::check;
using psflip::test::cpu;
using psflip::test::message_of;

namespace {

/// 32 lanes as a thread of a GPU has them.
struct HostWord {
    std::uint32_t bits;
    friend HostWord operator&(HostWord a, HostWord b) { return {a.bits & b.bits}; }
    friend HostWord operator|(HostWord a, HostWord b) { return {a.bits | b.bits}; }
    friend HostWord operator^(HostWord a, HostWord b) { return {a.bits ^ b.bits}; }
    friend HostWord operator~(HostWord a) { return {~a.bits}; }
};

/// A word after its update, as a thread does it.
template <class Rule>
std::uint32_t updated_word(const ReplicaView& view, std::int64_t realization, int colour, int row, int at,
                           std::int64_t sweep) {
    using Choice = typename Rule::Choice;
    const ReplicaLayout& layout = view.layout;
    const int v = row % layout.L, w = row / layout.L;
    const bool next = ReplicaLayout::other_is_next(colour, v, w);
    const ReplicaColumn column(layout, static_cast<std::uint32_t>(at));
    std::uint32_t place[Rule::degree];
    near_places(layout, column, static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(w), next, place);
    const std::int64_t lattice = realization * layout.lattice_words(),
                       mine = lattice + colour_begin(layout, colour) + place[0];
    ReplicaNear<Rule::degree, HostWord> near{};
    near.own = {view.spins[mine]};
    for (int k = 0; k < Rule::degree; ++k)
        near.near[k] = {view.spins[lattice + colour_begin(layout, 1 - colour) + place[k]]};
    spread_bonds(view.bonds[mine], near.bond);
    if constexpr (Rule::has_absent) spread_bonds(view.absent[mine], near.absent);
    const std::uint32_t site = static_cast<std::uint32_t>(layout.L * row) + column.site + (next ? 1 : 0),
                        number = view.first_realization + static_cast<std::uint32_t>(realization);
    const auto threshold = [&](std::uint32_t digit, int k, int i) {
        return HostWord{
            view.thresholds[((4 * digit + k) * Choice::thresholds + i) * ReplicaLayout::max_words +
                            column.word]};
    };
    const ReplicaKeys keys{view.key};
    RandomBlock random[early_digits];
    for (std::uint32_t d = 0; d < early_digits; ++d)
        random[d] =
            replica_planes(ReplicaSite(keys, site, number),
                           ReplicaDigit(keys, static_cast<std::uint64_t>(sweep), column.word, d), keys);
    ReplicaUpdate<Rule, HostWord> update(near, {view.used[column.word]}, view.always, random, threshold);
    for (std::uint32_t d = early_digits; d < replica_digits && update.open.bits != 0; ++d)
        update.decide(philox(make_counter(Purpose::replica_bits, site, static_cast<std::uint64_t>(sweep),
                                          column.word, 0, d, number),
                             view.key),
                      [&](int k, int i) { return threshold(d, k, i); });
    return update.spin.bits;
}

template <class Rule>
void sweep_words(const ReplicaView& view, std::int64_t realizations, std::int64_t sweep) {
    const ReplicaLayout& layout = view.layout;
    for (int colour = 0; colour < 2; ++colour)
        for (std::int64_t r = 0; r < realizations; ++r)
            for (int row = 0; row < layout.rows(); ++row)
                for (int at = 0; at < layout.row_words(); ++at)
                    view.spins[r * layout.lattice_words() + layout.row(colour, row) + at] =
                        updated_word<Rule>(view, r, colour, row, at, sweep);
}

/// The demons of the words of chains with one word of a row, as a thread draws them.
Demons<HostWord> drawn_demons(const ReplicaView& view, std::int64_t realization, std::uint32_t site,
                              std::uint32_t word, std::int64_t sweep) {
    HostWord below[max_demon]{};
    for (int plane = 31; plane >= 0; --plane) {
        const RandomBlock random =
            philox(make_counter(Purpose::replica_demon, site, static_cast<std::uint64_t>(sweep), word, 0,
                                static_cast<std::uint32_t>(plane / 4),
                                view.first_realization + static_cast<std::uint32_t>(realization)),
                   view.key);
        for (int c = 0; c < max_demon; ++c)
            below[c] = below_after(
                below[c], HostWord{random.word[plane % 4]},
                HostWord{view.thresholds[(plane * max_demon + c) * ReplicaLayout::max_words + word]});
    }
    return demons_of(below[0], below[1], below[2]);
}

template <int Degree>
void sweep_chains(const DemonChains& chains, const ReplicaView& view, std::int64_t realization, int colour,
                  std::int64_t sweep) {
    const ReplicaLayout& layout = view.layout;
    const std::int64_t lattice = realization * layout.lattice_words(),
                       begin = lattice + colour_begin(layout, colour);
    const ReplicaColours colours{view.spins + begin, view.spins + lattice + colour_begin(layout, 1 - colour),
                                 view.bonds + begin};
    for (int bundle = 0; bundle < chains.bundles(); ++bundle)
        for (int at = 0; at < layout.row_words(); ++at) {
            const ReplicaColumn column(layout, static_cast<std::uint32_t>(at));
            const ReplicaChain<Degree, HostWord> chain(layout, colours, column, colour);
            const auto y = static_cast<std::uint32_t>(chains.first_y(bundle)),
                       z = static_cast<std::uint32_t>(chains.first_z(bundle));
            Demons<HostWord> demons =
                drawn_demons(view, realization, chain.first_site(y, z), column.word, sweep);
            chain.march(chains, y, z, demons);
        }
}

template <int Degree>
void sweep_words(const SweepRule& rule, const ReplicaView& view, std::int64_t realizations,
                 std::int64_t sweep) {
    if (rule.has_demons()) {
        const DemonChains chains = DemonChains::of(view.layout.L, view.layout.depth, rule.demon_sites);
        for (int colour = 0; colour < 2; ++colour)
            for (std::int64_t r = 0; r < realizations; ++r)
                sweep_chains<Degree>(chains, view, r, colour, sweep);
        return;
    }
    if (rule.plain) return sweep_words<PlainReplicaRule<Degree>>(view, realizations, sweep);
    with_class_rule<Degree>(rule, [&]<class Rule>() { sweep_words<Rule>(view, realizations, sweep); });
}

/// Without and with demons.
std::vector<Case> all_cases() {
    std::vector<Case> cases = replica_cases();
    std::ranges::copy(replica_demon_cases(), std::back_inserter(cases));
    return cases;
}

}  // namespace

TEST_CASE("lanes = replicas: slabs, equal or not, give the same bits, also if other slabs continue a run") {
    for (const Case& which : replica_cases()) {
        if (which.world.dimension != 3 || which.world.L > 12) continue;
        const int most = std::min(3, which.world.L / 2);
        for (int slabs = 2; slabs <= most; ++slabs)
            check(which, run_library(which, cpu(slabs), {SiteOrder::standard, slabs}), expected(which));
        check(which, run_library_in_two(which, cpu(), 2, {SiteOrder::standard, most}), expected(which));
    }
}

TEST_CASE("lanes = replicas: word by word, as the threads of a GPU, the spins are the same") {
    for (const Case& which : all_cases()) {
        CAPTURE(which.name);
        const World& world = which.world;
        const Shape shape = shape_of(world);
        const Model model = model_of(world);
        const auto bonds = couplings(world);
        const bool absent = std::count(bonds.begin(), bonds.end(), std::int8_t{0}) > 0;
        const SweepRule rule = sweep_rule(model, absent);
        const AcceptanceTable acceptance = acceptance_table(model, rule, betas_of(world), world.slots());
        const ReplicaLayout layout = ReplicaLayout::of(shape);
        const ReplicaTables tables(layout, acceptance, own_thresholds(rule));
        const auto bits = pack_replica_bond_bytes(shape, bonds, -1, caller_alone());
        const auto missing = pack_replica_bond_bytes(shape, bonds, 0, caller_alone());
        const auto ensemble =
            make_ising_ensemble({cpu(), shape, betas_of(world), world.seed, bonds, 0, model});
        const auto start = random_spins(shape, ensemble->key());
        std::vector<std::uint32_t> words(shape.realizations * layout.lattice_words());
        pack_replica_spins(shape, start, words.data(), caller_alone());
        const ReplicaView view = {layout,
                                  words.data(),
                                  bits.data(),
                                  absent ? missing.data() : nullptr,
                                  tables.late.data(),
                                  tables.used.data(),
                                  always_bits(acceptance),
                                  static_cast<std::uint32_t>(world.first_realization),
                                  ensemble->key()};
        ensemble->set_spins(start);
        ensemble->sweep(5, 2);
        for (std::int64_t sweep = 5; sweep < 7; ++sweep)
            world.dimension == 3 ? sweep_words<6>(rule, view, shape.realizations, sweep)
                                 : sweep_words<4>(rule, view, shape.realizations, sweep);
        CHECK(unpack_replica_spins(shape, words.data(), caller_alone()) == ensemble->spins());
    }
}

TEST_CASE("lanes = replicas: every simulation equals the naive reference bit for bit at every SIMD level") {
    for (const std::string& level : simd_levels()) {
        CAPTURE(level);
        const ForceSimd force(level);
        for (const Case& which : all_cases()) check(which, run_library(which, cpu()), expected(which));
    }
}

TEST_CASE("lanes = replicas: threads, parts of a batch and interruptions change nothing") {
    std::mt19937 random(5);
    for (const Case& which : all_cases()) {
        CAPTURE(which.name);
        check(which, run_library(which, cpu(3)), expected(which));
        const std::int64_t end = which.schedule.thermalize_sweeps + which.schedule.run_last;
        const std::int64_t cut = static_cast<std::int64_t>(random() % (end + 1));
        CAPTURE(cut);
        check(which, run_library_in_two(which, cpu(), cut), expected(which));
        if (which.world.realizations < 40) continue;
        const Case piece = part(which, 32, which.world.realizations - 33);
        check(piece, run_library(piece, cpu()),
              part(expected(which), which.world, 32, piece.world.realizations));
    }
}

TEST_CASE("lanes = replicas: threads that share a realization do not meet, again and again") {
    const Case which = replica_cases()[1];
    const Case few = part(which, 0, 1);
    for (int i = 0; i < 50; ++i)
        check(few, run_library(few, cpu(4)), part(expected(which), which.world, 0, 1));
}

TEST_CASE("lanes = replicas: sweep numbers beyond 32 bits") {
    for (const std::string& level : simd_levels())
        for (std::int64_t first : {(std::int64_t{1} << 32) - 2, (std::int64_t{1} << 48) - 4}) {
            const ForceSimd force(level);
            World world;
            world.temperatures = {0.8, 1.4, 1.6, 2.0, 2.5};
            world.replicas = 8;
            world.share = 1;
            world.replica_lanes = true;
            world.realizations = 3;
            const auto bonds = couplings(world);
            auto ensemble = make_ising_ensemble({cpu(), shape_of(world), betas_of(world), world.seed, bonds});
            ensemble->sweep(first, 4);
            const auto found = spins_of_words(world, ensemble->spins());
            std::vector<std::int8_t> wanted;
            for (std::int64_t r = 0; r < world.realizations; ++r) {
                Realization one(world, r, bonds.data() + r * 3 * world.sites());
                for (std::int64_t s = first; s < first + 4; ++s) one.sweep(s);
                for (int replica = 0; replica < world.replicas; ++replica)
                    for (int t = 0; t < world.slots(); ++t)
                        for (int site = 0; site < world.sites(); ++site)
                            wanted.push_back(static_cast<std::int8_t>(one.spin(replica, t, site)));
            }
            CHECK(found == wanted);
        }
}

TEST_CASE("lanes = replicas: other lanes continue a state, and give it back unchanged") {
    World world;
    world.temperatures = {0.8, 1.1, 1.4};
    world.replicas = 3;
    world.share = 1;
    world.realizations = 70;
    const auto bonds = couplings(world);
    const auto columns = make_ising_ensemble({cpu(), shape_of(world), betas_of(world), world.seed, bonds});
    columns->sweep(0, 3);
    world.replica_lanes = true;
    const auto replicas = make_ising_ensemble({cpu(), shape_of(world), betas_of(world), world.seed, bonds});
    replicas->set_spins(columns->spins());
    CHECK(replicas->spins() == columns->spins());
    columns->compute_energies();
    replicas->compute_energies();
    CHECK(replicas->energies() == columns->energies());
    columns->sweep(3, 1);
    replicas->sweep(3, 1);
    CHECK(replicas->spins() != columns->spins());  // other numbers
}

TEST_CASE("lanes = replicas: what is not there is refused in plain words") {
    const auto refusal = [](const Shape& shape) {
        return message_of<InputError>([&] { check_shape(shape); });
    };
    World world;
    world.share = 1;
    world.replica_lanes = true;
    Shape shape = shape_of(world);
    check_shape(shape);
    shape.order = SiteOrder::sliced;
    CHECK(refusal(shape).find("standard site order") != std::string::npos);
    shape = shape_of(world);
    shape.share = 32;
    CHECK(refusal(shape).find("use 1") != std::string::npos);
}
