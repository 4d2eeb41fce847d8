#pragma once

// Updates words of 24 temperatures, for loops on the CPU and for kernels. A word has the spins in bits 0 to
// 23 and the six bonds in bits 24 to 29. With s bits per temperature, a site has s words of 24 / s
// temperatures if s > 1, and all of them have the bonds.

#include <cmath>
#include <type_traits>

#include "bench/generators/generator_list.hpp"
#include "bench/generators/stream_set.hpp"
#include "bench/stateful/temperature_words.hpp"

namespace psflip {

template <TemperatureCoding Coding>
struct TemperatureSegments {
    static constexpr int bits = Coding == TemperatureCoding::amsc3   ? 3
                                : Coding == TemperatureCoding::amsc4 ? 4
                                                                     : 1;
    static constexpr int words = bits;  ///< of a site
    static constexpr int count = packed_temperatures / words;
    /// The lowest bit of each temperature.
    static constexpr std::uint32_t ones = bits == 3 ? 0x249249u : bits == 4 ? 0x111111u : 0xffffffu;
};

/// Holds the probabilities of flips. Index: (temperature, 2 u + (1 if s = +1), up to 16).
struct FlipTables {
    std::uint32_t threshold[packed_temperatures * 16];
    float probability[packed_temperatures * 16];
};
FlipTables flip_tables(const TemperatureWordsSetup& setup);

/// Holds the arguments of an update: pointers to the words of one realization and to the tables, which may be
/// in shared memory.
struct TemperatureLattice {
    std::uint32_t* words;  ///< (word of a site, site)
    const std::uint32_t* thresholds;
    const float *shared_table, *memory_table;
    float beta[packed_temperatures], field;
    std::uint32_t L;

    PSFLIP_HD std::uint32_t sites() const { return L * L * L; }
};

/// Returns site i of a colour. L must be a power of two.
PSFLIP_HD std::uint32_t site_of_colour(std::uint32_t L, std::uint32_t colour, std::uint32_t i) {
    const std::uint32_t x = 2 * (i % (L / 2)), y = i / (L / 2) % L, z = i / (L / 2 * L);
    return x + ((y ^ z ^ colour) & 1u) + L * (y + L * z);
}

/// Returns the sites at +x, -x, +y, -y, +z and -z.
struct SixSites {
    std::uint32_t at[6];
};
PSFLIP_HD SixSites six_neighbours(std::uint32_t L, std::uint32_t site) {
    const std::uint32_t A = L * L, x = site & (L - 1), y = site & (A - L), z = site & (A * L - A);
    return {{(site - x) | ((x + 1) & (L - 1)), (site - x) | ((x - 1) & (L - 1)),
             (site - y) | ((y + L) & (A - L)), (site - y) | ((y - L) & (A - L)),
             (site - z) | ((z + A) & (A * L - A)), (site - z) | ((z - A) & (A * L - A))}};
}

/// Returns 2 u + (1 if s = +1) of a temperature of a word, with `unsatisfied` bits of the six bonds.
template <TemperatureCoding Coding>
class ClassesOfWord {
  public:
    PSFLIP_HD ClassesOfWord(std::uint32_t spins, const std::uint32_t (&unsatisfied)[6]) {
        if constexpr (Coding == TemperatureCoding::amsc1) {
            spins_ = spins;
            PSFLIP_UNROLL
            for (int k = 0; k < 6; ++k) of_[k] = unsatisfied[k];
        } else if constexpr (Coding == TemperatureCoding::amsc3) {
            spins_ = spins;
            of_[0] = 0;
            PSFLIP_UNROLL
            for (int k = 0; k < 6; ++k) of_[0] += unsatisfied[k];
        } else {
            PSFLIP_UNROLL
            for (int b = 0; b < (Coding == TemperatureCoding::camsc ? 4 : 1); ++b) {
                of_[b] = 0;
                PSFLIP_UNROLL
                for (int k = 0; k < 6; ++k) of_[b] += unsatisfied[k] >> b & 0x111111u;
                of_[b] = 2 * of_[b] + (spins >> b & 0x111111u);
            }
        }
    }
    PSFLIP_HD std::uint32_t operator[](int j) const {
        if constexpr (Coding == TemperatureCoding::amsc1) {
            std::uint32_t sum = 0;
            PSFLIP_UNROLL
            for (int k = 0; k < 6; ++k) sum += of_[k] >> j & 1u;
            return 2 * sum + (spins_ >> j & 1u);
        } else if constexpr (Coding == TemperatureCoding::amsc3) {
            return 2 * (of_[0] >> 3 * j & 7u) + (spins_ >> 3 * j & 1u);
        } else if constexpr (Coding == TemperatureCoding::amsc4) {
            return of_[0] >> 4 * j & 15u;
        } else {
            return of_[j % 4] >> (j - j % 4) & 15u;
        }
    }

  private:
    std::uint32_t of_[6], spins_ = 0;
};

PSFLIP_HD float table_entry(const float* table, int index) {
#ifdef __CUDA_ARCH__
    return __ldg(table + index);
#else
    return table[index];
#endif
}

/// Returns the energy that the flip of a spin of class c = 2 u + (1 if s = +1) costs.
template <class Real>
PSFLIP_HD Real flip_cost(std::uint32_t c, Real field) {
    return 12 - 2 * static_cast<Real>(c & ~1u) + (c & 1u ? 2 * field : -2 * field);
}

/// Returns whether a spin of class c flips.
template <FlipProbability Probability>
PSFLIP_HD bool accepts(const TemperatureLattice& lattice, int temperature, std::uint32_t c,
                       std::uint32_t number) {
    const int index = temperature * 16 + static_cast<int>(c);
    if constexpr (Probability == FlipProbability::thresholds) {
        return number <= lattice.thresholds[index];
    } else {
        float p;
        if constexpr (Probability == FlipProbability::memory_table) {
            p = table_entry(lattice.memory_table, index);
        } else if constexpr (Probability == FlipProbability::shared_table) {
            p = lattice.shared_table[index];
        } else {
            const float cost = flip_cost(c, lattice.field);
#ifdef __CUDA_ARCH__
            p = Probability == FlipProbability::fast_exponential ? __expf(-lattice.beta[temperature] * cost)
                                                                 : expf(-lattice.beta[temperature] * cost);
#else
            p = std::exp(-lattice.beta[temperature] * cost);
#endif
        }
        return static_cast<float>(number) * 0x1p-32f < p;
    }
}

/// Updates a site at all temperatures, with 24 numbers in the order of temperatures.
template <TemperatureCoding Coding, FlipProbability Probability, class G>
PSFLIP_HD void update_temperatures(const TemperatureLattice& lattice, std::uint32_t site, G& numbers) {
    using Segments = TemperatureSegments<Coding>;
    std::uint32_t number[packed_temperatures];
    PSFLIP_UNROLL
    for (int first = 0; first < packed_temperatures; first += 4) {
        std::uint32_t four[4];
        next_numbers(numbers, four);
        for (int j = 0; j < 4; ++j) number[first + j] = four[j];
    }
    const SixSites near = six_neighbours(lattice.L, site);
    PSFLIP_UNROLL
    for (int w = 0; w < Segments::words; ++w) {
        std::uint32_t* const words = lattice.words + static_cast<std::size_t>(w) * lattice.sites();
        const std::uint32_t own = words[site], spins = own & Segments::ones;
        std::uint32_t unsatisfied[6], flips = 0;
        PSFLIP_UNROLL
        for (int k = 0; k < 6; ++k)
            unsatisfied[k] =
                (own ^ words[near.at[k]] ^ (own >> (24 + k) & 1u) * Segments::ones) & Segments::ones;
        const ClassesOfWord<Coding> classes(spins, unsatisfied);
        PSFLIP_UNROLL
        for (int j = 0; j < Segments::count; ++j) {
            const int temperature = w * Segments::count + j;
            flips |= static_cast<std::uint32_t>(
                         accepts<Probability>(lattice, temperature, classes[j], number[temperature]))
                     << j * Segments::bits;
        }
        words[site] = own ^ flips;
    }
}

/// Calls f with an arrangement as a constant.
template <class F>
void with_arrangement(LatticeArrangement arrangement, F f) {
    using A = LatticeArrangement;
    if (arrangement == A::unified) f(std::integral_constant<A, A::unified>{});
    if (arrangement == A::separated) f(std::integral_constant<A, A::separated>{});
    if (arrangement == A::shuffled) f(std::integral_constant<A, A::shuffled>{});
}

/// Loads a word and its six neighbours, and stores their exclusive or. i counts the words of a colour, or of
/// an array of two shuffled lattices. `words` has 2 L^3 words for shuffled lattices and L^3 words otherwise.
template <LatticeArrangement Arrangement>
PSFLIP_HD void load_six(std::uint32_t* words, std::uint32_t L, std::uint32_t colour, std::uint32_t i) {
    const std::uint32_t half = L * L * L / 2;
    std::uint32_t place, sum, at[6];
    if constexpr (Arrangement == LatticeArrangement::separated) {
        const std::uint32_t h = L / 2, A = h * L, x = i & (h - 1), y = i & (A - h), z = i & (A * L - A);
        const std::uint32_t shift = (i / h ^ i / A ^ colour) & 1u, other = (1 - colour) * half;
        const std::uint32_t near[6] = {
            (i - x) | ((x + shift) & (h - 1)), (i - x) | ((x - 1 + shift) & (h - 1)),
            (i - y) | ((y + h) & (A - h)),     (i - y) | ((y - h) & (A - h)),
            (i - z) | ((z + A) & (A * L - A)), (i - z) | ((z - A) & (A * L - A))};
        place = colour * half + i;
        PSFLIP_UNROLL
        for (int k = 0; k < 6; ++k) at[k] = other + near[k];
    } else {
        constexpr bool shuffled = Arrangement == LatticeArrangement::shuffled;
        const std::uint32_t site = shuffled ? i : site_of_colour(L, colour, i);
        const SixSites near = six_neighbours(L, site);
        place = site + (shuffled ? colour * 2 * half : 0);
        PSFLIP_UNROLL
        for (int k = 0; k < 6; ++k) at[k] = near.at[k] + (shuffled ? (1 - colour) * 2 * half : 0);
    }
    sum = words[place];
    PSFLIP_UNROLL
    for (int k = 0; k < 6; ++k) sum ^= words[at[k]];
    words[place] = sum;
}

/// Calls f(listed, coding, probability) with constants for the setup. Returns false for other generators, and
/// for codings other than amsc1 with other probabilities than thresholds.
template <class F>
bool with_temperature_case(const TemperatureWordsSetup& setup, F&& f) {
    using C = TemperatureCoding;
    using P = FlipProbability;
    bool found = false;
    const auto of = [&]<C Coding, P Probability>(auto listed) {
        if (setup.coding != Coding || setup.probability != Probability) return;
        found = true;
        f(listed, std::integral_constant<C, Coding>{}, std::integral_constant<P, Probability>{});
    };
    with_generator(setup.generator, [&](auto listed) {
        using G = typename decltype(listed)::G;
        if constexpr (listed.counter_based || std::is_same_v<G, Lcg32> || std::is_same_v<G, Xorwow>) {
            if (listed.in_sequence) return;
            of.template operator()<C::amsc1, P::exponential>(listed);
            of.template operator()<C::amsc1, P::fast_exponential>(listed);
            of.template operator()<C::amsc1, P::memory_table>(listed);
            of.template operator()<C::amsc1, P::shared_table>(listed);
            of.template operator()<C::amsc1, P::thresholds>(listed);
            of.template operator()<C::amsc3, P::thresholds>(listed);
            of.template operator()<C::amsc4, P::thresholds>(listed);
            of.template operator()<C::camsc, P::thresholds>(listed);
        }
    });
    return found;
}

/// Returns the number of streams of a realization, which is the number of threads of a block.
inline std::uint32_t temperature_streams(const TemperatureWordsSetup& setup) {
    const auto colour = static_cast<std::uint32_t>(setup.sites() / 2);
    return colour < 256 ? colour : 256;
}
/// Returns the numbers that each stream gives in a colour.
inline std::uint64_t numbers_of_colour(const TemperatureWordsSetup& setup) {
    return setup.sites() / 2 / temperature_streams(setup) * packed_temperatures;
}

/// Returns the first words of TemperatureWords::loaded, 2 L^3 for each realization.
std::vector<std::uint32_t> words_of_loads(const TemperatureWordsSetup& setup);

/// Return the words of all realizations in a coding, (realization, word of a site, site), and back.
std::vector<std::uint32_t> coded_words(const TemperatureWordsSetup& setup);
std::vector<std::uint32_t> decoded_words(const TemperatureWordsSetup& setup,
                                         const std::vector<std::uint32_t>& coded);

}  // namespace psflip
