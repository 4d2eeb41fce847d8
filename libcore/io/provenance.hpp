#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace psflip {

/// Holds the origin of a file. /provenance stores it as text attributes.
struct Provenance {
    std::string program;  ///< such as "pt-run"
    std::string command_line;
    std::string config_yaml;  ///< resolved configuration
    std::string config_hash;  ///< 16 hex digits
    std::string backend;      ///< "cpu avx512, 2 threads"; empty without a simulation
    std::string device;       ///< name of the GPU or CPU
    std::string start_time;   ///< UTC, ISO 8601
    int ranks = 1;            ///< number of ranks; rank 0 gives backend, device and host
    std::map<std::string, std::string> input_hashes;  ///< content hash by path
    // Files also get the versions of psflip and of libraries, the git commit, the host and the end time.
};

/// Returns the text attributes of /provenance in order: program, version, git_commit, config, config_hash,
/// command_line, host, backend, device, hdf5_version, cuda_runtime_version, cuda_driver_version, input_hashes
/// (one line "hash  path" per input, as `xxh64sum` prints it), start_time, and ranks if there are several.
/// end_time follows when the file is committed.
std::vector<std::pair<std::string, std::string>> provenance_texts(const Provenance& provenance);

/// Returns the current time in UTC, such as "2026-11-21T08:15:00Z".
std::string utc_now();

}  // namespace psflip
