#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace psflip {

/// What made a file; written to /provenance as text attributes.
struct Provenance {
    std::string program;  ///< "pt-run"
    std::string command_line;
    std::string config_yaml;  ///< resolved configuration
    std::string config_hash;  ///< 16 hex digits
    std::string backend;      ///< "cpu avx512, 2 threads"; empty for programs that only do analysis
    std::string device;       ///< name of the GPU or CPU
    std::string start_time;   ///< UTC, ISO 8601
    int ranks = 1;            ///< that worked together; backend, device and host are of the first
    std::map<std::string, std::string> input_hashes;  ///< path -> content hash
    // added when written: psflip version, git commit, host, library versions (HDF5, CUDA runtime and driver),
    // end time
};

/// The text attributes of /provenance in order: program, version, git_commit, config, config_hash,
/// command_line, host, backend, device, hdf5_version, cuda_runtime_version, cuda_driver_version, input_hashes
/// (one line "hash  path" per input, as `xxh64sum` prints and checks them), start_time; and ranks where there
/// were several. end_time is added when the file is committed.
std::vector<std::pair<std::string, std::string>> provenance_texts(const Provenance& provenance);

/// UTC now, "2026-11-21T08:15:00Z".
std::string utc_now();

}  // namespace psflip
