#include "disorder/couplings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>

#include "base/error.hpp"
#include "base/large_array.hpp"
#include "base/thread_pool.hpp"
#include "config/limits.hpp"
#include "io/hash.hpp"
#include "random/philox.hpp"

namespace psflip {
namespace {

/// Draws one realization in the order (direction, z, y, x).
class RealizationDraw {
  public:
    explicit RealizationDraw(const CouplingsLaw& law)
        : law_(law),
          key_(law.model.random_key(law.seed, law.L)),
          ferro_(numbers_below(law.model.kind == ModelKind::ferromagnet ? 1.0 : law.model.p_ferro)),
          absent_(numbers_below(law.model.p_absent)) {}

    void operator()(std::int64_t realization, std::int8_t* out) const {
        const std::int64_t sites = law_.sites();
        if (all_ferro()) {
            std::fill_n(out, law_.bonds(), std::int8_t{1});
            return;
        }
        for (std::int64_t site = 0; site < sites; ++site) {
            const RandomBlock bonds = block(Purpose::couplings, site, realization);
            for (int direction = 0; direction < law_.model.dimension; ++direction)
                out[direction * sites + site] = sign(bonds.word[direction]);
            if (law_.model.has_absent_bonds()) remove_absent(site, realization, out);
        }
    }

    std::int8_t operator()(std::int64_t realization, std::int64_t bond) const {
        if (all_ferro()) return 1;
        const std::int64_t direction = bond / law_.sites(), site = bond % law_.sites();
        std::int64_t rest = site;
        for (int d = 0; d < direction; ++d) rest /= law_.L;
        if (law_.model.has_absent_bonds() &&
            is_absent(block(Purpose::occupation, site, realization).word[direction], rest % law_.L))
            return 0;
        return sign(block(Purpose::couplings, site, realization).word[direction]);
    }

  private:
    /// Returns whether every coupling is +1, without a random number.
    bool all_ferro() const { return ferro_ >> 32 != 0 && !law_.model.has_absent_bonds(); }
    static std::uint64_t numbers_below(double p) {
        return static_cast<std::uint64_t>(std::llround(std::ldexp(p, 32)));
    }
    RandomBlock block(Purpose purpose, std::int64_t site, std::int64_t realization) const {
        return philox(make_counter(purpose, static_cast<std::uint32_t>(site), 0, 0, 0, 0,
                                   static_cast<std::uint32_t>(realization)),
                      key_);
    }
    void remove_absent(std::int64_t site, std::int64_t realization, std::int8_t* out) const {
        const RandomBlock occupations = block(Purpose::occupation, site, realization);
        std::int64_t rest = site;
        for (int direction = 0; direction < law_.model.dimension; ++direction, rest /= law_.L) {
            if (is_absent(occupations.word[direction], rest % law_.L))
                out[direction * law_.sites() + site] = 0;
        }
    }
    bool is_absent(std::uint32_t occupation, std::int64_t coordinate) const {
        const bool edge = law_.model.boundary == Boundary::open && coordinate == law_.L - 1;
        return edge || std::uint64_t{occupation} < absent_;
    }
    std::int8_t sign(std::uint32_t number) const { return std::uint64_t{number} < ferro_ ? 1 : -1; }

    const CouplingsLaw& law_;
    std::uint64_t key_, ferro_, absent_;
};

}  // namespace

void check_couplings_law(const CouplingsLaw& law, std::int64_t first, std::int64_t count) {
    check_model(law.model);
    const int most = law.model.dimension == 2 ? limits::max_square_L : limits::max_L;
    if (law.L < 1 || law.L > most)
        throw InputError(fmt::format("there are no couplings for L = {}; use 1 to {}", law.L, most));
    if (first < 0 || count < 0 || first > max_packs - count) {
        throw InputError(fmt::format(
            "{} realizations from number {} on exceed the numbers 0 to {} of a study; use smaller numbers",
            count, first, max_packs - 1));
    }
}

std::vector<std::int8_t> generate_couplings(const CouplingsLaw& law, std::int64_t first, std::int64_t count,
                                            int threads) {
    check_couplings_law(law, first, count);
    const std::int64_t bonds = law.bonds();
    std::vector<std::int8_t> couplings;
    ThreadPool pool(threads);
    try {
        couplings = large_zeros<std::int8_t>(static_cast<std::size_t>(bonds * count), pool);
    } catch (const std::exception&) {
        throw EnvironmentError(
            fmt::format("there is not enough memory for the couplings of {} realizations of L = {} ({} MiB); "
                        "use fewer realizations",
                        count, law.L, bonds * count >> 20));
    }
    const RealizationDraw draw(law);
    pool.for_each(count,
                  [&](std::int64_t local, int) { draw(first + local, couplings.data() + local * bonds); });
    return couplings;
}

void draw_couplings(const CouplingsLaw& law, std::int64_t realization, std::int64_t first,
                    std::span<std::int8_t> couplings, int threads) {
    const RealizationDraw draw(law);
    ThreadPool pool(threads);
    share_out(pool, std::ssize(couplings), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) couplings[i] = draw(realization, first + i);
    });
}

bool are_drawn(const CouplingsLaw& law, std::int64_t realization, std::int64_t first,
               std::span<const std::int8_t> couplings) {
    const RealizationDraw draw(law);
    for (const std::int8_t J : couplings)
        if (J != draw(realization, first++)) return false;
    return true;
}

void check_first_realization(std::int64_t first, int share) {
    const std::int64_t multiple = std::max(share, 32);
    if (first >= 0 && first % multiple == 0) return;
    const std::int64_t below = first < 0 ? 0 : first / multiple * multiple;
    throw InputError(fmt::format(
        "the first realization is {}, but it must be a multiple of {}{}; use {} or {}", first, multiple,
        share > 32 ? fmt::format(" (multispin.share = {})", share) : std::string(), below, below + multiple));
}

std::string couplings_hash(const std::vector<std::int8_t>& couplings) {
    Hasher hasher;
    hasher.add(couplings.data(), couplings.size());
    return hasher.hex();
}

void check_all_ferromagnetic(const std::string& path, const Disorder& disorder) {
    if (disorder.bonds.positive == disorder.count * disorder.dimension * disorder.sites()) return;
    throw InputError(
        path +
        ": a coupling of the ferromagnet is not +1, but multispin.lanes = sites needs only +1; set "
        "multispin.lanes to realizations, or use couplings that gen-disorder draws");
}

}  // namespace psflip
