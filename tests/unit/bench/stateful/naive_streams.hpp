#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../one_thread.hpp"
#include "bench/generators/generator_list.hpp"
#include "bench/stateful/sweep_streams.hpp"
#include "random/philox.hpp"
#include "random/purposes.hpp"
#include "sweep/ensemble.hpp"

using psflip::test::one_thread;

/// Makes the streams of a generator as plain functions, each with separate memory, for the naive references
/// of this folder.
struct NaiveStreams {
    /// Returns the next number. Only Philox uses the place of the number.
    using Stream = std::function<std::uint32_t(const psflip::NumberPlace&)>;
    std::vector<Stream> streams;
    std::uint64_t range = 0;

    NaiveStreams(const std::string& generator, std::size_t count, std::uint64_t seed) {
        psflip::with_generator(generator, [&](auto listed) {
            using G = typename decltype(listed)::G;
            range = G::range;
            for (std::size_t t = 0; t < count; ++t) streams.push_back(stream_of(listed, t, count, seed));
        });
    }

    /// Returns whether a flip that costs dE > 0 is accepted.
    bool accepts(std::uint32_t number, double beta, int dE) const {
        return number < std::round(static_cast<double>(range) * std::exp(-beta * dE));
    }

  private:
    template <class Listed>
    static Stream stream_of(const Listed& listed, std::size_t t, std::size_t count, std::uint64_t seed) {
        using G = typename Listed::G;
        if constexpr (Listed::counter_based) {
            return [](const psflip::NumberPlace& of) {
                const auto counter = psflip::make_counter(psflip::Purpose::metropolis, of.site, of.sweep, 0,
                                                          of.replica, 0, of.pack);
                return psflip::philox<G::rounds>(counter, of.seed).word[0];
            };
        } else {
            auto memory = std::make_shared<std::vector<std::uint32_t>>(G::words);
            const psflip::StreamWords words{memory->data(), 1};
            // In a shared sequence, a stream draws all numbers and takes one of `count`.
            G::seed(words, listed.in_sequence ? seed : psflip::stream_seed(seed, t));
            auto numbers = std::make_shared<G>(words, 0);
            if (!listed.in_sequence)
                return [memory, numbers](const psflip::NumberPlace&) { return numbers->next(); };
            for (std::size_t i = 0; i < t; ++i) numbers->next();
            return [numbers, count](const psflip::NumberPlace&) {
                const std::uint32_t number = numbers->next();
                for (std::size_t i = 1; i < count; ++i) numbers->next();
                return number;
            };
        }
    }
};

/// Returns the names of all generators.
inline std::vector<std::string> all_generators() {
    std::vector<std::string> keys;
    psflip::for_each_generator([&](auto listed) { keys.emplace_back(listed.key); });
    return keys;
}

/// Returns layouts for a phase of `sites` sites: one stream, five streams, or one stream per site. Rings have
/// several streams and widths.
inline std::vector<psflip::StreamLayout> layouts_of(const std::string& generator, std::uint32_t sites) {
    std::vector<psflip::StreamLayout> layouts{{1, 1}, {5, 1}, {sites, 1}};
    psflip::with_generator(generator, [&](auto listed) {
        if (listed.ring) layouts = {{1, 1}, {1, 7}, {3, 5}, {2, sites / 2}, {1, 353}};
    });
    return layouts;
}
