#pragma once

#include <cmath>
#include <cstdint>

#include "base/error.hpp"
#include "bench/generators/generator_list.hpp"
#include "bench/generators/stream_set.hpp"
#include "random/purposes.hpp"

namespace psflip {

/// Which sites of a phase a stream updates: in round i those at (stream + i streams) width + k, k = 0 ..
/// width - 1 (of packed spins: words of sites). A stream is that of one thread (width 1, sites t, t + T,
/// ...), or the ring of a block of `width` threads that draw side by side. A round takes `width` numbers for
/// every replica (of packed spins: for every bit of a word), in order of replica or bit and thread, also
/// where the last ones have no site.
struct StreamLayout {
    std::uint32_t streams = 1;
    std::uint32_t width = 1;

    /// Rounds of a stream in a phase of so many sites.
    PSFLIP_HD std::uint64_t rounds(std::uint32_t stream, std::uint32_t sites) const {
        const std::uint64_t first = static_cast<std::uint64_t>(stream) * width,
                            step = static_cast<std::uint64_t>(streams) * width;
        return first >= sites ? 0 : (sites - first + step - 1) / step;
    }
    PSFLIP_HD std::uint32_t first_site(std::uint32_t stream) const { return stream * width; }
    PSFLIP_HD std::uint32_t step() const { return streams * width; }
};

/// Numbers that streams have given before a phase: the first streams have had a round more in every phase
/// than the others. Made once for a launch, as divisions cost a thread more than the flips of a word.
struct NumbersBefore {
    std::uint64_t more = 0, fewer = 0;
    std::uint32_t fewer_from = 0;  ///< the first stream with fewer

    PSFLIP_HD std::uint64_t of(std::uint32_t stream) const { return stream < fewer_from ? more : fewer; }
};
/// After `phases` phases of `sites` each, with `numbers` for every thread and site.
inline NumbersBefore numbers_before(const StreamLayout& layout, std::uint32_t sites, std::uint64_t phases,
                                    std::uint64_t numbers) {
    const std::uint64_t step = static_cast<std::uint64_t>(layout.streams) * layout.width, full = sites / step,
                        rest = sites % step, of_round = phases * layout.width * numbers;
    return {(full + 1) * of_round, full * of_round,
            static_cast<std::uint32_t>((rest + layout.width - 1) / layout.width)};
}

/// One phase of one sweep.
struct SweepPhase {
    std::uint64_t sweep;
    std::uint32_t index;
    NumbersBefore drawn;
};

/// What a random number of a sweep is for; those of psflip's counters depend on it alone.
struct NumberPlace {
    std::uint64_t seed;
    std::uint64_t sweep;
    std::uint32_t site, replica, pack;
};

/// The next number of a stream.
template <class G>
PSFLIP_HD std::uint32_t draw(G& stream, const NumberPlace&) {
    return stream.next();
}
/// psflip's number of purpose metropolis, of temperature slot 0.
PSFLIP_HD std::uint32_t draw(PhiloxStream&, const NumberPlace& of) {
    return philox(make_counter(Purpose::metropolis, of.site, of.sweep, 0, of.replica, 0, of.pack), of.seed)
        .word[0];
}
/// Those of the sites of.site, of.site + 2, ...
template <int N, class G>
PSFLIP_HD void draw(G& stream, NumberPlace of, std::uint32_t (&number)[N]) {
    if constexpr (std::is_same_v<G, PhiloxStream>)
        for (int j = 0; j < N; ++j, of.site += 2) number[j] = draw(stream, of);
    else
        next_numbers(stream, number);
}

/// Metropolis thresholds round(range exp(-beta dE)) of a generator whose numbers are below its range, dE = 4,
/// 8, 12: a flip that costs dE > 0 is accepted iff number < threshold. At most 2^32 - 1.
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

/// InputError where phases of `sites` cannot be shared out so, with what would be right.
void check_layout(const StreamLayout& layout, std::string_view generator, std::uint32_t sites);

/// What is usual: on the CPU one stream for a lattice. On a device a stream for every site of a phase, of
/// MT19937, whose states are large, one for eight sites; rings of 128 threads (Weigel's blocks), one for 128
/// sites. Of packed spins a stream for every word: it gives `numbers` of a unit, 32.
StreamLayout usual_layout(std::string_view generator, std::uint32_t units, bool device, int numbers = 1);

}  // namespace psflip
