#pragma once

// Assigns streams of random numbers to the sites of a sweep, for loops and kernels.

#include <cmath>
#include <cstdint>

#include "base/error.hpp"
#include "bench/generators/generator_list.hpp"
#include "bench/generators/stream_set.hpp"
#include "random/purposes.hpp"

namespace psflip {

/// Assigns the sites of a phase to streams. In round i, a stream updates the sites (stream + i * streams) *
/// width + k with k = 0 to width - 1. For packed spins, replace sites by words of sites. A stream belongs to
/// one thread (width 1, sites t, t + T, ...), or is the ring of a block of `width` threads. A round takes
/// `width` numbers for every replica (for packed spins, for every bit), even if the last threads have no
/// site. Their order is (replica or bit, thread).
struct StreamLayout {
    std::uint32_t streams = 1;
    std::uint32_t width = 1;

    /// Returns the number of rounds of a stream in a phase of `sites` sites.
    PSFLIP_HD std::uint64_t rounds(std::uint32_t stream, std::uint32_t sites) const {
        const std::uint64_t first = static_cast<std::uint64_t>(stream) * width,
                            step = static_cast<std::uint64_t>(streams) * width;
        return first >= sites ? 0 : (sites - first + step - 1) / step;
    }
    PSFLIP_HD std::uint32_t first_site(std::uint32_t stream) const { return stream * width; }
    PSFLIP_HD std::uint32_t step() const { return streams * width; }
};

/// Counts the numbers that streams gave before a phase. The first streams have one round more per phase than
/// the others. The host computes these counts once per launch, because in a thread the divisions would cost
/// more than the flips of a word.
struct NumbersBefore {
    std::uint64_t more = 0, fewer = 0;
    std::uint32_t fewer_from = 0;  ///< first stream that gave fewer numbers

    PSFLIP_HD std::uint64_t of(std::uint32_t stream) const { return stream < fewer_from ? more : fewer; }
};
/// Returns how many numbers streams give in `phases` phases of `sites` sites, if a site takes `numbers`
/// numbers.
inline NumbersBefore numbers_before(const StreamLayout& layout, std::uint32_t sites, std::uint64_t phases,
                                    std::uint64_t numbers) {
    const std::uint64_t step = static_cast<std::uint64_t>(layout.streams) * layout.width, full = sites / step,
                        rest = sites % step, of_round = phases * layout.width * numbers;
    return {(full + 1) * of_round, full * of_round,
            static_cast<std::uint32_t>((rest + layout.width - 1) / layout.width)};
}

/// Describes one phase of one sweep: `index` is the number of the phase in the sweep.
struct SweepPhase {
    std::uint64_t sweep;
    std::uint32_t index;
    NumbersBefore drawn;
};

/// Names the use of a random number in a sweep. psflip's counters depend on it.
struct NumberPlace {
    std::uint64_t seed;
    std::uint64_t sweep;
    std::uint32_t site, replica, pack;
};

/// Returns the next number of a stream.
template <class G>
PSFLIP_HD std::uint32_t draw(G& stream, const NumberPlace&) {
    return stream.next();
}
/// Returns psflip's number of purpose metropolis for temperature slot 0.
template <int Rounds>
PSFLIP_HD std::uint32_t draw(PhiloxOfRounds<Rounds>&, const NumberPlace& of) {
    return philox<Rounds>(make_counter(Purpose::metropolis, of.site, of.sweep, 0, of.replica, 0, of.pack),
                          of.seed)
        .word[0];
}
/// Draws the numbers of the N sites of.site, of.site + 2, ...
template <int N, class G>
PSFLIP_HD void draw(G& stream, NumberPlace of, std::uint32_t (&number)[N]) {
    if constexpr (requires { G::rounds; })
        for (int j = 0; j < N; ++j, of.site += 2) number[j] = draw(stream, of);
    else
        next_numbers(stream, number);
}

/// Holds the Metropolis thresholds round(range exp(-beta dE)) for dE = 4, 8, 12, at most 2^32 - 1, for a
/// generator with numbers below range. A flip with dE > 0 is accepted if number < threshold.
struct RangeThresholds {
    std::uint32_t c4 = 0, c8 = 0, c12 = 0;
};
inline RangeThresholds range_thresholds(std::uint64_t range, double beta) {
    const auto threshold = [&](double dE) {
        const double scaled = std::round(static_cast<double>(range) * std::exp(-beta * dE));
        return scaled >= 4294967295.0 ? 0xFFFFFFFFu : static_cast<std::uint32_t>(scaled);
    };
    return {threshold(4), threshold(8), threshold(12)};
}

/// Checks that streams can share phases of `sites` sites. Errors: InputError that names the possible values.
void check_layout(const StreamLayout& layout, std::string_view generator, std::uint32_t sites);

/// Returns the usual layout for phases of `units` units, which are sites or words of packed spins. `numbers`
/// is the number of random numbers per unit: 1, or 32 for packed spins.
/// - On the CPU, a lattice has one stream.
/// - On a device, every unit has a stream. Because MT19937 has a large state, eight sites (but one packed
///   word) share one of its streams.
/// - On a device, a ring has 128 threads (Weigel's blocks) and serves 128 units.
StreamLayout usual_layout(std::string_view generator, std::uint32_t units, bool device, int numbers = 1);

}  // namespace psflip
