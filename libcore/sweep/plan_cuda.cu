// Which kernel sweeps a batch: the resident one up to L = 32, where lattices fit into the shared memory of a
// block or of a cluster of blocks; beyond, that or the tiled one, by their cost models; else (share 1, or
// where memory does not suffice) streaming.

#include "sweep/plan_cuda.cuh"

#include "base/error.hpp"

namespace psflip {

namespace {

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
    // The ladder kernel (tempering) needs exchanges; sweeps without them choose freely.
    const KernelRequest request = asked.form == "ladder" ? KernelRequest{} : asked;
    const auto wanted = [&](const char* form) { return request.form == "auto" || request.form == form; };
    SweepPlan plan;
    if (wanted("resident"))
        plan.resident = plan_resident(args, share, columns * args.replicas, device, request);
    // With four numbers per word and fours of temperatures, random numbers take so much of the time that the
    // tiled kernel's updates made twice cost more than the memory it saves: measured from L = 50 on.
    const bool streaming_wins = share == 32 && args.temperatures >= 4 && args.geometry.L >= 50,
               always_resident = plan.resident.slots_per_block > 0 && args.geometry.L <= 32;
    if (request.form == "tiled" || (wanted("tiled") && !streaming_wins && !always_resident))
        plan.tiled = plan_tiled(args, share, columns, device, request);
    if (plan.resident.slots_per_block > 0 &&
        (plan.tiled.half == 0 || plan.resident.cost <= plan.tiled.cost)) {
        plan.form = SweepForm::resident;
        return plan;
    }
    if (plan.tiled.half > 0) {
        plan.form = SweepForm::tiled;
        return plan;
    }
    if (!wanted("streaming"))
        throw EnvironmentError("the " + request.form + " kernel was asked for, but " +
                               (request.number != std::array<int, 3>{} ? "that plan" : "it") +
                               " does not suit L = " + std::to_string(args.geometry.L) + ", share " +
                               number(share) + ", " + std::to_string(args.temperatures) +
                               " temperatures on this device");
    plan.streaming = plan_streaming(args, columns, device);
    return plan;
}

}  // namespace psflip
