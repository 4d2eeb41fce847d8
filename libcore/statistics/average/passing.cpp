#include "statistics/average/passing.hpp"

#include "base/numbers.hpp"

namespace psflip {

namespace {

/// The rows (temperature) of the realizations that are equilibrated.
std::vector<double> passing_rows(const std::vector<double>& values,
                                 const std::vector<std::uint8_t>& equilibrated, std::int64_t temperatures) {
    std::vector<double> rows;
    for (std::size_t r = 0; r < equilibrated.size(); ++r) {
        const auto row = values.begin() + static_cast<std::int64_t>(r) * temperatures;
        if (equilibrated[r]) rows.insert(rows.end(), row, row + temperatures);
    }
    return rows;
}

}  // namespace

AverageTable passing_averages(const SizeResults& size) {
    const int temperatures = size.sample.temperatures();
    if (size.passing.realizations < 2)
        return AverageTable(n_averages, AverageCurve(temperatures, {nan_value, nan_value}));
    DisorderSample sample = size.passing;
    for (const ObservableInfo& row : observable_table) {
        const auto o = static_cast<int>(row.observable);
        if (row.of(sample.measured))
            sample.values[o] = passing_rows(size.sample.values[o], size.equilibrated, temperatures);
    }
    return disorder_averages(sample);
}

}  // namespace psflip
