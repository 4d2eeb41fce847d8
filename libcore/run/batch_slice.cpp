#include "run/batch_slice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "disorder/couplings.hpp"
#include "disorder/occupation.hpp"
#include "disorder/real_couplings.hpp"
#include "lattice/site_bits.hpp"

namespace psflip {
namespace {

constexpr int word_bits = 64;

}  // namespace

BatchSlice slice_at(const Shape& shape, std::int64_t first, std::int64_t count) {
    const std::int64_t offset = first - shape.first_realization, rest = shape.realizations - offset;
    if (offset < 0 || rest <= 0 || count < 0 || count > rest)
        throw InputError(fmt::format("realizations {} to {} are not all in this batch, which holds {} to {}",
                                     first, first + std::max<std::int64_t>(count, 1) - 1,
                                     shape.first_realization,
                                     shape.first_realization + shape.realizations - 1));
    const std::int64_t multiple = std::max(shape.share, 32);
    if (count == 0) count = std::min<std::int64_t>(column_bits, rest);
    if (offset % multiple != 0 || (count % multiple != 0 && count != rest))
        throw InputError(
            fmt::format("{} realizations from {} on are not whole packs of {}, counted from {}; take "
                        "multiples of {}",
                        count, first, multiple, shape.first_realization, multiple));
    return {offset, count};
}

BatchSlice drawn_slice(const Shape& shape, std::uint64_t number) {
    const auto columns = static_cast<std::uint64_t>(shape.columns());
    const auto offset = static_cast<std::int64_t>(number % columns) * column_bits;
    return {offset, std::min<std::int64_t>(column_bits, shape.realizations - offset)};
}

Spins cut_spins(const Spins& spins, const Shape& whole, const BatchSlice& slice) {
    if (whole.has_vectors())
        return {.vectors = cut(spins.vectors, whole.realizations, whole.components * whole.sites(), slice)};
    if (holds_site_bits(whole))
        return {.bits = cut(spins.bits, whole.realizations, lattice_bit_words(whole), slice)};
    Shape some = whole;
    some.realizations = slice.count;
    std::vector<std::uint64_t> result;
    result.reserve(static_cast<std::size_t>(some.spin_words()));
    const std::int64_t shift = slice.offset % word_bits, first = slice.offset / word_bits;
    const std::int64_t sites = whole.sites(), packs = whole.packs64();
    for (std::int64_t lattice = 0; lattice < std::int64_t{whole.replicas} * whole.temperatures; ++lattice) {
        for (std::int64_t pack = 0; pack < some.packs64(); ++pack) {
            const auto* low = spins.bits.data() + (lattice * packs + first + pack) * sites;
            const auto* high = shift != 0 && first + pack + 1 < packs ? low + sites : nullptr;
            const std::int64_t used = std::min<std::int64_t>(word_bits, slice.count - word_bits * pack);
            const std::uint64_t mask = ~std::uint64_t{0} >> (word_bits - used);
            for (std::int64_t site = 0; site < sites; ++site) {
                std::uint64_t word = low[site] >> shift;
                if (high != nullptr) word |= high[site] << (word_bits - shift);
                result.push_back(word & mask);
            }
        }
    }
    return {.bits = std::move(result)};
}

Batch cut(const Batch& whole, const BatchSlice& slice) {
    Batch batch;
    batch.model = whole.model;
    batch.shape = whole.shape;
    batch.shape.first_realization += slice.offset;
    batch.shape.realizations = slice.count;
    batch.couplings =
        cut(whole.couplings, whole.shape.realizations, whole.shape.dimension * whole.shape.sites(), slice);
    batch.identity = whole.identity;
    batch.identity.first_realization = batch.shape.first_realization;
    batch.identity.realizations = slice.count;
    if (!batch.couplings.empty()) batch.identity.couplings_hash = couplings_hash(batch.couplings);
    if (!whole.vectors) return batch;
    batch.vectors = whole.vectors;
    batch.vectors->first_realization = batch.shape.first_realization;
    batch.vectors->realizations = slice.count;
    if (!whole.vectors->species.empty())
        batch.vectors->species =
            cut(whole.vectors->species, whole.shape.realizations, whole.shape.sites(), slice);
    if (whole.vectors->components() == 3) {
        batch.identity.couplings_hash = occupation_hash(batch.vectors->species);
        return batch;
    }
    batch.vectors->couplings = cut(whole.vectors->couplings, whole.shape.realizations,
                                   whole.shape.dimension * whole.shape.sites(), slice);
    batch.identity.couplings_hash = real_couplings_hash(batch.vectors->couplings);
    return batch;
}

SimulationState cut(const SimulationState& state, const Shape& whole, const BatchSlice& slice) {
    SimulationState some{state.sweep, state.run_start, cut_spins(state.spins, whole, slice), state.sampler};
    for (StateGroup& group : some.sampler.groups)
        for (StateArray& array : group.arrays) {
            if (!array.per_realization) continue;
            array.extents.front() = slice.count;
            std::visit(
                [&](auto& values) {
                    const auto inner = static_cast<std::int64_t>(values.size()) / whole.realizations;
                    values = cut(values, whole.realizations, inner, slice);
                },
                array.values);
        }
    return some;
}

}  // namespace psflip
