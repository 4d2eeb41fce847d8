#include "bench/stateful/ferromagnet_memory.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace psflip {

template <int Degree>
FerromagnetMemory<Degree>::FerromagnetMemory(const FerromagnetSetup& setup)
    : setup_(setup), table_(setup.L, setup.dimension, setup.order), spins_(table_.number().size()) {
    for (std::size_t i = 0; i < spins_.size(); ++i)
        spins_[i] = starts_up(setup.seed, table_.number()[i]) ? 1 : -1;
}

template <int Degree>
SiteSpins<Degree> FerromagnetMemory<Degree>::view() {
    return {spins_.data(), table_.view(), {}, setup_.layout, setup_.seed};
}

template <int Degree>
void FerromagnetMemory<Degree>::set_spins(const std::vector<std::int8_t>& spins) {
    if (spins.size() != spins_.size())
        throw InputError(
            fmt::format("{} spins are given, but the lattice has {}", spins.size(), spins_.size()));
    for (std::size_t i = 0; i < spins_.size(); ++i) spins_[i] = spins[table_.number()[i]] > 0 ? 1 : -1;
}

template <int Degree>
std::vector<std::int8_t> FerromagnetMemory<Degree>::in_rows(std::span<const std::int32_t> spins) const {
    std::vector<std::int8_t> result(spins.size());
    for (std::size_t i = 0; i < spins.size(); ++i)
        result[table_.number()[i]] = static_cast<std::int8_t>(spins[i]);
    return result;
}

template <int Degree>
std::int64_t FerromagnetMemory<Degree>::energy(std::span<const std::int32_t> spins) const {
    std::int64_t sum = 0;
    for (int k = 0; k < table_.degree(); k += 2) {
        const std::uint32_t* near = table_.near().data() + static_cast<std::size_t>(k) * spins.size();
        for (std::size_t i = 0; i < spins.size(); ++i) sum += spins[i] * spins[near[i]];
    }
    return -sum;
}

template class FerromagnetMemory<4>;
template class FerromagnetMemory<6>;

}  // namespace psflip
