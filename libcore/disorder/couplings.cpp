#include "disorder/couplings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>

#include "base/error.hpp"
#include "base/thread_pool.hpp"
#include "io/hash.hpp"
#include "random/philox.hpp"

namespace psflip {
namespace {

/// One realization: (direction, z, y, x).
void draw_realization(const CouplingsLaw& law, std::uint64_t threshold, std::int64_t realization,
                      std::int8_t* out) {
    const std::int64_t sites = std::int64_t{law.L} * law.L * law.L;
    for (std::int64_t site = 0; site < sites; ++site) {
        const RandomBlock block = philox(make_counter(Purpose::couplings, static_cast<std::uint32_t>(site), 0,
                                                      0, 0, 0, static_cast<std::uint32_t>(realization)),
                                         law.seed);
        for (int direction = 0; direction < 3; ++direction) {
            out[direction * sites + site] = std::uint64_t{block.word[direction]} < threshold ? 1 : -1;
        }
    }
}

}  // namespace

void check_couplings_law(const CouplingsLaw& law, std::int64_t first, std::int64_t count) {
    if (!(law.p_ferro >= 0.0 && law.p_ferro <= 1.0)) {
        throw InputError(fmt::format("p_ferro = {} is not a probability between 0 and 1", law.p_ferro));
    }
    if (law.L < 1 || law.L > 1024)
        throw InputError(fmt::format("no couplings for L = {}: 1 to 1024 is possible", law.L));
    if (first < 0 || count < 0 || first > max_packs - count) {
        throw InputError(
            fmt::format("realizations {} to {} are outside of the numbers 0 to {} that a campaign has", first,
                        first + count - 1, max_packs - 1));
    }
}

std::vector<std::int8_t> generate_couplings(const CouplingsLaw& law, std::int64_t first, std::int64_t count,
                                            int threads) {
    check_couplings_law(law, first, count);
    const std::int64_t bonds = std::int64_t{3} * law.L * law.L * law.L;
    std::vector<std::int8_t> couplings;
    try {
        couplings.resize(static_cast<std::size_t>(bonds * count));
    } catch (const std::exception&) {
        throw EnvironmentError(
            fmt::format("not enough memory for the couplings of {} realizations of L = {} ({} MiB)", count,
                        law.L, bonds * count >> 20));
    }
    const auto threshold = static_cast<std::uint64_t>(std::llround(std::ldexp(law.p_ferro, 32)));
    ThreadPool(threads).for_each(count, [&](std::int64_t local, int) {
        draw_realization(law, threshold, first + local, couplings.data() + local * bonds);
    });
    return couplings;
}

void check_first_realization(std::int64_t first, int share) {
    const std::int64_t multiple = std::max(share, 32);
    if (first >= 0 && first % multiple == 0) return;
    const std::int64_t below = first < 0 ? 0 : first / multiple * multiple;
    throw InputError(fmt::format(
        "the first realization is {}, it must be a multiple of {}{}: take {} or {}", first, multiple,
        share > 32 ? fmt::format(" (multispin.share = {})", share) : std::string(), below, below + multiple));
}

std::string couplings_hash(const std::vector<std::int8_t>& couplings) {
    Hasher hasher;
    hasher.add(couplings.data(), couplings.size());
    return hasher.hex();
}

}  // namespace psflip
