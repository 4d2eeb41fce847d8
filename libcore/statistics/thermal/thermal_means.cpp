#include "statistics/thermal/thermal_means.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "base/numbers.hpp"
#include "statistics/block_errors.hpp"
#include "statistics/jackknife.hpp"
#include "statistics/student.hpp"

namespace psflip {

namespace {

/// Sums over blocks of an energy with the mean of E, for each pair or replica. This is E itself (`own`), or
/// with three or more replicas the E of the other replicas. All derivatives use the same sums.
struct SlopeEnergies {
    Per per = Per::walker;
    BlockSeries sums;
    bool own = true;
};

/// Describes one temperature and realization, with 2^level blocks merged into one.
struct Place {
    ThermalMeans& means;
    const BlockReader& reader;
    std::int64_t i;
    int level;
    SlopeEnergies& slope_energies;

    const RunSums& run() const { return reader.run(); }
    double beta() const { return 1.0 / run().temperature[i / run().realizations]; }
    const std::vector<double>& count() const { return reader.count(level); }
    std::vector<double> merged(const std::vector<double>& sums) const { return merge_blocks(sums, level); }
    std::vector<double> sums(Sum sum, int component) const { return merged(reader.sums(sum, component, i)); }
    /// Returns the degrees of freedom of a jackknife over blocks.
    int dof() const {
        return static_cast<int>(std::ranges::count_if(count(), [](double n) { return n > 0.0; })) - 1;
    }
    /// Stores mean and error; the error gets Student's factor.
    void set(Observable observable, double mean, double error, int dof) const {
        means.mean[observable][i] = mean;
        means.error[observable][i] = error * student_factor(dof);
    }
    void set(Observable observable, const Estimate& estimate) const {
        set(observable, estimate.value, estimate.error, dof());
    }
};

/// Returns the product of means of distinct replicas. `e` has one mean per replica.
double distinct_product(std::span<const double> e) {
    double sum = 0.0, squares = 0.0;
    for (double x : e) {
        sum += x;
        squares += x * x;
    }
    const double n = static_cast<double>(e.size());
    return (sum * sum - squares) / (n * (n - 1.0));
}

/// Returns the mean of x_ab y_cd over disjoint pairs of replicas, for four replicas or more. The order of
/// pairs is 01, 02, ..., 12, ...
double disjoint_product(std::span<const double> x, std::span<const double> y, int replicas) {
    const std::vector<std::pair<int, int>> pairs = replica_pairs(replicas);
    double sum = 0.0, n = 0.0;
    for (std::size_t i = 0; i < pairs.size(); ++i)
        for (std::size_t j = 0; j < pairs.size(); ++j) {
            const auto [a, b] = pairs[i];
            const auto [c, d] = pairs[j];
            if (a == c || a == d || b == c || b == d) continue;
            sum += x[i] * y[j];
            n += 1.0;
        }
    return sum / n;
}

/// Computes the jackknife over blocks of functions of the means of several series.
std::vector<Estimate> block_jackknife(const Place& place, const BlockSeries& series, int results,
                                      const Statistic& function) {
    std::vector<double> samples, weights;
    for (std::size_t b = 0; b < place.count().size(); ++b) {
        if (place.count()[b] == 0.0) continue;
        for (const std::vector<double>& sums : series) samples.push_back(sums[b]);
        weights.push_back(place.count()[b]);
    }
    return jackknife(samples, std::ssize(weights), static_cast<int>(series.size()), results, function,
                     weights);
}

/// Returns <x>^2 and factor (<x^2> - <x>^2) for component `part` of each replica, by the jackknife. With one
/// replica the bias of <x>^2, which is the variance of the mean, is subtracted as a constant. Correlated
/// replicas count as one: their average is the series.
std::vector<Estimate> fluctuation(const Place& place, Sum x, Sum x2, int part, double factor) {
    const int replicas = place.run().replicas;
    BlockSeries series;
    std::vector<double> squares(place.count().size(), 0.0);
    for (int a = 0; a < replicas; ++a) {
        const int component = a * parts_of(info(x).per) + part;
        series.push_back(place.sums(x, component));
        const std::vector<double> square = place.sums(x2, component);
        for (std::size_t b = 0; b < squares.size(); ++b) squares[b] += square[b] / replicas;
    }
    if (place.run().correlated_replicas) series = {place.merged(place.reader.average(x, place.i))};
    const std::size_t number = series.size();
    const double variance = block_mean(place.count(), series.front()).variance,
                 bias = std::isnan(variance) ? 0.0 : variance;
    series.push_back(squares);
    return block_jackknife(place, series, 2, [&](std::span<const double> m, std::span<double> result) {
        result[0] = number > 1 ? distinct_product(m.first(number)) : m[0] * m[0] - bias;
        result[1] = factor * (m[number] - result[0]);
    });
}

/// Returns the covariance of the means of two series, averaged over pairs. Returns 0 for a single block,
/// because its covariance is not known.
double covariance_of_means(const Place& place, Sum x, Sum y) {
    const std::vector<double> a = place.merged(place.reader.average(x, place.i));
    const std::vector<double> b = place.merged(place.reader.average(y, place.i));
    std::vector<double> sum(a), difference(a);
    for (std::size_t k = 0; k < a.size(); ++k) {
        sum[k] += b[k];
        difference[k] -= b[k];
    }
    const double covariance =
        (block_mean(place.count(), sum).variance - block_mean(place.count(), difference).variance) / 4.0;
    return a.size() > 1 ? covariance : 0.0;
}

/// Sets <x><y> of two series of replica pairs, by the jackknife over blocks. With fewer than four replicas,
/// or correlated replicas, the covariance of the means is subtracted as a constant.
void set_product(const Place& place, Observable product) {
    const Sum x = product->formula.sum, y = product->formula.other;
    const int pairs = place.run().pairs(), replicas = place.run().replicas;
    BlockSeries series;
    for (Sum sum : {x, y})
        for (int pair = 0; pair < pairs; ++pair) series.push_back(place.sums(sum, pair));
    const bool disjoint = replicas > 3 && !place.run().correlated_replicas;
    const double bias = disjoint ? 0.0 : covariance_of_means(place, x, y);
    const auto mean = [](std::span<const double> m) {
        return std::accumulate(m.begin(), m.end(), 0.0) / static_cast<double>(m.size());
    };
    const auto function = [&](std::span<const double> m, std::span<double> result) {
        const auto first = m.first(pairs), second = m.last(pairs);
        result[0] = disjoint ? disjoint_product(first, second, replicas) : mean(first) * mean(second) - bias;
    };
    place.set(product, block_jackknife(place, series, 1, function).front());
}

/// Returns the autocorrelation time of x, whose squares are x2, from sums over replicas or pairs.
double tau_of(const Place& place, Sum x, Sum x2) {
    double variance = 0.0, single = 0.0;
    for (int c = 0; c < place.run().components(x); ++c) {
        const BlockMean mean = block_mean(place.count(), place.sums(x, c));
        const BlockMean square = block_mean(place.count(), place.sums(x2, c));
        variance += mean.variance;
        single += single_variance(mean.mean, square.mean, mean.variance);
    }
    const double interval = place.reader.sweeps() / place.reader.total();  // between measurements
    return interval * integrated_time(variance, single, place.reader.total());
}

/// Returns the length of blocks for the mean of a quantity with a sign.
BlockLength signed_length(const Place& place, Observable observable) {
    BlockLength blocks{place.level, true};
    const auto lengthen = [&](Sum x, Sum x2, int part) {
        const BlockLength length = place.reader.signed_length(x, x2, part, place.i);
        blocks.level = std::max(blocks.level, length.level);
        blocks.long_enough = blocks.long_enough && length.long_enough;
    };
    const Formula& formula = observable->formula;
    if (observable == "m" && place.run().measured.vectors()) {  // z component of both sublattices
        for (const int direction : {even_direction, odd_direction})
            lengthen(Sum::directions, Sum::directions2, direction + 2);
    } else {
        lengthen(formula.memory, formula.square, formula.memory_part);
    }
    return blocks;
}

/// Sets the mean over independent series: replicas, or the average over pairs.
void set_mean(const Place& place, Observable observable) {
    double mean = 0.0, variance = 0.0;
    int dof = 0;
    const BlockSeries series = place.reader.independent(observable, place.i);
    if (series.empty()) return;
    const auto number = static_cast<double>(series.size());
    for (const std::vector<double>& sums : series) {
        const BlockMean one = block_mean(place.count(), place.merged(sums));
        mean += one.mean / number;
        variance += one.variance;
        dof += one.dof;
    }
    place.set(observable, mean, std::sqrt(variance) / number, dof);
}

/// Sets the mean of a quantity with a sign.
void set_signed(Place place, Observable observable) {
    const BlockLength length = signed_length(place, observable);
    place.level = length.level;
    set_mean(place, observable);
    if (!length.long_enough) place.means.error[observable][place.i] = nan_value;
}

/// Sets the susceptibility of one of `directions`.
void set_susceptibility(Place place, Observable chi) {
    const BlockLength length = signed_length(place, chi);
    place.level = length.level;
    Estimate found = fluctuation(place, Sum::directions, Sum::directions2, chi->formula.part,
                                 place.beta() * place.run().sites())[1];
    if (!length.long_enough) found.error = nan_value;
    if (!length.long_enough && place.run().replicas == 1) {
        place.means.withheld[place.i] = 1;
        found.value = nan_value;
    }
    place.set(chi, found);
}

/// Returns factor times the energies, of all sites, of some replicas.
std::vector<double> energies(const Place& place, const std::vector<int>& replicas, double factor) {
    std::vector<double> all(place.count().size(), 0.0);
    for (int replica : replicas) {
        const std::vector<double> one = place.sums(Sum::energy, replica);
        for (std::size_t b = 0; b < all.size(); ++b) all[b] += factor * place.run().sites() * one[b];
    }
    return all;
}

SlopeEnergies slope_energies(const Place& place, Per per) {
    const int replicas = place.run().replicas;
    SlopeEnergies result{per, {}, per == Per::replica || replicas == 2 || place.run().correlated_replicas};
    if (per == Per::replica) {
        for (int a = 0; a < replicas; ++a) result.sums.push_back(energies(place, {a}, 1.0));
        return result;
    }
    for (const auto& [first, second] : replica_pairs(replicas)) {
        if (result.own) {
            result.sums.push_back(energies(place, {first, second}, 1.0));
            continue;
        }
        std::vector<int> others;
        for (int a = 0; a < replicas; ++a)
            if (a != first && a != second) others.push_back(a);
        result.sums.push_back(energies(place, others, 2.0 / static_cast<double>(others.size())));
    }
    return result;
}

/// Sets d<O>/d beta = -(<O E> - <O><E>), the mean over pairs or replicas. O and O E are the sums of the
/// formula. The error is from the block means of O E - O <E> - <O> E.
/// - With three or more independent replicas, <E> of a pair is the mean of the other replicas, without bias.
/// The
///   noise of these means cancels between pairs. With 4 replicas and L = 6, the scatter over realizations is
///   as small as with the energies of the pair.
/// - Otherwise <O><E> is the product of the means minus their covariance by long_covariance. With a single
///   block nothing is subtracted.
void set_slope(const Place& place, Observable slope) {
    const Formula& formula = slope->formula;
    const Per per = info(formula.sum).per;
    if (place.slope_energies.per != per) place.slope_energies = slope_energies(place, per);
    const std::vector<double>& count = place.count();
    const int components = place.run().components(formula.sum);
    std::vector<double> deviations(count.size(), 0.0);
    double value = 0.0;
    for (int c = 0; c < components; ++c) {
        const std::vector<double> product = place.sums(formula.other, c), moment = place.sums(formula.sum, c);
        const std::vector<double>& energy = place.slope_energies.sums[c];
        const double O = block_mean(count, moment).mean, E = block_mean(count, energy).mean;
        const double bias =
            place.slope_energies.own && count.size() > 1 ? long_covariance(count, moment, energy) : 0.0;
        value -= (block_mean(count, product).mean - O * E + bias) / components;
        for (std::size_t b = 0; b < count.size(); ++b)
            deviations[b] += (product[b] - moment[b] * E - O * energy[b]) / components;
    }
    place.set(slope, {value, std::sqrt(block_mean(count, deviations).variance)});
}

/// Sets an observable that needs special code. specific_heat also sets energy_product.
void set_special(const Place& place, Observable observable) {
    if (observable == "specific_heat") {
        const auto found = fluctuation(place, Sum::energy, Sum::energy2, 0,
                                       place.beta() * place.beta() * place.run().sites());
        place.set("energy_product", found[0]);
        place.set("specific_heat", found[1]);
    }
    if (observable == "m_abs_product")
        place.set("m_abs_product",
                  fluctuation(place, Sum::magnetisation_abs, Sum::magnetisation2, 0, 0.0).front());
    if (observable == "energy_bond") set_mean(place, observable);
}

/// Sets the covariances of the means of shared_pairs.
void set_covariances(const Place& place) {
    for (int p = 0; p < n_shared_pairs; ++p) {
        if (place.means.covariance[p].empty()) continue;
        const BlockSeries first = place.reader.independent(shared_pairs[p].first, place.i),
                          second = place.reader.independent(shared_pairs[p].second, place.i);
        const auto number = static_cast<double>(first.size());
        const double factor = student_factor(number * place.dof());
        double sum = 0.0;
        for (std::size_t k = 0; k < first.size(); ++k)
            sum += block_covariance(place.count(), place.merged(first[k]), place.merged(second[k]));
        place.means.covariance[p][place.i] = factor * factor * sum / (number * number);
    }
}

void set_observable(const Place& place, Observable observable) {
    switch (observable->formula.how) {
        case How::mean:
            return set_mean(place, observable);
        case How::signed_mean:
            return set_signed(place, observable);
        case How::pair_product:
            return set_product(place, observable);
        case How::susceptibility:
            return set_susceptibility(place, observable);
        case How::slope:
            return set_slope(place, observable);
        case How::special:
            return set_special(place, observable);
    }
}

/// Sets all numbers at index i of (temperature, realization).
void set_place(ThermalMeans& means, const BlockReader& reader, std::int64_t i) {
    const RunSums& run = reader.run();
    const std::int64_t r = i % run.realizations;
    const BlockLength length = reader.block_length(static_cast<int>(i / run.realizations), r, r + 1);
    SlopeEnergies slope_energies;
    const Place place{means, reader, i, length.level, slope_energies};
    for (const ObservableInfo& row : observable_table)
        if (row.of(run.measured) && (row.formula.how == How::special || run.components(row.formula.sum) > 0))
            set_observable(place, Observable(row));
    set_covariances(place);
    means.tau_energy[i] = tau_of(place, Sum::energy, Sum::energy2);
    const OrderParameter order = order_parameter(run.measured);
    if (run.components(order.square) > 0 && info(order.square).of(run.measured))
        means.tau_order[i] = tau_of(place, order.square, order.fourth);
    means.blocks[i] = static_cast<std::int32_t>(place.count().size());
    means.too_short[i] = length.long_enough ? 0 : 1;
}

}  // namespace

ThermalMeans thermal_means(const BlockReader& reader, ThreadPool& pool) {
    const RunSums& run = reader.run();
    ThermalMeans means;
    for (int o = 0; o < n_observables; ++o)
        means.mean[o] = means.error[o] = std::vector<double>(run.row(), nan_value);
    for (int p = 0; p < n_shared_pairs && run.realizations == 1; ++p)
        if (shared_pairs[p].first->of(run.measured) && shared_pairs[p].second->of(run.measured) &&
            !reader.independent(shared_pairs[p].first, 0).empty())
            means.covariance[p].assign(run.row(), nan_value);
    means.tau_energy = means.tau_order = std::vector<double>(run.row(), nan_value);
    means.blocks.assign(run.row(), 0);
    means.too_short.assign(run.row(), 0);
    means.withheld.assign(run.row(), 0);
    share_out(pool, run.row(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) set_place(means, reader, i);
    });
    return means;
}

}  // namespace psflip
