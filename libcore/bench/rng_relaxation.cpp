#include "bench/rng_relaxation.hpp"

#include <cmath>

#include "base/error.hpp"
#include "bench/rng_timings.hpp"

namespace psflip {
namespace {

struct MeanWithError {
    double mean, error;
};

/// Returns mean and error of f over `values`, (anything, word, realization), with words as independent
/// samples.
template <class F>
MeanWithError mean_over_words(const std::vector<std::int32_t>& values, int words, const F& f) {
    std::vector<double> of_word(static_cast<std::size_t>(words));
    const double each = static_cast<double>(values.size()) / words;
    for (std::size_t i = 0; i < values.size(); ++i) of_word[i / 32 % of_word.size()] += f(values[i]) / each;
    double mean = 0.0, squares = 0.0;
    for (const double value : of_word) mean += value / words;
    for (const double value : of_word) squares += (value - mean) * (value - mean);
    return {mean, std::sqrt(squares / (words - 1) / words)};
}

}  // namespace

BenchRow glass_relaxation(const BackendChoice& choice, const GlassSetup& setup, int sweeps) {
    if (setup.words < 2 || setup.replicas < 2)
        throw InputError(
            "a relaxation needs two words for its errors and two replicas for its overlaps; raise --copies");
    const auto glass = make_glass(choice, setup);
    const auto sites = static_cast<double>(setup.shape().sites());
    std::vector<double> lists[5];  // t, e, e_error, chi, chi_error
    int done = 0;
    for (int t = 1; t <= sweeps; t *= 2) {
        glass->sweep(t - done);
        done = t;
        const MeanWithError e =
            mean_over_words(glass->energies(), setup.words, [&](double energy) { return energy / sites; });
        const MeanWithError chi =
            mean_over_words(glass->overlaps(), setup.words, [&](double q) { return q * q / sites; });
        const double found[] = {static_cast<double>(t), e.mean, e.error, chi.mean, chi.error};
        for (int i = 0; i < 5; ++i) lists[i].push_back(found[i]);
        if (t > sweeps / 2) break;
    }
    BenchRow row = glass_row("glass relaxation", setup, glass->device());
    const char* names[] = {"t", "e", "e_error", "chi", "chi_error"};
    for (int i = 0; i < 5; ++i) row.add(names[i], lists[i]);
    return row;
}

}  // namespace psflip
