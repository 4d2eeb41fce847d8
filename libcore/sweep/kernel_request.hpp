#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "lattice/shape.hpp"
#include "sweep/stream_part.hpp"

namespace psflip {

/// A CUDA kernel asked for by name, with numbers that fix its plan: BackendChoice::kernel.
/// "auto", "streaming" or "streaming:ORDER" (site order, of whole lattices), "resident" or
/// "resident:TEMPERATURESxBLOCKSxWARPS" (temperatures per group, blocks per cluster, warps per block), with
/// "+TEMPERATURESxBLOCKSxWARPSxSTACKS" a second plan for the last (column, replica) pairs beside,
/// "tiled" or "tiled:HALFxROWSxCHUNKS" (tile of a block in sites of one colour along x and rows, pieces along
/// z), "fused" or "fused:TEMPERATURESxTEAMSxWORDS" (temperatures and groups of threads per block, 32-bit
/// words per thread), which sweeps and exchanges in one launch; sweeps without exchanges then choose freely;
/// where lanes are replicas "replicas" or "replicas:BLOCKSxGROUPSxWORDS" (blocks of a
/// realization, groups of them, words of a site that a thread has). Numbers at the end may be missing; 0 and
/// missing ones are free. "/1" or "/2" behind all of it is the number of parts of the batch, with a stream
/// each, else chosen by the time of an exchange period.
struct KernelRequest {
    std::string form = "auto";
    std::array<int, 3> number{};
    SiteOrder order = SiteOrder::standard;
    int plans = 0;                ///< with numbers: 1, 2 with a second one; 0: as the kernel chooses
    std::array<int, 4> beside{};  ///< those of the second
    int parts = 0;                ///< 0: as is fast

    /// Whether a plan may have `value` as its i-th number.
    bool allows(int i, int value) const { return number[i] == 0 || number[i] == value; }
};

/// Throws InputError where the text is not of that form.
KernelRequest parse_kernel(const std::string& asked);

/// Whole lattices in the order that is asked for; InputError where they cannot have it, and for slabs, which
/// have their own.
Shape in_order_of(const KernelRequest& request, const Shape& shape);

}  // namespace psflip
