#include "io/provenance.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <ctime>

#if PSFLIP_HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

#include "base/process.hpp"
#include "base/version.hpp"

namespace psflip {
namespace {

std::string hdf5_version() {
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    return fmt::format("{}.{}.{}", major, minor, release);
}

/// Returns "13.0" for CUDA's 13000, or an empty string for 0.
[[maybe_unused]] std::string cuda_text(int version) {
    return version > 0 ? fmt::format("{}.{}", version / 1000, version % 1000 / 10) : "";
}

std::string cuda_runtime() {
#if PSFLIP_HAVE_CUDA
    int version = 0;
    return cudaRuntimeGetVersion(&version) == cudaSuccess ? cuda_text(version) : "";
#else
    return "";
#endif
}

std::string cuda_driver() {
#if PSFLIP_HAVE_CUDA
    int version = 0;
    return cudaDriverGetVersion(&version) == cudaSuccess ? cuda_text(version) : "";
#else
    return "";
#endif
}

}  // namespace

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[32] = {};
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

std::vector<std::pair<std::string, std::string>> provenance_texts(const Provenance& provenance) {
    std::string inputs;
    for (const auto& [path, hash] : provenance.input_hashes) inputs += fmt::format("{}  {}\n", hash, path);
    std::vector<std::pair<std::string, std::string>> texts = {{"program", provenance.program},
                                                              {"version", version()},
                                                              {"git_commit", git_commit()},
                                                              {"config", provenance.config_yaml},
                                                              {"config_hash", provenance.config_hash},
                                                              {"command_line", provenance.command_line},
                                                              {"host", host_name()},
                                                              {"backend", provenance.backend},
                                                              {"device", provenance.device},
                                                              {"hdf5_version", hdf5_version()},
                                                              {"cuda_runtime_version", cuda_runtime()},
                                                              {"cuda_driver_version", cuda_driver()},
                                                              {"input_hashes", inputs},
                                                              {"start_time", provenance.start_time}};
    if (provenance.ranks > 1) texts.emplace_back("ranks", std::to_string(provenance.ranks));
    return texts;
}

}  // namespace psflip
