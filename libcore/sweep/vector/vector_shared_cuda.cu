#include "sweep/vector/vector_shared_cuda.cuh"

#include <algorithm>
#include <utility>

#include "base/device.hpp"
#include "base/error.hpp"

namespace psflip {
namespace {

/// Shared memory of a block that is not for spins.
constexpr int other_bytes = 1024;

/// Microseconds of half a sweep by the colour kernel on an H100: the least time, and the time of each spin.
constexpr double launch_time = 4.5, first_time = 1.0, spin_time = 0.56e-5;

/// Returns whether streaming takes less time than the colour kernel, for lattices that are larger than the L2
/// cache. The colour kernel takes 1.29e-5 us for each spin by Metropolis and 0.97e-5 by over-relaxation,
/// which streams in 0.84 of the time of Metropolis. Other updates have more arithmetic than loads.
bool streams(const StreamPlan& plan, VectorUpdate update, double spins) {
    if (!plan.possible()) return false;
    if (update == VectorUpdate::over_relaxation) return 0.84 * plan.sweep < 0.97e-5 * spins;
    return update == VectorUpdate::metropolis && plan.sweep < 1.29e-5 * spins;
}

/// Microseconds of a launch that keeps spins in shared memory: its launch, and each spin read and written.
constexpr double resident_time = 6.0, copy_time = 1e-5;

/// Allocates a buffer unless it has memory. Returns false if there is not enough memory.
template <class T>
bool has_memory(DeviceBuffer<T>& buffer, std::size_t size, const char* what) {
    if (buffer.size() == size) return true;
    try {
        buffer = {size, what};
    } catch (const EnvironmentError&) {
        return false;
    }
    return true;
}

}  // namespace

VectorSharedSweeps::VectorSharedSweeps(const VectorSetup& setup, const VectorSweepArgs<float>& args,
                                       int device)
    : spins_(static_cast<double>(setup.states() * setup.sites())) {
    if (setup.terms() != VectorTerms::exchange || setup.open() || setup.components() != 3 ||
        setup.dimension() != 3 || setup.is_slab() || setup.precision != Precision::single ||
        args.sites_of_thread < quad_sites)
        return;
    int memory = 0;
    PSFLIP_CUDA(cudaDeviceGetAttribute(&memory, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    const auto L = static_cast<unsigned>(setup.L), bytes = static_cast<unsigned>(memory - other_bytes);
    resident_ = resident_plan(L, setup.states(), args.multiprocessors, bytes);
    const std::int64_t lattice = setup.sites() * static_cast<std::int64_t>(sizeof(Spin<float, 3>));
    if (lattice <= cuda_cache_bytes(device) / 2) return;
    streaming_ = stream_plan(L, setup.states(), args.multiprocessors, bytes);
}

bool VectorSharedSweeps::sweep(VectorSweepArgs<float> args, VectorUpdate update, std::int64_t first,
                               int count, DeviceBuffer<float>& spins, cudaStream_t stream) {
    args.sweep = static_cast<std::uint64_t>(first);
    if (streams(streaming_, update, spins_)) {
        if (has_memory(target_, spins.size(), "spins after a sweep")) {
            flow(args, update, count, spins, stream);
            return true;
        }
        streaming_ = {};
    }
    const double halves = 2.0 * count;
    const bool is_fast = resident_.half_sweep * halves + resident_time + copy_time * spins_ <
                         std::max(launch_time, first_time + spin_time * spins_) * halves;
    return resident_.possible() && is_fast && stay(args, update, count, stream);
}

bool VectorSharedSweeps::stay(VectorSweepArgs<float> args, VectorUpdate update, int count,
                              cudaStream_t stream) {
    const VectorBoxes& boxes = resident_.boxes;
    if (boxes.count() > 1 && packets_.size() == 0) {
        if (!has_memory(packets_, std::size_t{args.states} * args.lattices.geometry.sites,
                        "spins for other blocks")) {
            resident_ = {};
            return false;
        }
        packets_.zero(stream);
    }
    const unsigned row_quads = args.lattices.geometry.half / quad_sites,
                   row = row_quads * quad_sites * static_cast<unsigned>(sizeof(Spin<float, 3>)),
                   plane = boxes.held_rows() * row, wrap = (boxes.planes - 1) * plane;
    const bool whole = boxes.along_z == 1;
    const ResidentArgs<float> resident{.sweep = args,
                                       .boxes = boxes,
                                       .plane_quads = boxes.rows * row_quads,
                                       .row_quads = row_quads,
                                       .boxes_of_lattice = boxes.count(),
                                       .boxes_along_y = boxes.along_y,
                                       .row_bytes = row,
                                       .plane_bytes = plane,
                                       .colour_bytes = plane * boxes.held_planes(),
                                       .below_lowest = whole ? wrap : 0 - plane,
                                       .above_highest = whole ? 0 - wrap : plane,
                                       .sweeps = static_cast<unsigned>(count),
                                       .packets = packets_.data(),
                                       .before = half_sweeps_,
                                       .threads = resident_.threads,
                                       .bytes = resident_.bytes};
    if (!launch_vector_resident(resident, update, stream)) {
        resident_ = {};
        return false;
    }
    half_sweeps_ += 2 * resident.sweeps;
    return true;
}

void VectorSharedSweeps::flow(VectorSweepArgs<float> args, VectorUpdate update, int count,
                              DeviceBuffer<float>& spins, cudaStream_t stream) {
    const unsigned L = args.lattices.geometry.L, along_y = L / streaming_.rows;
    StreamArgs<float> streaming{.sweep = args,
                                .target = nullptr,
                                .rows = streaming_.rows,
                                .planes = streaming_.planes,
                                .tiles = along_y * (L / streaming_.planes),
                                .tiles_along_y = along_y,
                                .row_quads = args.lattices.geometry.half / quad_sites,
                                .threads = streaming_.threads,
                                .bytes = streaming_.bytes};
    for (int i = 0; i < count; ++i, ++streaming.sweep.sweep) {
        streaming.sweep.lattices.spins = spins.data(), streaming.target = target_.data();
        launch_vector_stream(streaming, update, stream);
        std::swap(spins, target_);
    }
}

}  // namespace psflip
