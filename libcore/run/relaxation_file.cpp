#include "run/relaxation_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/thread_pool.hpp"
#include "config/value.hpp"
#include "io/existing_file.hpp"
#include "run/relaxation.hpp"

namespace psflip {
namespace {

/// With one measurement at each time, all other sums are functions of these.
constexpr Sum kept_sums[] = {Sum::energy,        Sum::overlap,       Sum::link,
                             Sum::kmin_x,        Sum::magnetisation, Sum::magnetisation_kmin_x,
                             Sum::correlation4,  Sum::correlation2,  Sum::two_time_overlap,
                             Sum::two_time_link, Sum::energy_terms,  Sum::magnetisation_parts,
                             Sum::staggered_kmin};

constexpr DatasetRow rows[] = {
    {schema::relax_times, "sweeps", "Times of the measurements, in sweeps since the start.", "time"},
    {schema::relax_factors, "1", "Factor of all temperatures in the last sweep before each time.", "time"},
    {schema::relax_fields, "J", "Field h in the last sweep before each time.", "time"},
    {schema::relax_waiting, "sweeps", "Waiting times t_w, in sweeps since the start.", "waiting time"},
    {schema::temperatures, "k_B T / J", "Temperatures, ascending, where their factor is 1.", "temperature"},
};

/// Returns "/relaxation/energy" for "/blocks/energy" of the tables of runs.
std::string in_group(const std::string& in_blocks) {
    return schema::relaxation_group + in_blocks.substr(std::string(schema::blocks_group).size());
}

DatasetInfo relaxation_dataset(const std::string& name, int dimension, bool field, bool vectors) {
    const std::string group = std::string(schema::relaxation_group) + "/";
    if (!name.starts_with(group)) {
        if (const auto found = find_row(rows, name)) return in_dimensions(*found, dimension);
        throw_unknown_dataset(name);
    }
    DatasetInfo found =
        run_dataset(schema::blocks_group + ("/" + name.substr(group.size())), dimension, field, vectors);
    const auto replace = [](std::string& text, const std::string& from, const std::string& to) {
        if (const auto at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
    };
    replace(found.doc, "Sum, over the measurements of each block, of ", "At each time: ");
    replace(found.axes, "block", "time");
    return found;
}

}  // namespace

DatasetTable relaxation_datasets(int dimension, bool field, bool vectors) {
    return [=](const std::string& name) { return relaxation_dataset(name, dimension, field, vectors); };
}

std::string relax_lines(const RelaxSection& relax) {
    const std::vector<double> all = relax.temperature_factors();
    std::string factors;
    for (const double factor : all) factors += (factors.empty() ? "" : ", ") + real_text(factor);
    std::string later;
    if (!relax.fields.empty()) later = fmt::format("relax.fields: [{}]\n", fmt::join(relax.fields, ", "));
    if (relax.measure_every > 0) later += fmt::format("relax.measure_every: {}\n", relax.measure_every);
    return fmt::format(
        "relax.start: {}\nrelax.first: {}\nrelax.per_decade: {}\nrelax.waiting: [{}]\n"
        "factors of temperatures: [{}]\nrelax.stage_sweeps: {}\n{}",
        name(relax.start), relax.first, relax.per_decade, fmt::join(relax.waiting, ", "), factors,
        all.empty() && relax.fields.empty() ? 0 : relax.stage_sweeps, later);
}

void write_relaxation(OutputFile& file, const RunData& run, const Parameters& parameters, ThreadPool& pool) {
    const Accumulators& a = run.accumulators;
    const RelaxSection& relax = parameters.relax;
    const TemperaturePath path = path_of(relax);
    const std::vector<std::int64_t> times(run.bins.edges.begin() + 1, run.bins.edges.end());
    std::vector<double> factors, fields;
    for (const std::int64_t time : times) {
        factors.push_back(path.factor(time - 1));
        fields.push_back(path.field_factor(time - 1) * parameters.model.field);
    }
    write_identity(file, run.identity);
    file.attribute(schema::relax_lines, relax_lines(relax));
    file.attribute(schema::relax_first, run.first);
    file.attribute(schema::relax_last, run.last);
    file.write(schema::relax_times, {std::ssize(times)}, times);
    file.write(schema::relax_factors, {std::ssize(times)}, factors);
    if (a.measured.vectors()) file.write(schema::relax_fields, {std::ssize(times)}, fields);
    if (!relax.waiting.empty()) file.write(schema::relax_waiting, {std::ssize(relax.waiting)}, relax.waiting);
    file.write(schema::temperatures, {a.temperatures}, run.temperatures);
    for_each_stored_array(a, a.measured, pool, [&](const SumsDataset& dataset, const auto& values) {
        const bool kept = dataset.sum && std::ranges::count(kept_sums, dataset.sum->sum) > 0;
        if (kept && !values.empty()) file.write(in_group(dataset.name), dataset.extents, values);
    });
}

void check_existing_relaxation(const std::string& path, const BatchIdentity& identity,
                               const std::string& lines, std::int64_t first, std::int64_t last) {
    check_existing_file(path, schema::relaxation, [&](const InputFile& file) {
        constexpr std::int64_t most = std::int64_t{1} << 48;
        std::string other = other_lines(
            read_identity(file).lines() + file.text_attribute(schema::relax_lines), identity.lines() + lines);
        const std::int64_t from = file.integer_attribute(schema::relax_first, 0, most),
                           to = file.integer_attribute(schema::relax_last, 0, most);
        if (!other.empty() || (from >= first && to <= last)) return other;
        return fmt::format("it holds the times {} to {}, but this call makes {} to {}", from, to, first,
                           last);
    });
}

}  // namespace psflip
