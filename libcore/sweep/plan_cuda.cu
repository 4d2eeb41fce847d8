// Which kernel sweeps a batch: the resident one up to L = 32, where lattices fit into the shared memory of a
// block or of a cluster of blocks, and beyond where the cost models say that it is clearly faster than the
// tiled one (L = 48 in clusters of 16); else the tiled one; else (share 1, share 32 from L = 50 on, or where
// memory does not suffice) streaming.

#include "sweep/plan_cuda.cuh"

#include "base/error.hpp"

namespace psflip {

namespace {

/// Two cost models within 10%, one of them used beyond the sizes that it is fitted to, do not decide.
constexpr double clear_advantage = 1.1;

std::string number(int n) {
    return std::to_string(n);
}

}  // namespace

std::string SweepPlan::description() const {
    const ResidentPlan& r = resident;
    const TiledPlan& t = tiled;
    switch (form) {
        case SweepForm::resident:
            return "resident kernel (" + number(r.slots_per_block) + " temperatures and " +
                   number(r.threads) + " threads per block" +
                   (r.cluster > 1 ? ", " + number(r.cluster) + " blocks per cluster)" : ")");
        case SweepForm::tiled:
            return "tiled kernel (" + number(t.half) + " x " + number(t.rows) + " sites of a colour, " +
                   number(t.chunks) + (t.chunks == 1 ? " piece" : " pieces") + " along z)";
        default:
            return "streaming kernel";
    }
}

SweepPlan plan_sweeps(const SweepArgs& args, int share, std::int64_t columns, int device,
                      const KernelRequest& asked) {
    // The fused kernel needs exchanges, see plan_fused; sweeps without them choose freely.
    const KernelRequest request = asked.form == "fused" ? KernelRequest{} : asked;
    const auto wanted = [&](const char* form) { return request.form == "auto" || request.form == form; };
    const bool asked_tiled = request.form == "tiled", asked_resident = request.form == "resident";
    ResidentPlan resident;
    TiledPlan tiled;
    if (wanted("resident")) resident = plan_resident(args, share, columns * args.replicas, device, request);
    const bool fits = resident.slots_per_block > 0, small = args.geometry.L <= 32;
    if (asked_tiled || (wanted("tiled") && !(fits && small)))
        tiled = plan_tiled(args, share, columns, device, request);
    if (fits && (asked_resident || small || resident.cost * clear_advantage < tiled.cost))
        return {.form = SweepForm::resident, .resident = resident, .tiled = {}, .streaming = {}};
    // With four numbers per word and fours of temperatures, random numbers take so much of the time that the
    // tiled kernel's updates made twice cost more than the memory it saves: measured from L = 50 on.
    const bool streaming_wins = share == 32 && args.temperatures >= 4 && args.geometry.L >= 50;
    if (tiled.half > 0 && (asked_tiled || !streaming_wins))
        return {.form = SweepForm::tiled, .resident = {}, .tiled = tiled, .streaming = {}};
    if (!wanted("streaming"))
        throw EnvironmentError("the " + request.form + " kernel was asked for, but " +
                               (request.number != std::array<int, 3>{} ? "that plan" : "it") +
                               " does not suit L = " + std::to_string(args.geometry.L) + ", share " +
                               number(share) + ", " + std::to_string(args.temperatures) +
                               " temperatures on this device");
    return {.form = SweepForm::streaming,
            .resident = {},
            .tiled = {},
            .streaming = plan_streaming(args, columns, device)};
}

}  // namespace psflip
