#include "statistics/reduce/older_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/regular_file.hpp"
#include "io/older_file.hpp"

namespace psflip {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 26;

/// What is lost with the row of one size and temperature; empty: nothing.
std::string loss_of_row(int L, double temperature, std::int64_t realizations,
                        const std::vector<SizeResults>& sizes) {
    const auto size = std::find_if(sizes.begin(), sizes.end(),
                                   [&](const SizeResults& results) { return results.sample.L == L; });
    if (size == sizes.end()) return fmt::format("it has L = {}, this call has not", L);
    const std::vector<double>& temperatures = size->sample.temperature;
    if (std::find(temperatures.begin(), temperatures.end(), temperature) == temperatures.end())
        return fmt::format("it has T = {} of L = {}, this call has not", temperature, L);
    const auto now = static_cast<std::int64_t>(size->realization.size());
    if (realizations <= now) return {};
    return fmt::format("it has {} realizations of L = {}, this call {}", realizations, L, now);
}

}  // namespace

void check_older_results(const std::string& csv, const std::vector<SizeResults>& sizes) {
    std::istringstream table(read_if_there(csv, "the table that would be replaced", most_bytes).value_or(""));
    std::string line;
    std::getline(table, line);
    if (!line.starts_with("L,T,beta,n_realizations")) return;
    while (std::getline(table, line)) {
        std::istringstream row(line);
        int L = 0;
        double temperature = 0, beta = 0;
        std::int64_t realizations = 0;
        char comma = 0;
        if (row >> L >> comma >> temperature >> comma >> beta >> comma >> realizations)
            refuse_loss(csv, "table of results", loss_of_row(L, temperature, realizations, sizes));
    }
}

}  // namespace psflip
