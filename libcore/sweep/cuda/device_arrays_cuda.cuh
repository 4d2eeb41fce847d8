#pragma once

#include <cstdint>

#include "base/device_buffer.cuh"
#include "base/stream.cuh"
#include "sweep/device_ensemble.hpp"

namespace psflip {

/// Arrays of a batch in device memory that exchange and measurement read, for every lane coding.
struct DeviceEnsemble::Arrays {
    Stream stream;  ///< stream of the whole batch
    /// Words of SpinLayout with group 1, and of CouplingLayout for absent bonds. All codings have them,
    /// because measurements read them.
    DeviceBuffer<uint4> spins, absent;
    DeviceBuffer<uint4> exchange_mask;
    DeviceBuffer<std::int32_t> energies, magnetisations;
    DeviceBuffer<std::int32_t> bonds;  ///< number of bonds (column, lane); not of the plain rule in 3D
};

}  // namespace psflip
