#include "sweep/plan_cache.hpp"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/version.hpp"
#include "io/output/atomic_file.hpp"
#include "lattice/packing.hpp"
#include "sweep/sweep_rule.hpp"

namespace psflip {

namespace {

constexpr const char* variable = "PSFLIP_PLAN_CACHE";

std::filesystem::path cache_folder() {
    if (const std::string folder = environment(variable); !folder.empty()) return folder;
    if (const std::string caches = environment("XDG_CACHE_HOME"); !caches.empty())
        return std::filesystem::path(caches) / "psflip";
    const std::string home = environment("HOME");
    return home.empty() ? std::filesystem::path() : std::filesystem::path(home) / ".cache" / "psflip";
}

}  // namespace

bool plan_cache_is_off() {
    return environment(variable) == "off";
}

std::string plan_cache_path(const std::string& device) {
    const std::filesystem::path folder = cache_folder();
    if (folder.empty() || plan_cache_is_off()) return {};
    std::string name = device;
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '-';
    return folder / (name + ".plans");
}

std::string plan_key(const BatchSetup& setup, int driver, int multiprocessors) {
    const Shape& shape = setup.shape;
    const SweepRule rule = sweep_rule(setup.model, has_absent_bonds(setup.couplings));
    const bool exchanges = shape.temperatures > 1 && setup.sweeps_per_swap > 0;
    return fmt::format(
        "psflip={}-{} driver={} multiprocessors={} neighbours={} plain={:d} field={:d} absent={:d} "
        "tables={:d} demons={} clusters={} realizations={} L={} share={} temperatures={} replicas={} "
        "columns={} sweeps_per_swap={}",
        version(), git_commit(), driver, multiprocessors, rule.degree, rule.plain, rule.field, rule.absent,
        exchanges_by_table(setup.model, rule), rule.demon_sites,
        rule.swendsen_wang ? -1 : rule.wolff_clusters, rule.has_clusters() ? shape.realizations : 0, shape.L,
        shape.share, shape.temperatures, shape.replicas, shape.columns(),
        exchanges ? setup.sweeps_per_swap : 0);
}

std::string stored_plan(const std::string& path, const std::string& key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(key + '\t')) return line.substr(key.size() + 1);
    return {};
}

void store_plan(const std::string& path, const std::string& key, const std::string& plan) {
    if (path.empty()) return;
    std::string text = fmt::format("{}\t{}\n", key, plan);
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
        if (!line.starts_with(key + '\t')) text += line + '\n';
    std::error_code failure;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failure);
    try {
        write_text_file(path, text);
    } catch (const Error&) {
        // The next call measures again.
    }
}

}  // namespace psflip
