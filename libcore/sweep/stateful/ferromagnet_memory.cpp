#include "sweep/stateful/ferromagnet_memory.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "random/splitmix64.hpp"

namespace psflip {

FerromagnetMemory::FerromagnetMemory(const FerromagnetSetup& setup)
    : setup_(setup), table_(setup.L, setup.dimension, setup.order), spins_(table_.number().size()) {
    for (std::size_t i = 0; i < spins_.size(); ++i)
        spins_[i] = splitmix64(~setup.seed + table_.number()[i]) >> 63 ? 1 : -1;
}

FerromagnetView FerromagnetMemory::view() {
    return {spins_.data(), table_.view(), {}, setup_.layout, setup_.seed};
}

void FerromagnetMemory::set_spins(const std::vector<std::int8_t>& spins) {
    if (spins.size() != spins_.size())
        throw InputError(fmt::format("{} spins, where the lattice has {}", spins.size(), spins_.size()));
    for (std::size_t i = 0; i < spins_.size(); ++i) spins_[i] = spins[table_.number()[i]] > 0 ? 1 : -1;
}

std::vector<std::int8_t> FerromagnetMemory::in_rows(std::span<const std::int32_t> spins) const {
    std::vector<std::int8_t> result(spins.size());
    for (std::size_t i = 0; i < spins.size(); ++i)
        result[table_.number()[i]] = static_cast<std::int8_t>(spins[i]);
    return result;
}

std::int64_t FerromagnetMemory::energy(std::span<const std::int32_t> spins) const {
    std::int64_t sum = 0;
    for (int k = 0; k < table_.degree(); k += 2) {
        const std::uint32_t* near = table_.near().data() + static_cast<std::size_t>(k) * spins.size();
        for (std::size_t i = 0; i < spins.size(); ++i) sum += spins[i] * spins[near[i]];
    }
    return -sum;
}

}  // namespace psflip
