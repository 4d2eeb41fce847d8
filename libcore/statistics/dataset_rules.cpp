#include "statistics/dataset_rules.hpp"

#include <fmt/format.h>

namespace psflip {
namespace {

std::string filled(const char* pattern, const Quantity& quantity) {
    const std::string unit = quantity.unit, square = unit == "1" ? unit : unit + "^2";
    return fmt::format(fmt::runtime(pattern), fmt::arg("name", quantity.name), fmt::arg("unit", unit),
                       fmt::arg("doc", quantity.doc), fmt::arg("square", square));
}

}  // namespace

std::optional<DatasetInfo> find_by_rules(std::span<const DatasetRule> rules, const Quantity& quantity,
                                         const std::string& dataset) {
    for (const DatasetRule& rule : rules)
        if (dataset == std::string(rule.prefix) + quantity.name + rule.suffix)
            return DatasetInfo{filled(rule.unit, quantity), filled(rule.doc, quantity), rule.axes};
    return {};
}

}  // namespace psflip
