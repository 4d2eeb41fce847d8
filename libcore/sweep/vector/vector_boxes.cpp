#include "sweep/vector/vector_boxes.hpp"

#include <algorithm>

namespace psflip {
namespace {

/// Microseconds of half a sweep on an H100: of each quad of a multiprocessor, and for all quads of lattices
/// that are one box, or several boxes.
constexpr double quad_time = 0.0032, halo_time = 0.0005, own_time = 0.5, signal_time = 1.5;

ResidentPlan plan_of(unsigned L, VectorBoxes boxes, long long lattices, unsigned multiprocessors,
                     unsigned memory) {
    const unsigned row_quads = L / (2 * quad_sites), plane_quads = boxes.rows * row_quads;
    const unsigned held = boxes.held_rows() * boxes.held_planes() * row_quads,
                   bytes = 2 * 3 * quad_sites * static_cast<unsigned>(sizeof(float)) * held;
    if (plane_quads > max_resident_threads || bytes > memory) return {};
    const unsigned at_once = max_resident_threads / plane_quads,
                   rounds = (boxes.planes + at_once - 1) / at_once,
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

/// Microseconds of a step through a tile on an H100, and of each quad in it.
constexpr double step_time = 1.4, streamed_quad_time = 0.0039;

}  // namespace

ResidentPlan resident_plan(unsigned L, long long lattices, unsigned multiprocessors, unsigned memory) {
    ResidentPlan best;
    if (L % (2 * quad_sites) != 0) return best;
    for (unsigned along_z = 1; along_z <= L; ++along_z)
        for (unsigned along_y = 1; along_y <= L; ++along_y) {
            if (L % along_y != 0 || L % along_z != 0) continue;
            const ResidentPlan plan =
                plan_of(L, {L / along_y, L / along_z, along_y, along_z}, lattices, multiprocessors, memory);
            if (plan.possible() && (!best.possible() || plan.half_sweep < best.half_sweep)) best = plan;
        }
    return best;
}

StreamPlan stream_plan(unsigned L, long long lattices, unsigned multiprocessors, unsigned memory) {
    StreamPlan best;
    if (L % (2 * quad_sites) != 0) return best;
    const unsigned row_quads = L / (2 * quad_sites);
    for (unsigned rows = 1; rows <= L; ++rows)
        for (unsigned planes = 1; planes <= L; ++planes) {
            if (L % rows != 0 || L % planes != 0) continue;
            const unsigned threads = ((rows + 2) * row_quads + 31) / 32 * 32,
                           bytes = (4 * (rows + 4) + 3 * (rows + 2)) * row_quads * 3 * quad_sites *
                                   static_cast<unsigned>(sizeof(float));
            if (threads > max_stream_threads || bytes > memory) continue;
            // A step updates rows + 2 rows of colour 0, and rows of colour 1.
            const long long tiles = static_cast<long long>(L / rows) * (L / planes) * lattices,
                            rounds = (tiles + multiprocessors - 1) / multiprocessors;
            const double step = step_time + streamed_quad_time * (2 * rows + 2) * row_quads,
                         sweep = static_cast<double>(rounds) * (planes + 2) * step;
            if (!best.possible() || sweep < best.sweep) best = {rows, planes, threads, bytes, sweep};
        }
    return best;
}

}  // namespace psflip
