#include "slab/halo_way.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "slab/agreement.hpp"

namespace psflip {

std::string halo_way(Ranks& ranks, const std::string& wanted,
                     const std::function<std::string()>& peer_hindrance) {
    if (wanted != "auto" && wanted != "peer" && wanted != "mpi" && wanted != "host")
        throw_of_all_ranks<InputError>("--halo '" + wanted + "' is unknown; use auto, peer, mpi or host");
    const std::string no_peers = wanted == "auto" || wanted == "peer" ? peer_hindrance() : std::string();
    const bool in_device_memory = ranks.maximum(ranks.takes_device_memory() ? 0 : 1) == 0;
    if (wanted == "peer" && !no_peers.empty())
        throw_of_all_ranks<EnvironmentError>("--halo peer does not work here: " + no_peers + "; use auto");
    if (wanted == "mpi" && !in_device_memory)
        throw_of_all_ranks<EnvironmentError>(
            "--halo mpi does not work here: this MPI library does not take the memory of GPUs; use auto");
    if (wanted != "auto") return wanted;
    if (no_peers.empty()) return "peer";
    std::string way = in_device_memory ? "mpi" : "host";
    if (ranks.is_first()) spdlog::info("halos travel by {}, not by peer: {}", way, no_peers);
    return way;
}

SiteOrder halo_order(const std::string& wanted) {
    if (wanted == "auto" || wanted == "standard") return SiteOrder::standard;
    if (wanted == "sliced") return SiteOrder::sliced;
    throw InputError("--halo-order '" + wanted + "' is unknown; use auto, standard or sliced");
}

}  // namespace psflip
