#include "sweep/sites/site_ensemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "lattice/site_bits.hpp"
#include "sweep/sites/site_packing.hpp"

namespace psflip {

SiteEnsemble::SiteEnsemble(const BatchSetup& setup) : HostEnsemble(setup) {
    const Shape& shape = shape_;
    if (rule().absent)
        throw InputError("absent bonds do not go with multispin.lanes = sites; use lanes: realizations");
    on_gpu_ = choose_backend(setup.choice) == Backend::cuda;
    const std::int64_t all = shape.realizations * shape.replicas * shape.temperatures;
    if (has_wide_energies(shape)) wide_energies_.assign(lanes(), 0);
    together_ = !on_gpu_ && all >= threads() && ranks().alone();
    BackendChoice one = setup.choice;
    one.backend = on_gpu_ ? "cuda" : "cpu";
    one.kernel = "auto";
    one.threads = together_ ? 1 : threads();
    std::vector<LargeLatticeSetup> setups;
    for (std::int64_t i = 0; i < all; ++i) {
        const NumberedLattice lattice = numbered(i);
        setups.push_back(
            {.model = model_,
             .L = shape.L,
             .beta = betas_[lattice.slot],
             .seed = seed_,
             .realization = static_cast<std::uint32_t>(shape.first_realization + lattice.realization),
             .replica = static_cast<std::uint32_t>(lattice.replica),
             .slot = static_cast<std::uint32_t>(lattice.slot),
             .start_up = true,
             .tile = shape.tile,
             .hits = shape.hits,
             .tile_order = shape.tile_order});
    }
    lattices_ = make_large_lattices(one, setups, ranks());
    set_start(setup.couplings);
}

/// Sets all spins to -1, and these couplings if they are given.
void SiteEnsemble::set_start(std::span<const std::int8_t> couplings) {
    const bool given = !couplings.empty() || model().kind != ModelKind::ferromagnet;
    const std::int64_t of_realization = std::int64_t{shape_.replicas} * shape_.temperatures;
    for (std::int64_t r = 0; r < shape_.realizations; ++r) {
        std::vector<std::int8_t> whole;
        const std::int8_t* const bonds = given ? couplings_of(couplings, r, whole) : nullptr;
        for (std::int64_t i = r * of_realization; i < (r + 1) * of_realization; ++i) {
            LargeLattice& lattice = *lattices_[i];
            if (given && !lattice.shares_couplings()) lattice.set_couplings(bonds);
            lattice.set_words(
                std::vector<std::uint64_t>(static_cast<std::size_t>(2 * lattice.lanes().local_indices())));
        }
    }
}

/// Each rank has the couplings of its planes and of its halos.
const std::int8_t* SiteEnsemble::couplings_of(std::span<const std::int8_t> held, std::int64_t realization,
                                              std::vector<std::int8_t>& whole) const {
    const std::int64_t plane = std::int64_t{shape_.L} * shape_.L;
    const std::int8_t* const from = held.data() + realization * shape_.dimension * shape_.held_sites();
    if (!shape_.is_slab()) return from;
    whole.resize(static_cast<std::size_t>(shape_.bonds()));
    for (int d = 0; d < shape_.dimension; ++d) {
        const std::int8_t* const own = from + d * shape_.held_sites() + shape_.halo_planes() * plane;
        std::copy(own, own + shape_.own_sites(),
                  whole.begin() + d * shape_.sites() + shape_.first_plane * plane);
        for (int rank = 0; rank < ranks().size(); ++rank) {
            const SlabPlanes planes = planes_of_rank(shape_.L, rank, ranks().size());
            ranks().broadcast(
                std::as_writable_bytes(std::span(whole))
                    .subspan(static_cast<std::size_t>(d * shape_.sites() + planes.first * plane),
                             static_cast<std::size_t>(planes.count * plane)),
                rank);
        }
    }
    return whole.data();
}

template <class Task>
void SiteEnsemble::for_each_lattice(const Task& task) const {
    const auto all = static_cast<std::int64_t>(lattices_.size());
    if (together_) return pool().for_each(all, [&](std::int64_t lattice, int) { task(lattice); });
    for (std::int64_t lattice = 0; lattice < all; ++lattice) task(lattice);
}

std::int64_t SiteEnsemble::canonical_offset(const NumberedLattice& lattice) const {
    return ((std::int64_t{lattice.replica} * shape_.temperatures + lattice.slot) * shape_.packs64() +
            lattice.realization / 64) *
           shape_.own_sites();
}

std::int64_t SiteEnsemble::own_site(std::int64_t site) const {
    const std::int64_t own = site - shape_.first_plane * std::int64_t{shape_.L} * shape_.L;
    return own >= 0 && own < shape_.own_sites() ? own : -1;
}

std::int64_t SiteEnsemble::held_site(std::int64_t site) const {
    if (!shape_.is_slab()) return site;
    const std::int64_t plane = std::int64_t{shape_.L} * shape_.L;
    const int w = wrapped(static_cast<int>(site / plane) - lattice().first, shape_.L);
    return w < lattice().depth ? w * plane + site % plane : -1;
}

void SiteEnsemble::set_spins(const std::vector<std::uint64_t>& canonical) {
    spins_changed();
    for_each_lattice([&](std::int64_t lattice) {
        const SiteLanes& lanes = lattices_[lattice]->lanes();
        const std::uint64_t* const from = canonical.data() + canonical_offset(numbered(lattice));
        const int bit = numbered(lattice).bit();
        std::vector<std::uint64_t> words(static_cast<std::size_t>(2 * lanes.local_indices()));
        for_each_place(lanes, 0, lanes.rows(), [&](std::int64_t word, int lane, std::int64_t site) {
            if (const std::int64_t own = own_site(site); own >= 0)
                words[2 * word + lane / 64] |= (from[own] >> bit & 1) << lane % 64;
        });
        if (shape_.is_slab())  // ranks have no common bits
            ranks().sum(std::span(reinterpret_cast<std::int64_t*>(words.data()), words.size()));
        lattices_[lattice]->set_words(words);
    });
}

/// Realizations share words of the canonical form: threads have rows of one lattice after the other.
std::vector<std::uint64_t> SiteEnsemble::spins() const {
    std::vector<std::uint64_t> canonical(shape_.spin_words(), 0);
    for (std::int64_t lattice = 0; lattice < std::ssize(lattices_); ++lattice) {
        const SiteLanes& lanes = lattices_[lattice]->lanes();
        const std::vector<std::uint64_t> words = lattices_[lattice]->words();
        std::uint64_t* const to = canonical.data() + canonical_offset(numbered(lattice));
        const int bit = numbered(lattice).bit();
        share_out(pool(), lanes.rows(), [&](std::int64_t begin, std::int64_t end) {
            for_each_place(lanes, begin, end, [&](std::int64_t word, int lane, std::int64_t site) {
                if (const std::int64_t own = own_site(site); own >= 0)
                    to[own] |= (words[2 * word + lane / 64] >> lane % 64 & 1) << bit;
            });
        });
    }
    return canonical;
}

std::int64_t SiteEnsemble::bits_begin(std::int64_t lattice) const {
    const auto [realization, replica, slot] = numbered(lattice);
    return lattice_bits_begin(shape_, replica, slot, realization);
}

void SiteEnsemble::set_held_spins(const Spins& held) {
    if (shape_.is_slab()) return set_spins(held.bits);
    spins_changed();
    for (std::int64_t lattice = 0; lattice < std::ssize(lattices_); ++lattice) {
        const SiteLanes& lanes = lattices_[lattice]->lanes();
        std::vector<std::uint64_t> words(static_cast<std::size_t>(2 * lanes.local_indices()));
        words_of_bits(lanes, std::span(held.bits).subspan(bits_begin(lattice), lattice_bit_words(shape_)),
                      words, pool());
        lattices_[lattice]->set_words(words);
    }
}

Spins SiteEnsemble::held_spins() const {
    if (shape_.is_slab()) return {spins()};
    std::vector<std::uint64_t> held(static_cast<std::size_t>(held_words(shape_))), copy;
    for (std::int64_t lattice = 0; lattice < std::ssize(lattices_); ++lattice)
        bits_of_words(lattices_[lattice]->lanes(), lattices_[lattice]->look(copy),
                      std::span(held).subspan(bits_begin(lattice), lattice_bit_words(shape_)), pool());
    return {std::move(held)};
}

/// Sites of a colour lie in rows one after the other, as they do in the canonical form with both colours.
void SiteEnsemble::fill_columns(std::uint64_t* columns) {
    for (std::int64_t lattice = 0; lattice < std::ssize(lattices_); ++lattice) {
        const SiteLanes& lanes = lattices_[lattice]->lanes();
        const std::vector<std::uint64_t> words = lattices_[lattice]->words();
        const auto [realization, replica, slot] = numbered(lattice);
        std::uint64_t* const to = columns + realization % column_bits / 64 +
                                  layout().offset(realization / column_bits, replica, slot, 0);
        const std::int64_t step = 2 * layout().group, half = HostEnsemble::lattice().colour_sites();
        const int bit = numbered(lattice).bit();
        share_out(pool(), lanes.rows(), [&](std::int64_t begin, std::int64_t end) {
            for_each_place(lanes, begin, end, [&](std::int64_t word, int lane, std::int64_t site) {
                const std::int64_t held = held_site(site);
                if (held < 0) return;
                std::uint64_t& spin = to[step * (word / lanes.colour_indices() * half + held / 2)];
                const std::uint64_t up = words[2 * word + lane / 64] >> lane % 64 & 1;
                spin = (spin & ~(std::uint64_t{1} << bit)) | up << bit;
            });
        });
    }
}

/// The lattices of all replicas of a realization and slot.
void SiteEnsemble::count_stack(std::int64_t realization, int slot, std::span<const ReplicaPair> pairs,
                               bool diagonals, SiteCounter& counter, ThreadPool& threads,
                               const Take& take) const {
    std::vector<std::uint64_t> copies[2];
    const auto words = [&](int replica, std::vector<std::uint64_t>& copy) {
        return lattices_[number(realization, replica, slot)]->look(copy);
    };
    DifferenceCounts counts;
    int copied = -1;
    std::span<const std::uint64_t> a;
    for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
        if (pairs[pair].a != copied) a = words(copied = pairs[pair].a, copies[0]);
        const int b = pairs[pair].b;
        counter.count(a, b < 0 ? std::span<const std::uint64_t>() : words(b, copies[1]), diagonals, threads,
                      counts);
        take(realization, slot, pair, counts);
    }
}

void SiteEnsemble::count_differences(std::span<const ReplicaPair> pairs, bool diagonals, const Take& take) {
    const std::int64_t slots = shape_.temperatures, stacks = shape_.realizations * slots;
    std::vector<SiteCounter> counters(together_ ? pool().threads() : 1,
                                      {lattices_.front()->lanes(), level()});
    if (together_)
        return pool().for_each(stacks, [&](std::int64_t i, int thread) {
            count_stack(i / slots, static_cast<int>(i % slots), pairs, diagonals, counters[thread],
                        caller_alone(), take);
        });
    for (std::int64_t i = 0; i < stacks; ++i)
        count_stack(i / slots, static_cast<int>(i % slots), pairs, diagonals, counters[0], pool(), take);
}

void SiteEnsemble::sweep(std::int64_t first, int count) {
    if (first % shape_.hits != 0 || count % shape_.hits != 0)
        throw std::invalid_argument(
            fmt::format("sweeps {} to {} are not whole steps of {} hits", first, first + count, shape_.hits));
    spins_changed();
    const bool summed = sums_clusters_now();
    for (std::int64_t i = 0; i < std::ssize(lattices_); ++i) {
        const auto [realization, replica, slot] = numbered(i);
        lattices_[i]->set_step(first / shape_.hits);
        lattices_[i]->sum_clusters(
            summed ? &cluster_sums_of(realization / column_bits, replica, slot, realization % column_bits)
                   : nullptr);
    }
    const int steps = count / shape_.hits;
    if (together_)
        for_each_lattice([&](std::int64_t lattice) { lattices_[lattice]->advance(steps); });
    else
        lattices_.front()->advance_all(lattices_, steps);
}

void SiteEnsemble::put_betas(const std::vector<double>& betas) {
    betas_ = betas;
    for (std::int64_t lattice = 0; lattice < std::ssize(lattices_); ++lattice) {
        const auto slot = static_cast<std::uint32_t>(lattice % shape_.temperatures);
        lattices_[lattice]->set_temperature(slot, betas_[slot]);
    }
}

/// Rank 0 counts the sums of whole lattices for all ranks.
void SiteEnsemble::count_lattices() {
    const std::vector<LatticeSums> all = sums();
    for (std::int64_t lattice = 0; lattice < std::ssize(lattices_); ++lattice) {
        const auto [realization, replica, slot] = numbered(lattice);
        const std::int64_t column = realization / column_bits, lane = realization % column_bits;
        const LatticeSums& sums = all[lattice];
        if (has_wide_energies(shape_)) wide_energies_[lane_offset(column, replica, slot) + lane] = sums.bonds;
        const std::int64_t unsatisfied = (sums.bonds + shape_.bonds()) / 2,
                           up = (sums.magnetisation + shape_.sites()) / 2, own = ranks().is_first() ? 1 : 0;
        energy(column, replica, slot)[lane] = static_cast<std::int32_t>(own * unsatisfied);
        if (rule().field) magnetisation(column, replica, slot)[lane] = static_cast<std::int32_t>(own * up);
    }
}

std::vector<LatticeSums> SiteEnsemble::sums() const {
    if (!together_) return lattices_.front()->sums_of_all(lattices_);
    std::vector<LatticeSums> sums(lattices_.size());
    for_each_lattice([&](std::int64_t lattice) { sums[lattice] = lattices_[lattice]->sums(); });
    return sums;
}

void SiteEnsemble::swap_spins(std::int64_t column, int replica, int pair, const std::uint64_t (&mask)[2]) {
    for (std::int64_t r = column * column_bits; r < shape_.realizations && r < (column + 1) * column_bits;
         ++r) {
        if ((mask[r % column_bits / 64] >> r % 64 & 1) == 0) continue;
        auto &cold = lattices_[number(r, replica, pair)], &hot = lattices_[number(r, replica, pair + 1)];
        std::swap(cold, hot);
        cold->set_temperature(static_cast<std::uint32_t>(pair), betas_[pair]);
        hot->set_temperature(static_cast<std::uint32_t>(pair + 1), betas_[pair + 1]);
        spins_exchanged();
    }
}

void SiteEnsemble::synchronize() const {
    for (const auto& lattice : lattices_) lattice->synchronize();
}

std::string SiteEnsemble::description() const {
    const std::string where = on_gpu_ ? "cuda " + lattices_.front()->device() : HostEnsemble::description();
    return where + ", lanes = sites";
}

}  // namespace psflip
