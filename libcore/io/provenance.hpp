#pragma once

#include <map>
#include <string>
#include <vector>

namespace psflip {

/// What made a file; written to /provenance as text attributes.
struct Provenance {
    std::string program;        ///< "pt-run"
    std::string command_line;
    std::string config_yaml;    ///< resolved configuration
    std::string config_hash;    ///< 16 hex digits
    std::string backend;        ///< "cpu avx512, 2 threads"; empty for programs that only do analysis
    std::string device;         ///< name of the GPU or CPU
    std::string start_time;     ///< UTC, ISO 8601
    std::map<std::string, std::string> input_hashes;  ///< path -> content hash
    // added when written: psflip version, git commit, host, library versions (HDF5, CUDA runtime and driver), end time
};

}  // namespace psflip
