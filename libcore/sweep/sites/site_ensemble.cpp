#include "sweep/sites/site_ensemble.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "base/error.hpp"

namespace psflip {

SiteEnsemble::SiteEnsemble(const BackendChoice& choice, const Shape& shape, const std::vector<double>& betas,
                           std::uint64_t seed, const std::vector<std::int8_t>& couplings, const Model& model,
                           Ranks& ranks)
    : CpuEnsemble(shape, betas, seed, couplings, choice.threads, model, ranks) {
    if (rule().absent)
        throw InputError("absent bonds do not go with multispin.lanes = sites; use lanes: realizations");
    const bool on_gpu = choose_backend(choice) == Backend::cuda;
    const std::int64_t all = shape.realizations * shape.replicas * shape.temperatures;
    together_ = !on_gpu && all >= threads();
    BackendChoice one = choice;
    one.backend = on_gpu ? "cuda" : "cpu";
    one.kernel = "auto";
    one.threads = together_ ? 1 : threads();
    for (std::int64_t r = 0; r < shape.realizations; ++r)
        for (int replica = 0; replica < shape.replicas; ++replica)
            for (int slot = 0; slot < shape.temperatures; ++slot) {
                lattices_.push_back(make_large_lattice(
                    one, {.model = model,
                          .L = shape.L,
                          .beta = betas[static_cast<std::size_t>(slot)],
                          .seed = seed,
                          .realization = static_cast<std::uint32_t>(shape.first_realization + r),
                          .replica = static_cast<std::uint32_t>(replica),
                          .slot = static_cast<std::uint32_t>(slot),
                          .tile = shape.tile,
                          .hits = shape.hits}));
                lattices_.back()->set_couplings(couplings.data() + r * shape.bonds());
            }
    set_spins(std::vector<std::uint64_t>(shape.spin_words(), 0));
}

template <class Task>
void SiteEnsemble::for_each_lattice(const Task& task) const {
    const auto all = static_cast<std::int64_t>(lattices_.size());
    if (together_) return pool().for_each(all, [&](std::int64_t lattice, int) { task(lattice); });
    for (std::int64_t lattice = 0; lattice < all; ++lattice) task(lattice);
}

void SiteEnsemble::changed() {
    spins_changed();
    columns_ready_ = false;
}

std::int64_t SiteEnsemble::canonical_offset(std::int64_t lattice) const {
    const std::int64_t slot = lattice % shape_.temperatures, rest = lattice / shape_.temperatures,
                       replica = rest % shape_.replicas, realization = rest / shape_.replicas;
    return ((replica * shape_.temperatures + slot) * shape_.packs64() + realization / 64) * shape_.sites();
}

void SiteEnsemble::set_spins(const std::vector<std::uint64_t>& canonical) {
    changed();
    for_each_lattice([&](std::int64_t lattice) {
        const SiteLanes& lanes = lattices_[lattice]->lanes();
        const std::uint64_t* const from = canonical.data() + canonical_offset(lattice);
        const int bit = canonical_bit(lattice);
        std::vector<std::uint64_t> words(static_cast<std::size_t>(2 * lanes.positions()));
        for_each_place(lanes, 0, lanes.rows(), [&](std::int64_t word, int lane, std::int64_t site) {
            words[2 * word + lane / 64] |= (from[site] >> bit & 1) << lane % 64;
        });
        lattices_[lattice]->set_words(words);
    });
}

/// Realizations share words of the canonical form: threads have rows of one lattice after the other.
std::vector<std::uint64_t> SiteEnsemble::spins() const {
    std::vector<std::uint64_t> canonical(shape_.spin_words(), 0);
    for (std::int64_t lattice = 0; lattice < std::ssize(lattices_); ++lattice) {
        const SiteLanes& lanes = lattices_[lattice]->lanes();
        const std::vector<std::uint64_t> words = lattices_[lattice]->words();
        std::uint64_t* const to = canonical.data() + canonical_offset(lattice);
        const int bit = canonical_bit(lattice);
        share_out(pool(), lanes.rows(), [&](std::int64_t begin, std::int64_t end) {
            for_each_place(lanes, begin, end, [&](std::int64_t word, int lane, std::int64_t site) {
                to[site] |= (words[2 * word + lane / 64] >> lane % 64 & 1) << bit;
            });
        });
    }
    return canonical;
}

/// Sites of a colour lie in rows one after the other, as they do in the canonical form with both colours.
const std::uint64_t* SiteEnsemble::column_spins() {
    if (columns_.empty()) columns_.assign(shape_.columns() * layout().column_words(), 0);
    for (std::int64_t lattice = 0; lattice < std::ssize(lattices_) && !columns_ready_; ++lattice) {
        const SiteLanes& lanes = lattices_[lattice]->lanes();
        const std::vector<std::uint64_t> words = lattices_[lattice]->words();
        const std::int64_t rest = lattice / shape_.temperatures, realization = rest / shape_.replicas;
        std::uint64_t* const to =
            columns_.data() + realization % column_bits / 64 +
            layout().offset(realization / column_bits, static_cast<int>(rest % shape_.replicas),
                            static_cast<int>(lattice % shape_.temperatures), 0);
        const std::int64_t step = 2 * layout().group, half = lanes.sites() / 2;
        const int bit = canonical_bit(lattice);
        share_out(pool(), lanes.rows(), [&](std::int64_t begin, std::int64_t end) {
            for_each_place(lanes, begin, end, [&](std::int64_t word, int lane, std::int64_t site) {
                std::uint64_t& spin = to[step * (word / lanes.colour_positions() * half + site / 2)];
                const std::uint64_t up = words[2 * word + lane / 64] >> lane % 64 & 1;
                spin = (spin & ~(std::uint64_t{1} << bit)) | up << bit;
            });
        });
    }
    columns_ready_ = true;
    return columns_.data();
}

void SiteEnsemble::sweep(std::int64_t first, int count) {
    if (first % shape_.hits != 0 || count % shape_.hits != 0)
        throw std::invalid_argument(
            fmt::format("sweeps {} to {} are no whole steps of {} hits", first, first + count, shape_.hits));
    changed();
    for_each_lattice([&](std::int64_t lattice) {
        lattices_[lattice]->set_step(first / shape_.hits);
        lattices_[lattice]->advance(count / shape_.hits);
    });
}

void SiteEnsemble::set_betas(const std::vector<double>& betas) {
    betas_ = betas;
    for (std::int64_t lattice = 0; lattice < std::ssize(lattices_); ++lattice) {
        const auto slot = static_cast<std::uint32_t>(lattice % shape_.temperatures);
        lattices_[lattice]->set_temperature(slot, betas_[slot]);
    }
}

void SiteEnsemble::count_lattices() {
    for_each_lattice([&](std::int64_t lattice) {
        const std::int64_t slot = lattice % shape_.temperatures, rest = lattice / shape_.temperatures,
                           realization = rest / shape_.replicas, column = realization / column_bits;
        const int replica = static_cast<int>(rest % shape_.replicas);
        const LatticeSums sums = lattices_[lattice]->sums();
        const std::int64_t unsatisfied = (sums.bonds + shape_.bonds()) / 2,
                           up = (sums.magnetisation + shape_.sites()) / 2;
        const std::int64_t lane = realization % column_bits;
        energy(column, replica, static_cast<int>(slot))[lane] = static_cast<std::int32_t>(unsatisfied);
        if (rule().field)
            magnetisation(column, replica, static_cast<int>(slot))[lane] = static_cast<std::int32_t>(up);
    });
}

void SiteEnsemble::swap_spins(std::int64_t column, int replica, int pair, const std::uint64_t (&mask)[2]) {
    for (std::int64_t r = column * column_bits; r < shape_.realizations && r < (column + 1) * column_bits;
         ++r) {
        if ((mask[r % column_bits / 64] >> r % 64 & 1) == 0) continue;
        auto &cold = lattices_[number(r, replica, pair)], &hot = lattices_[number(r, replica, pair + 1)];
        std::swap(cold, hot);
        cold->set_temperature(static_cast<std::uint32_t>(pair), betas_[pair]);
        hot->set_temperature(static_cast<std::uint32_t>(pair + 1), betas_[pair + 1]);
        columns_ready_ = false;
    }
}

void SiteEnsemble::synchronize() const {
    for (const auto& lattice : lattices_) lattice->synchronize();
}

std::string SiteEnsemble::description() const {
    const std::string& device = lattices_.front()->device();
    const std::string where = device.starts_with("cpu") ? CpuEnsemble::description() : "cuda " + device;
    return where + ", lanes = sites";
}

}  // namespace psflip
