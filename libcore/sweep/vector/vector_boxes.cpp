#include "sweep/vector/vector_boxes.hpp"

#include <algorithm>
#include <cstdlib>

namespace psflip {
namespace {

/// Microseconds of half a sweep on an H100: of each quad of a multiprocessor, and for all quads of lattices
/// that are one box, or several boxes.
constexpr double quad_time = 0.0032, halo_time = 0.0005, own_time = 0.5, signal_time = 1.5;

ResidentPlan plan_of(unsigned L, VectorBoxes boxes, long long lattices, unsigned multiprocessors,
                     unsigned memory) {
    static const char* text = std::getenv("PSFLIP_THREADS");
    const unsigned max_threads = text ? static_cast<unsigned>(std::atoi(text)) : max_resident_threads;
    const unsigned row_quads = L / (2 * quad_sites), plane_quads = boxes.rows * row_quads;
    const unsigned held = boxes.held_rows() * boxes.held_planes() * row_quads,
                   bytes = 2 * 3 * quad_sites * static_cast<unsigned>(sizeof(float)) * held;
    if (plane_quads > max_threads || bytes > memory) return {};
    const unsigned at_once = max_threads / plane_quads, rounds = (boxes.planes + at_once - 1) / at_once,
                   threads = (boxes.planes + rounds - 1) / rounds * plane_quads;
    const unsigned halo = 2 * (boxes.halo_z() * boxes.rows + boxes.halo_y() * boxes.planes) * row_quads;
    if (halo > threads || threads % 32 != 0) return {};
    const long long running = std::min<long long>(memory / (bytes + 1024), 1024 / threads) * multiprocessors,
                    group = std::min(running / boxes.count(), lattices);
    if (group == 0) return {};
    const long long groups = (lattices + group - 1) / group,
                    together = (group * boxes.count() + multiprocessors - 1) / multiprocessors;
    const double quads = static_cast<double>(together) * boxes.planes * plane_quads;
    return {boxes, threads, bytes,
            static_cast<double>(groups) *
                (quads * quad_time + halo * halo_time + (boxes.count() > 1 ? signal_time : own_time))};
}

/// Smallest part of the updates of a tile that may be of use.
constexpr double min_useful = 0.7;

}  // namespace

ResidentPlan resident_plan(unsigned L, long long lattices, unsigned multiprocessors, unsigned memory) {
    ResidentPlan best;
    if (L % (2 * quad_sites) != 0) return best;
    for (unsigned along_z = 1; along_z <= L; ++along_z)
        for (unsigned along_y = 1; along_y <= L; ++along_y) {
            if (L % along_y != 0 || L % along_z != 0) continue;
            if (const char* text = std::getenv("PSFLIP_BOXES"))
                if (std::atoi(text) != static_cast<int>(100 * along_y + along_z)) continue;
            const ResidentPlan plan =
                plan_of(L, {L / along_y, L / along_z, along_y, along_z}, lattices, multiprocessors, memory);
            if (plan.possible() && (!best.possible() || plan.half_sweep < best.half_sweep)) best = plan;
        }
    return best;
}

StreamPlan stream_plan(unsigned L, long long lattices, unsigned multiprocessors, unsigned memory) {
    StreamPlan best;
    double least = 0;
    if (L % (2 * quad_sites) != 0) return best;
    const unsigned row_quads = L / (2 * quad_sites);
    const char* text = std::getenv("PSFLIP_TILE");
    for (unsigned rows = 1; rows <= L; ++rows)
        for (unsigned planes = 1; planes <= L; ++planes) {
            if (L % rows != 0 || L % planes != 0) continue;
            if (text && std::atoi(text) != static_cast<int>(1000 * rows + planes)) continue;
            const unsigned threads = ((rows + 2) * row_quads + 31) / 32 * 32,
                           bytes = (4 * (rows + 4) + 3 * (rows + 2)) * row_quads * 3 * quad_sites *
                                   static_cast<unsigned>(sizeof(float));
            if (threads > max_stream_threads || bytes > memory) continue;
            // Blocks work in rounds of all multiprocessors. A step updates rows + 2 and rows rows.
            const long long tiles = static_cast<long long>(L / rows) * (L / planes) * lattices,
                            rounds = (tiles + multiprocessors - 1) / multiprocessors;
            const double time = static_cast<double>(rounds) * (planes + 2.5) * (rows + 2.0);
            const double useful =
                static_cast<double>(L) * L * static_cast<double>(lattices) / multiprocessors;
            if ((useful < min_useful * time && !std::getenv("PSFLIP_FORCE")) ||
                (best.possible() && time >= least))
                continue;
            best = {rows, planes, threads, bytes};
            least = time;
        }
    return best;
}

}  // namespace psflip
