#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/file.hpp"

namespace psflip {

/// Holds the cost of one file, summed over all calls that worked for it. Comparisons of files ignore the
/// cost.
struct Usage {
    double flips = 0.0;         ///< proposed spin flips
    double wall_seconds = 0.0;  ///< of all calls; work that killed calls lost does not count
    /// Number of calls that did the work; 1 without interruptions.
    std::int64_t calls = 0;
    std::optional<double> gpu_energy_joules;  ///< of the whole GPU; absent if a call could not read it
    std::string slurm_jobs;                   ///< "4711" or "4711,4712"; empty outside Slurm
};

/// Returns the sum of two usages.
Usage sum(const Usage& earlier, const Usage& later);

/// Writes the attributes flips, wall_seconds, calls and, if known, gpu_energy_joules and slurm_job_id of
/// /provenance.
void write_usage(OutputFile& file, const Usage& usage);
/// Reads the attributes of write_usage. A missing attribute is zero or empty.
Usage read_usage(const InputFile& file);

}  // namespace psflip
