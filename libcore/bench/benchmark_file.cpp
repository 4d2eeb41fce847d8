#include "bench/benchmark_file.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "base/regular_file.hpp"

namespace psflip {
namespace {

/// Reads the fields of one object of the list. Errors name file and line.
class Entry {
  public:
    Entry(const std::string& path, const YAML::Node& fields)
        : where_(fmt::format("{}:{}", path, fields.Mark().line + 1)), fields_(fields) {}

    template <class Value>
    Value get(const char* name, std::optional<Value> otherwise = {}) const {
        const YAML::Node field = fields_[name];
        if (!field && otherwise) return *otherwise;
        if (!field)
            throw InputError(fmt::format(
                "{}: the field {} is missing; make the file anew with bench-flip --json", where_, name));
        Value value{};
        if (!YAML::convert<Value>::decode(field, value)) refuse(name);
        return value;
    }
    int count(const char* name, int least, std::optional<int> otherwise = {}) const {
        const int value = get<int>(name, otherwise);
        if (value < least) refuse(name);
        return value;
    }
    double positive(const char* name) const {
        const auto value = get<double>(name);
        if (!std::isfinite(value) || value <= 0) refuse(name);
        return value;
    }

    /// Returns parse(text of the field). `parse` throws InputError for an unknown text.
    template <class Parse>
    auto parsed(const char* name, const char* otherwise, const Parse& parse) const {
        const auto text = get<std::string>(name, otherwise);
        try {
            return parse(text);
        } catch (const InputError& error) {
            throw InputError(fmt::format("{}: {}: {}", where_, name, error.what()));
        }
    }

  private:
    [[noreturn]] void refuse(const char* name) const {
        throw InputError(
            fmt::format("{}: the field {} has a value that bench-flip never writes; make the file anew with "
                        "bench-flip --json",
                        where_, name));
    }

    std::string where_;
    const YAML::Node& fields_;
};

BenchmarkResult result_of(const Entry& e) {
    using Text = std::string;
    return {.setup = {.series = e.get<Text>("series", "list"),
                      .L = e.count("L", 1),
                      .share = e.count("share", 1),
                      .replicas = e.count("replicas", 1),
                      .temperatures = e.count("temperatures", 1),
                      .columns = e.count("columns", 1),
                      .realizations = e.count("realizations", 0, 0),
                      .lanes = e.parsed("lanes", "realizations", named<Lanes>),
                      .model = e.get<Text>("model", "ea3d"),
                      .site_order = e.parsed("site_order", "standard", site_order_of),
                      .production = e.get<bool>("production", false)},
            .backend = e.get<Text>("backend"),
            .kernel = e.get<Text>("kernel", "auto"),
            .device = e.get<Text>("device", ""),
            .threads = e.count("threads", 0, 0),
            .ps_per_flip = e.positive("ps_per_flip"),
            .spread = e.get<double>("spread", 0.0)};
}

}  // namespace

BenchRow benchmark_row(const BenchmarkResult& r) {
    const BenchmarkCase& s = r.setup;
    BenchRow row(s.series);
    row.add("backend", r.backend)
        .add("L", s.L)
        .add("share", s.share)
        .add("replicas", s.replicas)
        .add("temperatures", s.temperatures)
        .add("columns", s.columns)
        .add("realizations", s.realizations)
        .add("lanes", name(s.lanes))
        .add("model", s.model)
        .add("threads", r.threads)
        .add("production", s.production)
        .add("kernel", r.kernel)
        .add("site_order", name(s.site_order))
        .add("ps_per_flip", r.ps_per_flip)
        .add("spread", r.spread)
        .add("device", r.device);
    return row;
}

std::vector<BenchmarkResult> read_benchmark_json(const std::string& path) {
    constexpr std::size_t max_bytes = std::size_t{1} << 22;
    const std::string text = read_regular_file(path, "the timings", max_bytes);
    const auto refuse = [&](const std::string& why) {
        throw InputError(
            fmt::format("{} is not a list of timings as bench-flip --json writes it: {}", path, why));
    };
    std::vector<BenchmarkResult> results;
    try {
        const YAML::Node list = YAML::Load(text);  // YAML contains JSON
        if (!list.IsSequence()) refuse("it is not a list");
        for (const YAML::Node& fields : list) results.push_back(result_of(Entry(path, fields)));
    } catch (const YAML::Exception& error) {
        refuse(error.mark.is_null() ? error.msg : fmt::format("line {}: {}", error.mark.line + 1, error.msg));
    }
    return results;
}

}  // namespace psflip
