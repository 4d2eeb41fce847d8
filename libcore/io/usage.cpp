#include "io/usage.hpp"

#include "io/schema.hpp"

namespace psflip {
namespace {

std::string in_provenance(const char* name) {
    return std::string(schema::provenance) + "@" + name;
}

}  // namespace

Usage sum(const Usage& earlier, const Usage& later) {
    if (earlier.calls == 0) return later;
    Usage both = earlier;
    both.flips += later.flips;
    both.wall_seconds += later.wall_seconds;
    both.calls += later.calls;
    if (earlier.gpu_energy_joules && later.gpu_energy_joules)
        both.gpu_energy_joules = *earlier.gpu_energy_joules + *later.gpu_energy_joules;
    else
        both.gpu_energy_joules.reset();
    const bool listed = ("," + earlier.slurm_jobs).ends_with("," + later.slurm_jobs);
    if (both.slurm_jobs.empty())
        both.slurm_jobs = later.slurm_jobs;
    else if (!later.slurm_jobs.empty() && !listed)
        both.slurm_jobs += "," + later.slurm_jobs;
    return both;
}

void write_usage(OutputFile& file, const Usage& usage) {
    file.attribute(in_provenance(schema::flips), usage.flips);
    file.attribute(in_provenance(schema::wall_seconds), usage.wall_seconds);
    file.attribute(in_provenance(schema::calls), usage.calls);
    if (usage.gpu_energy_joules)
        file.attribute(in_provenance(schema::gpu_energy_joules), *usage.gpu_energy_joules);
    if (!usage.slurm_jobs.empty()) file.attribute(in_provenance(schema::slurm_job_id), usage.slurm_jobs);
}

Usage read_usage(const InputFile& file) {
    Usage usage;
    if (!file.has_attribute(in_provenance(schema::calls))) return usage;
    constexpr double most = 1e30;
    const auto amount = [&](const char* name) { return file.real_attribute(in_provenance(name), 0.0, most); };
    usage.flips = amount(schema::flips);
    usage.wall_seconds = amount(schema::wall_seconds);
    usage.calls = file.integer_attribute(in_provenance(schema::calls), 0, std::int64_t{1} << 48);
    if (file.has_attribute(in_provenance(schema::gpu_energy_joules)))
        usage.gpu_energy_joules = amount(schema::gpu_energy_joules);
    if (file.has_attribute(in_provenance(schema::slurm_job_id)))
        usage.slurm_jobs = file.text_attribute(in_provenance(schema::slurm_job_id));
    return usage;
}

}  // namespace psflip
