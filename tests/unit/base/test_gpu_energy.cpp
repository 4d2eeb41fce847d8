#include "base/gpu_energy.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace psflip;

TEST_CASE("without library or device there is no energy to read") {
    CHECK_FALSE(GpuEnergy("0000:17:00.0", "libpsflip-no-such-library.so").joules().has_value());
    CHECK_FALSE(GpuEnergy("0000:17:00.0", "libc.so.6").joules().has_value());
    CHECK_FALSE(GpuEnergy("0000:99:00.0", PSFLIP_FAKE_NVML).joules().has_value());
}

TEST_CASE("energy is what the device's counter says more than at the beginning") {
    const GpuEnergy energy("0000:17:00.0", PSFLIP_FAKE_NVML);  // 1500 mJ more at every reading
    CHECK(energy.joules() == 1.5);
    CHECK(energy.joules() == 3.0);
}
