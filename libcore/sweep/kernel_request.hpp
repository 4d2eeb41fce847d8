#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "sweep/stream_part.hpp"

namespace psflip {

/// Holds the CUDA kernel that BackendChoice::kernel requests: a name, with numbers that fix its plan. The
/// text is NAME[:NUMBERS[+NUMBERS]][/PARTS], with numbers as in 8x5x2. Missing numbers and 0 leave the choice
/// to the library. Stored plans (plan_cache.hpp) and descriptions of ensembles have the same form.
///
///   name       numbers
///   auto       none
///   streaming  none
///   resident   temperatures per block, blocks per cluster, warps per block; after + the numbers of a
///              second plan, then the number of (column, replica) pairs that it sweeps, which are
///              the last ones of the batch;
///              with demons: temperatures per block, temperatures per thread, words of a site per block;
///              with clusters: lanes per block, warps per block
///   strips     temperatures per block, blocks per cluster, warps per block
///   tiled      sites of one colour in a row of a tile, rows of a tile, chunks of planes along z, and for
///              slabs the number of prisms that are cut into these chunks (TiledCut)
///   fused      temperatures and thread groups per block, 32-bit words per thread
///   replicas   blocks per realization, groups of realizations, words of a site per thread
///
/// PARTS, 1 or 2, is the number of batch slices with their own streams.
struct KernelRequest {
    std::string kernel = "auto";
    std::array<int, 4> numbers{};
    int plans = 0;                        ///< number of plans that have numbers
    std::array<int, 4> second_numbers{};  ///< numbers of the second plan
    int parts = 0;                        ///< number of batch slices; 0: the library chooses

    /// Returns whether the request leaves every choice to the library.
    bool is_free() const { return kernel == "auto" && parts == 0; }
    /// Returns whether the kernel of this name may be chosen.
    bool takes(std::string_view name) const { return kernel == "auto" || kernel == name; }
    /// Returns whether a plan may have `value` as its i-th number.
    bool allows(int i, int value) const { return numbers[i] == 0 || numbers[i] == value; }
};

/// Lists plans in the form of KernelRequest. The key is the predicted time in microseconds of an exchange
/// period or, without exchange, of a sweep.
using PredictedPlans = std::multimap<double, std::string>;

/// Parses a request. Errors: InputError if the text does not have this form.
KernelRequest parse_kernel(const std::string& text);

/// Parses a request. If the text is auto, the environment variable PSFLIP_CUDA_KERNEL replaces it. Errors: as
/// parse_kernel.
KernelRequest requested_kernel(const std::string& text);

/// Returns a text that begins with `begin` and continues with numbers and x between them, such as
/// resident:8x5x2.
std::string plan_text(std::string_view begin, std::initializer_list<std::int64_t> numbers);

}  // namespace psflip
