#include "statistics/reduce/jackknife_samples.hpp"

#include <fmt/format.h>

#include "io/schema.hpp"

namespace psflip {

void write_jackknife_samples(OutputFile& file, const std::vector<DisorderSample>& samples) {
    const std::vector<int> groups = groups_of(samples);
    const auto n = static_cast<std::int64_t>(groups.size());
    file.write(schema::jackknife_groups, {n}, std::vector<std::int32_t>(groups.begin(), groups.end()));
    for (const Average average : averages_of(samples.front().measured)) {
        for (const ResampledCurve& curve : resampled_curves(samples, average)) {
            std::vector<double> rows;
            for (const std::vector<double>& left_out : curve.left_out)
                rows.insert(rows.end(), left_out.begin(), left_out.end());
            const auto temperatures = static_cast<std::int64_t>(curve.temperature.size());
            file.write(fmt::format("/L{}/{}/{}", curve.L, schema::jackknife, average_name(average)),
                       {n, temperatures}, rows);
        }
    }
}

}  // namespace psflip
