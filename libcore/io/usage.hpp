#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/file.hpp"

namespace psflip {

/// What the work behind one file cost, over all calls that had a part in it. It says nothing about results
/// and takes no part in comparisons.
struct Usage {
    double flips = 0.0;         ///< proposed spin flips
    double wall_seconds = 0.0;  ///< of all calls, without what a killed one did after its last checkpoint
    std::int64_t calls = 0;
    std::optional<double> gpu_energy_joules;  ///< of the whole GPU; nothing where a call could not read it
    std::string slurm_jobs;                   ///< "4711" or "4711,4712"; empty outside Slurm
};

/// What both used together.
Usage sum(const Usage& earlier, const Usage& later);

/// Attributes of /provenance: flips, wall_seconds, calls and, where there is one, gpu_energy_joules and
/// slurm_job_id.
void write_usage(OutputFile& file, const Usage& usage);
/// Reads them back; zero where the file has none.
Usage read_usage(const InputFile& file);

}  // namespace psflip
