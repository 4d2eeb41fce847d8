#include "run/relaxation_file.hpp"

#include <fmt/format.h>

#include "base/thread_pool.hpp"
#include "io/datasets.hpp"
#include "io/existing_file.hpp"
#include "io/schema.hpp"
#include "measure/stored_sums.hpp"
#include "run/run_datasets.hpp"

namespace psflip {
namespace {

/// With one measurement at each time all other sums are functions of these.
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

/// "/relaxation/energy", and "/blocks/energy" where the tables of runs have it.
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
    replace(found.doc, "Sum over the measurements of each block of ", "At each time: ");
    replace(found.axes, "block", "time");
    return found;
}

}  // namespace

DatasetTable relaxation_datasets(int dimension, bool field, bool vectors) {
    return [=](const std::string& name) { return relaxation_dataset(name, dimension, field, vectors); };
}

void write_relaxation(OutputFile& file, const RelaxationData& relaxation, ThreadPool& pool) {
    const Accumulators& a = relaxation.accumulators;
    const auto times = std::ssize(relaxation.times);
    write_identity(file, relaxation.identity);
    file.attribute(schema::relax_lines, relaxation.lines);
    file.attribute(schema::relax_first, relaxation.first);
    file.attribute(schema::relax_last, relaxation.last);
    file.write(schema::relax_times, {times}, relaxation.times);
    file.write(schema::relax_factors, {times}, relaxation.factors);
    if (a.measured.vectors()) file.write(schema::relax_fields, {times}, relaxation.fields);
    if (!relaxation.waiting.empty())
        file.write(schema::relax_waiting, {std::ssize(relaxation.waiting)}, relaxation.waiting);
    file.write(schema::temperatures, {a.temperatures}, relaxation.temperatures);
    for (const Sum sum : kept_sums) {
        const Extents all{times, a.components(sum), a.temperatures, a.realizations};
        if (!info(sum).of(a.measured) || a.components(sum) == 0) continue;
        if (is_integer(sum, a.measured))
            file.write(in_group(stored_name(sum)), all, a.integers[int(sum)]);
        else
            file.write(in_group(stored_name(sum)), all, stored_reals(a, sum, pool));
    }
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
        return fmt::format("it holds the times {} to {}, this call makes {} to {}", from, to, first, last);
    });
}

}  // namespace psflip
