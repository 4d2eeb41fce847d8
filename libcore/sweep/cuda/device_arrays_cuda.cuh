#pragma once

#include <cstdint>

#include "base/device_buffer.cuh"
#include "base/stream.cuh"
#include "sweep/device_ensemble.hpp"

namespace psflip {

/// Holds the arrays of a batch in device memory that exchange and measurement read, for every lane coding.
struct DeviceEnsemble::Arrays {
    Stream stream;  ///< stream for work on the whole batch
    /// Words of SpinLayout with group 1, and of CouplingLayout for absent bonds. All codings have both,
    /// because measurements read them.
    DeviceBuffer<uint4> spins, absent;
    DeviceBuffer<uint4> exchange_mask;
    DeviceBuffer<std::int32_t> energies, magnetisations;
    DeviceBuffer<std::int32_t> bonds;  ///< (column, lane): number of bonds; empty for the plain rule in three
                                       ///< dimensions
};

}  // namespace psflip
