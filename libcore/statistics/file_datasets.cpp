#include "statistics/file_datasets.hpp"

#include <fmt/format.h>

namespace psflip {

std::optional<DatasetInfo> find_by_rules(std::span<const DatasetRule> rules, const std::string& name,
                                         const std::string& unit, const std::string& doc,
                                         const std::string& dataset) {
    const auto filled = [&](const char* pattern) {
        return fmt::format(fmt::runtime(pattern), fmt::arg("name", name), fmt::arg("unit", unit),
                           fmt::arg("doc", doc), fmt::arg("square", unit == "1" ? unit : unit + "^2"));
    };
    for (const DatasetRule& rule : rules)
        if (dataset == rule.prefix + name + rule.suffix)
            return DatasetInfo{filled(rule.unit), filled(rule.doc), rule.axes};
    return {};
}

}  // namespace psflip
